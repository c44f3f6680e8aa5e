/** What the person can do with a session's work in a git repository. */
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import type { ChangedFile, Changes, Checkpoint, FinishAction, Finished, HunkPlace, PatchPage, WentBack } from '#protocol/work.ts';
import type { Call } from '#extension/shared/wire.ts';

/** What came of it, and the state to which the file was brought. */
export type Reverted = WentBack & Pick<Changes, 'since'>;

export class WorkActions {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** All files that are not as they were where the session began. Rejects where that cannot be told. */
  changes(sessionId: SessionId): Promise<Changes> {
    return this.#call(routes.readChanges, { params: { sessionId } });
  }

  /** A page of one file's patch. */
  patch(sessionId: SessionId, { path, oldPath }: ChangedFile, now: string, offset: number): Promise<PatchPage> {
    const query = { path, now, offset, ...(oldPath === undefined ? {} : { oldPath }) };
    return this.#call(routes.readPatch, { params: { sessionId }, query });
  }

  /** Brings a file back to what it was where the session began, or only one part of its patch. */
  revert(sessionId: SessionId, path: string, hunk?: HunkPlace): Promise<WentBack> {
    return this.#call(routes.revertFiles, { params: { sessionId }, body: { paths: [path], ...(hunk === undefined ? {} : { hunk }) } });
  }

  /** The same for a file by the name that an agent gave it; null where it is not among the changes. */
  async revertNamed(sessionId: SessionId, name: string): Promise<Reverted | null> {
    const { top, folder, files, since } = await this.changes(sessionId);
    const below = (path: string): string => path.replaceAll('\\', '/').replace(`${top.replaceAll('\\', '/')}/`, '');
    // A name that is not absolute is meant from where the agent works.
    const found = [`${folder}/${name}`, name].flatMap((path) => files.find((file) => file.path === below(path)) ?? [])[0];
    return found === undefined ? null : { ...(await this.revert(sessionId, found.path)), since };
  }

  /** The states of the folder that can be gone back to, the newest first. */
  async checkpoints(sessionId: SessionId): Promise<Checkpoint[]> {
    return (await this.#call(routes.listCheckpoints, { params: { sessionId } })).checkpoints;
  }

  /** Brings the folder back to a checkpoint, or to before a turn. */
  goBack(sessionId: SessionId, checkpointId: string): Promise<WentBack> {
    return this.#call(routes.goBack, { params: { sessionId, checkpointId } });
  }

  /** Rejects with an error that the sheet shows; nothing is lost then. */
  finish(sessionId: SessionId, action: FinishAction): Promise<Finished> {
    return this.#call(routes.finishWorktree, { params: { sessionId }, body: { action } });
  }
}

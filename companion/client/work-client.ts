/** What a session does in a git repository, as the front ends call it. */
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import type { ChangedFile, Changes, Checkpoint, FinishAction, Finished, HunkPlace, PatchPage, WentBack } from '#protocol/work.ts';
import type { Transport } from './transport.ts';

export interface WorkClient {
  /** All files that are not as they were where the session began. */
  changes(sessionId: SessionId): Promise<Changes>;
  patch(sessionId: SessionId, file: Pick<ChangedFile, 'path' | 'oldPath'>, place: { now: string; offset: number }): Promise<PatchPage>;
  stage(sessionId: SessionId, paths: string[], isStaged: boolean): Promise<void>;
  /** With `hunk` only that part of the one file. */
  revert(sessionId: SessionId, paths: string[], hunk?: HunkPlace): Promise<WentBack>;
  checkpoints(sessionId: SessionId): Promise<Checkpoint[]>;
  /** By the id of a checkpoint, or of the turn before which it was kept. */
  goBack(sessionId: SessionId, checkpointId: string): Promise<WentBack>;
  finish(sessionId: SessionId, action: FinishAction): Promise<Finished>;
}

/** A large repository on a slow disk takes a while. */
const SILENCE_MS = 10 * 60_000;

export const createWorkClient = (transport: Transport): WorkClient => {
  const patient = { silenceMs: SILENCE_MS };
  return {
    changes: (sessionId) => transport.call(routes.readChanges, { params: { sessionId } }, patient),
    patch: (sessionId, { path, oldPath }, place) =>
      transport.call(
        routes.readPatch,
        { params: { sessionId }, query: { path, ...(oldPath === undefined ? {} : { oldPath }), ...place } },
        patient,
      ),
    stage: async (sessionId, paths, isStaged) =>
      void (await transport.call(routes.stageFiles, { params: { sessionId }, body: { paths, isStaged } }, patient)),
    revert: (sessionId, paths, hunk) =>
      transport.call(routes.revertFiles, { params: { sessionId }, body: { paths, ...(hunk === undefined ? {} : { hunk }) } }, patient),
    checkpoints: async (sessionId) => (await transport.call(routes.listCheckpoints, { params: { sessionId } }, patient)).checkpoints,
    goBack: (sessionId, checkpointId) => transport.call(routes.goBack, { params: { sessionId, checkpointId } }, patient),
    finish: (sessionId, action) => transport.call(routes.finishWorktree, { params: { sessionId }, body: { action } }, patient),
  };
};

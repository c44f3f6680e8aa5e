/**
 * States of a folder that can be gone back to. Each is a commit below `refs/pilotfish/`, which no branch contains and git shows to nobody
 * who does not ask for it.
 */
import { createHash } from 'node:crypto';
import type { Checkpoint } from '#protocol/work.ts';
import { TurnId } from '#protocol/ids.ts';
import type { Repository } from './repository.ts';
import { commitTree, takeSnapshot, type Snapshot } from './snapshot.ts';

/** So many of a session are kept. */
const MAX_KEPT = 200;

interface Kept extends Checkpoint {
  readonly ref: string;
  readonly commit: string;
}

export class Checkpoints {
  readonly #repository: Repository;
  readonly #place: string;

  constructor(repository: Repository, sessionId: string) {
    this.#repository = repository;
    this.#place = `refs/pilotfish/sessions/${/^[A-Za-z0-9_-]{1,100}$/.test(sessionId) ? sessionId : mark(sessionId)}`;
  }

  /** Keeps the folder as it is before a turn; before the first one of all, as where the session began. */
  async addTurn(turnId: TurnId, { isFirst, signal }: { readonly isFirst: boolean; readonly signal?: AbortSignal }): Promise<void> {
    const [{ tree }, head, base] = await Promise.all([
      takeSnapshot(this.#repository, { signal }),
      this.#repository.commitOf('HEAD', signal),
      this.base(),
    ]);
    const commit = await this.#commit(tree, head, `turn ${turnId}`);
    await this.#refer([...(isFirst && base === null ? [`${this.#place}/base`] : []), `${this.#place}/turn/${mark(turnId)}`], commit);
  }

  /** Keeps a state that is about to be left; returns its id. */
  async addUndo({ tree }: Pick<Snapshot, 'tree'>): Promise<string> {
    const commit = await this.#commit(tree, await this.#repository.commitOf('HEAD'), 'undo');
    const id = `undo-${commit.slice(0, 12)}`;
    await this.#refer([`${this.#place}/undo/${id.slice(5)}`], commit);
    return id;
  }

  /** The commit of the state at which the session began, or null. */
  async base(): Promise<string | null> {
    return this.#repository.commitOf(`${this.#place}/base`);
  }

  /** The newest first. */
  async list(): Promise<Kept[]> {
    const format = '%(refname)%00%(objectname)%00%(creatordate:unix)%00%(contents:subject)';
    const listed = await this.#repository.run([
      'for-each-ref',
      `--format=${format}`,
      '--sort=-creatordate',
      `${this.#place}/turn`,
      `${this.#place}/undo`,
    ]);
    return listed.split('\n').flatMap((line): Kept[] => {
      const [ref = '', commit = '', seconds = '', subject = ''] = line.split('\0');
      if (ref === '') return [];
      const [kind, name] = ref.slice(this.#place.length + 1).split('/');
      const turnId = kind === 'turn' ? TurnId.safeParse(subject.replace(/^turn /, '')).data : undefined;
      const at = new Date(Number(seconds) * 1000).toISOString();
      return [{ id: `${kind}-${name}`, kind: kind === 'turn' ? 'turn' : 'undo', turnId: turnId ?? null, at, ref, commit }];
    });
  }

  /** Forgets those that are too many. */
  async trim(): Promise<void> {
    await this.#forget((await this.list()).slice(MAX_KEPT).map(({ ref }) => ref));
  }

  async removeAll(): Promise<void> {
    await this.#forget([`${this.#place}/base`, ...(await this.list()).map(({ ref }) => ref)]);
  }

  async #commit(tree: string, head: string | null, message: string): Promise<string> {
    return commitTree(this.#repository, tree, { parents: head === null ? [] : [head], message });
  }

  async #refer(refs: readonly string[], commit: string): Promise<void> {
    await this.#repository.run(['update-ref', '--stdin'], { input: refs.map((ref) => `update ${ref} ${commit}\n`).join('') });
  }

  async #forget(refs: readonly string[]): Promise<void> {
    if (refs.length > 0) await this.#repository.run(['update-ref', '--stdin'], { input: refs.map((ref) => `delete ${ref}\n`).join('') });
  }
}

/** A part of a ref: an id that a client chose may hold anything. */
const mark = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 24);

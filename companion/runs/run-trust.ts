/** Keeps a run within what the user agreed to for as long as it lives: some agents take up changed files of a project at once. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Trust, TrustAsker } from '#companion/trust/trust.ts';

/** A check that takes longer, for instance in a folder that does not answer, must not keep a run from ending. */
const LOOK_LIMIT_MS = 1000;

export class RunTrust {
  readonly #trust: Pick<Trust, 'check' | 'isHeld'>;
  readonly #asker: TrustAsker;

  /** `root` is the folder in which the run was started, a real path. */
  constructor(trust: Pick<Trust, 'check' | 'isHeld'>, root: string, asker: Omit<TrustAsker, 'workspace'>) {
    this.#trust = trust;
    this.#asker = { ...asker, workspace: async () => root };
  }

  /** Asks about changes of the project's files since the start; rejects when they are not trusted. */
  async recheck(): Promise<void> {
    await this.#trust.check(this.#asker);
  }

  /** Whether the user agreed to what the project would start now. What cannot be checked in time counts as not agreed. */
  async isHeld(): Promise<boolean> {
    return Promise.race([this.#trust.isHeld(this.#asker), delay(LOOK_LIMIT_MS, false, { ref: false })]);
  }
}

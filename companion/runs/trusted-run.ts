/** A run that stays within what the user agreed to for as long as it lives: some agents take up changed files of a project at once. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from './run.ts';
import type { Trust, TrustAsker } from '#companion/trust/trust.ts';

/** A look that takes longer, on a folder that does not answer, must not keep a run from ending. */
const LOOK_LIMIT_MS = 1000;

/** `kill` ends all its processes without giving them a say. */
export const keepTrusted = (run: Run, options: { trust: Pick<Trust, 'check' | 'isHeld'>; asker: TrustAsker; kill: () => void }): Run => {
  const { trust, asker, kill } = options;
  return {
    ...run,
    recheck: async () => void (await trust.check(asker)),
    stop: async (how) => {
      // What a project wants run at an agent's end was agreed to as well, or is not run.
      const isHeld = await Promise.race([trust.isHeld(asker), delay(LOOK_LIMIT_MS, false, { ref: false })]);
      if (!isHeld) kill();
      await run.stop(how);
    },
  };
};

import { describe, expect, test } from 'vitest';
import type { Run } from '#companion/runs/run.ts';
import type { Trust } from '#companion/trust/trust.ts';
import { keepTrusted } from '#companion/runs/trusted-run.ts';

/** A run that notes what is done to it, in a folder that is as trusted as `isHeld` says. */
const start = (isHeld: () => Promise<boolean>): { run: Run; done: string[] } => {
  const done: string[] = [];
  const note = (what: string) => (): void => void done.push(what);
  const run: Run = {
    ready: Promise.resolve(),
    prompt: note('prompt'),
    steer: note('steer'),
    answer: note('answer'),
    interrupt: note('interrupt'),
    stopTask: note('stopTask'),
    configure: note('configure'),
    stop: async ({ graceMs } = {}) => void done.push(`stop ${graceMs}`),
  };
  const trust: Pick<Trust, 'check' | 'isHeld'> = { check: async () => '/', isHeld };
  const asker = { workspace: async () => '/', ask: async () => null, isWanted: () => true };
  return { run: keepTrusted(run, { trust, asker, kill: note('kill') }), done };
};

describe('S26: the end of a run', () => {
  test('is the one it asked for when its project is what was trusted', async () => {
    const { run, done } = start(async () => true);

    await run.stop({ graceMs: 20 });

    expect(done).toEqual(['stop 20']);
  });

  test('comes without a last word when the project changed: what it wants run then was not agreed to', async () => {
    const { run, done } = start(async () => false);

    await run.stop({ graceMs: 20 });

    expect(done).toEqual(['kill', 'stop 20']);
  });

  test('does not wait for a folder that does not answer', async () => {
    const { run, done } = start(() => new Promise(() => {}));

    await run.stop();

    expect(done).toEqual(['kill', 'stop undefined']);
  });
});

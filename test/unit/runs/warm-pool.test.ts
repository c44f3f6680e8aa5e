import { afterEach, beforeEach, describe, expect, test as plainTest, vi } from 'vitest';
import { WarmPool } from '#companion/runs/warm-pool.ts';
import type { SessionId } from '#protocol/ids.ts';
import { said, test, type Stage } from '#test/unit/sessions/stage.ts';

const keep = (stage: Stage, maxProcesses: number): void => {
  stage.store.settings.change({ warm: { maxProcesses, idleStopMs: 60_000 } });
};
const asleep = (stage: Stage, sessionId: SessionId) => stage.until(sessionId, ({ run }) => run.state === 'stopped');
const isAwake = (stage: Stage, sessionId: SessionId): boolean => stage.sessions.view(sessionId).run.state === 'ready';
const starts = (stage: Stage): string[] => stage.trace().filter((line) => line.startsWith('start'));

describe('a conversation beyond the limit', () => {
  test('puts the longest unused one to sleep, which goes on with its memory', async ({ stage }) => {
    keep(stage, 2);
    const [first, second, third] = [await stage.create(), await stage.create(), await stage.create()];
    await stage.turn(first, 'say one');
    await stage.turn(second, 'say two');
    await stage.turn(first, 'say once more');

    await stage.turn(third, 'say three');
    await asleep(stage, second);
    const awake = [first, third].map((sessionId) => isAwake(stage, sessionId));
    const view = await stage.turn(second, 'say four');
    await asleep(stage, first);

    expect(awake).toEqual([true, true]);
    expect(said(view)).toEqual(['two', 'four']);
    expect(starts(stage)).toEqual(['start ', 'start ', 'start ', `start --resume ${view.engineSessionId}`]);
    expect(isAwake(stage, third)).toBe(true);
  });

  test('never stops a turn that runs, and goes to sleep itself instead', async ({ stage }) => {
    keep(stage, 1);
    const [busy, other] = [await stage.create(), await stage.create()];
    await stage.send(busy, 'slow');
    await stage.until(busy, (view) => said(view).length > 0);

    await stage.turn(other, 'say hello');
    await asleep(stage, other);

    expect(stage.sessions.view(busy)).toMatchObject({ status: 'running', run: { state: 'ready' } });
  });

  test('never takes away what waits for an answer', async ({ stage }) => {
    keep(stage, 1);
    const [asking, other] = [await stage.create(), await stage.create()];
    await stage.send(asking, 'background-ask');
    await stage.until(asking, (view) => view.requests.length === 1 && view.turns[0]?.status === 'completed');

    await stage.turn(other, 'say hello');
    await asleep(stage, other);
    await stage.answer(asking, 'yes');
    const view = await stage.until(asking, (seen) => seen.items.every(({ status }) => status === 'completed'));

    expect(view.run.state).toBe('ready');
    expect(starts(stage)).toHaveLength(2);
  });

  test('keeps its process for a prompt that waits behind its turn', async ({ stage }) => {
    keep(stage, 1);
    const [busy, other] = [await stage.create(), await stage.create()];
    await stage.send(busy, 'slow');
    await stage.until(busy, (view) => said(view).length > 0);
    const turnId = await stage.send(other, 'ask');
    await stage.until(other, (view) => view.requests.length === 1);
    await stage.send(other, 'say at last');

    await stage.answer(other, 'yes');
    const view = await asleep(stage, other);

    expect(view.turns.find((turn) => turn.turnId === turnId)?.status).toBe('completed');
    expect(said(view)).toEqual(['you said yes', 'at last']);
    expect(starts(stage)).toHaveLength(2);
  });

  test('many at once: as many as are kept remain when their turns have ended', async ({ stage }) => {
    keep(stage, 2);
    const all = await Promise.all(Array.from({ length: 6 }, () => stage.create()));
    await Promise.all(all.map((sessionId) => stage.send(sessionId, 'ask')));
    await Promise.all(all.map((sessionId) => stage.until(sessionId, (view) => view.requests.length === 1)));
    const atWork = stage.store.processes.list().length;

    for (const sessionId of all) {
      await stage.answer(sessionId, 'yes');
      await stage.until(sessionId, ({ status }) => status === 'idle');
    }
    for (const sessionId of all.slice(0, 4)) await asleep(stage, sessionId);

    expect(atWork).toBe(6);
    expect(all.slice(4).map((sessionId) => isAwake(stage, sessionId))).toEqual([true, true]);
    expect(
      stage.store.processes
        .list()
        .map((entry) => entry.sessionId)
        .toSorted(),
    ).toEqual(all.slice(4).toSorted());
  });
});

describe('the pool of warm processes', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const sleeper = (canSleep = true) => {
    const each = { isAsleep: false, canSleep: () => canSleep && !each.isAsleep, sleep: vi.fn(async () => void (each.isAsleep = true)) };
    return each;
  };
  const pool = () => new WarmPool(() => ({ maxProcesses: 2, idleStopMs: 60_000 }));

  plainTest('does not wait for the end of what it puts to sleep', () => {
    const warm = pool();
    const slow = { canSleep: () => true, sleep: vi.fn(() => new Promise<void>(() => {})) };
    const [young, younger] = [sleeper(), sleeper()];
    for (const each of [slow, young]) warm.touch(each);

    warm.makeRoom();
    warm.touch(younger);

    expect(slow.sleep).toHaveBeenCalledTimes(1);
    expect([young, younger].map((each) => each.isAsleep)).toEqual([false, false]);
    warm.close();
  });

  plainTest('puts one to sleep that nobody used for long', async () => {
    const warm = pool();
    const idle = sleeper();
    warm.touch(idle);

    await vi.advanceTimersByTimeAsync(59_000);
    const before = idle.isAsleep;
    await vi.advanceTimersByTimeAsync(2000);

    expect([before, idle.isAsleep]).toEqual([false, true]);
    warm.close();
  });

  plainTest('gives one that still works when its time is up another such time', async () => {
    const warm = pool();
    let isWorking = true;
    const busy = { canSleep: () => !isWorking, sleep: vi.fn(async () => {}) };
    warm.touch(busy);

    await vi.advanceTimersByTimeAsync(61_000);
    isWorking = false;
    const before = busy.sleep.mock.calls.length;
    await vi.advanceTimersByTimeAsync(60_000);

    expect([before, busy.sleep.mock.calls.length]).toEqual([0, 1]);
    warm.close();
  });
});

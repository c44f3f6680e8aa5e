import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { isSameProcess } from '#companion/process/identity.ts';
import type { SessionId } from '#protocol/ids.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { NO_LOSS, quantile, tellFigure, times } from '#test/fixtures/figures.ts';
import { isIdle, said, test, type Stage } from './stage.ts';

const stop = async (stage: Stage, sessionId: SessionId): Promise<unknown> => stage.sessions.dispatch({ type: 'turn.cancel', sessionId });
const ends = (stage: Stage, sessionId: SessionId): string[] =>
  stage.events(sessionId).flatMap((event) => (event.type === 'turn.completed' ? [event.outcome] : []));

/** A dead process that nobody has reaped yet does not count. */
const isRunning = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

describe('stopping', () => {
  test('a working turn shows at once, ends it once as cancelled, and keeps what was said', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'slow');
    await stage.until(sessionId, (view) => said(view).length > 0);

    await stop(stage, sessionId);
    const stopping = stage.sessions.view(sessionId).status;
    const view = await stage.until(sessionId, isIdle);

    expect(stopping).toBe('stopping');
    expect(ends(stage, sessionId)).toEqual(['cancelled']);
    expect(said(view)).toEqual(['working']);
    expect(said(await stage.turn(sessionId, 'say next'))).toEqual(['working', 'next']);
  });

  test('wins over a result that comes at the same moment', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'late');
    await stage.until(sessionId, (view) => said(view).length > 0);

    await stop(stage, sessionId);
    await stage.until(sessionId, isIdle);

    expect(ends(stage, sessionId)).toEqual(['cancelled']);
  });

  test('also ends the turns that wait', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'slow');
    await stage.send(sessionId, 'say never');

    await stop(stage, sessionId);
    const view = await stage.until(sessionId, isIdle);

    expect(view.turns.map((turn) => turn.status)).toEqual(['cancelled']);
    expect(stage.trace()).not.toContain('prompt say never');
  });

  test('a turn whose engine is still starting needs no process to be killed', async ({ stage }) => {
    const sessionId = await stage.create();

    await stage.send(sessionId, 'say never');
    await stop(stage, sessionId);
    const view = await stage.turn(sessionId, 'say hello');

    expect(ends(stage, sessionId)).toEqual(['cancelled', 'completed']);
    expect(said(view)).toEqual(['hello']);
  });

  test('an engine that does not listen is ended by force when asked twice', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'stubborn');
    await stage.until(sessionId, (view) => said(view).length > 0);
    const [entry] = stage.store.processes.list();

    await stop(stage, sessionId);
    await stop(stage, sessionId);
    const view = await stage.until(sessionId, isIdle);
    const next = await stage.turn(sessionId, 'say hello');

    expect(view.turns[0]?.status).toBe('cancelled');
    expect(said(next).at(-1)).toBe('hello');
    await expect.poll(() => entry === undefined || isSameProcess(entry.pid, entry.startTime)).toBe(false);
  });

  test('ends by itself an engine that does not listen, within a second', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'stubborn');
    await stage.until(sessionId, (view) => said(view).length > 0);
    const [entry] = stage.store.processes.list();
    if (entry === undefined) throw new Error('no process is known');
    const load = new MachineLoad();
    const startedAt = performance.now();

    await stop(stage, sessionId);
    await stage.until(sessionId, isIdle);
    await expect.poll(() => isSameProcess(entry.pid, entry.startTime), { interval: 10 }).toBe(false);
    const tookMs = performance.now() - startedAt;

    expect(ends(stage, sessionId)).toEqual(['cancelled']);
    if (load.isQuiet) expect(tookMs).toBeLessThan(1_000);
  });

  test('leaves nothing running of what the engine started', async ({ stage }) => {
    const sessionId = await stage.create();
    const view = await stage.turn(sessionId, 'child');
    const child = Number(said(view)[0]?.split(' ')[1]);
    const wasRunning = isRunning(child);

    await stage.sessions.close();

    expect(wasRunning).toBe(true);
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  test.for(['holds', 'holds in-turn'])('also ends for good what the user added to the turn: %s', async (prompt, { stage }) => {
    const sessionId = await stage.create('steerable');
    await stage.send(sessionId, prompt);
    await stage.until(sessionId, (view) => said(view).length > 0);
    await stage.send(sessionId, 'and this', { delivery: 'steer' });

    await stop(stage, sessionId);
    const view = await stage.until(sessionId, ({ status, run }) => status === 'idle' && run.state === 'stopped');
    const next = await stage.turn(sessionId, 'say hello');

    expect(ends(stage, sessionId)).toEqual(['cancelled', 'completed']);
    expect(view.items.every((item) => item.status !== 'running')).toBe(true);
    expect(said(next).at(-1)).toBe('hello');
    expect(stage.trace().filter((line) => line.startsWith('start'))).toHaveLength(2);
  });

  test('after which the agent stays quiet keeps its process', async ({ stage }) => {
    const sessionId = await stage.create('steerable');
    await stage.send(sessionId, 'slow');
    await stage.until(sessionId, (view) => said(view).length > 0);

    await stop(stage, sessionId);
    await stage.until(sessionId, isIdle);
    await stage.turn(sessionId, 'say hello');

    expect(stage.trace().filter((line) => line.startsWith('start'))).toHaveLength(1);
  });

  test('at any moment of a turn ends it exactly once, and the next one works', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say warm');

    const startedAt = performance.now();
    const rounds = times(18, 500);
    const tookMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await stage.send(sessionId, 'stream 200');
      const { seq } = stage.sessions.view(sessionId);
      await stage.until(sessionId, (view) => view.seq >= seq + (round % 6) || view.status === 'idle');
      const stoppedAt = performance.now();
      await stop(stage, sessionId);
      await stage.until(sessionId, isIdle);
      tookMs.push(performance.now() - stoppedAt);
    }
    const view = await stage.turn(sessionId, 'say done');

    const begun = stage.events(sessionId).filter((event) => event.type === 'turn.started').length;
    tellFigure({
      fault: 'A turn is stopped at any moment, and the next one works',
      count: `${rounds} times`,
      ...NO_LOSS,
      doubled: Math.max(0, ends(stage, sessionId).length - begun),
      leftRunning: view.items.filter(({ status }) => status === 'running').length,
      measured: `at rest again: p95 ${Math.round(quantile(tookMs, 0.95))} ms`,
      ms: performance.now() - startedAt,
    });
    expect(ends(stage, sessionId)).toHaveLength(begun);
    expect(view.items.every((item) => item.status !== 'running')).toBe(true);
    expect(said(view).at(-1)).toBe('done');
  });
});

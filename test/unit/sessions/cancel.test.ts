import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { isSameProcess } from '#companion/process/ledger.ts';
import type { SessionId } from '#protocol/ids.ts';
import { isIdle, said, test, type World } from './world.ts';

const stop = async (world: World, sessionId: SessionId): Promise<unknown> => world.sessions.dispatch({ type: 'turn.cancel', sessionId });
const ends = (world: World, sessionId: SessionId): string[] =>
  world.events(sessionId).flatMap((event) => (event.type === 'turn.completed' ? [event.outcome] : []));

/** A dead process that nobody has reaped yet does not count. */
const isRunning = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

describe('stopping', () => {
  test('a working turn shows at once, ends it once as cancelled, and keeps what was said', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'slow');
    await world.until(sessionId, (view) => said(view).length > 0);

    await stop(world, sessionId);
    const stopping = world.sessions.view(sessionId).status;
    const view = await world.until(sessionId, isIdle);

    expect(stopping).toBe('stopping');
    expect(ends(world, sessionId)).toEqual(['cancelled']);
    expect(said(view)).toEqual(['working']);
    expect(said(await world.turn(sessionId, 'say next'))).toEqual(['working', 'next']);
  });

  test('wins over a result that comes at the same moment', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'late');
    await world.until(sessionId, (view) => said(view).length > 0);

    await stop(world, sessionId);
    await world.until(sessionId, isIdle);

    expect(ends(world, sessionId)).toEqual(['cancelled']);
  });

  test('also ends the turns that wait', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'slow');
    await world.send(sessionId, 'say never');

    await stop(world, sessionId);
    const view = await world.until(sessionId, isIdle);

    expect(view.turns.map((turn) => turn.status)).toEqual(['cancelled']);
    expect(world.trace()).not.toContain('prompt say never');
  });

  test('a turn whose engine is still starting needs no process to be killed', async ({ world }) => {
    const sessionId = await world.create();

    await world.send(sessionId, 'say never');
    await stop(world, sessionId);
    const view = await world.turn(sessionId, 'say hello');

    expect(ends(world, sessionId)).toEqual(['cancelled', 'completed']);
    expect(said(view)).toEqual(['hello']);
  });

  test('an engine that does not listen is ended by force when asked twice', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'stubborn');
    await world.until(sessionId, (view) => said(view).length > 0);
    const [entry] = world.store.processes.list();

    await stop(world, sessionId);
    await stop(world, sessionId);
    const view = await world.until(sessionId, isIdle);
    const next = await world.turn(sessionId, 'say hello');

    expect(view.turns[0]?.status).toBe('cancelled');
    expect(said(next).at(-1)).toBe('hello');
    expect(entry === undefined || isSameProcess(entry.pid, entry.startTime)).toBe(false);
  });

  test('ends by itself an engine that does not listen', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'hang');
    await world.until(sessionId, (view) => said(view).length > 0);
    // Interrupts are answered by this agent with silence.

    const asked = performance.now();
    await stop(world, sessionId);
    await world.until(sessionId, isIdle);

    expect(ends(world, sessionId)).toEqual(['cancelled']);
    expect(performance.now() - asked).toBeLessThan(5000);
  });

  test('leaves nothing running of what the engine started', async ({ world }) => {
    const sessionId = await world.create();
    const view = await world.turn(sessionId, 'child');
    const child = Number(said(view)[0]?.split(' ')[1]);
    const wasRunning = isRunning(child);

    await world.sessions.close();

    expect(wasRunning).toBe(true);
    expect(isRunning(child)).toBe(false);
  });

  test('at any moment of a turn ends it exactly once, and the next one works (R16)', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'say warm');

    for (let round = 0; round < 500; round += 1) {
      await world.send(sessionId, 'stream 200');
      const { seq } = world.sessions.view(sessionId);
      await world.until(sessionId, (view) => view.seq >= seq + (round % 6) || view.status === 'idle');
      await stop(world, sessionId);
      await world.until(sessionId, isIdle);
    }
    const view = await world.turn(sessionId, 'say done');

    const begun = world.events(sessionId).filter((event) => event.type === 'turn.started').length;
    expect(ends(world, sessionId)).toHaveLength(begun);
    expect(view.items.every((item) => item.status !== 'running')).toBe(true);
    expect(said(view).at(-1)).toBe('done');
  });
});

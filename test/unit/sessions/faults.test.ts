import { describe, expect } from 'vitest';
import { isIdle, said, test } from './world.ts';

describe('an engine that fails', () => {
  test('mid-turn leaves its partial text and a typed error, and the next turn resumes', async ({ world }) => {
    const sessionId = await world.create();

    const failed = await world.turn(sessionId, 'crash');
    const next = await world.turn(sessionId, 'say again');

    expect(failed.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_CRASHED' } });
    expect(failed.turns[0]?.error?.message).toContain('out of luck');
    expect(said(next)).toEqual(['half an ans', 'again']);
    expect(next.items.every((item) => item.status !== 'running')).toBe(true);
    expect(world.trace()).toContain(`start --resume ${failed.engineSessionId}`);
  });

  test('by ending without an answer is not taken for a success (R14)', async ({ world }) => {
    const sessionId = await world.create();

    const view = await world.turn(sessionId, 'exit');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_TRUNCATED' } });
  });

  test('by ending well after 65,536 bytes of a line is no success (R14)', async ({ world }) => {
    const sessionId = await world.create();

    const view = await world.turn(sessionId, 'cut');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_TRUNCATED' } });
  });

  test('by ending after its result spoils nothing, queued turns included', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'last');
    await world.send(sessionId, 'say and again');

    const view = await world.until(sessionId, isIdle);

    expect(view.turns.map((turn) => turn.status)).toEqual(['completed', 'completed']);
    expect(said(view)).toEqual(['the end', 'and again']);
  });

  test('at every start is given up after three times, with what it said (R27)', async ({ world }) => {
    const sessionId = await world.create('dies');

    const view = await world.turn(sessionId, 'say hello');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_START_FAILED' } });
    expect(view.turns[0]?.error?.message).toContain('no luck today');
    expect(world.events(sessionId).filter((event) => event.type === 'run.changed' && event.state === 'starting')).toHaveLength(3);
  });

  test('at its first start only is started again', async ({ world }) => {
    const sessionId = await world.create('dies-once');

    expect(said(await world.turn(sessionId, 'say hello'))).toEqual(['hello']);
  });

  test('by never being ready is stopped in time', async ({ world }) => {
    const sessionId = await world.create('never-ready');

    const view = await world.turn(sessionId, 'say hello');

    expect(view.turns[0]?.error).toMatchObject({ code: 'ENGINE_START_FAILED' });
    expect(view.turns[0]?.error?.message).toContain('was not ready');
    expect(world.store.processes.list()).toEqual([]);
  });

  test('by saying nothing for too long is stopped (R15)', async ({ world }) => {
    world.store.settings.change({ hangMs: 1000 });
    const sessionId = await world.create();

    const view = await world.turn(sessionId, 'hang');

    const runs = world.sessions.read(sessionId, 0, 100).flatMap((event) => (event.type === 'run.changed' ? [event.state] : []));
    expect(runs).toContain('retrying');
    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_HUNG' } });
    expect(said(view)).toEqual(['and then']);
  });

  test('by writing nonsense is told of once, and goes on', async ({ world }) => {
    const sessionId = await world.create();

    const view = await world.turn(sessionId, 'garbage');

    expect(view.items.filter((item) => item.body.kind === 'notice')).toHaveLength(1);
    expect(said(view)).toEqual(['still here']);
    expect(view.turns[0]?.status).toBe('completed');
  });

  test('by a line without an end is stopped with a typed error (R13)', async ({ world }) => {
    const sessionId = await world.create();

    const view = await world.turn(sessionId, `flood ${20 * 1024 * 1024}`);

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_MALFORMED' } });
  });

  test('is stopped when its budget is spent, and not started again on it', async ({ world }) => {
    const sessionId = await world.create();
    await world.sessions.dispatch({ type: 'session.update', sessionId, settings: { maxCostUsd: 0.5 } });

    const spent = await world.turn(sessionId, 'spend 0.75');
    const again = await world.turn(sessionId, 'say more');

    expect(spent.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_BUDGET_REACHED' } });
    expect(again.turns[1]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_BUDGET_REACHED' } });
    expect(world.trace()).not.toContain('prompt say more');
  });

  test('is stopped when it goes round more often than allowed', async ({ world }) => {
    const sessionId = await world.create();
    await world.sessions.dispatch({ type: 'session.update', sessionId, settings: { maxTurns: 3 } });

    const view = await world.turn(sessionId, 'rounds 10');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_BUDGET_REACHED' } });
  });

  test('cannot make the history grow without end', async ({ world }) => {
    const sessionId = await world.create();

    const view = await world.turn(sessionId, 'tool 5000000');

    const tool = view.items.find((item) => item.body.kind === 'tool');
    const text = tool?.body.kind === 'tool' ? tool.body.text : '';
    expect(text.length).toBeLessThan(1_100_000);
    expect(text.endsWith('… output cut')).toBe(true);
  });
});

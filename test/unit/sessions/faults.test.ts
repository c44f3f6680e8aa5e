import { describe, expect } from 'vitest';
import type { LoopEngine } from '#companion/engines/engine.ts';
import { engineDouble } from '#test/fixtures/engine-double-codec.ts';
import type { SessionId } from '#protocol/ids.ts';
import { isIdle, said, type Stage, test } from './stage.ts';

/** An event that no codec gives, for a fault where events are taken. */
const shapeless = { type: 'event', event: { type: 'item.started', itemId: 'shapeless', item: null as never } } as const;

/** Begins a turn whose agent speaks first, so that no limit of it is over before that. */
const begun = async (stage: Stage, sessionId: SessionId, prompt: string): Promise<void> => {
  await stage.send(sessionId, prompt);
  await stage.until(sessionId, (view) => said(view).length > 0);
};

/** From now on, for the turn that runs too. */
const limit = (stage: Stage, sessionId: SessionId, settings: { maxSilenceMs?: number; maxTurnMs?: number | null }): Promise<unknown> =>
  stage.sessions.dispatch({ type: 'session.update', sessionId, settings });

describe('an engine that fails', () => {
  test('mid-turn leaves its partial text and a typed error, and the next turn resumes', async ({ stage }) => {
    const sessionId = await stage.create();

    const failed = await stage.turn(sessionId, 'crash');
    const next = await stage.turn(sessionId, 'say again');

    expect(failed.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_CRASHED' } });
    expect(failed.turns[0]?.error?.message).toContain('out of luck');
    expect(said(next)).toEqual(['half an ans', 'again']);
    expect(next.items.every((item) => item.status !== 'running')).toBe(true);
    expect(stage.trace()).toContain(`start --resume ${failed.engineSessionId}`);
  });

  test('in our own code about it ends its run, not the daemon and not another session', async ({ stage }) => {
    const [faulty, other] = [await stage.create(), await stage.create()];
    await stage.send(other, 'slow');
    await stage.until(other, (view) => said(view).length > 0);

    const failed = await stage.turn(faulty, 'throw');
    const otherStatus = stage.sessions.view(other).turns[0]?.status;
    const next = await stage.turn(faulty, 'say again');

    expect(failed.turns[0]).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
    expect(said(next)).toEqual(['again']);
    expect(otherStatus).toBe('running');
  });

  test('in our own code behind its codec ends its run as well', async ({ stage }) => {
    const sessionId = await stage.create();

    const failed = await stage.turn(sessionId, 'shapeless');
    const next = await stage.turn(sessionId, 'say again');

    expect(failed.turns[0]).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
    expect(said(next)).toEqual(['again']);
  });

  test('in our own code about what it leaves at its end fails the turn and nothing else', async ({ stage }) => {
    const plain = engineDouble({ name: 'ends-badly' });
    const codec: typeof plain.codec = (options) => Object.assign(plain.codec(options), { exit: () => [shapeless] });
    stage.engines.push({ ...plain, codec });
    await stage.restart();
    const sessionId = await stage.create('ends-badly');

    const failed = await stage.turn(sessionId, 'exit');

    expect(failed.turns[0]).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
  });

  test('in our own code about what a loop tells ends the loop', async ({ stage }) => {
    const fake = engineDouble({ name: 'loop' });
    const turn: LoopEngine['turn'] = async ({ emit }) => emit(shapeless.event);
    stage.engines.push({ ...fake, type: 'loop', probe: async () => ({ account: '', models: [] }), turn });
    await stage.restart();
    const sessionId = await stage.create('loop');

    const failed = await stage.turn(sessionId, 'say hello');

    expect(failed.turns[0]).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
  });

  test('by ending without an answer is not taken for a success', async ({ stage }) => {
    const sessionId = await stage.create();

    const view = await stage.turn(sessionId, 'exit');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_TRUNCATED' } });
  });

  test('by ending well after 65,536 bytes of a line is no success', async ({ stage }) => {
    const sessionId = await stage.create();

    const view = await stage.turn(sessionId, 'cut');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_TRUNCATED' } });
  });

  test('by ending after its result spoils nothing, queued turns included', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'last');
    await stage.send(sessionId, 'say and again');

    const view = await stage.until(sessionId, isIdle);

    expect(view.turns.map((turn) => turn.status)).toEqual(['completed', 'completed']);
    expect(said(view)).toEqual(['the end', 'and again']);
  });

  test('at every start is given up after three times, with what it said', async ({ stage }) => {
    const sessionId = await stage.create('dies');

    const view = await stage.turn(sessionId, 'say hello');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_START_FAILED' } });
    expect(view.turns[0]?.error?.message).toContain('no luck today');
    expect(stage.events(sessionId).filter((event) => event.type === 'run.changed' && event.state === 'starting')).toHaveLength(3);
  });

  test('at its first start only is started again', async ({ stage }) => {
    const sessionId = await stage.create('dies-once');

    expect(said(await stage.turn(sessionId, 'say hello'))).toEqual(['hello']);
  });

  test('by never being ready is stopped in time', async ({ stage }) => {
    const sessionId = await stage.create('never-ready');

    const view = await stage.turn(sessionId, 'say hello');

    expect(view.turns[0]?.error).toMatchObject({ code: 'ENGINE_START_FAILED' });
    expect(view.turns[0]?.error?.message).toContain('was not ready');
    expect(stage.store.processes.list()).toEqual([]);
  });

  test('by saying nothing for too long is stopped', async ({ stage }) => {
    const sessionId = await stage.create();
    await begun(stage, sessionId, 'hang');

    stage.store.settings.change({ hangMs: 1000 });
    await limit(stage, sessionId, { maxTurnMs: 600_000 });
    const view = await stage.until(sessionId, isIdle);

    const runs = stage.sessions.read(sessionId, 0, 100).flatMap((event) => (event.type === 'run.changed' ? [event.state] : []));
    expect(runs).toContain('retrying');
    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_HUNG' } });
    expect(said(view)).toEqual(['and then']);
  });

  test('in silence is told of, with what it last wrote on stderr since the prompt', async ({ stage }) => {
    const sessionId = await stage.create();
    await begun(stage, sessionId, 'mutter HTTP 529, attempt 3');

    await limit(stage, sessionId, { maxSilenceMs: 1000 });
    const view = await stage.until(sessionId, isIdle);

    const told = stage.events(sessionId).flatMap((event) => (event.type === 'run.changed' ? [event.text] : []));
    expect(told).toContain('Nothing has come from the agent for 1 s. Its last message was: HTTP 529, attempt 3');
    expect(view.turns[0]?.error?.code).toBe('ENGINE_HUNG');
  });

  test('by taking longer than a turn may is interrupted, and goes on with the next', async ({ stage }) => {
    const sessionId = await stage.create();
    await begun(stage, sessionId, 'slow');

    await limit(stage, sessionId, { maxTurnMs: 1000 });
    const long = await stage.until(sessionId, isIdle);
    await limit(stage, sessionId, { maxTurnMs: null });
    const next = await stage.turn(sessionId, 'say next');

    expect(long.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_TURN_TOO_LONG' } });
    expect(long.turns[0]?.error?.message).toContain('The limit was 1 s.');
    expect(said(next)).toEqual(['working', 'next']);
    expect(stage.trace().filter((line) => line.startsWith('start'))).toHaveLength(1);
  });

  test('by taking longer than any turn may, as settings.json says', async ({ stage }) => {
    stage.store.settings.change({ turnLimitMs: 1000 });
    const sessionId = await stage.create();

    const view = await stage.turn(sessionId, 'slow');

    expect(view.turns[0]?.error?.code).toBe('ENGINE_TURN_TOO_LONG');
  });

  test('by writing nonsense is told of once, and goes on', async ({ stage }) => {
    const sessionId = await stage.create();

    const view = await stage.turn(sessionId, 'garbage');

    expect(view.items.filter((item) => item.body.kind === 'notice')).toHaveLength(1);
    expect(said(view)).toEqual(['still here']);
    expect(view.turns[0]?.status).toBe('completed');
  });

  test('by a line without an end is stopped with a typed error', async ({ stage }) => {
    const sessionId = await stage.create();

    const view = await stage.turn(sessionId, `flood ${20 * 1024 * 1024}`);

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_MALFORMED' } });
  });

  test('is stopped when its budget is spent, and not started again on it', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.sessions.dispatch({ type: 'session.update', sessionId, settings: { maxCostUsd: 0.5 } });

    const spent = await stage.turn(sessionId, 'spend 0.75');
    const again = await stage.turn(sessionId, 'say more');

    expect(spent.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_BUDGET_REACHED' } });
    expect(again.turns[1]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_BUDGET_REACHED' } });
    expect(stage.trace()).not.toContain('prompt say more');
  });

  test('is stopped when it goes round more often than allowed', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.sessions.dispatch({ type: 'session.update', sessionId, settings: { maxTurns: 3 } });

    const view = await stage.turn(sessionId, 'rounds 10');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_BUDGET_REACHED' } });
  });

  test('cannot make the history grow without end', async ({ stage }) => {
    const sessionId = await stage.create();

    const view = await stage.turn(sessionId, 'tool 5000000');

    const tool = view.items.find((item) => item.body.kind === 'tool');
    const text = tool?.body.kind === 'tool' ? tool.body.text : '';
    expect(text.length).toBeLessThan(1_100_000);
    expect(text.endsWith('… output cut')).toBe(true);
  });
});

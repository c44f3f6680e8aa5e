import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { UNDO_MS } from '#companion/sessions/removed-sessions.ts';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { codeOf, isIdle, said, test, type Stage } from './stage.ts';

const remove = (stage: Stage, sessionId: SessionId, isForever = false) =>
  stage.sessions.dispatch({ type: 'session.delete', sessionId, isForever });

describe('a session that was deleted', () => {
  test('is not there any more, and is as it was when it is brought back, also after a restart', async ({ stage }) => {
    const sessionId = await stage.create();
    const before = await stage.turn(sessionId, 'say hello');

    await remove(stage, sessionId);
    expect(stage.sessions.list()).toEqual([]);
    expect(() => stage.sessions.view(sessionId)).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
    await stage.restart();
    expect(stage.sessions.list()).toEqual([]);
    expect(stage.sessions.removed()).toMatchObject([{ session: { id: sessionId, lastOutcome: 'completed' } }]);
    await stage.sessions.dispatch({ type: 'session.restore', sessionId });

    expect(said(stage.sessions.view(sessionId))).toEqual(said(before));
    expect(stage.sessions.removed()).toEqual([]);
    expect(said(await stage.turn(sessionId, 'say again')).at(-1)).toBe('again');
    await stage.restart();
    expect(stage.sessions.list()).toHaveLength(1);
  });

  test('was at work has its turn settled, and nothing of it runs when it is brought back', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'ask');
    await stage.until(sessionId, (view) => view.requests.length === 1);

    await remove(stage, sessionId);
    await stage.sessions.dispatch({ type: 'session.restore', sessionId });

    expect(stage.sessions.view(sessionId)).toMatchObject({ status: 'idle', requests: [], turns: [{ status: 'interrupted' }] });
  });

  test('is gone with its attachments after its time, or at once when it is deleted for ever', async ({ stage }) => {
    const prompt = { text: 'say x', attachments: [{ kind: 'file' as const, name: 'a.txt', mimeType: 'text/plain', dataBase64: 'aGk=' }] };
    const [one, other] = [await stage.create(), await stage.create()];
    for (const sessionId of [one, other]) {
      await stage.sessions.dispatch({ type: 'turn.start', sessionId, prompt });
      await stage.until(sessionId, isIdle);
    }
    // What was emptied is not shown, but its attachment is still there.
    await stage.sessions.dispatch({ type: 'session.reset', sessionId: other });
    const files = (): number => (existsSync(stage.paths.attachmentsDir) ? readdirSync(stage.paths.attachmentsDir).length : 0);
    expect(files()).toBe(2);

    await remove(stage, one, true);
    expect([files(), stage.store.events.read(one, 0, 1)]).toEqual([1, []]);
    await remove(stage, other);
    expect(files()).toBe(1);
    const later = Date.now() + UNDO_MS;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    try {
      await stage.restart();
      await vi.waitUntil(() => files() === 0, { timeout: HANG_MS });
    } finally {
      vi.restoreAllMocks();
    }

    expect(stage.sessions.removed()).toEqual([]);
    expect(await codeOf(stage.sessions.dispatch({ type: 'session.restore', sessionId: other }))).toBe('SESSION_NOT_FOUND');
  });
});

describe('a session that goes on from another', () => {
  test('has what was said up to the turn, with attachments of its own, and its agent is told once', async ({ stage }) => {
    const sessionId = await stage.create();
    const first = await stage.turn(sessionId, 'say one');
    await stage.turn(sessionId, 'say two');
    const [turn] = first.turns;
    const newSessionId = SessionId.parse('mine');
    const fork = { type: 'session.fork', sessionId, newSessionId, engine: 'steerable', ...(turn && { turnId: turn.turnId }) } as const;

    const made = await stage.sessions.dispatch(fork);
    expect(await stage.sessions.dispatch(fork)).toEqual(made);

    expect(stage.sessions.view(newSessionId)).toMatchObject({
      engine: 'steerable',
      forkedFrom: { sessionId, turns: 1 },
      turns: [{ status: 'completed' }],
    });
    expect(said(stage.sessions.view(newSessionId))).toEqual(said(first));
    await stage.turn(newSessionId, 'say three');
    await stage.turn(newSessionId, 'say four');
    const prompts = stage.trace().filter((line) => line.startsWith('prompt '));
    expect(prompts.filter((line) => line.includes('begun with another agent'))).toHaveLength(1);
    expect(said(stage.sessions.view(sessionId))).toEqual(['one', 'two']);
    // The id of a session that does not go on from this one is not an answer.
    for (const taken of [sessionId, await stage.create()])
      expect(await codeOf(stage.sessions.dispatch({ ...fork, newSessionId: taken }))).toBe('INPUT_INVALID');
    expect(await codeOf(stage.sessions.dispatch({ ...fork, newSessionId: SessionId.parse('x'), turnId: TurnId.parse('none') }))).toBe(
      'TURN_NOT_FOUND',
    );
  });
});

describe('a prompt that is said again in other words', () => {
  test('begins a session with what was said before it, also when it is the first; the old one stays as it is', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say one');
    const { turns } = await stage.turn(sessionId, 'say two');
    const forkBefore = async (beforeTurnId: TurnId) =>
      (await stage.sessions.dispatch({ type: 'session.fork', sessionId, beforeTurnId })).sessionId;
    const [first, second] = turns.map(({ turnId }) => turnId);
    if (first === undefined || second === undefined) throw new Error('two turns');

    const again = await forkBefore(second);
    const anew = await forkBefore(first);

    expect(said(stage.sessions.view(again))).toEqual(['one']);
    expect(stage.sessions.view(anew)).toMatchObject({ turns: [], items: [], forkedFrom: { sessionId, turns: 0 } });
    expect(said(await stage.turn(again, 'say three')).at(-1)).toContain('say three');
    expect(said(await stage.turn(anew, 'say four'))).toEqual(['four']);
    expect(stage.trace().filter((line) => line.includes('begun with another agent'))).toHaveLength(1);
    expect(said(stage.sessions.view(sessionId))).toEqual(['one', 'two']);
    expect(await codeOf(forkBefore(TurnId.parse('none')))).toBe('TURN_NOT_FOUND');
    const both = { type: 'session.fork', sessionId, turnId: first, beforeTurnId: second } as const;
    expect(await codeOf(stage.sessions.dispatch(both))).toBe('INPUT_INVALID');
  });
});

describe('what the person has seen and put away', () => {
  test('is kept, and is no news any more; a prompt takes a session out again', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say hello');

    for (let times = 0; times < 3; times += 1) await stage.sessions.dispatch({ type: 'session.seen', sessionId });
    expect(stage.events(sessionId).filter(({ type }) => type === 'session.seen')).toHaveLength(1);
    const [row] = stage.sessions.list();
    expect(Date.parse(row?.seenAt ?? '')).toBeGreaterThanOrEqual(Date.parse(row?.updatedAt ?? ''));

    await stage.sessions.dispatch({ type: 'session.update', sessionId, isArchived: true, isPinned: true });
    await stage.restart();
    expect(stage.sessions.list()).toMatchObject([{ isArchived: true, isPinned: true, seenAt: row?.seenAt }]);
    await stage.turn(sessionId, 'say again');
    expect(stage.sessions.list()[0]?.isArchived).toBeUndefined();
  });
});

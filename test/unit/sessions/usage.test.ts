import { describe, expect, vi } from 'vitest';
import { dayOf } from '#companion/store/usage-table.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { UsageQuery } from '#protocol/usage.ts';
import { isIdle, test, type Stage } from './stage.ts';

const asked = (query: Partial<UsageQuery>): UsageQuery => ({ by: 'day', limit: 100, ...query });
const rows = (stage: Stage, query: Partial<UsageQuery>) => stage.store.usage.rows(asked(query));
const errorOf = (stage: Stage, sessionId: SessionId) => stage.sessions.view(sessionId).turns.at(-1)?.error?.code;

describe('what is used', () => {
  test('is added up by turn, session, agent and day, and outlives the session and the daemon', async ({ stage }) => {
    const one = await stage.create();
    const other = await stage.create('steerable');
    await stage.turn(one, 'use 100 20');
    await stage.turn(one, 'use 150 30');
    await stage.turn(other, 'cost 0.25');
    const usedOne = { inputTokens: 150, outputTokens: 30, totalTokens: 180, costUsd: null, turns: 2 };

    const ofTurns = rows(stage, { by: 'turn', sessionId: one }).toSorted((a, b) => a.totalTokens - b.totalTokens);
    expect(ofTurns).toMatchObject([
      { inputTokens: 50, outputTokens: 10, turns: 1, contextUsed: 150 },
      { inputTokens: 100, outputTokens: 20, turns: 1 },
    ]);
    expect(rows(stage, { by: 'session', sessionId: one })).toMatchObject([{ sessionId: one, engineName: 'fake', ...usedOne }]);
    await stage.sessions.dispatch({ type: 'session.delete', sessionId: one, isForever: true });
    await stage.restart();
    expect(rows(stage, { by: 'engine' }).map(({ engineName, totalTokens, costUsd }) => [engineName, totalTokens, costUsd])).toEqual(
      expect.arrayContaining([
        ['fake', 180, null],
        ['steerable', 10, 0.25],
      ]),
    );
    expect(stage.store.usage.total(asked({}))).toMatchObject({ turns: 3, totalTokens: 190, costUsd: 0.25 });
  });

  test('in a fork counts from the fork on', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'use 100 20');

    const fork = await stage.sessions.dispatch({ type: 'session.fork', sessionId });

    expect(rows(stage, { sessionId: fork.sessionId })).toEqual([]);
    await stage.turn(fork.sessionId, 'say more');
    expect(rows(stage, { by: 'session', sessionId: fork.sessionId })).toMatchObject([{ totalTokens: 0, turns: 1 }]);
  });

  test('is kept and added up whatever an agent says', async ({ stage }) => {
    const sessionId = await stage.create();
    for (const told of ['use 10 20', 'use -500 20', 'use 0.5 20.2', 'use 1e300 9e18', 'cost 1e308', 'cost -5'])
      expect((await stage.turn(sessionId, told)).turns.at(-1)?.status, told).toBe('completed');
    await stage.restart();

    const [row] = rows(stage, { by: 'session', sessionId });
    expect(row).toMatchObject({ turns: 6 });
    expect(Object.values(row ?? {}).filter((value) => typeof value === 'number' && !(value >= 0))).toEqual([]);
    expect(stage.store.usage.total(asked({}))).toMatchObject({ totalTokens: row?.totalTokens, costUsd: row?.costUsd });
  });

  test('is found on the day of this machine', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'use 100 20');
    const day = stage.events(sessionId).findLast(({ type }) => type === 'usage.updated')?.at ?? 0;

    expect(rows(stage, { since: dayOf(day), until: dayOf(day) })).toMatchObject([{ day: dayOf(day), totalTokens: 120 }]);
    expect(rows(stage, { until: '2001-01-01' })).toEqual([]);
    expect(stage.store.usage.today(day)).toEqual({ day: dayOf(day), costUsd: 0, totalTokens: 120 });
  });
});

describe('a limit', () => {
  test('of tokens stops the turn while it runs, and the next before it begins', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.sessions.dispatch({ type: 'session.update', sessionId, settings: { maxTokens: 100 } });

    await stage.turn(sessionId, 'use 90 20 and wait');
    expect(errorOf(stage, sessionId)).toBe('ENGINE_BUDGET_REACHED');

    await stage.turn(sessionId, 'say more');
    expect(errorOf(stage, sessionId)).toBe('ENGINE_BUDGET_REACHED');
    expect(stage.trace()).not.toContain('prompt say more');
  });

  test('of one prompt holds for its turn alone', async ({ stage }) => {
    const sessionId = await stage.create();
    const prompt = { text: 'use 90 20 and wait', attachments: [], budget: { tokens: 100 } };

    await stage.sessions.dispatch({ type: 'turn.start', sessionId, prompt });
    const stopped = await stage.until(sessionId, isIdle);
    const next = await stage.turn(sessionId, 'say more');

    const error = { code: 'PROMPT_BUDGET_REACHED', message: 'The budget of this prompt is spent. It was 100 tokens.' };
    expect(stopped.turns[0]).toMatchObject({ status: 'failed', error });
    expect(next.turns[1]).toMatchObject({ status: 'completed' });
  });

  test('of the day stops all sessions, whichever reached it, and is open again when it is raised', async ({ stage }) => {
    stage.store.settings.change({ dailyTokens: 100 });
    const [waiting, spending] = [await stage.create(), await stage.create()];
    await stage.send(waiting, 'use 10 2 and wait');
    await stage.until(waiting, ({ usage }) => usage.inputTokens === 10);

    await stage.turn(spending, 'use 90 20 and wait');
    await stage.until(waiting, isIdle);

    expect([errorOf(stage, waiting), errorOf(stage, spending)]).toEqual(['DAILY_BUDGET_REACHED', 'DAILY_BUDGET_REACHED']);
    await stage.turn(waiting, 'say more');
    expect(errorOf(stage, waiting)).toBe('DAILY_BUDGET_REACHED');
    stage.store.settings.change({ dailyTokens: null });
    expect((await stage.turn(waiting, 'say more')).turns.at(-1)).toMatchObject({ status: 'completed' });
  });

  test('of the day is spent until midnight where the person is, and the next day begins with nothing used', async ({ stage }) => {
    stage.store.settings.change({ dailyTokens: 100 });
    const sessionId = await stage.create();
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 2, 14, 23, 59, 58) });
    try {
      // The daemon takes the clock that is there when it begins.
      await stage.restart();
      await stage.turn(sessionId, 'use 90 20 and wait');
      const spending = errorOf(stage, sessionId);
      vi.setSystemTime(new Date(2026, 2, 14, 23, 59, 59, 999));
      await stage.turn(sessionId, 'say late');
      const late = errorOf(stage, sessionId);
      vi.setSystemTime(new Date(2026, 2, 15));
      await stage.turn(sessionId, 'say early');

      expect([spending, late, errorOf(stage, sessionId)]).toEqual(['DAILY_BUDGET_REACHED', 'DAILY_BUDGET_REACHED', undefined]);
      expect(stage.store.usage.today(Date.now())).toEqual({ day: '2026-03-15', costUsd: 0, totalTokens: 0 });
      expect(rows(stage, {})).toMatchObject([{ day: '2026-03-15' }, { day: '2026-03-14', totalTokens: 110 }]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('that is reached within a call of a tool ends the call with the turn', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.sessions.dispatch({ type: 'session.update', sessionId, settings: { maxTokens: 100 } });
    const item = { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'a command', text: '' };
    const events = [
      { type: 'item.started', itemId: 'call', item },
      { type: 'usage.updated', usage: { inputTokens: 90, outputTokens: 20 } },
    ];

    // The call never ends by itself.
    const view = await stage.turn(sessionId, `tell ${Buffer.from(JSON.stringify({ events })).toString('base64')}`);

    expect(view.turns).toMatchObject([{ status: 'failed', error: { code: 'ENGINE_BUDGET_REACHED' } }]);
    expect(view.items.filter(({ body }) => body.kind === 'tool')).toMatchObject([{ status: 'failed' }]);
  });
});

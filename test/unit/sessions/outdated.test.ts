import { describe, expect, vi } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { outdated, timeForAges } from '#companion/sessions/outdated.ts';
import { isIdle, test } from './stage.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

describe('sessions that nobody has touched', () => {
  test('are deleted after the days that the person set, never those that are pinned, put away or in use, and can be brought back', async ({
    stage,
  }) => {
    const names = ['plain', 'pinned', 'put away', 'looked at', 'worked in'];
    const ids = new Map<string, SessionId>();
    for (const name of names) {
      const sessionId = await stage.create();
      ids.set(name, sessionId);
      await stage.turn(sessionId, `say ${name}`);
    }
    const idOf = (name: string): SessionId => SessionId.parse(ids.get(name));
    await stage.sessions.dispatch({ type: 'session.update', sessionId: idOf('pinned'), isPinned: true });
    await stage.sessions.dispatch({ type: 'session.update', sessionId: idOf('put away'), isArchived: true });
    const listed = (): string[] => stage.sessions.list().map(({ id }) => id);
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 29 * DAY_MS);
      await stage.restart();
      await stage.sessions.dispatch({ type: 'session.seen', sessionId: idOf('looked at') });
      await stage.send(idOf('worked in'), 'say again');
      await stage.until(idOf('worked in'), isIdle);
      vi.setSystemTime(Date.now() + 2 * DAY_MS);

      await stage.restart();
      const before = listed();
      stage.store.settings.change({ keepDays: 30 });
      await stage.restart();

      expect(before.toSorted()).toEqual([...ids.values()].toSorted());
      expect(listed().toSorted()).toEqual(names.slice(1).map(idOf).toSorted());
      expect(stage.sessions.removed().map(({ session }) => session.id)).toEqual([idOf('plain')]);
      await stage.sessions.dispatch({ type: 'session.restore', sessionId: idOf('plain') });
      await stage.restart();
      expect(stage.sessions.view(idOf('plain')).turns).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('do not become old by a clock that is set far ahead, at the start or later', async ({ stage }) => {
    const [older, newer] = [await stage.create(), await stage.create()];
    stage.store.settings.change({ keepDays: 1 });
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 3650 * DAY_MS);
      await stage.restart();
      const kept = stage.sessions.list();
      await stage.turn(newer, 'say something at a time that is not');

      const summaries = stage.sessions.list();
      const startedAt = Date.parse(kept[0]?.updatedAt ?? '');
      const at = (elapsedMs: number): number => timeForAges(summaries, 1, { startedAt, elapsedMs, now: Date.now() });

      expect(kept.map(({ id }) => id).toSorted()).toEqual([older, newer].toSorted());
      expect(outdated(summaries, 1, at(HOUR_MS))).toEqual([]);
      expect(outdated(summaries, 1, at(2 * DAY_MS)).map(({ id }) => id)).toEqual([older]);
    } finally {
      vi.useRealTimers();
    }
  });
});

import { describe, expect, test } from 'vitest';
import type { SessionSummary } from '#protocol/api.ts';
import { ProjectId, SessionId } from '#protocol/ids.ts';
import { groupSessions, recentSessions } from '#extension/sidepanel/session-groups.ts';
import { sampleProject, sampleSession } from '#test/fixtures/samples.ts';

const shop = sampleProject({ name: 'shop' });
const site = sampleProject({ id: ProjectId.parse('p2'), name: 'site' });
const session = (id: string, change: Partial<SessionSummary> = {}): SessionSummary => sampleSession({ id: SessionId.parse(id), ...change });
const ids = (list: readonly SessionSummary[]): string[] => list.map(({ id }) => id);

describe('the list of sessions', () => {
  test('begins with the session on screen, the pinned ones, and those that want the person', () => {
    const list = [
      session('quiet'),
      session('asks', { openRequests: 1, requestKind: 'permission' }),
      session('pinned', { isPinned: true }),
      session('here'),
    ];

    const { top, groups } = groupSessions(list, [shop], {}, SessionId.parse('here'));

    expect(ids(top)).toEqual(['here', 'pinned', 'asks']);
    expect(groups.map(({ sessions }) => ids(sessions))).toEqual([['quiet']]);
  });

  test('has the others by project, and last those without one', () => {
    const list = [
      session('a', { projectId: null }),
      session('b'),
      session('c', { projectId: site.id }),
      session('d', { projectId: ProjectId.parse('gone') }),
    ];

    const { groups } = groupSessions(list, [shop, site], {}, null);

    expect(groups.map(({ project, sessions }) => [project?.name, ids(sessions)])).toEqual([
      ['shop', ['b']],
      ['site', ['c']],
      [undefined, ['a', 'd']],
    ]);
  });

  test('puts away what was archived, but not while it is on screen', () => {
    const list = [session('old', { isArchived: true, openRequests: 1 }), session('new')];

    expect(ids(groupSessions(list, [shop], {}, null).archived)).toEqual(['old']);
    expect(ids(groupSessions(list, [shop], {}, SessionId.parse('old')).top)).toEqual(['old']);
  });
});

describe('the last sessions', () => {
  test('are the three newest with an agent, but for those that were put away', () => {
    const at = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;
    const list = [
      session('second', { updatedAt: at(5), openRequests: 1 }),
      session('fourth', { updatedAt: at(1), isPinned: true }),
      session('third', { updatedAt: at(2) }),
      session('first', { updatedAt: at(6) }),
      session('outside', { kind: 'client', updatedAt: at(7) }),
      session('away', { isArchived: true, updatedAt: at(8) }),
    ];

    expect(ids(recentSessions(list))).toEqual(['first', 'second', 'third']);
    expect(recentSessions([])).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { offerSessions } from '#extension/options/offered-sessions.ts';
import { ProjectId, SessionId } from '#protocol/ids.ts';
import { sampleSession } from '#test/fixtures/samples.ts';

const sessions = Array.from({ length: 10_000 }, (_, index) =>
  sampleSession({
    id: SessionId.parse(`s${index}`),
    name: `Session ${index}${index === 17 ? ' about tides' : ''}`,
    projectId: ProjectId.parse(index % 5000 === 17 ? 'p2' : 'p1'),
    updatedAt: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
  }),
);

const offered = (words: string, projectId: string | null = null): readonly string[] =>
  offerSessions(sessions, { words, projectId: projectId === null ? null : ProjectId.parse(projectId) }).map(({ id }) => id);

describe('the sessions that can be chosen', () => {
  test('are all of thousands, the newest first', () => {
    const all = offered(' ');

    expect(all).toHaveLength(sessions.length);
    expect(all.slice(0, 2)).toEqual(['s9999', 's9998']);
  });

  test('are found by their names, however old they are', () => {
    expect(offered('about tides')).toEqual(['s17']);
    expect(offered('session 4711')[0]).toBe('s4711');
    expect(offered('潮汐')).toEqual([]);
  });

  test('are those of one project where that is wanted', () => {
    expect(offered('', 'p2')).toEqual(['s5017', 's17']);
    expect(offered('tides', 'p1')).toEqual([]);
  });
});

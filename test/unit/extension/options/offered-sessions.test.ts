import { describe, expect, test } from 'vitest';
import { offerSessions, OFFERED_SESSIONS } from '#extension/options/offered-sessions.ts';
import { SessionId } from '#protocol/ids.ts';
import { sampleSession } from '#test/fixtures/samples.ts';

const sessions = Array.from({ length: 10_000 }, (_, index) =>
  sampleSession({
    id: SessionId.parse(`s${index}`),
    name: `Session ${index}${index === 17 ? ' about tides' : ''}`,
    updatedAt: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
  }),
);

describe('the sessions that can be exported', () => {
  test('are the newest of thousands', () => {
    const offered = offerSessions(sessions, ' ');

    expect(offered).toHaveLength(OFFERED_SESSIONS);
    expect(offered.slice(0, 2).map(({ id }) => id)).toEqual(['s9999', 's9998']);
  });

  test('are found by their names, however old they are', () => {
    expect(offerSessions(sessions, 'about tides').map(({ id }) => id)).toEqual(['s17']);
    expect(offerSessions(sessions, 'session 4711')[0]?.id).toBe('s4711');
    expect(offerSessions(sessions, '潮汐')).toEqual([]);
  });
});

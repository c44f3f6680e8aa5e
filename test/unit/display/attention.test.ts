import { describe, expect, test } from 'vitest';
import { attentionOf, byAttention, countWanting, sessionTitle, withCurrentFirst } from '#display/attention.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { SessionId } from '#protocol/ids.ts';
import { sampleSession } from '#test/fixtures/samples.ts';

const session = (id: string, change: Partial<SessionSummary> = {}): SessionSummary =>
  sampleSession({ id: SessionId.parse(id), name: id, projectId: null, updatedAt: '2026-01-02T00:00:00Z', ...change });

const later = Date.parse('2026-01-03T00:00:00Z');

describe('attention', () => {
  test('sorts approval, question, failed, finished, running, idle', () => {
    const sessions = [
      session('idle'),
      session('running', { status: 'running' }),
      session('finished', { lastOutcome: 'completed' }),
      session('failed', { lastOutcome: 'failed' }),
      session('question', { status: 'waiting', openRequests: 1, requestKind: 'question' }),
      session('approval', { status: 'waiting', openRequests: 1, requestKind: 'permission' }),
    ];

    expect(byAttention(sessions, {}).map(({ id }) => id)).toEqual(['approval', 'question', 'failed', 'finished', 'running', 'idle']);
  });

  test('the session on screen is above all others, however urgent they are', () => {
    const sessions = [
      session('approval', { status: 'waiting', openRequests: 1 }),
      session('mine'),
      session('finished', { lastOutcome: 'completed' }),
    ];
    const ids = (current: string | null): string[] =>
      withCurrentFirst(byAttention(sessions, {}), current === null ? null : SessionId.parse(current)).map(({ id }) => id);

    expect(ids('mine')).toEqual(['mine', 'approval', 'finished']);
    expect(ids(null)).toEqual(['approval', 'finished', 'mine']);
  });

  test('those that want the person are counted without the one on screen and without what still works', () => {
    const sessions = [
      session('mine', { lastOutcome: 'completed' }),
      session('approval', { status: 'waiting', openRequests: 1 }),
      session('finished', { lastOutcome: 'completed' }),
      session('seen', { lastOutcome: 'completed' }),
      session('running', { status: 'running' }),
    ];

    expect(countWanting(sessions, { seen: later }, SessionId.parse('mine'))).toBe(2);
  });

  test('among equals the newest is first', () => {
    const sessions = [session('old'), session('new', { updatedAt: '2026-01-05T00:00:00Z' })];

    expect(byAttention(sessions, {}).map(({ id }) => id)).toEqual(['new', 'old']);
  });

  test('a failure or an answer that was looked at wants nothing more', () => {
    expect(attentionOf(session('a', { lastOutcome: 'failed' }), { a: later })).toBe('idle');
    expect(attentionOf(session('a', { lastOutcome: 'completed' }), { a: later })).toBe('idle');
    expect(attentionOf(session('a', { lastOutcome: 'interrupted' }), {})).toBe('failed');
  });

  test('an open request wants attention however often it was looked at', () => {
    expect(attentionOf(session('a', { openRequests: 1 }), { a: later })).toBe('approval');
  });

  test('what the user stopped needs no telling', () => {
    expect(attentionOf(session('a', { lastOutcome: 'cancelled' }), {})).toBe('idle');
  });
});

describe('title of a session', () => {
  test('is its name, or what was said last without the marks of its markup', () => {
    expect(sessionTitle(session('a', { name: 'Tides', preview: 'x' }))).toBe('Tides');
    expect(sessionTitle(session('a', { name: '', preview: '**High** `water`' }))).toBe('High water');
    expect(sessionTitle(session('a', { name: '', preview: '' }))).toBe('');
    // A list has one line for each.
    expect(sessionTitle(session('a', { name: 'Tides\n\r\ns-2  done\u2028x' }))).toBe('Tides s-2 done x');
    // Signs that would turn the direction of what stands beside it are left out; what joins an emoji is kept.
    expect(sessionTitle(session('a', { name: '\u202eevil\u202c 👩\u200d👧' }))).toBe('evil 👩\u200d👧');
  });
});

import { describe, expect, test } from 'vitest';
import { activityText, remedyText, turnEndText, usageTexts } from '#display/activity.ts';
import { inLanguage, words } from '#display/words.ts';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView, type SessionView, type ViewTurn } from '#protocol/view.ts';

const say = inLanguage(words, 'en');
const now = Date.UTC(2026, 0, 2, 12);

const view = (change: Partial<SessionView>): SessionView => ({
  ...emptyView(SessionId.parse('s')),
  status: 'running',
  run: { state: 'ready', text: null, retryAt: null },
  ...change,
});

const turn = (status: ViewTurn['status'], durationMs: number | null): ViewTurn => ({
  turnId: TurnId.parse('t'),
  status,
  prompt: { text: 'x', attachments: [] },
  startedAt: 0,
  durationMs,
  error: null,
});

describe('what a session is at', () => {
  test.each<[string, Partial<SessionView>, string]>([
    ['nothing', { status: 'idle' }, ''],
    ['working', {}, 'Working'],
    ['starting', { status: 'starting' }, 'Starting Codex…'],
    [
      'waiting for the person, whatever the engine says',
      { status: 'waiting', run: { state: 'retrying', text: 'x', retryAt: null } },
      'Waiting for your answer',
    ],
    ['stopping', { status: 'stopping' }, 'Stopping…'],
    [
      'a silence, in the words of the companion',
      { run: { state: 'retrying', text: 'Nothing comes: 529', retryAt: null } },
      'Nothing comes: 529',
    ],
    ['a retry with its moment', { run: { state: 'retrying', text: null, retryAt: now + 5000 } }, 'Retrying · Next try in 5 s.'],
    ['a retry with a sentence', { run: { state: 'retrying', text: 'Overloaded.', retryAt: now + 5000 } }, 'Overloaded. Next try in 5 s.'],
    ['a retry whose moment has passed', { run: { state: 'retrying', text: 'Overloaded', retryAt: now - 1 } }, 'Overloaded'],
  ])('%s', (_, change, text) => {
    expect(activityText(say, view(change), 'Codex', now)).toBe(text);
  });
});

describe('the end of a turn', () => {
  test('is said with its time, and not before it has come', () => {
    expect(turnEndText(say, turn('completed', 12_000))).toBe('Done · 12 s');
    expect(turnEndText(say, turn('cancelled', null))).toBe('Stopped');
    expect(turnEndText(say, turn('running', null))).toBeNull();
  });

  test('says from when on it is worth another try', () => {
    const error = { code: 'ENGINE_RATE_LIMITED', message: 'Limited.', remedy: 'Wait.' } as const;

    expect(remedyText(say, error, now)).toBe('Wait.');
    expect(remedyText(say, { ...error, retryAt: now + 48 * 3_600_000 }, now, 'en-GB')).toMatch(
      /^Wait\. Try again after Sun 4 Jan, \d\d:\d\d\.$/u,
    );
  });
});

describe('what a session has used', () => {
  test('is left out where it is next to nothing', () => {
    expect(usageTexts(say, {})).toEqual([]);
    expect(usageTexts(say, { contextUsed: 10, contextWindow: 200_000, costUsd: 0.00001 })).toEqual([]);
    expect(usageTexts(say, { contextUsed: 0, contextWindow: 0 })).toEqual([]);
    expect(usageTexts(say, { contextUsed: 50_000, contextWindow: 200_000, costUsd: 0.0123 })).toEqual(['25% context', '$0.012']);
    expect(usageTexts(say, { costUsd: 1.5 })).toEqual(['$1.50']);
  });
});

import { describe, expect, test } from 'vitest';
import type { SessionSummary } from '#protocol/api.ts';
import { rowsOf } from '#companion/tui/rows.ts';
import { createUi, session, type Ui } from './stage.ts';

const listed = (ui: Ui, ...sessions: SessionSummary[]): string[] => {
  ui.happen({ type: 'state', event: { type: 'sessions', sessions } });
  return rowsOf(ui.state, 'sessions').map(({ key }) => key);
};

describe('order of the sessions', () => {
  test('what waits for the person comes first, then what failed, what works, and the rest', () => {
    const ui = createUi();
    const rest = session('rest');
    const works = session('works', { status: 'running' });
    const fails = session('fails', { status: 'running' });
    const waits = session('waits', { status: 'waiting', openRequests: 1 });
    listed(ui, rest, works, fails, waits);

    const failed = session('fails', { lastOutcome: 'failed', updatedAt: '2026-01-02T00:00:00.000Z' });
    expect(listed(ui, rest, works, failed, waits)).toEqual(['waits', 'fails', 'works', 'rest']);
  });

  test('an outcome is news only when it came while the terminal UI was open, until it is looked at', () => {
    const ui = createUi();
    const done = session('done', { lastOutcome: 'completed', updatedAt: '2026-01-02T00:00:00.000Z' });
    const works = session('works', { status: 'running' });

    expect(listed(ui, works, done)).toEqual(['works', 'done']);

    const answered = { ...done, updatedAt: '2026-01-03T00:00:00.000Z' };
    expect(listed(ui, works, answered)).toEqual(['done', 'works']);

    ui.press('home', 'enter');
    expect(ui.state.session?.sessionId).toBe('done');
    expect(listed(ui, works, answered)).toEqual(['works', 'done']);
  });
});

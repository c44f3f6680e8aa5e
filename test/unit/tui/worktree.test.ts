import { describe, expect, test } from 'vitest';
import { sessionId, createBusyUi } from './stage.ts';
import { sampleWorktree as worktree } from '#test/fixtures/samples.ts';

describe('the worktree of a session', () => {
  test('is merged after one choice, and discarded after two', () => {
    const ui = createBusyUi();
    ui.event({ type: 'session.worktree', worktree });

    ui.press('W');
    expect(ui.screen()).toContain('Merge into main');
    ui.press('enter');
    ui.press('W', 'down', 'down', 'enter');
    const before = ui.effects.filter(({ type }) => type === 'worktree.finish');
    ui.press('y');

    expect(before).toEqual([{ type: 'worktree.finish', sessionId, action: 'merge' }]);
    expect(ui.effects.at(-1)).toEqual({ type: 'worktree.finish', sessionId, action: 'discard' });
  });

  test('that it does not have is not offered', () => {
    const ui = createBusyUi();

    ui.press('W');

    expect(ui.state.overlay).toBeNull();
    expect(ui.state.notice?.text).toContain('has no worktree');
  });
});

describe('a prompt for a folder in which another agent works', () => {
  const refuse = (ui: ReturnType<typeof createBusyUi>): void => {
    ui.happen({ type: 'unsent', sessionId, text: 'do it' });
    ui.happen({ type: 'taken', sessionId, text: 'Another agent works in this folder now.' });
  };

  test.for([
    { presses: [], effect: { type: 'turn.start', sessionId, text: 'do it', delivery: 'queue', ifTaken: 'queue' } },
    { presses: ['down'], effect: { type: 'session.apart', sessionId, text: 'do it' } },
    { presses: ['down', 'down'], effect: { type: 'turn.start', sessionId, text: 'do it', delivery: 'queue', ifTaken: 'anyway' } },
  ])('goes the way that is chosen: $effect.type $effect.ifTaken', ({ presses, effect }) => {
    const ui = createBusyUi();
    refuse(ui);
    expect(ui.screen()).toContain('Another agent works in this folder now.');

    ui.press(...presses, 'enter');

    expect(ui.effects.at(-1)).toEqual(effect);
    expect(ui.state.drafts[sessionId]?.text).toBe('');
  });

  test('stays in the composer when nothing is chosen', () => {
    const ui = createBusyUi();
    refuse(ui);

    ui.press('escape');

    expect(ui.state.drafts[sessionId]?.text).toBe('do it');
  });
});

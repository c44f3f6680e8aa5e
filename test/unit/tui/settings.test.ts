import { describe, expect, test } from 'vitest';
import { defaultSettings } from '#protocol/events.ts';
import { allCapabilities } from '#test/fixtures/samples.ts';
import { createBusyUi, engine, sessionId, type Ui } from './stage.ts';

const choose = (ui: Ui, row: number): void => ui.press('L', ...Array.from({ length: row }, () => 'down'), 'enter');
const changes = (ui: Ui): unknown[] => ui.effects.flatMap((effect) => (effect.type === 'session.update' ? [effect] : []));
const allowing = (): Ui => {
  const ui = createBusyUi();
  const engines = [engine('claude', 'Claude Code', 'ready', { capabilities: { ...allCapabilities, hasAllowedTools: true } })];
  ui.happen({ type: 'state', event: { type: 'engines', engines } });
  return ui;
};

describe('the settings of a session', () => {
  test.for([
    [0, '7', { maxTurns: 7 }],
    [1, '2.50', { maxCostUsd: 2.5 }],
    [2, '100,000', { maxTokens: 100_000 }],
    [3, '1.5', { maxTurnMs: 90_000 }],
    [4, '10', { maxSilenceMs: 600_000 }],
    [5, 'Be brief.', { systemPrompt: 'Be brief.' }],
    [6, 'Read, Bash(git:*)', { allowedTools: ['Read', 'Bash(git:*)'] }],
  ] as const)('row %i takes %j', ([row, text, change]) => {
    const ui = allowing();

    choose(ui, row);
    ui.type(text);
    ui.press('enter');

    expect(changes(ui)).toEqual([{ type: 'session.update', sessionId, change }]);
    expect(ui.state.overlay).toBeNull();
  });

  test.for([
    [0, '0', 'whole number above 0'],
    [1, '2,50', 'such as 2.50'],
    [2, 'many', 'whole number above 0'],
    [3, '10 h', 'Minutes above 0'],
    [6, 'Read Edit', '“Read Edit” is no tool'],
  ] as const)('row %i refuses %j in the line where it stands', ([row, text, problem]) => {
    const ui = allowing();

    choose(ui, row);
    ui.type(text);
    ui.press('enter');

    expect(changes(ui)).toEqual([]);
    expect(ui.state.overlay).toMatchObject({ type: 'input', draft: { text } });
    expect(ui.screen()).toContain(problem);
  });

  test('an emptied limit is none, an unchanged one no change', () => {
    const ui = allowing();
    ui.event({ type: 'session.updated', settings: { ...defaultSettings, maxTurns: 3 } });

    choose(ui, 0);
    ui.press('enter');
    choose(ui, 0);
    ui.press('backspace', 'enter');

    expect(changes(ui)).toEqual([{ type: 'session.update', sessionId, change: { maxTurns: null } }]);
  });

  test('an agent that takes no tools beforehand is offered none', () => {
    const ui = createBusyUi();

    ui.press('L');

    expect(ui.screen()).toContain('Most answers of the model');
    expect(ui.screen()).not.toContain('without asking');
  });
});

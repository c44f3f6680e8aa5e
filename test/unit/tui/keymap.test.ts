import { describe, expect, test } from 'vitest';
import { bindings } from '#companion/tui/bindings.ts';
import { contextNames } from '#companion/tui/contexts.ts';
import { showKey } from '#companion/tui/key-names.ts';
import { activeBindings, bindingFor, contextsOf } from '#companion/tui/keymap.ts';
import { createBusyUi, open, permission } from './stage.ts';

describe('the keymap', () => {
  test('has no key twice in one context', () => {
    for (const context of contextNames) {
      const keys = bindings.filter((binding) => binding.context === context).flatMap((binding) => binding.keys);
      expect(keys, context).toEqual([...new Set(keys)]);
    }
  });

  test('has a binding in every context and a description on every binding', () => {
    for (const context of contextNames)
      expect(
        bindings.some((binding) => binding.context === context),
        context,
      ).toBe(true);
    for (const { description } of bindings) expect(description).toMatch(/^[a-z]/u);
  });

  test('writes keys as people do', () => {
    expect(['C-x', 'M-enter', 'S-tab', 'pageup', 'up', 'space', 'a'].map(showKey)).toEqual([
      'ctrl+x',
      'alt+Enter',
      'shift+Tab',
      'PgUp',
      '↑',
      'Space',
      'a',
    ]);
  });

  test('shows every key of the help page', () => {
    const ui = createBusyUi({ columns: 120, rows: 400 });
    ui.press('?');

    const screen = ui.screen();

    for (const { description } of bindings) expect(screen).toContain(description.slice(0, 30));
  });

  test('hears the nearest context first, and only while it can do something', () => {
    const ui = createBusyUi();
    ui.press('4');
    expect(contextsOf(ui.state)).toEqual(['browsers', 'list', 'global', 'always']);
    ui.press('1', 'tab');
    expect(bindingFor(ui.state, '1')?.binding.description).toBe('sessions');

    open(ui, { ...permission, options: [{ optionId: 'x', label: 'One', kind: 'choice' }] });

    expect(bindingFor(ui.state, '1')?.binding.description).toBe('choose the answer of this number');
    expect(bindingFor(ui.state, '2')?.binding.description).toBe('projects');
  });

  test('hears no letter of the global keys while a message is written', () => {
    const ui = createBusyUi();
    ui.press('i');

    const letters = activeBindings(ui.state).flatMap(({ keys }) => keys.filter((key) => key.length === 1));

    expect(letters).toEqual([]);
  });

  test('are found by their words, and run from there', () => {
    const ui = createBusyUi();
    ui.press('i', 'C-p');
    ui.type('new session');
    expect(ui.screen()).toMatch(/new session +n/u);
    ui.press('enter');
    expect(ui.state.overlay).toMatchObject({ type: 'picker', purpose: 'engine' });

    ui.press('escape', 'f1', '/');
    ui.type('earlier messages');
    expect(ui.screen()).toMatch(/line up, then earlier messages +↑ +Writing a message/u);
    ui.press('enter');
    expect(ui.screen()).toContain('It is used there: Writing a message.');

    ui.press('escape', 'tab', ':');
    ui.type('take the newest queued');
    ui.press('enter');
    expect(ui.screen()).toContain('The queue is empty.');
    expect(ui.effects.filter(({ type }) => type === 'turn.cancel')).toEqual([]);
  });
});

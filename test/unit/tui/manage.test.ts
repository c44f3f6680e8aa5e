import { describe, expect, test } from 'vitest';
import type { EngineSetup } from '#protocol/engine-setup.ts';
import { BrowserId } from '#protocol/ids.ts';
import { agentChoices, agentsChoices, browserChoices, grantChoices, rootChoices, usageChoices, type Area } from '#companion/tui/manage.ts';
import type { Choice } from '#companion/tui/state.ts';
import { createBusyUi, engine, type Ui } from './stage.ts';
import { sampleGrant } from '#test/fixtures/samples.ts';

const setup = (extra: Partial<EngineSetup> = {}): EngineSetup => ({
  engine: engine('claude', 'Claude Code', 'ready', { version: '2.1.4', path: '/usr/bin/claude' }),
  isDisabled: false,
  settings: { args: [], envNames: [] },
  hasEndpoint: false,
  secrets: [{ name: 'API_KEY', isSet: true, place: 'keychain' }],
  hasOpenSecrets: false,
  ...extra,
});

/** Opens a list from the first page, and gives it what the daemon would. */
const open = (area: Area, row: number, choices: readonly Choice[]): Ui => {
  const ui = createBusyUi();
  ui.press(',', ...Array.from({ length: row }, () => 'down'), 'enter');
  expect(ui.effects.at(-1)).toEqual({ type: 'manage.read', area });
  ui.happen({ type: 'managed', area, choices });
  return ui;
};

const openAgent = (extra: Partial<EngineSetup> = {}): Ui => {
  const ui = open('agents', 0, agentsChoices([setup(extra)]));
  ui.press('enter');
  expect(ui.effects.at(-1)).toEqual({ type: 'manage.read', area: 'agent claude' });
  ui.happen({ type: 'managed', area: 'agent claude', choices: agentChoices(setup(extra)) });
  return ui;
};

describe('managing', () => {
  test('leads from the first page to a list, and Esc one step back each time', () => {
    const ui = openAgent();
    expect(ui.screen()).toContain('Agent claude');

    ui.press('escape');
    expect(ui.screen()).toContain('─ Agents ─');
    ui.press('escape');
    expect(ui.screen()).toContain('─ Manage ─');
    ui.press('escape');
    expect(ui.state.overlay).toBeNull();
  });

  test('chooses the browser profile in which new sessions work, and shows the chosen one when it is closed', () => {
    const [one, other] = [BrowserId.parse('browser_one'), BrowserId.parse('browser_other')];
    const connected = [{ browserId: one, name: 'Chromium', label: 'work' }];
    const ui = open('browser', 5, browserChoices(connected, { defaultBrowser: null }));
    expect(ui.screen()).toMatch(/The one used last +chosen/u);

    ui.press('down', 'enter');

    const change = { defaultBrowser: one };
    expect(ui.effects.at(-1)).toEqual({ type: 'manage.do', area: 'browser', order: { type: 'preferences', change } });
    ui.happen({ type: 'managed', area: 'browser', choices: browserChoices(connected, change) });
    expect(ui.screen()).toMatch(/Chromium · work +chosen/u);
    ui.press('enter');
    expect(ui.effects.at(-1)).toMatchObject({ order: { change: { defaultBrowser: null } } });
    ui.happen({ type: 'managed', area: 'browser', choices: browserChoices(connected, { defaultBrowser: other }) });
    expect(ui.screen()).toMatch(/…ther +chosen, not open/u);
  });

  test('says what each part of the first page is for without cutting it at 80 columns, in one column', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });

    ui.press(',');

    expect(ui.screen()).toContain('on and off, program, address, keys, one of your own');
    const starts = ['on and off', 'what is allowed', 'whose own files', 'tokens and cost'].map((words) =>
      ui
        .screen()
        .split('\n')
        .find((line) => line.includes(words))
        ?.indexOf(words),
    );
    expect(new Set(starts).size).toBe(1);
  });

  test('switches an agent off and on', () => {
    const off = openAgent();
    off.press('enter');
    expect(off.effects.at(-1)).toMatchObject({ order: { type: 'engine.change', name: 'claude', change: { isDisabled: true } } });

    const on = openAgent({ isDisabled: true });
    on.press('enter');
    expect(on.effects.at(-1)).toMatchObject({ area: 'agent claude', order: { change: { isDisabled: false } } });
  });

  test('sets and takes away a program', () => {
    const ui = openAgent({ settings: { args: [], envNames: [], path: '/old' } });
    ui.press('down', 'enter');
    expect(ui.screen()).toContain('/old');
    ui.press(...Array.from({ length: 4 }, () => 'backspace'));
    ui.type('/opt/claude');
    ui.press('enter');

    expect(ui.effects.at(-1)).toMatchObject({ order: { type: 'engine.change', change: { path: '/opt/claude' } } });
  });

  test('stores a key that is not shown', () => {
    const ui = openAgent();
    ui.press('down', 'down', 'enter');
    ui.type('sk-123');

    expect(ui.screen()).toContain('••••••');
    expect(ui.screen()).not.toContain('sk-123');
    ui.press('enter');
    expect(ui.effects.at(-1)).toMatchObject({ order: { type: 'engine.secret', name: 'claude', secret: 'API_KEY', value: 'sk-123' } });
  });

  test('adds an agent of the person, and says what is wrong with the line', () => {
    const ui = open('agents', 0, agentsChoices([]));
    ui.press('enter');
    ui.type('My node');
    ui.press('enter');
    expect(ui.screen()).toContain('small letters, digits');
    ui.press(...Array.from({ length: 7 }, () => 'backspace'));
    ui.type('mine node "my agent.js" --acp');
    ui.press('enter');

    expect(ui.effects.at(-1)).toEqual({
      type: 'manage.do',
      area: 'agents',
      order: { type: 'engine.add', name: 'mine', command: 'node', args: ['my agent.js', '--acp'] },
    });
  });

  test('takes a permission back once it is confirmed, and then shows the list again', () => {
    const ui = open('grants', 1, grantChoices([sampleGrant]));
    const before = ui.effects.length;
    ui.press('enter');
    expect(ui.effects).toHaveLength(before);
    ui.press('y');

    expect(ui.effects.at(-1)).toEqual({ type: 'manage.do', area: 'grants', order: { type: 'grant.remove', id: 'g1' } });
    ui.happen({ type: 'managed', area: 'grants', choices: grantChoices([]) });
    expect(ui.screen()).toContain('Everything is asked for');
    ui.press('enter');
    expect(ui.effects.at(-1)).toMatchObject({ type: 'manage.do' });
  });

  test('adds a folder, and asks before one is taken away', () => {
    const ui = open('roots', 3, rootChoices(['/srv']));
    ui.press('enter', 'n');
    expect(ui.effects.at(-1)).toEqual({ type: 'manage.read', area: 'roots' });
    ui.happen({ type: 'managed', area: 'roots', choices: rootChoices(['/srv']) });
    ui.press('down', 'enter');
    ui.type('~/work');
    ui.press('enter');

    expect(ui.effects.at(-1)).toMatchObject({ order: { type: 'root.add', path: '~/work' } });
  });

  test('shows what the days have used, and sets what a day may cost', () => {
    const sum = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, durationMs: 1, turns: 3 };
    const row = { ...sum, totalTokens: 12_000, costUsd: 1.5, day: '2026-01-31', lastAt: '' };
    const today = { day: '2026-01-31', totalTokens: 12_000, costUsd: 0.004, dailyCostUsd: null, dailyTokens: null };
    const choices = usageChoices({ by: 'day', rows: [row], total: row, today }, { dailyCostUsd: null, dailyTokens: 50_000 });
    const ui = open('usage', 4, choices);
    expect(ui.screen()).toContain('at most 50,000; today 12,000');
    expect(ui.screen()).toContain('12,000 tokens, $1.50, 3 turns');
    expect(ui.screen()).toContain('today $0.004');

    ui.press('enter');
    ui.type('much');
    ui.press('enter');
    expect(ui.screen()).toContain('A number above 0');
    ui.press(...Array.from({ length: 4 }, () => 'backspace'));
    ui.type('7.5');
    ui.press('enter');

    expect(ui.effects.at(-1)).toEqual({ type: 'manage.do', area: 'usage', order: { type: 'preferences', change: { dailyCostUsd: 7.5 } } });
  });

  test('goes by the mouse, too', () => {
    const ui = createBusyUi();
    ui.press(',');
    const row = ui
      .screen()
      .split('\n')
      .findIndex((line) => line.includes('Trusted projects'));
    ui.happen({ type: 'input', input: { type: 'mouse', action: 'press', column: 50, row } });
    expect(ui.effects.at(-1)).toEqual({ type: 'manage.read', area: 'trust' });

    ui.happen({
      type: 'managed',
      area: 'trust',
      choices: [
        { value: '/a', label: '/a', detail: '' },
        { value: '/b', label: '/b', detail: '' },
      ],
    });
    ui.happen({ type: 'input', input: { type: 'mouse', action: 'wheeldown', column: 50, row } });
    expect(ui.screen()).toContain('› /b');
    ui.happen({ type: 'input', input: { type: 'mouse', action: 'press', column: 50, row: 20 } });
    expect(ui.screen()).toContain('› /b');
  });

  test('a list that comes when the person is elsewhere is not shown', () => {
    const ui = open('roots', 3, rootChoices(['/srv']));
    ui.press('escape', 'escape');

    ui.happen({ type: 'managed', area: 'roots', choices: rootChoices([]) });

    expect(ui.state.overlay).toBeNull();
  });
});

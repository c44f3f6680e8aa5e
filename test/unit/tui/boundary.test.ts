import { describe, expect, test } from 'vitest';
import type { Admission } from '#protocol/admission.ts';
import { AuditReport } from '#protocol/audit.ts';
import { admission } from '#test/fixtures/admission.ts';
import { createBusyUi, createUi, type Ui } from './stage.ts';

const come = (ui: Ui, ...admissions: Admission[]): void => ui.happen({ type: 'state', event: { type: 'admissions', admissions } });

const newcomer = admission('b9', {
  kind: 'browser',
  state: 'waiting',
  name: 'Chrome \u001b[31mwork',
  program: '/opt/chrome/chrome',
  pid: 4711,
  origin: 'program',
});

/** To the first row of the list of browsers. */
const openFirst = (ui: Ui): void => ui.press('4', 'home', 'enter');

describe('a browser that waits to be let in', () => {
  test('is told when it comes, stands first in the list, and opens with what the system says of it', () => {
    const ui = createBusyUi();
    ui.press('escape');

    come(ui, newcomer);
    expect(ui.screen()).toContain('A browser waits for you: "Chrome work".');
    openFirst(ui);

    for (const words of ['Calls itself', '/opt/chrome/chrome', '4711', 'no installed browser has started it'])
      expect(ui.screen()).toContain(words);
  });

  test('opens by itself over the welcome of somebody new, who waits for it', () => {
    const ui = createUi({ columns: 120, rows: 40 });
    ui.happen({ type: 'welcome', registers: false });

    come(ui, newcomer);

    expect(ui.screen()).toContain('no installed browser has started it');
    ui.press('a');
    expect(ui.effects.at(-1)).toEqual({ type: 'admission.decide', id: 'b9', isAllowed: true });
  });

  test.for([
    ['a', true],
    ['d', false],
  ] as const)('is decided about by a key there: %s', ([key, isAllowed]) => {
    const ui = createBusyUi();
    ui.press('escape');
    come(ui, newcomer);
    openFirst(ui);

    ui.press(key);

    expect(ui.effects.at(-1)).toEqual({ type: 'admission.decide', id: 'b9', isAllowed });
    expect(ui.state.overlay).toBeNull();
  });

  test('is decided about on its own page only, and not when it was decided about elsewhere', () => {
    const ui = createBusyUi();
    ui.press('escape');
    come(ui, newcomer);
    ui.press('4', 'home', 'a', 'd');
    openFirst(ui);

    come(ui, { ...newcomer, state: 'denied' });

    expect(ui.state.overlay).toBeNull();
    ui.press('a');
    expect(ui.effects.map(({ type }) => type)).not.toContain('admission.decide');
  });

  test('is told once, and a program that waits is no browser', () => {
    const ui = createBusyUi();
    ui.press('escape');
    come(ui, newcomer);
    ui.press('4');

    come(ui, newcomer, admission('c1', { kind: 'client', state: 'waiting', name: 'Editor' }));

    expect(ui.state.notice).toBeNull();
    expect(ui.screen()).not.toContain('Editor');
  });
});

describe('the audit', () => {
  const report = AuditReport.parse({
    entryCount: 3,
    fault: null,
    entries: [
      { hash: 'x', seq: 1, at: '2026-01-02T03:04:05Z', kind: 'act', by: 'a terminal, process 7', what: 'POST /api/roots', result: '200' },
      {
        hash: 'y',
        seq: 2,
        at: '2026-01-02T03:04:06Z',
        kind: 'decision',
        by: 'the agent claude',
        what: 'browser_click',
        toolClass: 'write',
        origin: 'https://shop.example',
        result: 'allowed: the user allowed it (once)',
      },
      {
        hash: 'z',
        seq: 3,
        at: '2026-01-02T03:04:07Z',
        kind: 'outcome',
        by: 'the agent claude',
        what: 'browser_click',
        toolClass: 'write',
        origin: 'https://shop.example',
        result: 'done',
        durationMs: 240,
        answerBytes: 1234,
      },
    ],
  });

  test('is read when it is opened, and shows what, where, by whom and how, the newest first', () => {
    const ui = createBusyUi({ columns: 120, rows: 40 });
    ui.press('escape', '4', 'v');
    expect(ui.effects.at(-1)).toEqual({ type: 'audit.read' });

    ui.happen({ type: 'audit', report });

    const screen = ui.screen();
    for (const words of [
      'Decided: browser_click (write)',
      'https://shop.example',
      'the agent claude',
      'allowed: the user allowed it (once)',
      '0.2 s · 1.2 kB',
    ])
      expect(screen).toContain(words);
    expect(screen.indexOf('browser_click')).toBeLessThan(screen.indexOf('POST /api/roots'));
    expect(screen).toContain('nothing was changed afterwards. `pilotfish logs --audit`');
  });

  test('names the program as the shell finds it', () => {
    const ui = createBusyUi({ columns: 160, rows: 40 });
    ui.press('escape', '4', 'v');
    ui.happen({ type: 'setup', browserSetups: [], extension: null, command: '/opt/pilotfish' });

    ui.happen({ type: 'audit', report });

    expect(ui.screen()).toContain('`/opt/pilotfish logs --audit`');
  });

  test('says what was changed afterwards', () => {
    const ui = createBusyUi({ columns: 120, rows: 40 });
    ui.press('escape', '4', 'v');

    ui.happen({ type: 'audit', report: { ...report, fault: 'Entry 2 was changed, or the one before it.' } });

    expect(ui.screen()).toContain('It was changed afterwards. Entry 2 was changed');
  });
});

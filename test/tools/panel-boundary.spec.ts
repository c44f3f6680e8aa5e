import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { panelTest } from './panel-stage.ts';

const source = `
import { h, render } from 'preact';
import { Admissions } from '#extension/options/admissions.tsx';
import { AuditSheet } from '#extension/sidepanel/views/audit-sheet.tsx';
import { SessionSettingsSheet } from '#extension/sidepanel/views/session-settings.tsx';
import { SettingsRow } from '#extension/sidepanel/views/settings-row.tsx';
import { noExtras } from '#extension/sidepanel/state.ts';
import { SceneContext } from '#extension/sidepanel/views/scene.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';

window.calls = [];
const entry = (seq, more) => ({ hash: 'h', seq, at: '2026-01-02T03:04:05Z', kind: 'decision', by: 'the agent claude', what: 'browser_click',
  toolClass: 'write', origin: 'https://shop.example', result: 'allowed: the user allowed it (once)', ...more });
const changed = inAudit('entry_changed', { seq: 2 });
const audit = [entry(1, { what: '<img src=x onerror=hit()>' }), entry(2, { kind: 'outcome', result: 'done', durationMs: 240, answerBytes: 1234 }), entry(3)];
const actions = {
  readAudit: async (last) => {
    window.calls.push(['audit', last]);
    return { entries: audit, entryCount: 3, ...(window.isChanged ? { fault: changed.text, says: changed } : { fault: null }) };
  },
  configure: async (change) => void window.calls.push(change),
  changeExtras: async (change) => void window.calls.push(change),
  showExtras: () => {},
  engines: {
    allowAdmission: async (id) => void window.calls.push(['allow', id]),
    forgetAdmission: async (id) => void window.calls.push(['forget', id]),
  },
};
const admission = (id, more) => ({ id, kind: 'browser', name: id, program: '/opt/' + id, pid: 7, folder: '/home/me', origin: 'browser', state: 'waiting', since: 0, ...more });
const admissions = [admission('stranger', { origin: 'program' }), admission('editor', { kind: 'client', origin: 'program', state: 'allowed' }), admission('old', { state: 'denied' })];
const modes = [{ modeId: 'ask', label: 'Ask', isDangerous: false }, { modeId: 'bypass', label: 'Bypass', isDangerous: true }];
const state = { sessionId: 's1', engines: [], isShowingExtras: true };
const selected = { engine: { name: 'one', label: 'One', models: [], modes, capabilities: {} }, mode: modes[0], model: null, effort: null, view: null, project: null, worktree: null, extras: noExtras };
const show = (view, language) =>
  render(h(SceneContext.Provider, { value: { t: createTranslate(language), actions, state, shown: { selected } } }, view), document.body);
window.showAudit = (language) => {
  document.documentElement.lang = language;
  show(h(AuditSheet, { onClose: () => window.calls.push(['close']) }), language);
};
window.showModes = () => show(h(SettingsRow), 'en');
window.showSettings = () => show(h(SessionSettingsSheet), 'en');
window.showAdmissions = () => show(h(Admissions, { admissions }), 'en');
`;

const test = panelTest(source);

describe('the audit in the panel', () => {
  test('shows what was decided, where, by whom and how, the newest first, and runs nothing of it', async ({ page }) => {
    await page.evaluate(() => Reflect.get(globalThis, 'showAudit')('en'));

    await expect.poll(() => page.locator('.audit li').count()).toBe(3);
    const [newest, ended, oldest] = await page.locator('.audit li').allInnerTexts();
    expect(newest).toContain('Decided: browser_click (write)');
    expect(newest).toContain('https://shop.example · the agent claude · allowed: the user allowed it (once)');
    expect(ended).toContain('the agent claude · done · 0.2 s · 1.2 kB');
    expect(oldest).toContain('<img src=x onerror=hit()>');
    await expect.poll(() => page.locator('.audit img').count()).toBe(0);
    await expect.poll(() => page.locator('.sheet').innerText()).toContain('3 entries. Nothing was changed afterwards.');
  });

  test('says in either language that it was changed afterwards', { tags: 'whole' }, async ({ page }) => {
    await page.evaluate(() => Reflect.set(globalThis, 'isChanged', true));

    await page.evaluate(() => Reflect.get(globalThis, 'showAudit')('zh-CN'));

    await expect.poll(() => page.getByRole('alert').innerText()).toContain('记录曾被篡改。第 2 条或其前一条被更改');
  });

  test('is saved whole as a file, a line for each entry', { tags: 'whole' }, async ({ page }) => {
    await page.evaluate(() => Reflect.get(globalThis, 'showAudit')('en'));

    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as a file' }).click()]);

    expect(download.suggestedFilename()).toBe('pilotfish-audit.jsonl');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2, 3]);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'calls'))).toContainEqual(['audit', 3]);
  });
});

describe('the list of browsers and programs in the panel', () => {
  test('tells what each is as the system tells it, and lets in or takes back by a click', async ({ page }) => {
    await page.evaluate(() => Reflect.get(globalThis, 'showAdmissions')());
    const row = (name: string) => page.locator('li', { hasText: `/opt/${name}` });

    await expect.poll(() => row('stranger').innerText()).toContain('No installed browser has started it.');
    await expect.poll(() => row('stranger').innerText()).toContain('/opt/stranger · Process 7 · /home/me');
    await row('stranger').getByRole('button', { name: 'Allow' }).click();
    await row('editor').getByRole('button', { name: 'Take back' }).click();
    await row('old').getByRole('button', { name: 'Allow' }).click();

    const wanted = [
      ['allow', 'stranger'],
      ['forget', 'editor'],
      ['allow', 'old'],
    ];
    await expect.poll(() => page.evaluate(() => Reflect.get(globalThis, 'calls'))).toEqual(wanted);
  });

  test('is not pressed by a script', async ({ page }) => {
    await page.evaluate(() => Reflect.get(globalThis, 'showAdmissions')());

    await page.evaluate(() => {
      for (const button of document.querySelectorAll('button')) {
        button.click();
        button.dispatchEvent(new PointerEvent('click', { bubbles: true }));
      }
    });

    expect(await page.evaluate(() => Reflect.get(globalThis, 'calls'))).toEqual([]);
  });
});

describe('what lets an agent do more', () => {
  /** In the ways that a script has. */
  const press = (button: Locator): Promise<void> =>
    button.evaluate((element: HTMLElement) => {
      element.click();
      element.dispatchEvent(new PointerEvent('click', { bubbles: true }));
      element.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, key: 'Enter' }));
    });
  const calls = (page: Page): Promise<unknown> => page.evaluate(() => Reflect.get(globalThis, 'calls'));

  test('as a mode in which nothing asks, is switched on by a press of a person only', async ({ page }) => {
    await page.evaluate(() => Reflect.get(globalThis, 'showModes')());
    await page.getByRole('button', { name: /Mode/ }).click();
    await page.getByRole('button', { name: 'Bypass' }).click();
    const yes = page.locator('.danger-box .option-danger');
    await yes.waitFor();

    await press(yes);
    expect(await calls(page)).toEqual([]);
    await yes.click();

    await expect.poll(() => calls(page)).toEqual([{ mode: 'bypass' }]);
  });

  test('as the settings of a session, is saved by a press of a person only', async ({ page }) => {
    await page.evaluate(() => Reflect.get(globalThis, 'showSettings')());
    await page.locator('.setup-form input').first().fill('7');
    const save = page.getByRole('button', { name: 'Save' });

    await press(save);
    expect(await calls(page)).toEqual([]);
    await save.click();

    await expect.poll(() => calls(page)).toEqual([{ maxTurns: 7 }]);
  });
});

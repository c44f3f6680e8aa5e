import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { panelTest } from './panel-stage.ts';

const source = `
import { h, render } from 'preact';
import { ActivitySheet } from '#extension/sidepanel/views/activity-sheet.tsx';
import { SceneContext } from '#extension/sidepanel/views/scene.ts';
import { toKept } from '#protocol/audit.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';

const kept = (window.kept = {});
window.chrome = { storage: { local: {
  get: async () => kept,
  set: async (change) => void Object.assign(kept, change),
  onChanged: { addListener: () => {}, removeListener: () => {} },
} } };
window.asked = [];
window.opened = [];
window.entries = [];
let seq = 0;
/** A call of a session, with how it ended. */
window.act = (sessionId, what, result, more) => {
  const place = () => ({ hash: 'h', seq: ++seq, at: '2026-01-02T03:04:05Z' });
  const call = { by: inAudit('who_agent', { name: 'claude' }), what, sessionId, callId: 'call_' + seq, origin: 'https://tides.example', ...more };
  const decided = result === 'refused' ? inAudit('denied_by', { rule: inAudit('rule_user_denied') }) : inAudit('allowed_by', { rule: inAudit('rule_reading') });
  window.entries.push({ ...place(), ...toKept({ ...call, kind: 'decision', result: decided }) });
  const ended = result === 'done' ? inAudit('came_done') : result;
  if (result !== 'refused') window.entries.push({ ...place(), ...toKept({ ...call, kind: 'outcome', result: ended, durationMs: 240, answerBytes: 1234 }) });
};
const actions = {
  activity: {
    sessionId: () => 's1',
    titleOf: (id) => 'Title of ' + id,
    listGrants: async () => [],
    stopAll: async () => 0,
    listCalls: async (query) => {
      window.asked.push(query);
      const all = window.entries.filter((one) => query.sessionId === undefined || one.sessionId === query.sessionId);
      if (query.after !== undefined) return { entries: all.filter((one) => one.seq > query.after).slice(0, query.last) };
      const before = all.filter((one) => one.seq < (query.cursor ?? Infinity));
      const entries = before.slice(-query.last);
      return before.length > entries.length ? { entries, next: entries[0].seq } : { entries };
    },
  },
  page: {
    sessionTabs: async () => [],
    actPictures: async (ids) => {
      const data = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
      return new Map(ids.map((callId) => [callId, { callId, sessionId: 's1', at: 0, before: data, after: data }]));
    },
  },
  openSession: (id) => window.opened.push(id),
};
window.show = () => {
  document.documentElement.lang = 'en';
  render(h(SceneContext.Provider, { value: { t: createTranslate('en'), actions } },
  h(ActivitySheet, { onClose: () => window.opened.push('closed') })), document.body);
};
`;

const test = panelTest(source);

const show = async (page: Page, acts: readonly (readonly [session: string, what: string, result: string])[]): Promise<void> => {
  await page.evaluate((all) => {
    const { act, show: draw } = globalThis as unknown as { act: (...call: readonly string[]) => void; show: () => void };
    for (const one of all) act(...one);
    draw();
  }, acts);
  await page.locator('.audit li').first().waitFor();
};
const shown = async (page: Page): Promise<string[]> =>
  (await page.locator('.audit li > p:first-child').allInnerTexts()).map((text) => text.trim());

describe('the activity in the panel', () => {
  test('is that of the session on screen, or of all with the way to each, and grows while it is looked at', async ({ page }) => {
    await show(page, [
      ['s2', 'browser_type', 'done'],
      ['s1', 'browser_click', 'done'],
    ]);

    expect(await shown(page)).toEqual(['Clicked an element https://tides.example']);
    expect(await page.locator('.audit li').innerText()).toMatch(/Jan.*· the agent claude · allowed · done · 0.2 s · 1.2 kB/);
    await page.evaluate(() => Reflect.get(globalThis, 'act')('s1', 'browser_snapshot', 'done'));
    await expect.poll(() => page.locator('.audit li').count()).toBe(2);
    await page.getByRole('button', { name: 'All sessions' }).click();
    await expect.poll(() => page.locator('.audit li').count()).toBe(3);

    await page.getByRole('button', { name: 'Title of s2' }).click();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'opened'))).toEqual(['s2', 'closed']);
  });

  test('is found by words and by how it ended, however far back that is', { tags: 'whole' }, async ({ page }) => {
    await show(page, [
      ['s1', 'browser_hover', 'done'],
      ['s1', 'browser_click', 'refused'],
      ['s1', 'browser_click', 'TOOL_TIMEOUT: it took too long'],
      ...Array.from({ length: 1500 }, () => ['s1', 'browser_snapshot', 'done'] as const),
    ]);
    await expect.poll(() => page.locator('.audit li').count()).toBe(50);
    await page.getByRole('button', { name: 'Show earlier' }).click();
    await expect.poll(() => page.locator('.audit li').count()).toBe(100);

    const field = page.getByRole('searchbox', { name: 'Find by page, tool or agent' });
    await field.fill('browser_hover');
    await expect.poll(() => shown(page)).toEqual([expect.stringContaining('Pointed at')]);
    expect(await page.getByRole('button', { name: 'Show earlier' }).count()).toBe(0);
    await field.fill('');
    await page.getByRole('button', { name: 'Only refused' }).click();
    await expect.poll(() => page.locator('.audit li').evaluateAll((rows) => rows.map((row) => row.dataset['state']))).toEqual(['refused']);
    await page.getByRole('button', { name: 'Only failed' }).click();
    await expect.poll(() => page.locator('.audit li').evaluateAll((rows) => rows.map((row) => row.dataset['state']))).toEqual(['failed']);
    await field.fill('nowhere');
    await page.getByText('There is nothing like that.').waitFor();
  });

  test('says that no pictures are kept, and no script can change that', async ({ page }) => {
    await show(page, [['s1', 'browser_click', 'done']]);
    const tick = page.getByRole('checkbox', { name: /Keep a small picture/ });

    await page.getByText('No pictures are kept.').waitFor();
    await tick.evaluate((box: HTMLInputElement) => {
      box.click();
      box.closest('label')?.click();
      box.dispatchEvent(new Event('change', { bubbles: true }));
    });

    expect(await tick.isChecked()).toBe(false);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'kept'))).toEqual({});
    expect(await page.locator('.audit img').count()).toBe(0);
  });

  test('has a picture of before and of after each act once they are kept', async ({ page }) => {
    await show(page, [['s1', 'browser_click', 'done']]);

    await page.getByRole('checkbox', { name: /Keep a small picture/ }).click();

    await expect
      .poll(() => page.locator('.audit img').evaluateAll((pictures) => pictures.map((picture) => picture.getAttribute('alt'))))
      .toEqual(['Before: Clicked an element', 'After: Clicked an element']);
    await page.getByText('They stay in this browser').waitFor();
  });
});

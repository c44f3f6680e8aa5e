import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { panelTest } from './panel-stage.ts';

const source = `
import { h, render } from 'preact';
import { Sessions } from '#extension/options/sessions.tsx';
import { SettingsContext } from '#extension/options/scene.ts';
import { createSay } from '#extension/options/texts.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';
import { SceneContext } from '#extension/sidepanel/views/scene.ts';
import { CompanionError } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';

const projects = [{ id: 'p1', name: 'tides' }, { id: 'p2', name: 'website' }];
let sessions = Array.from({ length: 120 }, (_, index) => ({ id: 's' + index, name: 'Session ' + index, preview: '', projectId: index % 40 === 0 ? 'p2' : 'p1',
  updatedAt: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString() }));
let gone = [];
window.calls = [];
/** Each answer waits for the test where that is wanted. */
window.isHeld = false;
window.letGo = [];
const wait = () => (window.isHeld ? new Promise((resolve) => window.letGo.push(resolve)) : Promise.resolve());
const call = async (route, { params }) => {
  if (route === routes.listRemovedSessions) return { sessions: gone.map((session) => ({ session, removedAt: '', goneAt: '' })) };
  const id = params.sessionId;
  window.calls.push(route.method + ' ' + id);
  await wait();
  if (id === window.fails) throw new CompanionError('DISK_FAILED', 'no space');
  const [from, to] = route === routes.removeSession ? [sessions, gone] : [gone, sessions];
  const one = from.find((session) => session.id === id);
  if (route === routes.removeSession) [sessions, gone] = [sessions.filter((other) => other !== one), [...gone, one]];
  else [gone, sessions] = [gone.filter((other) => other !== one), [...sessions, one]];
  draw();
  return {};
};
const readBytes = async (route, { params, query }) => {
  window.calls.push(query.format + ' ' + params.sessionId);
  await wait();
  return new Blob(['<' + params.sessionId + '>']);
};
const draw = () => {
  const settings = { say: createSay('en'), state: { sessions, projects }, call, readBytes, isConnected: true };
  render(h(SceneContext.Provider, { value: { t: createTranslate('en'), actions: {} } }, h(SettingsContext.Provider, { value: settings }, h(Sessions))), document.body);
};
document.documentElement.lang = 'en';
addEventListener('DOMContentLoaded', draw);
`;

const test = panelTest(source);

const calls = (page: Page): Promise<string[]> => page.evaluate(() => Reflect.get(globalThis, 'calls'));
const chooseProject = (page: Page, name: string) => page.getByLabel('Project').selectOption({ label: name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('the sessions in the settings', () => {
  test('are chosen one by one, by their names and all of a project, and saved as one file', { tags: 'whole' }, async ({ page }) => {
    await expect.poll(() => page.locator('.chooser li input').count()).toBe(50);
    await page.getByRole('button', { name: 'Show more (70)' }).click();
    await expect.poll(() => page.locator('.chooser li input').count()).toBe(100);
    expect(await button(page, 'Save as a file').isEnabled()).toBe(false);

    await chooseProject(page, 'website');
    await page.getByLabel('All 3').check();
    await chooseProject(page, 'All projects');
    await page.getByLabel('Find by its name').fill('session 17');
    await page.getByLabel(/^Session 17/).check();
    await page.getByText('4 chosen').waitFor();
    await page.getByLabel('Format').selectOption('json');
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as a file').click()]);

    expect(download.suggestedFilename()).toBe('pilotfish-sessions.jsonl');
    expect(
      readFileSync(await download.path(), 'utf8')
        .split('\n')
        .toSorted(),
    ).toEqual(['<s0>', '<s17>', '<s40>', '<s80>']);
  });

  test('are deleted together, and brought back by one press', async ({ page }) => {
    await chooseProject(page, 'website');
    await page.getByLabel('All 3').check();
    await button(page, 'Delete').click();

    await page.getByText('3 sessions were deleted, and can be brought back for an hour.').waitFor();
    await expect.poll(() => page.locator('.chooser li input').count()).toBe(0);
    await expect.poll(() => button(page, 'Bring back').count()).toBe(3);
    await page.getByText('0 chosen').waitFor();
    await button(page, 'Undo').click();

    await expect.poll(() => page.locator('.chooser li input').count()).toBe(3);
    await expect.poll(() => button(page, 'Bring back').count()).toBe(0);
    expect((await calls(page)).map((each) => each.split(' ')[0])).toEqual(['DELETE', 'DELETE', 'DELETE', 'POST', 'POST', 'POST']);
  });

  test('are given up between two of many: a file is not saved by halves, and what was deleted can be brought back', async ({ page }) => {
    const downloads: unknown[] = [];
    page.on('download', (download) => downloads.push(download));
    await page.evaluate(() => Reflect.set(globalThis, 'isHeld', true));
    const letGo = (): Promise<void> => page.evaluate(() => (Reflect.get(globalThis, 'letGo') as (() => void)[]).shift()?.());
    await page.getByLabel('All 120').check();

    await button(page, 'Save as a file').click();
    await page.getByText('Exporting: 0 of 120').waitFor();
    await letGo();
    await page.getByText('Exporting: 1 of 120').waitFor();
    expect(await button(page, 'Delete').isEnabled()).toBe(false);
    await button(page, 'Cancel').click();
    await letGo();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await button(page, 'Delete').click();
    await page.getByText('Deleting: 0 of 120').waitFor();
    await button(page, 'Cancel').click();
    await letGo();
    await page.getByText('1 session was deleted').waitFor();

    await page.getByText('119 chosen').waitFor();
    expect(await calls(page)).toHaveLength(3);
    expect(downloads).toEqual([]);
  });

  test('say why one of them could not be deleted, and keep it and the rest chosen', async ({ page }) => {
    await page.evaluate(() => Reflect.set(globalThis, 'fails', 's40'));
    await chooseProject(page, 'website');
    await page.getByLabel('All 3').check();

    await button(page, 'Delete').click();

    await page.getByRole('alert').getByText('no space').waitFor({ state: 'attached' });
    await page.getByText('1 session was deleted').waitFor();
    await page.getByText('2 chosen').waitFor();
  });
});

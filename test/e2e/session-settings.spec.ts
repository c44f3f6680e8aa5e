/**
 * The settings of a session with the real Claude Code in the real panel: a limit that is reached, raised where the message says, and gone
 * past; a worktree instead of the folder. Those of all sessions on the options page.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import { createCompanion, type Companion } from '#test/fixtures/companion.ts';
import { hasGit, initRepository } from '#test/fixtures/git-repository.ts';
import { test } from '#test/fixtures/stage.ts';

describe('the settings of a session', () => {
  test('a limit stops the agent, and once it is raised the conversation goes on; the next one works in a worktree', async ({
    home,
    model,
    launch,
  }) => {
    const companion = createCompanion(home, { isPortable: false });
    home.installClaude(model.url);
    const runs = (command: string) => ({ parts: [{ tool: 'Bash', input: { command, description: 'Say' } }] });
    model.script('begin now', runs('touch one'), { parts: [{ text: 'Never said.' }] });
    // The result that no answer followed counts as the first round of this prompt.
    model.script('go further', runs('touch never'), runs('touch two'), { parts: [{ text: 'It went on.' }] });
    model.script('work apart', runs('touch apart'), { parts: [{ text: 'It is apart.' }] });
    const installed = await companion.run(['install', '--json']);
    const { extension } = JSON.parse(installed.stdout) as InstallReport;
    const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
    const { page, disconnect } = await browser.openPanel();
    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const settings = page.getByRole('dialog', { name: 'Session settings' });
    const turns = settings.getByLabel('Most answers of the model');
    const save = settings.getByRole('button', { name: 'Save' });
    await button('Use the default workspace').click();
    await button('Agent: Claude Code').waitFor();

    await button('Session settings').click();
    await turns.fill('0');
    await settings.getByText('A whole number above 0').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await turns.fill('1');
    await settings.getByLabel('Tools that may run').fill('Bash, and more');
    await settings.getByText('“and more” is no tool').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await settings.getByLabel('Tools that may run').fill('Bash');
    await settings.getByLabel('Instructions for the agent').fill('Speak like a pilot.');
    await save.click();
    await settings.waitFor({ state: 'detached' });

    const composer = page.getByRole('textbox', { name: 'Message' });
    await composer.fill('begin now');
    await composer.press('Enter');
    const failed = page.locator('.turn-failed').filter({ hasText: 'The limit set for this session is reached.' });
    await failed.getByText('Raise the limit in the session settings').waitFor();
    expect(JSON.stringify(model.requests.at(-1))).toContain('Speak like a pilot.');

    await failed.getByRole('button', { name: 'Session settings' }).click();
    await expect.poll(() => turns.inputValue()).toBe('1');
    await turns.fill('5');
    await save.click();
    await settings.waitFor({ state: 'detached' });
    await composer.fill('go further');
    await composer.press('Enter');

    await page.getByText('It went on.').waitFor();
    await button('Send').waitFor();
    // The tool was allowed beforehand: nothing has asked.
    await expect.poll(() => page.locator('.answered').count()).toBe(0);
    await expect.poll(() => page.getByText('Never said.').count()).toBe(0);
    if (hasGit) await workInWorktree(page, companion, home.dir);
    await disconnect();
    await browser.close();
    await companion.stopDaemon();
  });
});

/** A new session in a worktree: first where there can be none, then in a repository, until its work is merged. */
const workInWorktree = async (page: Page, companion: Companion, homeDir: string): Promise<void> => {
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const composer = page.getByRole('textbox', { name: 'Message' });
  const sendApart = async (prompt: string): Promise<void> => {
    await page.locator('header').getByRole('button', { name: 'New session' }).click();
    await button(/^Where it works/).click();
    await page.getByRole('dialog', { name: 'Where it works' }).getByRole('button', { name: 'In a worktree' }).click();
    await button('Where it works: In a worktree').waitFor();
    await composer.fill(prompt);
    await composer.press('Enter');
  };
  const { projects } = (await companion.api.send('GET', '/api/projects')).json as { projects: { rootPath: string }[] };
  const folder = projects[0]?.rootPath ?? '';

  await sendApart('work apart');
  await page.getByText('The folder is in no git repository').waitFor();
  await button('Work in the folder').waitFor();
  await button('Discard').click();
  initRepository(homeDir, folder);
  await sendApart('work apart');
  await button('Allow once').click();
  await page.getByText('It is apart.').waitFor();
  expect(existsSync(path.join(folder, 'apart'))).toBe(false);

  await button('Worktree: pilotfish/work-apart').click();
  const sheet = page.getByRole('dialog', { name: 'Worktree' });
  await sheet.getByText('1 files changed').waitFor();
  await sheet.getByRole('button', { name: 'Merge into main' }).click();
  await sheet.getByText('Merged into main.').waitFor();
  expect(existsSync(path.join(folder, 'apart'))).toBe(true);
  await sheet.getByRole('button', { name: 'Close' }).click();
};

describe('the options page', () => {
  test('keeps the tabs of a session when its person wants that, for all profiles and the terminal', async ({ home, launch }) => {
    const companion = createCompanion(home, { isPortable: false });
    const installed = await companion.run(['install', '--json']);
    const { extension } = JSON.parse(installed.stdout) as InstallReport;
    const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
    const options = await browser.context.newPage();
    await options.goto(`${EXTENSION_ORIGIN}/options.html`);
    const closes = options.getByRole('checkbox', { name: /close the tabs/ });

    await closes.uncheck();
    await expect.poll(async () => (await companion.run(['settings'])).stdout).toMatch(/^closeTabs false:/m);
    // A notification that is switched off here is off for the terminal too, and the others stay.
    const finished = options.getByRole('checkbox', { name: 'A turn has finished' });
    await finished.uncheck();
    await expect.poll(async () => (await companion.run(['settings'])).stdout).toMatch(/^notifyFailed true:.*\nnotifyFinished false:/m);
    await companion.run(['settings', 'set', 'closeTabs', 'true']);
    await options.reload();

    await expect.poll(() => closes.isChecked()).toBe(true);
    await expect.poll(() => finished.isChecked()).toBe(false);

    // What is set holds at once, on the page itself and in the panel, and is there again after a reload.
    const { page: panel, disconnect } = await browser.openPanel();
    await options.getByRole('textbox', { name: 'Site' }).fill('bank.example');
    await options.getByRole('button', { name: 'Add' }).click();
    await options.getByLabel('bank.example', { exact: true }).waitFor();
    expect(await options.locator('pre').innerText()).toContain('"mcpServers"');
    await options.getByLabel('Theme').selectOption('dark');
    await options.getByLabel('Language').selectOption('zh');
    await options.getByRole('heading', { name: '外观' }).waitFor();
    await panel.getByRole('button', { name: '使用默认工作区' }).waitFor();
    await expect.poll(() => panel.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await options.reload();
    await options.getByLabel('bank.example', { exact: true }).waitFor();
    await expect.poll(() => options.getByLabel('语言').inputValue()).toBe('zh');
    await disconnect();
    await browser.close();
    await companion.stopDaemon();
  });
});

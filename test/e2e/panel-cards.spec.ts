/** What a person decides in the panel, with the real Claude Code: an edit, several questions at once, and what waits in the queue. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { until } from '#test/fixtures/until.ts';
import { test as base } from '#test/fixtures/stage.ts';

interface Open {
  readonly page: Page;
  /** The project's folder. */
  readonly rootPath: string;
  send(text: string): Promise<void>;
  /** No turn runs. */
  rest(): Promise<void>;
}

const test = base.extend<{ panel: Open }>({
  panel: async ({ home, model, launch }, use) => {
    const companion = createCompanion(home, { isPortable: false });
    home.installClaude(model.url);
    const { stdout } = await companion.run(['install', '--json']);
    const { extension } = JSON.parse(stdout) as InstallReport;
    const rootPath = path.join(home.dir, 'project');
    mkdirSync(rootPath);
    const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
    const { page, disconnect } = await browser.openPanel();
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.getByRole('textbox', { name: 'Full path of the folder' }).fill(rootPath);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Agent: Claude Code' }).waitFor();
    const composer = page.getByRole('textbox', { name: 'Message' });
    await use({
      page,
      rootPath,
      send: async (text) => {
        await composer.fill(text);
        await composer.press('Enter');
      },
      rest: () => page.getByRole('button', { name: 'Send' }).waitFor(),
    });
    await disconnect();
    await browser.close();
    await companion.stopDaemon();
  },
});

describe('in the panel', () => {
  test('an edit is shown as the lines that change before it is allowed, and is made then', async ({ panel, model }) => {
    const { page, rootPath, send, rest } = panel;
    const file = path.join(rootPath, 'tides.txt');
    writeFileSync(file, 'Saturday\nlow water\nSunday\n');
    model.script(
      'correct it',
      { parts: [{ tool: 'Read', input: { file_path: file } }] },
      { parts: [{ tool: 'Edit', input: { file_path: file, old_string: 'low water', new_string: 'high water' } }] },
      { parts: [{ text: 'Corrected.' }] },
    );
    await send('correct it');
    const card = page.getByRole('region', { name: /^Permission: Edit/ });
    await card.locator('.diff-remove').getByText('low water').waitFor();

    await expect.poll(() => card.locator('.diff-add').innerText()).toContain('high water');
    await expect.poll(() => card.locator('figcaption').innerText()).toContain(file);
    expect(readFileSync(file, 'utf8')).toContain('low water');
    await page.getByRole('textbox', { name: 'Message' }).press('Escape');
    await until(() => card.evaluate((element) => element === document.activeElement), { what: 'Escape to lead to the card' });
    await until(() => card.getByRole('button', { name: 'Allow once' }).isEnabled(), { what: 'the card to take an answer' });
    await page.keyboard.press('a');
    await rest();

    expect(readFileSync(file, 'utf8')).toBe('Saturday\nhigh water\nSunday\n');
    await expect.poll(() => card.count()).toBe(0);
  });

  test('a long command is read whole and copied after it was allowed, under what the agent says it is for', async ({ panel, model }) => {
    const { page, send, rest } = panel;
    const command = `echo ${Array.from({ length: 120 }, (_, index) => `word-${index}`).join(' ')} > words.txt`;
    const description = 'Write down every word';
    model.script('write them', { parts: [{ tool: 'Bash', input: { command, description } }] }, { parts: [{ text: 'Written.' }] });
    await send('write them');
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Written.').waitFor();
    await rest();
    const card = page.locator('.tool').filter({ hasText: description });
    await card.getByRole('button', { name: description }).click();

    const text = card.getByLabel('Input');
    await expect.poll(() => text.innerText()).toBe(`$ ${command}`);
    expect(await text.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await card.getByRole('button', { name: 'Copy' }).first().click();
    await card.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command);
  });

  test('several questions are answered at once: one of many, some of many, and own words', async ({ panel, model }) => {
    const { page, send, rest } = panel;
    const options = (...labels: string[]) => labels.map((label) => ({ label, description: `It is ${label}` }));
    const questions = [
      { question: 'Which tab?', header: 'Tab', multiSelect: false, options: options('First', 'Second') },
      { question: 'Which days?', header: 'Days', multiSelect: true, options: options('Saturday', 'Sunday', 'Monday') },
      { question: 'For whom?', header: 'Who', multiSelect: false, options: options('Me', 'The crew') },
    ];
    model.script('ask me', { parts: [{ tool: 'AskUserQuestion', input: { questions } }] }, ({ toolText }) => ({
      parts: [{ text: toolText }],
    }));
    await send('ask me');
    const answer = page.getByRole('button', { name: 'Answer', exact: true });
    await page.getByRole('radio', { name: /^First/ }).click();
    await page.getByRole('radio', { name: /^Second/ }).click();
    await page.getByRole('checkbox', { name: /^Saturday/ }).click();
    await page.getByRole('checkbox', { name: /^Monday/ }).click();
    expect(await answer.isDisabled()).toBe(true);
    await page.getByRole('group', { name: 'For whom?' }).getByRole('textbox').fill('the pilot');
    await answer.click();
    await rest();

    const heard = await page.locator('.answer').innerText();
    expect(heard).toContain('Second');
    expect(heard).not.toContain('First');
    expect(heard).toMatch(/Saturday.*Monday/);
    expect(heard).toContain('the pilot');
  });

  test('what waits in the queue is taken back to be edited, or removed, and the rest is sent', async ({ panel, model }) => {
    const { page, send, rest } = panel;
    const gate = createGate();
    model.script('hold on', { parts: [{ text: 'Holding.' }, { gate }] });
    await send('hold on');
    await page.getByText('Holding.').waitFor();
    const waiting = (text: string) => page.locator('.prompt').filter({ hasText: text }).filter({ hasText: 'Queued' });
    for (const text of ['the first', 'the second', 'the third']) {
      await send(text);
      await waiting(text).waitFor();
    }
    await waiting('the second').getByRole('button', { name: 'Remove from the queue' }).click();
    await waiting('the second').waitFor({ state: 'detached' });
    await waiting('the first').getByRole('button', { name: 'Edit' }).click();
    await waiting('the first').waitFor({ state: 'detached' });

    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('the first');
    await send('the first, in other words');
    await waiting('in other words').waitFor();
    gate.open();
    await page.locator('.turn-end').nth(2).waitFor();
    await rest();

    const prompts = await page.locator('.prompt-text').allInnerTexts();
    expect(prompts).toEqual(['hold on', 'the third', 'the first, in other words']);
  });

  test('a prompt that waited when everything was stopped is written in the composer again, with its file', async ({ panel, model }) => {
    const { page, send, rest } = panel;
    const gate = createGate();
    model.script('hold on', { parts: [{ text: 'The first half' }, { gate }, { text: ' and the second.' }] });
    model.script('look at', { parts: [{ text: 'Low water at noon.' }] });
    await send('hold on');
    await page.getByText('The first half').waitFor();
    const file = { name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('low water: noon') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.locator('.composer .chips').getByText('tides.txt').waitFor();
    await send('look at the tides');
    await page.locator('.prompt').filter({ hasText: 'look at the tides' }).getByRole('button', { name: 'Edit' }).waitFor();

    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.locator('.turn-end').filter({ hasText: 'Stopped' }).waitFor();
    await page.locator('.composer .chips').getByText('tides.txt').waitFor();
    const composer = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => composer.inputValue()).toBe('look at the tides');

    await page.reload();
    await page.locator('.composer .chips').getByText('tides.txt').waitFor();
    await expect.poll(() => composer.inputValue()).toBe('look at the tides');
    await composer.press('Enter');
    await page.getByText('Low water at noon.').waitFor();
    await rest();
    expect(JSON.stringify(model.requests.at(-1))).toContain('tides.txt');
    gate.open();

    await composer.press('ArrowUp');
    await expect.poll(() => composer.inputValue()).toBe('look at the tides');
    await composer.press('ArrowUp');
    await expect.poll(() => composer.inputValue()).toBe('hold on');
    await composer.press('ArrowDown');
    await composer.press('ArrowDown');
    await expect.poll(() => composer.inputValue()).toBe('');
  });
});

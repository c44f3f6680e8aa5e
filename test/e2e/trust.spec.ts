/** Trust in a project, in the panel: asked for on a card that shows what would start, seen and taken back on the screen of the agents. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { until } from '#test/fixtures/until.ts';
import { test } from '#test/fixtures/stage.ts';

describe('in the panel', () => {
  test(
    'a project is trusted once, listed, and asked about again when that is taken back',
    { tags: 'whole' },
    async ({ home, model, launch }) => {
      const companion = createCompanion(home, { isPortable: false });
      home.installClaude(model.url);
      model.script('hello', { parts: [{ text: 'Hello to you.' }] });
      const rootPath = path.join(home.dir, 'project');
      const canary = path.join(home.dir, 'canary');
      mkdirSync(path.join(rootPath, '.claude'), { recursive: true });
      writeFileSync(
        path.join(rootPath, '.claude/settings.json'),
        JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `touch ${canary}` }] }] } }),
      );
      const { stdout } = await companion.run(['install', '--json']);
      const { extension } = JSON.parse(stdout) as InstallReport;
      const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
      const { page, disconnect } = await browser.openPanel();
      await page.getByRole('button', { name: 'Choose a folder' }).click();
      await page.getByRole('textbox', { name: 'Full path of the folder' }).fill(rootPath);
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('button', { name: 'Agent: Claude Code' }).waitFor();
      const composer = page.getByRole('textbox', { name: 'Message' });
      const card = page.getByRole('region', { name: /^Trust: / });
      const openSettings = async (): Promise<Page> => {
        await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
        const opened = browser.context.waitForEvent('page');
        await page.getByRole('button', { name: 'Set up agents' }).click();
        return opened;
      };

      await composer.fill('hello');
      await composer.press('Enter');
      await card.waitFor();
      const told = await card.innerText();
      const hadCanary = existsSync(canary);
      await until(() => card.getByRole('button', { name: 'Trust these files' }).isEnabled(), { what: 'the card to take an answer' });
      await composer.press('Escape');
      await until(() => card.evaluate((element) => element === document.activeElement), { what: 'Escape to lead to the card' });
      await page.keyboard.press('A');
      await page.getByText('Hello to you.').waitFor();
      const settings = await openSettings();
      const trusted = settings.getByRole('listitem').filter({ hasText: rootPath });
      await settings.getByRole('heading', { name: 'Trusted projects' }).waitFor();
      const listed = await trusted.innerText();
      await trusted.getByRole('button', { name: 'Trust no longer' }).click();
      await until(async () => (await trusted.count()) === 0, { what: 'the list without it' });
      const { stdout: left } = await companion.run(['trust', 'list', '--json']);
      await settings.close();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await composer.fill('hello');
      await composer.press('Enter');
      await until(() => card.getByRole('button', { name: 'Do not start' }).isEnabled(), { what: 'the card to take an answer' });
      await card.getByRole('button', { name: 'Do not start' }).click();
      await page.getByText('was not trusted yet').waitFor();

      expect(told).toContain(`starts: touch ${canary}`);
      expect(told).toContain('If you do not trust them, no agent is started here');
      expect(hadCanary).toBe(false);
      expect(existsSync(canary)).toBe(true);
      expect(listed).toContain('.claude/settings.json');
      expect(JSON.parse(left)).toEqual({ projects: [] });
      await disconnect();
      await browser.close();
      await companion.stopDaemon();
    },
  );
});

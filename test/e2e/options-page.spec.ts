/** What is set on the options page holds in all profiles, in the panel and in the terminal. */
import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';

describe('the options page', () => {
  test(
    'keeps the tabs of a session when its person wants that, for all profiles and the terminal',
    { tags: 'whole' },
    async ({ home, launch }) => {
      const companion = createCompanion(home, { isPortable: false });
      const installed = await companion.run(['install', '--json']);
      const { browsers, extension } = JSON.parse(installed.stdout) as InstallReport;
      const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
      const options = await browser.context.newPage();
      await options.goto(`${EXTENSION_ORIGIN}/options.html`);
      const closes = options.getByRole('checkbox', { name: /close the tabs/ });

      await expect.poll(() => closes.isChecked()).toBe(true);
      await closes.click();
      await expect.poll(async () => (await companion.run(['settings'])).stdout).toMatch(/^closeTabs false:/m);
      // A notification that is switched off here is off for the terminal too, and the others stay.
      const finished = options.getByRole('checkbox', { name: 'A turn has finished' });
      await expect.poll(() => finished.isChecked()).toBe(true);
      await finished.click();
      await expect.poll(async () => (await companion.run(['settings'])).stdout).toMatch(/^notifyFailed true:.*\nnotifyFinished false:/m);
      // Each of the other kinds has its own switch, and the day its budget.
      for (const name of ['An agent needs your approval', 'An agent asks you a question', 'A turn has failed'])
        await options.getByRole('checkbox', { name }).click();
      await options.getByLabel('Most one day may cost, in US dollars').fill('2.5');
      await options.getByLabel('Most tokens in one day').fill('90000');
      await options.locator('#usage').getByRole('button', { name: 'Save' }).click();
      await expect
        .poll(async () => (await companion.run(['settings'])).stdout)
        .toMatch(/^dailyCostUsd 2\.5:.*\ndailyTokens 90000:.*\nnotifyApproval false:.*\nnotifyQuestion false:.*\nnotifyFailed false:/m);
      await options.getByLabel('Keep sessions').selectOption('90');
      await expect.poll(async () => (await companion.run(['settings'])).stdout).toMatch(/^keepDays 90:/m);
      const usual = options.getByLabel('Profile for new sessions');
      await usual.getByRole('option', { name: /, this one$/ }).waitFor({ state: 'attached' });
      await usual.selectOption({ index: 1 });
      await expect.poll(async () => (await companion.run(['settings'])).stdout).toMatch(/^defaultBrowser browser_\S+:/m);
      await companion.run(['settings', 'set', 'defaultBrowser', 'none']);
      // An agent is moved by its button, and where it stands is told to every surface.
      const down = options.getByRole('button', { name: /^Move .* down$/ }).first();
      const moved = (await down.getAttribute('aria-label'))?.match(/^Move (.*) down$/)?.[1] ?? '';
      await down.click();
      await expect.poll(() => options.locator('#agents .ordered').nth(1).innerText()).toContain(moved);
      await expect.poll(async () => (await companion.run(['settings'])).stdout).toMatch(/^engineOrder \w[\w-]*,/m);
      await companion.run(['settings', 'set', 'closeTabs', 'true']);
      await options.reload();

      await expect.poll(() => closes.isChecked()).toBe(true);
      await expect.poll(() => finished.isChecked()).toBe(false);

      // The key that opens the panel is the one which the browser has given it.
      const panelKey = await options.evaluate(
        async () => (await chrome.commands.getAll()).find(({ name }) => name === '_execute_action')?.shortcut,
      );
      expect(panelKey).not.toBe('');
      await options.locator('#keyboard dt').getByText(String(panelKey), { exact: true }).waitFor();

      // The whole way is gone by real parts: worker, host, daemon, the agents that are there, a call of a tool.
      await options.getByRole('button', { name: 'Check everything' }).click();
      const hop = (name: string) => options.locator('.hop-ok', { hasText: name });
      for (const name of ['The extension', 'The native messaging host', 'Pilotfish itself', 'A tool call in this browser'])
        await hop(name)
          .getByText(/\d ms$/)
          .waitFor();
      await options.getByText(/^(Everything works|Something is broken)/).waitFor();
      // What mends each hop does: no agent is ready here, and the program is taken away from the browser and given back.
      await options.locator('.hop-failed', { hasText: 'No agent is ready' }).getByRole('link', { name: 'Set up agents' }).click();
      await expect.poll(() => new URL(options.url()).hash).toBe('#agents');
      const manifests = browsers.map(({ manifestFile }) => manifestFile).filter((file) => existsSync(file));
      for (const file of manifests) renameSync(file, `${file}.away`);
      await companion.stopDaemon();
      await options.locator('.status-host_missing').waitFor();
      await options.getByRole('button', { name: 'Check everything' }).click();
      const host = options.locator('.hop-failed', { hasText: 'The native messaging host' });
      await host.getByText('pilotfish install').waitFor();
      for (const file of manifests) renameSync(`${file}.away`, file);
      await host.getByText('More').click();
      await host.getByRole('button', { name: 'Try again' }).click();
      await options.locator('#connection .status-connected').waitFor();

      // What is set holds at once, on the page itself and in the panel, and is there again after a reload.
      const { page: panel, disconnect } = await browser.openPanel();
      await options.getByRole('textbox', { name: 'Site' }).fill('bank.example');
      await options.getByRole('button', { name: 'Add' }).click();
      await options.getByLabel('bank.example', { exact: true }).waitFor();
      await expect.poll(() => options.locator('pre').innerText()).toContain('"mcpServers"');
      await options.getByLabel('Theme').selectOption('dark');
      // Density and size of text are measured where they are seen: in the panel.
      const seen = () =>
        panel.evaluate(() => {
          const { fontSize, lineHeight } = getComputedStyle(document.body);
          const { zoom } = getComputedStyle(document.documentElement);
          return { zoom, line: Math.round((100 * Number.parseFloat(lineHeight)) / Number.parseFloat(fontSize)) };
        });
      await options.getByLabel('Density').selectOption('compact');
      await options.getByLabel('Size of text').selectOption('larger');
      await expect.poll(seen).toEqual({ zoom: '1.3', line: 135 });
      // Two keys one after the other go two choices on, though the page is drawn again before the first one is kept.
      await options.evaluate(() => {
        const held = Promise.withResolvers<void>();
        Object.assign(globalThis, { letGo: held.resolve });
        void navigator.locks.request('look', () => held.promise);
      });
      const enter = options.getByLabel('Enter in the composer');
      await enter.press('ArrowDown');
      await options.evaluate(async () => {
        const { look } = await chrome.storage.local.get<{ look: object }>('look');
        await chrome.storage.local.set({ look: { ...look, density: 'normal' } });
      });
      await expect.poll(() => options.getByLabel('Density').inputValue()).toBe('normal');
      await enter.press('ArrowDown');
      await options.evaluate(() => (Reflect.get(globalThis, 'letGo') as () => void)());
      await expect
        .poll(() => options.evaluate(async () => (await chrome.storage.local.get('look'))['look']))
        .toMatchObject({ enter: 'line' });
      expect(await enter.inputValue()).toBe('line');
      await options.getByLabel('Language').selectOption('zh');
      await options.getByRole('heading', { name: '外观' }).waitFor();
      await panel.getByRole('button', { name: '使用默认工作区' }).waitFor();
      await expect.poll(() => panel.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
      await options.reload();
      await options.getByLabel('bank.example', { exact: true }).waitFor();
      await expect.poll(() => options.getByLabel('语言').inputValue()).toBe('zh');
      await expect.poll(() => options.getByLabel('输入框中的 Enter').inputValue()).toBe('line');
      await disconnect();

      // A worker that does not answer is mended by the button that loads the extension anew.
      await options.evaluate(() => Object.assign(chrome.runtime, { sendMessage: () => Promise.reject(new Error('no answer')) }));
      await options.getByRole('button', { name: '全部检查' }).click();
      const closed = options.waitForEvent('close');
      const reload = options.locator('.hop-failed').getByRole('button', { name: '重新加载扩展程序' });
      await reload.waitFor();
      // The press may close the page before it is told as done.
      await reload.click().catch(() => {});
      await closed;
      const again = await browser.context.newPage();
      await until(() => again.goto(`${EXTENSION_ORIGIN}/options.html`).then(() => true), { what: 'the extension to be there again' });
      await again.locator('#connection .status-connected').waitFor();
      await browser.close();
      await companion.stopDaemon();
    },
  );
});

/** The real side panel of an installed companion with the real Claude Code and a scripted model: the tests of a file have it one after the other. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { launchBrowser } from '#test/fixtures/browser.ts';
import { type Companion, createCompanion } from '#test/fixtures/companion.ts';
import { createHome, type Home } from '#test/fixtures/home.ts';
import { startMessagesServer } from '#test/fixtures/messages-server.ts';
import type { ModelServer } from '#test/fixtures/model-server.ts';
import { servePages } from '#test/fixtures/page-server.ts';
import { type Reusable, sharing } from '#test/fixtures/shared.ts';
import { until } from '#test/fixtures/until.ts';

interface Panel extends Reusable {
  readonly home: Home;
  readonly companion: Companion;
  readonly model: ModelServer;
  readonly page: Page;
  /** A page that allows nothing and can be pressed nowhere, as its address. */
  readonly strictUrl: string;
  /** A page with a button in its middle, which counts its presses in the title. */
  readonly countingUrl: string;
  /** The tab with an address. */
  tabAt(url: string): Promise<Page>;
  /** The panel in another window of the browser. */
  openElsewhere(): Promise<{ readonly page: Page; close(): Promise<void> }>;
  /** The project's folder. */
  readonly rootPath: string;
  /** The folder from which the browser loads the extension. */
  readonly extensionDir: string;
  /** Turns to a new session, with nothing in its composer. */
  begin(): Promise<void>;
  send(text: string): Promise<void>;
  /** No turn runs. */
  rest(): Promise<void>;
}

const COUNTING =
  '<!doctype html><title>0 presses</title><style>body { display: grid; place-items: center; height: 90vh; background: white } ' +
  'button { width: 200px; height: 80px }</style>' +
  '<button onclick="document.title = `${parseInt(document.title) + 1} presses`">Show tomorrow</button><p>High water in Brest</p>';

const STRICT =
  '<!doctype html><html inert><head><title>Strict page</title><meta http-equiv="Content-Security-Policy" ' +
  `content="default-src 'none'; require-trusted-types-for 'script'; trusted-types"></head><body><button>Go</button></body></html>`;

/** An empty folder, and a stand-in for the system's own dialog, which needs a screen: the person chooses that folder in it. */
const placeProject = (home: Home): string => {
  const [folder, bin] = [path.join(home.dir, 'project'), path.join(home.dir, 'bin')];
  for (const made of [folder, bin]) mkdirSync(made);
  writeFileSync(path.join(bin, 'zenity'), `#!/bin/sh\necho '${folder}'\n`, { mode: 0o755 });
  appendFileSync(path.join(home.dir, '.bash_profile'), `export PATH="${bin}:$PATH" DISPLAY=:nowhere\n`);
  return folder;
};

/** The panel of an installed companion, with a folder chosen: each test has a session of its own in it. */
const startPanel = async (): Promise<Panel> => {
  const home = createHome();
  const model = await startMessagesServer();
  const companion = createCompanion(home, { isPortable: false });
  home.installClaude(model.url);
  const commands = path.join(home.dir, '.claude', 'commands');
  mkdirSync(commands);
  writeFileSync(path.join(commands, 'tide-of.md'), 'Tell the tide of $ARGUMENTS');
  const rootPath = placeProject(home);
  const { stdout } = await companion.run(['install', '--json']);
  const { extension } = JSON.parse(stdout) as InstallReport;
  const browser = await launchBrowser({
    extensionDir: extension.path,
    profileDir: path.join(home.dir, '.config', 'chromium'),
    env: home.env,
  });
  const pages = await servePages({ '/': STRICT, '/elsewhere': STRICT, '/counting': COUNTING });
  const strictUrl = `${pages.url}/`;
  const { page, disconnect } = await browser.openPanel();
  await page.getByRole('button', { name: 'Choose a folder' }).click();
  await page.getByRole('button', { name: 'Browse…' }).click();
  const composer = page.getByRole('textbox', { name: 'Message' });
  return {
    home,
    companion,
    model,
    page,
    rootPath,
    extensionDir: extension.path,
    strictUrl,
    countingUrl: `${pages.url}/counting`,
    tabAt: (url) => until(() => browser.context.pages().find((tab) => tab.url() === url), { what: 'the tab' }),
    openElsewhere: async () => {
      const url = `${strictUrl}elsewhere`;
      await browser.worker.evaluate((address) => chrome.windows.create({ url: address }), url);
      const elsewhere = await browser.openPanel(url);
      return {
        page: elsewhere.page,
        close: async () => {
          await elsewhere.disconnect();
          await browser.worker.evaluate(async (address) => {
            const [tab] = await chrome.tabs.query({ url: address });
            if (tab !== undefined) await chrome.windows.remove(tab.windowId);
          }, url);
        },
      };
    },
    begin: async () => {
      await page.locator('header').getByRole('button', { name: 'New session' }).click();
      await page.getByRole('heading', { name: 'New session' }).waitFor();
      await page.getByRole('button', { name: 'Agent: Claude Code' }).waitFor();
      await expect.poll(() => composer.inputValue()).toBe('');
    },
    send: async (text) => {
      await composer.fill(text);
      await composer.press('Enter');
    },
    rest: () => page.getByRole('button', { name: 'Send', exact: true }).waitFor(),
    tidy: () => {},
    close: async () => {
      await disconnect();
      await browser.close();
      await pages.close();
      await companion.stopDaemon();
      await home.remove();
      await model.close();
    },
  };
};

export const panelTest = sharing(startPanel).extend<{ panel: Panel }>({
  panel: async ({ stage }, use) => {
    await stage.begin();
    await use(stage);
  },
});

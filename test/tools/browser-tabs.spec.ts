import { describe, expect } from 'vitest';
import { EXTENSION_ID, EXTENSION_ORIGIN } from '#protocol/version.ts';
import { until } from '#test/fixtures/until.ts';
import { currentTab } from './tool-stage.ts';
import { describeTabs, ownTest, test } from './tool-test.ts';

const tabIn = (text: string): number => Number(/tab (\d+)/i.exec(text)?.[1]);

describeTabs(
  (how) => `browser_tabs in a ${how} tab`,
  ({ open, isShown }) => {
    test('lists every tab, and which are the session’s', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      const text = await agent.text('browser_tabs', { action: 'list' });

      expect(text).toMatch(/- \d+ \((?:active, )?current, yours\): "Create an account" http/);
      expect(text.match(/- \d+ \(active/g)).toHaveLength(1);
      expect(/- \d+ \(active, current/.test(text)).toBe(isShown);
    });

    test('opens, selects and closes', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const first = await currentTab(agent);

      const second = tabIn(await agent.text('browser_tabs', { action: 'new', url: `${stage.url}/shadow.html` }));
      expect(await agent.text('browser_snapshot')).toMatch(new RegExp(`^Tab ${second}:\n[^]*Shadow roots`));
      await agent.text('browser_tabs', { action: 'select', tabId: first });
      expect(await agent.text('browser_snapshot')).toMatch(new RegExp(`^Tab ${first}:\n[^]*Create an account`));
      expect(
        await stage.browser.worker.evaluate(async () => (await chrome.tabs.query({ active: true, windowType: 'normal' }))[0]?.title),
      ).toBe('Create an account');
      expect(await agent.text('browser_tabs', { action: 'select', index: 1 })).toContain(`Tab ${second} `);
      expect(await agent.error('browser_tabs', { action: 'select', index: 9 })).toContain('You have 2 tabs of your own');
      await agent.text('browser_tabs', { action: 'close', tabId: second });
      expect(await agent.text('browser_snapshot')).toMatch(/^<\w{7} untrusted /);

      expect(await agent.error('browser_snapshot', { tabId: second })).toContain('TAB_NOT_FOUND');
    });

    test('lists and selects a tab that is a window of its own, as that of a sign-in', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const tabId = await stage.browser.worker.evaluate(
        async (url) => (await chrome.windows.create({ url, type: 'popup', focused: false }))?.tabs?.[0]?.id,
        `${stage.url}/sized.html?window`,
      );

      expect(await agent.text('browser_tabs', { action: 'list' })).toMatch(new RegExp(`- ${tabId} .*sized\\.html\\?window`));
      expect(await agent.text('browser_tabs', { action: 'select', tabId })).toContain(`Tab ${tabId} `);
    });

    test('leaves no tab behind for a call that is given up, and works on in the one before it', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const over = new AbortController();
      const opened = stage.browser.context.waitForEvent('page');

      const call = agent.call('browser_tabs', { action: 'new', url: `${stage.url}/held?tab` }, { signal: over.signal });
      await opened;
      over.abort();

      expect(JSON.stringify(await call)).toContain('CALL_CANCELLED');
      expect(await agent.text('browser_snapshot')).toContain('Create an account');
      await expect.poll(async () => (await agent.text('browser_tabs', { action: 'list' })).match(/^- \d+ \(.*yours\)/gm)?.length).toBe(1);
    });

    test('never closes a tab of another session', async ({ stage }) => {
      const mine = await open(stage, 'form.html');
      const other = await open(stage, 'shadow.html');
      const tabId = await currentTab(other);

      expect(await mine.error('browser_tabs', { action: 'close', tabId })).toContain('TAB_NOT_FOUND');
      expect(await other.text('browser_snapshot')).toContain('Shadow roots');
    });

    test('tells once that the current tab was closed, and then begins anew', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const tabId = await currentTab(agent);
      await stage.browser.worker.evaluate((id) => chrome.tabs.remove(id), tabId);

      const result = await agent.call('browser_snapshot');

      expect(JSON.stringify(result)).toContain('was closed');
      await agent.text('browser_navigate', { url: `${stage.url}/shadow.html` });
      expect(await agent.text('browser_snapshot')).toContain('Shadow roots');
    });

    test('closes the current one where none is named, as long as the call has nothing that it does not know', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const tabId = await currentTab(agent);

      expect(await agent.error('browser_tabs', { action: 'close', which: tabId })).toMatch(/^INPUT_INVALID: .*unknown: which/);
      expect(await agent.text('browser_tabs', { action: 'close' })).toContain(`Closed tab ${tabId}.`);
      expect(await agent.error('browser_tabs', { action: 'close' })).toMatch(/^TAB_NOT_FOUND: .*browser_navigate/);
    });

    test('asks for the tab it needs', async ({ stage }) => {
      expect(await stage.agent().error('browser_tabs', { action: 'select' })).toContain('needs "tabId"');
      expect(await stage.agent().error('browser_tabs', { action: 'burn' })).toContain('"action"');
      expect(await stage.agent().error('browser_tabs', { action: 'select', tabId: 1 })).toContain('TAB_NOT_FOUND');
    });
  },
);

describe('browser_tabs beside a private window that the extension may see', () => {
  ownTest('marks its tabs, and opens none there', { tags: 'whole' }, async ({ stage }) => {
    const settings = await stage.browser.context.newPage();
    await settings.goto('chrome://extensions/');
    await settings.evaluate(
      `(async () => chrome.developerPrivate.updateExtensionConfiguration({ extensionId: ${JSON.stringify(EXTENSION_ID)}, incognitoAccess: true }))()`,
    );
    // It is loaded again for that.
    await until(() => stage.bridge.browsers().length === 1, { what: 'the extension to be back' });
    await settings.goto(new URL('options.html', EXTENSION_ORIGIN).href);
    const opened = await settings.evaluate(async (url) => {
      const made = await chrome.windows.create({ incognito: true, focused: true, url });
      return made?.id;
    }, `${stage.url}/form.html`);

    const agent = await stage.open('shop.html');
    const listed = (): Promise<string> => agent.text('browser_tabs', { action: 'list' });

    expect(opened).toBeDefined();
    await expect.poll(listed).toMatch(new RegExp(`- \\d+ \\(active, private, window ${opened}\\): "Create an account"`));
    expect(await listed()).toMatch(/- \d+ \(current, yours, window \d+\): "Shop"/);
    expect(await settings.evaluate(async () => (await chrome.tabGroups.query({})).map(({ title }) => title))).toEqual(['Test']);
  });
});

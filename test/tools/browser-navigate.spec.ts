import { expect } from 'vitest';
import { OWN_PORT } from './tool-stage.ts';
import { describeTabs, test } from './tool-test.ts';

describeTabs(
  (how) => `browser_navigate in a ${how} tab`,
  ({ open }) => {
    test('opens a tab in the background in the session’s own named group, and stays in it', async ({ stage }) => {
      const agent = stage.agent('Compare prices');
      const before = await stage.browser.worker.evaluate(async () => (await chrome.tabs.query({ active: true }))[0]?.id);

      expect(await agent.text('browser_navigate', { url: `${stage.url}/form.html` })).toContain('A page was loaded (HTTP 200).');
      await agent.text('browser_navigate', { url: `${stage.url}/shadow.html` });

      const group = await stage.browser.worker.evaluate(async () => {
        const [found] = await chrome.tabGroups.query({ title: 'Compare prices' });
        const tabs = found === undefined ? [] : await chrome.tabs.query({ groupId: found.id });
        return { color: found?.color, urls: tabs.map((tab) => tab.url) };
      });
      expect(group.urls).toEqual([`${stage.url}/shadow.html`]);
      expect(group.color).not.toBe('grey');
      expect(await stage.browser.worker.evaluate(async () => (await chrome.tabs.query({ active: true }))[0]?.id)).toBe(before);
    });

    test('goes back, also to a page kept in memory', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      await agent.text('browser_navigate', { url: `${stage.url}/shadow.html` });

      expect(await agent.text('browser_navigate_back')).toContain('title: Create an account');
      expect(await agent.text('browser_snapshot')).toContain('Create an account');
    });

    test('goes back and reloads while the page still waits for a picture', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const url = `${stage.url}/says?text=${encodeURIComponent('<title>Waits</title><img src="/held?picture">')}`;
      await agent.text('browser_navigate', { url });

      expect(await agent.text('browser_reload')).toMatch(/A page was loaded \(HTTP 200\)[^]*title: Waits/);
      expect(await agent.text('browser_navigate_back')).toContain('title: Create an account');
    });

    test('goes back from a page that could not be loaded, and forward to it', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      await agent.error('browser_navigate', { url: 'http://nonsense.invalid/' });

      expect(await agent.text('browser_navigate_back')).toContain('title: Create an account');
      expect(await agent.error('browser_navigate_forward')).toContain('net::ERR_NAME_NOT_RESOLVED');
    });

    test('says what the server or the network said', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const go = (url: string): Promise<string> => agent.error('browser_navigate', { url });

      expect(await agent.text('browser_navigate', { url: `${stage.url}/missing.html` })).toContain('HTTP 404');
      expect(await go('http://nonsense.invalid/')).toContain('net::ERR_NAME_NOT_RESOLVED');
      expect(await go('http://127.0.0.1:9/')).toMatch(/net::ERR_(?:CONNECTION_REFUSED|UNSAFE_PORT)/);
      expect(await go(`${stage.url}/no-content`)).toContain('an answer without content');
      expect(await agent.error('browser_navigate_back', { tabId: 987_654_321 })).toContain('TAB_NOT_FOUND');
    });

    test('tells of a page that lets nobody hear of its arrival, and of the one to which a page leads on when it is there', async ({
      stage,
    }) => {
      const agent = await open(stage, 'form.html');

      expect(await agent.text('browser_navigate', { url: `${stage.url}/silent.html` })).toMatch(/HTTP 200[^]*title: Nobody hears/);
      expect(await agent.text('browser_navigate', { url: `${stage.url}/leads-on.html` })).toMatch(/HTTP 200[^]*title: Create an account/);
    });

    test('moves within a page without loading it', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      expect(await agent.text('browser_navigate', { url: `${stage.url}/form.html#out` })).toContain('/form.html#out');
    });

    test('opens nothing but the web, and never Pilotfish itself', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const refused = [
        'chrome://settings',
        'chrome-extension://pgdlaadhmoiocfabflcddjfihdjegdoi/sidepanel.html',
        'file:///etc/passwd',
        'view-source:http://example.com',
        'javascript:alert(1)',
        'data:text/html,x',
        'devtools://devtools',
        'about:settings',
        'chromewebstore.google.com',
        'https://vault.bitwarden.com/#/login',
        ...['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '127.1', '2130706433', '0x7f.1', 'x.localhost', '[::ffff:127.0.0.1]'].map(
          (host) => `http://${host}:${OWN_PORT}/api/status`,
        ),
      ];

      for (const url of refused)
        expect([url, await agent.error('browser_navigate', { url })]).toEqual([url, expect.stringContaining('URL_NOT_ALLOWED')]);
      expect(await agent.text('browser_snapshot')).toContain('Create an account');
      expect(await agent.text('browser_navigate', { url: 'about:blank' })).toContain('url: about:blank');
      const without = stage.agent();
      expect(await without.error('browser_navigate', { url: 'https://vault.bitwarden.com/' })).toContain('URL_NOT_ALLOWED');
      expect(await without.text('browser_tabs', { action: 'list' })).not.toMatch(/\(.*yours\)/);
    });

    test('refuses arguments that are misspelt and ignores those that mean nothing, in words', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const asked = agent.asked.length;
      expect(await agent.error('browser_navigate', { url: 'back' })).toContain('browser_navigate_back');
      expect(agent.asked).toHaveLength(asked);

      expect(await agent.error('browser_navigate', { url: `${stage.url}/form.html`, tabIds: 1 })).toContain(
        'unknown: tabIds; remove and retry. Expected arguments: url, tabId?.',
      );
      expect(await agent.text('browser_navigate', { url: `${stage.url}/form.html`, waitUntil: 'load' })).toContain('waitUntil');
      expect(await agent.error('browser_navigate', {})).toContain('"url"');
    });
  },
);

/** Tabs and windows that the pages of an agent open: they are the session's, and the person goes on seeing what they saw. */
import { type Browser, type Page, type Worker, chromium } from 'playwright-core';
import { describe, expect } from 'vitest';
import { EXTENSION_ID } from '#protocol/version.ts';
import { until } from '#test/fixtures/until.ts';
import { type Agent, type PlainStage, currentTab, textOf } from './tool-stage.ts';
import { plainTest } from './tool-test.ts';

const WINDOW = `opened = window.open('/article.html', '', 'width=400,height=300')`;

const test = plainTest.extend<{ view: View }>({
  view: async ({ stage }, use) => {
    const browser = await chromium.connectOverCDP(await stage.debuggingAddress(0));
    const workers = (): Worker[] => browser.contexts().flatMap((context) => context.serviceWorkers());
    const worker = await until(() => workers().find((one) => one.url().includes(EXTENSION_ID)), { what: 'the worker' });
    await use(new View(browser, worker));
    await browser.close();
  },
});

/** What the person has on their screen. */
class View {
  readonly #browser: Browser;
  readonly #worker: Worker;

  constructor(browser: Browser, worker: Worker) {
    this.#browser = browser;
    this.#worker = worker;
  }

  page(url: string): Promise<Page> {
    const pages = (): Page[] => this.#browser.contexts().flatMap((context) => context.pages());
    return until(() => pages().find((page) => page.url() === url), { what: url });
  }

  /** The person opens a window of their own, and works there. */
  async openWindow(): Promise<AsyncDisposable & { id: number }> {
    const id = await this.#worker.evaluate(async () => (await chrome.windows.create({ url: 'about:blank', focused: true }))?.id ?? 0);
    return { id, [Symbol.asyncDispose]: () => this.#worker.evaluate((windowId) => chrome.windows.remove(windowId), id) };
  }

  /** Brings a tab to the front of its window, and takes it out of its group. */
  async bringOut(tabId: number): Promise<void> {
    await this.#worker.evaluate(async (id) => {
      await chrome.tabs.ungroup(id);
      await chrome.tabs.update(id, { active: true });
    }, tabId);
  }

  /** Which window is in front, how many others than ordinary ones there are, and which tabs are to be seen. */
  look(): Promise<{ inFront: number | undefined; others: number; shown: (number | undefined)[] }> {
    return this.#worker.evaluate(async () => ({
      inFront: (await chrome.windows.getLastFocused()).id,
      others: (await chrome.windows.getAll()).filter(({ type }) => type !== 'normal').length,
      shown: (await chrome.tabs.query({ active: true, windowType: 'normal' })).map(({ id }) => id),
    }));
  }

  /** Keeps the extension's worker from hearing of anything for so long, as a busy machine does. */
  async holdWorkerUp(ms: number): Promise<void> {
    await this.#worker.evaluate((limitMs) => {
      setTimeout(() => {
        for (const endsAt = Date.now() + limitMs; Date.now() < endsAt;);
      });
    }, ms);
  }
}

const openPage = async (stage: PlainStage, name: string): Promise<{ agent: Agent; tabId: number; url: string }> => {
  const page = `says?text=${name}`;
  const agent = await stage.open(page);
  return { agent, url: `${stage.url}/${page}`, tabId: await currentTab(agent) };
};

/** The tab of which the session is told that a page has opened it. */
const toldTab = (agent: Agent): Promise<number> =>
  until(async () => Number(/State:.* opened: tab (\d+)/.exec(await agent.text('browser_tabs', { action: 'list' }))?.[1]) || null, {
    what: 'an opened tab in the State: line',
  });

describe('a window that asks for something and closes itself', () => {
  const says = (html: string): string => `says?text=${encodeURIComponent(html)}`;
  const answer = (how: string): string => `opener.document.title = 'Allowed'; ${how}`;
  const opener = (html: string): string =>
    says(`<button onclick="window.open('/${says(html).replaceAll("'", '%27')}', '', 'width=300,height=300')">Open</button>`);
  const openIn = async (agent: Agent): Promise<number> =>
    Number(/It opened tab (\d+)/.exec(await agent.text('browser_click', { target: 'button' }))?.[1]);

  test('is drawn, pictured and pressed by real input', async ({ stage }) => {
    const agent = await stage.open(
      opener('<h1>May it?</h1><p>no</p><button onclick="document.querySelector(\'p\').textContent = event.isTrusted">Allow</button>'),
    );
    const tabId = await openIn(agent);

    expect(await agent.text('browser_hover', { target: 'button', tabId })).toContain('The pointer is over it.');
    expect(await agent.text('browser_click', { target: 'button', trusted: true, tabId })).toContain('Clicked.');
    expect(await agent.text('browser_take_screenshot', { tabId })).toContain(`Picture of tab ${tabId}`);
    expect(await agent.text('browser_snapshot', { tabId })).toContain('\ntrue\n');
  });

  for (const [when, how] of Object.entries({
    'a little later': 'setTimeout(() => self.close(), 300)',
    'when its server has answered': "fetch('/article.html').then(() => self.close())",
  })) {
    test(`${when}: the click is told as done, and where it leads to is the page that opened it`, async ({ stage }) => {
      const agent = await stage.open(opener(`<button onclick="${answer(how)}">Allow</button>`));
      const tabId = await openIn(agent);

      const told = await agent.text('browser_click', { target: 'button', tabId });

      expect(told).toMatch(/^Clicked\. The tab was closed then\.\n/);
      expect(told).toContain('target: [');
      expect(await agent.text('browser_snapshot')).toContain('"Allowed"');
    });
  }

  test('in the same moment: it is told that the click may have been made', async ({ stage }) => {
    const agent = await stage.open(opener(`<button onclick="${answer('self.close()')}">Allow</button>`));
    const tabId = await openIn(agent);

    const told = textOf(await agent.call('browser_click', { target: 'button', tabId }));

    expect(told).toMatch(/^(?:Clicked\. The tab was closed then\.|TAB_NOT_FOUND: .*what was begun may have happened)/);
    expect(await agent.text('browser_snapshot')).toContain('"Allowed"');
  });
});

describe('a window that a page of an agent opens', () => {
  test('in a call is a tab of the session with its opener, and the person keeps the window in front', async ({ stage, view }) => {
    const button = encodeURIComponent(`<title>Opener</title><button onclick="${WINDOW}">Open</button>`);
    const { agent, tabId: by } = await openPage(stage, button);
    await using persons = await view.openWindow();
    const { shown } = await view.look();

    const receipt = await agent.text('browser_click', { target: 'button' });

    const tabId = Number(/It opened tab (\d+)/.exec(receipt)?.[1]);
    expect(await agent.text('browser_tabs', { action: 'list' })).toContain(`- ${tabId} (yours, `);
    expect(await view.look()).toEqual({ inFront: persons.id, others: 0, shown });
    expect(await agent.text('browser_evaluate', { tabId, function: 'opener.document.title' })).toContain('Opener');
    // It was not loaded anew: the page that has opened it still holds it, and may close it.
    await agent.text('browser_evaluate', { tabId: by, function: 'opened.close()' });
    const list = (): Promise<string> => agent.text('browser_tabs', { action: 'list' });
    await until(async () => !(await list()).includes(`- ${tabId} `), { what: 'the tab to be closed' });
  });

  test('by itself is the same, from a tab without a group in front of a window where nobody works', async ({ stage, view }) => {
    const { agent, tabId: by, url } = await openPage(stage, 'by-itself');
    await view.bringOut(by);
    await using persons = await view.openWindow();
    const { shown } = await view.look();

    await (await view.page(url)).evaluate(WINDOW);

    const tabId = await toldTab(agent);
    expect(await agent.text('browser_tabs', { action: 'list' })).toContain(`- ${tabId} (yours, `);
    expect(await view.look()).toEqual({ inFront: persons.id, others: 0, shown });
  });
});

describe('a tab that a page of an agent opens', () => {
  test('and that outlives the page is the session’s, and leaves the person the tab they saw', async ({ stage, view }) => {
    const { agent, url } = await openPage(stage, 'outlived');
    const { shown } = await view.look();
    const opener = await view.page(url);
    const opened = opener.waitForEvent('popup');
    await opener.evaluate(`window.open('/says?text=outlives')`);
    const middle = await opened;
    await toldTab(agent);
    const closed = middle.waitForEvent('close');

    await view.holdWorkerUp(500);
    // A page may close a tab that another page has opened, as this one was.
    await middle.evaluate(`window.open('/article.html'); window.close()`).catch(() => null);
    await closed;

    const tabId = await toldTab(agent);
    expect(await agent.text('browser_tabs', { action: 'list' })).toContain(`- ${tabId} (yours): `);
    expect((await view.look()).shown).toEqual(shown);
  });

  test(
    'under a name is told when the page leads it elsewhere, and stays behind what the person sees',
    { tags: 'whole' },
    async ({ stage, view }) => {
      const page = `<button onclick="window.open('/form.html?1', 'help')">One</button><button onclick="window.open('/form.html?2', 'help')">Two</button>
      <a href="/form.html?3" target="help">Three</a>`;
      const agent = stage.agent();
      await agent.text('browser_navigate', { url: `${stage.url}/says?text=${encodeURIComponent(page)}` });

      const opened = await agent.text('browser_click', { target: 'text=One' });
      const tabId = /It opened tab (\d+)/.exec(opened)?.[1] ?? '';
      const { shown } = await view.look();

      for (const [target, query] of [
        ['Two', '?2'],
        ['Three', '?3'],
      ] as const) {
        const led = await agent.text('browser_click', { target: `text=${target}` });
        expect(led).toContain(`Tab ${tabId}, which the page had opened, loads another page`);
        expect(led).toContain(`tab ${tabId}: ${stage.url}/form.html${query}`);
      }
      expect(opened).not.toContain('which the page had opened');
      await expect.poll(async () => (await view.look()).shown).toEqual(shown);
      expect(shown).not.toContain(Number(tabId));
    },
  );

  test('beside another one leaves the person the tab they saw, too', async ({ stage, view }) => {
    const { agent, url } = await openPage(stage, 'opens-two');
    const { shown } = await view.look();
    const opener = await view.page(url);

    await view.holdWorkerUp(500);
    for (const name of ['one', 'two']) await opener.evaluate(`window.open('/says?text=${name}')`);

    const list = (): Promise<string> => agent.text('browser_tabs', { action: 'list' });
    await until(async () => (await list()).match(/yours\): /g)?.length === 3, { what: 'all tabs to be the session’s' });
    expect((await view.look()).shown).toEqual(shown);
  });
});

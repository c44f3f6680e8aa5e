import { describe, expect, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { sampleGrant } from '#test/fixtures/samples.ts';
import { until } from '#test/fixtures/until.ts';
import { type Agent, type ToolStage, currentTab, stopWorker, textOf } from './tool-stage.ts';
import { test } from './tool-test.ts';

/** A half-written form in a tab of the person's, in front of them. */
const personsTab = async (stage: ToolStage): Promise<{ page: Page; tabId: number; text: () => Promise<string> }> => {
  const page = await stage.browser.context.newPage();
  await page.goto(`${stage.url}/form.html?person=${String(Math.random())}`);
  await page.bringToFront();
  await page.locator('[name=email]').fill('half written');
  const url = page.url();
  const find = (at: string): Promise<number | undefined> => chrome.tabs.query({}).then((tabs) => tabs.find((tab) => tab.url === at)?.id);
  const tabId = await until(async () => stage.browser.worker.evaluate(find, url));
  return { page, tabId, text: () => page.locator('[name=email]').inputValue() };
};

const never = (agent: Agent): Agent => {
  agent.answerWith(() => 'reject');
  return agent;
};

describe("the person's own tab", () => {
  test('pretends what each of two sessions has set, until that one gives it back or ends', { tags: 'whole' }, async ({ stage }) => {
    const { page, tabId } = await personsTab(stage);
    const [one, other] = [stage.agent(), stage.agent()];
    const seen = (): Promise<string> =>
      page.evaluate(async () => {
        const answered = async (name: string): Promise<string> => (await fetch(`/says?text=${name}`)).text();
        const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
        const looks = ['prefers-color-scheme: dark', 'prefers-reduced-motion: reduce'].map((what) => matchMedia(`(${what})`).matches);
        return [timeZone, ...looks, await answered('one'), await answered('other')].join(' ');
      });
    const real = await seen();
    const [zone = ''] = real.split(' ');
    for (const [agent, name, emulation] of [
      [one, 'one', { timezone: 'Asia/Tokyo', colorScheme: 'dark' }],
      [other, 'other', { timezone: 'Africa/Cairo', reducedMotion: true }],
    ] as const) {
      await agent.text('browser_emulate', { tabId, ...emulation });
      await agent.text('browser_route', { tabId, pattern: `**/says?text=${name}`, body: `for ${name}` });
    }
    expect(await seen()).toBe('Africa/Cairo true true for one for other');

    expect(await other.text('browser_route_list', { tabId })).toBe('- **/says?text=other: answered with 200');
    expect(await other.text('browser_unroute', { tabId })).toBe('1 taken back, 0 left.');
    expect(await other.text('browser_emulate', { tabId })).toMatch(/ sees what others than you have set\.$/);
    expect(await seen()).toBe('Asia/Tokyo true false for one other');
    await one.text('browser_resize', { tabId, width: 640, height: 480 });
    await other.text('browser_resize', { tabId, width: 800, height: 600 });
    expect(await other.text('browser_resize', { tabId })).toMatch(/ is 6\d\d × 480 CSS pixels now, as others than you have set it\.$/);
    expect(await one.text('browser_resize', { tabId })).toMatch(/ CSS pixels now, as its window\.$/);
    await other.text('browser_emulate', { tabId, timezone: 'Africa/Cairo' });
    await stopWorker(stage);
    stage.bridge.sessionEnded(one.sessionId);
    const left = `Africa/Cairo ${real.slice(zone.length + 1)}`;
    await until(async () => (await seen()) === left, { what: 'what the first session had set to be given back' });
    stage.bridge.sessionEnded(other.sessionId);
    await until(async () => (await seen()) === real, { what: 'all to be given back' });
  });

  test('is looked at without becoming the session’s: the next navigation opens a tab of its own', async ({ stage }) => {
    const person = await personsTab(stage);
    const agent = never(stage.agent());

    expect(await agent.text('browser_snapshot')).toContain('Create an account');
    await agent.text('browser_navigate', { url: `${stage.url}/settle.html` });

    expect(await person.text()).toBe('half written');
    expect(await currentTab(agent)).not.toBe(person.tabId);
    expect(agent.asked).toEqual([]);
  });

  test('is neither navigated, gone back in, shown, closed, clicked nor typed into without being asked for', async ({ stage }) => {
    const person = await personsTab(stage);
    await (await stage.browser.context.newPage()).bringToFront();
    const agent = never(stage.agent());
    const { tabId } = person;

    for (const [name, args] of [
      ['browser_navigate', { url: `${stage.url}/settle.html`, tabId }],
      ['browser_navigate_back', { tabId }],
      ['browser_tabs', { action: 'select', tabId }],
      ['browser_tabs', { action: 'close', tabId }],
      ['browser_click', { target: '#card', tabId }],
      ['browser_type', { target: '[name=email]', text: 'taken', tabId }],
    ] as const)
      expect(textOf(await agent.call(name, args)), name).toContain('CONSENT_DENIED');

    expect(agent.asked).toHaveLength(6);
    for (const { title } of agent.asked) expect(title).toMatch(/, in your own tab$/);
    expect(await person.text()).toBe('half written');
    expect(await stage.browser.worker.evaluate(async (id) => (await chrome.tabs.get(id)).active, tabId)).toBe(false);
  });

  test('is closed for no site that it shows only since the person was asked', async ({ stage }) => {
    const person = await personsTab(stage);
    const agent = stage.agent();
    const { tabId, page } = person;
    const bank = `${stage.otherUrl}/form.html?bank`;
    // Once while they are asked, and once when they have said yes.
    agent.answerWith(async (): Promise<'once'> => {
      if (agent.asked.length === 1) await page.goto(bank);
      return 'once';
    });
    const pass = stage.bridge.call.bind(stage.bridge);
    const spy = vi.spyOn(stage.bridge, 'call').mockImplementationOnce(async (input, options) => {
      await page.goto(`${stage.url}/form.html`);
      return pass(input, options);
    });

    const told = await agent.error('browser_tabs', { action: 'close', tabId });
    spy.mockRestore();

    expect(told).toMatch(/^DOCUMENT_CHANGED/);
    expect(agent.asked.map(({ detail }) => /Address: (\S*)/.exec(detail ?? '')?.[1])).toEqual([expect.stringContaining('person='), bank]);
    expect(page.isClosed()).toBe(false);
  });

  test('tells of its requests those since a session looked at it, without those of other sites', { tags: 'whole' }, async ({ stage }) => {
    const { page, tabId } = await personsTab(stage);
    const form = page.url();
    const listed = (agent: Agent): Promise<string> => agent.text('browser_network_requests', { tabId });
    const [one, two] = [never(stage.agent()), never(stage.agent())];
    await listed(one);
    await page.evaluate(() => fetch('/says?text=mine'));
    await page.goto(`${stage.otherUrl}/form.html?bank`);
    await page.goto(form);

    await expect.poll(() => listed(one)).toMatch(/text=mine[^]*form\.html/);
    expect(await listed(one)).not.toContain('bank');
    expect(await listed(two)).not.toMatch(/mine|bank/);
  });

  test('asks the person whether to leave it unsaved, and nobody answers that for them while an agent looks', async ({ stage }) => {
    const { page, tabId, text } = await personsTab(stage);
    await page.locator('[name=email]').press('End');
    await page.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()));
    const agent = never(stage.agent());
    // The debugger that this takes stays for a while.
    await agent.text('browser_console_messages', { tabId });
    const asking = page.waitForEvent('dialog');
    const closing = page.close({ runBeforeUnload: true });
    const dialog = await asking;

    await until(async () => textOf(await agent.call('browser_console_messages', { tabId })).startsWith('DIALOG_OPEN'));

    await dialog.dismiss();
    await closing;
    expect(await text()).toBe('half written');
    expect(agent.asked).toEqual([]);
  });

  test('is asked for once when it is handed over, and each time when it is not', async ({ stage }) => {
    const person = await personsTab(stage);
    const agent = stage.agent();
    const type = (): Promise<string> => agent.text('browser_type', { target: '[name=email]', text: 'a@b.c', tabId: person.tabId });

    agent.answerWith(() => 'once');
    await type();
    await type();
    expect(agent.asked).toHaveLength(2);
    agent.answerWith(() => 'session');
    await type();
    await type();

    expect(agent.asked).toHaveLength(3);
    expect(await currentTab(agent)).toBe(person.tabId);
  });
});

describe("a page of Pilotfish's own", () => {
  test('is neither read nor pressed by any tool, and nobody is asked for it', async ({ stage }) => {
    const page = await stage.browser.context.newPage();
    await page.goto(new URL('sidepanel.html', stage.browser.worker.url()).href);
    await page.evaluate(() => {
      for (const type of ['pointerdown', 'click', 'keydown', 'input', 'dragenter', 'pointermove', 'focus'])
        addEventListener(type, () => (document.title = `touched by ${type}`), true);
    });
    const title = await page.title();
    const tabId = await until(() =>
      stage.browser.worker.evaluate(async (at) => (await chrome.tabs.query({})).find((tab) => tab.url === at)?.id, page.url()),
    );
    const agent = stage.agent();

    for (const [name, args] of [
      ['browser_snapshot', {}],
      ['browser_read', {}],
      ['browser_find', { text: 'Pilotfish' }],
      ['browser_take_screenshot', {}],
      ['browser_pdf_save', {}],
      ['browser_console_messages', {}],
      ['browser_evaluate', { function: "() => document.querySelector('button').click()" }],
      ['browser_click', { target: 'button' }],
      ['browser_click', { target: 'button', trusted: true }],
      ['browser_click', { x: 20, y: 20 }],
      ['browser_type', { target: 'textarea', text: 'yes' }],
      ['browser_fill_form', { fields: [{ target: 'textarea', value: 'yes' }] }],
      ['browser_press_key', { key: 'Enter' }],
      ['browser_hover', { target: 'button' }],
      ['browser_drag', { startTarget: 'button', endTarget: 'body' }],
      ['browser_drop', { target: 'body', data: { 'text/plain': 'yes' } }],
      ['browser_select_option', { target: 'select', values: ['always'] }],
      ['browser_scroll', { direction: 'down' }],
      ['browser_handle_dialog', { accept: true }],
      ['browser_page_tool', { name: 'allow' }],
    ] as const)
      expect(textOf(await agent.call(name, { ...args, tabId })), name).toMatch(/^(?:TAB_RESTRICTED|CONSENT_DENIED): /);

    expect(agent.asked).toEqual([]);
    expect(await page.title()).toBe(title);
  });
});

describe("what a session makes the person's own tab pretend", () => {
  test(
    'goes on without the worker that set it, which holds up no request, and ends with the session',
    { tags: 'whole' },
    async ({ stage }) => {
      const person = await personsTab(stage);
      const agent = stage.agent();
      const { tabId, page } = person;
      const ask = (): Promise<string> =>
        page.evaluate(async () => {
          const answer = await fetch('/says?text=server');
          return `${answer.status} ${matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'}`;
        });
      const before = await ask();
      await agent.text('browser_emulate', { colorScheme: 'dark', tabId });
      await agent.text('browser_route', { pattern: '*/says?text=*', status: 418, tabId });
      expect(await ask()).toBe('418 dark');

      await stopWorker(stage);
      expect(await ask()).toBe('418 dark');
      stage.bridge.sessionEnded(agent.sessionId);

      await until(async () => (await ask()) === before, { what: 'the tab to be as it was' });
      expect(await person.text()).toBe('half written');
    },
  );
});

describe("what a session makes the person's own tab pretend, where that was not handed over", () => {
  test('ends where the person goes on to another site in it', { tags: 'whole' }, async ({ stage }) => {
    const { page, tabId } = await personsTab(stage);
    const agent = stage.agent();
    const isDark = (): Promise<boolean> => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
    await agent.text('browser_emulate', { colorScheme: 'dark', tabId });
    await page.reload();
    expect(await isDark()).toBe(true);

    await page.goto(`${stage.otherUrl}/form.html`);

    await until(async () => !(await isDark()), { what: 'the tab to be as it was' });
    expect(await agent.text('browser_snapshot', { tabId })).toContain('emulation of this tab have ended');
  });
});

describe('requests that an agent may answer in place of their server', () => {
  test(
    'go to their server again when the permission is taken back, and where the person keeps the site as it is',
    { tags: 'whole' },
    async ({ stage }) => {
      const person = await personsTab(stage);
      const agent = stage.agent();
      const { tabId, page } = person;
      const ask = (): Promise<string> => page.evaluate(async () => `${(await fetch('/says?text=server')).status}`);
      const route = { pattern: '*/says?text=*', status: 418, tabId };
      const dark = (): Promise<boolean> => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
      await agent.text('browser_emulate', { colorScheme: 'dark', tabId });
      agent.answerWith(() => 'session');
      await agent.text('browser_route', route);
      expect(await ask()).toBe('418');

      for (const { id } of stage.grants.list()) stage.grants.remove(id);

      await until(async () => (await ask()) === '200', { what: 'the server to be asked' });
      expect(await dark()).toBe(true);
      expect(await agent.text('browser_route_list', { tabId })).toMatch(/All requests go to their server[^]*routes of this tab have ended/);
      agent.answerWith(() => 'once');
      await agent.text('browser_route', route);
      expect(await ask()).toBe('418');
      stage.sites.set(stage.url, 'read_only');
      await until(async () => (await ask()) === '200', { what: 'the server to be asked' });
      stage.sites.remove(stage.url);
    },
  );

  test(
    "are also those of frames that name nobody, where the page made them, and of no frame that is nobody's",
    { tags: 'whole' },
    async ({ stage }) => {
      const { page, tabId } = await personsTab(stage);
      await stage.agent().text('browser_route', { pattern: '*/says?text=*', status: 218, tabId });

      const heard = await page.evaluate(async () => {
        const run = `fetch('${location.origin}/says?text=server', { referrerPolicy: 'no-referrer' })
        .then(({ status }) => status, () => 'failed').then((said) => top.postMessage(said, '*'))`;
        const html = `<script>${run}</script>`;
        const ways: Record<string, (frame: HTMLIFrameElement) => unknown> = {
          empty: (frame) => frame.contentDocument?.write(html),
          srcdoc: (frame) => (frame.srcdoc = html),
          blob: (frame) => (frame.src = URL.createObjectURL(new Blob([html], { type: 'text/html' }))),
          sandbox: (frame) => {
            frame.sandbox.add('allow-scripts');
            frame.srcdoc = html;
          },
          data: (frame) => (frame.src = `data:text/html,${encodeURIComponent(html)}`),
        };
        const said: unknown[] = [];
        for (const load of Object.values(ways)) {
          const answer = new Promise((resolve) => addEventListener('message', ({ data }) => resolve(data), { once: true }));
          load(document.body.appendChild(document.createElement('iframe')));
          said.push(await answer);
        }
        return said;
      });

      expect(heard.slice(0, 3)).toEqual([218, 218, 218]);
      expect(heard.slice(3)).not.toContain(218);
    },
  );
});

describe("another session's tab", () => {
  test('does not exist: it is not listed, read, changed, shown or closed', async ({ stage }) => {
    const one = await stage.open('form.html');
    const tabId = await currentTab(one);
    const two = stage.agent();

    expect(await two.text('browser_tabs', { action: 'list' })).not.toContain(String(tabId));
    for (const [name, args] of [
      ['browser_snapshot', { tabId }],
      ['browser_take_screenshot', { tabId }],
      ['browser_click', { target: '#card', tabId }],
      ['browser_type', { target: '[name=email]', text: 'taken', tabId }],
      ['browser_navigate', { url: stage.url, tabId }],
      ['browser_navigate_back', { tabId }],
      ['browser_tabs', { action: 'select', tabId }],
      ['browser_tabs', { action: 'close', tabId }],
    ] as const)
      expect(textOf(await two.call(name, args)), name).toContain('TAB_NOT_FOUND');

    expect(two.asked).toEqual([]);
    expect(await one.text('browser_snapshot')).toContain('Create an account');
  });

  test('is not the one in front of the person, either', async ({ stage }) => {
    const one = await stage.open('form.html');
    await one.text('browser_tabs', { action: 'select', tabId: await currentTab(one) });

    expect(await stage.agent().error('browser_snapshot')).toMatch(/TAB_NOT_FOUND.*browser_navigate/s);
  });
});

describe('the tabs of a session', () => {
  test('close with it', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const tabId = await currentTab(agent);

    stage.bridge.sessionEnded(agent.sessionId);

    await until(() =>
      stage.browser.worker.evaluate(
        (id) =>
          chrome.tabs.get(id).then(
            () => false,
            () => true,
          ),
        tabId,
      ),
    );
  });
});

describe('a permission that is taken back while a call runs', () => {
  test('ends it, as a rule for the site does, and another one that comes or goes does not', async ({ stage }) => {
    const agent = await stage.open('form.html');
    agent.answerWith(() => 'session');
    const page = stage.pageAt('form.html');
    await page.evaluate(() => document.body.insertAdjacentHTML('afterbegin', '<p id="said" onclick="this.title = 1">Said</p>'));
    const going = async (what: string): Promise<{ ended: Promise<string> }> => {
      const run = `async () => { document.querySelector('#said').textContent = '${what}'; while (document.querySelector('#said').title === '') await new Promise((resolve) => setTimeout(resolve, 20)); return 'came to its end'; }`;
      const ended = agent.call('browser_evaluate', { function: run }).then(textOf);
      await page.getByText(what, { exact: true }).waitFor();
      return { ended };
    };

    const taken = await going('first');
    for (const { id } of stage.grants.list()) stage.grants.remove(id);
    expect(await taken.ended).toMatch(/^CONSENT_DENIED: .*taken back the permission for it while it ran/);

    await agent.text('browser_evaluate', { function: '1' });
    const closed = await going('second');
    stage.sites.set(stage.url, 'read_only');
    expect(await closed.ended).toMatch(/^SITE_NOT_ALLOWED: .*stopped on the way/);
    stage.sites.remove(stage.url);

    const lasts = await going('third');
    stage.grants.add({ ...sampleGrant, id: 'other' });
    stage.grants.remove('other');
    await page.locator('#said').click();
    expect(await lasts.ended).toContain('came to its end');
  });
});

describe('a permission that is taken back while a call waits for another one in its tab', () => {
  test('lets it do nothing any more', async ({ stage }) => {
    const agent = await stage.open('form.html');
    agent.answerWith(() => 'session');
    const page = stage.pageAt('form.html');
    await page.evaluate(() =>
      document.body.insertAdjacentHTML('afterbegin', '<button id="counted" onclick="this.title += 1">Count</button>'),
    );
    await agent.text('browser_click', { target: '#counted' });
    const waiting = vi.spyOn(stage.bridge, 'call');
    const clicking = vi.spyOn(stage.bridge, 'callOn');

    const waits = agent.text('browser_wait_for', { text: 'Go on now' });
    await expect.poll(() => waiting.mock.calls.length).toBe(1);
    const clicked = agent.error('browser_click', { target: '#counted' });
    await expect.poll(() => clicking.mock.calls.length).toBe(1);
    for (const { id } of stage.grants.list()) stage.grants.remove(id);
    await page.evaluate(() => document.body.append('Go on now'));
    await waits;

    expect(await clicked).toContain('CONSENT_DENIED');
    expect(await page.evaluate(() => document.getElementById('counted')?.title)).toBe('1');
    for (const spy of [waiting, clicking]) spy.mockRestore();
  });
});

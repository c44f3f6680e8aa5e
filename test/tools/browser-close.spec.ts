import { describe, expect } from 'vitest';
import { type Agent, type AgentStage, currentTab } from './tool-stage.ts';
import { describeTabs, plainTest, test } from './tool-test.ts';

/** Whether the tab is there, as a session of its own sees it. */
const isThere = async (stage: AgentStage, agent: Agent, tabId: number): Promise<boolean> =>
  (await agent.text('browser_tabs', { action: 'list' })).includes(`- ${tabId}`);

describeTabs(
  (how) => `browser_close in a ${how} tab`,
  ({ open }) => {
    plainTest('closes the current tab, and the next navigation opens another one', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const tabId = await currentTab(agent);

      expect(await agent.text('browser_close')).toMatch(new RegExp(`^Closed tab ${tabId}\\. .*browser_navigate`));

      expect(await isThere(stage, agent, tabId)).toBe(false);
      expect(await agent.error('browser_close')).toMatch(/^TAB_NOT_FOUND: .*no tab/);
      await agent.text('browser_navigate', { url: `${stage.url}/shadow.html` });
      expect(await currentTab(agent)).not.toBe(tabId);
      expect(agent.asked).toEqual([]);
    });

    plainTest('closes at once a page that asks whether to leave it, and one that stands behind a dialog', async ({ stage }) => {
      const agent = await open(stage, 'awake.html');
      await agent.text('browser_click', { target: '#unsaved', trusted: true });
      expect(await agent.text('browser_close')).toMatch(/^Closed tab/);

      await agent.text('browser_navigate', { url: `${stage.url}/awake.html` });
      const tabId = await currentTab(agent);
      await agent.text('browser_click', { target: '#confirm' });
      expect(await agent.text('browser_close', { tabId })).toBe(
        `Closed tab ${tabId}. There is no current tab now: browser_navigate opens one.`,
      );

      expect(await isThere(stage, agent, tabId)).toBe(false);
    });
  },
);

describe('browser_close', () => {
  plainTest('closes another tab of the session and stays in the current one', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const first = await currentTab(agent);
    await agent.text('browser_tabs', { action: 'new', url: `${stage.url}/shadow.html` });

    expect(await agent.text('browser_close', { tabId: first })).toBe(`Closed tab ${first}.`);

    expect(await agent.text('browser_snapshot')).toContain('Shadow roots');
  });

  plainTest('goes on in the newest other tab of the session, and not in one of the person’s', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('form.html');
    const first = await currentTab(agent);
    await agent.text('browser_tabs', { action: 'new', url: `${stage.url}/shadow.html` });

    expect(await agent.text('browser_close')).toMatch(new RegExp(`^Closed tab \\d+\\. Tab ${first} is the current one now\\.$`));

    expect(await currentTab(agent)).toBe(first);
    expect(await agent.text('browser_tabs', { action: 'close', tabId: first })).toContain('There is no current tab now');
  });

  test('closes the tabs of the session at an address, and none of the person’s', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('form.html');
    const first = await currentTab(agent);
    await agent.text('browser_tabs', { action: 'new', url: `${stage.url}/form.html?step=2` });
    await agent.text('browser_tabs', { action: 'new', url: `${stage.url}/shadow.html` });
    const persons = await stage.browser.context.newPage();
    await persons.goto(`${stage.url}/form.html`);

    expect(await agent.text('browser_close', { url: `${stage.url}/form.html` })).toMatch(new RegExp(`^Closed tab ${first}, \\d+\\.$`));

    expect(persons.isClosed()).toBe(false);
    expect(await agent.text('browser_snapshot')).toContain('Shadow roots');
    expect(await agent.error('browser_close', { url: `${stage.url}/form*` })).toMatch(
      /^TAB_NOT_FOUND: .* by tabId, and they are asked: \d+\.$/,
    );
    expect(await agent.error('browser_close', { url: 'https://nowhere.example' })).toMatch(/^TAB_NOT_FOUND: .*browser_tabs lists/);
    await persons.close();
  });

  test('asks before it closes a tab of the person, and never closes one of another session', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const other = await stage.open('shadow.html');
    const persons = await stage.browser.context.newPage();
    await persons.goto(`${stage.url}/article.html`);
    const tabId = await stage.browser.worker.evaluate(
      async (url) => (await chrome.tabs.query({})).find((tab) => tab.url === url)?.id ?? -1,
      persons.url(),
    );
    agent.answerWith(() => 'reject');

    expect(await agent.error('browser_close', { tabId })).toMatch(/^CONSENT_DENIED/);
    expect(agent.asked[0]?.title).toMatch(/^Close the tab/);
    expect(agent.asked[0]?.detail).toContain(`Address: ${persons.url()}`);
    expect(persons.isClosed()).toBe(false);
    expect(await agent.error('browser_close', { tabId: await currentTab(other) })).toMatch(/^TAB_NOT_FOUND/);
    expect(await agent.error('browser_close', { tabIdx: tabId })).toContain('Expected arguments: tabId?');
    agent.answerWith(() => 'once');
    const closed = persons.waitForEvent('close');

    expect(await agent.text('browser_close', { tabId })).toBe(`Closed tab ${tabId}.`);

    await closed;
  });
});

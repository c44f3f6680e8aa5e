import { describe, expect } from 'vitest';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { until } from '#test/fixtures/until.ts';
import { type Agent, type AgentStage, currentTab } from './tool-stage.ts';
import { describeTabs, plainTest as test, test as watchedTest } from './tool-test.ts';

const open = async (stage: AgentStage, isShown: boolean): Promise<Agent> => {
  const agent = await stage.open('awake.html');
  const tabId = await currentTab(agent);
  if (isShown) await agent.text('browser_tabs', { action: 'select', tabId });
  return agent;
};

describeTabs(
  (how) => `a tab that is ${how} behaves as one that is seen for the length of a call:`,
  ({ isShown }) => {
    test('it draws, has the focus, and its timers and observers run', async ({ stage }) => {
      const agent = await open(stage, isShown);

      await agent.text('browser_type', { target: '#name', text: 'Ada' });
      await agent.text('browser_click', { target: '#go' });

      const text = await until(async () => {
        const said = await agent.text('browser_snapshot');
        return said.includes('five ticks') && said;
      });
      for (const what of ['focus', 'blur', 'frame', 'intersecting']) expect(text).toContain(what);
      expect(text).not.toContain('unseen');
    });

    test('a message is told, with the page that goes on after it', async ({ stage }) => {
      const agent = await open(stage, isShown);

      const receipt = await agent.text('browser_click', { target: '#alert' });

      expect(receipt).toContain('dialog: alert: "Stop!" (accepted)');
      expect(await agent.text('browser_snapshot')).toContain('alert closed');
    });

    test('a question waits for its answer, and says so to every call until then', async ({ stage }) => {
      const agent = await open(stage, isShown);
      const startedAt = performance.now();

      const receipt = await agent.text('browser_click', { target: '#confirm' });
      const refused = await agent.error('browser_snapshot');
      const answer = await agent.text('browser_handle_dialog', { accept: true });

      expect(performance.now() - startedAt).toBeLessThan(1_000 + SLACK_MS);
      expect(receipt).toMatch(/use browser_handle_dialog.*dialog: confirm: "Delete all\?"/s);
      expect(refused).toMatch(/^DIALOG_OPEN: .*browser_handle_dialog/);
      expect(answer).toMatch(
        /^Answered\. The page changed in 1 place\..*dialog: confirm: "Delete all\?" \(accepted\)\nappeared: .*"deleted"/s,
      );
      const asked = agent.asked.length;
      expect(await agent.error('browser_handle_dialog', { accept: true })).toContain('The page shows no dialog.');
      expect(agent.asked).toHaveLength(asked);
    });

    test('nothing is begun behind a question, so that nothing of it happens after the answer', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, isShown);
      await agent.text('browser_click', { target: '#confirm' });

      for (const [tool, args] of [
        ['browser_press_key', { key: 'a' }],
        ['browser_scroll', { direction: 'down' }],
        ['browser_evaluate', { function: '() => { document.title = "It ran"; }' }],
        ['browser_navigate_back', {}],
      ] as const)
        expect(await agent.error(tool, args), tool).toMatch(/^DIALOG_OPEN: .*browser_handle_dialog/);

      await agent.text('browser_handle_dialog', { accept: false });
      expect(await agent.text('browser_snapshot')).not.toContain('It ran');
    });

    test('a prompt takes its text, and the person is asked with the words of the page', async ({ stage }) => {
      const agent = await open(stage, isShown);

      await agent.text('browser_click', { target: '#prompt' });
      await agent.text('browser_handle_dialog', { accept: true, promptText: 'Grace' });

      expect(await agent.text('browser_snapshot')).toContain('name Grace');
      expect(JSON.stringify(agent.asked.at(-1))).toMatch(/prompt: .*Your name\?.*OK: Grace/s);
    });

    test('a page that asks whether to leave it is left at once', async ({ stage }) => {
      const agent = await open(stage, isShown);
      await agent.text('browser_click', { target: '#unsaved', trusted: true });
      const startedAt = performance.now();

      expect(await agent.text('browser_navigate', { url: `${stage.url}/form.html` })).toContain('HTTP 200');

      expect(performance.now() - startedAt).toBeLessThan(1_000 + SLACK_MS);
    });
  },
);

describe('the debugger', () => {
  watchedTest(
    'stays with a tab that is worked in, for which the person is told why, and lets go of it with the session',
    async ({ stage }) => {
      const agent = await stage.open('form.html');
      const tabId = await currentTab(agent);
      const isAttached = (): Promise<boolean> =>
        stage.browser.worker.evaluate(
          (id) =>
            chrome.debugger.sendCommand({ tabId: id }, 'Page.getLayoutMetrics').then(
              () => true,
              () => false,
            ),
          tabId,
        );

      await agent.text('browser_click', { target: '#card' });
      expect(await isAttached()).toBe(true);
      const own = await stage.browser.context.newPage();
      await own.goto(new URL('options.html', stage.browser.worker.url()).href);
      const asked = { type: 'session.tabs', sessionId: agent.sessionId };
      const told: unknown = await own.evaluate((message) => chrome.runtime.sendMessage(message), asked);
      await own.close();
      expect(told).toMatchObject({ tabs: [{ tabId, debuggedFor: ['seen'] }] });
      stage.bridge.sessionEnded(agent.sessionId);

      await until(async () => !(await isAttached()));
    },
  );
});

import { describe, expect } from 'vitest';
import { until } from '#test/fixtures/until.ts';
import { type Agent, type AgentStage, currentTab } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

const open = async (stage: AgentStage, isShown: boolean, page = 'network.html'): Promise<Agent> => {
  const agent = await stage.open(page);
  const tabId = await currentTab(agent);
  if (isShown) await agent.text('browser_tabs', { action: 'select', tabId });
  return agent;
};

describe('the requests of a tab', () => {
  test('are told, and read, on pages of their site alone', async ({ stage }) => {
    const agent = await open(stage, false);
    await agent.text('browser_click', { target: '#send' });
    const sent = /text=answer/;
    const index = Number(/(\d+)\. POST/.exec(await agent.text('browser_network_requests'))?.[1]);

    await agent.text('browser_navigate', { url: `${stage.otherUrl}/form.html` });
    const elsewhere = await agent.text('browser_network_requests');
    const before = agent.asked.length;
    const refused = await agent.error('browser_network_request', { index });
    expect(agent.asked).toHaveLength(before);
    await agent.text('browser_navigate', { url: `${stage.url}/form.html` });

    expect(elsewhere).toMatch(/GET http:\/\/localhost:\d+\/form\.html 200 page/);
    expect(elsewhere).not.toMatch(sent);
    expect(refused).toMatch(/^TOOL_ARGUMENTS: .*no request/);
    expect(await agent.text('browser_network_requests')).toMatch(sent);
    expect(await agent.text('browser_network_request', { index })).toMatch(sent);
  });
});

describeTabs(
  (how) => `browser_network_requests in a ${how} tab`,
  ({ isShown }) => {
    test('tells what the page asked for since the first call, fenced and without secrets', async ({ stage }) => {
      const agent = await open(stage, isShown);
      await agent.text('browser_click', { target: '#send' });

      const text = await agent.text('browser_network_requests');

      expect(text).toMatch(/<\w{7} untrusted http:\/\/127/);
      expect(text).toMatch(/\d+\. GET http:\/\/127\.0\.0\.1:\d+\/network\.html 200 page \d+ ms/);
      expect(text).toMatch(/\d+\. POST \S+\/says\?text=answer&api_key=\[secret\] 200 fetch \d+ ms/);
      expect(text).not.toContain('s3cr3tvalue');
      expect(agent.asked).toHaveLength(1);
    });

    test('leaves out what was loaded to show the page, unless it failed or is asked for', async ({ stage }) => {
      // Tabs of one site share a picture that is on its way, so this one has an address of its own.
      const agent = await open(stage, isShown, 'network.html?own');

      // A picture is not awaited when a page is opened.
      const listed = async (): Promise<string> => {
        const said = await agent.text('browser_network_requests');
        if (!/missing\.png\?own 404/.test(said)) throw new Error(said);
        return said;
      };
      const text = await until(listed, { what: 'the picture to fail' });

      expect(text).toMatch(/missing\.png\?own 404 image/);
      expect(text).not.toContain('late-data');
      expect(await agent.text('browser_network_requests', { static: true })).toMatch(/late-data\S+ 200 script/);
    });

    test('tells each step of a request that is sent on, and why one failed', async ({ stage }) => {
      const agent = await open(stage, isShown);
      await agent.text('browser_click', { target: '#sent-on' });
      await agent.text('browser_click', { target: '#refused' });

      const text = await agent.text('browser_network_requests');

      expect(text).toMatch(/\/to\?text=\/says 302 fetch.*\/says 200 fetch/s);
      expect(text).toMatch(/http:\/\/127\.0\.0\.1:1\/ net::ERR_\w+ fetch/);
    });

    test('counts a stream that its page has closed as no failure', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, isShown);
      const hear = "new EventSource('/late-chunks?events&ms=200&count=2')";
      const closed = `() => new Promise((done) => { const stream = ${hear}; stream.onmessage = () => done(stream.close()); })`;

      expect(await agent.text('browser_evaluate', { function: closed })).not.toContain('failed request');

      expect(await agent.text('browser_network_requests')).toMatch(/late-chunks\S+ 200 fetch/);
    });

    test('finds what is looked for', async ({ stage }) => {
      const agent = await open(stage, isShown);

      const text = await agent.text('browser_network_requests', { filter: 'nothing|127.*/Network' });

      expect(text).toMatch(/^1 request of the last \d+ s, of \d+ in all\./);
      expect(await agent.text('browser_network_requests', { filter: 'nowhere' })).toMatch(/^0 requests .*in all\.$/);
    });
  },
);

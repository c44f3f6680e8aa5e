import { expect } from 'vitest';
import { until } from '#test/fixtures/until.ts';
import { type Agent } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

/** The number of the newest request whose line matches. */
const numberOf = async (agent: Agent, pattern: RegExp): Promise<number> => {
  const text = await agent.text('browser_network_requests');
  const found = text.split('\n').findLast((line) => pattern.test(line));
  if (found === undefined) throw new Error(`no request matches ${pattern} in:\n${text}`);
  return Number.parseInt(found, 10);
};

describeTabs(
  (how) => `browser_network_request in a ${how} tab`,
  ({ open }) => {
    test('tells headers and bodies, fenced and without secrets, once it was allowed for the site', async ({ stage }) => {
      const agent = await open(stage, 'traffic.html');
      agent.answerWith(() => 'session');
      await agent.text('browser_click', { target: '#order' });
      const first = await numberOf(agent, /POST/);
      const before = await agent.text('browser_network_request', { index: first });
      await agent.text('browser_click', { target: '#order' });

      const text = await agent.text('browser_network_request', { index: await numberOf(agent, /POST/) });

      expect(before).toMatch(/^Request \d+: 200 after \d+ ms\. The browser has not kept what was answered\..*browser_reload/);
      expect(before).toContain('"item":"kettle"');
      expect(text).toMatch(/^Request \d+: 200 after \d+ ms\.\n<\w{7} untrusted http:\/\/127/);
      expect(text).toMatch(
        /Request headers:\n.*content-type: application\/json.*Request body:\n\{"item":"kettle".*Response headers:.*Response body:\n\{"price": 42/is,
      );
      expect(text).not.toMatch(/s3cr3t/);
      const cards = agent.asked.filter(({ title }) => title.startsWith('Read a request'));
      expect(cards).toHaveLength(1);
      expect(cards[0]?.detail).toMatch(/Request of the page: POST http:\/\/127/);
    });

    test(
      'tells one part, the fields of a form, the beginning of what is long, and why one failed',
      { tags: 'whole' },
      async ({ stage }) => {
        const agent = await open(stage, 'traffic.html');
        agent.answerWith(() => 'session');
        await agent.text('browser_click', { target: '#form' });
        const form = await numberOf(agent, /POST/);

        expect(await agent.text('browser_network_request', { index: form, part: 'request-body' })).toMatch(
          /POST \S+\n\nRequest body:\n(?=.*item: tea pot)(?!.*4711)/s,
        );
        expect(await agent.text('browser_network_request', { index: form, part: 'response-body' })).toContain('has not kept');
        await agent.text('browser_click', { target: '#long' });
        await agent.text('browser_wait_for', { text: 'long done' });
        const long = await agent.text('browser_network_request', { index: await numberOf(agent, /large/), part: 'response-body' });
        expect(long).toMatch(/\(the first 2[67]\d{3} of \d+ characters\)/);
        expect(long.length).toBeLessThan(28_000);
        await agent.text('browser_click', { target: '#refused' });
        const refused = await agent.text('browser_network_request', { index: await numberOf(agent, /:1\//) });
        expect(refused).toMatch(/^Request \d+: net::ERR_\w+/);
        expect(refused).not.toContain('not kept');
      },
    );

    test('waits for an answer that is still coming', async ({ stage }) => {
      const agent = await open(stage, 'traffic.html');
      agent.answerWith(() => 'session');
      await agent.text('browser_network_request', { index: await numberOf(agent, /traffic/) });
      await agent.text('browser_click', { target: '#slow' });

      const index = await until(() => numberOf(agent, /late-chunks/).catch(() => null), { what: 'the request' });

      const text = await agent.text('browser_network_request', { index, part: 'response-body' });
      expect(text).toMatch(/^Request \d+: 200 .*Response body:\n(?:chunk ){12}/s);
    });

    test('says what a request did not carry, also of one that waits for no answer', async ({ stage }) => {
      const agent = await open(
        stage,
        `says?text=${encodeURIComponent(`<button onclick="navigator.sendBeacon('/headers?beacon', 'x=1')">Go</button>`)}`,
      );
      await agent.text('browser_network_requests');
      await agent.text('browser_click', { target: 'text=Go' });

      const first = await numberOf(agent, /^\d+\. GET/);
      expect(await agent.text('browser_network_request', { index: first, part: 'request-body' })).toContain('It has no request body.');
      const sent = await numberOf(agent, /POST .*beacon/);
      expect(await agent.text('browser_network_request', { index: sent, part: 'request-body' })).toContain('x=1');
    });

    test('says which numbers there are', async ({ stage }) => {
      const agent = await open(stage, 'traffic.html');

      expect(await agent.error('browser_network_request', { index: 999 })).toMatch(
        /^TOOL_ARGUMENTS: .*no request 999: 1 to \d+ are kept\. Take its number from browser_network_requests\.$/,
      );
      expect(await agent.error('browser_network_request', { index: 'x', part: 'cookies' })).toMatch(
        /"index".*"part".*Expected arguments: index, part\?, filename\?, tabId\?/s,
      );
      expect(agent.asked).toEqual([]);
    });
  },
);

import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_batch in a ${how} tab`,
  ({ open }) => {
    test('makes calls one after the other, each allowed by itself', async ({ stage }) => {
      const agent = await open(stage, 'settle.html');

      const text = await agent.text('browser_batch', {
        calls: [
          { name: 'browser_click', arguments: { ref: '#fetch' } },
          { name: 'browser_click', arguments: { target: '#dialog' } },
          { name: 'browser_snapshot' },
        ],
      });

      expect(text).toMatch(
        /^Call 1, browser_click:\nClicked\..*Call 2, browser_click:\nClicked\..*Call 3, browser_snapshot:\n.*Late data/s,
      );
      expect(agent.asked.map(({ title }) => title)).toEqual([
        expect.stringMatching(/^Click “[^”]+” on http/),
        expect.stringMatching(/^Click “[^”]+” on http/),
      ]);
    });

    test('stops where a page was left, and at a no', async ({ stage }) => {
      const agent = await open(stage, 'settle.html');

      const left = await agent.text('browser_batch', {
        calls: [
          { name: 'browser_click', arguments: { target: '#slow-link' } },
          { name: 'browser_snapshot' },
          { name: 'browser_click', arguments: { target: 'h1' } },
        ],
      });
      agent.answerWith(() => 'reject');
      const refused = await agent.error('browser_batch', {
        calls: [{ name: 'browser_click', arguments: { target: 'h1' } }, { name: 'browser_snapshot' }],
      });

      expect(left).toMatch(/Create an account.*Stopped after call 2 of 3: a page was loaded/s);
      expect(refused).toMatch(/CONSENT_DENIED.*Stopped after call 1 of 2: it failed/s);
    });
  },
);

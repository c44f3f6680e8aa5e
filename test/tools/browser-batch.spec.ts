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

    test('stops where the last tab of the session was closed, and reads none of the person', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      const text = await agent.error('browser_batch', { calls: [{ name: 'browser_close' }, { name: 'browser_snapshot' }] });

      expect(text).toMatch(/Call 2, browser_snapshot:\nTAB_NOT_FOUND: .*where this session worked, was closed/s);
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

    test(
      'stops where code led elsewhere, at a file or an error instead of a page, and at a file that was refused',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = encodeURIComponent('<button onclick="this.textContent += 1">Count</button><a href="/file/a.bin">File</a>');
        const count = { name: 'browser_click', arguments: { target: 'text=/Count/' } };
        const stopped = async (name: string, args: Record<string, unknown>, said: 'once' | 'reject' = 'once'): Promise<string> => {
          const agent = await open(stage, `says?text=${page}`);
          agent.answerWith(({ title }) => (title.startsWith('Download') ? said : 'once'));
          const text = await agent.text('browser_batch', { calls: [count, { name, arguments: args }, count] });
          expect(text.match(/^Clicked\. The page changed in 1 place\.$/gm), text).toHaveLength(1);
          return text;
        };
        const run = (code: string): Promise<string> => stopped('browser_evaluate', { function: code });

        expect(await run(`location.href = '/form.html'`)).toMatch(/Stopped after call 2 of 3: a page was loaded/);
        expect(await run(`void open('/form.html')`)).toMatch(/It opened tab \d+; .*Stopped after call 2 of 3: a tab was opened/s);
        expect(await run(`alert('Not saved')`)).toMatch(/alert: "Not saved".*Stopped after call 2 of 3: the page showed a message/s);
        expect(await run(`confirm('Sure?')`)).toMatch(/Stopped after call 2 of 3: the page shows a dialog/);
        expect(await stopped('browser_navigate', { url: `${stage.url}/file/b.bin` })).toMatch(
          /Downloaded\..*Stopped after call 2 of 3: the address was that of a file/s,
        );
        expect(await stopped('browser_navigate', { url: `${stage.url}/nothing.html` })).toMatch(
          /Stopped after call 2 of 3: the server answered HTTP 404/,
        );
        expect(await stopped('browser_click', { target: 'text=File' }, 'reject')).toMatch(
          /was refused; .*Stopped after call 2 of 3: a download was not kept/s,
        );
      },
    );
  },
);

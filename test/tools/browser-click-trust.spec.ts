import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_click in a ${how} tab`,
  ({ open }) => {
    test('presses by real input by itself where the page looks for it, and only there', async ({ stage }) => {
      const agent = await open(stage, 'trust.html');

      expect(await agent.text('browser_click', { target: '#strict' })).toContain('The page changed');
      expect(await agent.text('browser_click', { target: '#loose' })).toContain('Nothing else changed');

      expect(await agent.text('browser_snapshot')).toContain('strict pressed');
      expect(await agent.text('browser_evaluate', { function: 'counts' })).toContain('{"loose":1,"strict":1}');
    });

    test('is a press of the person to the page: it may open a tab, and copy', async ({ stage }) => {
      const agent = await open(stage, 'trust.html');

      expect(await agent.text('browser_click', { target: '#popup' })).toMatch(/It opened tab \d+/);
      expect(await agent.text('browser_snapshot')).toContain('popup opened');
      await agent.text('browser_click', { target: '#copy' });
      expect(await agent.text('browser_snapshot')).toContain('copied');
    });

    test('follows what moves away from the pointer, and presses nothing that is there in its place', async ({ stage }) => {
      const agent = await open(stage, 'moving.html');

      expect(await agent.text('browser_click', { target: '#dodging', trusted: true })).toContain('Clicked.');
      expect(await agent.text('browser_click', { target: '#going', trusted: true })).toContain('Clicked.');

      expect(await agent.text('browser_evaluate', { function: 'pressed.join()' })).toContain('"dodging,going"');
    });

    test('tells that what the page puts anew under the pointer was pressed and got no click', async ({ stage }) => {
      const agent = await open(stage, 'moving.html');

      for (const trusted of [false, true])
        expect(await agent.text('browser_click', { target: '#new button', trusted })).toMatch(
          /^Pressed, but .* no click[^]*button "New"\]/,
        );

      expect(await agent.text('browser_evaluate', { function: 'pressed.length' })).toContain('0');
    });

    test('opens no dialog for files that nobody would answer', async ({ stage }) => {
      const agent = await open(stage, 'trust.html');

      expect(await agent.text('browser_click', { target: '#files' })).toContain('use browser_file_upload');

      expect(await agent.text('browser_click', { target: '#popup' })).toMatch(/It opened tab \d+/);
    });

    test('tells of what comes a little later: a tab, another page, a file', async ({ stage }) => {
      const agent = await open(stage, 'trust.html');

      expect(await agent.text('browser_click', { target: '#late-tab' })).toMatch(/It opened tab \d+/);
      expect(await agent.text('browser_click', { target: '#late-file' })).toMatch(/Downloaded\..*path: .*late/s);
      expect(await agent.text('browser_click', { target: '#late-leave' })).toContain('title: Create an account');
    });
  },
);

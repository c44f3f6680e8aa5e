import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `a ${how} tab`,
  ({ open }) => {
    test('is loaded again by browser_reload, and nothing that was typed is left', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      await agent.text('browser_type', { target: '#email', text: 'ada@example.org' });

      expect(await agent.text('browser_reload')).toContain('A page was loaded (HTTP 200).');

      expect(await agent.text('browser_snapshot')).not.toContain('ada@example.org');
    });

    test('goes forward by browser_navigate_forward, and says when there is nowhere to go', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      await agent.text('browser_navigate', { url: `${stage.url}/shadow.html` });
      await agent.text('browser_navigate_back');

      expect(await agent.text('browser_navigate_forward')).toContain('/shadow.html');

      expect(await agent.error('browser_navigate_forward')).toMatch(/^NAVIGATION_FAILED: .*There is no next page in this tab/);
    });
  },
);

import { expect } from 'vitest';
import { until } from '#test/fixtures/until.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_downloads of a ${how} tab`,
  ({ open, how }) => {
    test('lists what the session downloaded, with where it is, and nothing of another session', async ({ stage }) => {
      const name = `list-${how}.bin`;
      const agent = await open(stage, `download.html?name=${name}`);
      expect(await agent.text('browser_downloads')).toBe('Your calls have downloaded nothing.');
      await agent.text('browser_click', { target: '#link' });

      const text = await until(async () => {
        const listed = await agent.text('browser_downloads');
        return listed.includes('downloaded, 10 bytes') && listed;
      });

      expect(text).toMatch(
        new RegExp(
          `^1 download\\.\\n<\\w{7} .*- ${name} \\(downloaded, 10 bytes\\) path: /.*${name} from: ${stage.url}/file/${name}\\n`,
          's',
        ),
      );
      expect(await stage.agent().text('browser_downloads')).toBe('Your calls have downloaded nothing.');
    });

    test('does not list what the person refused', async ({ stage }) => {
      const agent = await open(stage, `download.html?name=refused-${how}.bin`);
      agent.answerWith(({ title }) => (/download/i.test(title) ? 'reject' : 'once'));
      await agent.call('browser_click', { target: '#link' });

      expect(await agent.text('browser_downloads')).toContain('downloaded nothing');
    });
  },
);

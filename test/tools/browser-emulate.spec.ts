import { expect } from 'vitest';
import { type Agent } from './tool-stage.ts';
import { until } from '#test/fixtures/until.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

/** What the page sees now. */
const seen = async (agent: Agent): Promise<string> => {
  await agent.text('browser_click', { target: '#tell' });
  return /(?:dark|light) \| .*/.exec(await agent.text('browser_snapshot'))?.[0] ?? '?';
};

describeTabs(
  (how) => `browser_emulate in a ${how} tab`,
  ({ open }) => {
    test('lets the page see other surroundings, on the next pages too, until they are given back', async ({ stage }) => {
      const agent = await open(stage, 'surroundings.html');
      const real = await seen(agent);

      expect(
        await agent.text('browser_emulate', {
          colorScheme: 'dark',
          reducedMotion: true,
          timezone: 'Asia/Tokyo',
          locale: 'de-DE',
          userAgent: 'Robot/1',
        }),
      ).toMatch(/^Tab \d+ sees: colorScheme dark, reducedMotion true, .*; until the session ends, or browser_emulate without arguments\.$/);

      expect(await seen(agent)).toBe('dark | still | screen | Asia/Tokyo | 1,5 | Robot/1');
      await agent.text('browser_navigate', { url: `${stage.url}/surroundings.html?again` });
      expect(await seen(agent)).toBe('dark | still | screen | Asia/Tokyo | 1,5 | Robot/1');
      await agent.text('browser_emulate', { media: 'print' });
      expect(await seen(agent)).toMatch(/moving \| print \| Asia\/Tokyo/);
      expect(await agent.text('browser_emulate')).toMatch(/^Tab \d+ sees its real surroundings again\.$/);
      await agent.text('browser_reload');
      expect(await seen(agent)).toBe(real);
    });

    test('is seen by frames of other sites too, also by those that come, and given back there', { tags: 'whole' }, async ({ stage }) => {
      const site = new URL(stage.otherUrl);
      const said = `[Intl.DateTimeFormat().resolvedOptions().timeZone, (1.5).toLocaleString(), navigator.userAgent, navigator.onLine].join(' ')`;
      const inner = `<button onclick="this.textContent = ${said}">Inner</button>`;
      const outer = `<button onclick="this.textContent = ${said}">Outer</button><iframe src="${stage.url}/says?text=${encodeURIComponent(inner)}"></iframe>`;
      const src = `${site.origin}/says?text=${encodeURIComponent(outer)}`;
      const agent = await open(stage, `says?text=${encodeURIComponent(`<h1>Page</h1><iframe src="${src}"></iframe>`)}`);
      agent.answerWith(() => 'session');
      const seen = async (): Promise<string[]> => {
        const text = await until(
          async () => {
            const shown = await agent.text('browser_snapshot');
            return (shown.match(/f\d+e\d+(?= button)/g) ?? []).length === 2 && shown;
          },
          { what: 'both frames' },
        );
        const told: string[] = [];
        for (const target of text.match(/f\d+e\d+(?= button)/g) ?? [])
          told.push(/button "([^"]*)"/.exec(await agent.text('browser_click', { target }))?.[1] ?? '');
        return told;
      };
      const real = await seen();

      await agent.text('browser_emulate', { timezone: 'Asia/Tokyo', locale: 'de-DE', userAgent: 'Robot/1' });
      await agent.text('browser_emulate', { network: 'offline' });
      expect(await seen()).toEqual(['Asia/Tokyo 1,5 Robot/1 false', 'Asia/Tokyo 1,5 Robot/1 false']);
      expect(await agent.text('browser_console_messages')).toContain('of level "info"');
      expect((await seen())[0]).toBe('Asia/Tokyo 1,5 Robot/1 false');
      await agent.text('browser_emulate', { network: 'online' });
      await agent.text('browser_reload');
      expect(await seen()).toEqual(['Asia/Tokyo 1,5 Robot/1 true', 'Asia/Tokyo 1,5 Robot/1 true']);
      await agent.text('browser_emulate');
      expect(await seen()).toEqual(real);
    });

    test('takes the network away and gives it back', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'surroundings.html');

      await agent.text('browser_emulate', { network: 'offline', cpuSlowdown: 2 });
      await agent.text('browser_click', { target: '#ask' });
      await agent.text('browser_wait_for', { text: 'no network' });
      expect(await agent.text('browser_snapshot')).toContain('no network');
      await agent.text('browser_emulate', { network: 'online' });
      await agent.text('browser_click', { target: '#ask' });
      await agent.text('browser_wait_for', { text: 'answered' });
      expect(await agent.text('browser_snapshot')).toContain('answered');
    });

    test('says what the browser does not know', async ({ stage }) => {
      const agent = await open(stage, 'surroundings.html');

      const unknown = /^TOOL_ARGUMENTS: .*"timezone": not known/;
      expect(await agent.error('browser_emulate', { timezone: 'Moon/Crater' })).toMatch(unknown);
      await agent.text('browser_emulate', { timezone: 'Asia/Tokyo' });
      expect(await agent.error('browser_emulate', { timezone: 'Moon/Crater' })).toMatch(unknown);
      expect(await agent.error('browser_emulate', { colorScheme: 'red', zoom: 2 })).toMatch(
        /"colorScheme".*Expected arguments: colorScheme\?/s,
      );
    });
  },
);

import { describe, expect } from 'vitest';
import { until } from '#test/fixtures/until.ts';
import { type Agent } from './tool-stage.ts';
import { describeTabs, ownTest, plainTest } from './tool-test.ts';

const sizeSeen = async (agent: Agent): Promise<string> => {
  const [size] = /\d+ by \d+/.exec(await agent.text('browser_snapshot')) ?? ['?'];
  return size;
};

describeTabs(
  (how) => `browser_resize in a ${how} tab`,
  ({ open }) => {
    plainTest('lays the page out in the size, for clicks and pictures too, until it is given back', async ({ stage }) => {
      const agent = await open(stage, 'sized.html');
      const before = await sizeSeen(agent);

      expect(await agent.text('browser_resize', { width: 390, height: 844 })).toMatch(
        /^Tab \d+ is 390 × 844 CSS pixels now, until the session ends, or browser_resize without width and height\.$/,
      );

      expect(await sizeSeen(agent)).toBe('390 by 844');
      await agent.text('browser_click', { target: '#low' });
      await agent.text('browser_click', { target: '#low', trusted: true });
      expect(await agent.text('browser_snapshot')).toContain('pressed 2 times');
      expect(await pictureSize(await agent.call('browser_take_screenshot', { type: 'png' }))).toBe(390 / 844);
      await agent.text('browser_resize', { width: 500, height: 844 });
      expect(await agent.error('browser_click', { x: 20, y: 20 })).toContain('another width than in the last picture');
      await agent.text('browser_resize', { width: 390, height: 844 });
      await agent.text('browser_navigate', { url: `${stage.url}/sized.html?again` });
      await expect.poll(() => sizeSeen(agent)).toBe('390 by 844');
      expect(await agent.text('browser_resize')).toMatch(/^Tab \d+ is \d+ × \d+ CSS pixels now, as its window\.$/);
      expect(await sizeSeen(agent)).toBe(before);
      expect(agent.asked.every(({ title }) => title.startsWith('Click '))).toBe(true);
    });
  },
);

describe('browser_resize', () => {
  plainTest('says what it needs', async ({ stage }) => {
    const agent = await stage.open('sized.html');

    expect(await agent.error('browser_resize', { width: 390 })).toContain('needs both "width" and "height", or neither');
    expect(await agent.error('browser_resize', { width: 'wide', height: 1 })).toMatch(/"width".*"height".*Expected arguments: width\?/s);
    expect(await agent.error('browser_resize', { width: 300, height: 300, tabId: 1 })).toContain('TAB_NOT_FOUND');
  });

  ownTest('lays out as wide as was asked for where the person has zoomed the page', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('sized.html');
    const zoom = (factor: number): Promise<void> => stage.browser.worker.evaluate(zoomNewest, factor);
    await zoom(1.5);
    try {
      await agent.text('browser_resize', { width: 400, height: 600 });

      expect(await sizeSeen(agent)).toBe('400 by 600');
    } finally {
      // The tab goes with its test.
      await zoom(1);
    }
  });

  ownTest(
    'holds while nothing is called, and after the worker was stopped; it ends with the session',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await stage.open('sized.html');
      await agent.text('browser_resize', { width: 400, height: 500 });
      const page = stage.pageAt('/sized.html');
      const cdp = await stage.browser.context.newCDPSession(page);
      await cdp.send('ServiceWorker.enable');
      await cdp.send('ServiceWorker.stopAllWorkers');

      await until(async () => (await agent.text('browser_snapshot')).includes('400 by 500'), { what: 'the size again' });

      stage.bridge.sessionEnded(agent.sessionId);
      await until(async () => page.isClosed() || (await page.evaluate(() => innerWidth)) !== 400, { what: 'the size to be given back' });
    },
  );
});

/** As the person does it by the menu of the browser. */
const zoomNewest = async (factor: number): Promise<void> => {
  const tab = (await chrome.tabs.query({})).findLast(({ url }) => url?.includes('sized.html'));
  if (tab?.id !== undefined) await chrome.tabs.setZoom(tab.id, factor);
};

/** Width by height, from the head of the PNG. */
const pictureSize = async ({ content }: Awaited<ReturnType<Agent['call']>>): Promise<number> => {
  const data = content.find(({ type }) => type === 'image')?.['data'];
  const bytes = Buffer.from(typeof data === 'string' ? data : '', 'base64');
  return bytes.readUInt32BE(16) / bytes.readUInt32BE(20);
};

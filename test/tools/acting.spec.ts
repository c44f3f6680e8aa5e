/** What a page shows while an agent acts in it. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect } from 'vitest';
import type { SessionId } from '#protocol/ids.ts';
import { drawnIn, untilDrawn, untilGone } from '#test/fixtures/drawn.ts';
import { until } from '#test/fixtures/until.ts';
import type { Agent, ToolStage } from './tool-stage.ts';
import { test } from './tool-test.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const open = async (stage: ToolStage) => {
  const agent = await stage.open('acting.html');
  const page = stage.pageAt('acting.html');
  await page.bringToFront();
  return { agent, page };
};

/** What a person sees at a place of the viewport. */
const colourAt = async (page: Page, x: number, y: number): Promise<string> => {
  const png = await page.screenshot({ clip: { x, y, width: 1, height: 1 } });
  return colourOf(page, `data:image/png;base64,${png.toString('base64')}`, 0, 0);
};

const colourOf = async (page: Page, source: string, x: number, y: number): Promise<string> =>
  (await coloursOf(page, [source], x, y)).join();

/** The colours that pictures have at a place, each once. */
const coloursOf = async (page: Page, sources: readonly string[], x: number, y: number): Promise<string[]> => {
  const blank = await page.context().newPage();
  const colourIn = (source: string): Promise<string> =>
    blank.evaluate(
      async (at) => {
        const picture = new Image();
        picture.src = at.source;
        await picture.decode();
        const canvas = document.createElement('canvas');
        canvas.width = picture.naturalWidth;
        canvas.height = picture.naturalHeight;
        const context = canvas.getContext('2d');
        context?.drawImage(picture, 0, 0);
        return [...(context?.getImageData(at.x, at.y, 1, 1).data ?? [])].slice(0, 3).join(' ');
      },
      { source, x, y },
    );
  const colours = new Set<string>();
  for (const source of sources) colours.add(await colourIn(source));
  await blank.close();
  return [...colours];
};

const BLUE = '0 0 255';
const FRAME = '11 107 128';

const stopped: SessionId[] = [];
const listening = new WeakSet<object>();

/** The sessions that were stopped in a page, from now on. */
const stopsIn = (stage: ToolStage): readonly SessionId[] => {
  if (!listening.has(stage.bridge)) stage.bridge.onStop((sessionId) => stopped.push(sessionId));
  listening.add(stage.bridge);
  return stopped;
};

afterEach(() => void stopped.splice(0));

describe('a page in which an agent acts', () => {
  test('shows a frame and who acts, whatever its own style is, and neither agent nor paper gets it', async ({ stage }) => {
    const { agent, page } = await open(stage);
    await agent.text('browser_snapshot');
    expect(await drawnIn(page)).toBeNull();

    const over = new AbortController();
    const call = agent.call('browser_evaluate', { function: '() => new Promise(() => {})' }, { signal: over.signal });
    const { text, stop } = await untilDrawn(page);

    expect(text).toMatch(/is acting on this page.*Stop/);
    await until(async () => (await colourAt(page, 1, 300)) === FRAME, { what: 'the frame to be drawn' });
    expect(await colourAt(page, 500, 300)).toBe(BLUE);
    await page.emulateMedia({ media: 'print' });
    expect(await colourAt(page, 1, 300)).toBe(BLUE);
    await page.emulateMedia({ media: null });
    const host = await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.outerHTML, stop);
    expect(host).not.toMatch(/is acting|Stop/);
    over.abort();
    await call;
    await agent.text('browser_click', { target: '#top' });
    const picture = (await agent.call('browser_take_screenshot', { type: 'png' })).content.find(({ type }) => type === 'image');
    expect(await colourOf(page, `data:image/png;base64,${String(picture?.['data'])}`, 1, 300)).toBe(BLUE);
    expect(await agent.text('browser_snapshot')).not.toMatch(/is acting|Stop/);
    expect(await agent.text('browser_find', { text: 'acting' }).catch(String)).not.toContain('is acting on this page');
    stage.bridge.sessionRests(agent.sessionId);
    await untilGone(page);
  });

  test('is stopped by the button, which a script cannot press, also behind a dialog of the page, and hears nothing of it', async ({
    stage,
  }) => {
    const { agent, page } = await open(stage);
    const stops = stopsIn(stage);
    const call = agent.call('browser_evaluate', { function: '() => new Promise(() => {})' });
    await untilDrawn(page);
    await page.evaluate(() => document.querySelector('dialog')?.showModal());
    const { stop } = await untilDrawn(page);
    await page.evaluate(({ x, y }) => {
      for (const element of document.elementsFromPoint(x, y)) {
        for (const type of ['pointerdown', 'click'])
          element.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true, clientX: x, clientY: y }));
      }
      Object.assign(window, { heard: [] });
    }, stop);
    expect(stops).toEqual([]);

    await page.mouse.click(stop.x, stop.y);

    expect(JSON.stringify(await call)).toMatch(/CALL_CANCELLED: .*The user stopped it\. Do not retry/);
    await until(() => stops.length > 0, { what: 'the daemon to be told' });
    expect(stops).toEqual([agent.sessionId]);
    expect(await page.evaluate(() => Reflect.get(window, 'heard'))).toEqual([]);
    await untilGone(page);
  });

  test('shows it only while the person can see the tab', async ({ stage }) => {
    const { agent, page } = await open(stage);
    const over = new AbortController();
    const acts = actUntil(agent, over.signal);
    await untilDrawn(page);

    const other = await page.context().newPage();

    await untilGone(page);
    await agent.text('browser_click', { target: '#top' });
    expect(await drawnIn(page)).toBeNull();
    await page.bringToFront();
    await untilDrawn(page);
    over.abort();
    await acts;
    stage.bridge.sessionRests(agent.sessionId);
    await untilGone(page);
    await other.close();
  });

  test('does not blink between pictures that follow each other', { tags: 'whole' }, async ({ stage }) => {
    const { agent, page } = await open(stage);
    const over = new AbortController();
    const call = agent.call('browser_evaluate', { function: '() => new Promise(() => {})' }, { signal: over.signal });
    await untilDrawn(page);
    over.abort();
    await call;
    await page.evaluate(() => {
      const watch = new MutationObserver((records) => {
        const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
        Object.assign(window, { returns: Number(Reflect.get(window, 'returns')) + added.length });
      });
      Object.assign(window, { returns: 0 });
      watch.observe(document.documentElement, { childList: true });
    });

    const returns = await until(
      async () => {
        // Only while it is shown again is it there to be taken away.
        await agent.call('browser_evaluate', { function: '() => { returns = 0; }' });
        await untilDrawn(page);
        for (let times = 0; times < 3; times += 1) await agent.call('browser_take_screenshot', {});
        const between = await page.evaluate(() => Number(Reflect.get(window, 'returns')));
        await untilDrawn(page);
        return between === 0 ? page.evaluate(() => Number(Reflect.get(window, 'returns'))) : null;
      },
      { what: 'three pictures that follow each other closely' },
    );

    expect(returns).toBe(1);
    stage.bridge.sessionRests(agent.sessionId);
    await untilGone(page);
  });

  test('is pictured without it also while the page changes from picture to picture', async ({ stage }) => {
    const { agent, page } = await open(stage);
    await agent.text('browser_click', { target: '#top' });
    await untilDrawn(page);
    const pictures: string[] = [];
    for (let times = 0; times < 15; times += 1) {
      await page.evaluate((name) => document.body.setAttribute('class', name), `change-${times}`);
      const result = await agent.call('browser_take_screenshot', { type: 'png' });
      pictures.push(`data:image/png;base64,${String(result.content.find(({ type }) => type === 'image')?.['data'])}`);
    }

    expect(await coloursOf(page, pictures, 1, 300)).toEqual([BLUE]);
    stage.bridge.sessionRests(agent.sessionId);
    await untilGone(page);
  });

  test('gets the presses of the agent also where the button is', async ({ stage, skip }) => {
    skip(!isWhole, 'the button is met by the first two: npm run test:whole');
    const { agent, page } = await open(stage);
    const stops = stopsIn(stage);
    // An act that presses nothing keeps the button from going.
    const untilThere = (): Promise<unknown> =>
      until(
        async () => {
          await agent.text('browser_evaluate', { function: '1' });
          return drawnIn(page);
        },
        { what: 'the button' },
      );
    await agent.text('browser_click', { target: '#top' });
    await untilThere();
    await agent.text('browser_click', { target: '#low' });
    await agent.text('browser_click', { target: '#top', trusted: true });
    await untilThere();

    await agent.text('browser_click', { target: '#low', trusted: true });

    const heard = await page.evaluate((): string[] => Reflect.get(window, 'heard'));
    expect(heard.filter((press) => press.startsWith('click'))).toEqual([
      'click top false',
      'click low false',
      'click top true',
      'click low true',
    ]);
    expect(stops).toEqual([]);
  });

  test(
    'shows it on the next page, too, above what the page shows in full screen, and not where the person does not want it',
    { tags: 'whole' },
    async ({ stage }) => {
      const { agent, page } = await open(stage);
      const over = new AbortController();
      const acts = actUntil(agent, over.signal);
      await untilDrawn(page);
      await page.reload();
      await untilDrawn(page);
      await page.evaluate(() => document.querySelector('#top')?.addEventListener('click', () => void document.body.requestFullscreen()));
      await until(() => page.evaluate(() => document.fullscreenElement !== null), { what: 'full screen' });
      await until(async () => (await colourAt(page, 1, 300)) === FRAME, { what: 'the frame above it' });

      await stage.browser.worker.evaluate(() => chrome.storage.local.set({ look: { acting: false } }));

      await untilGone(page);
      over.abort();
      await acts;
      await agent.text('browser_click', { target: '#top' });
      expect(await drawnIn(page)).toBeNull();
      await stage.browser.worker.evaluate(() => chrome.storage.local.remove('look'));
    },
  );

  test(
    'is pictured before and after, small and without the frame, when the person wants that; switched off, no picture is left',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await stage.open('context.html');
      const page = stage.pageAt('context.html');
      const { worker } = stage.browser;
      const want = (pictures: boolean): Promise<void> =>
        worker.evaluate((is) => chrome.storage.local.set({ look: { pictures: is } }), pictures);
      const kept = (): Promise<Kept[]> => worker.evaluate(readKept);
      const paint = (colour: string): Promise<string> =>
        agent.text('browser_evaluate', {
          function: `() => { document.documentElement.style.background = document.body.style.background = '${colour}'; }`,
        });
      await agent.text('browser_snapshot');
      await paint('rgb(0, 0, 255)');
      expect(await kept()).toEqual([]);
      const fill = (field: string, value: string): Promise<void> =>
        page.locator(field).evaluate((input, text) => {
          if (input instanceof HTMLInputElement) input.value = text;
        }, value);

      await want(true);
      try {
        // The worker may not have heard of it yet; and an act does without a picture where that takes too long.
        const last = await until(
          async () => {
            await paint('rgb(0, 0, 255)');
            const before = (await kept()).at(-1)?.callId;
            await paint('rgb(255, 0, 0)');
            const newest = (await kept()).at(-1);
            const isWhole = newest !== undefined && newest.callId !== before && newest.before !== null && newest.after !== null;
            return isWhole ? newest : null;
          },
          { what: 'both pictures of an act' },
        );
        const sources = [last.before, last.after].map((data) => `data:image/jpeg;base64,${String(data)}`);
        const colours = await Promise.all(sources.map(async (source) => (await colourOf(page, source, 1, 100)).split(' ').map(Number)));

        expect(colours[0]?.[2]).toBeGreaterThan(220);
        expect(colours[1]?.[0]).toBeGreaterThan(220);
        for (const [r = 0, g = 0, b = 0] of colours) expect(Math.min(r, b) + g).toBeLessThan(60);
        for (const source of sources) expect(source.length).toBeLessThan(40_000);

        // What stands in a secret field makes no difference to a picture; what stands in another does.
        const pictured = async (): Promise<string> => {
          const before = (await kept()).at(-1)?.callId;
          return until(
            async () => {
              await paint('rgb(255, 0, 0)');
              const newest = (await kept()).at(-1);
              return newest === undefined || newest.callId === before ? null : newest.after;
            },
            { what: 'a picture of the act' },
          );
        };
        const first = await pictured();
        await fill('#otp', '111117');
        const second = await pictured();
        await fill('[name="city"]', 'WWWWWWWWWWWWWWWW');
        const third = await pictured();
        expect(second).toBe(first);
        expect(third).not.toBe(first);

        // Of a site that the person closes while an agent acts in it there is no picture from then on.
        const ended = await until(
          async () => {
            const before = (await kept()).at(-1)?.callId;
            const act = agent.call('browser_evaluate', { function: '() => new Promise((resolve) => { globalThis.finish = resolve; })' });
            await page.waitForFunction(() => 'finish' in globalThis);
            stage.sites.set(stage.url, 'never');
            try {
              expect(await agent.text('browser_tabs', { action: 'list' })).toContain('(closed to agents)');
              await page.evaluate('finish(); delete globalThis.finish');
              await act;
            } finally {
              stage.sites.remove(stage.url);
            }
            const newest = (await kept()).at(-1);
            return newest === undefined || newest.callId === before || newest.before === null ? null : newest;
          },
          { what: 'an act in a site that was closed' },
        );
        expect(ended.after).toBeNull();

        // There are never more than so many, and the oldest make room.
        await worker.evaluate(addOld, 250);
        const newest = await pictured();
        const all = await kept();
        expect(all).toHaveLength(200);
        expect(all.at(-1)?.after).toBe(newest);
        expect(all.some(({ callId }) => callId === 'old 0')).toBe(false);
      } finally {
        await want(false);
      }
      await expect.poll(kept).toEqual([]);
    },
  );
});

/** Acts again and again, so that the page is not left meanwhile. */
const actUntil = async (agent: Agent, over: AbortSignal): Promise<void> => {
  while (!over.aborted) await agent.call('browser_click', { target: '#top' });
};

interface Kept {
  readonly callId: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Puts in pictures of long ago. Runs in the extension's worker. */
const addOld = (count: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open('act-pictures');
    opening.addEventListener('error', () => reject(new Error('no database')));
    opening.addEventListener('success', () => {
      const transaction = opening.result.transaction('acts', 'readwrite');
      for (let at = 0; at < count; at += 1)
        transaction.objectStore('acts').put({ callId: `old ${at}`, sessionId: 'session', at, before: null, after: 'AA==' });
      transaction.addEventListener('complete', () => {
        opening.result.close();
        resolve();
      });
    });
  });

/** The pictures in the extension's own database, the oldest first. Runs in its worker. */
const readKept = async (): Promise<Kept[]> => {
  // To open it would make it.
  if (!(await indexedDB.databases()).some(({ name }) => name === 'act-pictures')) return [];
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('act-pictures');
    opening.addEventListener('error', () => reject(new Error('no database')));
    opening.addEventListener('success', () => {
      const asked = opening.result.transaction('acts').objectStore('acts').index('by-time').getAll();
      asked.addEventListener('success', () => {
        opening.result.close();
        resolve(asked.result as Kept[]);
      });
    });
  });
};

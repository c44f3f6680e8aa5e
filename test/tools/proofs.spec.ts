/** What the person picked in a page, and how it is once the page was changed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { LookAgainParams, LookedAgain, PagePicture } from '#protocol/link.ts';
import { CaptureAnswer, KeptPicked, type PickedPlace } from '#extension/shared/messages.ts';
import { startDevServer } from '#test/fixtures/dev-server.ts';
import { until } from '#test/fixtures/until.ts';
import type { ToolStage } from './tool-stage.ts';
import { test } from './tool-test.ts';

const RED = '<body style="margin: 0"><button id="go" style="width: 160px; height: 80px; border: 0; background: rgb(200, 0, 0)">Go</button>';

const says = (base: string, text: string): string => `${base}/says?text=${encodeURIComponent(text)}`;

const inFrame = (address: string): string =>
  `<p style="height: 300px">Above</p><iframe src="${address}" style="width: 300px; height: 200px; border: 7px solid; padding: 9px"></iframe>`;

/** A page in front, and one of the extension's own, which asks as the panel does. */
class Desk {
  readonly tab: Page;
  readonly #stage: ToolStage;
  readonly #own: Page;

  constructor(stage: ToolStage, own: Page, tab: Page) {
    this.#stage = stage;
    this.#own = own;
    this.tab = tab;
  }

  static async open(stage: ToolStage, address: string): Promise<Desk> {
    const tab = await stage.browser.context.newPage();
    await tab.goto(address);
    return Desk.before(stage, tab);
  }

  /** A tab that is there already, which the person turns to. */
  static async before(stage: ToolStage, tab: Page): Promise<Desk> {
    const own = await stage.browser.context.newPage();
    await own.goto(new URL('options.html', stage.browser.worker.url()).href);
    await tab.bringToFront();
    return new Desk(stage, own, tab);
  }

  /** `meanwhile` happens while the person looks for it. */
  async pick(frame: FrameLocator | Page, meanwhile?: () => Promise<void>): Promise<PickedPlace> {
    const tabId = await this.#stage.browser.worker.evaluate(async () => (await chrome.tabs.query({ active: true }))[0]?.id ?? 0);
    const asked = this.#ask({ type: 'context.capture', kind: 'element', windowId: 0, tabId });
    // The click is the page's own until it is listened for, which shows by what is drawn around the element.
    const target = frame.locator('#go');
    await until(async () => (await target.hover(), (await frame.locator('[popover]').count()) > 0), { what: 'the pointing' });
    await meanwhile?.();
    await target.click();
    const answer = CaptureAnswer.parse(await asked);
    if (answer.state !== 'text' || answer.picked === undefined) throw new Error(`nothing was picked: ${JSON.stringify(answer)}`);
    return answer.picked;
  }

  async keep(picked: PickedPlace): Promise<NonNullable<KeptPicked>> {
    const kept = KeptPicked.parse(await this.#ask({ type: 'context.keep', picked }));
    if (kept === null) throw new Error('nothing was kept');
    return kept;
  }

  async lookAgain({ tabId, url, documentId, frame, ...mark }: PickedPlace, looks: string): Promise<LookedAgain> {
    const [browser] = this.#stage.bridge.browsers();
    if (browser === undefined) throw new Error('no browser');
    const inner = frame === undefined ? {} : { frame };
    const params: LookAgainParams = { tabId, url, documentId, ...inner, elements: [{ ...mark, looks }] };
    return this.#stage.bridge.lookAgain(browser.browserId, params, new AbortController().signal);
  }

  /** What stands in the corners of a picture, within the margin around the element. */
  colourOf(picture: PagePicture | null | undefined): Promise<string> {
    return this.#own.evaluate(async (base64) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))]));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context?.drawImage(image, 0, 0);
      const at = (x: number, y: number): string => {
        const [red = 0, green = 0, blue = 0] = context?.getImageData(Math.round(x), Math.round(y), 1, 1).data ?? [];
        return blue > 128 ? 'other' : red > green ? 'red' : 'green';
      };
      const [right, bottom] = [image.width - 30, image.height - 30];
      const all = new Set([at(30, 30), at(right, 30), at(30, bottom), at(right, bottom)]);
      return [...all].join(', ');
    }, picture?.dataBase64 ?? '');
  }

  #ask(message: Record<string, unknown>): Promise<unknown> {
    return this.#own.evaluate((asked) => chrome.runtime.sendMessage(asked), message);
  }
}

const makeGreen = (frame: FrameLocator | Page): Promise<void> =>
  frame.locator('#go').evaluate((element) => void ((element as HTMLElement).style.background = 'rgb(0, 160, 0)'));

describe('an element that was picked in a frame', () => {
  test('of another site, within another frame, is shown before and after', async ({ stage }) => {
    const desk = await Desk.open(stage, says(stage.url, inFrame(says(stage.otherUrl, inFrame(says(stage.url, RED))))));
    const frame = desk.tab.frameLocator('iframe').frameLocator('iframe');

    const picked = await desk.pick(frame);
    const before = await desk.keep(picked);
    await makeGreen(frame);
    const after = await desk.lookAgain(picked, before.looks);

    expect(await desk.colourOf(before.picture)).toBe('red');
    expect(after).toMatchObject({ outcome: 'updated', elements: [{ isThere: true }] });
    expect(await desk.colourOf(after.elements[0]?.picture)).toBe('green');
  });

  test('is found again in a page that was loaded anew, and is brought into view there', { tags: 'whole' }, async ({ stage }) => {
    const below = `<p style="height: 3000px">Far above</p>${inFrame(says(stage.url, RED))}<p style="height: 3000px">Far below</p>`;
    const desk = await Desk.open(stage, says(stage.url, below));
    const frame = desk.tab.frameLocator('iframe');

    const picked = await desk.pick(frame);
    const before = await desk.keep(picked);
    await desk.tab.evaluate(() => scrollTo(0, 0));
    await desk.tab.reload();
    await frame.locator('#go').waitFor();
    const after = await desk.lookAgain(picked, before.looks);

    expect(after).toMatchObject({ outcome: 'reloaded', elements: [{ isThere: true }] });
    expect(await desk.colourOf(after.elements[0]?.picture)).toBe('red');
  });
});

test(
  'an element is picked by the person alone, also while an agent presses and types in the same tab',
  { tags: 'whole' },
  async ({ stage }) => {
    const other = '<button onclick="this.textContent = `Pressed`">Other</button><input aria-label="Field">';
    const page = `says?text=${encodeURIComponent(`${RED}${other}`)}`;
    const agent = await stage.open(page);
    agent.answerWith(() => 'session');
    await agent.text('browser_press_key', { target: 'role=textbox', key: 'a' });
    const desk = await Desk.before(stage, stage.pageAt(page));
    const calls: Promise<string>[] = [];

    const picked = await desk.pick(desk.tab, async () => {
      calls.push(agent.text('browser_press_key', { key: 'Escape' }), agent.text('browser_click', { target: 'text=Other' }));
      // The tab shows that an agent acts in it.
      await expect.poll(() => desk.tab.locator('[popover]').count()).toBe(2);
    });
    const [key, click] = await Promise.all(calls);

    expect(picked.selector).toBe('#go');
    expect(key).toMatch(/^Pressed Escape/);
    expect(click).toContain('Pressed');
  },
);

describe('a build that failed', () => {
  test('is told where the development server says so in the console only, until it builds anew', async ({ stage }) => {
    const desk = await Desk.open(stage, says(stage.url, RED));
    const picked = await desk.pick(desk.tab);
    const { looks } = await desk.keep(picked);
    const text = '[webpack-dev-server] ERROR in ./tides.js\nModule build failed: Unexpected token';
    const key = `sk-ant-api03-${'Ab1'.repeat(20)}`;

    await desk.tab.evaluate((error) => console.error(error), `${text} ${key}`);
    const broken = await desk.lookAgain(picked, looks);
    await desk.tab.evaluate(() => console.info('[webpack-dev-server] App updated. Recompiling...'));
    await makeGreen(desk.tab);
    const mended = await desk.lookAgain(picked, looks);

    expect(broken).toMatchObject({ outcome: 'unchanged', elements: [{ isThere: true }] });
    expect(broken.buildError).toContain(text);
    expect(broken.buildError).not.toContain(key);
    expect(mended).toMatchObject({ outcome: 'updated' });
    expect(mended.buildError).toBeUndefined();
  });

  test('of Vite without its overlay is told, and no more once it is mended', { tags: 'whole' }, async ({ stage }) => {
    const web = path.join(stage.homeDir, 'web');
    const script = path.join(web, 'main.js');
    mkdirSync(web);
    writeFileSync(path.join(web, 'vite.config.js'), 'export default { server: { hmr: { overlay: false } } };');
    writeFileSync(path.join(web, 'index.html'), `${RED}<script type="module" src="/main.js"></script>`);
    const right = "document.querySelector('#go').title = 'right';\nimport.meta.hot.accept();\n";
    writeFileSync(script, right);
    await using served = await startDevServer(web, { PATH: process.env['PATH'] ?? '', HOME: stage.homeDir });
    const desk = await Desk.open(stage, `${served.url}/`);
    const go = desk.tab.locator('#go');
    await expect.poll(() => go.getAttribute('title')).toBe('right');
    const picked = await desk.pick(desk.tab);
    const { looks } = await desk.keep(picked);

    writeFileSync(script, right.replace("'right'", "'right"));
    const broken = await desk.lookAgain(picked, looks);
    writeFileSync(script, right.replace("'right'", "'mended'"));
    await expect.poll(() => go.getAttribute('title')).toBe('mended');
    const mended = await desk.lookAgain(picked, looks);

    expect(broken.buildError).toMatch(/^\[vite\] Internal Server Error\n/);
    expect(mended).toMatchObject({ outcome: 'updated' });
    expect(mended.buildError).toBeUndefined();
  });
});

import { describe, expect } from 'vitest';
import type { ToolResult } from '#protocol/browser.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { WHOLE } from '#test/fixtures/whole.ts';
import { type Agent, currentTab, textOf, type ToolStage } from './tool-stage.ts';
import { describeTabs, test } from './tool-test.ts';

type Colour = [number, number, number];

interface Picture {
  readonly width: number;
  readonly height: number;
  /** The colours at the points that were asked for. */
  readonly colours: Colour[];
}

/** Decoded by the browser itself; `points` are fractions of width and height. */
const decode = async (stage: ToolStage, result: ToolResult, points: readonly (readonly [number, number])[]): Promise<Picture> => {
  const image = result.content.find((block) => block.type === 'image');
  if (image === undefined) throw new Error(JSON.stringify(result));
  const page = await stage.browser.context.newPage();
  const url = `data:${String(image['mimeType'])};base64,${String(image['data'])}`;
  const decoded = await page.evaluate(
    async ({ url: source, points: wanted }) => {
      const picture = new Image();
      picture.src = source;
      await picture.decode();
      const canvas = document.createElement('canvas');
      canvas.width = picture.naturalWidth;
      canvas.height = picture.naturalHeight;
      const context = canvas.getContext('2d');
      context?.drawImage(picture, 0, 0);
      const colours = wanted.map(([x, y]): [number, number, number] => {
        const [red = 0, green = 0, blue = 0] =
          context?.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data ?? [];
        return [red, green, blue];
      });
      return { width: canvas.width, height: canvas.height, colours };
    },
    { url, points },
  );
  await page.close();
  return decoded;
};

/** JPEG and colour profiles shift a colour a little. */
const near = (colour: Colour): unknown => ({
  asymmetricMatch: (other: unknown) => Array.isArray(other) && colour.every((value, index) => Math.abs(value - Number(other[index])) < 12),
  toString: () => `near ${colour.join(' ')}`,
});
const RED: Colour = [255, 0, 0];
const GREEN: Colour = [0, 255, 0];
const BLUE: Colour = [0, 0, 255];

const select = async (agent: Agent): Promise<void> => {
  const tabId = await currentTab(agent);
  await agent.text('browser_tabs', { action: 'select', tabId });
};

/** Where something is on visual.html, as a fraction of what the picture shows. */
const viewPoint = async (stage: ToolStage, x: number, y: number): Promise<readonly [number, number]> => {
  const [width, height] = await stage.pageAt('visual.html').evaluate(() => [innerWidth, innerHeight] as const);
  return [x / width, y / height];
};

/** As the person does it by the menu of the browser. */
const zoom = (stage: ToolStage, url: string, factor: number): Promise<void> =>
  stage.browser.worker.evaluate(
    async ([address, by]) => {
      const tabs = await chrome.tabs.query({});
      const found = tabs.find((tab) => tab.url === address);
      if (found?.id !== undefined) await chrome.tabs.setZoom(found.id, by);
    },
    [url, factor] as const,
  );

const CORNERS = [
  [0.02, 0.02],
  [0.5, 0.5],
  [0.98, 0.98],
] as const;

describe('browser_take_screenshot', () => {
  for (const isShown of [false, true]) {
    test(
      `draws refs into the picture of a tab ${isShown ? 'that is shown' : 'in the background'}, and shows a part of it larger`,
      { tags: isShown ? [WHOLE.name] : [] },
      async ({ stage }) => {
        const agent = await stage.open('visual.html');
        if (isShown) await select(agent);
        const points = [await viewPoint(stage, 100, 150), await viewPoint(stage, 200, 150)];

        const plain = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png' }), points);
        const zoomed = await decode(
          stage,
          await agent.call('browser_take_screenshot', { type: 'png', region: [120, 120, 220, 170] }),
          CORNERS,
        );
        const drawn = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', refs: true }), points);

        expect(plain.colours[1]).toEqual(near(RED));
        expect([zoomed.width, zoomed.height]).toEqual([400, 200]);
        expect(zoomed.colours).toEqual([near(RED), near(RED), near(RED)]);
        expect(drawn.colours[1]).toEqual(near(RED));
        expect([near(RED), near(BLUE)]).not.toContainEqual(drawn.colours[0]);
        expect(await stage.pageAt('visual.html').evaluate(() => document.querySelectorAll('body *').length)).toBe(3);
      },
    );
  }

  test('shows all of a page, one element and a part of it where the person has zoomed the page', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('visual.html');
    const page = stage.pageAt('visual.html');
    await zoom(stage, page.url(), 1.5);
    // The browser zooms a site, also for the tests that follow.
    try {
      await expect.poll(() => page.evaluate(() => devicePixelRatio)).toBe(1.5);

      const whole = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', fullPage: true }), [
        [0.5, 2850 / 3000],
        [0.98, 0.5],
      ]);
      const element = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', target: '#red' }), CORNERS);
      await agent.call('browser_take_screenshot');
      const part = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', region: [180, 180, 330, 240] }), CORNERS);

      expect(whole.colours).toEqual([near(GREEN), near(BLUE)]);
      expect([element.width, element.height]).toEqual([300, 150]);
      expect([...element.colours, ...part.colours]).toEqual(Array.from({ length: 6 }, () => near(RED)));
    } finally {
      await zoom(stage, page.url(), 1);
      await expect.poll(() => page.evaluate(() => devicePixelRatio)).toBe(1);
    }
  });

  test(
    'shows what is at the right edge where it is in the page, also in a picture that has no scroll bar',
    { tags: 'whole' },
    async ({ stage }) => {
      const red = 'position: absolute; right: 0; top: 50px; width: 20px; height: 20px; background: rgb(255, 0, 0)';
      const far = 'position: absolute; top: 150vh; width: 50px; height: 120vh; background: rgb(0, 255, 0)';
      const body = `<body style="margin: 0; height: 3000px; background: rgb(0, 0, 255)"><div id="far" style="${far}"></div>
      <div id="red" style="${red}"></div>`;
      const agent = await stage.open(`says?text=${encodeURIComponent(body)}`);
      const [left, width, scale] = await stage.pageAt('%3C%2Fdiv%3E').evaluate(() => {
        const { clientWidth } = document.documentElement;
        const area = innerWidth * innerHeight;
        return [clientWidth - 20, clientWidth, Math.min(1, Math.sqrt(1_150_000 / area), 1_568 / innerWidth)] as const;
      });

      const whole = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', fullPage: true }), [
        [(left + 10) / width, 60 / 3000],
        [(left - 10) / width, 60 / 3000],
      ]);
      const element = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', target: '#red' }), CORNERS);
      await agent.call('browser_take_screenshot');
      const region = [left, 50, left + 20, 70].map((at) => at * scale);
      const part = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', region }), CORNERS);
      const below = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', target: '#far' }), CORNERS);

      expect(whole.colours).toEqual([near(RED), near(BLUE)]);
      expect([...element.colours, ...part.colours]).toEqual(Array.from({ length: 6 }, () => near(RED)));
      expect(below.colours).toEqual([near(GREEN), near(GREEN), near(GREEN)]);
    },
  );

  test('shows a page that runs from right to left whole, and its places are pressed', async ({ stage }) => {
    const red = 'position: absolute; right: 1900px; top: 50px; width: 100px; height: 100px; background: rgb(255, 0, 0); border: 0';
    const body = `<html dir="rtl"><body style="margin: 0; width: 2000px; height: 1000px; background: rgb(0, 0, 255)">
      <button id="red" style="${red}" onclick="said.append(\`Trusted: \${event.isTrusted}\`)">R</button><p id="said"></p>
      <a id="low" style="position: absolute; top: calc(100vh - 12px); right: 0; width: 99px; height: 10px" onclick="said.append(id)"></a>`;
    const agent = await stage.open(`says?text=${encodeURIComponent(body)}`);
    const places = [
      [50 / 2000, 0.1],
      [150 / 2000, 0.1],
    ] as const;

    const whole = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', fullPage: true }), places);
    const element = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png', target: '#red' }), CORNERS);
    await agent.call('browser_take_screenshot', { fullPage: true });
    const x = (whole.width * 50) / 2000;
    const pressed = await agent.text('browser_click', { x, y: x * 2, trusted: true });

    expect(whole.colours).toEqual([near(RED), near(BLUE)]);
    expect(element.colours[0]).toEqual(near(RED));
    expect(pressed).toContain('Trusted: true');

    // Where it is pictured the bar lies by which the page is scrolled across.
    const bottom = await stage.pageAt('%3C%2Fa%3E').evaluate(() => {
      scrollTo(0, 0);
      return innerHeight - 7;
    });
    await agent.call('browser_take_screenshot', { fullPage: true });
    const under = { x: (whole.width * 1950) / 2000, y: (whole.width * bottom) / 2000 };

    expect(await agent.text('browser_click', under)).toContain('low');
  });

  test(
    'shows no mark of what the person is asked about, which the page can neither read nor remove',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await stage.open('visual.html');
      await select(agent);
      const page = stage.pageAt('visual.html');
      const marks = page.locator('html > [popover]');
      const point = [await viewPoint(stage, 200, 150)];
      const seen: { picture?: Picture; shown?: Picture; told?: string } = {};
      agent.answerWith(async () => {
        await marks.waitFor({ state: 'attached' });
        seen.picture = await decode(stage, await agent.call('browser_take_screenshot', { type: 'png' }), point);
        await page.bringToFront();
        const first = await marks.elementHandle();
        seen.told = await page.evaluate(
          (host) => `${host?.shadowRoot === null ? 'closed' : 'open'} ${host?.getAttribute('style') ?? ''}`,
          first,
        );
        await page.evaluate((host) => host?.remove(), first);
        await marks.waitFor({ state: 'attached' });
        const data = (await page.screenshot({ type: 'png' })).toString('base64');
        seen.shown = await decode(stage, { content: [{ type: 'image', mimeType: 'image/png', data }] }, point);
        return 'once' as const;
      });

      await agent.text('browser_click', { target: '#red' });

      expect(seen.picture?.colours).toEqual([near(RED)]);
      expect([near(RED), near(BLUE)]).not.toContainEqual(seen.shown?.colours[0]);
      expect(seen.told).toMatch(/^closed /);
      expect(seen.told).not.toContain('100px');
      await marks.waitFor({ state: 'detached' });
    },
  );

  describeTabs(
    (how) => `of a ${how} tab`,
    ({ isShown }) => {
      test('pictures what is seen, as an image block of a size a model can see', async ({ stage }) => {
        const agent = await stage.open('visual.html');
        if (isShown) await select(agent);

        const result = await agent.call('browser_take_screenshot');
        const { width, height, colours } = await decode(stage, result, [
          await viewPoint(stage, 200, 150),
          await viewPoint(stage, 350, 150),
        ]);

        expect(result.content.map(({ type }) => type)).toEqual(['text', 'image']);
        expect(result.content[1]).toMatchObject({ mimeType: 'image/jpeg' });
        expect(width * height).toBeLessThanOrEqual(1_150_000);
        expect(Math.max(width, height)).toBeLessThanOrEqual(1_568);
        expect(colours).toEqual([near(RED), near(BLUE)]);
      });

      test('pictures the whole page', async ({ stage }) => {
        const agent = await stage.open('visual.html');
        if (isShown) await select(agent);

        const { width, height, colours } = await decode(
          stage,
          await agent.call('browser_take_screenshot', { fullPage: true, type: 'png' }),
          [
            [0.5, 2850 / 3000],
            [0.5, 2700 / 3000],
          ],
        );

        expect(height).toBeGreaterThan(width);
        expect(height).toBeLessThanOrEqual(1_568);
        expect(colours).toEqual([near(GREEN), near(BLUE)]);
      });

      test('pictures one element', async ({ stage }) => {
        const agent = await stage.open('visual.html');
        if (isShown) await select(agent);

        const red = await decode(stage, await agent.call('browser_take_screenshot', { target: '#red', type: 'png' }), CORNERS);
        const far = await decode(stage, await agent.call('browser_take_screenshot', { target: '#far', type: 'png' }), CORNERS);

        expect([red.width, red.height]).toEqual([200, 100]);
        expect(red.colours).toEqual([near(RED), near(RED), near(RED)]);
        expect(far.colours).toEqual([near(GREEN), near(GREEN), near(GREEN)]);
      });
    },
  );

  for (const isShown of [false, true]) {
    test(
      `shows nothing of a secret field in a tab ${isShown ? 'that is shown' : 'in the background'}, and puts it back as it was`,
      { tags: isShown ? [WHOLE.name] : [] },
      async ({ stage }) => {
        const agent = await stage.open('visual.html');
        if (isShown) await select(agent);
        // By the debugger, which a change of the page attaches.
        await agent.text('browser_press_key', { key: 'Escape' });
        const page = stage.pageAt('visual.html');
        const shoot = async (target: object): Promise<string> => {
          const result = await agent.call('browser_take_screenshot', { ...target, type: 'png' });
          return String(result.content[1]?.['data']);
        };
        const both = async (): Promise<string[]> => [await shoot({ target: 'input' }), await shoot({})];

        const first = await both();
        await page.evaluate(() => {
          const input = document.querySelector('input');
          if (input !== null) input.value = '1234';
        });
        const second = await both();

        expect(second).toEqual(first);
        expect(await page.evaluate(() => document.querySelector('input')?.getAttribute('style'))).toBeFalsy();
      },
    );
  }

  test('shows nothing of a secret field that has come into a page without one, of which pictures were taken before', async ({ stage }) => {
    const agent = await stage.open('visual.html');
    const page = stage.pageAt('visual.html');
    const shoot = async (code: string): Promise<string> => {
      await page.evaluate((value) => {
        document.querySelector('input')?.remove();
        if (value === '') return;
        const field = document.createElement('input');
        field.setAttribute('aria-label', 'Security code');
        field.value = value;
        document.body.append(field);
      }, code);
      const result = await agent.call('browser_take_screenshot', { type: 'png' });
      return String(result.content[1]?.['data']);
    };

    const first = [await shoot(''), await shoot(''), await shoot('1234')];
    const second = [await shoot(''), await shoot(''), await shoot('9876')];

    expect(second).toEqual(first);
    expect(first[2]).not.toBe(first[0]);
  });

  for (const isShown of [false, true]) {
    test(
      `shows no frame of a site that is closed, in a tab ${isShown ? 'that is shown' : 'in the background'}`,
      { tags: isShown ? [WHOLE.name] : [] },
      async ({ stage }) => {
        const agent = await stage.open('shop.html');
        const page = stage.pageAt('shop.html');
        const red = `${stage.otherUrl}/says?text=${encodeURIComponent('<body style="margin: 0; background: red">')}`;
        await page.evaluate((src) => {
          document.body.innerHTML = '<style>body { margin: 0; background: blue } iframe { width: 100vw; height: 50vh; border: 0 }</style>';
          const frame = document.createElement('iframe');
          frame.src = src;
          document.body.append(frame);
          return new Promise((resolve) => frame.addEventListener('load', resolve));
        }, red);
        if (isShown) await select(agent);
        let told = '';
        const colours = async (args: object): Promise<readonly Colour[]> => {
          const result = await agent.call('browser_take_screenshot', { type: 'png', ...args });
          told = textOf(result);
          return (await decode(stage, result, [[0.5, 0.25]])).colours;
        };

        expect(await colours({})).toEqual([near(RED)]);
        stage.sites.set('localhost', 'never');
        try {
          for (const args of [{}, { fullPage: true }, { target: 'body' }, { region: [0, 0, 200, 100] }])
            expect(await colours(args), JSON.stringify(args)).not.toContainEqual(near(RED));
          expect(told).toContain('Frames are left blank in it, because one is of a site that the user has closed to agents.');
        } finally {
          stage.sites.remove('localhost');
        }

        expect(await colours({})).toEqual([near(RED)]);
      },
    );
  }

  for (const what of ['draws the field anew, each time,', 'takes its style away', 'adds a frame with another one'] as const) {
    test(
      `shows no secret of a page that ${what} as soon as its field is hidden`,
      { tags: what.startsWith('draws') ? [] : [WHOLE.name] },
      async ({ stage }) => {
        const agent = await stage.open('visual.html');
        const page = stage.pageAt('visual.html');
        const shoot = async (text: string): Promise<string> => {
          await page.evaluate(
            ([value, kind]) => {
              document.body.innerHTML = `<style>input { font: 40px monospace }</style><input name="pwd" value="${value}">`;
              const uncover = (field: Element): void => {
                if (kind === 'takes its style away') field.removeAttribute('style');
                else if (kind === 'draws the field anew, each time,') field.outerHTML = `<input name="pwd" value="${value}">`;
                else if (document.querySelector('iframe') === null) {
                  const frame = document.createElement('iframe');
                  frame.srcdoc = document.body.innerHTML.replaceAll('style=', 'title=');
                  document.body.append(frame);
                }
              };
              new MutationObserver(() => document.querySelectorAll('input[style*="disc"]').forEach(uncover)).observe(document.body, {
                attributes: true,
                subtree: true,
              });
            },
            [text, what] as const,
          );
          const result = await agent.call('browser_take_screenshot', { type: 'png', fullPage: true });
          return String(result.content.find(({ type }) => type === 'image')?.['data'] ?? result.content[0]?.['text']);
        };

        const first = await shoot('SECRET-A');
        const second = await shoot('WWWWWW-W');

        expect(second).toBe(first);
      },
    );
  }

  test('is no change of the page, although its fields are hidden for a moment', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('visual.html');
    const { worker } = stage.browser;
    const tabId = await currentTab(agent);
    const changes = (): Promise<unknown> =>
      worker.evaluate(
        async (id) =>
          (
            await chrome.scripting.executeScript({
              target: { tabId: id },
              func: () => globalThis.pilotfishPage?.answer('changeCount', {}, { askId: 'test', refBase: 1 }),
            })
          )[0]?.result,
        tabId,
      );
    const before = await changes();

    await agent.call('browser_take_screenshot');

    expect(await changes()).toEqual(before);
  });

  test('puts a secret field back as it was when the call is given up while the picture is taken', async ({ stage }) => {
    const agent = await stage.open('visual.html');
    const page = stage.pageAt('visual.html');
    const stop = new AbortController();
    await page.exposeFunction('masked', () => stop.abort());
    await page.evaluate(() => {
      const input = document.querySelector('input');
      if (input === null) throw new Error('the page has no field');
      // Tall enough for the picture to take longer than the word that it is given up.
      document.body.style.height = '30000px';
      new MutationObserver(() => (globalThis as unknown as { masked: () => void }).masked()).observe(input, { attributeFilter: ['style'] });
    });

    await agent.call('browser_take_screenshot', { fullPage: true }, { signal: stop.signal }).catch(() => {});

    // The word comes from the page by way of the test, which may be late on a busy machine.
    await expect.poll(() => stop.signal.aborted, { timeout: HANG_MS }).toBe(true);
    await expect.poll(() => page.evaluate(() => document.querySelector('input')?.getAttribute('style')), { timeout: HANG_MS }).toBeFalsy();
  });

  test('can be taken faster than Chrome lets extensions picture the visible tab', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('visual.html');
    await select(agent);

    for (let round = 0; round < 5; round += 1) expect((await agent.call('browser_take_screenshot')).isError).toBeUndefined();
  });

  test('asks for one thing at a time', async ({ stage }) => {
    const agent = await stage.open('visual.html');

    expect(await agent.error('browser_take_screenshot', { target: '#red', fullPage: true })).toContain('exclude each other');
    expect(await agent.error('browser_take_screenshot', { target: '#none' })).toContain('TARGET_NOT_FOUND');
  });
});

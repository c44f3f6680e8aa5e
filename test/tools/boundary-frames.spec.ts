import { describe, expect } from 'vitest';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { isWhole, WHOLE } from '#test/fixtures/whole.ts';
import { refsInFrames, stopWorker, type ToolStage, textOf } from './tool-stage.ts';
import { ownTest as test } from './tool-test.ts';

/** A frame of the bank in a page of the shop, which the person has agreed to. */
const KINDS = {
  'an iframe': '<iframe src="BANK"></iframe>',
  'an iframe in a closed shadow tree':
    '<div><template shadowrootmode="closed"><iframe style="width:400px;height:300px" src="BANK"></iframe></template></div>',
  'an object': '<object type="text/html" data="BANK"></object>',
  'an embed': '<embed type="text/html" src="BANK" />',
};

/** How the frame comes under the pointer. */
const WAYS = {
  'is the target': { target: '#wrap > *', script: '', isShown: true },
  'is swapped in when the pointer moves': { target: '#go', script: "addEventListener('mousemove', show, true)", isShown: false },
  'comes and goes all the time': {
    target: '#go',
    script: 'setInterval(() => (Math.random() < 0.5 ? show() : hide()), 1)',
    isShown: false,
  },
};

/** Pages that work against the style by which no frame takes the pointer while a trusted click presses. */
const AGAINST_THE_STYLE = {
  ...WAYS,
  'is shown and hidden all the time': {
    target: '#go',
    script: `setInterval(() => {
      document.querySelector('#wrap').style.display = Math.random() < 0.5 ? 'none' : 'block';
      Math.random() < 0.5 ? show() : hide();
    }, 3)`,
    isShown: false,
  },
  'comes into the top layer': {
    target: '#go',
    script: `
      const wrap = document.querySelector('#wrap');
      wrap.popover = 'manual';
      addEventListener('mousemove', () => {
        show();
        if (!wrap.matches(':popover-open')) wrap.showPopover();
        setTimeout(() => { hide(); wrap.hidePopover(); }, 300);
      }, true);`,
    isShown: false,
  },
  'holds the style back by a transition': {
    target: '#go',
    script: `
      const style = document.createElement('style');
      style.textContent = 'iframe { transition: pointer-events 1000s allow-discrete, visibility 1000s }';
      document.head.append(style);
      addEventListener('mousemove', () => { show(); setTimeout(hide, 500); }, true);`,
    isShown: false,
  },
};

/** A frame of the page's own site that ignores the pointer lies over the target, and is the bank's when that is pressed. */
const OWN_AT_FIRST = {
  'when the pointer moves': "addEventListener('mousemove', toBank, true)",
  'when the pointer goes down': "addEventListener('mousedown', toBank, true)",
  'again and again': 'setInterval(() => (Math.random() < 0.5 ? toBank() : toOwn()), 200)',
};

/** Clicks of each way in which the frame moves; every other one is double. */
const ROUNDS = isWhole ? 40 : 2;
/** For all of them, the slow ones that are refused included. */
const ROUNDS_MS = HANG_MS + ROUNDS * 30_000;

const bankIn = (stage: ToolStage) =>
  stage
    .pageAt('shop.html')
    .frames()
    .find((frame) => frame.url().endsWith('bank.html'));

const payments = async (stage: ToolStage): Promise<string | null> => (await bankIn(stage)?.locator('#payments').textContent()) ?? null;

const build = async (stage: ToolStage, kind: keyof typeof KINDS, way: keyof typeof AGAINST_THE_STYLE): Promise<void> => {
  const { script, isShown } = AGAINST_THE_STYLE[way];
  const html = `
    <style>button, #wrap { position: fixed; left: 0; top: 0; width: 400px; height: 300px; border: 0 } #wrap > * { width: 100%; height: 100%; border: 0 }</style>
    <button id="go">Go</button><div id="wrap">${KINDS[kind].replace('BANK', `${stage.otherUrl}/bank.html`)}</div>`;
  const page = stage.pageAt('shop.html');
  await page.evaluate((given) => document.body.setHTMLUnsafe(given), html);
  await expect.poll(() => payments(stage)).toBe('0');
  await page.evaluate(
    ([code, shown]) => {
      const wrap = document.querySelector<HTMLElement>('#wrap');
      // Not by display: an object that is not displayed has no page.
      const move = (left: string) => () => wrap?.style.setProperty('left', left);
      Object.assign(globalThis, { show: move('0px'), hide: move('-9999px') });
      if (!shown) move('-9999px')();
      const element = document.createElement('script');
      element.textContent = code;
      document.head.append(element);
    },
    [script, isShown] as const,
  );
};

/** A button below a frame of the same site that ignores the pointer; the bank tells the page of each press. */
const buildOwn = async (stage: ToolStage, script: string): Promise<void> => {
  const bank = `${stage.otherUrl}/says?text=${encodeURIComponent("<script>addEventListener('mousedown', () => parent.postMessage('paid', '*'), true)</script>")}`;
  const page = stage.pageAt('shop.html');
  await page.evaluate(
    ([bankUrl, code]) => {
      document.body.innerHTML = `<style>#go, #over { position: fixed; left: 0; top: 0; width: 400px; height: 300px; border: 0 } #over { pointer-events: none }</style>
        <button id="go">Go</button><iframe id="over" src="/says?text=own"></iframe>`;
      const over = document.querySelector<HTMLIFrameElement>('#over');
      let count = 0;
      Object.assign(globalThis, {
        paid: 0,
        toBank: () => {
          over?.style.setProperty('pointer-events', 'auto', 'important');
          over?.setAttribute('src', bankUrl);
        },
        toOwn: () => {
          over?.style.removeProperty('pointer-events');
          over?.setAttribute('src', '/says?text=own');
        },
      });
      addEventListener('message', ({ data }) => {
        if (data === 'paid') Reflect.set(globalThis, 'paid', Number(Reflect.get(globalThis, 'paid')) + 1);
      });
      document.querySelector('#go')?.addEventListener('click', ({ isTrusted }) => {
        document.title = `trusted: ${isTrusted ? (count += 1) : 'no'}`;
      });
      const element = document.createElement('script');
      element.textContent = code;
      document.head.append(element);
    },
    [bank, script] as const,
  );
};

/** The page itself answers nobody while it is pressed. */
const titles = async (): Promise<(string | undefined)[]> => (await chrome.tabs.query({})).map(({ title }) => title);

describe('a trusted click never goes into a frame of another page', () => {
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
      // What covers the target is waited for; the tests below press it, too.
      const tags = kind === 'an iframe' && way !== 'is the target' ? [] : [WHOLE.name];
      test(`${kind} that ${way}`, { tags }, async ({ stage }) => {
        const agent = await stage.open('shop.html');
        await build(stage, kind, way);

        for (const more of [{}, { doubleClick: true }]) {
          const text = textOf(await agent.call('browser_click', { target: WAYS[way].target, trusted: true, ...more }));
          expect(text).toMatch(/^(?:Clicked|TARGET_NOT_READY|TOOL_ARGUMENTS|TOOL_TIMEOUT)/);
        }

        expect(await payments(stage)).toBe('0');
        expect(agent.asked.map(({ where }) => where)).not.toContain(stage.otherUrl);
      });
    }
  }

  for (const [kind, way] of [
    ['an iframe', 'is shown and hidden all the time'],
    ['an iframe', 'holds the style back by a transition'],
    ['an iframe', 'comes into the top layer'],
    ['an iframe', 'comes and goes all the time'],
    ['an iframe in a closed shadow tree', 'comes and goes all the time'],
  ] as const) {
    // The short form has the one that is quickest to come.
    const tags = way === 'comes into the top layer' ? [] : [WHOLE.name];
    test(`not once in ${ROUNDS} clicks: ${kind} that ${way}`, { timeout: ROUNDS_MS, tags }, async ({ stage }) => {
      const agent = await stage.open('shop.html');
      await build(stage, kind, way);

      for (let round = 0; round < ROUNDS; round += 1) {
        await agent.call('browser_click', { target: '#go', trusted: true, doubleClick: round % 2 === 1 });
      }

      expect(await payments(stage)).toBe('0');
    });
  }

  for (const [when, script] of Object.entries(OWN_AT_FIRST)) {
    test(
      `not once in ${ROUNDS} clicks: a frame of the page's own site that turns into the bank ${when}`,
      { timeout: ROUNDS_MS, tags: when === 'when the pointer goes down' ? [] : [WHOLE.name] },
      async ({ stage }) => {
        const agent = await stage.open('shop.html');
        await buildOwn(stage, script);

        for (let round = 0; round < ROUNDS; round += 1) {
          const text = textOf(await agent.call('browser_click', { target: '#go', trusted: true, doubleClick: round % 2 === 1 }));
          expect(text).toMatch(/^(?:Clicked|TARGET_NOT_READY|TOOL_TIMEOUT|DOCUMENT_CHANGED)/);
          await stage.pageAt('shop.html').evaluate(() => Reflect.get(globalThis, 'toOwn')());
        }

        expect(await stage.pageAt('shop.html').evaluate(() => Reflect.get(globalThis, 'paid'))).toBe(0);
        await stage.pageAt('shop.html').close();
      },
    );
  }

  test('a frame of the page’s own site that ignores the pointer hinders nothing, though it moves', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('shop.html');
    await buildOwn(
      stage,
      "const own = document.querySelector('#over'); let step = 0; setInterval(() => own.style.setProperty('left', `${(step += 1) % 9}px`), 10)",
    );

    for (let round = 0; round < 3; round += 1)
      expect(await agent.text('browser_click', { target: '#go', trusted: true })).toContain('Clicked.');

    expect(await stage.pageAt('shop.html').title()).toBe('trusted: 3');
  });

  test('a ref inside the frame is asked for by the address of the frame', async ({ stage }) => {
    const agent = await stage.open('shop.html');
    await build(stage, 'an iframe', 'is the target');
    agent.answerWith(() => 'reject');

    await agent.call('browser_click', { target: await agent.ref(/button "Pay"/) });

    expect(agent.asked.map(({ where }) => where)).toEqual([stage.otherUrl]);
    expect(await payments(stage)).toBe('0');
  });

  test(
    'what a page has made is read, and is its own at blob:, and at data: where it names that itself',
    { tags: 'whole' },
    async ({ stage }) => {
      const button = (name: string): string => `<button onclick="this.append(' pressed')">${name}</button>`;
      const dataOf = (html: string): string => `data:text/html,${encodeURIComponent(html)}`;
      const agent = await stage.open('shop.html');
      const bank = `${stage.otherUrl}/says?text=${encodeURIComponent(`<script>location = ${JSON.stringify(dataOf(button('Bank')))}</script>`)}`;
      const inside = `<iframe srcdoc="${button('Inside').replaceAll('"', '&quot;')}"></iframe>`;
      await stage.pageAt('shop.html').evaluate(
        ([made, addresses]) => {
          document.body.innerHTML = '<iframe id="made"></iframe><iframe id="apart" sandbox="allow-scripts"></iframe>';
          const address = URL.createObjectURL(new Blob([made], { type: 'text/html' }));
          for (const frame of document.querySelectorAll('iframe')) frame.src = address;
          for (const src of addresses) document.body.append(Object.assign(document.createElement('iframe'), { src }));
        },
        [button('Made'), [dataOf(button('Written')), dataOf(inside), bank]] as const,
      );
      const refs = await refsInFrames(agent, 'button "(?:Made|Written|Inside|Bank)"', 5);
      const text = await agent.text('browser_snapshot');
      const [ofBank = ''] = /f\d+e\d+(?= button "Bank)/.exec(text) ?? [];
      agent.answerWith(({ where }) => (where === stage.url ? 'session' : 'reject'));

      for (const target of refs.filter((ref) => ref !== ofBank)) await agent.text('browser_click', { target });
      const refused = await agent.error('browser_click', { target: ofBank });

      expect(text).toMatch(/\[e\d+ iframe\] data:text\/html:\n/);
      expect(refused).toContain('belongs to no site that the user could be asked about');
      const pressed = async (): Promise<number | undefined> => (await agent.text('browser_snapshot')).match(/ pressed"/g)?.length;
      expect(await pressed()).toBe(4);
      expect(agent.asked.map(({ where }) => where)).toEqual([stage.url]);
      await stopWorker(stage);
      expect(await pressed()).toBe(4);
    },
  );

  test('no frame is drawn while a trusted click presses, and all are again afterwards', async ({ stage }) => {
    const agent = await stage.open('shop.html');
    await build(stage, 'an iframe', 'is the target');
    const page = stage.pageAt('shop.html');
    await page.evaluate(() => {
      const wrap = document.querySelector<HTMLElement>('#wrap');
      wrap?.style.setProperty('left', '500px');
      const bank = document.querySelector<HTMLElement>('#wrap > *');
      bank?.style.setProperty('visibility', 'visible', 'important');
      document.querySelector('#go')?.addEventListener('mousedown', () => {
        document.title = bank === null ? '' : getComputedStyle(bank).visibility;
      });
    });

    expect(await agent.text('browser_click', { target: '#go', trusted: true })).toContain('Clicked.');

    expect(await page.title()).toBe('hidden');
    await expect.poll(() => page.locator('#wrap > *').evaluate((bank) => getComputedStyle(bank).visibility)).toBe('visible');
  });

  test('a page with a frame of another page elsewhere is pressed', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('shop.html');
    await build(stage, 'an iframe', 'is the target');
    const page = stage.pageAt('shop.html');
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('#wrap')?.style.setProperty('left', '500px');
      document.querySelector('#go')?.addEventListener('click', ({ isTrusted }) => {
        document.title = `trusted: ${String(isTrusted)}`;
      });
    });

    const text = await agent.text('browser_click', { target: '#go', trusted: true });

    expect(text).toContain('Clicked.');
    expect(await page.title()).toBe('trusted: true');
    // The frame takes the pointer again afterwards.
    await bankIn(stage)?.locator('#go').click();
    expect(await payments(stage)).not.toBe('0');
  });

  test('a page without frames under the pointer is pressed as before', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('shop.html');
    await stage.pageAt('shop.html').evaluate(() => {
      const button = document.querySelector<HTMLButtonElement>('#go');
      if (button === null) return;
      button.disabled = false;
      button.style.marginTop = '3000px';
      button.addEventListener('click', ({ isTrusted }) => {
        document.title = `trusted: ${String(isTrusted)}`;
      });
    });

    const text = await agent.text('browser_click', { target: '#go', trusted: true });

    expect(text).toContain('Clicked.');
    expect(await stage.pageAt('shop.html').title()).toBe('trusted: true');
  });

  for (const [how, end] of Object.entries({
    'has its worker stopped': stopWorker,
    'is reloaded': (stage: ToolStage) => stage.browser.worker.evaluate(() => chrome.runtime.reload()).catch(() => null),
  })) {
    const tags = how === 'is reloaded' ? [WHOLE.name] : [];
    test(`frames are drawn again when the extension ${how} in the middle of a press`, { tags }, async ({ stage }) => {
      const agent = await stage.open('shop.html');
      await build(stage, 'an iframe', 'is the target');
      const page = stage.pageAt('shop.html');
      await page.evaluate(() => {
        document.querySelector<HTMLElement>('#wrap')?.style.setProperty('left', '500px');
        document.querySelector('#go')?.addEventListener('mousedown', () => {
          document.title = 'pressed';
          for (const until = Date.now() + 2_000; Date.now() < until;);
        });
      });
      const before = stage.bridge.browsers()[0]?.connectedAt ?? 0;
      const call = agent.call('browser_click', { target: '#go', trusted: true });
      await expect.poll(async () => (await stage.browser.worker.evaluate(titles)).includes('pressed')).toBe(true);

      await end(stage);
      await call.catch(() => null);

      await expect.poll(() => stage.bridge.browsers()[0]?.connectedAt ?? 0).toBeGreaterThan(before);
      await expect.poll(() => page.locator('#wrap > *').evaluate((bank) => getComputedStyle(bank).visibility)).toBe('visible');
    });
  }
});

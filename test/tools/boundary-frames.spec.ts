import { describe, expect } from 'vitest';
import { type ToolStage, textOf } from './tool-stage.ts';
import { test } from './tool-test.ts';

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

const bankIn = (stage: ToolStage) =>
  stage
    .pageAt('shop.html')
    .frames()
    .find((frame) => frame.url().endsWith('bank.html'));

const payments = async (stage: ToolStage): Promise<string | null> => (await bankIn(stage)?.locator('#payments').textContent()) ?? null;

const build = async (stage: ToolStage, kind: keyof typeof KINDS, way: keyof typeof WAYS): Promise<void> => {
  const { script, isShown } = WAYS[way];
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

describe('a trusted click never goes into a frame of another page', () => {
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
      test(`${kind} that ${way}`, async ({ stage }) => {
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

  test('a ref inside the frame is asked for by the address of the frame', async ({ stage }) => {
    const agent = await stage.open('shop.html');
    await build(stage, 'an iframe', 'is the target');
    agent.answerWith(() => 'reject');

    await agent.call('browser_click', { target: await agent.ref(/button "Pay"/) });

    expect(agent.asked.map(({ where }) => where)).toEqual([stage.otherUrl]);
    expect(await payments(stage)).toBe('0');
  });

  test('a page without frames under the pointer is pressed as before', async ({ stage }) => {
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
});

import { describe, expect } from 'vitest';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { servePages } from '#test/fixtures/page-server.ts';
import { isWhole, WHOLE } from '#test/fixtures/whole.ts';
import { stopWorker, type ToolStage, textOf } from './tool-stage.ts';
import { ownTest as test } from './tool-test.ts';

/** How often each attack is tried. */
const ROUNDS = isWhole ? 20 : 2;

/** When a page that was agreed to leads the focus into a frame of the bank. */
const WHEN = {
  'the frame is there all the time': 'show(); setInterval(() => (Math.random() < 0.5 ? lead() : own.focus()), 2)',
  'the frame takes the focus by itself': 'show()',
  'the page leads the focus there with each key': "show(); own.addEventListener('keydown', ({ isTrusted }) => isTrusted && lead())",
  'the frame comes with the first letter or key held': `own.addEventListener('keydown', ({ isTrusted, key }) => {
    if (!isTrusted || key === 'a' || key === 'Control') return;
    show();
    setInterval(lead, 2);
  })`,
  'the frame comes and goes': 'setInterval(() => (Math.random() < 0.5 ? show() : hide()), 100); setInterval(lead, 2)',
};

/** What an agent types or presses in the page. */
const CALLS = {
  'a text that the page takes by keys only': { name: 'browser_type', args: { target: '#own', text: 'secret '.repeat(20) } },
  'a chord': { name: 'browser_press_key', args: { key: 'Shift+s', target: '#own' } },
};

/** The bank tells of each key that it gets, and takes the focus whenever it can. */
const BANK = `<input id="code" autofocus /><script>
  addEventListener('keydown', ({ key }) => parent.postMessage('key ' + key, '*'), true);
  addEventListener('input', () => parent.postMessage('key input', '*'), true);
  addEventListener('message', () => parent.postMessage('all told', '*'));
  setInterval(() => document.querySelector('#code').focus(), 3);
</script>`;

/** A field that takes nothing but real keys. */
const build = async (stage: ToolStage, script: string): Promise<void> => {
  await stage.pageAt('shop.html').evaluate(
    ([bank, code]) => {
      document.body.innerHTML = '<input id="own" /><div id="wrap"></div>';
      const own = document.querySelector<HTMLInputElement>('#own');
      const wrap = document.querySelector<HTMLElement>('#wrap');
      own?.addEventListener('keydown', (event) => {
        if (!event.isTrusted) event.preventDefault();
      });
      Object.assign(globalThis, {
        own,
        stolen: [],
        show: () => {
          if (wrap?.childElementCount !== 0) return;
          const frame = document.createElement('iframe');
          frame.src = bank;
          wrap.append(frame);
        },
        hide: () => wrap?.replaceChildren(),
        lead: () => wrap?.querySelector('iframe')?.contentWindow?.focus(),
      });
      addEventListener('message', ({ data }) => {
        if (String(data).startsWith('key')) (Reflect.get(globalThis, 'stolen') as unknown[]).push(data);
      });
      const element = document.createElement('script');
      element.textContent = code;
      document.head.append(element);
    },
    [`${stage.otherUrl}/says?text=${encodeURIComponent(BANK)}`, script] as const,
  );
};

/** In the page: what the bank got, after the bank has told all of it. */
const stolenKeys = (): Promise<unknown[]> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearInterval(timer);
      resolve(Reflect.get(globalThis, 'stolen') as unknown[]);
    };
    // A frame that has gone tells nothing any more.
    const ask = (): void => {
      const frame = document.querySelector('iframe');
      if (frame === null) end();
      else frame.contentWindow?.postMessage('tell', '*');
    };
    const timer = setInterval(ask, 20);
    addEventListener('message', ({ data }) => {
      if (data === 'all told') end();
    });
  });

describe('no real key goes into a frame of another site', () => {
  for (const [row, [when, script]] of Object.entries(WHEN).entries()) {
    for (const [column, [what, { name, args }]] of Object.entries(CALLS).entries()) {
      // In the short form each call meets one of the ways in which the frame gets the focus.
      const tags = row >= 2 || row % 2 !== column ? [WHOLE.name] : [];
      test(`not once in ${ROUNDS} calls: ${what}; ${when}`, { timeout: HANG_MS + ROUNDS * 30_000, tags }, async ({ stage }) => {
        const stolen: unknown[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          const agent = await stage.open('shop.html');
          await build(stage, script);

          const text = textOf(await agent.call(name, args));
          const page = stage.pageAt('shop.html');
          stolen.push(...(await page.evaluate(stolenKeys)));
          await page.close();

          expect(text).not.toContain('CONSENT_DENIED');
        }

        expect(stolen).toEqual([]);
      });
    }
  }

  test('though one is there, real keys reach the page, and the frame goes on afterwards', async ({ stage }) => {
    const agent = await stage.open('shop.html');
    await build(stage, "own.addEventListener('keydown', ({ isTrusted, key }) => document.title += ` ${key} ${isTrusted}`)");
    const page = stage.pageAt('shop.html');
    await page.evaluate(
      (url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
        return new Promise((resolve) => frame.addEventListener('load', resolve));
      },
      `${stage.otherUrl}/says?text=${encodeURIComponent('<input id="calm" />')}`,
    );

    const receipt = await agent.text('browser_press_key', { key: 'Shift+s', target: '#own' });

    expect(receipt).not.toContain('by events of the page only');
    expect(await page.title()).toContain('S true');
    expect(await page.locator('#own').inputValue()).toBe('S');
    expect(await page.frames()[1]?.evaluate(() => new Promise((resolve) => setTimeout(() => resolve('goes on'), 0)))).toBe('goes on');
    await page.close();
  });

  test(
    'keys reach the page, too, where a frame of another site holds one that runs in the process of the page',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await stage.open('form.html');
      const port = Number(new URL(stage.url).port);
      const neighbour = await servePages({ '/': '<p>Neighbour</p>' });
      try {
        for (const inner of [`${stage.url}/says?text=Own`, `http://127.0.0.1:${new URL(neighbour.url).port}/`]) {
          const around = `${stage.otherUrl}/says?text=${encodeURIComponent(`<p>Around</p><iframe src="${inner}"></iframe>`)}`;
          const heard = `<input id="own"><p id="heard"></p><script>own.onkeydown = ({ key }) => heard.append(key)</script>`;
          await agent.text('browser_navigate', {
            url: `${stage.url}/says?text=${encodeURIComponent(`${heard}<iframe src="${around}"></iframe>`)}`,
          });
          await agent.text('browser_wait_for', { text: inner.includes(`:${port}`) ? 'Own' : 'Neighbour' });

          expect(await agent.text('browser_press_key', { key: 'k', target: '#own' })).toMatch(/^Pressed k.*now:\nk\n/s);
        }
      } finally {
        await neighbour.close();
      }
    },
  );

  test('a frame that comes with a key begins to load when the key is up, a form sent into it too', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('shop.html');
    await build(stage, '');
    const page = stage.pageAt('shop.html');
    const arrived = (name: string): string => `${stage.otherUrl}/says?text=${name}`;
    await page.evaluate(
      ([bought, paid]) => {
        const make = (name: string): HTMLIFrameElement => {
          const frame = document.createElement('iframe');
          frame.name = name;
          document.body.append(frame);
          return frame;
        };
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', action: paid, target: 'paid' });
        document.body.append(form);
        let count = 0;
        document.querySelector('#own')?.addEventListener('keydown', ({ isTrusted }: Event) => {
          if (!isTrusted || (count += 1) > 1) return;
          make('bought').src = bought;
          make('paid').addEventListener('load', () => (document.title += ' loaded'));
          form.submit();
        });
      },
      [arrived('bought'), arrived('paid')] as const,
    );

    const receipt = await agent.text('browser_press_key', { key: 'Shift+s', target: '#own' });

    expect(receipt).toContain('Pressed');
    for (const name of ['bought', 'paid']) {
      await expect.poll(() => page.frame({ name })?.url()).toBe(arrived(name));
      await expect.poll(() => page.frame({ name })?.locator('body').textContent()).toContain(name);
    }
    await page.close();
  });

  test('frames go on when the worker of the extension is stopped while a key is held', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('shop.html');
    await build(stage, "own.addEventListener('keydown', () => (document.title = 'held'))");
    const page = stage.pageAt('shop.html');
    await page.evaluate((url) => {
      const frame = document.createElement('iframe');
      frame.src = url;
      document.body.append(frame);
      return new Promise((resolve) => frame.addEventListener('load', resolve));
    }, `${stage.otherUrl}/says?text=calm`);
    const before = stage.bridge.browsers()[0]?.connectedAt ?? 0;
    const call = agent.call('browser_press_key', { key: 's', target: '#own', holdMs: 10_000 }).catch(() => null);
    await expect.poll(() => page.title()).toBe('held');

    await stopWorker(stage);
    await expect.poll(() => stage.bridge.browsers()[0]?.connectedAt ?? 0).toBeGreaterThan(before);
    await call;

    expect(await page.frames()[1]?.evaluate(() => 'goes on')).toBe('goes on');
    await page.close();
  });
});

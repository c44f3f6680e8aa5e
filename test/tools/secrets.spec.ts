import { describe, expect } from 'vitest';
import { isWhole } from '#test/fixtures/whole.ts';
import { until } from '#test/fixtures/until.ts';
import { textOf } from './tool-stage.ts';
import { test } from './tool-test.ts';

const SECRETS = ['4111 1111', '482913', 'ghp_abc', 'legal winner', 'SECRET'];

describe('thirty shapes of a secret', () => {
  test('are in no snapshot, by whatever part of the page', async ({ stage }) => {
    const agent = await stage.open('secrets.html');
    await agent.ref(/textbox "Shown"/);
    await stage.pageAt('secrets.html').evaluate(() => document.getElementById('shown')?.setAttribute('type', 'text'));

    const whole = await agent.text('browser_snapshot', { urls: true });
    const parts = await Promise.all(
      ['form', 'input[name="pwd"]', '[contenteditable]', 'span.dots', 'table'].map((target) => agent.text('browser_snapshot', { target })),
    );

    for (const secret of SECRETS) expect([whole, ...parts].join('\n')).not.toContain(secret);
    expect(whole.match(/•••|not shown/g)).toHaveLength(30);
    expect(whole).toContain('Spinat-Pinboard');
  });

  test('a code that is drawn sign by sign in boxes beside its field is told nowhere, nor in a picture', async ({ stage }) => {
    const boxes = ['4', '8', '2', '9']
      .map((sign) => `<div class="slot"><input aria-hidden="true" tabindex="-1"><b>${sign}</b></div>`)
      .join('');
    const html = `<h1>Enter the code</h1><div>${boxes}<input autocomplete="one-time-code" value="4829" style="position:absolute;opacity:0"></div><p>Seats: <b>4</b></p><p><b>8</b></p>`;
    const agent = await stage.open(`says?text=${encodeURIComponent(html)}`);
    const shoot = async (): Promise<string> => {
      const { content } = await agent.call('browser_take_screenshot', { type: 'png' });
      return String(content.find(({ type }) => type === 'image')?.['data']);
    };

    const text = await agent.text('browser_snapshot');
    expect(text.match(/•••|not shown/g)).toHaveLength(5);
    expect(text).toContain('Seats: 4');
    expect(await agent.error('browser_click', { target: 'text=9' })).toContain('Nothing matches');
    const first = await shoot();
    await agent.text('browser_evaluate', {
      function: `() => { document.querySelectorAll('.slot b').forEach((slot, at) => { slot.textContent = '1357'[at]; }); document.querySelector('[autocomplete]').value = '1357'; }`,
    });
    expect(await shoot()).toBe(first);
  });

  test('are in no picture, and stay in the page as they were', async ({ stage }) => {
    const agent = await stage.open('secrets.html');
    const page = stage.pageAt('secrets.html');
    const shoot = async (): Promise<string> => {
      const result = await agent.call('browser_take_screenshot', { fullPage: true, type: 'png' });
      return String(result.content.find(({ type }) => type === 'image')?.['data']);
    };
    const html = await page.content();

    const first = await shoot();
    // Other letters of the same number; in a font of one width they differ in nothing but what they say.
    await page.evaluate(() => {
      for (const element of document.querySelectorAll('.s')) {
        const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
        const isByValue = isField && ['field14', 'field28'].includes(element.name);
        if (isByValue) continue;
        if (isField) element.value = element.value.replaceAll(/\S/g, 'W');
        else element.textContent = element.textContent?.replaceAll(/\S/g, 'W') ?? '';
      }
    });
    const second = await shoot();

    expect(second).toBe(first);
    await page.getByLabel('City').fill('Another city');
    expect(await shoot()).not.toBe(first);
    await page.getByLabel('City').fill('Spinat-Pinboard');
    expect((await page.content()).replaceAll(' style=""', '').replaceAll(/W{5,}( W+)*/g, '')).toBe(
      html.replaceAll(/SECRET-(?:19 legal winner|21)/g, ''),
    );
  });

  test('cannot be spelled out by selectors', async ({ stage }) => {
    const agent = await stage.open('secrets.html');
    const probes = [
      '[value^="S"]',
      'input[value]',
      String.raw`[\76 alue^=S]`,
      '[*|value^=S]',
      'form:has([value$="1"])',
      '/* " */[value^=S]/* " */',
    ];

    for (const target of probes) {
      for (const [tool, more] of [
        ['browser_snapshot', {}],
        ['browser_take_screenshot', {}],
        ['browser_click', { element: 'a field' }],
        ['browser_type', { element: 'a field', text: 'x' }],
      ] as const) {
        const right = await agent.error(tool, { target, ...more });
        expect(right).toContain('TOOL_ARGUMENTS');
        expect(right).toContain('take a ref');
      }
    }
  });
});

describe('fields that a page has made of other elements', () => {
  test('are secret by the same names: in no snapshot, text, find, selector or result of code', async ({ stage }) => {
    const agent = await stage.open('secrets-made.html');
    const code = "[...document.querySelectorAll('.s')].map((e) => e.value ?? e.textContent).join() + document.body.innerText";

    const whole = await agent.text('browser_snapshot', { urls: true });
    const told = [
      whole,
      await agent.text('browser_read'),
      await agent.text('browser_find', { regex: 'SECRET' }),
      await agent.text('browser_snapshot', { target: '[role=spinbutton]' }),
      await agent.text('browser_evaluate', { function: code }),
      await agent.error('browser_evaluate', { function: "() => { throw new Error(document.querySelector('.s').textContent) }" }),
    ];

    for (const text of told) expect(text).not.toMatch(/SECRET-|48291301/);
    for (const shown of ['Spinat-Pinboard', 'Kartenspiel', 'Annapurna']) expect(whole).toContain(shown);
    for (const guess of ['SECRET-01', 'SECRET-02', 'SECRET'])
      expect(await agent.text('browser_find', { text: guess })).toBe(
        (await agent.text('browser_find', { text: 'ABSENT-01' })).replaceAll('ABSENT-01', guess),
      );
    expect(await agent.error('browser_snapshot', { target: '[aria-valuetext^=S]' })).toContain('take a ref');
    // Each of them is looked for as long as something may still come.
    const guesses = [
      'text=SECRET-01',
      'text=SECRET-08',
      'text=/SECRET/',
      '*:has-text("SECRET-0")',
      ':text-matches("SEC.ET")',
      'label=/SECRET/',
    ];
    for (const target of [...guesses.filter((_, index) => isWhole || index % 3 === 0), 'role=textbox[name=/SECRET/]'])
      expect(await agent.error('browser_snapshot', { target }), target).toContain('Nothing matches');
    expect(await agent.error('browser_snapshot', { target: 'form >> [value^=S]' })).toContain('take a ref');
  });

  test('are in no picture', async ({ stage }) => {
    const agent = await stage.open('secrets-made.html');
    const page = stage.pageAt('secrets-made.html');
    const shoot = async (): Promise<string> => {
      const result = await agent.call('browser_take_screenshot', { fullPage: true, type: 'png' });
      return String(result.content.find(({ type }) => type === 'image')?.['data']);
    };

    const first = await shoot();
    await page.locator('.s').evaluateAll((fields) => {
      for (const field of fields) {
        if (field instanceof HTMLInputElement) field.value = 'WWWWWW-WW';
        else field.textContent = 'WWWWWW-WW';
      }
    });
    expect(await shoot()).toBe(first);
    await page.getByLabel('City').evaluate((city) => (city.textContent = 'Another city'));
    expect(await shoot()).not.toBe(first);
  });
});

describe('secrets in parts', () => {
  const PARTS = ['SECRET', 'ghp_abc', '4111 1111', '4012 8888', '5566'];

  test(
    'lists to choose from and the words of a recovery phrase are in no snapshot and no error, and what looks like them is shown',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await stage.open('secrets-parts.html');

      const whole = await agent.text('browser_snapshot');
      const list = await agent.text('browser_snapshot', { target: '#key' });
      const error = await agent.error('browser_type', { target: '#key', text: 'no such option' });

      for (const secret of PARTS) expect([whole, list, error].join('\n')).not.toContain(secret);
      expect(whole.match(/•••/g)).toHaveLength(19);
      expect(whole).toContain('Paid with [secret]');
      expect(whole).toContain('+49 SHOWN');
      expect(whole.match(/player-SHOWN/g)).toHaveLength(12);
    },
  );

  test('are in no picture', async ({ stage }) => {
    const agent = await stage.open('secrets-parts.html');
    const page = stage.pageAt('secrets-parts.html');
    const shoot = async (): Promise<string> => {
      const result = await agent.call('browser_take_screenshot', { fullPage: true, type: 'png' });
      return String(result.content.find(({ type }) => type === 'image')?.['data']);
    };

    const first = await shoot();
    // Other words of the same length.
    await page.evaluate(() => {
      for (const option of document.querySelectorAll('option')) {
        if (option.text.startsWith('SECRET')) option.text = option.text.replaceAll(/[A-Z]/g, 'W');
      }
      for (const input of document.querySelectorAll<HTMLInputElement>('#wallet input')) input.value = input.value.replaceAll(/[A-Z]/g, 'W');
    });
    expect(await shoot()).toBe(first);
    await page.locator('#country option').evaluate((option) => (option.textContent = '+44 SHOWN'));
    expect(await shoot()).not.toBe(first);
  });
});

describe('what a secret field holds and the page says elsewhere, too,', () => {
  test('cannot be spelled out by what a target, a search, a filter or a wait finds in a copy of it', async ({ stage }) => {
    const agent = await stage.open('secrets-told.html');
    const page = stage.pageAt('secrets-told.html');
    await page.evaluate(async () => {
      history.replaceState(null, '', '?pin=Tr0ub4dor%263');
      await fetch('/plain.txt?said=Tr0ub4dor%263').catch(() => null);
    });
    // Nobody has looked at the page yet, and a frame in it, which may come later than the page, holds this one.
    await page.frameLocator('iframe').locator('input').waitFor();
    await page.evaluate(() => {
      const begunAt = performance.now();
      const busy = setInterval(() => {
        const until = performance.now() + 600;
        while (performance.now() < until);
        if (until - begunAt > 5_000) clearInterval(busy);
      }, 10);
    });
    expect(await agent.error('browser_snapshot', { target: 'text=/frame-st/' })).toContain('TARGET_NOT_FOUND');
    await agent.text('browser_snapshot');
    // What is not there is waited for.
    const waited = ['text=/Tr0ub/', 'text=Tr0ub4dor&3', 'a:has-text("Tr0ub")', 'role=link[name=/^Tr0ub/]', 'getByAltText("Tr0ub")'];
    const targets = ['[alt^="Tr0ub"]', 'a[href*="Tr0ub"]', 'body:has([alt^="Tr0ub"])', ...waited.slice(0, isWhole ? waited.length : 1)];
    const ways: [string, Record<string, unknown>][] = [
      ...targets.map((target): [string, Record<string, unknown>] => ['browser_snapshot', { target }]),
      ['browser_find', { regex: 'Tr0ub' }],
      ['browser_wait_for', { url: 'Tr0ub', time: 0.5 }],
      ['browser_console_messages', { filter: 'Tr0ub' }],
      ['browser_network_requests', { filter: 'Tr0ub' }],
      ['browser_tabs', { action: 'list', find: 'Tr0ub' }],
    ];
    const told = await Promise.all(ways.map(async ([tool, args]) => `${JSON.stringify(args)}: ${textOf(await agent.call(tool, args))}`));

    const nothing =
      /: (?:TARGET_NOT_FOUND|TOOL_ARGUMENTS: .*"target" asks|TOOL_TIMEOUT|0 messages|0 requests|\d+ tabs in [^.]*\. 0 of them match|Nothing on the page matches)/;
    for (const text of told) expect(text).toMatch(nothing);
    // What tells nothing may be asked, also where it stands beside.
    expect(await agent.text('browser_snapshot', { target: 'text=/^.secret/ >> nth=0' })).toContain('[secret]');
    expect(await agent.text('browser_snapshot', { target: 'input[id^="cit"]' })).toContain('Spinat-Pinboard');
  });

  test('is in no receipt either where it stands in a shadow tree into which nobody has looked', async ({ stage }) => {
    const page = `<h1>Told</h1><p id="said"></p><div id="plain"></div><x-late></x-late><script>
        const field = (value) => '<input type=password value=' + value + '>';
        plain.attachShadow({ mode: 'closed' }).innerHTML = field('Plain-tree-77');
        document.querySelector('h1').onclick = () => { said.textContent = 'Plain-tree-77 and Late-tree-88'; };
        addEventListener('load', () => setTimeout(() => customElements.define('x-late', class extends HTMLElement {
          constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = field('Late-tree-88'); this.title = 'there'; }
        })));
      </script>`;
    const agent = await stage.open(`says?text=${encodeURIComponent(page.replaceAll("'", '"'))}&tree`);
    await stage.pageAt('&tree').locator('x-late[title]').waitFor({ state: 'attached' });

    expect(await agent.text('browser_click', { target: 'h1' })).toMatch(/\[secret\] and \[secret\]/);
  });

  test('is told nowhere either in a page of more elements than can be asked at once', { tags: 'whole' }, async ({ stage }) => {
    const page = `<h1>Large</h1><p id="copy">Tree-of-many-55</p><p id="said"></p><div id="rows"></div><script>
        rows.innerHTML = '<div></div>'.repeat(250_000);
        rows.lastChild.attachShadow({ mode: 'closed' }).innerHTML = '<input type=password value=Tree-of-many-55>';
        document.querySelector('h1').onclick = () => { said.textContent = 'now ' + copy.textContent; };
      </script>`;
    const agent = await stage.open(`says?text=${encodeURIComponent(page.replaceAll("'", '"'))}`);

    expect(await agent.text('browser_snapshot', { target: '#copy' })).toContain('[secret]');
    expect(await agent.text('browser_click', { target: 'h1' })).toContain('now [secret]');
    expect(await agent.text('browser_evaluate', { function: '() => copy.textContent' })).toContain('[secret]');
  });

  test('is not told by a half where its place is where a text is cut', async ({ stage }) => {
    const agent = await stage.open('secrets-told.html');
    await agent.text('browser_snapshot');
    await stage.pageAt('secrets-told.html').evaluate(() => {
      history.replaceState(null, '', `?${'a'.repeat(290 - location.href.length)}&pin=Tr0ub4dor%263`);
      document.title = `${'a'.repeat(194)}Tr0ub4dor&3`;
      document.querySelector('#ask')?.addEventListener('click', () => alert(`${'a'.repeat(494)}Tr0ub4dor&3`), { capture: true });
    });

    const listed = await agent.text('browser_tabs', { action: 'list' });
    agent.answerWith(() => 'session');
    const asked = await agent.text('browser_click', { target: '#ask' });

    expect(listed).toContain('aaaa');
    expect(`${listed}${asked}`).not.toContain('Tr0u');
  });

  test('is not told either when a person typed it between two calls and the page has taken it out of the field', async ({ stage }) => {
    const agent = await stage.open('secrets-held.html');
    const page = stage.pageAt('secrets-held.html');
    await agent.text('browser_snapshot');
    await page.locator('#password').pressSequentially('typ3d-by-hand');
    await page.locator('#show').click();
    for (const [index, digit] of ['7', '3', '9', '1', '5', '5'].entries())
      await page.locator('#code input').nth(index).pressSequentially(digit);

    expect(await agent.error('browser_snapshot', { target: 'text=/typ3d-by-h/' })).toContain('TARGET_NOT_FOUND');
    const whole = await agent.text('browser_snapshot');
    expect(whole).toContain('Shown: [secret]');
    expect(whole).toContain('Sent: [secret]');
    // What stood there while it was typed is no secret.
    expect(whole).toContain('typ3d-by is a beginning');
  });

  test('is not told by the page that follows, also when no call came before', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('secrets-held.html');
    const page = stage.pageAt('secrets-held.html');
    await page.goto(`${stage.otherUrl}/secrets-held.html`);
    await page.locator('#text').pressSequentially('left-behind-7');
    await page.locator('#text').press('Enter');
    await page.waitForURL(/says/);

    const told = await agent.text('browser_snapshot');

    expect(told).toContain('text=[secret]');
    expect(told).not.toContain('left-behind');
  });

  test('is on no card, which stays in the history, nor in the name by which the audit knows an element', async ({ stage }) => {
    const agent = await stage.open('secrets-told.html');
    await stage.pageAt('secrets-told.html').evaluate(() => {
      history.replaceState(null, '', '?pin=Tr0ub4dor%263');
      document.querySelector('#ask')?.setAttribute('aria-label', 'Ask for "Tr0ub4dor&3"');
      document
        .querySelector('#password')
        ?.insertAdjacentHTML('afterend', '<input type="password" aria-label="Second" value=\'quo"ted-one\'>');
      document.querySelector('#city')?.setAttribute('aria-label', 'City of quo"ted-one');
    });

    const said = [await agent.text('browser_hover', { target: '#city' }), await agent.text('browser_click', { target: '#ask' })];
    // The browser's second debugger answers what the page asks then.
    await until(async () => (await agent.call('browser_snapshot')).isError !== true, { what: 'the end of the question' });
    said.push(
      await agent.text('browser_evaluate', { function: '() => btoa("ann:" + document.querySelector("#password").value)' }),
      await agent.text('browser_close'),
    );

    const cards = agent.asked.map(({ title, detail = '' }) => `${title}\n${detail}`);
    expect(cards).toHaveLength(3);
    expect(cards[1]).toContain("Ask for '[secret]'");
    expect(cards[1]).toContain('?pin=[secret]');
    expect([...cards, ...said].join('\n')).not.toMatch(/Tr0ub|ted-one|shadow-h0rse|frame-st4ple|ViNGRv/);
  });

  test('is in no picture either, whatever the page has made of it', async ({ stage }) => {
    const agent = await stage.open('secrets-told.html');
    const page = stage.pageAt('secrets-told.html');
    await page.evaluate(() => {
      const said = document.createElement('p');
      said.innerHTML = 'It is <b>Tr0ub</b>4dor&amp;3 <span>and nothing else</span>';
      const copy = document.createElement('input');
      copy.value = 'shadow-h0rse';
      document.body.append(said, copy);
    });
    const shoot = async (): Promise<unknown> => {
      const result = await agent.call('browser_take_screenshot', { fullPage: true, type: 'png' });
      return result.content.find(({ type }) => type === 'image')?.['data'];
    };

    const first = await shoot();
    const html = await page.locator('body').innerHTML();
    await page.evaluate(() => {
      const dots = (element: HTMLElement): void => element.style.setProperty('-webkit-text-security', 'disc');
      for (const element of document.querySelectorAll<HTMLElement>('#copies a, body > p:last-of-type, body > input')) dots(element);
    });
    const dotted = await shoot();

    expect(html).not.toContain('disc');
    expect(first === dotted).toBe(true);
  });

  test('is in no picture of a frame of another site, which is not told of it, either', async ({ stage }) => {
    const agent = await stage.open('secrets-told.html');
    const page = stage.pageAt('secrets-told.html');
    const told: string[] = [];
    const shoot = async (): Promise<unknown> => {
      const result = await agent.call('browser_take_screenshot', { fullPage: true, type: 'png' });
      told.push(textOf(result));
      return result.content.find(({ type }) => type === 'image')?.['data'];
    };
    const show = async (text: string): Promise<void> => {
      await page.evaluate(
        (src) => {
          const frame = document.querySelector<HTMLIFrameElement>('#other') ?? document.body.appendChild(document.createElement('iframe'));
          frame.id = 'other';
          frame.style.visibility = 'visible';
          const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
          frame.src = src;
          return loaded;
        },
        `${stage.otherUrl}/says?text=${encodeURIComponent(text)}`,
      );
    };
    const hidden = async (): Promise<unknown> => {
      await page.evaluate(() => document.querySelectorAll('iframe').forEach((frame) => (frame.style.visibility = 'hidden')));
      return shoot();
    };

    await show('nothing');
    expect((await shoot()) === (await hidden())).toBe(false);
    await show('it is Tr0ub4dor&amp;3');
    expect((await shoot()) === (await hidden())).toBe(true);
    expect(told.map((words) => /Frames are left blank in it, because [^.]*/.exec(words)?.[0])).toEqual([
      undefined,
      undefined,
      ...Array.from({ length: 2 }, () => 'Frames are left blank in it, because one shows what a secret field of another site holds'),
    ]);
  });

  test('is in no head or body of a request and its answer', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('secrets-told.html');
    const page = stage.pageAt('secrets-told.html');
    agent.answerWith(() => 'session');
    await page.evaluate(() => history.replaceState(null, '', '?pin=Tr0ub4dor%263'));
    // Nor in the address, of which nobody knew that yet.
    expect(await agent.error('browser_wait_for', { url: 'Tr0ub', time: 0.5 })).toContain('TOOL_TIMEOUT');
    await page.evaluate(() => {
      const told = 'Tr0ub4dor&3 shadow-h0rse frame-st4ple';
      const button = document.createElement('button');
      button.id = 'tell';
      button.textContent = 'Tell';
      button.addEventListener('click', () => {
        const headers = { 'x-said': told, 'content-type': 'text/plain' };
        void fetch(`/says?text=${encodeURIComponent(told)}`, { headers });
        void fetch('/says?text=posted', { method: 'POST', body: `said=${told}`, headers });
      });
      document.body.append(button);
    });
    await agent.text('browser_click', { target: '#tell' });
    const numbers = async (): Promise<number[]> => {
      const lines = (await agent.text('browser_network_requests', { filter: 'says' })).split('\n');
      return lines.filter((line) => /^\d+\. /.test(line)).map((line) => Number.parseInt(line, 10));
    };
    // From the first look on the browser keeps what is answered.
    for (const index of await numbers()) await agent.text('browser_network_request', { index });
    const before = await numbers();
    await agent.text('browser_click', { target: '#tell' });
    const texts: string[] = [];
    for (const index of (await numbers()).filter((number) => !before.includes(number))) {
      texts.push(await agent.text('browser_network_request', { index }));
      for (const part of ['request-headers', 'request-body', 'response-body'])
        texts.push(await agent.text('browser_network_request', { index, part }));
    }

    const all = texts.join('\n');
    expect(all).not.toMatch(/Tr0ub|shadow-h0rse|frame-st4ple/);
    expect(texts).toHaveLength(8);
    expect(all).toMatch(/x-said: \[secret\] \[secret\] \[secret\]/i);
    expect(all).toContain('said=[secret] [secret] [secret]');
    expect(all).toMatch(/Response body:\n\[secret\] \[secret\] \[secret\]/);
  });
});

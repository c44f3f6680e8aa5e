/** Every state of the panel that has a look of its own: what axe finds in it, and whether it speaks the person's language. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { defaultSettings, type EventBody } from '#protocol/events.ts';
import { ItemId, TurnId } from '#protocol/ids.ts';
import { until } from '#test/fixtures/until.ts';
import { extremeLog } from '#test/fixtures/extreme-log.ts';
import { numbered } from '#test/fixtures/random-log.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { openGallery } from '#test/gallery/gallery.ts';
import { test } from '#test/gallery/gallery-test.ts';
import { answered } from '#test/gallery/logs.ts';
import { differenceOf, keptFile, takePicture, useBoxFont } from '#test/gallery/kept.ts';

const axe = readFileSync(path.join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

/** What axe says of one rule, as far as it is read here. */
interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

describe('the gallery of the panel', () => {
  test('axe finds nothing serious or moderate: every twenty-eighth state in the light theme or, in the whole form, each in both, docked and alone', async ({
    gallery,
  }) => {
    const { page, names, show } = gallery;
    await page.evaluate(axe);
    const found: string[] = [];
    // The colours of the dark theme are looked at by themselves, too; and where the list of sessions is docked, what stands beside it.
    for (const { width, colorScheme, shown } of [
      { width: 360, colorScheme: 'light', shown: names.filter((_, index) => isWhole || index % 28 === 0) },
      { width: 360, colorScheme: 'dark', shown: isWhole ? names : [] },
      { width: 640, colorScheme: 'light', shown: isWhole ? names : ['talk-edit', 'asks-several'] },
      { width: 800, colorScheme: 'light', shown: isWhole ? names : ['welcome', 'session-menu', 'search'] },
    ] as const) {
      await page.setViewportSize({ width, height: 720 });
      await page.emulateMedia({ colorScheme });
      for (const name of shown) {
        await show(name);
        // The structure is the same in both themes.
        const only = colorScheme === 'light' ? {} : { runOnly: ['color-contrast'] };
        const violations = await page.evaluate(async (options) => {
          const { axe: tool } = globalThis as unknown as {
            axe: { run(node: Document, options: object): Promise<{ violations: Violation[] }> };
          };
          return (await tool.run(document, { ...options, resultTypes: ['violations'], selectors: false, preload: false })).violations;
        }, only);
        for (const { id, impact, nodes } of violations) {
          if (impact !== 'minor')
            found.push(`${name}, ${colorScheme}, ${width}: ${id} (${impact}): ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
        }
      }
    }

    expect(found).toEqual([]);
  });

  test('the panel is never larger than its window, docked or alone, also with the largest text, and what a card asks and its answers are in sight', async ({
    gallery,
  }) => {
    const { page, show } = gallery;
    const tall: string[] = [];
    const hidden: string[] = [];
    for (const [width, textSize, height] of [
      [360, 'normal', 500],
      [800, 'normal', 500],
      [320, 'larger', 500],
      [640, 'larger', 500],
      // The narrowest panel, at a zoom of 200 %.
      [160, 'normal', 400],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const name of ['welcome', 'talk-edit', 'asks-consent', 'dangerous', 'many-tabs']) {
        await show(name);
        const over = await page.evaluate(async (size) => {
          document.documentElement.dataset['textSize'] = size;
          // The list of sessions goes where it has no room any more.
          for (const _ of [1, 2]) await new Promise((resolve) => void requestAnimationFrame(resolve));
          const { bottom = 0 } = document.querySelector('.settings-row')?.getBoundingClientRect() ?? {};
          const { scrollHeight = 0 } = document.querySelector('#root > * > .panel') ?? {};
          const zoom = Number(getComputedStyle(document.documentElement).zoom);
          return Math.max(scrollHeight * zoom, bottom) - innerHeight + Math.max(document.documentElement.scrollWidth - innerWidth, 0);
        }, textSize);
        if (over > 2) tall.push(`${name} at ${width}, text ${textSize}: ${over} px`);
        hidden.push(...(await page.evaluate(findHiddenAnswers)).map((answer) => `${answer} at ${width}, text ${textSize}`));
      }
    }
    // Of a settings page with the largest text, a window of that width has no room for two columns.
    await page.setViewportSize({ width: 850, height: 500 });
    const columns: number[] = [];
    for (const textSize of ['larger', 'normal']) {
      await show('settings');
      columns.push(
        await page.evaluate((size) => {
          document.documentElement.dataset['textSize'] = size;
          return getComputedStyle(document.querySelector('.settings') ?? document.body).gridTemplateColumns.split(' ').length;
        }, textSize),
      );
    }
    await page.evaluate(() => delete document.documentElement.dataset['textSize']);

    expect(tall).toEqual([]);
    expect(hidden).toEqual([]);
    expect(columns).toEqual([1, 2]);
  });

  test(
    'of many sessions only those near what is seen are on the page, down to the last, in the drawer and docked',
    { tags: 'whole' },
    async ({ gallery }) => {
      const { page, show } = gallery;
      const drawn = (): Promise<number> => page.locator('.sessions .list-row').count();
      const first = page.locator('.sessions').getByText('Tide 1', { exact: true });
      const last = page.locator('.sessions').getByText('Tide 1000', { exact: true });
      for (const width of [800, 360]) {
        await page.setViewportSize({ width, height: 720 });
        await show('sessions-many');
        await expect.poll(drawn).toBeGreaterThan(20);
        await expect.poll(drawn).toBeLessThan(250);
        await first.waitFor();

        await expect
          .poll(async () => {
            await page.locator('.session-scroll').evaluate((list) => list.scrollTo(0, list.scrollHeight));
            return last.isVisible();
          })
          .toBe(true);
        // However far one has gone, the ways to all others stay.
        expect(await page.evaluate(findOutOfSight, ['.session-scroll ~ .drawer-foot .link', 'input[type=search]'])).toEqual([]);
        await first.waitFor({ state: 'detached' });
        await expect.poll(drawn).toBeLessThan(250);
      }
      // By keys, too.
      await page.getByRole('button', { name: /^More.*Tide 1000/ }).focus();
      for (let step = 0; step < 60; step += 1) await page.keyboard.press('Shift+Tab');
      await expect.poll(() => page.evaluate(() => document.activeElement?.closest('li')?.textContent)).toContain('Tide 970');
    },
  );

  test('what was found leads away from the end only where there is another place', { tags: 'whole' }, async ({ gallery }) => {
    const { page, show } = gallery;
    const jumps: number[] = [];
    for (const height of [2000, 320]) {
      await page.setViewportSize({ width: 360, height });
      await show('find');
      await page.locator('.entry.found').waitFor();
      jumps.push(await page.getByRole('button', { name: 'Jump to latest' }).count());
    }

    expect(jumps).toEqual([0, 1]);
  });

  test(
    'whatever may be in a log is drawn, at the edge of the narrowest panel, and the answers of a card can be pressed',
    { tags: 'whole' },
    async ({ gallery }) => {
      const { page, showLog } = gallery;
      await page.setViewportSize({ width: 320, height: 480 });
      const faults: string[] = [];
      let cards = 0;
      for (let seed = 1; seed <= (isWhole ? 200 : 10); seed += 1) {
        await showLog(numbered([...begun, ...extremeLog(seed, 60).filter(({ type }) => type !== 'session.reset')]));
        const seen = await page.evaluate(lookForFaults);
        cards += seen.cards;
        for (const fault of seen.faults) faults.push(`log ${seed}: ${fault}`);
      }

      expect(faults).toEqual([]);
      expect(cards).toBeGreaterThan(3);
    },
  );

  test('what leads to the end of a conversation lies over no header, however little room a card leaves', async ({ gallery }) => {
    const { page, show } = gallery;
    const above: number[] = [];
    for (const height of [500, 440, 400, 360]) {
      await page.setViewportSize({ width: 360, height });
      await show('asks-question');
      // A conversation that is still being laid out keeps to its end.
      const leave = (): Promise<void> => page.locator('.conversation').evaluate((scroller) => scroller.scrollTo(0, 0));
      await until(() => leave().then(async () => (await page.locator('.jump').count()) > 0), { what: 'what leads to the end' });
      const headerEnd = await page.locator('header').evaluate((header) => header.getBoundingClientRect().bottom);
      const [jump] = await page.locator('.jump:visible').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
      if (jump !== undefined && jump < headerEnd) above.push(height);
    }

    expect(above).toEqual([]);
  });

  test('code goes from left to right, also in a text that goes from right to left', async ({ gallery }) => {
    const { page, showLog } = gallery;
    const text = '1. שלום `f()`\n\n   ```sh\n   npm test && echo "done"\n   ```\n';
    const said = { turnId: TurnId.parse('t0'), itemId: ItemId.parse('said') };
    await showLog(numbered([...begun, { type: 'item.started', ...said, item: { kind: 'message', role: 'assistant', text } }]));
    const directions = await page
      .locator(':is(ol, ol :not(pre) > code, .code, pre)')
      .evaluateAll((all) => all.map((each) => [each.localName, getComputedStyle(each).direction, getComputedStyle(each).unicodeBidi]));

    expect(directions).toEqual([
      ['ol', 'rtl', 'isolate'],
      ['code', 'ltr', 'isolate'],
      ['div', 'ltr', 'isolate'],
      ['pre', 'ltr', 'isolate'],
    ]);
  });

  test('a name that is written from right to left turns no words around it', async ({ gallery: { page, showLog } }) => {
    await page.setViewportSize({ width: 800, height: 720 });
    const opened = { turnId: TurnId.parse('t0'), itemId: ItemId.parse('click') };
    const input = { element: 'שלום world (5)' };
    const item = { kind: 'tool', tool: 'browser_click', toolKind: 'browser', title: 'browser_click', input, text: '' } as const;
    await showLog(
      numbered([...begun, { type: 'item.started', ...opened, item }, { type: 'item.completed', ...opened, status: 'completed' }]),
    );

    const order = await page.locator('.tool-sentence').evaluate((sentence) => {
      const places = ['Click', 'world', 'שלום', '”'].map((word) => {
        const walker = document.createTreeWalker(sentence, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const at = node.textContent?.indexOf(word) ?? -1;
          if (at === -1) continue;
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + word.length);
          return { word, left: range.getBoundingClientRect().left };
        }
        return { word, left: Number.NaN };
      });
      return places.toSorted((one, other) => one.left - other.left).map(({ word }) => word);
    });

    // In the name, which begins in Hebrew, the words go from right to left.
    expect(order).toEqual(['Click', 'world', 'שלום', '”']);
  });

  test('diagrams of every kind are drawn, each as wide as its frame at most, and what is none stays code', async ({
    gallery: { page, show },
  }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    const drawn = (): Promise<boolean[]> =>
      page
        .locator('.code')
        .evaluateAll((frames) => frames.map((frame) => frame.matches('.drawn') && frame.scrollWidth <= frame.clientWidth));

    await show('diagrams');
    await expect.poll(drawn).toEqual([true, true, true, false]);
    await show('charts');
    await expect.poll(drawn).toEqual([true, true, true, true, true]);
  });

  test('no label of an axis of time lies over the next, however many there are', async ({ gallery: { page, showLog } }) => {
    const gantt = (...lines: string[]): string => ['```mermaid', 'gantt', 'dateFormat YYYY-MM-DD', ...lines, '```'].join('\n');
    const charts = [
      gantt('Read :a1, 2026-01-05, 2d', 'Compare :after a1, 3d'),
      gantt('tickInterval 1day', 'Read :a1, 2026-01-05, 90d'),
      gantt('Read :a1, 2026-01-05, 900d'),
    ];
    await page.setViewportSize({ width: 320, height: 640 });
    await showLog(answered('When?', charts.join('\n\n')));
    await expect.poll(() => page.locator('.code.drawn').count()).toBe(charts.length);

    expect(await page.locator('.diagram .in-light').evaluateAll(readAxes)).toEqual(charts.map(() => ({ over: [], isLabelled: true })));
  });

  test('no setting and no answer is cut in a narrow panel, and yes and no of a question stand in one row', async ({
    gallery: { page, show },
  }) => {
    const cut: string[] = [];
    const ordinary = ['welcome', 'worktree-talk', 'talk-answer', 'asks-question', 'asks-plan-approval'];
    for (const [width, names] of [
      [320, [...ordinary, 'dangerous']],
      [360, ordinary],
      [480, [...ordinary, 'dangerous']],
    ] as const) {
      await page.setViewportSize({ width, height: 640 });
      for (const language of ['en', 'zh'])
        for (const name of names) {
          await show(name, language);
          const found = await page
            .locator('.setting > span, .answers > .buttons > button')
            .evaluateAll((parts) =>
              parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
            );
          cut.push(...found.map((text) => `${name} at ${width}: ${text}`));
        }
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(cut).toEqual([]);

    await show('asks-question');
    const tops = await page
      .locator('.answers > .buttons > button')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
  });

  test('what a call is for is read whole in the narrowest panel: while it waits for the person, and once it is unfolded', async ({
    gallery: { page, show },
  }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    const isCut = (): Promise<boolean> =>
      page
        .locator('.tool-title')
        .first()
        .evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth || scrollHeight > clientHeight);

    await show('asks-shell-allowed');
    expect(await isCut()).toBe(false);
    await show('running');
    expect(await isCut()).toBe(true);
    await page.locator('.tool-head').first().click();
    expect(await isCut()).toBe(false);
  });

  test('no English is left in Chinese but names and what an agent or a person said: every eighth state or, in the whole form, each', async ({
    gallery,
  }) => {
    const { page, names, show } = gallery;
    const english = new Set<string>();
    for (const name of names.filter((_, index) => isWhole || index % 8 === 1)) {
      await show(name, 'zh');
      const lines = (await page.evaluate(readWords)).filter((line) => ENGLISH.test(line.replaceAll(NAMES, '')));
      if (lines.length === 0) continue;
      const said = (await gallery.said(name)).filter((text) => text.length > 2).toSorted((one, other) => other.length - one.length);
      for (const line of lines) {
        const ours = said.reduce((rest, text) => rest.replaceAll(text, ''), line).replaceAll(NAMES, '');
        if (ENGLISH.test(ours)) english.add(`${name}: ${line}`);
      }
    }

    expect([...english]).toEqual([]);
  });

  test('a card takes no answer any more while its turn is being stopped', async ({ gallery: { page, show } }) => {
    const card = page.locator('.request');

    await show('asks-shell-allowed');
    await expect.poll(() => card.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
    expect(await card.getAttribute('aria-busy')).not.toBe('true');

    await show('stopping');
    expect(await card.getAttribute('aria-busy')).toBe('true');
    expect(await card.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(false);
  });

  test('Escape closes what is open below a row, then the list, and what stands beside a turn that runs without stopping it', async ({
    gallery: { page, show },
  }) => {
    const below = page.locator('.row-menu');
    const more = page.locator('.sessions .list-row > .ghost').first();
    await page.setViewportSize({ width: 360, height: 640 });
    for (const name of ['session-menu', 'session-rename']) {
      await show(name);

      await page.locator('.row-menu').locator('input, button').first().press('Escape');
      await below.waitFor({ state: 'detached' });
      expect(await more.evaluate((button) => button === document.activeElement)).toBe(true);
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }

    await page.setViewportSize({ width: 800, height: 640 });
    await show('running');
    await more.click();
    await below.getByRole('button', { name: 'Rename' }).press('Escape');
    await below.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+f');
    await page.locator('.find-bar').getByRole('button', { name: 'Close' }).press('Escape');
    await page.locator('.find-bar').waitFor({ state: 'detached' });
    // Where nothing is open, it is for the turn.
    const stopping = page.getByRole('button', { name: 'Stopping' });
    expect(await stopping.count()).toBe(0);
    await page.getByRole('textbox', { name: 'Message' }).press('Escape');
    await stopping.waitFor();
  });

  test(
    'a long text that is pasted goes along as a file, and a short one into the field',
    { tags: 'whole' },
    async ({ gallery: { page, show } }) => {
      await show('welcome');
      const field = page.getByRole('textbox', { name: 'Message' });
      /** Whether the browser is left to put it into the field. */
      const paste = (text: string): Promise<boolean> =>
        field.evaluate((area, pasted) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', pasted);
          return area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        }, text);

      expect(await paste('high water\n'.repeat(1000))).toBe(true);
      for (const long of ['high water\n'.repeat(64_000), '潮'.repeat(100_001)]) expect(await paste(long)).toBe(false);

      const chips = page.locator('.composer .chip');
      await expect
        .poll(() => chips.allInnerTexts())
        .toEqual([expect.stringContaining('pasted text.txt'), expect.stringContaining('pasted text.txt')]);
      expect(await field.inputValue()).toBe('');
    },
  );

  test('Ctrl+Z takes back what was chosen from a list or from the prompts before, and then what was typed', async ({
    gallery: { page, show },
  }) => {
    await show('talk-answer');
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.focus();
    await page.keyboard.type('Read it now');
    for (let letter = 0; letter < 6; letter += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type('@high');
    await page.getByRole('option', { name: /high-water/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('and tell');
    expect(await field.inputValue()).toBe('Read @src/water/high-water.ts and tell');
    /** What stands in the field after each press, but for what is still being taken back letter by letter. */
    const undone = async (until: string): Promise<string[]> => {
      const texts: string[] = [];
      while (texts.length < 9 && texts.at(-1) !== until) {
        await page.keyboard.press('Control+z');
        texts.push(await field.inputValue());
      }
      return texts;
    };

    expect(await undone('Read it now')).toEqual(expect.arrayContaining(['Read @high', 'Read it now']));
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => field.inputValue()).not.toBe('');
    expect(await undone('Read it now')).toEqual(['', 'Read it now']);
  });

  test('no field takes more than the daemon does, which would refuse all of it', async ({ gallery: { page, show } }) => {
    await page.setViewportSize({ width: 360, height: 640 });
    const lengths: number[] = [];
    for (const [name, field] of [
      ['session-rename', '.row-menu input'],
      ['find', '.find-bar input'],
      ['search', 'input[type=search]'],
    ] as const) {
      await show(name);
      await page.locator(field).focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText('潮'.repeat(600));
      lengths.push((await page.locator(field).inputValue()).length);
    }

    expect(lengths).toEqual([500, 500, 500]);
  });

  test('a sent prompt in other words is sent while the agent works on, not queued behind it or said to it', async ({
    gallery: { page, show },
  }) => {
    const names = async (): Promise<string[]> =>
      (await page.locator('.composer-buttons').getByRole('button').allInnerTexts()).filter((name) => name !== '');

    // Narrower, a button among three is its sign alone.
    await page.setViewportSize({ width: 400, height: 640 });
    await show('steering');
    await expect.poll(names).toEqual(['Stop', 'Steer now', 'Queue']);
    await show('edit-working');
    await expect.poll(names).toEqual(['Stop', 'Send']);
  });

  test('whether small pictures are kept is shown as it was pressed while that is saved', async ({ gallery: { page, show } }) => {
    await show('activity');
    await page.evaluate(() => {
      const { set } = chrome.storage.local;
      const { promise, resolve } = Promise.withResolvers<void>();
      const save = (): void => {
        Object.assign(chrome.storage.local, { set });
        resolve();
      };
      Object.assign(chrome.storage.local, { set: () => promise });
      Object.assign(globalThis, { save });
    });
    const tick = page.locator('.switch input');

    await tick.click();
    // The sheet is drawn again meanwhile.
    await page.locator('.sheet .act').first().click();
    await page
      .locator('.sheet')
      .getByText(/sessions? (?:was|were) stopped/)
      .first()
      .waitFor();

    expect(await tick.isChecked()).toBe(true);
    await page.evaluate(() => (globalThis as unknown as { save: () => void }).save());
  });

  test('files are attached wherever they are dropped, and what is dropped is never lost without a word', async ({
    gallery,
    onTestFinished,
  }) => {
    const { page, show } = gallery;
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-drop-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const fileOf = (name: string): string => path.join(folder, name);
    mkdirSync(fileOf('pictures'));
    for (const name of ['ebb.txt', 'flood.txt']) writeFileSync(fileOf(name), name);
    const session = await page.context().newCDPSession(page);
    /** As the system drags it: what nobody takes is not dropped at all, or opened by Chrome. */
    const drop = async (onto: string, data: Readonly<Record<'files' | 'items', unknown[]>>): Promise<void> => {
      const { x = 0, y = 0 } = (await page.locator(onto).first().boundingBox()) ?? {};
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await session.send('Input.dispatchDragEvent', { type, x: x + 9, y: y + 9, data: { ...data, dragOperationsMask: 1 } as never });
    };
    const chips = page.locator('.composer .chip-name');
    const files = (...names: string[]) => ({ files: names.map(fileOf), items: [] });
    await page.setViewportSize({ width: 800, height: 720 });
    await show('welcome');

    await drop('.dock', files('ebb.txt'));
    await expect.poll(() => chips.allInnerTexts()).toEqual(['ebb.txt']);
    await drop('header.top', files('pictures', 'flood.txt'));
    await expect.poll(() => chips.allInnerTexts()).toEqual(['ebb.txt', 'flood.txt']);
    await page.getByText('pictures could not be read. A folder cannot be attached.').waitFor();
    await drop('textarea', { files: [], items: [{ mimeType: 'text/plain', data: 'high water' }] });
    await expect.poll(() => page.locator('textarea').inputValue()).toBe('high water');
    await page.locator('.pill-mode').click();
    await drop('dialog', files('ebb.txt'));

    expect(await chips.allInnerTexts()).toEqual(['ebb.txt', 'flood.txt']);
    expect(
      page
        .context()
        .pages()
        .map((each) => each.url()),
    ).not.toContainEqual(expect.stringContaining('file:'));
    await session.detach();
  });

  test('an agent that is moved down twice, as fast as a person presses, is two places lower', { tags: 'whole' }, async ({ gallery }) => {
    const { page, show } = gallery;
    await show('settings');
    const order = (): Promise<string[]> =>
      page.locator('#agents .ordered-moves > :last-child').evaluateAll((buttons) => buttons.map((button) => button.ariaLabel ?? ''));
    const before = await order();

    await page.evaluate(async (name) => {
      for (const press of [1, 2]) {
        document.querySelector<HTMLElement>(`#agents [aria-label="${name}"]`)?.click();
        // The answer to the first press is still on its way.
        if (press === 1) await new Promise((resolve) => setTimeout(resolve));
      }
    }, before[0]);

    await expect.poll(order).toEqual([before[1], before[2], before[0]]);
  });

  test('what is pressed and what is chosen is seen without colours, too', async ({ gallery: { page, show } }) => {
    const looks = (): Promise<string[]> =>
      page
        .locator('[role=group] > button[aria-pressed]')
        .evaluateAll((buttons) => buttons.map((button) => `${button.ariaPressed} ${getComputedStyle(button).outlineStyle}`));
    await page.setViewportSize({ width: 360, height: 640 });
    await page.emulateMedia({ forcedColors: 'active' });
    await show('activity');
    const shown = await looks();
    await page.emulateMedia({ forcedColors: 'none' });

    expect(new Set(shown)).toEqual(new Set(['true solid', 'false none']));
  });

  test('moves nothing for a person who wants less motion', { tags: 'whole' }, async ({ gallery }) => {
    const { page, show } = gallery;
    const moving = (): Promise<number> => page.evaluate(() => document.getAnimations().length);
    const moved: string[] = [];
    for (const name of ['starting', 'stopping', 'steering', 'settings-check']) {
      await show(name);
      if ((await moving()) > 0) moved.push(name);
    }
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await show('starting');

    expect(moved).toEqual([]);
    await expect.poll(moving).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });

  test('every state looks as it was kept, in both themes', async ({ skip, onTestFinished }) => {
    skip(!isWhole, 'it takes a picture of everything: npm run test:whole');
    // Whether the ring of a focus is drawn depends on what was pressed before, so that the pictures are of a browser of their own, as the kept ones are.
    const gallery = await openGallery();
    onTestFinished(() => gallery.close());
    const easel = await gallery.openPage({ width: 100, height: 100 });
    await useBoxFont(gallery);
    const other: string[] = [];
    for (const name of gallery.names) {
      const kept = existsSync(keptFile(name)) ? readFileSync(keptFile(name)) : null;
      const difference = kept === null ? 1000 : await differenceOf(easel, kept, await takePicture(gallery, easel, name));
      if (difference > ROUNDING) other.push(`${name}: ${difference.toFixed(1)} of 1000; if that was meant, node test/pictures/kept.ts`);
    }

    expect(other).toEqual([]);
    // Which says something: two cards are told apart.
    const cards = ['asks-trust', 'asks-consent'].map((name) => readFileSync(keptFile(name)));
    expect(await differenceOf(easel, ...(cards as [Buffer, Buffer]))).toBeGreaterThan(ROUNDING);
  });
});

const begun = [
  { type: 'session.created', projectId: null, engine: 'claude', name: 'n', kind: 'agent', settings: defaultSettings },
  { type: 'turn.started', turnId: TurnId.parse('t0'), prompt: { text: 'p', attachments: [] } },
] satisfies EventBody[];

/** Runs in the page: what is not there, or outside the window. */
const findOutOfSight = (selectors: readonly string[]): string[] =>
  selectors.filter((selector) => {
    const { top, bottom } = document.querySelector(selector)?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
    return top < 0 || bottom > innerHeight;
  });

/** Runs in the page: answers that cannot be pressed as the page stands. */
const findHiddenAnswers = (): string[] =>
  Array.from(document.querySelectorAll('.request > h3, .answers > .buttons > button')).flatMap((part) => {
    const { left, top, right, bottom } = part.getBoundingClientRect();
    const corners = [document.elementFromPoint(left + 8, top + 8), document.elementFromPoint(right - 8, bottom - 8)];
    return corners.every((hit) => hit !== null && part.contains(hit)) ? [] : [part.textContent];
  });

/** Runs in the page. */
const lookForFaults = (): { cards: number; faults: string[] } => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const text = document.body.innerText;
  const buttons = Array.from(document.querySelectorAll('.answers > .buttons > button'));
  const isHidden = (button: Element): boolean => {
    button.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    const { x, y, width, height } = button.getBoundingClientRect();
    const hit = document.elementFromPoint(x + Math.min(width / 2, 20), y + Math.min(height / 2, 10));
    return hit === null || !button.contains(hit);
  };
  const strange = /Invalid Date|NaN|undefined|\[object|Infinity/u.exec(text)?.[0];
  return {
    cards: buttons.length > 0 ? 1 : 0,
    faults: [
      ...(document.querySelector('#root main') === null || text.length < 20 ? ['nothing is drawn'] : []),
      ...(scrollWidth > clientWidth ? [`${scrollWidth} px wide`] : []),
      ...(strange === undefined ? [] : [`it says ${strange}`]),
      ...(document.querySelector('[onerror]') === null ? [] : ['what was said is markup']),
      ...buttons.filter(isHidden).map((button) => `${button.textContent.slice(0, 40)} cannot be pressed`),
    ],
  };
};

/** Runs in the page: which labels of an axis lie over the next, in each picture. */
const readAxes = (images: readonly Element[]): { over: string[]; isLabelled: boolean }[] =>
  images.map((image) => {
    const place = document.createElement('div');
    document.body.append(place);
    place.innerHTML = decodeURIComponent((image.getAttribute('src') ?? '').replace('data:image/svg+xml,', ''));
    const labels = Array.from(place.querySelectorAll('.grid .tick text'), (label) => ({
      text: label.textContent,
      box: label.getBoundingClientRect(),
    }));
    place.remove();
    const over = labels.filter(({ box }, index) => index > 0 && box.left < (labels[index - 1]?.box.right ?? 0)).map(({ text }) => text);
    return { over, isLabelled: labels.length > 2 };
  });

/** So many of a thousand dots are another colour where a browser rounds in another way. */
const ROUNDING = 1;

const ENGLISH = /[A-Za-z]{3,}/u;

/** Products, keys, units, paths and addresses, which have one name in every language. */
const NAMES =
  /`[^`]*`|WSL|[Pp]ilotfish|Model Context Protocol|MCP|Agent Client Protocol|VS Code|VSCodium|Cursor|Sublime Text|Qwen Code|opencode|Windsurf|Zed|Markdown|JSON|Git\b|English|Tide tables|Alt\+P|Ctrl|Shift|Enter|Esc\b|[tT]okens?|[\w-]+:\/\/\S+|\S*\/\S*|\S+\.[a-z]{2,}|[A-Z]+_[A-Z_]+|grant_\w+|browser-\d+|\bmin\b/gu;

/** Each text that is shown or read aloud, but for what agents and people wrote. */
const readWords = (): string[] => {
  const said = '.markdown, pre, code, textarea, .chip, .provider-text, .snippet, .list-title:has(mark), [class^=diff-]';
  const texts: string[] = [];
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest(`script, ${said}`) !== null) continue;
    for (const attribute of ['aria-label', 'title', 'placeholder', 'alt']) texts.push(element.getAttribute(attribute) ?? '');
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.textContent ?? '');
  }
  return texts.map((text) => text.trim()).filter((text) => text !== '');
};

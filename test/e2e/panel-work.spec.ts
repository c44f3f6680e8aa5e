/** A day's work in the panel, with the real Claude Code: what is asked about a page and a plan, steering, mentions, a daemon that dies, reading while it writes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { createGate } from '#test/fixtures/gate.ts';
import type { ModelRequest, Step } from '#test/fixtures/model-server.ts';
import { signal } from '#test/fixtures/signal.ts';
import { until } from '#test/fixtures/until.ts';
import { panelTest as test } from './real-panel.ts';

/** Whether a ring of one colour is seen around the button of a page, a few pixels from each of its sides. */
const isRinged = async (tab: Page, button: Locator): Promise<boolean> => {
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const clip = { x: x - 12, y: y - 12, width: width + 24, height: height + 24 };
  const picture = (await tab.screenshot({ type: 'png', clip })).toString('base64');
  const colours = await tab.evaluate(
    async ([data, right, bottom]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const context = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext('2d');
      context?.drawImage(image, 0, 0);
      const [middle, centre] = [right / 2, bottom / 2];
      // The ring is drawn from five pixels beside the element to two.
      return [
        [8, centre],
        [right - 9, centre],
        [middle, 8],
        [middle, bottom - 9],
      ].map(([left = 0, top = 0]) => [...(context?.getImageData(left, top, 1, 1).data ?? [])].slice(0, 3).join(' '));
    },
    [picture, clip.width, clip.height] as const,
  );
  return colours.every((colour) => colour === '178 106 0');
};

/** Lets the pieces of an answer through, one at each step. */
const createPace = () => {
  let open = Promise.withResolvers<void>();
  return {
    pace: () => open.promise,
    step: (): void => {
      const { resolve } = open;
      open = Promise.withResolvers<void>();
      resolve();
    },
  };
};

describe('in the panel', () => {
  test(
    'a click on a page is asked about with the element marked there, and is made once after a key, and not at all after Deny',
    { tags: 'whole' },
    async ({ panel }) => {
      const { model, page, countingUrl, send, rest, tabAt } = panel;
      const [before, between] = [createGate(), createGate()];
      const click = { tool: 'mcp__pilotfish__browser_click', input: { target: 'text=Show tomorrow' } };
      const told: string[] = [];
      model.script(
        'press it there',
        { parts: [{ tool: 'mcp__pilotfish__browser_navigate', input: { url: countingUrl } }] },
        { parts: [{ gate: before }, click] },
        ({ toolText }) => {
          told.push(toolText);
          return { parts: [{ text: 'Pressed once.' }, { gate: between }, click] };
        },
        ({ toolText }) => {
          told.push(toolText);
          return { parts: [{ text: 'As you wish.' }] };
        },
      );
      const card = page.getByRole('region', { name: /^Browser access: / });
      const allow = page.getByRole('button', { name: 'Allow once' });
      await send('press it there');
      const tab = await tabAt(countingUrl);
      const button = tab.getByRole('button', { name: 'Show tomorrow' });
      await before.reached;
      await tab.bringToFront();
      expect(await isRinged(tab, button)).toBe(false);

      before.open();
      await card.getByRole('heading', { name: `Click “Show tomorrow” on ${new URL(countingUrl).origin}` }).waitFor();
      await until(() => isRinged(tab, button), { what: 'the ring on the page' });
      expect(await tab.title()).toBe('0 presses');
      await page.getByRole('textbox', { name: 'Message' }).press('Escape');
      await until(() => card.evaluate((element) => element === document.activeElement), { what: 'Escape to lead to the card' });
      await until(() => allow.isEnabled(), { what: 'the card to take an answer' });
      await page.keyboard.press('a');
      await between.reached;
      await expect.poll(() => tab.title()).toBe('1 presses');
      await until(async () => !(await isRinged(tab, button)), { what: 'the page without the ring' });

      between.open();
      await card.getByRole('heading', { name: /^Click “Show tomorrow” on / }).waitFor();
      await until(() => isRinged(tab, button), { what: 'the ring once more' });
      await page.getByRole('button', { name: 'Deny', exact: true }).click();
      await page.getByText('As you wish.').waitFor();
      await rest();
      await until(async () => !(await isRinged(tab, button)), { what: 'the page without the ring again' });

      expect(await tab.title()).toBe('1 presses');
      expect(told).toEqual([expect.stringContaining('Clicked'), expect.stringContaining('CONSENT_DENIED: The user did not allow this.')]);
      await expect.poll(() => page.locator('.answered').allInnerTexts()).toHaveLength(2);
      await tab.close();
    },
  );

  test('a plan is sent back with a comment, by mouse, and the next one is carried out, by key', { tags: 'whole' }, async ({ panel }) => {
    const { model, page, send, rest } = panel;
    const told: string[] = [];
    // Claude Code tells its model into which file a plan belongs.
    const writes = ({ messages }: ModelRequest, text: string): Step => ({
      parts: [{ tool: 'Write', input: { file_path: /[^\s"]+\/plans\/[^\s"]+\.md/.exec(JSON.stringify(messages))?.[0], content: text } }],
    });
    const asks: Step = { parts: [{ tool: 'ExitPlanMode', input: {} }] };
    model.script(
      'plan the trip',
      (request) => writes(request, '# Trip\n\n1. Go at **noon**'),
      asks,
      (request) => {
        told.push(request.toolText);
        return writes(request, '# Trip\n\n1. Go at six');
      },
      asks,
      ({ toolText }) => {
        told.push(toolText);
        return { parts: [{ text: 'Off we go.' }] };
      },
    );
    await page.getByRole('button', { name: /^Mode: / }).click();
    await page.getByRole('dialog', { name: 'Mode' }).getByRole('button', { name: /^Plan/ }).click();
    await page.getByRole('button', { name: 'Mode: Plan' }).waitFor();
    await send('plan the trip');
    const card = page.getByRole('region', { name: /^Plan to approve: / });
    await card.locator('.markdown strong').getByText('noon').waitFor();
    await card.getByRole('textbox', { name: 'Comment (optional)' }).fill('The tide is low at noon.');
    await card.getByRole('button', { name: 'No, go on planning' }).click();

    await card.locator('.markdown').getByText('Go at six').waitFor();
    expect(told).toEqual([expect.stringContaining('The tide is low at noon.')]);
    expect(await card.getByRole('textbox').inputValue()).toBe('');
    const yes = card.getByRole('button', { name: 'Yes, and ask before each change' });
    await until(() => yes.isEnabled(), { what: 'the card to take an answer' });
    await page.getByRole('textbox', { name: 'Message' }).press('Escape');
    await until(() => card.evaluate((element) => element === document.activeElement), { what: 'Escape to lead to the card' });
    await page.keyboard.press('a');
    await page.getByText('Off we go.').waitFor();
    await rest();

    expect(told[1]).toContain('approved');
  });

  test(
    'the running agent is steered, is stopped then, and stays so, with its three buttons in one line of 320 pixels',
    { tags: 'whole' },
    async ({ panel }) => {
      const { model, page, send, rest } = panel;
      const [first, second] = [createGate(), createGate()];
      model.script(
        'tell a long story',
        { parts: [{ text: 'Once upon a time' }, { gate: first }, { tool: 'Bash', input: { command: 'ls', description: 'Look' } }] },
        // Claude Code says to its model what is said meanwhile, beside the results of tools.
        ({ messages }) => ({
          parts: JSON.stringify(messages).includes('make it shorter')
            ? [{ text: 'Shorter, then:' }, { gate: second }, { text: ' never said.' }]
            : [{ text: 'Nobody has steered.' }],
        }),
      );
      model.script('another one', { parts: [{ text: 'Another story.' }] });
      const composer = page.getByRole('textbox', { name: 'Message' });
      const steer = page.getByRole('button', { name: 'Steer now' });
      await send('tell a long story');
      await page.getByText('Once upon a time').waitFor();
      await composer.fill('make it shorter');
      const size = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
      await page.setViewportSize({ width: 320, height: size.height });
      await steer.waitFor();
      const row = await page.locator('.composer-buttons button:visible').evaluateAll((buttons) =>
        buttons.map((button) => {
          const { top, bottom, left, right } = button.getBoundingClientRect();
          return { name: button.getAttribute('aria-label') ?? button.textContent, middle: (top + bottom) / 2, left, right };
        }),
      );
      await page.setViewportSize(size);
      await steer.click();
      await page.locator('.prompt-text').getByText('make it shorter').waitFor();
      await expect.poll(() => composer.inputValue()).toBe('');
      first.open();
      await page.getByText('Shorter, then:').waitFor();
      const asked = model.requests.length;
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await page.locator('.turn-end').filter({ hasText: 'Stopped' }).waitFor();
      await rest();
      second.open();
      await send('another one');
      await page.getByText('Another story.').waitFor();
      await rest();

      expect(row.map(({ name }) => name)).toEqual(['Attach files', 'Attach from the page', 'Stop', 'Steer now', 'Queue']);
      for (const { middle, left, right } of row) {
        expect(Math.abs(middle - (row[0]?.middle ?? 0))).toBeLessThan(3);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(right).toBeLessThanOrEqual(320);
      }
      for (const [index, { left }] of row.slice(1).entries()) expect(left).toBeGreaterThanOrEqual(row[index]?.right ?? 0);
      expect(model.requests.length - asked).toBe(1);
      expect(await page.locator('.prompt-text').allTextContents()).toEqual(['tell a long story', 'make it shorter', 'another one']);
      await expect.poll(() => page.getByText('never said').count()).toBe(0);
      await expect.poll(() => page.getByText('Nobody has steered').count()).toBe(0);
    },
  );

  test('a command, a file and a tab are chosen from their lists, and the agent is sent all three', { tags: 'whole' }, async ({ panel }) => {
    const { model, page, rootPath, countingUrl, rest } = panel;
    mkdirSync(path.join(rootPath, 'tables'), { recursive: true });
    writeFileSync(path.join(rootPath, 'tables', 'spring tides.txt'), 'Spring tide: 7.10 metres\n');
    const tab = await page.context().newPage();
    await tab.goto(countingUrl);
    model.script('Tell the tide', { parts: [{ text: 'Seven metres.' }] });
    const { keyboard } = page;
    const composer = page.getByRole('textbox', { name: 'Message' });
    const listed = (name: string) => page.getByRole('listbox', { name }).getByRole('option');

    await composer.focus();
    await keyboard.type('/tide-of');
    await listed('Commands of the agent').getByText('/tide-of').waitFor();
    await keyboard.press('Enter');
    await expect.poll(() => composer.inputValue()).toBe('/tide-of ');
    await keyboard.type('Brest as in @spring');
    await listed('Files of the project').getByText('spring tides.txt').click();
    await expect.poll(() => composer.inputValue()).toBe('/tide-of Brest as in @"tables/spring tides.txt" ');
    await keyboard.type('and #presses');
    await listed('The page and the tabs').filter({ hasText: '0 presses' }).waitFor();
    await keyboard.press('Tab');
    await page.locator('.composer .chip-name').getByText('0 presses').waitFor();
    await expect.poll(() => composer.inputValue()).toBe('/tide-of Brest as in @"tables/spring tides.txt" and ');
    await keyboard.press('Enter');
    await page.getByText('Seven metres.').waitFor();
    await rest();

    const sent = JSON.stringify(model.requests.at(-1)?.messages);
    expect(sent).toContain('Tell the tide of Brest as in');
    expect(sent).toContain('Spring tide: 7.10 metres');
    expect(sent).toContain('High water in Brest');
    await tab.close();
  });

  test(
    'a daemon that is killed while the agent writes comes back by itself, with the conversation and the draft as they were',
    { tags: 'whole' },
    async ({ panel }) => {
      const { companion, model, page, send, rest } = panel;
      const gate = createGate();
      model.script('tell the first', { parts: [{ text: 'The first story is over.' }] });
      model.script('tell the second', { parts: [{ text: 'The second one begins' }, { gate }, { text: ' and ends.' }] });
      model.script('go on', { parts: [{ text: 'The third one, at last.' }] });
      const composer = page.getByRole('textbox', { name: 'Message' });
      const chip = page.locator('.composer .chips').getByText('tides.txt');
      await send('tell the first');
      await page.getByText('The first story is over.').waitFor();
      await rest();
      await send('tell the second');
      await page.getByText('The second one begins').waitFor();
      await composer.fill('go on, with this');
      const file = { name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('low water: noon') };
      await page.locator('input[type=file]').setInputFiles(file);
      await chip.waitFor();
      await page.evaluate(() => {
        const said: string[] = [];
        Object.assign(globalThis, { said });
        new MutationObserver(() => {
          for (const banner of document.querySelectorAll<HTMLElement>('.banner, .status-line, main.page')) said.push(banner.innerText);
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
      });

      const [killed] = companion.daemons();
      expect(companion.daemons()).toHaveLength(1);
      signal(killed ?? 0, 'SIGKILL');
      await until(() => companion.daemons().some((pid) => pid !== killed), { what: 'another daemon' });
      await page.locator('.turn-failed, .turn-end').nth(1).waitFor();
      await rest();
      const said = await page.evaluate(() => (globalThis as unknown as { said: string[] }).said);
      gate.open();

      expect(said.some((words) => words.includes('Reconnecting…'))).toBe(true);
      expect(await page.locator('.conversation').innerText()).toContain('Interrupted by a restart');
      expect(await page.locator('.prompt-text').allTextContents()).toEqual(['tell the first', 'tell the second']);
      expect(await page.getByText('The first story is over.').count()).toBe(1);
      expect(await page.getByText('The second one begins').count()).toBe(1);
      expect(await composer.inputValue()).toBe('go on, with this');
      await chip.waitFor();
      await composer.press('Enter');
      await page.getByText('The third one, at last.').waitFor();
      await rest();
      expect(JSON.stringify(model.requests.at(-1))).toContain('tides.txt');
      expect(await page.locator('.prompt-text').allTextContents()).toEqual(['tell the first', 'tell the second', 'go on, with this']);
      expect(await page.getByText('and ends.').count()).toBe(0);
    },
  );

  test(
    'while a text grows by a hundred pieces, who has scrolled up reads on at the same place, and who is at the end stays there',
    { tags: 'whole' },
    async ({ panel }) => {
      const { model, page, send, rest } = panel;
      const PIECES = 100;
      const { pace, step } = createPace();
      const kinds = [
        '',
        '',
        '',
        '**bold** ',
        '\n\n',
        '\n\n- ',
        '\n- ',
        '\n\n```js\n',
        '\n```\n\n',
        '\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n',
      ];
      const pieces = Array.from({ length: 2 * PIECES }, (_, index) => `${kinds[index % kinds.length]}piece-${index}. `.padEnd(64, '~'));
      const long = Array.from({ length: 40 }, (_, index) => `Paragraph ${index} of the tide, which comes and goes.`).join('\n\n');
      model.script('tell of the tide', { parts: [{ text: long }] });
      model.script('tell more of it', {
        parts: [{ text: `${long.replaceAll('Paragraph', 'Chapter')}\n\n` }, { text: pieces.join(''), pieceLength: 64, pace }],
      });
      const scroller = page.getByRole('log', { name: 'Conversation' });
      const drawn = (index: number) =>
        page.waitForFunction((word) => document.querySelector('.entries')?.textContent.includes(word) === true, `piece-${index}.`);
      const fromEnd = (): Promise<number> => scroller.evaluate((box) => Math.abs(box.scrollHeight - box.clientHeight - box.scrollTop));
      await send('tell of the tide');
      await page.getByText('Paragraph 39').waitFor();
      await rest();
      await send('tell more of it');
      await page.getByText('Chapter 39').waitFor();
      expect(await fromEnd()).toBeLessThanOrEqual(1);

      await scroller.hover();
      const line = page.getByText('Chapter 20');
      const isInSight = async (): Promise<boolean> => {
        const [at, box] = await Promise.all([line.boundingBox(), scroller.boundingBox()]);
        return at !== null && box !== null && at.y > box.y && at.y < box.y + box.height / 2;
      };
      while (!(await isInSight())) {
        const top = await scroller.evaluate((box) => box.scrollTop);
        await page.mouse.wheel(0, -100);
        await page.waitForFunction((last) => document.querySelector('.conversation')?.scrollTop !== last, top);
      }
      await page.locator('.jump').waitFor();
      const topOf = (): Promise<number> => line.evaluate((element) => element.getBoundingClientRect().top);
      const place = await topOf();
      const moved: number[] = [];
      for (let index = 0; index < PIECES; index += 1) {
        step();
        await drawn(index);
        moved.push(Math.abs((await topOf()) - place));
      }
      await page.locator('.jump').click();
      await expect.poll(fromEnd).toBeLessThanOrEqual(1);
      const away: number[] = [];
      for (let index = PIECES; index < 2 * PIECES; index += 1) {
        step();
        await drawn(index);
        away.push(await fromEnd());
      }
      await rest();

      expect(Math.max(...moved)).toBeLessThanOrEqual(1);
      expect(Math.max(...away)).toBeLessThanOrEqual(1);
    },
  );

  test('a session is pinned above the others and unpinned, archived and taken out again', { tags: 'whole' }, async ({ panel }) => {
    const { model, page, send, rest, begin } = panel;
    model.script('keep', { parts: [{ text: 'Kept.' }] });
    for (const prompt of ['keep the first', 'keep the second', 'keep the third']) {
      await begin();
      await send(prompt);
      await page.getByText('Kept.').waitFor();
      await rest();
    }
    await page.getByRole('button', { name: /^Sessions/ }).click();
    const row = page.locator('.sessions li').filter({ hasText: 'keep the first' });
    const press = async (name: string): Promise<void> => {
      const more = row.getByRole('button', { name: /^More/ });
      if ((await more.getAttribute('aria-expanded')) !== 'true') await more.click();
      await row.getByRole('button', { name, exact: true }).click();
    };
    const listed = async (): Promise<string[]> =>
      (await page.locator('.sessions li .list-title').allInnerTexts()).filter((title) => title.startsWith('keep the '));
    const archived = page.locator('details.session-group');

    // The one that is open stays the first.
    await expect.poll(listed).toEqual(['keep the third', 'keep the second', 'keep the first']);
    await press('Pin');
    await expect.poll(listed).toEqual(['keep the third', 'keep the first', 'keep the second']);
    await press('Unpin');
    await expect.poll(listed).toEqual(['keep the third', 'keep the second', 'keep the first']);
    await press('Archive');
    await archived.getByText('Archived (1)').click();
    await archived.getByText('keep the first').waitFor();
    await press('Take out');
    await archived.waitFor({ state: 'detached' });
    await row.waitFor();
    await page.keyboard.press('Escape');
  });

  test(
    'a prompt with a large file that could not be sent is there when the panel is opened again',
    { tags: 'whole' },
    async ({ panel: { page, send, rest } }) => {
      const wire = await page.context().newCDPSession(page);
      const reach = (offline: boolean): Promise<unknown> =>
        wire.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
      await wire.send('Network.enable');
      await page.locator('.composer input[type=file]').evaluate((field: HTMLInputElement) => {
        const chosen = new DataTransfer();
        chosen.items.add(new File([new Uint8Array(14_000_000)], 'tides.bin'));
        field.files = chosen.files;
        field.dispatchEvent(new Event('change', { bubbles: true }));
      });
      await page.locator('.composer .chip').waitFor();
      await reach(true);
      await send('keep the table');
      const unsent = page.locator('.prompt', { hasText: 'keep the table' });
      await unsent.getByRole('button', { name: 'Retry' }).waitFor();
      await reach(false);
      await expect.poll(() => page.evaluate(() => chrome.storage.local.getBytesInUse('outbox'))).toBeGreaterThan(14_000_000);
      await page.reload();

      await unsent.getByText('tides.bin').waitFor();
      await unsent.getByRole('button', { name: 'Retry' }).click();
      await page.getByRole('article', { name: 'You' }).getByText('keep the table').waitFor();
      await unsent.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' });
      await rest();
    },
  );
});

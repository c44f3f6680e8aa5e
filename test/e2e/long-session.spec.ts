/** A session of thousands of messages in the real side panel: its newest part at first, and the rest as somebody scrolls to it. */
import path from 'node:path';
import type { CDPSession } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { writeLongSession } from '#test/fixtures/long-session.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const TURNS = isWhole ? 5000 : 200;

describe('a long session', () => {
  test(
    'opens at its end, draws what is near, and keeps in place what is read while earlier parts come',
    { tags: 'whole' },
    async ({ home, launch }) => {
      const companion = createCompanion(home, { isPortable: false });
      writeLongSession(companion.paths, TURNS);
      const { extension } = JSON.parse((await companion.run(['install', '--json'])).stdout) as InstallReport;
      const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
      const { page, disconnect } = await browser.openPanel();
      await page.getByRole('button', { name: /^Sessions/ }).click();
      const row = page.getByRole('button', { name: /Long voyage/ }).first();
      await row.waitFor();

      const debug = await page.context().newCDPSession(page);
      await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
      const before = await workedMs(debug);
      const load = new MachineLoad();
      const began = performance.now();
      await row.click();
      await page.getByText(`That is all of tide ${TURNS}.`).waitFor();
      const worked = (await workedMs(debug)) - before;
      console.info(
        `opened ${TURNS * 2} messages in ${Math.round(performance.now() - began)} ms, of which the panel worked ${Math.round(worked)} ms`,
      );
      // Its own share of the time, which other programs make longer only as far as they share a processor's caches.
      expect(worked).toBeLessThan(load.isQuiet ? 300 : 1_500);

      const drawn = (): Promise<number> => page.locator('.entry').count();
      await expect.poll(drawn).toBeLessThanOrEqual(40);
      await expect.poll(() => page.getByText('What is tide 1?', { exact: true }).count()).toBe(0);

      // A line that is in sight stays where it is while others are put above it.
      const scroller = page.getByRole('log');
      await scroller.hover();
      const jump = page.getByRole('button', { name: 'Jump to latest' });
      await until(
        async () => {
          await page.mouse.wheel(0, -600);
          return (await jump.count()) > 0;
        },
        { what: 'the panel to follow no more' },
      );
      const first = await page.locator('.entry').first().textContent();
      await until(
        async () => {
          await page.mouse.wheel(0, -400);
          return (await page.locator('.entry').first().textContent()) !== first;
        },
        { what: 'an earlier part', timeoutMs: HANG_MS },
      );
      // What the person uses stays there however far it is from what is in sight: the focus, and all of a selection.
      const used = await page.evaluate(useMiddle);
      for (let times = 0; times < 30; times += 1) {
        const top = await scroller.evaluate((box) => box.scrollTop);
        await page.mouse.wheel(0, -400);
        await page.waitForFunction((last) => document.querySelector('.conversation')?.scrollTop !== last, top);
      }
      const selected = await page.evaluate(selectToMiddle);
      expect(selected.isFocusKept).toBe(true);
      expect(selected.tides.length).toBeGreaterThan(10);
      expect(selected.tides).toEqual(Array.from(selected.tides, (_, index) => used.tide - selected.tides.length + 1 + index));
      // A panel that is made narrower and as wide as before shows the same place.
      const narrowed: number[] = [];
      for (const width of [400, 320, 400]) {
        await page.setViewportSize({ width, height: 720 });
        await page.evaluate(settleFrames);
        narrowed.push(await page.evaluate(topOfSelection));
      }
      expect(Math.abs((narrowed[2] ?? Number.NaN) - (narrowed[0] ?? Number.NaN))).toBeLessThanOrEqual(1);
      // To the very beginning, part by part.
      await until(
        async () => {
          await scroller.evaluate((box) => box.scrollTo(0, 0));
          return (await page.getByText('What is tide 1?', { exact: true }).count()) === 1;
        },
        { what: 'the beginning of the session', timeoutMs: HANG_MS * 2 },
      );
      await expect.poll(drawn).toBeLessThanOrEqual(240);

      await jump.click();
      await page.getByText(`That is all of tide ${TURNS}.`).waitFor();
      await expect.poll(drawn).toBeLessThanOrEqual(40);
      // The end stays in sight when there is less room for it.
      await page.setViewportSize({ width: 400, height: 690 });
      await page.evaluate(settleFrames);
      expect(await scroller.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop)).toBeLessThanOrEqual(1);

      // What was said long ago is found by its words, and shown where it stands.
      const search = page.getByRole('searchbox', { name: 'Search all sessions' });
      const hit = page.getByRole('list', { name: 'Found' }).getByRole('button', { name: /What is tide 7\?/ });
      await page.getByRole('button', { name: /^Sessions/ }).click();
      await until(
        async () => {
          // Old sessions are read in after the start.
          await search.fill('');
          await search.fill('"is tide 7" ');
          return hit.waitFor({ timeout: 2000 }).then(() => true);
        },
        { what: 'the search to know the session' },
      );
      await hit.click();
      const found = page.locator('.entry.found');
      await found.waitFor();
      expect(await found.innerText()).toContain('What is tide 7?');
      await until(
        () => found.evaluate((entry) => entry.getBoundingClientRect().top > 0 && entry.getBoundingClientRect().bottom < innerHeight),
        { what: 'the entry to be in sight' },
      );

      // The same in this conversation alone, by Ctrl+F: also what is not loaded.
      await page.keyboard.press('Control+f');
      const find = page.getByRole('searchbox', { name: 'Find in this conversation' });
      await until(
        async () => {
          await find.fill('');
          await find.fill('"is tide 90" ');
          return found
            .filter({ hasText: 'What is tide 90?' })
            .waitFor({ timeout: 2000 })
            .then(() => true);
        },
        { what: 'the search to know all of the session' },
      );
      await until(() => page.evaluate(readMarked).then((texts) => texts.includes('is tide 90') || null), {
        what: 'the words to be marked',
      });
      await page.keyboard.press('Escape');
      await until(() => page.evaluate(readMarked).then((texts) => texts.length === 0 || null), { what: 'the marks to go' });
      await disconnect();
      await browser.close();
      await companion.stopDaemon();
    },
  );
});

/** Processor time of the panel's thread so far. */
const workedMs = async (debug: CDPSession): Promise<number> => {
  const { metrics } = await debug.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
};

/** Runs in the page: gives the focus to a button in the middle of what is in sight and selects the words of the answer beside it; tells which it is. */
const useMiddle = (): { readonly tide: number } => {
  const box = document.querySelector('.conversation')?.getBoundingClientRect() ?? new DOMRect();
  const answers = [...document.querySelectorAll('.entry')].filter((entry) => entry.textContent.includes('That is all of tide'));
  const answer = answers.find((entry) => entry.getBoundingClientRect().bottom > box.top + box.height / 2);
  const words = [...(answer?.querySelectorAll('p') ?? [])].at(-1)?.firstChild;
  if (answer === undefined || words === null || words === undefined) throw new Error('there is no answer in sight');
  answer.parentElement
    ?.querySelector<HTMLElement>(`[data-key="${answer.getAttribute('data-key')}"] button`)
    ?.focus({ preventScroll: true });
  if (!answer.contains(document.activeElement)) throw new Error('nothing in the answer takes the focus');
  getSelection()?.setBaseAndExtent(words, words.textContent?.length ?? 0, words, 0);
  return { tide: Number(/tide (\d+)/.exec(words.textContent ?? '')?.[1]) };
};

/** Runs in the page: extends the selection to the first answer in sight; tells the answers whose end is in it. */
const selectToMiddle = (): { readonly tides: readonly number[]; readonly isFocusKept: boolean } => {
  const box = document.querySelector('.conversation')?.getBoundingClientRect() ?? new DOMRect();
  const answer = [...document.querySelectorAll('.entry')].find(
    (entry) => entry.textContent.includes('That is all of tide') && entry.getBoundingClientRect().bottom > box.top + box.height / 2,
  );
  const words = answer?.querySelector('p')?.firstChild;
  if (words === null || words === undefined) throw new Error('there is no answer in sight');
  getSelection()?.extend(words, 0);
  const found =
    getSelection()
      ?.toString()
      .matchAll(/That is all of tide (\d+)/g) ?? [];
  return { tides: [...found].map(([, tide]) => Number(tide)), isFocusKept: document.activeElement?.closest('.entry') !== null };
};

/** Runs in the page: until what has a new size was measured and put in its place. */
const settleFrames = async (): Promise<void> => {
  for (let frames = 0; frames < 10; frames += 1) await new Promise(requestAnimationFrame);
};

/** Runs in the page: where the line stands at which the selection ends. */
const topOfSelection = (): number => getSelection()?.focusNode?.parentElement?.getBoundingClientRect().top ?? Number.NaN;

/** The texts that are marked on the screen. */
const readMarked = (): string[] =>
  [...(CSS.highlights.get('found') ?? [])].map(({ startContainer, startOffset, endOffset }) =>
    (startContainer.nodeValue ?? '').slice(startOffset, endOffset),
  );

/** A person with very many tabs: how long listing them takes, and how long the list is. */
import type { Worker } from 'playwright-core';
import type { Row } from './bench.ts';
import { figures, timed } from './stats.ts';

const COUNTS = [150, 300] as const;
const ROUNDS = 20;
const LIST_MS = 50;
/** The list of 150 tabs, in tokens of about four characters. */
const MAX_CHARACTERS = 16_000;

/** `list` answers with the text of `browser_tabs`. */
export const benchTabs = async (worker: Worker, list: () => Promise<string>): Promise<Row[]> => {
  const rows: Row[] = [];
  let open = 0;
  for (const count of COUNTS) {
    await openTabs(worker, open, count);
    open = count;
    const { length } = await list();
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(list));
    const { p50 } = figures(times);
    rows.push(
      {
        area: 'tabs',
        what: `\`browser_tabs\` with the action list, ${count} tabs, p50`,
        ours: `${p50.toFixed(1)} ms`,
        reference: `the limit: ${LIST_MS} ms`,
        ratio: p50 / LIST_MS,
        goal: 1,
      },
      {
        area: 'tabs',
        what: `the list of ${count} tabs`,
        ours: `${length.toLocaleString('en')} characters`,
        reference: `the limit: ${MAX_CHARACTERS.toLocaleString('en')} characters`,
        ratio: length / MAX_CHARACTERS,
        goal: 1,
      },
    );
  }
  return rows;
};

/** Addresses and titles as long as those of real pages. A tab that was loaded once and then discarded keeps them, and takes no process. */
const openTabs = (worker: Worker, from: number, to: number): Promise<void> =>
  worker.evaluate(
    async ([first, end]) => {
      for (let index = first; index < end; index += 1) {
        const title = `Page ${index} of a project, its issues and what was said about them`;
        const loaded = Promise.withResolvers<void>();
        const listen = (_: number, { status }: { status?: string }, { title: shown }: chrome.tabs.Tab): void => {
          if (status === 'complete' && shown === title) loaded.resolve();
        };
        chrome.tabs.onUpdated.addListener(listen);
        const { id } = await chrome.tabs.create({ url: `data:text/html,<title>${title}</title>${'x'.repeat(80)}`, active: false });
        await loaded.promise;
        chrome.tabs.onUpdated.removeListener(listen);
        if (id !== undefined) await chrome.tabs.discard(id).catch(() => null);
      }
    },
    [from, to] as const,
  );

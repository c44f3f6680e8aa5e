import * as z from 'zod';
import { toolLine, toolText } from '#protocol/tool-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { textToBase64 } from '#extension/shared/base64.ts';
import { Cookie, findCookies, isFor, replaceCookies, toNew } from '#extension/toolkit/cookies.ts';
import { toFileName } from '#extension/toolkit/file-name.ts';
import type { Page } from '#extension/toolkit/page.ts';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId, type Tool } from '#extension/toolkit/tool.ts';
import { counted } from '#protocol/counted.ts';

const Entries = z.array(z.object({ name: z.string(), value: z.string() }));

/** Playwright's form. */
const State = z.object({
  cookies: z.array(Cookie).default([]),
  origins: z.array(z.object({ origin: z.string(), localStorage: Entries.default([]) })).default([]),
});
type State = z.infer<typeof State>;

const shared = { set: 'storage', toolClass: 'sensitive', scope: 'page' } as const;

/** What signs the person in on a site, as a file and back again. */
export const storageStateTools: readonly Tool[] = [
  defineTool({
    ...shared,
    name: 'browser_storage_state',
    title: 'Save cookies and localStorage of the page as {filename}',
    description: "Save cookies and localStorage of the page as JSON among the user's downloads, and get its path.",
    input: z.strictObject({ filename: z.string().min(1).max(150).optional().describe('Default: storage-state and the time'), tabId }),
    parts: { tab: 'tabId' },
    describe: () => Promise.resolve([toolLine('line_careful', toolText('cookies_careful'))]),
    run: async ({ filename = `storage-state-${new Date().toISOString().replaceAll(':', '-')}` }, { page, profile, signal }) => {
      const url = await page.address();
      const cookies = await findCookies(page);
      const state: State = { cookies, origins: [{ origin: originOf(url), localStorage: await entriesOf(page) }] };
      const dataBase64 = textToBase64(JSON.stringify(state, null, 2));
      const path = await profile.save(
        { name: toFileName(filename, 'json', 'storage-state'), mimeType: 'application/json', dataBase64 },
        signal,
      );
      return textResult(`Saved ${told(state.cookies.length, state.origins[0]?.localStorage.length ?? 0)} as ${path}`);
    },
  }),
  defineTool({
    ...shared,
    name: 'browser_set_storage_state',
    title: 'Replace cookies and localStorage of the page by {filename}',
    description: 'Replace cookies and localStorage of the page by what browser_storage_state saved of its site.',
    input: z.strictObject({ filename: z.string().min(1).describe('Path, from the project'), tabId }),
    parts: { tab: 'tabId', files: 'filename' },
    run: async (_, { page, files }) => {
      const url = await page.address();
      const { cookies, origins } = readState(files[0]?.dataBase64 ?? '');
      const own = cookies.filter((cookie) => isFor(url, cookie));
      const entries = origins.find(({ origin }) => origin === originOf(url))?.localStorage ?? [];
      if (own.length === 0 && entries.length === 0)
        throw new CompanionError('TOOL_FAILED', `The file holds nothing for ${originOf(url)}.`, {
          remedy: 'Open a page of its site first.',
        });
      await replaceCookies(page, own.map(toNew), () => page.evaluate(replaceEntries(entries), null, false));
      const others = cookies.length - own.length;
      return textResult(
        `Set: ${told(own.length, entries.length)}.${others === 0 ? '' : ` Left out: ${others} of other sites.`} Load the page again to use them.`,
      );
    },
  }),
];

/** So much of it comes back whole, however it has to be written. */
const PIECE_CHARS = 8_000;
const Piece = z.tuple([z.number(), z.string()]);

/** All that the page keeps, piece by piece: code gives back no more than a model should read. */
const entriesOf = async (page: Page): Promise<State['origins'][number]['localStorage']> => {
  let text = '';
  for (let length: number | null = null; text.length < (length ?? 1);) {
    const code = `() => {
      const all = JSON.stringify(Object.entries(localStorage).map(([name, value]) => ({ name, value })));
      return [all.length, all.slice(${text.length}, ${text.length + PIECE_CHARS})];
    }`;
    const [whole, piece]: z.infer<typeof Piece> = Piece.parse(JSON.parse((await page.evaluate(code, null, false)).json));
    if (whole !== (length ?? whole))
      throw new CompanionError('TOOL_FAILED', 'What the page keeps has changed meanwhile.', { remedy: 'Call it again.' });
    length = whole;
    text += piece;
  }
  return Entries.parse(JSON.parse(text));
};

/** Where not all of them fit, those before stay. */
const replaceEntries = (entries: readonly { name: string; value: string }[]): string => `() => {
  const before = Object.entries(localStorage);
  const fill = (entries) => {
    localStorage.clear();
    for (const [name, value] of entries) localStorage.setItem(name, value);
  };
  try {
    fill(${JSON.stringify(entries.map(({ name, value }) => [name, value]))});
  } catch (error) {
    fill(before);
    throw error;
  }
}`;

const told = (cookies: number, entries: number): string =>
  `${counted(cookies, 'cookie')} and ${counted(entries, 'entry', 'entries')} of localStorage`;

const readState = (dataBase64: string): State => {
  try {
    const bytes = Uint8Array.from(atob(dataBase64), (letter) => letter.codePointAt(0) ?? 0);
    return State.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    throw new CompanionError(
      'TOOL_ARGUMENTS',
      'browser_set_storage_state: "filename" is no storage state, as browser_storage_state saves it.',
      {
        cause: error,
      },
    );
  }
};

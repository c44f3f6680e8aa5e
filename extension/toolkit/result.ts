/** Tool results. Whatever comes from a page stands inside an envelope that no page can close. */
import { ORIGIN_META, SURPRISE_META, type ToolResult } from '#protocol/browser.ts';
import { toEnvelope } from '#protocol/envelope.ts';
import { originOf } from '#extension/shared/addresses.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
/** What each sign of a name is one of. */
const SIGNS = [LETTERS, DIGITS, ...Array.from({ length: 5 }, () => LETTERS + DIGITS)];

/** A result in Pilotfish's own words. */
export const textResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

/** Pilotfish's own words, and then what the page at `url` says. */
export const pageResult = (words: string, url: string, fromPage: string): ToolResult => {
  if (fromPage === '') return textResult(words);
  const text = [...(words === '' ? [] : [words]), envelope(url, fromPage)].join('\n');
  return { content: [{ type: 'text', text }], _meta: provenance(url) };
};

/** A picture of the page at `url`. */
export const pictureResult = (words: string, url: string, picture: { data: string; mimeType: string }): ToolResult => ({
  content: [
    { type: 'text', text: words },
    { type: 'image', ...picture },
  ],
  _meta: provenance(url),
});

/** A result after which the other calls of a batch are not made, with the reason in words; null where nothing surprises. */
export const withSurprise = (result: ToolResult, surprise: string | null): ToolResult =>
  surprise === null || result._meta?.[SURPRISE_META] !== undefined
    ? result
    : { ...result, _meta: { ...result._meta, [SURPRISE_META]: surprise } };

/** Its name is random for each call. */
export const envelope = (url: string, fromPage: string): string => toEnvelope(randomName(), originOf(url), fromPage);

const provenance = (url: string): Record<string, unknown> => ({ [ORIGIN_META]: originOf(url), 'pilotfish/trust': 'untrusted' });

const randomName = (): string => {
  const numbers = crypto.getRandomValues(new Uint32Array(SIGNS.length));
  return SIGNS.map((signs, index) => signs.charAt((numbers[index] ?? 0) % signs.length)).join('');
};

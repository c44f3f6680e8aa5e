/** Tool results. Whatever comes from a page stands inside an envelope that no page can close. */
import { ORIGIN_META, type ToolResult } from '#protocol/browser.ts';
import { originOf } from '#extension/shared/addresses.ts';

const DELIMITER_BYTES = 6;

/** A result in Pilotfish's own words. */
export const textResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

/** Pilotfish's own words, and then what the page at `url` says. */
export const pageResult = (words: string, url: string, fromPage: string): ToolResult => {
  if (fromPage === '') return textResult(words);
  return { content: [{ type: 'text', text: `${words}\n${envelope(url, fromPage)}` }], _meta: provenance(url) };
};

/** A picture of the page at `url`. */
export const pictureResult = (words: string, url: string, picture: { data: string; mimeType: string }): ToolResult => ({
  content: [
    { type: 'text', text: words },
    { type: 'image', ...picture },
  ],
  _meta: provenance(url),
});

/** The delimiter is random for each call, so a page cannot write its end and go on in our voice. */
export const envelope = (url: string, fromPage: string): string => {
  const name = `page-${randomHex()}`;
  return `<${name} origin="${originOf(url)}" trust="untrusted">\n${fromPage}\n</${name}>`;
};

const provenance = (url: string): Record<string, unknown> => ({ [ORIGIN_META]: originOf(url), 'pilotfish/trust': 'untrusted' });

const randomHex = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(DELIMITER_BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Shortens what a page makes as long as it likes. What secret fields hold is taken out of an answer at its end, where half of it would not be
 * known, so that nothing is cut in the middle of a word. Pure.
 */

/** Of a longer text its beginning, and how long it is. Chinese, Japanese and Korean have no spaces. */
export const cutText = (text: string, maxChars: number): string =>
  cut(text, maxChars, /[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}，。！？]*$/u);

/** The same for an address. */
export const cutAddress = (url: string, maxChars: number): string => cut(url, maxChars, /[^/?&#=;,\s]*$/);

const cut = (text: string, maxChars: number, lastWord: RegExp): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars).replace(lastWord, '')}… (${text.length} characters)`;

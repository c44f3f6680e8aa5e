/** Where a page is, in few words: it makes its address and its title as long as it likes. Pure. */

const MAX_ADDRESS = 1_000;
const MAX_TITLE = 300;

export const pageHead = ({ url, title }: { readonly url: string; readonly title: string }): string =>
  `url: ${shownAddress(url)}\ntitle: ${shownTitle(title)}`;

/** Of a very long address the beginning, and how long it is. */
export const shownAddress = (url: string): string => cut(url, MAX_ADDRESS);

export const shownTitle = (title: string): string => cut(title, MAX_TITLE);

/** Between words and parts of an address: what secret fields hold is taken out afterwards, and half of it would not be known. */
const cut = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars).replace(/[^/?&#=;,\s]*$/, '')}… (${text.length} characters)`;

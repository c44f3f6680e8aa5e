/** Where a page is, in few words: it makes its address and its title as long as it likes. Pure. */
import { originOf } from '#extension/shared/addresses.ts';
import { cutAddress, cutText } from './cut.ts';

const MAX_ADDRESS = 1_000;
const MAX_TITLE = 300;

export const pageHead = ({ url, title }: { readonly url: string; readonly title: string }): string =>
  `url: ${shownAddress(url)}\ntitle: ${shownTitle(title)}`;

/** The same inside an envelope that names the page's origin: its address goes on from there. */
export const pageHeadWithin = ({ url, title }: { readonly url: string; readonly title: string }): string => {
  const address = shownAddress(url);
  const origin = originOf(url);
  const rest = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  return `url: ${rest}\ntitle: ${shownTitle(title)}`;
};

export const shownAddress = (url: string): string => cutAddress(url, MAX_ADDRESS);

export const shownTitle = (title: string): string => cutText(title, MAX_TITLE);

/** Where a page is, in few words: it makes its address and its title as long as it likes. Pure. */
import { originOf } from '#extension/shared/addresses.ts';
import { cutAddress, cutText } from './cut.ts';

const MAX_ADDRESS = 1_000;
const MAX_TITLE = 300;

interface Place {
  readonly url: string;
  readonly title: string;
}

export const pageHead = ({ url, title }: Place): string => `url: ${shownAddress(url)}\ntitle: ${shownTitle(title)}`;

/** The same in a line, as the first one of an envelope that names the page's origin: its address goes on from there. */
export const pageHeadWithin = ({ url, title }: Place): string => {
  const address = shownAddress(url);
  const origin = originOf(url);
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  return title === '' ? path : `${path} "${shownTitle(title)}"`;
};

export const shownAddress = (url: string): string => cutAddress(url, MAX_ADDRESS);

export const shownTitle = (title: string): string => cutText(title, MAX_TITLE);

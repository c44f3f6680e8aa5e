/** Which documents a tab shows, and where a document belongs. */
import { CompanionError } from '#protocol/errors.ts';
import { type OffLimits, isAllowedPage, originOf } from '#extension/shared/addresses.ts';
import { NoPageError } from '#extension/toolkit/page-error.ts';
import type { PageDocument } from './inject.ts';
import { madeIn, shownIn } from './made-pages.ts';
import { never, pause } from './queue.ts';

export interface Frame extends PageDocument {
  readonly parentFrameId: number;
}

/** All frames that a tab shows now, the page itself first; none while it has no page. */
export const framesOf = async (tabId: number): Promise<Frame[]> => {
  const found = await shownIn(tabId);
  const placed = await Promise.all(found.map((frame) => withSite(tabId, frame)));
  return placed.toSorted((one, other) => one.frameId - other.frameId);
};

/** An empty page that a site has opened and written is that site's, though its address does not say so. */
const withSite = async <T extends PageDocument>(tabId: number, document: T): Promise<T> => {
  const { frameId, documentId, url } = document;
  if (frameId !== 0 || !isEmpty(url)) return document;
  const target = { tabId, documentIds: [documentId] };
  const told = chrome.scripting.executeScript({ target, func: () => self.origin, injectImmediately: true }).then(
    ([injected]) => (injected?.documentId === documentId ? injected.result : null),
    // Chrome lets nobody into one that belongs to no site.
    () => 'null' as const,
  );
  const origin = await Promise.race([told, pause(SITE_MS, never).then(() => null)]);
  if (typeof origin !== 'string') throw new NoPageError();
  return origin === 'null' ? document : { ...document, url: `${origin}/` };
};

/** A page that does not answer by then stands still, behind a dialog or in a loop. */
const SITE_MS = 1_500;

/** The document that a frame shows now. */
export const documentIn = async (tabId: number, frameId: number): Promise<PageDocument> => {
  const frame = (await chrome.webNavigation.getFrame({ tabId, frameId })) ?? (await madeIn(tabId, frameId));
  const found = frame?.documentId === undefined ? undefined : { frameId, documentId: frame.documentId, url: frame.url };
  return withSite(tabId, checked(found, frameId));
};

/** Whether there is a page in the tab at all. */
export const holdsPage = async (tabId: number): Promise<boolean> =>
  ((await chrome.webNavigation.getFrame({ tabId, frameId: 0 })) ?? (await madeIn(tabId, 0)))?.documentId !== undefined;

/** The document that a frame showed when these frames were found. */
export const documentAmong = (frames: readonly Frame[], frameId: number): PageDocument => {
  const frame = frames.find((candidate) => candidate.frameId === frameId);
  return checked(frame === undefined ? undefined : { frameId, documentId: frame.documentId, url: frame.url }, frameId);
};

const checked = (found: PageDocument | undefined, frameId: number): PageDocument => {
  if (found !== undefined) return found;
  if (frameId !== 0) throw new CompanionError('TARGET_NOT_FOUND', 'The frame of this ref is gone.');
  throw new NoPageError();
};

/** The frames that tools may read. Those that are off limits are left out, with the frames inside them. */
export const allowedAmong = (frames: readonly Frame[], offLimits: OffLimits): Frame[] => {
  const isAllowed = (frame: Frame): boolean => {
    if (!isAddressless(frame.url) && !isAllowedPage(frame.url, offLimits)) return false;
    const parent = frames.find(({ frameId }) => frameId === frame.parentFrameId);
    return parent === undefined || isAllowed(parent);
  };
  return frames.filter(isAllowed);
};

/** The frames in a page that tools may not read: of the web, and of other extensions, which may show what they keep for the person. */
export const closedAmong = (frames: readonly Frame[], offLimits: OffLimits): Frame[] =>
  frames.filter(
    ({ frameId, url }) => frameId !== 0 && /^(?:blob:)?(?:https?|chrome-extension):/.test(url) && !isAllowedPage(url, offLimits),
  );

/** The origin of a document as its address tells it; one without an address of its own has the origin of the frame around it. */
export const originAmong = (frames: readonly Frame[], document: PageDocument): string => {
  if (document.frameId === 0 || !isAddressless(document.url)) return originOf(document.url);
  const site = pathToSite(frames, document).at(-1);
  return site === undefined ? 'null' : originOf(site.url);
};

const isEmpty = (url: string): boolean => url === '' || url.startsWith('about:');

/** What a `data:` address shows stands in it, and whose that is it does not say. */
export const isAddressless = (url: string): boolean => isEmpty(url) || isWritten(url);

/** Whether an address is the page itself. */
export const isWritten = (url: string): boolean => url.startsWith('data:');

/** The frames around a document up to the one whose site it has, itself first. */
export const pathToSite = (frames: readonly Frame[], { frameId }: PageDocument): Frame[] => {
  const path: Frame[] = [];
  let frame = frames.find((candidate) => candidate.frameId === frameId);
  while (frame !== undefined) {
    path.push(frame);
    const { parentFrameId, url }: Frame = frame;
    frame = frame.frameId === 0 || !isAddressless(url) ? undefined : frames.find((candidate) => candidate.frameId === parentFrameId);
  }
  return path;
};

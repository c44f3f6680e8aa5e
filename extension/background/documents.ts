/** Which documents a tab shows, and where a document belongs. */
import { CompanionError } from '#protocol/errors.ts';
import { type OffLimits, isAllowedPage, originOf } from '#extension/shared/addresses.ts';
import { noPage } from '#extension/toolkit/page-error.ts';
import type { PageDocument } from './inject.ts';
import { never, pause } from './queue.ts';

export interface Frame extends PageDocument {
  readonly parentFrameId: number;
}

/** All frames that a tab shows now, the page itself first; none while it has no page. */
export const framesOf = async (tabId: number): Promise<Frame[]> => {
  const all = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  // A page that Chrome loads beforehand is not shown yet, and may never be.
  const frames = all.filter(({ documentLifecycle }) => documentLifecycle !== 'prerender');
  const found = frames.map(({ frameId, documentId, url, parentFrameId }) => ({ frameId, documentId, url, parentFrameId }));
  const placed = await Promise.all(found.map((frame) => withSite(tabId, frame)));
  return placed.toSorted((one, other) => one.frameId - other.frameId);
};

/** An empty page that a site has opened and written is that site's, though its address does not say so. */
const withSite = async <T extends PageDocument>(tabId: number, document: T): Promise<T> => {
  const { frameId, documentId, url } = document;
  if (frameId !== 0 || !isAddressless(url)) return document;
  const target = { tabId, documentIds: [documentId] };
  const told = chrome.scripting.executeScript({ target, func: () => self.origin, injectImmediately: true }).then(
    ([injected]) => (injected?.documentId === documentId ? injected.result : null),
    // Chrome lets nobody into one that belongs to no site.
    () => 'null' as const,
  );
  const origin = await Promise.race([told, pause(SITE_MS, never).then(() => null)]);
  if (typeof origin !== 'string') throw noPage();
  return origin === 'null' ? document : { ...document, url: `${origin}/` };
};

/** A page that does not answer by then stands still, behind a dialog or in a loop. */
const SITE_MS = 1_500;

/** The document that a frame shows now. */
export const documentIn = async (tabId: number, frameId: number): Promise<PageDocument> => {
  const frame = await chrome.webNavigation.getFrame({ tabId, frameId });
  const found = frame?.documentId === undefined ? undefined : { frameId, documentId: frame.documentId, url: frame.url };
  return withSite(tabId, checked(found, frameId));
};

/** Whether there is a page in the tab at all. */
export const holdsPage = async (tabId: number): Promise<boolean> =>
  (await chrome.webNavigation.getFrame({ tabId, frameId: 0 }))?.documentId !== undefined;

/** The document that a frame showed when these frames were found. */
export const documentAmong = (frames: readonly Frame[], frameId: number): PageDocument => {
  const frame = frames.find((candidate) => candidate.frameId === frameId);
  return checked(frame === undefined ? undefined : { frameId, documentId: frame.documentId, url: frame.url }, frameId);
};

const checked = (found: PageDocument | undefined, frameId: number): PageDocument => {
  if (found !== undefined) return found;
  if (frameId !== 0) throw new CompanionError('TARGET_NOT_FOUND', 'The frame of this ref is gone.');
  throw noPage();
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
  frames.filter(({ frameId, url }) => frameId !== 0 && /^(?:https?|chrome-extension):/.test(url) && !isAllowedPage(url, offLimits));

/** The origin of a document; a document without an address of its own has the origin of the frame around it. */
export const originAmong = (frames: readonly Frame[], { frameId, url }: PageDocument): string => {
  if (frameId === 0 || !isAddressless(url)) return originOf(url);
  let frame = frames.find((candidate) => candidate.frameId === frameId);
  while (frame !== undefined && frame.frameId !== 0 && isAddressless(frame.url)) {
    const { parentFrameId }: Frame = frame;
    frame = frames.find((candidate) => candidate.frameId === parentFrameId);
  }
  return frame === undefined ? 'null' : originOf(frame.url);
};

const isAddressless = (url: string): boolean => url === '' || url.startsWith('about:');

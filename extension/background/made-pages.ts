/**
 * Pages that a site's scripts have made, at `blob:`. Chrome tells when one has come into a frame, and leaves them out of what it tells of a tab's
 * frames and of loads: https://source.chromium.org/chromium/chromium/src/+/main:chrome/browser/extensions/api/web_navigation/frame_navigation_state.cc
 */
import { keepNewest } from '#extension/shared/keep-newest.ts';
import type { Frame } from './documents.ts';
import { never, pause } from './queue.ts';

/** The newest in each tab. */
const MAX_FRAMES = 50;
/** A frame that does not answer by then is there, and busy. */
const GONE_MS = 100;

const made = new Map<number, Map<number, Frame>>();

export const isMade = (url: string): boolean => url.startsWith('blob:');

/** Registers listeners, so it is called when the worker starts. */
export const hearMadePages = (): void => {
  const { webNavigation, tabs } = chrome;
  webNavigation.onCommitted.addListener(({ tabId, documentLifecycle, ...frame }) => {
    if (documentLifecycle !== 'prerender') note(tabId, frame);
  });
  tabs.onRemoved.addListener((tabId) => made.delete(tabId));
  tabs.onReplaced.addListener((_, tabId) => made.delete(tabId));
  void findAgain();
};

/** Another page in a frame takes the place of the one before it, and of all frames in that. */
const note = (tabId: number, { frameId, parentFrameId, documentId, url }: Frame): void => {
  const frames = new Map(frameId === 0 ? [] : made.get(tabId));
  frames.delete(frameId);
  if (isMade(url)) frames.set(frameId, { frameId, parentFrameId, documentId, url });
  keepNewest(frames, MAX_FRAMES);
  if (frames.size > 0) made.set(tabId, frames);
  else made.delete(tabId);
};

/** The worker before this one has heard of pages that are still shown. */
const findAgain = async (): Promise<void> => {
  for (const { id, url = '' } of await chrome.tabs.query({})) {
    if (id === undefined || !isMade(url)) continue;
    const shown = chrome.scripting.executeScript({ target: { tabId: id }, func: () => location.href, injectImmediately: true });
    void shown.then(
      ([page]) => {
        if (page?.result !== undefined && !made.has(id)) note(id, { ...page, parentFrameId: -1, url: page.result });
      },
      // It has gone, or nobody may ask it.
      () => null,
    );
  }
};

/** The page of this kind that a frame shows. */
export const madeIn = (tabId: number, frameId: number): Frame | undefined => made.get(tabId)?.get(frameId);

/** What a tab shows, with the pages that Chrome does not tell of; those that it loads beforehand may never be shown. */
export const shownIn = async (tabId: number): Promise<Frame[]> => {
  const all = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  const frames = all.filter(({ documentLifecycle }) => documentLifecycle !== 'prerender');
  const told = frames.map(({ frameId, documentId, url, parentFrameId }) => ({ frameId, documentId, url, parentFrameId }));
  return [...told, ...(await madeBeside(tabId, told))];
};

/** Nobody hears that one was taken out of its page. */
const madeBeside = async (tabId: number, told: readonly Frame[]): Promise<Frame[]> => {
  const kept = [...(made.get(tabId)?.values() ?? [])].filter(({ frameId }) => !told.some((frame) => frame.frameId === frameId));
  const found = await Promise.all(kept.map(async (frame) => (frame.frameId === 0 || (await isThere(tabId, frame)) ? [frame] : [])));
  return found.flat();
};

const isThere = (tabId: number, { frameId, documentId }: Frame): Promise<boolean> => {
  const asked = chrome.scripting.executeScript({ target: { tabId, documentIds: [documentId] }, func: () => true, injectImmediately: true });
  const answered = asked.then(
    () => true,
    () => {
      if (made.get(tabId)?.get(frameId)?.documentId === documentId) made.get(tabId)?.delete(frameId);
      return false;
    },
  );
  return Promise.race([answered, pause(GONE_MS, never).then(() => true)]);
};

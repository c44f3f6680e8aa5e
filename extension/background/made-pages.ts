/**
 * Pages that a site's scripts have made, at `blob:`. Chrome tells when one has come into a frame, and leaves them out of what it tells of a tab's
 * frames and of loads: https://source.chromium.org/chromium/chromium/src/+/main:chrome/browser/extensions/api/web_navigation/frame_navigation_state.cc
 */
import * as z from 'zod';
import type { Frame } from './documents.ts';
import { never, pause } from './queue.ts';
import { Stored } from './stored.ts';

/** The newest in each tab. */
const MAX_FRAMES = 50;
/** A frame that does not answer by then is there, and busy. */
const GONE_MS = 100;

const MadeFrame = z.object({
  frameId: z.number(),
  parentFrameId: z.number(),
  documentId: z.string(),
  url: z.string(),
  /** The document of the tab in which it stands: that may be kept for going back, with its frames. */
  within: z.string(),
});
type MadeFrame = z.infer<typeof MadeFrame>;

const Tabs = z.record(z.string(), z.array(MadeFrame)).transform((record) => new Map(Object.entries(record)));
/** By tab. Of those that are still shown Chrome tells the next worker nothing. */
const made = new Stored<ReadonlyMap<string, readonly MadeFrame[]>>('session', 'made pages', Tabs, () => new Map(), Object.fromEntries);

export const isMade = (url: string): boolean => url.startsWith('blob:');

/** Registers listeners, so it is called when the worker starts. */
export const hearMadePages = (): void => {
  const { webNavigation, tabs } = chrome;
  webNavigation.onCommitted.addListener(({ tabId, documentLifecycle, ...frame }) => {
    if (documentLifecycle !== 'prerender') void note(tabId, frame);
  });
  tabs.onRemoved.addListener((tabId) => void change(tabId, () => []));
  tabs.onReplaced.addListener((_, tabId) => void change(tabId, () => []));
  void findAgain();
};

const change = (tabId: number, toFrames: (known: readonly MadeFrame[]) => readonly MadeFrame[]): Promise<void> =>
  made.update((all) => {
    const known = all.get(`${tabId}`) ?? [];
    const frames = toFrames(known);
    if (frames.length === known.length && frames.every((frame) => known.includes(frame))) return all;
    const others = [...all].filter(([tab]) => tab !== `${tabId}`);
    return new Map(frames.length === 0 ? others : [...others, [`${tabId}`, frames] as const]);
  });

/** Another page in a frame takes the place of the one before it. */
const note = async (tabId: number, { frameId, parentFrameId, documentId, url }: Frame): Promise<void> => {
  // Asked before anything else, for the page may be left.
  const page = frameId === 0 || !isMade(url) ? documentId : await pageIn(tabId);
  const frames = isMade(url) ? [{ frameId, parentFrameId, documentId, url, within: page }] : [];
  await change(tabId, (known) => [...known.filter((frame) => frame.frameId !== frameId), ...frames].slice(-MAX_FRAMES));
};

/** The document of a tab as it is now; empty where there is none. */
const pageIn = async (tabId: number): Promise<string> => {
  const page = (await chrome.webNavigation.getFrame({ tabId, frameId: 0 })) ?? (await madeIn(tabId, 0));
  return page?.documentId ?? '';
};

/** A worker of an extension that was just loaded has not heard of pages that are still shown. */
const findAgain = async (): Promise<void> => {
  for (const { id, url = '' } of await chrome.tabs.query({})) {
    if (id === undefined || !isMade(url) || (await madeIn(id, 0)) !== undefined) continue;
    const shown = chrome.scripting.executeScript({ target: { tabId: id }, func: () => location.href, injectImmediately: true });
    void shown.then(
      ([page]) => (page?.result === undefined ? undefined : note(id, { ...page, parentFrameId: -1, url: page.result })),
      // It has gone, or nobody may ask it.
      () => null,
    );
  }
};

/** The page of this kind that a frame shows. */
export const madeIn = async (tabId: number, frameId: number): Promise<Frame | undefined> =>
  (await made.load()).get(`${tabId}`)?.find((frame) => frame.frameId === frameId);

/** What a tab shows, with the pages that Chrome does not tell of; those that it loads beforehand may never be shown. */
export const shownIn = async (tabId: number): Promise<Frame[]> => {
  const all = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  const frames = all.filter(({ documentLifecycle }) => documentLifecycle !== 'prerender');
  const told = frames.map(({ frameId, documentId, url, parentFrameId }) => ({ frameId, documentId, url, parentFrameId }));
  return [...told, ...(await madeBeside(tabId, told))];
};

/** Nobody hears that one was taken out of its page. */
const madeBeside = async (tabId: number, told: readonly Frame[]): Promise<Frame[]> => {
  const known = (await made.load()).get(`${tabId}`) ?? [];
  const page = [...told, ...known].find(({ frameId }) => frameId === 0)?.documentId;
  const kept = known.filter(({ frameId, within }) => within === page && !told.some((frame) => frame.frameId === frameId));
  const found = await Promise.all(kept.map(async (frame) => (frame.frameId === 0 || (await isThere(tabId, frame)) ? [frame] : [])));
  return found.flat();
};

const isThere = (tabId: number, { documentId }: Frame): Promise<boolean> => {
  const asked = chrome.scripting.executeScript({ target: { tabId, documentIds: [documentId] }, func: () => true, injectImmediately: true });
  const answered = asked.then(
    () => true,
    () => {
      void change(tabId, (known) => known.filter((frame) => frame.documentId !== documentId));
      return false;
    },
  );
  return Promise.race([answered, pause(GONE_MS, never).then(() => true)]);
};

/** Lets the person point at an element of a tab, in whatever frame it is. */
import { answerComponents, answerReact } from '#extension/content/source.ts';
import { type OffLimits, isAllowedPage } from '#extension/shared/addresses.ts';
import type { PickedPlace } from '#extension/toolkit/tool.ts';
import type { TabPage } from './tab-page.ts';

/** What looking into tabs needs. */
interface Pages {
  pageOf(tabId: number, signal: AbortSignal): TabPage;
  offLimits(): OffLimits;
}

interface Asked {
  readonly tabId: number;
  /** What the person reads above the page. */
  readonly words?: string;
  readonly limitMs?: number;
  readonly signal: AbortSignal;
}

/** The page itself first, then the frames that may be read. */
export const readableFrames = async (tabId: number, offLimits: OffLimits): Promise<number[]> => {
  const isAllowed = (url: string): boolean => url === 'about:srcdoc' || isAllowedPage(url, offLimits);
  const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  return [0, ...frames.filter(({ frameId, url }) => frameId !== 0 && isAllowed(url)).map(({ frameId }) => frameId)];
};

/** The pointer may be in any frame; the first one that notices it ends the search in all. */
export const pickIn = async (pages: Pages, { tabId, words, limitMs, signal }: Asked): Promise<PickedPlace | null> => {
  const over = new AbortController();
  const page = pages.pageOf(tabId, AbortSignal.any([signal, over.signal]));
  const sourceKey = crypto.randomUUID();
  const limit = limitMs === undefined ? {} : { limitMs };
  const answers = (await readableFrames(tabId, pages.offLimits())).map(
    (frameId) =>
      new Promise<PickedPlace | null>((resolve, reject) => {
        const asked = letAnswerSource(tabId, frameId, sourceKey).then(() =>
          page.ask('pick', { ...limit, sourceKey, ...(words === undefined || frameId !== 0 ? {} : { words }) }, frameId),
        );
        // Frames come and go while the user looks around; only the page itself counts.
        asked.then(
          (element) => resolve(element === null ? null : { frameId, element }),
          (error: unknown) => {
            if (frameId === 0) reject(error);
          },
        );
      }),
  );
  try {
    return await Promise.race(answers);
  } finally {
    over.abort();
  }
};

/** Only the page's own world sees what frameworks write on elements; where it cannot be reached there is no source. */
const letAnswerSource = async (tabId: number, frameId: number, key: string): Promise<void> => {
  const target = { tabId, frameIds: [frameId] };
  const run = (func: (key: string) => void): Promise<unknown> =>
    chrome.scripting.executeScript({ target, func, args: [key], world: 'MAIN', injectImmediately: true }).catch(() => null);
  await Promise.all([run(answerReact), run(answerComponents)]);
};

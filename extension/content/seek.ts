/** What a page draws only where it is scrolled to, and what it loads only when its end is reached: its lists are scrolled through until a text shows. */
import type { SoughtText } from './api.ts';
import { folded } from '#extension/shared/same-words.ts';
import { elementsOfBody } from './composed.ts';
import { drawnAgain } from './frames.ts';
import { withoutHeld } from './held-secrets.ts';
import { whileReading } from './memo.ts';
import { MAX_TEXT_READ, clean, textOf } from './name.ts';
import { isReversed } from './scroll-way.ts';
import { isVisible } from './visibility.ts';

const LIMIT_MS = 6_000;
/** After this time the next list has its turn: one of a million rows must not keep the others from theirs. */
const TURN_MS = 2_000;
/** A list that draws nothing new by then has all its rows in the document, but for those that it loads at its end. */
const FIRST_STEPS = 2;
/** Some lists draw their rows only some frames after they were scrolled. */
const LATE_FRAMES = 4;
/** Less than this is no scrolling. */
const MIN_LEFT_PX = 40;
/** How long the end of a list is waited at for more, and how long in vain at the ends of all. */
const MORE_MS = 800;
const IN_VAIN_MS = 2_400;

/** A list that is being scrolled through. */
interface Sought {
  readonly list: Element;
  /** Where it was found. */
  readonly from: number;
  /** How far it was gone through. */
  readonly to: number;
}

type Outcome = 'found' | 'more' | 'end';

/** Leaves the list where the text is; without one, each list where it was. A list that is too long for the time is looked at as far as that goes. */
export const seek = async ({ text }: { text: string }, signal: AbortSignal): Promise<SoughtText> => {
  const wanted = folded(clean(text));
  const endsAt = performance.now() + LIMIT_MS;
  let leftMs = IN_VAIN_MS;
  const open: Sought[] = lists().map((list) => ({ list, from: list.scrollTop, to: 0 }));
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const turnEndsAt = Math.min(endsAt, performance.now() + TURN_MS);
    const goesOn = (): boolean => !signal.aborted && performance.now() < turnEndsAt;
    const growsOn = async (list: Element): Promise<boolean> => {
      const startedAt = performance.now();
      const hasGrown = await grows(list, Math.min(MORE_MS, leftMs));
      if (!hasGrown) leftMs -= performance.now() - startedAt;
      return hasGrown;
    };
    const outcome = await goThrough(next, () => shows(next.list, wanted), { goesOn, growsOn });
    if (outcome === 'found') return { isFound: true, share: 1 };
    const { list, from } = next;
    if (outcome === 'more') open.push({ list, from, to: list.scrollTop });
    list.scrollTo({ top: from, behavior: 'instant' });
    if (signal.aborted || performance.now() >= endsAt) return { isFound: false, share: Math.min(...open.map(shareOf)) };
  }
  return { isFound: false, share: 1 };
};

/** What is looked for in a list, and which way it lies from what is shown: 1 towards the end, 0 where that is not known. */
interface InList {
  isShown(): boolean;
  wayTo(): number;
}

/** Leaves a list where the condition holds; without that, where it was. */
export const seekIn = async (list: Element, sought: InList, signal: AbortSignal): Promise<SoughtText> => {
  const from = list.scrollTop;
  const endsAt = performance.now() + LIMIT_MS;
  const goesOn = (): boolean => !signal.aborted && performance.now() < endsAt;
  if (await halve(list, sought, goesOn)) return { isFound: true, share: 1 };
  const bounds = { goesOn, growsOn: (end: Element) => grows(end, MORE_MS) };
  const outcome = await goThrough({ list, from, to: 0 }, () => sought.isShown(), bounds);
  if (outcome === 'found') return { isFound: true, share: 1 };
  const share = outcome === 'end' ? 1 : shareOf({ list, from, to: list.scrollTop });
  list.scrollTo({ top: from, behavior: 'instant' });
  return { isFound: false, share };
};

/** A list that is in order is looked through in a few steps, however long it is. */
const halve = async (list: Element, { isShown, wayTo }: InList, goesOn: () => boolean): Promise<boolean> => {
  let [low, high] = [0, list.scrollHeight - list.clientHeight];
  for (let way = wayTo(); way !== 0 && high - low > 1 && goesOn(); way = wayTo()) {
    if (way > 0) low = Math.max(low, list.scrollTop);
    else high = Math.min(high, list.scrollTop);
    list.scrollTo({ top: (low + high) / 2, behavior: 'instant' });
    for (let frame = 0; frame < LATE_FRAMES; frame += 1) await drawnAgain();
    if (isShown()) return true;
  }
  return isShown();
};

/** How much of a list was looked at. */
const shareOf = ({ list, to }: Sought): number => (Math.abs(to) + list.clientHeight) / list.scrollHeight;

/** From the inside out, because the page itself is often only around the list. */
const lists = (): Element[] => {
  const inner = elementsOfBody().filter((element) => canScroll(element) && isVisible(element) && doesScroll(element));
  const page = document.scrollingElement;
  return [...inner.toReversed(), ...(page !== null && canScroll(page) ? [page] : [])];
};

export const canScroll = ({ scrollHeight, clientHeight }: Element): boolean =>
  clientHeight > 0 && scrollHeight - clientHeight > MIN_LEFT_PX;

const doesScroll = (element: Element): boolean =>
  !(element instanceof HTMLTextAreaElement) && /^(?:auto|scroll|overlay)$/.test(getComputedStyle(element).overflowY);

/** Whether a text can be read in a list; what is written in a secret field cannot. The cheap look comes first. */
const shows = (list: Element, wanted: string): boolean =>
  whileReading(() => {
    const all = list.textContent ?? '';
    // To go through more takes longer than the time is in which a page has to answer.
    if (all.length > MAX_TEXT_READ) return false;
    return [() => all, () => textOf(list, Infinity)].every((read) => folded(withoutHeld(clean(read()))).includes(wanted));
  });

interface Bounds {
  goesOn(): boolean;
  growsOn(list: Element): Promise<boolean>;
}

const goThrough = async ({ list, to }: Sought, isShown: () => boolean, { goesOn, growsOn }: Bounds): Promise<Outcome> => {
  const way = isReversed(list, false) ? -1 : 1;
  let hasDrawn = to !== 0;
  let isDrawnNow = false;
  const observer = new MutationObserver(() => {
    hasDrawn = true;
    isDrawnNow = true;
  });
  const drawn = async (): Promise<void> => {
    await drawnAgain();
    for (let frame = 0; frame < LATE_FRAMES && !isDrawnNow && goesOn(); frame += 1) await drawnAgain();
    isDrawnNow = false;
  };
  observer.observe(list, { childList: true, characterData: true, subtree: true });
  try {
    list.scrollTo({ top: to, behavior: 'instant' });
    for (let step = 0; goesOn(); step += 1) {
      await drawn();
      if (isShown()) return 'found';
      if (isAtEnd(list)) {
        if (!(await growsOn(list))) return 'end';
      } else if (step >= FIRST_STEPS && !hasDrawn) list.scrollTo({ top: way * list.scrollHeight, behavior: 'instant' });
      else list.scrollBy({ top: way * list.clientHeight, behavior: 'instant' });
    }
    return 'more';
  } finally {
    observer.disconnect();
  }
};

const isAtEnd = (list: Element): boolean => Math.abs(list.scrollTop) + list.clientHeight >= list.scrollHeight - 1;

/** Whether a list becomes longer within the time. */
const grows = (list: Element, limitMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const height = list.scrollHeight;
    const end = (hasGrown: boolean): void => {
      clearTimeout(limit);
      observer.disconnect();
      resolve(hasGrown);
    };
    const observer = new MutationObserver(() => {
      if (list.scrollHeight > height) end(true);
    });
    const limit = setTimeout(() => end(false), limitMs);
    observer.observe(list, { childList: true, characterData: true, subtree: true });
  });

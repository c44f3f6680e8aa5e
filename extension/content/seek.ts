/** Rows that a page draws only where it is scrolled to: its lists are scrolled through until a text shows. */
import { elementsOfBody } from './composed.ts';
import { drawnAgain } from './frames.ts';
import { withoutHeld } from './held-secrets.ts';
import { whileReading } from './memo.ts';
import { clean, textOf } from './name.ts';
import { isVisible } from './visibility.ts';

const LIMIT_MS = 12_000;
/** A list that draws nothing new by then has all its rows in the document. */
const FIRST_STEPS = 2;
/** Less than this is no scrolling. */
const MIN_LEFT_PX = 40;

/** Leaves the list where the text is; without one, each list where it was. */
export const seek = async ({ text }: { text: string }, signal: AbortSignal): Promise<boolean> => {
  const wanted = clean(text).toLowerCase();
  const endsAt = performance.now() + LIMIT_MS;
  const goesOn = (): boolean => !signal.aborted && performance.now() < endsAt;
  for (const list of lists()) {
    const { scrollTop } = list;
    if (await goThrough(list, wanted, goesOn)) return true;
    list.scrollTo({ top: scrollTop, behavior: 'instant' });
    if (!goesOn()) return false;
  }
  return false;
};

/** From the inside out, because the page itself is often only around the list. */
const lists = (): Element[] => {
  const inner = elementsOfBody().filter((element) => canScroll(element) && isVisible(element) && doesScroll(element));
  const page = document.scrollingElement;
  return [...inner.toReversed(), ...(page !== null && canScroll(page) ? [page] : [])];
};

const canScroll = ({ scrollHeight, clientHeight }: Element): boolean => clientHeight > 0 && scrollHeight - clientHeight > MIN_LEFT_PX;

const doesScroll = (element: Element): boolean =>
  !(element instanceof HTMLTextAreaElement) && /^(?:auto|scroll|overlay)$/.test(getComputedStyle(element).overflowY);

/** Whether a text can be read in a list; what is written in a secret field cannot. The cheap look comes first. */
const shows = (list: Element, wanted: string): boolean =>
  whileReading(() =>
    [() => list.textContent ?? '', () => textOf(list, Infinity)].every((read) => withoutHeld(clean(read())).toLowerCase().includes(wanted)),
  );

const goThrough = async (list: Element, wanted: string, goesOn: () => boolean): Promise<boolean> => {
  let hasDrawn = false;
  const observer = new MutationObserver(() => {
    hasDrawn = true;
  });
  observer.observe(list, { childList: true, characterData: true, subtree: true });
  try {
    list.scrollTo({ top: 0, behavior: 'instant' });
    for (let step = 0; goesOn(); step += 1) {
      await drawnAgain();
      if (shows(list, wanted)) return true;
      const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 1;
      if (isAtEnd || (step >= FIRST_STEPS && !hasDrawn)) return false;
      list.scrollBy({ top: list.clientHeight, behavior: 'instant' });
    }
    return false;
  } finally {
    observer.disconnect();
  }
};

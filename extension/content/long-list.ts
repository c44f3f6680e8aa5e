/** A list that draws an option only where it is scrolled to. */
import type { SoughtText, Target } from './api.ts';
import { bodyOf, parentOf } from './composed.ts';
import { clean } from './name.ts';
import { calledBy, listAt, listOf, optionsIn } from './options.ts';
import { plain } from './plain.ts';
import { canScroll, seekIn } from './seek.ts';

/** How far around an option what scrolls it may be. */
const MAX_LEVELS = 8;

/** Scrolls an open list to the option that is called so; one without it stays where it is. */
export const seekOption = async ({ target, label }: { target: Target; label: string }, signal: AbortSignal): Promise<SoughtText> => {
  const element = listAt(target);
  const list = listOf(element);
  const options = (): Element[] => (list === null ? [] : optionsIn(list, element));
  const scroller = scrollerOf(options());
  if (scroller === null) return { isFound: false, share: 1 };
  const wanted = label.trim().toLowerCase();
  const isMeant = (option: Element): boolean =>
    clean(plain(option).textContent ?? '')
      .toLowerCase()
      .includes(wanted) && calledBy(option).label.toLowerCase() === wanted;
  const isShown = (): boolean => options().some(isMeant);
  return seekIn(scroller, { isShown, wayTo: wayBy(options, label) }, signal);
};

/** Some hide what would scroll them, and draw a bar of their own. */
const scrollerOf = ([first]: readonly Element[]): Element | null => {
  let around = first === undefined ? null : parentOf(first);
  for (let level = 0; level < MAX_LEVELS && around !== null && around !== bodyOf(document); level += 1, around = parentOf(around))
    if (canScroll(around) && getComputedStyle(around).overflowY !== 'visible') return around;
  return null;
};

/** Which way a word lies from the options that are drawn, in a list that is in order, from its first to its last or the other way round; 0 where none tells. */
const wayBy = (options: () => readonly Element[], label: string): (() => number) => {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return () => {
    const labels = options().map((option) => clean(plain(option).textContent ?? ''));
    const [first = '', last = ''] = [labels[0], labels.at(-1)];
    const order = compare(first, last);
    const isInOrder = labels.every((next, index) => index === 0 || compare(labels[index - 1] ?? '', next) * order >= 0);
    if (!isInOrder || compare(label, first) * compare(label, last) <= 0) return 0;
    return compare(first, label) * order > 0 ? 1 : -1;
  };
};

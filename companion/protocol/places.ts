/** The places of a session's items in a list that never moves anything: each item keeps its place when others are taken back. */
import type { SessionView, ViewItem } from './view.ts';

/** How many places an item takes: a tool call has one for the call and one for its result. */
const widthOf = ({ body }: ViewItem): number => (body.kind === 'tool' ? 2 : 1);

/** The first place of each item, in order, and the place that the next item will get. */
export const placesOf = ({ items, gone }: Pick<SessionView, 'items' | 'gone'>): { places: number[]; end: number } => {
  const places: number[] = [];
  let next = 0;
  let passed = 0;
  const skip = (): void => {
    for (let gap = gone[passed]; gap !== undefined && gap.from <= next; gap = gone[passed]) {
      next = Math.max(next, gap.to);
      passed += 1;
    }
  };
  for (const item of items) {
    skip();
    places.push(next);
    next += widthOf(item);
  }
  skip();
  return { places, end: next };
};

/** Takes items out of a view; what is left keeps its places. */
export const withoutItems = (view: SessionView, isGone: (item: ViewItem) => boolean): SessionView => {
  if (!view.items.some(isGone)) return view;
  const { places } = placesOf(view);
  const taken = view.items.flatMap((item, index) => {
    const from = places[index] ?? 0;
    return isGone(item) ? [{ from, to: from + widthOf(item) }] : [];
  });
  return { ...view, items: view.items.filter((item) => !isGone(item)), gone: merge([...view.gone, ...taken]) };
};

/** Neighbours become one, which keeps the list short. */
const merge = (gaps: readonly { from: number; to: number }[]): { from: number; to: number }[] => {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of gaps.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
};

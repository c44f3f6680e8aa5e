/** A long conversation in parts: the newest at first, and each earlier one when somebody scrolls to it. Pure. */
import type { ItemId } from './ids.ts';
import type { AnsweredRequest, SessionView, ViewItem, ViewTurn } from './view.ts';

/** A view that shows a part of its conversation. */
export interface Page extends SessionView {
  /** How many items stand before `first`. */
  readonly earlier: number;
  /** The item with which it begins: what comes before that is asked for by it. Null when it has none. */
  readonly first: ItemId | null;
  /** First line of the first prompt: what a session is called that has no name. */
  readonly opening: string;
}

/** A part begins earlier than asked for, where otherwise what a subagent did would stand without its subagent; but not by more than this. */
const MAX_SHIFT = 400;

/** The newest part. What still runs is in it, however long ago it began. */
export const newestPage = (view: SessionView, limit: number): Page => {
  const from = startOf(view.items, view.items.length - limit);
  const items = view.items.filter((item, index) => index >= from || item.status === 'running');
  return { ...view, ...restOf(view, view.items.slice(from), from, null), items };
};

/** The part before an item; empty when there is no such item or nothing before it. */
export const pageBefore = (view: SessionView, before: ItemId, limit: number): Page => {
  const end = Math.max(
    0,
    view.items.findIndex(({ itemId }) => itemId === before),
  );
  const from = startOf(view.items, end - limit);
  const items = view.items.slice(from, end);
  return { ...view, ...restOf(view, items, from, view.items[end] ?? null), items };
};

/** Whether the part that is asked for is the same, made from this end of a view, as made from the whole view. */
export const isWithin = (end: Pick<SessionView, 'items' | 'turns'>, before: ItemId | null, limit: number): boolean => {
  const to = before === null ? end.items.length : end.items.findIndex(({ itemId }) => itemId === before);
  const latest = to - limit;
  if (latest < 1) return false;
  const isSure = latest > MAX_SHIFT || end.items.slice(1, latest + 1).some(({ parentItemId }) => parentItemId === null);
  const hasTurn = (item: ViewItem | undefined): boolean => item === undefined || end.turns.some(({ turnId }) => turnId === item.turnId);
  return isSure && hasTurn(end.items[startOf(end.items, latest)]) && hasTurn(end.items[to]);
};

/** The view with an earlier part before it; what the view has already stays as it is there. */
export const withEarlier = (view: SessionView, { turns, items, answered }: Pick<Page, 'turns' | 'items' | 'answered'>): SessionView => ({
  ...view,
  turns: joined(turns, view.turns, ({ turnId }) => turnId),
  items: joined(items, view.items, ({ itemId }) => itemId),
  answered: joined(answered, view.answered, ({ requestId }) => requestId),
});

const joined = <T>(earlier: readonly T[], present: readonly T[], idOf: (value: T) => string): readonly T[] => {
  const known = new Map(present.map((value) => [idOf(value), value]));
  const moved = new Set(earlier.map(idOf));
  return [...earlier.map((value) => known.get(idOf(value)) ?? value), ...present.filter((value) => !moved.has(idOf(value)))];
};

const startOf = (items: readonly ViewItem[], wanted: number): number => {
  const latest = Math.max(0, wanted);
  const least = Math.max(0, latest - MAX_SHIFT);
  for (let index = latest; index >= least; index -= 1) if (items[index]?.parentItemId === null) return index;
  return latest;
};

type Rest = Pick<Page, 'turns' | 'answered' | 'earlier' | 'first' | 'opening'>;

/** What belongs to a run of items: their turns with those between them that have no items, and what was answered there. */
const restOf = (view: SessionView, items: readonly ViewItem[], from: number, next: ViewItem | null): Rest => {
  const [first = null] = items;
  return {
    turns: turnsOf(view, items, { first: from === 0 ? null : first, next }),
    answered: answeredOf(view.answered, items, from === 0),
    earlier: from,
    first: first?.itemId ?? null,
    opening: openingOf(view),
  };
};

/** First line of the first prompt. */
export const openingOf = ({ turns }: Pick<SessionView, 'turns'>): string => {
  const { text = '', displayText = text } = turns[0]?.prompt ?? {};
  return displayText.trim().split('\n', 1)[0] ?? '';
};

const turnsOf = (
  { turns, items: all }: SessionView,
  items: readonly ViewItem[],
  { first, next }: { readonly first: ViewItem | null; readonly next: ViewItem | null },
): readonly ViewTurn[] => {
  const placeOf = (item: ViewItem): number => turns.findIndex(({ turnId }) => turnId === item.turnId);
  const from = first === null ? 0 : placeOf(first);
  const to = next === null ? turns.length : placeOf(next);
  const shown = new Set(items.map(({ turnId }) => turnId));
  const known = new Set(all.map(({ turnId }) => turnId));
  return turns.filter(({ turnId }, index) => shown.has(turnId) || (index >= from && index < to && !known.has(turnId)));
};

const answeredOf = (answered: readonly AnsweredRequest[], items: readonly ViewItem[], isFirst: boolean): readonly AnsweredRequest[] => {
  const shown = new Set(items.map(({ itemId }) => itemId));
  return answered.filter(({ itemId, afterItemId }) => {
    const place = itemId ?? afterItemId;
    return place === null ? isFirst : shown.has(place);
  });
};

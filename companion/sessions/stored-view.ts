/**
 * A session's view beside its log, so that a long one opens without being folded again: its newest entries in one part, and what
 * stands before them in chapters, each of which is written once. Only what changed is written again.
 */
import * as z from 'zod';
import type { ViewTable } from '#companion/store/view-table.ts';
import { SessionDetail } from '#protocol/api.ts';
import type { ItemId, SessionId } from '#protocol/ids.ts';
import { isWithin, newestPage, openingOf, type Page, pageBefore } from '#protocol/pages.ts';
import type { SessionView, ViewTurn } from '#protocol/view.ts';

/** To be raised when `project` makes another view of the same events: what was stored before does not count then. */
export const FORM = '3';

/** How many items are in a chapter, and how many at least in the newest part. */
export const SIZES = { chapter: 250, newest: 250 };

const Chapter = SessionDetail.pick({ turns: true, items: true, answered: true }).extend({ prompts: z.array(z.string()) });
export type Chapter = z.infer<typeof Chapter>;

const Newest = z.object({
  view: SessionDetail.omit({ epoch: true }).extend({ gone: z.array(z.object({ from: z.number(), to: z.number() })) }),
  /** Ids of prompts that no chapter has. */
  prompts: z.array(z.string()),
  chapters: z.number(),
  /** How many items the chapters have. */
  earlier: z.number(),
  opening: z.string(),
});
type Newest = z.infer<typeof Newest>;

/** Where a chapter ends in the lists of the view. */
interface End {
  readonly items: number;
  readonly turns: number;
  readonly answered: number;
  readonly prompts: number;
}

const START: End = { items: 0, turns: 0, answered: 0, prompts: 0 };

/** What follows of a view's lists. */
export type ViewPart = Pick<SessionView, 'turns' | 'items' | 'answered'>;

export class StoredView {
  readonly #table: ViewTable;
  readonly #sessionId: SessionId;
  readonly #sizes: typeof SIZES;
  /** The view as it was stored last; what is the same object is not written again. */
  #stored: { readonly view: SessionView; readonly ends: readonly End[] } | null = null;

  constructor(table: ViewTable, sessionId: SessionId, sizes = SIZES) {
    this.#table = table;
    this.#sessionId = sessionId;
    this.#sizes = sizes;
  }

  /** The event up to which the view is stored; 0 when none is known. */
  get seq(): number {
    return this.#stored?.view.seq ?? 0;
  }

  /** The whole view with the ids of all prompts, as of the event after which it was stored; null when there is none up to `lastSeq`. */
  read(lastSeq: number): { view: SessionView; prompts: readonly string[] } | null {
    const newest = this.#newest();
    if (newest === null || newest.view.seq > lastSeq) return null;
    const chapters: Chapter[] = [];
    for (let part = 1; part <= newest.chapters; part += 1) {
      const chapter = this.#chapter(part);
      if (chapter === null) return null;
      chapters.push(chapter);
    }
    const view = joined(chapters, newest.view);
    this.#stored = { view, ends: endsOf(chapters) };
    return { view, prompts: [...chapters.flatMap(({ prompts }) => prompts), ...newest.prompts] };
  }

  /** The event of which a view is stored; 0 when there is none. */
  newestSeq(): number {
    return this.#table.newestSeq(this.#sessionId, FORM);
  }

  /** The end of the view as of `seq` that has at least a turn that is over and something that was said, if the view has; null as for a page. */
  glance(seq: number): { readonly view: SessionView; readonly earlier: number } | null {
    const newest = this.#newest();
    if (newest === null || newest.view.seq !== seq) return null;
    let { earlier } = newest;
    let view: SessionView = newest.view;
    const isEnough = (): boolean => view.turns.some((turn) => !isOpen(turn)) && view.items.some(({ body }) => body.kind === 'message');
    for (let part = newest.chapters; part > 0 && !isEnough(); part -= 1) {
      const chapter = this.#chapter(part);
      if (chapter === null) return null;
      earlier -= chapter.items.length;
      view = joined([chapter], view);
    }
    return { view, earlier };
  }

  /** A part of the conversation as of `seq`, read without the rest; null when what is stored is not of that event. */
  page(seq: number, before: ItemId | null, limit: number): Page | null {
    const newest = this.#newest();
    if (newest === null || newest.view.seq !== seq) return null;
    let { earlier } = newest;
    let view: SessionView = newest.view;
    for (let part = newest.chapters; part > 0 && !isWithin(view, before, limit); part -= 1) {
      const chapter = this.#chapter(part);
      if (chapter === null) return null;
      earlier -= chapter.items.length;
      view = joined([chapter], view);
    }
    const page = before === null ? newestPage(view, limit) : pageBefore(view, before, limit);
    return { ...page, earlier: page.earlier + earlier, opening: newest.opening };
  }

  /**
   * The view as of `seq`, whose lists are read a part at a time, from their beginnings; null when what is stored is not of that event.
   * Where a part cannot be read, or was stored anew meanwhile, null stands for it and all after it.
   */
  inParts(seq: number): { readonly newest: SessionView; parts(): Generator<ViewPart | null> } | null {
    const newest = this.#newest();
    return newest === null || newest.view.seq !== seq ? null : { newest: newest.view, parts: () => this.#parts(newest) };
  }

  *#parts({ view, chapters }: Newest): Generator<ViewPart | null> {
    for (let part = 1; part <= chapters; part += 1) {
      const chapter = this.#chapter(part, view.seq);
      yield chapter;
      if (chapter === null) return;
    }
    yield view;
  }

  /** Stores a view; `prompts` are the ids of all prompts so far, in their order. */
  save(view: SessionView, prompts: readonly string[]): void {
    if (this.#stored?.view === view) return;
    const cutAt = cutsOf(view);
    const kept = this.#unchanged(view, cutAt);
    const ends = [...kept, ...newEnds(view, cutAt, this.#sizes, { from: kept.at(-1) ?? START, prompts: prompts.length })];
    const parts = ends.map((end, index) => chapterOf(view, prompts, ends[index - 1] ?? START, end)).slice(kept.length);
    const last = ends.at(-1) ?? START;
    const { prompts: rest, ...lists } = chapterOf(view, prompts, last, { ...lengthsOf(view), prompts: prompts.length });
    const first = { view: { ...view, ...lists }, prompts: rest, chapters: ends.length, earlier: last.items, opening: openingOf(view) };
    this.#table.save(this.#sessionId, { seq: view.seq, form: FORM, first, from: kept.length + 1, parts });
    this.#stored = { view, ends };
  }

  /** What was read or stored need not be remembered any more. */
  forget(): void {
    this.#stored = null;
  }

  #newest(): Newest | null {
    const found = this.#table.read(this.#sessionId, 0, FORM);
    return found === null ? null : (Newest.safeParse(found.body).data ?? null);
  }

  #chapter(part: number, latest = Infinity): Chapter | null {
    const found = this.#table.read(this.#sessionId, part, FORM);
    return found === null || found.seq > latest ? null : (Chapter.safeParse(found.body).data ?? null);
  }

  /** The ends of the chapters that are stored as they are in the view. */
  #unchanged(view: SessionView, cutAt: (items: number) => Cut): End[] {
    if (this.#stored === null) return [];
    const { view: stored, ends } = this.#stored;
    const limit = {
      items: sameUntil(stored.items, view.items),
      turns: sameUntil(stored.turns, view.turns),
      answered: sameUntil(stored.answered, view.answered),
    };
    const isKept = ({ items, turns, answered }: End): boolean => {
      const cut = cutAt(items);
      const isSame = items <= limit.items && turns <= limit.turns && answered <= limit.answered;
      return isSame && turns >= cut.leastTurns && turns <= cut.turns && answered <= cut.answered;
    };
    const changed = ends.findIndex((end) => !isKept(end));
    return changed === -1 ? [...ends] : ends.slice(0, changed);
  }
}

/** Ends of further chapters: at a place which no turn that is over crosses, and before everything that is still open. */
const newEnds = (
  view: SessionView,
  cutAt: (items: number) => Cut,
  { chapter, newest }: typeof SIZES,
  { from, prompts }: { readonly from: End; readonly prompts: number },
): End[] => {
  const last = closedUntil(view, view.items.length - newest);
  const ends: End[] = [];
  for (let items = from.items + chapter; items <= last; items += 1) {
    const { leastTurns, turns, answered } = cutAt(items);
    if (leastTurns > turns) continue;
    ends.push({ items, turns, answered, prompts });
    items += chapter - 1;
  }
  return ends;
};

/** A whole view as chapters, and the view without them. */
export const cutIntoChapters = (
  view: SessionView,
  prompts: readonly string[],
  sizes: typeof SIZES,
): { readonly chapters: readonly Chapter[]; readonly rest: SessionView; readonly prompts: readonly string[] } => {
  const ends = newEnds(view, cutsOf(view), sizes, { from: START, prompts: prompts.length });
  const chapters = ends.map((end, index) => chapterOf(view, prompts, ends[index - 1] ?? START, end));
  const { prompts: left, ...lists } = chapterOf(view, prompts, ends.at(-1) ?? START, { ...lengthsOf(view), prompts: prompts.length });
  return { chapters, rest: { ...view, ...lists }, prompts: left };
};

/** How far from the beginning nothing can change any more but by being taken back. */
const closedUntil = ({ items, turns }: SessionView, limit: number): number => {
  const open = new Set(turns.filter(isOpen).map(({ turnId }) => turnId));
  const first = items.findIndex((item) => item.status === 'running' || open.has(item.turnId));
  return first === -1 ? limit : Math.min(limit, first);
};

const isOpen = ({ status }: ViewTurn): boolean => status === 'queued' || status === 'running' || status === 'cancelling';

/** What goes with so many items into chapters, so that a part can be read without what stands before it. */
interface Cut {
  /** The turns at most: later items, and what is open, need those from there on. */
  readonly turns: number;
  /** The turns at least: no earlier item may belong to a later turn than the first one after the cut. Where they are more, there is no cut. */
  readonly leastTurns: number;
  /** The answers at most: those at the places of later items come after the cut. */
  readonly answered: number;
}

const cutsOf = ({ items, turns, answered }: SessionView): ((items: number) => Cut) => {
  const turnPlaces = new Map(turns.map(({ turnId }, index) => [turnId, index]));
  const itemPlaces = new Map(items.map(({ itemId }, index) => [itemId, index]));
  const highest: number[] = [-1];
  for (const { turnId } of items) highest.push(Math.max(highest.at(-1) ?? -1, turnPlaces.get(turnId) ?? -1));
  const firstOpen = turns.findIndex(isOpen);
  const lowest: number[] = Array.from({ length: items.length + 1 });
  lowest[items.length] = firstOpen === -1 ? turns.length : firstOpen;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const turnId = items[index]?.turnId;
    const place = turnId === undefined ? undefined : turnPlaces.get(turnId);
    lowest[index] = Math.min(lowest[index + 1] ?? 0, place ?? Infinity);
  }
  const firstAnswer: number[] = Array.from({ length: items.length + 1 });
  firstAnswer.fill(answered.length);
  for (const [index, { itemId, afterItemId }] of answered.entries()) {
    const id = itemId ?? afterItemId;
    const place = id === null ? undefined : itemPlaces.get(id);
    if (place !== undefined) firstAnswer[place] = Math.min(firstAnswer[place] ?? index, index);
  }
  for (let index = items.length - 1; index >= 0; index -= 1) {
    firstAnswer[index] = Math.min(firstAnswer[index] ?? 0, firstAnswer[index + 1] ?? 0);
  }
  return (count) => ({ turns: lowest[count] ?? 0, leastTurns: highest[count] ?? 0, answered: firstAnswer[count] ?? 0 });
};

const chapterOf = (view: SessionView, prompts: readonly string[], from: End, to: End): Chapter => ({
  turns: view.turns.slice(from.turns, to.turns),
  items: view.items.slice(from.items, to.items),
  answered: view.answered.slice(from.answered, to.answered),
  prompts: prompts.slice(from.prompts, to.prompts),
});

const lengthsOf = ({ items, turns, answered }: SessionView): Omit<End, 'prompts'> => ({
  items: items.length,
  turns: turns.length,
  answered: answered.length,
});

const joined = (chapters: readonly Chapter[], view: SessionView): SessionView => ({
  ...view,
  turns: [...chapters.flatMap(({ turns }) => turns), ...view.turns],
  items: [...chapters.flatMap(({ items }) => items), ...view.items],
  answered: [...chapters.flatMap(({ answered }) => answered), ...view.answered],
});

const endsOf = (chapters: readonly Chapter[]): End[] => {
  let end = START;
  return chapters.map(({ items, turns, answered, prompts }) => {
    end = {
      items: end.items + items.length,
      turns: end.turns + turns.length,
      answered: end.answered + answered.length,
      prompts: end.prompts + prompts.length,
    };
    return end;
  });
};

const sameUntil = (before: readonly unknown[], now: readonly unknown[]): number => {
  const index = before.findIndex((value, at) => value !== now[at]);
  return index === -1 ? before.length : index;
};

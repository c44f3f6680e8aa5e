/**
 * Folds a long log into the parts of its stored view and never holds all of it: what cannot change any more is written as soon as it is a
 * chapter. Events about what has been written are hardly ever met; a log with one is folded whole instead.
 */
import type { ViewTable } from '#companion/store/view-table.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { Fold } from '#protocol/fold.ts';
import type { ItemId, SessionId, TurnId } from '#protocol/ids.ts';
import { openingOf } from '#protocol/pages.ts';
import { emptyView } from '#protocol/view.ts';
import { type Chapter, cutIntoChapters, FORM, SIZES } from './stored-view.ts';
import { promptIn } from './prompt-ids.ts';

/** After so many new items it is looked for chapters. */
const ITEMS_AT_A_TIME = 2000;

export class StoredFold {
  readonly #table: ViewTable;
  readonly #sessionId: SessionId;
  readonly #sizes: typeof SIZES;
  readonly #itemsAtATime: number;
  /** Without what is written. */
  #fold: Fold;
  /** Ids of prompts that no chapter has. */
  #prompts = new Set<string>();
  #seq = 0;
  #newItems = 0;
  #opening = '';
  /** What the chapters have. */
  readonly #written = { chapters: 0, items: 0, turns: 0 };
  readonly #turnIds = new Set<TurnId>();
  readonly #itemIds = new Set<ItemId>();

  /** What was stored of the session before is forgotten. */
  constructor(table: ViewTable, sessionId: SessionId, { sizes = SIZES, itemsAtATime = ITEMS_AT_A_TIME } = {}) {
    this.#table = table;
    this.#sessionId = sessionId;
    this.#sizes = sizes;
    this.#itemsAtATime = itemsAtATime;
    this.#fold = new Fold(emptyView(sessionId));
    table.clear(sessionId);
  }

  /** False when the event is about something that is written: nothing more can be taken then. */
  take(event: SessionEvent): boolean {
    if (this.#written.chapters > 0 && this.#isAboutWritten(event)) return false;
    this.#fold.take(event);
    this.#seq = event.seq;
    const prompt = promptIn(event, this.#fold.kind);
    if (prompt !== null) this.#prompts.add(prompt);
    if (event.type === 'session.forked') this.#countWrittenTurns();
    if (event.type === 'item.started' && this.#fold.kind === 'agent') {
      this.#newItems += 1;
      if (this.#newItems >= this.#itemsAtATime) this.#write(false);
    }
    return true;
  }

  /** Stores what is left; the stored view is as of the last event then. */
  finish(): void {
    this.#write(true);
  }

  #write(isLast: boolean): void {
    this.#newItems = 0;
    const view = this.#fold.view();
    const { chapters, rest, prompts } = cutIntoChapters(view, [...this.#prompts], this.#sizes);
    if (this.#written.chapters === 0) this.#opening = openingOf(view);
    const from = this.#written.chapters + 1;
    for (const chapter of chapters) this.#note(chapter);
    const { chapters: count, items: earlier } = this.#written;
    const first = { view: rest, prompts, chapters: count, earlier, opening: this.#opening };
    if (isLast || chapters.length > 0) {
      const seq = this.#seq;
      this.#table.save(this.#sessionId, { seq, form: FORM, first: isLast ? first : null, from, parts: chapters });
    }
    this.#fold = new Fold(rest);
    this.#prompts = new Set(prompts);
  }

  #note({ items, turns }: Chapter): void {
    this.#written.chapters += 1;
    this.#written.items += items.length;
    this.#written.turns += turns.length;
    for (const { itemId } of items) this.#itemIds.add(itemId);
    for (const { turnId } of turns) this.#turnIds.add(turnId);
  }

  /** A fork says how many turns came from elsewhere, which are all that there are then. */
  #countWrittenTurns(): void {
    const view = this.#fold.view();
    const { forkedFrom } = view;
    if (forkedFrom === null) return;
    this.#fold = new Fold({ ...view, forkedFrom: { ...forkedFrom, turns: forkedFrom.turns + this.#written.turns } });
  }

  #isAboutWritten(event: SessionEvent): boolean {
    switch (event.type) {
      case 'session.created':
      case 'session.reset':
      case 'item.dropped':
        return true;
      case 'turn.queued':
      case 'turn.started':
      case 'turn.unqueued':
      case 'turn.cancelling':
      case 'turn.completed':
        return this.#turnIds.has(event.turnId);
      case 'item.started':
        return this.#turnIds.has(event.turnId) || this.#itemIds.has(event.itemId);
      case 'item.delta':
      case 'item.updated':
      case 'item.completed':
        return this.#itemIds.has(event.itemId);
      case 'session.updated':
      case 'session.seen':
      case 'session.worktree':
      case 'session.bound':
      case 'session.forked':
      case 'request.opened':
      case 'request.placed':
      case 'request.resolved':
      case 'usage.updated':
      case 'run.changed':
        return false;
    }
  }
}

/** Folds a whole log: the same view that `project` makes event by event, in the time it takes to read the events. */
import type { SessionEvent } from './events.ts';
import { project, type SessionView, type ViewItem, type ViewTurn } from './view.ts';
import type { TurnId } from './ids.ts';

/** So much is folded before what cannot change any more is put aside. */
const SEGMENT = 64;

/**
 * `project` makes a new list for each event, which for a long session costs far more than the events. Turns that are over
 * and their items hardly ever change again: they are put aside, and only come back for an event that is about them.
 */
export class Fold {
  /** The view without what was put aside. */
  #recent: SessionView;
  #turns: ViewTurn[] = [];
  #items: ViewItem[] = [];
  readonly #turnIds = new Set<TurnId>();

  /** From an empty view on, or from one that was folded before. */
  constructor(from: SessionView) {
    this.#recent = from;
  }

  get kind(): SessionView['kind'] {
    return this.#recent.kind;
  }

  take(event: SessionEvent): void {
    if (this.#items.length + this.#turns.length > 0 && !this.#isAboutRecent(event)) this.#recall();
    this.#recent = project(this.#recent, event);
    if (this.#recent.items.length + this.#recent.turns.length >= SEGMENT && isSettled(this.#recent)) this.#putAside();
  }

  view(): SessionView {
    this.#recall();
    return this.#recent;
  }

  #isAboutRecent(event: SessionEvent): boolean {
    const { turns, items } = this.#recent;
    switch (event.type) {
      case 'session.created':
      case 'session.forked':
      case 'session.reset':
      case 'item.dropped':
        return false;
      case 'turn.queued':
      case 'turn.started':
        return !this.#turnIds.has(event.turnId);
      case 'turn.unqueued':
      case 'turn.cancelling':
      case 'turn.completed':
        return turns.some(({ turnId }) => turnId === event.turnId);
      case 'item.delta':
      case 'item.updated':
      case 'item.completed':
      case 'request.placed':
        return items.some(({ itemId }) => itemId === event.itemId);
      case 'request.opened':
        // It notes the newest item.
        return items.length > 0;
      case 'session.updated':
      case 'session.seen':
      case 'session.worktree':
      case 'session.bound':
      case 'item.started':
      case 'request.resolved':
      case 'usage.updated':
      case 'run.changed':
        return true;
    }
  }

  #putAside(): void {
    const { turns, items } = this.#recent;
    for (const turn of turns) {
      this.#turns.push(turn);
      this.#turnIds.add(turn.turnId);
    }
    for (const item of items) this.#items.push(item);
    this.#recent = { ...this.#recent, turns: [], items: [] };
  }

  #recall(): void {
    // What nothing has changed stays the same object, by which it is known that it need not be stored again.
    if (this.#items.length + this.#turns.length === 0) return;
    const { turns, items } = this.#recent;
    this.#recent = { ...this.#recent, turns: [...this.#turns, ...turns], items: [...this.#items, ...items] };
    this.#turns = [];
    this.#items = [];
    this.#turnIds.clear();
  }
}

/** Whether nothing is open. The session of an outside client is short already, and keeps its newest entries by their number. */
const isSettled = ({ kind, status, turns, items }: SessionView): boolean =>
  kind === 'agent' &&
  status === 'idle' &&
  turns.every((turn) => turn.status !== 'queued') &&
  items.every((item) => item.status !== 'running');

/** Tells those who watch the list of sessions that it has changed, at a pace a screen can follow. */
import type { SessionSummary } from '#protocol/api.ts';

const PACE_MS = 50;

type Listener = (sessions: SessionSummary[]) => void;

export class ListFeed {
  readonly #list: () => SessionSummary[];
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | null = null;

  /** A feed of what `list` returns. */
  constructor(list: () => SessionSummary[]) {
    this.#list = list;
  }

  changed(): void {
    if (this.#listeners.size > 0) this.#timer ??= setTimeout(() => this.#publish(), PACE_MS);
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#listeners.clear();
  }

  #publish(): void {
    this.#timer = null;
    if (this.#listeners.size === 0) return;
    const sessions = this.#list();
    for (const listener of this.#listeners) listener(sessions);
  }
}

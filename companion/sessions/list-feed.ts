/** Tells who watches the list of sessions that it has changed, at a pace a screen can follow. */
import type { SessionSummary } from '#protocol/api.ts';

const PACE_MS = 50;

export interface ListFeed {
  changed(): void;
  subscribe(listener: (sessions: SessionSummary[]) => void): () => void;
  close(): void;
}

/** A feed of what `list` returns. */
export const createListFeed = (list: () => SessionSummary[]): ListFeed => {
  const listeners = new Set<(sessions: SessionSummary[]) => void>();
  let timer: NodeJS.Timeout | null = null;
  const publish = (): void => {
    timer = null;
    if (listeners.size === 0) return;
    const sessions = list();
    for (const listener of listeners) listener(sessions);
  };
  return {
    changed: () => {
      if (listeners.size > 0) timer ??= setTimeout(publish, PACE_MS);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      listeners.clear();
    },
  };
};

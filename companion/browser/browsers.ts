/** Which browsers are connected, which was used last, and who waits for one. */
import { CompanionError } from '#protocol/errors.ts';
import type { BrowserId } from '#protocol/ids.ts';
import type { Connection } from './connection.ts';

export interface Browsers {
  /** The connection this one replaces, when the browser was connected already. */
  add(connection: Connection): Connection | null;
  /** False when it had been replaced before. */
  remove(connection: Connection): boolean;
  touch(connection: Connection): void;
  find(browserId: BrowserId): Connection | null;
  /** The most recently used first. */
  list(): Connection[];
  /** The first connection that `choose` accepts, now or within `limitMs`; null when none came. Rejects when aborted. */
  wait(choose: () => Connection | null, limitMs: number, signal: AbortSignal): Promise<Connection | null>;
}

export const createBrowsers = (): Browsers => {
  // A Map keeps insertion order: the last entry is the browser used last.
  const connected = new Map<BrowserId, Connection>();
  const waiters = new Set<() => void>();

  const touch = (connection: Connection): void => {
    if (connected.get(connection.info.browserId) !== connection) return;
    connected.delete(connection.info.browserId);
    connected.set(connection.info.browserId, connection);
  };

  return {
    add: (connection) => {
      const replaced = connected.get(connection.info.browserId) ?? null;
      connected.delete(connection.info.browserId);
      connected.set(connection.info.browserId, connection);
      for (const wake of waiters) wake();
      return replaced;
    },
    remove: (connection) => {
      if (connected.get(connection.info.browserId) !== connection) return false;
      return connected.delete(connection.info.browserId);
    },
    touch,
    find: (browserId) => connected.get(browserId) ?? null,
    list: () => [...connected.values()].reverse(),
    wait: (choose, limitMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new CompanionError('CALL_CANCELLED'));
        const stop = (): void => {
          clearTimeout(timer);
          waiters.delete(wake);
          signal.removeEventListener('abort', abort);
        };
        const wake = (): void => {
          const found = choose();
          if (found === null) return;
          stop();
          resolve(found);
        };
        const abort = (): void => {
          stop();
          reject(new CompanionError('CALL_CANCELLED'));
        };
        const timer = setTimeout(() => {
          stop();
          resolve(null);
        }, limitMs);
        waiters.add(wake);
        signal.addEventListener('abort', abort);
        wake();
      }),
  };
};

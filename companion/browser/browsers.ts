/** Which browsers are connected, which was used last, and what waits for one. */
import { CompanionError } from '#protocol/errors.ts';
import type { BrowserId } from '#protocol/ids.ts';
import type { Peer } from './connection.ts';

export class Browsers {
  /** A Map keeps the order of insertion, so its last entry is the browser that was used last. */
  readonly #connected = new Map<BrowserId, Peer>();
  readonly #seen = new Set<BrowserId>();
  readonly #waiters = new Set<() => void>();

  /** Adds a connection; returns the one it replaces, when the browser was connected already. */
  add(peer: Peer): Peer | null {
    const replaced = this.#connected.get(peer.info.browserId) ?? null;
    this.#moveToEnd(peer);
    this.#seen.add(peer.info.browserId);
    this.wake();
    return replaced;
  }

  /** A browser brings tools: what waits for one looks again. */
  wake(): void {
    for (const wake of this.#waiters) wake();
  }

  /** Removes a connection; returns false when it had been replaced before. */
  remove(peer: Peer): boolean {
    return this.#connected.get(peer.info.browserId) === peer && this.#connected.delete(peer.info.browserId);
  }

  /** The person has turned to this browser. */
  touch(peer: Peer): void {
    if (this.#connected.get(peer.info.browserId) === peer) this.#moveToEnd(peer);
  }

  /** The browser for a call. One that has taken its tools back is as if it were not there. */
  find(browserId: BrowserId): Peer | null {
    const peer = this.#connected.get(browserId);
    return peer === undefined || peer.hasWithdrawn ? null : peer;
  }

  /** Whether it was ever connected since the daemon began. */
  hasSeen(browserId: BrowserId): boolean {
    return this.#seen.has(browserId);
  }

  /** Those that take calls, the most recently used first. */
  list(): Peer[] {
    return this.connected().filter(({ hasWithdrawn }) => !hasWithdrawn);
  }

  /** Also those that take no calls now. */
  connected(): Peer[] {
    return [...this.#connected.values()].reverse();
  }

  /** The first browser that `choose` accepts, now or within `limitMs`; null when none came. Rejects when aborted. */
  wait(choose: () => Peer | null, limitMs: number, signal: AbortSignal): Promise<Peer | null> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new CompanionError('CALL_CANCELLED'));
      const stop = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(wake);
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
      this.#waiters.add(wake);
      signal.addEventListener('abort', abort);
      wake();
    });
  }

  #moveToEnd(peer: Peer): void {
    this.#connected.delete(peer.info.browserId);
    this.#connected.set(peer.info.browserId, peer);
  }
}

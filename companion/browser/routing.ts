/** Which browser a session works in: the one it named, the one it used before, or the one used last. */
import { CompanionError } from '#protocol/errors.ts';
import type { BrowserId, SessionId } from '#protocol/ids.ts';
import type { Browsers } from './browsers.ts';
import type { Peer } from './connection.ts';

const PROGRESS_EVERY_MS = 1_000;

/** How far a call has come, for a client that would otherwise give up. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a call carries on its way to a browser. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export class Routing {
  readonly #browsers: Browsers;
  readonly #waitMs: number;
  /** The label is kept for the time when the browser has gone. */
  readonly #bindings = new Map<SessionId, { browserId: BrowserId; label: string }>();

  constructor(browsers: Browsers, waitMs: number) {
    this.#browsers = browsers;
    this.#waitMs = waitMs;
  }

  /** The browser for a call, waiting for one if need be; the session stays with it. */
  async route(sessionId: SessionId, wanted: BrowserId | undefined, { signal, onProgress }: CallOptions): Promise<Peer> {
    const choose = (): Peer | null => {
      const browserId = wanted ?? this.#bindings.get(sessionId)?.browserId;
      return browserId === undefined ? (this.#browsers.list()[0] ?? null) : this.#browsers.find(browserId);
    };
    const wait = (): Promise<Peer | null> => this.#browsers.wait(choose, this.#waitMs, signal);
    const found = choose() ?? (await withProgress(this.#waitMs, onProgress, wait));
    if (found === null) throw this.#notThere(sessionId, wanted);
    this.#bindings.set(sessionId, { browserId: found.info.browserId, label: found.info.label });
    return found;
  }

  forget(sessionId: SessionId): void {
    this.#bindings.delete(sessionId);
  }

  #notThere(sessionId: SessionId, wanted: BrowserId | undefined): CompanionError {
    const connected = this.#browsers.list().map(({ info }) => `"${info.label}" (${info.browserId})`);
    if (wanted !== undefined && connected.length > 0) return new CompanionError('BROWSER_UNKNOWN', `Connected: ${connected.join(', ')}.`);
    const bound = this.#bindings.get(sessionId);
    if (bound === undefined || connected.length === 0) return new CompanionError('BROWSER_NOT_CONNECTED');
    // Said once and not done silently: the next call may go elsewhere.
    this.#bindings.delete(sessionId);
    return new CompanionError('BROWSER_NOT_CONNECTED', `"${bound.label}", where this session worked, is closed.`, {
      remedy: `Open it again, or repeat the call to work in ${connected[0]} from now on.`,
    });
  }
}

/** A client that hears nothing gives up; so it hears each second that we wait. */
const withProgress = async <T>(waitMs: number, onProgress: CallOptions['onProgress'], wait: () => Promise<T>): Promise<T> => {
  const startedAt = Date.now();
  const report = (): void =>
    onProgress?.({
      progress: Math.round((Date.now() - startedAt) / 1000),
      total: Math.round(waitMs / 1000),
      message: 'Waiting for a browser with the Pilotfish extension.',
    });
  report();
  const timer = setInterval(report, PROGRESS_EVERY_MS);
  try {
    return await wait();
  } finally {
    clearInterval(timer);
  }
};

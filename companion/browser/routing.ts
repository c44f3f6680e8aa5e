/** Which browser a session works in: the one it named, the one it used before, the one that the person chose for new sessions, or the one used last. */
import { CompanionError } from '#protocol/errors.ts';
import { type BrowserId, SessionId } from '#protocol/ids.ts';
import { explain } from '#protocol/faults.ts';
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

/** What is known of a session's browsers. */
interface Binding {
  /** The browser for calls that name none. Its label is kept for the time after it has gone. */
  current: { readonly browserId: BrowserId; readonly label: string };
  /** The browsers where the session may work: the one it began in, and those that the person allowed. */
  readonly allowed: Set<BrowserId>;
  /** Whether it was told that its browser has gone. */
  isTold: boolean;
}

/** The browsers of sessions as they are kept between two daemons, by session id. */
export type SessionBrowsers = Readonly<
  Record<string, { readonly current: { readonly browserId: BrowserId; readonly label: string }; readonly allowed: BrowserId[] }>
>;

export class Routing {
  readonly #browsers: Browsers;
  readonly #waitMs: number;
  readonly #bindings: Map<SessionId, Binding>;
  readonly #usual: () => BrowserId | null;
  readonly #whyNone: () => CompanionError | null;

  /** `usual` is the browser that the person wants for new sessions; `whyNone` knows of browsers that were refused. */
  constructor(
    browsers: Browsers,
    waitMs: number,
    bindings: SessionBrowsers,
    usual: () => BrowserId | null,
    whyNone: () => CompanionError | null,
  ) {
    this.#browsers = browsers;
    this.#whyNone = whyNone;
    this.#waitMs = waitMs;
    this.#usual = usual;
    this.#bindings = new Map(
      Object.entries(bindings).map(([id, { current, allowed }]) => [
        SessionId.parse(id),
        { current, allowed: new Set(allowed), isTold: false },
      ]),
    );
  }

  /** Of the sessions whose browser is connected. */
  bindings(): SessionBrowsers {
    return Object.fromEntries(
      [...this.#bindings]
        .filter(([, { current }]) => this.#browsers.find(current.browserId) !== null)
        .map(([id, { current, allowed }]) => [id, { current, allowed: [...allowed] }]),
    );
  }

  /** The browser that a call would go to instead of its session's own; null when it stays, or there is none yet. */
  foreign(sessionId: SessionId, wanted: BrowserId | undefined): Peer | null {
    const found = this.#choose(sessionId, wanted);
    if (found === null) return null;
    const binding = this.#bindings.get(sessionId);
    const isOwn = binding === undefined ? found === this.#first() : binding.allowed.has(found.info.browserId);
    return isOwn ? null : found;
  }

  /** The browser that a call would go to now, if it is connected. */
  find(sessionId: SessionId, wanted: BrowserId | undefined): Peer | null {
    return this.#choose(sessionId, wanted);
  }

  /** The person lets the session work there. */
  allow(sessionId: SessionId, { browserId, label }: { browserId: BrowserId; label: string }): void {
    const binding = this.#bindings.get(sessionId);
    if (binding === undefined)
      this.#bindings.set(sessionId, { current: { browserId, label }, allowed: new Set([browserId]), isTold: false });
    else binding.allowed.add(browserId);
  }

  /** The browser for a call, waiting for one if need be; the session stays with it when it may work there. */
  async route(sessionId: SessionId, wanted: BrowserId | undefined, { signal, onProgress }: CallOptions): Promise<Peer> {
    const choose = (): Peer | null => this.#choose(sessionId, wanted);
    const wait = (): Promise<Peer | null> => this.#browsers.wait(choose, this.#waitMs, signal);
    const found = choose() ?? (this.#neverCame(sessionId, wanted) ? null : await withProgress(this.#waitMs, onProgress, wait));
    if (found === null) throw this.#notThere(sessionId, wanted);
    const { browserId, label } = found.info;
    const binding = this.#bindings.get(sessionId);
    // A permission for one call is used up by it.
    if (binding === undefined && found === this.#first()) this.allow(sessionId, found.info);
    else if (binding?.allowed.has(browserId) === true)
      this.#bindings.set(sessionId, { ...binding, current: { browserId, label }, isTold: false });
    return found;
  }

  forget(sessionId: SessionId): void {
    this.#bindings.delete(sessionId);
  }

  /** A browser that is named by no id of one is not waited for, unless all are still to come. */
  #neverCame(sessionId: SessionId, wanted: BrowserId | undefined): boolean {
    if (wanted === undefined || this.#browsers.list().length === 0) return false;
    return !this.#browsers.hasSeen(wanted) && this.#bindings.get(sessionId)?.allowed.has(wanted) !== true;
  }

  #choose(sessionId: SessionId, wanted: BrowserId | undefined): Peer | null {
    const binding = this.#bindings.get(sessionId);
    const browserId = wanted ?? binding?.current.browserId;
    const named = browserId === undefined ? null : this.#browsers.find(browserId);
    if (named !== null || (browserId !== undefined && (wanted !== undefined || binding?.isTold !== true))) return named;
    return this.#first();
  }

  /** Where a session begins. */
  #first(): Peer | null {
    const usual = this.#usual();
    return (usual === null ? null : this.#browsers.find(usual)) ?? this.#browsers.list()[0] ?? null;
  }

  #notThere(sessionId: SessionId, wanted: BrowserId | undefined): CompanionError {
    const connected = this.#browsers.list().map(({ info }) => `"${info.label}" (${info.browserId})`);
    if (wanted !== undefined && connected.length > 0)
      return new CompanionError('BROWSER_UNKNOWN', explain('connected_browsers', { browsers: connected.join(', ') }));
    const refused = connected.length === 0 ? this.#whyNone() : null;
    if (refused !== null) return refused;
    const binding = this.#bindings.get(sessionId);
    if (binding === undefined) return new CompanionError('BROWSER_NOT_CONNECTED');
    if (connected.length === 0) {
      return new CompanionError('BROWSER_NOT_CONNECTED', explain('browser_left', { name: binding.current.label }), {
        remedy: explain('open_browser_again'),
      });
    }
    // The session is told once, so that it does not change browsers unnoticed: its next call may go to another, when the person allows it.
    binding.isTold = true;
    return new CompanionError('BROWSER_NOT_CONNECTED', explain('browser_closed', { name: binding.current.label }), {
      remedy: explain('open_or_repeat', { browser: connected[0] ?? '' }),
    });
  }
}

/** A client that hears nothing gives up, so it hears each second that the call waits. */
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

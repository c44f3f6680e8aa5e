/** The panel without its views: connection, streams, state and actions. */
import * as z from 'zod';
import { attentionOf, withSeen } from '#display/attention.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import { warningText } from '#protocol/warnings.ts';
import type { PageCapture } from '#extension/shared/capture.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import type { ConnectionWatch } from '#extension/shared/connection.ts';
import { type ActionsOptions, PanelActions } from './actions.ts';
import { DaemonSync } from './daemon-sync.ts';
import { Drafts } from './drafts.ts';
import { LogSync } from './log-sync.ts';
import { keepOutbox, Outbox, reviveOutbox } from './outbox.ts';
import { Choice, Dismissed, initialState, Store, type PanelState } from './state.ts';
import type { Storage } from './storage.ts';
import { bytesOf, callerOf, type Call, type Endpoint } from '#extension/shared/wire.ts';

/** What the panel needs of the worker's connection. */
type Watch = Pick<ConnectionWatch, 'retry' | 'wake' | 'close'>;

export interface PanelEnvironment {
  readonly watch: (onState: (state: ConnectionState) => void) => Watch;
  readonly page: PageCapture;
  readonly local: Storage;
  /** Runs a callback before the next paint. */
  readonly nextFrame: (run: () => void) => void;
  readonly rights: ActionsOptions['rights'];
}

const Seen = z.record(z.string(), z.number());

/** The panel while it is open. */
export class Panel {
  readonly store: Store;
  readonly local: Storage;
  readonly actions: PanelActions;
  readonly #page: PageCapture;
  readonly #call: Call;
  readonly #connection: Watch;
  readonly #daemon: DaemonSync;
  readonly #log: LogSync;
  readonly #drafts: Drafts;
  /** End what is kept of the state. */
  readonly #watches: readonly (() => void)[];
  #endpoint: Endpoint | null = null;
  /** Whether nothing was ever looked at in this profile; what ended before it was opened is nothing to catch up with here. */
  #isNewProfile: boolean;

  /** Starts everything; the state begins as the last time the panel was open. */
  static async open(environment: PanelEnvironment): Promise<Panel> {
    const { local } = environment;
    const [choice, last, seen, outbox, dismissed] = await Promise.all([
      local.load('choice', Choice),
      local.load('session', SessionId),
      local.load('seen', Seen),
      local.load('outbox', Outbox),
      local.load('dismissed', Dismissed),
    ]);
    const start = { ...initialState, seen: seen ?? {}, outbox: reviveOutbox(outbox ?? []), dismissed: dismissed ?? [] };
    return new Panel(environment, new Store(choice === null ? start : { ...start, choice }), { last, isNewProfile: seen === null });
  }

  private constructor(
    { watch, page, local, nextFrame, rights }: PanelEnvironment,
    store: Store,
    { last, isNewProfile }: { readonly last: SessionId | null; readonly isNewProfile: boolean },
  ) {
    this.store = store;
    this.#isNewProfile = isNewProfile;
    this.local = local;
    this.#page = page;
    const call = (this.#call = callerOf(() => this.#endpoint));
    const onUnauthorized = (): void => this.#connection.retry();
    this.#drafts = new Drafts(store, local);
    this.#log = new LogSync({ store, call, nextFrame, onUnauthorized });
    this.#daemon = new DaemonSync({ store, call, onUnauthorized, onReady: () => this.#reopen(last) });
    this.actions = new PanelActions({
      store,
      call,
      readBytes: bytesOf(() => this.#endpoint),
      local,
      page,
      drafts: this.#drafts,
      rights,
      open: (sessionId) => this.#show(sessionId),
      log: this.#log,
      retry: () => this.#retry(),
      wake: () => this.#connection.wake(),
      newId: () => crypto.randomUUID(),
      now: Date.now,
    });
    this.#watches = [
      store.watch('outbox', (outbox, before) => local.change('outbox', Outbox, (kept) => keepOutbox(kept ?? [], before, outbox))),
      store.watch('warnings', (warnings, before) => {
        const now = warnings.map(warningText);
        this.#showAgain(before.map(warningText).filter((text) => !now.includes(text)));
      }),
      store.watch('sessions', (sessions, before) => (sessions === null ? undefined : this.#followSessions(sessions, before))),
    ];
    this.#connection = watch((state) => this.#follow(state));
    void this.#drafts.show(null);
  }

  close(): void {
    for (const stop of this.#watches) stop();
    this.#connection.close();
    this.#daemon.close();
    this.#log.close();
  }

  #follow(state: ConnectionState): void {
    this.store.set({ connection: state });
    if (state.state === 'newcomer') this.#endpoint = { port: state.port, base: state.base, token: state.token };
    // A broken link says nothing about the daemon, so the streams go on until there is a new address or token.
    if (state.state !== 'connected') return;
    if (this.#endpoint?.port !== state.port || this.#endpoint.base !== state.base || this.#endpoint.token !== state.token)
      this.#connect({ port: state.port, base: state.base, token: state.token });
  }

  #connect(endpoint: Endpoint): void {
    this.#endpoint = endpoint;
    this.#daemon.connect(endpoint);
    this.#log.connect(endpoint);
  }

  #retry(): void {
    this.#connection.retry();
    if (this.#endpoint !== null) this.#connect(this.#endpoint);
  }

  /** Shows the session that was on the screen when the panel was closed, at once: who writes meanwhile would write into another. */
  #reopen(last: SessionId | null): void {
    const { sessionId, sessions } = this.store.state;
    if (last !== null && sessionId === null && sessions?.some(({ id }) => id === last)) this.#show(last);
  }

  #show(sessionId: SessionId | null): void {
    this.#log.open(sessionId);
    void this.#drafts.show(sessionId);
    if (sessionId !== null) this.#tellSeen(sessionId);
  }

  #followSessions(sessions: readonly SessionSummary[], before: PanelState['sessions']): void {
    const { sessionId, seen } = this.store.state;
    this.#letGo(sessions, before);
    // What the daemon knows somebody has looked at is told by the daemon alone.
    if (this.#isNewProfile)
      this.#see(
        withSeen(
          seen,
          sessions.filter(({ seenAt }) => seenAt === undefined),
        ),
      );
    // A change in a session on screen counts as seen.
    else if (sessionId !== null) this.#see({ ...seen, [sessionId]: Date.now() });
    if (sessionId !== null) this.#tellSeen(sessionId);
  }

  /** A warning that is over is news when it comes back. */
  #showAgain(over: readonly string[]): void {
    const { dismissed } = this.store.state;
    if (!dismissed.some((text) => over.includes(text))) return;
    const withoutOver = (texts: readonly string[]): string[] => texts.filter((text) => !over.includes(text));
    this.store.set({ dismissed: withoutOver(dismissed) });
    this.local.change('dismissed', Dismissed, (kept) => withoutOver(kept ?? []));
  }

  /** Pictures of what agents did go with their session, wherever it was deleted, and whether the panel was open then or not. */
  #letGo(sessions: readonly SessionSummary[], before: PanelState['sessions']): void {
    const known = new Set<string>(sessions.map(({ id }) => id));
    if (before?.every(({ id }) => known.has(id)) === true) return;
    this.#page.keepPicturesOf(known).catch((error: unknown) => console.warn('pictures of sessions that are gone were not removed', error));
  }

  /** Says to every other surface that this session was looked at. Where that fails, it is only no news here. */
  #tellSeen(sessionId: SessionId): void {
    const session = this.store.state.sessions?.find(({ id }) => id === sessionId);
    if (session === undefined || !['finished', 'failed'].includes(attentionOf(session, {}))) return;
    this.#call(routes.seeSession, { params: { sessionId } }).catch((error: unknown) =>
      console.warn('not told that a session was seen', error),
    );
  }

  #see(seen: PanelState['seen']): void {
    this.#isNewProfile = false;
    this.store.set({ seen });
    this.local.save('seen', seen);
  }
}

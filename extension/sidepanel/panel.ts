/** The panel without its looks: connection, streams, state and actions put together. */
import * as z from 'zod';
import { SessionId } from '#protocol/ids.ts';
import type { PageCapture } from '#extension/shared/capture.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import type { ConnectionWatch } from '#extension/shared/connection.ts';
import { createActions, type Actions } from './actions.ts';
import { createApi } from './api.ts';
import { DaemonSync } from './daemon-sync.ts';
import { LogSync } from './log-sync.ts';
import { reviveOutbox, Unsent } from './outbox.ts';
import { Choice, createStore, type Store } from './state.ts';
import type { Storage } from './storage.ts';
import type { Endpoint } from './wire.ts';

export interface PanelEnvironment {
  readonly watch: (onState: (state: ConnectionState) => void) => ConnectionWatch;
  readonly page: PageCapture;
  readonly local: Storage;
  readonly session: Storage;
  /** Runs a callback before the next paint. */
  readonly nextFrame: (run: () => void) => void;
}

export interface Panel {
  readonly store: Store;
  readonly actions: Actions;
  readonly local: Storage;
  close(): void;
}

const Seen = z.record(z.string(), z.number());

/** Starts everything; the state begins as the last time the panel was open. */
export const createPanel = async ({ watch, page, local, session, nextFrame }: PanelEnvironment): Promise<Panel> => {
  const store = createStore();
  const [choice, seen, outbox] = await Promise.all([
    local.load('choice', Choice),
    local.load('seen', Seen),
    session.load('outbox', z.array(Unsent)),
  ]);
  store.set({ ...(choice === null ? {} : { choice }), seen: seen ?? {}, outbox: reviveOutbox(outbox ?? []) });

  let endpoint: Endpoint | null = null;
  const api = createApi(() => endpoint);
  const onUnauthorized = (): void => connection.retry();
  const log = new LogSync({ store, nextFrame, onUnauthorized });
  const reopen = async (): Promise<void> => {
    const last = await local.load('session', SessionId);
    if (last !== null && store.state.sessionId === null && store.state.sessions?.some(({ id }) => id === last)) log.open(last);
  };
  const daemon = new DaemonSync({ store, api, onUnauthorized, onReady: () => void reopen() });

  const connect = (next: Endpoint): void => {
    endpoint = next;
    daemon.connect(next);
    log.connect(next);
  };
  const connection = watch((state) => {
    store.set({ connection: state });
    // A link that is down says nothing about the daemon: the streams go on until there is a new place or token.
    if (state.state !== 'connected') return;
    if (endpoint?.port !== state.port || endpoint.token !== state.token) connect({ port: state.port, token: state.token });
  });

  const actions = createActions({
    store,
    api,
    local,
    page,
    open: (sessionId) => log.open(sessionId),
    retry: () => {
      connection.retry();
      if (endpoint !== null) connect(endpoint);
    },
    newId: () => crypto.randomUUID(),
    now: Date.now,
  });

  let { outbox: savedOutbox, sessions: seenSessions } = store.state;
  const unsubscribe = store.subscribe(() => {
    const { outbox: unsent, sessions, sessionId } = store.state;
    if (unsent !== savedOutbox) {
      savedOutbox = unsent;
      session.save('outbox', unsent);
    }
    if (sessions !== seenSessions && sessionId !== null) {
      // What changes before the user's eyes is seen.
      seenSessions = sessions;
      store.set({ seen: { ...store.state.seen, [sessionId]: Date.now() } });
      local.save('seen', store.state.seen);
    }
  });

  return {
    store,
    actions,
    local,
    close() {
      unsubscribe();
      connection.close();
      daemon.close();
      log.close();
    },
  };
};

/** Follows what changes outside one session's log: sessions, projects, engines. */
import { StateEvent } from '#protocol/api.ts';
import { toErrorBody } from '#protocol/errors.ts';
import type { Api, Endpoint } from './api.ts';
import { runEventStream } from './event-stream.ts';
import { preferredEngine, preferredProject } from './selected.ts';
import type { PanelState, Store } from './state.ts';

export interface DaemonSync {
  connect(endpoint: Endpoint): void;
  close(): void;
}

/** `onReady` is called once, when the first lists are here. */
export const createDaemonSync = (options: { store: Store; api: Api; onUnauthorized: () => void; onReady: () => void }): DaemonSync => {
  const { store, api } = options;
  let reading: AbortController | null = null;
  let isReady = false;

  const merge = (change: Partial<PanelState>): void => {
    store.set({ ...change, choice: completeChoice({ ...store.state, ...change }) });
  };

  /** Subscribed first, read second: a change in between is seen twice and never missed. */
  const readLists = async (signal: AbortSignal): Promise<void> => {
    try {
      const [sessions, projects, engines] = await Promise.all([api.sessions(), api.projects(), api.engines()]);
      if (signal.aborted) return;
      merge({ sessions, projects, engines });
      if (projects.length === 0) store.set({ defaultWorkspace: await api.defaultWorkspace() });
    } catch (error) {
      if (!signal.aborted) store.set({ failure: toErrorBody(error) });
      return;
    }
    if (isReady) return;
    isReady = true;
    options.onReady();
  };

  return {
    connect(endpoint) {
      reading?.abort();
      const abort = new AbortController();
      reading = abort;
      void runEventStream({
        endpoint,
        path: '/api/events',
        lastEventId: null,
        signal: abort.signal,
        onEvent: ({ data }) => {
          const change = toChange(data);
          if (change !== null) merge(change);
        },
        onState: (state) => {
          if (abort.signal.aborted) return;
          store.set({ daemon: state });
          if (state.state === 'live') void readLists(abort.signal);
          if (state.state === 'waiting' && state.error.code === 'UNAUTHORIZED') options.onUnauthorized();
        },
      });
    },
    close() {
      reading?.abort();
    },
  };
};

/** Events this build does not know, and those it has no use for, change nothing. */
const toChange = (data: string): Partial<PanelState> | null => {
  const parsed = StateEvent.safeParse(parseJson(data));
  if (!parsed.success) return null;
  const event = parsed.data;
  switch (event.type) {
    case 'sessions':
      return { sessions: event.sessions };
    case 'projects':
      return { projects: event.projects };
    case 'engines':
      return { engines: event.engines };
    case 'browsers':
    case 'log':
    case 'heartbeat':
      return null;
  }
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** Fills what the user has not chosen, and forgets what is gone. */
const completeChoice = (state: PanelState): PanelState['choice'] => {
  const { choice } = state;
  const projectId = state.projects === null ? choice.projectId : (preferredProject(state)?.id ?? null);
  if (state.engines === null) return { ...choice, projectId };
  const engine = preferredEngine({ ...state, choice: { ...choice, projectId } });
  return engine === choice.engine
    ? { ...choice, projectId }
    : { projectId, engine, isSuggested: true, model: null, mode: null, effort: null };
};

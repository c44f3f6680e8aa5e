/** Follows what changes outside one session's log: sessions, projects, engines. */
import { StateEvent } from '#protocol/api.ts';
import { toErrorBody } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import { warningsIn } from '#protocol/warnings.ts';
import { EventStream, type StreamState } from '#stream/event-stream.ts';
import { preferredEngine, preferredProject } from './selected.ts';
import type { PanelState, Store } from './state.ts';
import { streamOf, type Call, type Endpoint } from '#extension/shared/wire.ts';

interface DaemonSyncOptions {
  readonly store: Store;
  readonly call: Call;
  /** Asks the worker for a new token. */
  readonly onUnauthorized: () => void;
  /** Called once, when the first lists are here. */
  readonly onReady: () => void;
}

export class DaemonSync {
  readonly #options: DaemonSyncOptions;
  #reading: AbortController | null = null;
  #isReady = false;
  /** What the stream told since the lists were asked for: it is newer than they are. */
  #told: Partial<PanelState> = {};

  constructor(options: DaemonSyncOptions) {
    this.#options = options;
  }

  /** Follows the daemon at this place from now on. */
  connect(endpoint: Endpoint): void {
    this.close();
    const { signal } = (this.#reading = new AbortController());
    const stream = new EventStream({
      open: streamOf(endpoint, routes.watchState, {}),
      signal,
      onEvent: ({ data }) => {
        const change = toChange(data);
        if (change === null) return;
        Object.assign(this.#told, change);
        // Before the first lists are whole nothing is shown: a person who began to write then would write into another session.
        if (this.#isReady) this.#merge(change);
      },
      onState: (state) => this.#takeState(state, signal),
      onFault: (error) => console.error('the stream of the lists ended by a fault', error),
    });
    void stream.run();
  }

  close(): void {
    this.#reading?.abort();
  }

  #takeState(state: StreamState, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#options.store.set({ daemon: state });
    if (state.state === 'live') void this.#readLists(signal);
    if (state.state === 'waiting' && state.error.code === 'UNAUTHORIZED') this.#options.onUnauthorized();
  }

  #merge(change: Partial<PanelState>): void {
    const { store } = this.#options;
    store.set({ ...change, choice: completeChoice({ ...store.state, ...change }) });
  }

  /** It subscribes first and reads second, so that a change in between is seen twice rather than missed. */
  async #readLists(signal: AbortSignal): Promise<void> {
    const { store, call, onReady } = this.#options;
    this.#told = {};
    try {
      const lists = await Promise.all([call(routes.listSessions, {}), call(routes.listProjects, {}), call(routes.listEngines, {})]);
      const [{ sessions }, { projects }, { engines }] = lists;
      // It comes with the lists, because it would move away what the person is about to press.
      const offered = projects.length > 0 ? {} : { defaultWorkspace: (await call(routes.defaultWorkspace, {})).path };
      if (signal.aborted) return;
      this.#merge({ sessions, projects, engines, ...offered, ...this.#told });
    } catch (error) {
      if (!signal.aborted) store.set({ failure: toErrorBody(error) });
      return;
    }
    if (this.#isReady) return;
    this.#isReady = true;
    onReady();
  }
}

/** Events that this build does not know or need change nothing. */
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
    case 'admissions':
      return { admissions: event.admissions };
    case 'warnings':
      return { warnings: warningsIn(event) };
    case 'browsers':
    case 'notification':
    case 'notification.over':
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

/** Chooses for the user where nothing was chosen, and forgets choices that no longer exist. */
const completeChoice = (state: PanelState): PanelState['choice'] => {
  const { choice } = state;
  const projectId = state.projects === null ? choice.projectId : (preferredProject(state)?.id ?? null);
  if (state.engines === null) return { ...choice, projectId };
  const engine = preferredEngine({ ...state, choice: { ...choice, projectId } });
  return engine === choice.engine
    ? { ...choice, projectId }
    : { projectId, engine, isSuggested: true, model: null, mode: null, effort: null };
};

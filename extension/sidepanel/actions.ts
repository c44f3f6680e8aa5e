/** What the user can do. Each call changes the state at once where it can, and ends in the log or in a failure that says what to do. */
import type { SessionInput, TaskOutput } from '#protocol/api.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { ItemId, ProjectId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import { runningTurn } from '#protocol/view.ts';
import type { PageCapture } from '#extension/shared/capture.ts';
import type { Api } from './api.ts';
import { createContextActions, type ContextActions } from './context-actions.ts';
import { createEngineActions, type EngineActions } from './engine-actions.ts';
import { changeUnsent, type Attached, type Unsent } from './outbox.ts';
import { select } from './selected.ts';
import { noExtras, type Choice, type Extras, type PanelState, type Store } from './state.ts';
import type { Storage } from './storage.ts';

export interface Actions extends EngineActions, ContextActions {
  connectAgain(): void;
  openSession(sessionId: SessionId | null): void;
  renameSession(sessionId: SessionId, name: string): Promise<void>;
  removeSession(sessionId: SessionId): Promise<void>;
  chooseProject(projectId: ProjectId): void;
  /** Rejects with what is wrong with the path, for the form to show. */
  addProject(rootPath: string, allowCreate: boolean): Promise<void>;
  /** For who has no project yet: the default workspace becomes one. */
  startInDefault(): Promise<void>;
  chooseEngine(name: string): void;
  /** Of the session on screen, or of the new one. */
  configure(change: Partial<Pick<Choice, 'model' | 'mode' | 'effort'>>): Promise<void>;
  showExtras(isShown: boolean): void;
  /** Of the session on screen, or of the new one. Rejects with what is wrong, for the form to show. */
  changeExtras(change: Partial<Extras>): Promise<void>;
  refreshEngines(name?: string): Promise<void>;
  send(text: string, attachments: readonly Attached[], delivery: 'queue' | 'steer'): Promise<void>;
  resend(requestId: string): Promise<void>;
  discard(requestId: string): void;
  stop(): Promise<void>;
  unqueue(turnId: TurnId): Promise<void>;
  /** Ends a task that runs in the background. */
  stopTask(itemId: ItemId): Promise<void>;
  /** What a task in the background has written so far; null when nobody can tell. */
  readTask(itemId: ItemId): Promise<TaskOutput | null>;
  answer(requestId: RequestId, answer: RequestAnswer): Promise<void>;
  dismissFailure(): void;
}

export const createActions = (options: {
  store: Store;
  api: Api;
  local: Storage;
  page: PageCapture;
  retry: () => void;
  open: (sessionId: SessionId | null) => void;
  newId: () => string;
  now: () => number;
}): Actions => {
  const { store, api, local, open, now } = options;

  /** Runs what talks to the daemon; a failure is shown, and false says that it failed. */
  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      store.set({ failure: toErrorBody(error) });
      return false;
    }
  };

  const choose = (change: Partial<Choice>): void => {
    // Whoever sets something for an engine has chosen it.
    const isSuggested = store.state.choice.isSuggested && Object.keys(change).every((key) => key === 'projectId');
    const choice = { ...store.state.choice, ...change, isSuggested };
    store.set({ choice });
    // A mode in which nothing asks is chosen for one session and never becomes a habit (S28).
    local.save('choice', isDangerous(store.state, choice.mode) ? { ...choice, mode: null } : choice);
  };

  const openSession = (sessionId: SessionId | null): void => {
    open(sessionId);
    if (sessionId === null) local.remove('session');
    else {
      const seen = { ...store.state.seen, [sessionId]: now() };
      store.set({ seen });
      local.save('session', sessionId);
      local.save('seen', seen);
    }
  };

  const addProject = async (rootPath: string, allowCreate: boolean): Promise<void> => {
    const project = await api.saveProject({ name: nameOf(rootPath), rootPath, ...(allowCreate ? { allowCreate } : {}) });
    store.set({ projects: [...(store.state.projects ?? []).filter((other) => other.id !== project.id), project] });
    choose({ projectId: project.id });
    if (select(store.state).project?.id !== project.id) openSession(null);
  };

  const createSession = async (): Promise<SessionId> => {
    const { choice } = store.state;
    if (choice.projectId === null) throw new CompanionError('PROJECT_NOT_FOUND');
    if (choice.engine === null) throw new CompanionError('ENGINE_UNKNOWN');
    const session = await api.createSession(choice.projectId, { ...toInput(choice), ...extrasFor(store.state) });
    store.set({ extras: noExtras });
    if (isDangerous(store.state, choice.mode)) choose({ mode: null });
    store.set({ sessions: [session, ...(store.state.sessions ?? []).filter((other) => other.id !== session.id)] });
    return session.id;
  };

  const refreshEngines = async (name?: string): Promise<void> => {
    store.set({ isCheckingEngines: true });
    await attempt(async () => {
      await api.refreshEngines(name);
      store.set({ engines: await api.engines() });
    });
    store.set({ isCheckingEngines: false });
  };

  const deliver = async (unsent: Unsent): Promise<void> => {
    const { requestId } = unsent;
    const change = (next: Partial<Unsent>): void => store.set({ outbox: changeUnsent(store.state.outbox, requestId, next) });
    change({ state: 'sending', error: null });
    try {
      let { sessionId } = unsent;
      if (sessionId === null) {
        sessionId = await createSession();
        change({ sessionId });
        if (store.state.sessionId === null) openSession(sessionId);
      }
      await api.act(sessionId, {
        text: unsent.text,
        attachments: unsent.attachments,
        turnId: requestId,
        delivery: unsent.delivery,
      });
      change({ state: 'accepted' });
    } catch (error) {
      change({ state: 'failed', error: toErrorBody(error) });
    }
  };

  return {
    connectAgain: () => options.retry(),
    openSession,
    async renameSession(sessionId, name) {
      await attempt(() => api.updateSession(sessionId, { name }));
    },
    async removeSession(sessionId) {
      const isRemoved = await attempt(() => api.removeSession(sessionId));
      if (!isRemoved) return;
      store.set({ sessions: (store.state.sessions ?? []).filter((session) => session.id !== sessionId) });
      if (store.state.sessionId === sessionId) openSession(null);
    },
    chooseProject(projectId) {
      choose({ projectId });
      if (select(store.state).project?.id !== projectId) openSession(null);
    },
    addProject,
    async startInDefault() {
      const { defaultWorkspace } = store.state;
      if (defaultWorkspace !== null) await attempt(() => addProject(defaultWorkspace, true));
    },
    chooseEngine(name) {
      choose(name === store.state.choice.engine ? { engine: name } : { engine: name, model: null, mode: null, effort: null });
      // A session keeps its engine for life: another engine means another session.
      if (select(store.state).engine?.name !== name) openSession(null);
    },
    async configure(change) {
      const { sessionId } = store.state;
      const { mode, ...rest } = change;
      choose(sessionId !== null && isDangerous(store.state, mode ?? null) ? rest : change);
      if (sessionId === null) return;
      await attempt(() => api.updateSession(sessionId, change));
    },
    showExtras: (isShown) => store.set({ isShowingExtras: isShown }),
    async changeExtras(change) {
      const { sessionId } = store.state;
      if (sessionId === null) store.set({ extras: { ...store.state.extras, ...change } });
      else await api.updateSession(sessionId, change);
    },
    refreshEngines,
    ...createEngineActions({ store, api, check: refreshEngines }),
    ...createContextActions({ store, page: options.page }),
    async send(text, attachments, delivery) {
      const unsent: Unsent = {
        requestId: options.newId(),
        sessionId: store.state.sessionId,
        text,
        attachments: [...attachments],
        delivery,
        state: 'sending',
        error: null,
      };
      store.set({ outbox: [...store.state.outbox, unsent] });
      await deliver(unsent);
    },
    async resend(requestId) {
      const unsent = store.state.outbox.find((candidate) => candidate.requestId === requestId);
      if (unsent !== undefined) await deliver(unsent);
    },
    discard(requestId) {
      store.set({ outbox: store.state.outbox.filter((unsent) => unsent.requestId !== requestId) });
    },
    async stop() {
      const { sessionId, conversation } = store.state;
      const turn = conversation === null ? undefined : runningTurn(conversation.view);
      if (sessionId === null || turn === undefined) return;
      store.set({ stopping: turn.turnId });
      const isAsked = await attempt(() => api.cancel(sessionId));
      if (!isAsked) store.set({ stopping: null });
    },
    async unqueue(turnId) {
      const { sessionId } = store.state;
      if (sessionId !== null) await attempt(() => api.cancel(sessionId, turnId));
    },
    async stopTask(itemId) {
      const { sessionId } = store.state;
      if (sessionId === null) return;
      try {
        await api.stopTask(sessionId, itemId);
      } catch (error) {
        const body = toErrorBody(error);
        // It has ended in the same moment, which is what was wanted.
        if (body.code !== 'TASK_NOT_RUNNING') store.set({ failure: body });
      }
    },
    async readTask(itemId) {
      const { sessionId } = store.state;
      if (sessionId === null || select(store.state).engine?.capabilities.canReadTasks !== true) return null;
      try {
        return await api.readTask(sessionId, itemId);
      } catch {
        // It has ended, and its end brings what it wrote; or the next look succeeds.
        return null;
      }
    },
    async answer(requestId, answer) {
      const { sessionId } = store.state;
      if (sessionId === null) return;
      store.set({ answering: requestId });
      try {
        await api.answer(sessionId, requestId, answer);
      } catch (error) {
        const body = toErrorBody(error);
        // Somebody was quicker, in the terminal perhaps: the log says who and what.
        if (body.code !== 'REQUEST_RESOLVED') store.set({ failure: body });
      }
      if (store.state.answering === requestId) store.set({ answering: null });
    },
    dismissFailure: () => store.set({ failure: null }),
  };
};

const isDangerous = (state: PanelState, modeId: string | null): boolean =>
  select(state).engine?.modes.find((mode) => mode.modeId === modeId)?.isDangerous ?? false;

const toInput = (choice: Choice): SessionInput => ({
  engineName: choice.engine ?? '',
  model: choice.model,
  mode: choice.mode,
  effort: choice.effort,
});

/** What was set for the new session, as far as its agent heeds it. */
const extrasFor = (state: PanelState): Extras => ({
  ...state.extras,
  allowedTools: select(state).engine?.capabilities.hasAllowedTools === true ? state.extras.allowedTools : [],
});

/** A project is called like its folder. */
const nameOf = (rootPath: string): string => rootPath.split(/[/\\]/).findLast((part) => part !== '') ?? rootPath;

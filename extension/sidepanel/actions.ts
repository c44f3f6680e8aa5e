/** What the person can do. Each call changes the state at once where it can, and ends in the log or in a failure that says what to do. */
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

export interface ActionsOptions {
  readonly store: Store;
  readonly api: Api;
  readonly local: Storage;
  readonly page: PageCapture;
  readonly retry: () => void;
  readonly open: (sessionId: SessionId | null) => void;
  readonly newId: () => string;
  readonly now: () => number;
}

/** The actions as views know them. */
export type Actions = Pick<PanelActions, keyof PanelActions>;

export class PanelActions {
  /** Keys, addresses and which agents and projects are let in. */
  readonly engines: EngineActions;
  /** Attaching from the page. */
  readonly page: ContextActions;
  readonly #options: ActionsOptions;
  readonly #store: Store;
  readonly #api: Api;
  readonly #local: Storage;

  constructor(options: ActionsOptions) {
    this.#options = options;
    const { store, api, local, page } = options;
    this.#store = store;
    this.#api = api;
    this.#local = local;
    this.engines = createEngineActions({ store, api, check: (name) => this.refreshEngines(name) });
    this.page = createContextActions({ store, page });
  }

  connectAgain(): void {
    this.#options.retry();
  }

  openSession(sessionId: SessionId | null): void {
    this.#options.open(sessionId);
    if (sessionId === null) {
      this.#local.remove('session');
      return;
    }
    const seen = { ...this.#store.state.seen, [sessionId]: this.#options.now() };
    this.#store.set({ seen });
    this.#local.save('session', sessionId);
    this.#local.save('seen', seen);
  }

  async renameSession(sessionId: SessionId, name: string): Promise<void> {
    await this.#attempt(() => this.#api.updateSession(sessionId, { name }));
  }

  async removeSession(sessionId: SessionId): Promise<void> {
    const isRemoved = await this.#attempt(() => this.#api.removeSession(sessionId));
    if (!isRemoved) return;
    const { sessions } = this.#store.state;
    this.#store.set({ sessions: (sessions ?? []).filter((session) => session.id !== sessionId) });
    if (this.#store.state.sessionId === sessionId) this.openSession(null);
  }

  /** Another project means another session, unless the project of this one was forgotten: then the session moves there. */
  async chooseProject(projectId: ProjectId): Promise<void> {
    const { sessionId } = this.#store.state;
    const { isHomeless } = select(this.#store.state);
    this.#choose({ projectId });
    if (sessionId !== null && isHomeless) await this.#attempt(() => this.#api.updateSession(sessionId, { projectId }));
    else if (select(this.#store.state).project?.id !== projectId) this.openSession(null);
  }

  /** Rejects with what is wrong with the path, for the form to show. */
  async addProject(rootPath: string, allowCreate: boolean): Promise<void> {
    const project = await this.#api.saveProject({ name: nameOf(rootPath), rootPath, ...(allowCreate ? { allowCreate } : {}) });
    const others = (this.#store.state.projects ?? []).filter((other) => other.id !== project.id);
    this.#store.set({ projects: [...others, project] });
    await this.chooseProject(project.id);
  }

  /** For a person without a project: the default workspace becomes one. */
  async startInDefault(): Promise<void> {
    const { defaultWorkspace } = this.#store.state;
    if (defaultWorkspace !== null) await this.#attempt(() => this.addProject(defaultWorkspace, true));
  }

  chooseEngine(name: string): void {
    const { choice } = this.#store.state;
    this.#choose(name === choice.engine ? { engine: name } : { engine: name, model: null, mode: null, effort: null });
    // A session keeps its engine for life: another engine means another session.
    if (select(this.#store.state).engine?.name !== name) this.openSession(null);
  }

  /** Of the session on screen, or of the new one. */
  async configure(change: Partial<Pick<Choice, 'model' | 'mode' | 'effort'>>): Promise<void> {
    const { sessionId } = this.#store.state;
    const { mode, ...rest } = change;
    this.#choose(sessionId !== null && isDangerous(this.#store.state, mode ?? null) ? rest : change);
    if (sessionId === null) return;
    await this.#attempt(() => this.#api.updateSession(sessionId, change));
  }

  showExtras(isShown: boolean): void {
    this.#store.set({ isShowingExtras: isShown });
  }

  /** Of the session on screen, or of the new one. Rejects with what is wrong, for the form to show. */
  async changeExtras(change: Partial<Extras>): Promise<void> {
    const { sessionId, extras } = this.#store.state;
    if (sessionId === null) this.#store.set({ extras: { ...extras, ...change } });
    else await this.#api.updateSession(sessionId, change);
  }

  async refreshEngines(name?: string): Promise<void> {
    this.#store.set({ isCheckingEngines: true });
    await this.#attempt(async () => {
      await this.#api.refreshEngines(name);
      this.#store.set({ engines: await this.#api.engines() });
    });
    this.#store.set({ isCheckingEngines: false });
  }

  async send(text: string, attachments: readonly Attached[], delivery: 'queue' | 'steer'): Promise<void> {
    const unsent: Unsent = {
      turnId: this.#options.newId(),
      sessionId: this.#store.state.sessionId,
      text,
      attachments: [...attachments],
      delivery,
      state: 'sending',
      error: null,
    };
    this.#store.set({ outbox: [...this.#store.state.outbox, unsent] });
    await this.#deliver(unsent);
  }

  async resend(turnId: string): Promise<void> {
    const unsent = this.#store.state.outbox.find((candidate) => candidate.turnId === turnId);
    if (unsent !== undefined) await this.#deliver(unsent);
  }

  discard(turnId: string): void {
    this.#store.set({ outbox: this.#store.state.outbox.filter((unsent) => unsent.turnId !== turnId) });
  }

  async stop(): Promise<void> {
    const { sessionId, conversation } = this.#store.state;
    const turn = conversation === null ? undefined : runningTurn(conversation.view);
    if (sessionId === null || turn === undefined) return;
    this.#store.set({ stopping: turn.turnId });
    const isAsked = await this.#attempt(() => this.#api.cancel(sessionId));
    if (!isAsked) this.#store.set({ stopping: null });
  }

  async unqueue(turnId: TurnId): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId !== null) await this.#attempt(() => this.#api.cancel(sessionId, turnId));
  }

  /** Ends a task that runs in the background. */
  async stopTask(itemId: ItemId): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) return;
    // A task that has ended in the same moment is what was wanted.
    await this.#attemptUnless('TASK_NOT_RUNNING', () => this.#api.stopTask(sessionId, itemId));
  }

  /** What a task in the background has written so far; null when nobody can tell. */
  async readTask(itemId: ItemId): Promise<TaskOutput | null> {
    const { sessionId } = this.#store.state;
    if (sessionId === null || select(this.#store.state).engine?.capabilities.canReadTasks !== true) return null;
    try {
      return await this.#api.readTask(sessionId, itemId);
    } catch {
      // The task has ended, and its end brings what it wrote; or the next look succeeds.
      return null;
    }
  }

  async answer(requestId: RequestId, answer: RequestAnswer): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) return;
    this.#store.set({ answering: requestId });
    // Somebody was quicker, in the terminal perhaps: the log says who and what.
    await this.#attemptUnless('REQUEST_RESOLVED', () => this.#api.answer(sessionId, requestId, answer));
    if (this.#store.state.answering === requestId) this.#store.set({ answering: null });
  }

  dismissFailure(): void {
    this.#store.set({ failure: null });
  }

  /** Runs what talks to the daemon; a failure is shown, and false says that it failed. */
  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#store.set({ failure: toErrorBody(error) });
      return false;
    }
  }

  /** The same, but a failure with this code is not shown. */
  async #attemptUnless(code: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const body = toErrorBody(error);
      if (body.code !== code) this.#store.set({ failure: body });
    }
  }

  #choose(change: Partial<Choice>): void {
    const { state } = this.#store;
    // A person who sets something for an engine has chosen that engine.
    const isSuggested = state.choice.isSuggested && Object.keys(change).every((key) => key === 'projectId');
    const choice = { ...state.choice, ...change, isSuggested };
    this.#store.set({ choice });
    // A mode in which nothing asks is chosen for one session and never becomes a habit.
    this.#local.save('choice', isDangerous(this.#store.state, choice.mode) ? { ...choice, mode: null } : choice);
  }

  async #createSession(): Promise<SessionId> {
    const { choice } = this.#store.state;
    if (choice.projectId === null) throw new CompanionError('PROJECT_NOT_FOUND');
    if (choice.engine === null) throw new CompanionError('ENGINE_UNKNOWN');
    const session = await this.#api.createSession(choice.projectId, { ...toInput(choice), ...extrasFor(this.#store.state) });
    this.#store.set({ extras: noExtras });
    if (isDangerous(this.#store.state, choice.mode)) this.#choose({ mode: null });
    this.#store.set({ sessions: [session, ...(this.#store.state.sessions ?? []).filter((other) => other.id !== session.id)] });
    return session.id;
  }

  async #deliver(unsent: Unsent): Promise<void> {
    const { turnId } = unsent;
    const change = (next: Partial<Unsent>): void => this.#store.set({ outbox: changeUnsent(this.#store.state.outbox, turnId, next) });
    change({ state: 'sending', error: null });
    try {
      let { sessionId } = unsent;
      if (sessionId === null) {
        sessionId = await this.#createSession();
        change({ sessionId });
        if (this.#store.state.sessionId === null) this.openSession(sessionId);
      }
      await this.#api.act(sessionId, { text: unsent.text, attachments: unsent.attachments, turnId, delivery: unsent.delivery });
      change({ state: 'accepted' });
    } catch (error) {
      change({ state: 'failed', error: toErrorBody(error) });
    }
  }
}

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

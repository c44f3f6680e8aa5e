/** What the person can do. Each action changes the state at once where it can, and ends in the log or in an error that says what to do. */
import { sessionTitle } from '#display/attention.ts';
import { SHOWN_ENTRIES } from '#protocol/audit.ts';
import type { Project, ProjectInput, SessionChange, TaskOutput, TurnSent } from '#protocol/api.ts';
import type { AuditReport } from '#protocol/audit.ts';
import { CompanionError, fromErrorBody, toErrorBody } from '#protocol/errors.ts';
import { type ItemId, type ProjectId, type RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import type { OptionalPermission } from '#protocol/browser.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import type { AttachmentRef, Proof } from '#protocol/items.ts';
import { routes } from '#protocol/routes.ts';
import type { SearchAnswer } from '#protocol/search.ts';
import type { WentBack } from '#protocol/work.ts';
import { queuedTurns, runningTurn, type ViewTurn } from '#protocol/view.ts';
import type { PageCapture } from '#extension/shared/capture.ts';
import { InTurn } from '#extension/shared/in-turn.ts';
import type { LoggedPrompt } from '#protocol/events.ts';
import { readFiles, textFile, toBase64, type LeftOut } from './attachments.ts';
import { ActivityActions } from './activity-actions.ts';
import { ContextActions } from './context-actions.ts';
import { joinDrafts, noDraft, type Draft } from './draft.ts';
import type { Drafts } from './drafts.ts';
import { EngineActions } from './engine-actions.ts';
import { withLineComment } from './line-comment.ts';
import type { LogSync } from './log-sync.ts';
import { ownName, takesNote } from './notes.ts';
import { changeUnsent, type Attached, type Unsent } from './outbox.ts';
import { pickedFor } from './picked.ts';
import { Sending } from './sending.ts';
import { agentOf, newSettings, select } from './selected.ts';
import { Dismissed, noExtras, type Choice, type Extras, type PanelState, type Store } from './state.ts';
import type { Storage } from './storage.ts';
import { beginningOf } from './text.ts';
import { sendLarge } from './uploads.ts';
import { type Reverted, WorkActions } from './work-actions.ts';
import type { Call, ReadBytes } from '#extension/shared/wire.ts';

export interface ActionsOptions {
  readonly store: Store;
  readonly call: Call;
  readonly readBytes: ReadBytes;
  readonly local: Storage;
  readonly page: PageCapture;
  readonly drafts: Drafts;
  /** Asks Chrome, and through it the person, for rights of the extension; false when they decline. */
  readonly rights: (permissions: readonly OptionalPermission[]) => Promise<boolean>;
  readonly retry: () => void;
  /** Resolves once the companion is there, where it rested behind a question. */
  readonly wake: () => Promise<void>;
  readonly open: (sessionId: SessionId | null) => void;
  readonly log: Pick<LogSync, 'readEarlier' | 'forgetEarlier' | 'seek'>;
  readonly newId: () => string;
  readonly now: () => number;
}

/** So many places of a conversation are gone through; more words find fewer. */
const FOUND_AT_ONCE = 100;

/** So many warnings that were put away are remembered. */
const MAX_DISMISSED = 20;

/** A person may look for a folder for a while. */
const DIALOG_MS = 30 * 60_000;

/** A branch is called as its first prompt begins. */
const BRANCH_CHARS = 40;

/** The actions as views know them. */
export type Actions = Pick<PanelActions, keyof PanelActions>;

export class PanelActions {
  /** Keys, addresses, and which agents and projects are allowed. */
  readonly engines: EngineActions;
  /** Worktrees and what has changed in them. */
  readonly work: WorkActions;
  /** What agents do in the browser. */
  readonly activity: ActivityActions;
  /** Attaching from the page. */
  readonly page: ContextActions;
  readonly #options: ActionsOptions;
  readonly #store: Store;
  readonly #call: Call;
  readonly #local: Storage;
  readonly #drafts: Drafts;
  readonly #reading = new InTurn();
  readonly #sending = new Sending();
  /** Prompts that were taken back while they were on their way. */
  readonly #withdrawn = new Set<string>();

  constructor(options: ActionsOptions) {
    this.#options = options;
    const { store, call, local, page, drafts } = options;
    this.#store = store;
    this.#call = call;
    this.#local = local;
    this.#drafts = drafts;
    this.engines = new EngineActions({ store, call, check: (name) => this.refreshEngines(name) });
    this.page = new ContextActions({ store, page, call });
    this.work = new WorkActions(call);
    this.activity = new ActivityActions({ store, call });
  }

  connectAgain(): void {
    this.#options.retry();
  }

  /** The person lets this browser in, or not. Rejects when that fails. */
  async decideAdmission(id: string, isAllowed: boolean): Promise<void> {
    await this.#options.wake();
    await this.#call(routes.decideAdmission, { params: { id }, body: { isAllowed } });
  }

  /** The newest entries of the audit. Rejects when it cannot be read. */
  readAudit(last = SHOWN_ENTRIES): Promise<AuditReport> {
    return this.#call(routes.readAudit, { query: { last } });
  }

  openSession(sessionId: SessionId | null): void {
    // The list may tell a moment later how the one that is left has ended, which the person has seen.
    const looked = [this.#store.state.sessionId, sessionId].filter((id) => id !== null);
    this.#options.open(sessionId);
    const seen = { ...this.#store.state.seen, ...Object.fromEntries(looked.map((id) => [id, this.#options.now()])) };
    this.#store.set({ seen });
    this.#local.save('seen', seen);
    if (sessionId === null) this.#local.remove('session');
    else this.#local.save('session', sessionId);
  }

  /** The part of the conversation before what is shown. */
  async readEarlier(): Promise<void> {
    await this.#attempt(() => this.#options.log.readEarlier());
  }

  /** The person is at the end of the conversation. */
  forgetEarlier(): void {
    this.#options.log.forgetEarlier();
  }

  /** What was ever said or run, by its words. Rejects when that fails. */
  search(words: string): Promise<SearchAnswer> {
    return this.#call(routes.search, { query: { q: words } });
  }

  /** The same in one session only. */
  find(sessionId: SessionId, words: string): Promise<SearchAnswer> {
    return this.#call(routes.search, { query: { q: words, sessionId, limit: FOUND_AT_ONCE } });
  }

  /** Opens a session at an item, however far from its end that stands. */
  reveal(sessionId: SessionId, itemId: ItemId): void {
    if (this.#store.state.sessionId !== sessionId) this.openSession(sessionId);
    this.#store.set({ reveal: itemId });
    this.#options.log.seek();
  }

  /** The item that was looked for is in sight. */
  revealed(): void {
    this.#store.set({ reveal: null });
  }

  async renameSession(sessionId: SessionId, name: string): Promise<void> {
    await this.#attempt(() => this.#update(sessionId, { name }));
  }

  /** Pins or archives a session, or takes that back. */
  async placeSession(sessionId: SessionId, change: Pick<SessionChange, 'isPinned' | 'isArchived'>): Promise<void> {
    await this.#attempt(() => this.#update(sessionId, change));
  }

  /** It can be brought back; what was written for it goes only when another one is deleted after it. */
  async removeSession(sessionId: SessionId): Promise<void> {
    const isRemoved = await this.#attempt(() => this.#call(routes.removeSession, { params: { sessionId }, query: {} }));
    if (!isRemoved) return;
    const { sessions } = this.#store.state;
    const session = sessions?.find(({ id }) => id === sessionId);
    this.forgetRemoved();
    this.#store.set({
      sessions: (sessions ?? []).filter(({ id }) => id !== sessionId),
      removed: { sessionId, name: session === undefined ? '' : sessionTitle(session) },
    });
    if (this.#store.state.sessionId === sessionId) this.openSession(null);
  }

  /** Brings back the session that was deleted last. */
  async restoreSession(): Promise<void> {
    const { removed } = this.#store.state;
    if (removed === null) return;
    this.#store.set({ removed: null });
    await this.#attempt(() => this.#call(routes.restoreSession, { params: { sessionId: removed.sessionId } }));
  }

  /** The person does not want it back. */
  forgetRemoved(): void {
    const { removed } = this.#store.state;
    if (removed === null) return;
    this.#drafts.forget(removed.sessionId);
    const outbox = this.#store.state.outbox.filter(({ sessionId }) => sessionId !== removed.sessionId);
    this.#store.set({ removed: null, outbox });
  }

  /**
   * Another project means another session, with the agent and model of that project, unless the project of this session was forgotten: then the
   * session moves to it.
   */
  async chooseProject(projectId: ProjectId): Promise<void> {
    const { sessionId } = this.#store.state;
    const { isHomeless } = select(this.#store.state);
    const isOther = this.#store.state.choice.projectId !== projectId;
    const agent = isOther ? agentOf(this.#store.state, projectId) : null;
    this.#choose({ projectId, ...(agent === null ? {} : { ...agent, mode: null, effort: null }) });
    if (sessionId !== null && isHomeless) await this.#attempt(() => this.#update(sessionId, { projectId }));
    else if (select(this.#store.state).project?.id !== projectId) this.openSession(null);
  }

  /** The files of the project on screen, to be named in the prompt; none where they cannot be told. */
  async listFiles(): Promise<readonly string[]> {
    const projectId = select(this.#store.state).project?.id;
    if (projectId === undefined) return [];
    try {
      return (await this.#call(routes.listFiles, { params: { projectId } })).files;
    } catch {
      // A companion of an earlier version has no such list, and a folder may be gone: the prompt is written without it.
      return [];
    }
  }

  /** Rejects with an error about the path, which the form shows. */
  async addProject(rootPath: string, allowCreate: boolean): Promise<void> {
    const body = { name: nameOf(rootPath), rootPath, ...(allowCreate ? { allowCreate } : {}) };
    const { project } = await this.#call(routes.saveProject, { body });
    const others = (this.#store.state.projects ?? []).filter((other) => other.id !== project.id);
    this.#store.set({ projects: [...others, project] });
    await this.chooseProject(project.id);
  }

  /** The folder that the person chooses in the dialog of the system; null when none was chosen. Rejects where there is no such dialog. */
  async pickFolder(): Promise<string | null> {
    const picked = await this.#call(routes.pickDirectory, {}, AbortSignal.timeout(DIALOG_MS));
    if (picked.success) return picked.path;
    if (picked.cancelled) return null;
    const { code = 'DESKTOP_FAILED', error: message = '', remedy = '', says } = picked;
    throw fromErrorBody({ code, message, remedy, says });
  }

  /** The folders that go on from a path that is being typed; none where they cannot be told. */
  async foldersLike(typed: string): Promise<readonly string[]> {
    try {
      return (await this.#call(routes.listFolders, { query: { path: typed } })).folders;
    } catch {
      // A companion of an earlier version has no such list: the path is typed without it.
      return [];
    }
  }

  /** Another name for a project, or the folder to which it was moved. Rejects with an error about the path, which the form shows. */
  async changeProject(
    { id, name, rootPath }: Project,
    change: Partial<Pick<ProjectInput, 'name' | 'rootPath' | 'allowCreate'>>,
  ): Promise<void> {
    const { project } = await this.#call(routes.saveProject, { body: { id, name, rootPath, ...change } });
    this.#store.set({ projects: (this.#store.state.projects ?? []).map((other) => (other.id === project.id ? project : other)) });
  }

  async renameProject(project: Project, name: string): Promise<void> {
    await this.#attempt(() => this.changeProject(project, { name }));
  }

  /** Its folder and its sessions stay. */
  async forgetProject(projectId: ProjectId): Promise<void> {
    await this.#attempt(async () => {
      await this.#call(routes.removeProject, { params: { projectId } });
      this.#store.set({ projects: (this.#store.state.projects ?? []).filter(({ id }) => id !== projectId) });
    });
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

  /** Changes the session on screen, or the new one. */
  async configure(change: Partial<Pick<Choice, 'model' | 'mode' | 'effort'>>): Promise<void> {
    const { sessionId } = this.#store.state;
    const { mode, ...rest } = change;
    this.#choose(sessionId !== null && isDangerous(this.#store.state, mode ?? null) ? rest : change);
    if (sessionId === null) return;
    await this.#attempt(() => this.#update(sessionId, change));
  }

  /** Whether the new session works in a worktree of its own, or in the folder of its project. */
  workApart(isApart: boolean): void {
    this.#store.set({ isApart });
  }

  showExtras(isShown: boolean): void {
    this.#store.set({ isShowingExtras: isShown });
  }

  /** Changes the session on screen, or the new one. Rejects with an error that the form shows. */
  async changeExtras(change: Partial<Extras>): Promise<void> {
    const { sessionId, extras } = this.#store.state;
    if (sessionId === null) this.#store.set({ extras: { ...extras, ...change } });
    else await this.#update(sessionId, change);
  }

  async refreshEngines(name?: string): Promise<void> {
    this.#store.set({ isCheckingEngines: true });
    await this.#attempt(async () => {
      await this.#call(routes.refreshEngines, { body: name === undefined ? {} : { name } });
      this.#store.set({ engines: (await this.#call(routes.listEngines, {})).engines });
    });
    this.#store.set({ isCheckingEngines: false });
  }

  /** Sends what stands in the composer: where it is a sent prompt in other words, from before that. */
  async send(text: string, attachments: readonly Attached[], delivery: Unsent['delivery']): Promise<void> {
    const { sessionId, draft } = this.#store.state;
    await this.#send({ sessionId, text, attachments: [...attachments], delivery, insteadOf: draft.insteadOf });
  }

  async #send({ insteadOf, displayText, ...prompt }: Omit<Unsent, 'turnId' | 'state' | 'error' | 'ifTaken'>): Promise<void> {
    const unsent: Unsent = {
      turnId: this.#options.newId(),
      ...prompt,
      ...(insteadOf === undefined ? {} : { insteadOf }),
      ...(displayText === undefined ? {} : { displayText }),
      state: 'sending',
      error: null,
    };
    this.#store.set({ outbox: [...this.#store.state.outbox, unsent] });
    await this.#deliver(unsent);
  }

  /** Sends a prompt again that was not taken, as it was or in the way that the person has chosen now. */
  async resend(turnId: string, ifTaken?: 'queue' | 'anyway'): Promise<void> {
    const unsent = this.#store.state.outbox.find((candidate) => candidate.turnId === turnId);
    if (unsent === undefined) return;
    await this.#deliver(ifTaken === undefined ? unsent : this.#changeUnsent(unsent, { ifTaken }));
  }

  /** Sends a prompt for which no worktree could be made in the folder of the project. */
  async sendInFolder(turnId: string): Promise<void> {
    this.workApart(false);
    await this.resend(turnId);
  }

  /** Sends a prompt in a session that goes on from its own, in a worktree. A session that was made for this prompt alone is not kept. */
  async sendApart(turnId: string): Promise<void> {
    const unsent = this.#store.state.outbox.find((candidate) => candidate.turnId === turnId);
    const sessionId = unsent?.sessionId ?? null;
    if (unsent === undefined || sessionId === null) return;
    const sending = this.#changeUnsent(unsent, { state: 'sending', error: null });
    const isEmpty = this.#isEmpty(sessionId);
    try {
      const body = { worktree: branchFor(unsent.text) };
      const { session } = await this.#call(routes.forkSession, { params: { sessionId }, body });
      this.#store.set({ sessions: [session, ...(this.#store.state.sessions ?? []).filter((other) => other.id !== session.id)] });
      const moved = this.#changeUnsent(sending, { sessionId: session.id, ifTaken: 'anyway' });
      this.openSession(session.id);
      await this.#deliver(moved);
      if (isEmpty) await this.#call(routes.removeSession, { params: { sessionId }, query: {} });
    } catch (error) {
      this.#changeUnsent(sending, { state: 'failed', error: toErrorBody(error) });
    }
  }

  /** Changes what is written and attached for the session on screen. */
  changeDraft(change: Partial<Draft>): void {
    this.#drafts.change(change);
  }

  /** Writes a comment on a line of a change below what is written already. */
  addComment(comment: string): void {
    this.#drafts.change({ text: withLineComment(this.#store.state.draft.text, comment) });
  }

  /** Reads files for the draft on screen, also when another one is there by then. Resolves with the first that does not come along. */
  attachFiles(files: readonly File[]): Promise<LeftOut | null> {
    const { sessionId } = this.#store.state;
    // One after the other, so that each lot counts what came before it.
    return this.#reading.ask(async () => {
      const isShown = (): boolean => this.#store.state.sessionId === sessionId;
      const { attached, leftOut } = await readFiles(files, isShown() ? this.#store.state.draft.attachments : []);
      if (isShown()) this.attach(attached);
      else await this.#drafts.giveBack(sessionId, [{ text: '', attachments: attached }]);
      return leftOut;
    });
  }

  attach(files: readonly Attached[]): void {
    const before = this.#store.state.draft.attachments;
    // A note names what it is about.
    const named = files.map((file) => (takesNote(file) ? { ...file, name: ownName(before, file.name) } : file));
    this.#drafts.change({ attachments: [...before, ...named] });
  }

  /**
   * Puts a prompt into the composer once more, with what was attached to it; what is sent takes the place of that turn where it is named. What the
   * person was writing stands aside until then, so that it is not sent along.
   */
  async editAgain(prompt: LoggedPrompt, insteadOf?: TurnId): Promise<void> {
    const { sessionId, draft } = this.#store.state;
    if (sessionId === null || (insteadOf !== undefined && draft.insteadOf === insteadOf)) return;
    await this.#edit(sessionId, await this.#toDraft(sessionId, prompt), insteadOf);
  }

  async #edit(sessionId: SessionId, again: Draft, insteadOf?: TurnId): Promise<void> {
    if (this.#store.state.sessionId !== sessionId) {
      await this.#drafts.giveBack(sessionId, [again]);
      return;
    }
    const written = this.#store.state.draft;
    const isThere = written.text === again.text && written.attachments.length <= again.attachments.length;
    const aside = joinDrafts([...(isThere || this.#isAsSent(written) ? [] : [written]), written.aside ?? noDraft]);
    this.#drafts.change({ ...again, insteadOf, aside });
  }

  /** Takes a prompt that was put into the composer once more out of it, where what was written before stands again. */
  cancelEdit(): void {
    const { draft } = this.#store.state;
    // Where nothing is known of before, what the person has changed in it is not lost.
    const before = draft.aside ?? (this.#isAsSent(draft) ? noDraft : draft);
    this.#drafts.change({ ...before, insteadOf: undefined, aside: undefined });
  }

  /** Whether a prompt was put into the composer to be said in other words, and is still as it was. */
  #isAsSent({ text, attachments, insteadOf }: Draft): boolean {
    const prompt = this.#store.state.conversation?.view.turns.find(({ turnId }) => turnId === insteadOf)?.prompt;
    return prompt !== undefined && text === shownOf(prompt) && attachments.length <= prompt.attachments.length;
  }

  /** The same with one that was sent: the conversation goes on from before it, as far as its turn is over. */
  async editSent(prompt: LoggedPrompt, turnId: TurnId): Promise<void> {
    const status = this.#store.state.conversation?.view.turns.find((turn) => turn.turnId === turnId)?.status;
    const isOver = status !== undefined && status !== 'queued' && status !== 'running' && status !== 'cancelling';
    await this.editAgain(prompt, isOver ? turnId : undefined);
  }

  /**
   * Sends a prompt once more, whole and with what was attached to it. Where that is not all there any more, the person decides in the composer.
   * `turnId` is the turn in which it stands: of what a program wrote, the conversation has a few words only.
   */
  async sendAgain(prompt: LoggedPrompt, turnId?: TurnId): Promise<void> {
    const { sessionId, conversation } = this.#store.state;
    if (sessionId === null) return;
    const logged = conversation?.view.turns.find((turn) => turn.turnId === turnId)?.prompt;
    const { text, displayText } = logged !== undefined && shownOf(logged) === shownOf(prompt) ? logged : prompt;
    const again = await this.#toDraft(sessionId, prompt);
    if (again.attachments.length < prompt.attachments.length) await this.#edit(sessionId, again);
    else await this.#send({ sessionId, text, displayText, attachments: [...again.attachments], delivery: 'queue' });
  }

  /** Opens a session that goes on from this one, after a turn of it. */
  async fork(turnId: TurnId): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) return;
    await this.#attempt(async () => {
      const { session } = await this.#call(routes.forkSession, { params: { sessionId }, body: { turnId } });
      this.#store.set({ sessions: [session, ...(this.#store.state.sessions ?? []).filter((other) => other.id !== session.id)] });
      this.openSession(session.id);
    });
  }

  /** A file that was attached to a prompt, in base64. Rejects when it is not there any more. */
  async readAttachment({ attachmentId, name }: AttachmentRef): Promise<string> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) throw new CompanionError('SESSION_NOT_FOUND');
    return toBase64(await this.#options.readBytes(routes.readAttachment, { params: { sessionId, attachmentId } }), name);
  }

  /** Opens a file, by the name that the agent gave it, in the person's editor: the session may work in a worktree. Rejects when there is none. */
  async openFile(filePath: string, line: number | null): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) throw new CompanionError('SESSION_NOT_FOUND');
    const body = { target: 'editor', filePath, ...(line === null ? {} : { line }) } as const;
    await this.#call(routes.openSession, { params: { sessionId }, body });
  }

  /** Brings a file, by the name that the agent gave it, back to what it was where the session began; null where it is not among the changes. */
  revertFile(path: string): Promise<Reverted | null> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) throw new CompanionError('SESSION_NOT_FOUND');
    return this.work.revertNamed(sessionId, path);
  }

  /** Takes that back. */
  async revertUndo({ undo }: WentBack): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId !== null) await this.work.goBack(sessionId, undo);
  }

  /** Shows the models of the agent, or not. */
  showModels(isShown: boolean): void {
    this.#store.set({ isShowingModels: isShown });
  }

  async editUnsent({ turnId, sessionId, attachments, insteadOf, ...prompt }: Unsent): Promise<void> {
    this.#forgetUnsent(turnId);
    const draft = { text: shownOf(prompt), attachments };
    if (sessionId !== null && insteadOf !== undefined) await this.#edit(sessionId, draft, insteadOf);
    else await this.#drafts.giveBack(sessionId, [draft]);
  }

  /** Forgets a prompt that was not sent. A session that was made for it alone is not kept. */
  async discard(turnId: string): Promise<void> {
    const sessionId = this.#store.state.outbox.find((unsent) => unsent.turnId === turnId)?.sessionId ?? null;
    this.#forgetUnsent(turnId);
    if (sessionId === null || !this.#isEmpty(sessionId)) return;
    const { draft, outbox } = this.#store.state;
    if (draft.text !== '' || draft.attachments.length > 0 || outbox.some((unsent) => unsent.sessionId === sessionId)) return;
    this.openSession(null);
    this.#store.set({ sessions: (this.#store.state.sessions ?? []).filter(({ id }) => id !== sessionId) });
    await this.#attempt(() => this.#call(routes.removeSession, { params: { sessionId }, query: {} }));
  }

  #forgetUnsent(turnId: string): void {
    this.#store.set({ outbox: this.#store.state.outbox.filter((unsent) => unsent.turnId !== turnId) });
  }

  /** Whether nothing was ever sent in the session on screen. */
  #isEmpty(sessionId: SessionId): boolean {
    const { conversation, sessionId: shown } = this.#store.state;
    return shown === sessionId && conversation?.view.turns.length === 0 && conversation.earlier === 0;
  }

  /** Ends the turn that runs. The prompts that waited for its end come back to the composer. */
  async stop(): Promise<void> {
    const { sessionId, conversation } = this.#store.state;
    const turn = conversation === null ? undefined : runningTurn(conversation.view);
    if (sessionId === null || conversation === null || turn === undefined) return;
    this.#store.set({ stopping: turn.turnId });
    const unsent = this.#withdraw(sessionId);
    // A prompt that is taken out of the queue takes its files with it, so they are read before.
    const waiting = queuedTurns(conversation.view).map(({ prompt }) => prompt);
    const drafts = await this.#toDrafts(sessionId, waiting);
    const isAsked = await this.#attempt(() => this.#call(routes.cancelTurns, { params: { sessionId } }));
    await this.#drafts.giveBack(sessionId, [...(isAsked ? drafts : []), ...unsent]);
    if (!isAsked) this.#store.set({ stopping: null });
  }

  /** Takes back the prompts that are on their way to a session: what is stopped must not begin again with them. */
  #withdraw(sessionId: SessionId): Draft[] {
    const { outbox } = this.#store.state;
    const onTheirWay = outbox.filter(
      (unsent) => unsent.sessionId === sessionId && unsent.state === 'sending' && unsent.insteadOf === undefined,
    );
    for (const { turnId } of onTheirWay) this.#withdrawn.add(turnId);
    this.#store.set({ outbox: outbox.filter((unsent) => !onTheirWay.includes(unsent)) });
    return onTheirWay.map(({ attachments, ...prompt }) => ({ text: shownOf(prompt), attachments }));
  }

  async unqueue(turnId: TurnId): Promise<boolean> {
    const { sessionId } = this.#store.state;
    return sessionId !== null && this.#attempt(() => this.#call(routes.cancelTurn, { params: { sessionId, turnId } }));
  }

  /** Takes a prompt out of the queue, back into the composer. */
  async editQueued({ turnId, prompt }: ViewTurn): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) return;
    const drafts = await this.#toDrafts(sessionId, [prompt]);
    if (await this.unqueue(turnId)) await this.#drafts.giveBack(sessionId, drafts);
  }

  /** Takes a prompt out of the queue and adds it to the turn that runs. */
  async steerQueued({ turnId, prompt }: ViewTurn): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) return;
    const { attachments } = await this.#toDraft(sessionId, prompt);
    // What is not there any more was told; the prompt waits on as it is.
    if (attachments.length < prompt.attachments.length) return;
    if (this.#store.state.sessionId !== sessionId || !(await this.unqueue(turnId))) return;
    const { text, displayText } = prompt;
    await this.#send({ sessionId, text, displayText, attachments: [...attachments], delivery: 'steer' });
  }

  /** Ends a task that runs in the background. */
  async stopTask(itemId: ItemId): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) return;
    // When the task has ended in the same moment, there is nothing left to stop.
    await this.#attemptUnless('TASK_NOT_RUNNING', () => this.#call(routes.stopTask, { params: { sessionId, itemId } }));
  }

  /** What a task in the background has written so far, or null when that is not known. */
  async readTask(itemId: ItemId): Promise<TaskOutput | null> {
    const { sessionId } = this.#store.state;
    if (sessionId === null || select(this.#store.state).engine?.capabilities.canReadTasks !== true) return null;
    try {
      return await this.#call(routes.readTask, { params: { sessionId, itemId } });
    } catch {
      // The task has ended, and its end brings what it wrote; or else the next attempt succeeds.
      return null;
    }
  }

  async answer(requestId: RequestId, answer: RequestAnswer): Promise<void> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) return;
    // Chrome asks the person for such a right only at their press, so nothing is waited for before.
    if (!(await this.#hasRightsFor(requestId, answer))) return;
    this.#store.set({ answering: requestId });
    // Somebody answered earlier, perhaps in the terminal; the log says who and what.
    await this.#attemptUnless('REQUEST_RESOLVED', () =>
      this.#call(routes.answerRequest, { params: { sessionId, requestId }, body: answer }),
    );
    if (this.#store.state.answering === requestId) this.#store.set({ answering: null });
  }

  /** Asks Chrome for the rights that a card is about, when it is allowed; those that it has given already are given again. */
  async #hasRightsFor(requestId: RequestId, { optionId }: RequestAnswer): Promise<boolean> {
    const request = select(this.#store.state).view?.requests.find((open) => open.requestId === requestId)?.request;
    const allows = request?.options.find((option) => option.optionId === optionId)?.kind.startsWith('allow') === true;
    if (request?.permissions === undefined || !allows) return true;
    return this.#options.rights(request.permissions);
  }

  dismissFailure(): void {
    this.#store.set({ failure: null });
  }

  /** It is not shown again until it was over once. */
  dismissWarning(text: string): void {
    this.#store.set({ dismissed: [...this.#store.state.dismissed, text] });
    this.#options.local.change('dismissed', Dismissed, (kept) => [...(kept ?? []), text].slice(-MAX_DISMISSED));
  }

  #toDrafts(sessionId: SessionId, prompts: readonly LoggedPrompt[]): Promise<Draft[]> {
    return Promise.all(prompts.map((prompt) => this.#toDraft(sessionId, prompt)));
  }

  /** A file that cannot be read any more is missing from the draft, and that is told. */
  async #toDraft(sessionId: SessionId, prompt: LoggedPrompt): Promise<Draft> {
    const files: Attached[] = [];
    for (const { attachmentId, kind, name, mimeType } of prompt.attachments) {
      const params = { sessionId, attachmentId };
      await this.#attempt(async () => {
        const bytes = await this.#options.readBytes(routes.readAttachment, { params });
        files.push({ kind, name, mimeType, dataBase64: await toBase64(bytes, name) });
      });
    }
    return { text: shownOf(prompt), attachments: files };
  }

  /** Runs a request to the daemon; an error is shown, and the result false says that there was one. */
  async #attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#store.set({ failure: toErrorBody(error) });
      return false;
    }
  }

  /** The same, but a failure with this code is not shown. */
  async #attemptUnless(code: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const body = toErrorBody(error);
      if (body.code !== code) this.#store.set({ failure: body });
    }
  }

  async #update(sessionId: SessionId, body: SessionChange): Promise<void> {
    await this.#call(routes.updateSession, { params: { sessionId }, body });
  }

  #choose(change: Partial<Choice>): void {
    const { state } = this.#store;
    // A person who sets something for an engine has chosen that engine.
    const isSuggested = state.choice.isSuggested && Object.keys(change).every((key) => key === 'projectId');
    const choice = { ...state.choice, ...change, isSuggested };
    this.#store.set({ choice });
    // A mode in which nothing is asked is chosen for one session only, and never becomes a default.
    this.#local.save('choice', isDangerous(this.#store.state, choice.mode) ? { ...choice, mode: null } : choice);
  }

  async #createSession(prompt: string): Promise<SessionId> {
    const { choice, isApart } = this.#store.state;
    if (choice.projectId === null) throw new CompanionError('PROJECT_NOT_FOUND');
    if (choice.engine === null) throw new CompanionError('ENGINE_UNKNOWN');
    const body = {
      engineName: choice.engine,
      ...newSettings(this.#store.state),
      ...extrasFor(this.#store.state),
      ...(isApart ? { worktree: branchFor(prompt) } : {}),
    };
    const { session } = await this.#call(routes.createSession, { params: { projectId: choice.projectId }, body });
    this.#store.set({ extras: noExtras, isApart: false });
    if (isDangerous(this.#store.state, choice.mode)) this.#choose({ mode: null });
    this.#store.set({ sessions: [session, ...(this.#store.state.sessions ?? []).filter((other) => other.id !== session.id)] });
    return session.id;
  }

  #changeUnsent(unsent: Unsent, change: Partial<Unsent>): Unsent {
    this.#store.set({ outbox: changeUnsent(this.#store.state.outbox, unsent.turnId, change) });
    return { ...unsent, ...change };
  }

  /** A companion of an earlier version does not know `ifTaken`; with it both agents work. */
  async #startTurn(sessionId: SessionId, body: TurnSent): Promise<void> {
    try {
      await this.#call(routes.startTurn, { params: { sessionId }, body });
    } catch (error) {
      const { code, message } = toErrorBody(error);
      if (code !== 'INPUT_INVALID' || !message.includes('ifTaken')) throw error;
      const { ifTaken: _, ...known } = body;
      await this.#call(routes.startTurn, { params: { sessionId }, body: known });
    }
  }

  /** What the person has picked in a page of the session's project is looked at again after the turn. */
  async #tellPicked(sessionId: SessionId, turnId: string, attachments: readonly Attached[]): Promise<void> {
    const session = this.#store.state.sessions?.find(({ id }) => id === sessionId);
    const elements = session === undefined ? [] : pickedFor(attachments, session);
    if (elements.length === 0) return;
    // A companion of an earlier version looks at nothing, and the prompt is sent.
    await this.#call(routes.notePicked, { params: { sessionId, turnId: TurnId.parse(turnId) }, body: { elements } }).catch(() => null);
  }

  /** Puts what became of a picked element into the composer: both pictures, and what the development server says. */
  async sendBack(
    { pairs, buildError }: Proof,
    { before, after, error }: Readonly<Record<'before' | 'after' | 'error', string>>,
  ): Promise<void> {
    const files: Attached[] = [];
    for (const pair of pairs) {
      for (const [ref, name] of [
        [pair.before, before],
        [pair.after, after],
      ] as const) {
        if (ref === undefined) continue;
        const isRead = await this.#attempt(async () => {
          files.push({ kind: 'screenshot', name, mimeType: ref.mimeType, dataBase64: await this.readAttachment(ref) });
        });
        if (!isRead) return;
      }
    }
    if (buildError !== undefined) files.push(await textFile('console', error, buildError));
    this.attach(files);
  }

  /** Opens a session with what was said before a turn; asked again with the same id it is the same session. */
  async #forkBefore(sessionId: SessionId, beforeTurnId: TurnId, id: string): Promise<SessionId> {
    const body = { beforeTurnId, sessionId: SessionId.parse(`session_${id}`) };
    const { session } = await this.#call(routes.forkSession, { params: { sessionId }, body });
    this.#store.set({ sessions: [session, ...(this.#store.state.sessions ?? []).filter((other) => other.id !== session.id)] });
    if (this.#store.state.sessionId === sessionId) {
      // The person goes on there. Another prompt that is being said in other words belongs to the turns that stay here.
      if (this.#store.state.draft.insteadOf === undefined) this.#drafts.moveTo(session.id);
      this.openSession(session.id);
    }
    return session.id;
  }

  async #deliver(unsent: Unsent): Promise<void> {
    const { turnId } = unsent;
    const change = (next: Partial<Unsent>): void => this.#store.set({ outbox: changeUnsent(this.#store.state.outbox, turnId, next) });
    change({ state: 'sending', error: null });
    try {
      await this.#sending.send(
        unsent,
        (turnIds) => this.#makeSession(unsent.text, turnIds),
        (sessionId) => this.#sendTo(sessionId, unsent, change),
      );
    } catch (error) {
      change({ state: 'failed', error: toErrorBody(error) });
    }
  }

  /** Makes the session on screen, and of these prompts. */
  async #makeSession(prompt: string, turnIds: ReadonlySet<string>): Promise<SessionId> {
    const sessionId = await this.#createSession(prompt);
    const { outbox } = this.#store.state;
    this.#store.set({ outbox: outbox.map((unsent) => (turnIds.has(unsent.turnId) ? { ...unsent, sessionId } : unsent)) });
    if (this.#store.state.sessionId === null) {
      this.#drafts.moveTo(sessionId);
      this.openSession(sessionId);
    }
    return sessionId;
  }

  async #sendTo(of: SessionId, unsent: Unsent, change: (next: Partial<Unsent>) => void): Promise<void> {
    const { turnId, text, displayText, attachments, delivery, insteadOf, ifTaken = 'refuse' } = unsent;
    const sessionId = insteadOf === undefined ? of : await this.#forkBefore(of, insteadOf, turnId);
    if (insteadOf !== undefined) change({ sessionId, insteadOf: undefined });
    const sent = await sendLarge(
      this.#call,
      attachments.map(({ picked: _picked, ...file }) => file),
    );
    if (this.#withdrawn.delete(turnId)) return;
    const uploads = sent.uploads.length === 0 ? {} : { uploads: sent.uploads };
    const shown = displayText === undefined ? {} : { displayText };
    await this.#startTurn(sessionId, { text, ...shown, attachments: sent.attachments, ...uploads, turnId, delivery, ifTaken });
    if (this.#withdrawn.delete(turnId)) {
      // It was there before it could be held back.
      await this.#call(routes.cancelTurn, { params: { sessionId, turnId: TurnId.parse(turnId) } });
      return;
    }
    change({ state: 'accepted' });
    await this.#tellPicked(sessionId, turnId, attachments);
  }
}

/** The words of a prompt that a person reads. */
const shownOf = ({ text, displayText }: Pick<LoggedPrompt, 'text' | 'displayText'>): string => displayText ?? text;

const isDangerous = (state: PanelState, modeId: string | null): boolean =>
  select(state).engine?.modes.find((mode) => mode.modeId === modeId)?.isDangerous ?? false;

/** The name of the branch of a worktree; true leaves it to the daemon. */
const branchFor = (prompt: string): string | true => beginningOf(prompt.trim(), BRANCH_CHARS) || true;

/** The settings for the new session that its agent obeys. */
const extrasFor = (state: PanelState): Partial<Extras> => {
  const { maxTokens, ...extras } = state.extras;
  return {
    ...extras,
    // An executable that is older than this limit refuses what it does not know.
    ...(maxTokens === null ? {} : { maxTokens }),
    allowedTools: select(state).engine?.capabilities.hasAllowedTools === true ? extras.allowedTools : [],
  };
};

/** A project has the name of its folder. */
const nameOf = (rootPath: string): string => rootPath.split(/[/\\]/).findLast((part) => part !== '') ?? rootPath;

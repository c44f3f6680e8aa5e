/** What the terminal UI does outside itself: through the daemon's client, the installer and the terminal. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { saidText } from '#display/said.ts';
import { SHOWN_ENTRIES } from '#protocol/audit.ts';
import { changedFileLine, finishedWords } from '#display/work-words.ts';
import { ARM_MS } from '#display/request-options.ts';
import type { SessionPage } from '#protocol/api.ts';
import { CompanionError, fromErrorBody } from '#protocol/errors.ts';
import type { FileChange } from '#protocol/items.ts';
import { ProjectId, TurnId, type SessionId } from '#protocol/ids.ts';
import type { Client } from '#companion/client/client.ts';
import type { Installer } from '#companion/client/installer.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { errorNotice } from './error-notice.ts';
import { runInTerminal } from './in-terminal.ts';
import { keep } from './kept.ts';
import { paletteNamed } from './palettes.ts';
import { say, setLanguage, spokenLanguage, t, type Language } from './say.ts';
import type { Screen } from './screen.ts';
import {
  agentChoices,
  agentsChoices,
  browserChoices,
  checkpointChoices,
  grantChoices,
  homeChoices,
  isCheckpoints,
  rootChoices,
  sessionOf,
  trustChoices,
  usageChoices,
  type Area,
  type ManageOrder,
} from './manage.ts';
import type { Attached, Choice, Effect, FolderChange } from './state.ts';
import type { Happening } from './update.ts';

export interface EffectsOptions {
  readonly client: Client;
  readonly installer: Installer;
  /** Keeps what is chosen for the next start. */
  readonly tuiFile: string;
  /** Where the shown lines of the log are saved. */
  readonly logDir: string;
  readonly screen: Pick<Screen, 'copy' | 'lend' | 'ring' | 'setMouse' | 'setPalette' | 'suspend'>;
  readonly happen: (happening: Happening) => void;
  readonly quit: () => void;
  /** Ends everything that is under way when the terminal UI is left. */
  readonly signal: AbortSignal;
}

/** How many items of a session are read before it is shown, and how many at a time of those before them. */
const NEWEST = 200;
const EARLIER = 1000;

/** While somebody types, keys come faster than this. */
const SEARCH_PAUSE_MS = 120;

/** A longer change is read with `pilotfish diff`. */
const MAX_PATCH_CHARS = 400_000;

/** As many days as are looked back on. */
const USAGE_DAYS = 30;

type Of<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

/** Carries out effects. An error is shown to the person, with what to do about it. */
export class Effects {
  readonly #client: Client;
  readonly #installer: Installer;
  readonly #tuiFile: string;
  readonly #logDir: string;
  readonly #screen: EffectsOptions['screen'];
  readonly #happen: EffectsOptions['happen'];
  readonly #quit: () => void;
  readonly #signal: AbortSignal;
  /** Ends the stream of the session that is shown. */
  #watch: AbortController | null = null;
  /** Ends the search for what was typed before. */
  #asking: AbortController | null = null;

  constructor({ client, installer, tuiFile, logDir, screen, happen, quit, signal }: EffectsOptions) {
    this.#client = client;
    this.#installer = installer;
    this.#tuiFile = tuiFile;
    this.#logDir = logDir;
    this.#screen = screen;
    this.#happen = happen;
    this.#quit = quit;
    this.#signal = signal;
  }

  run(effect: Effect): void {
    this.#carryOut(effect).catch((error: unknown) => this.#fail(error));
  }

  async #carryOut(effect: Effect): Promise<void> {
    const client = this.#client;
    switch (effect.type) {
      case 'session.open':
        return this.#openSession(effect.sessionId);
      case 'session.create':
        return this.#createSession(effect);
      case 'session.delete':
        await client.sessions.remove(effect.sessionId);
        return this.#happen({ type: 'deleted', sessionId: effect.sessionId });
      case 'session.restore':
        await client.sessions.restore(effect.sessionId);
        return this.#inform('info', t('The session is back.'));
      case 'session.update':
        return this.#updateSession(effect);
      case 'turn.start':
        return this.#startTurn(effect);
      case 'session.apart':
        return this.#goApart(effect);
      case 'worktree.finish':
        return this.#inform('info', finishedWords(await client.work.finish(effect.sessionId, effect.action), spokenLanguage()));
      case 'turn.cancel':
        return client.cancel(effect.sessionId, effect.turnId === null ? undefined : TurnId.parse(effect.turnId));
      case 'task.stop':
        return client.stopTask(effect.sessionId, effect.itemId);
      case 'task.read':
        return this.#readTask(effect);
      case 'request.watch':
        return this.#watchRequest(effect);
      case 'request.answer':
        return client.answer(effect.sessionId, effect.requestId, effect.answer);
      case 'project.add':
      case 'project.remove':
      case 'project.change':
      case 'folder.pick':
      case 'folders.read':
        return this.#doWithProjects(effect);
      case 'engines.refresh':
        return this.#refreshEngines(effect.name);
      case 'audit.read':
        return this.#readAudit();
      case 'files.read':
        return this.#happen({ type: 'files', files: await client.projects.files(effect.projectId) });
      case 'changes.read':
        return this.#readChanges(effect.sessionId);
      case 'changes.stage':
        return this.#stage(effect);
      case 'changes.revert':
        return this.#revert(effect);
      case 'theme':
        return this.#setTheme(effect.name);
      case 'language':
        return this.#setLanguage(effect.language);
      case 'file.attach':
        return this.#attach(effect);
      case 'search':
        return this.#search(effect.query);
      case 'admission.decide':
        return client.admissions.decide(effect.id, effect.isAllowed);
      case 'manage.read':
      case 'manage.do':
        return this.#manage(effect.area, effect.type === 'manage.do' ? effect.order : null);
      case 'setup.install':
        return this.#install();
      case 'setup.check':
        return this.#happen({ type: 'checks', checks: await this.#installer.doctor(this.#signal) });
      case 'logs.save':
        return this.#saveLogs(effect.lines);
      case 'mouse':
        return this.#setMouse(effect.isOn);
      case 'copy':
      case 'bell':
      case 'suspend':
      case 'engine.fix':
        return this.#doInTerminal(effect);
      case 'quit':
        return this.#quit();
    }
  }

  #fail(error: unknown): void {
    if (this.#signal.aborted) return;
    this.#happen({ type: 'notice', notice: errorNotice(error) });
  }

  #inform(level: 'info' | 'warning', text: string): void {
    this.#happen({ type: 'notice', notice: { level, text, remedy: null } });
  }

  /** An order of the person that needs the daemon starts one when none runs. */
  async #connect(): Promise<void> {
    await this.#client.connect({ start: true, signal: this.#signal });
  }

  /** Shows the session as it stands, and from there on what happens in it. */
  #openSession(sessionId: SessionId | null): void {
    this.#watch?.abort();
    this.#watch = null;
    if (sessionId === null) return;
    const own = new AbortController();
    this.#watch = own;
    const until = AbortSignal.any([this.#signal, own.signal]);
    this.#watchSession(sessionId, until).catch((error: unknown) => {
      if (!until.aborted) this.#fail(error);
    });
  }

  async #watchSession(sessionId: SessionId, until: AbortSignal): Promise<void> {
    // Where it cannot be read the stream says why, or waits for the daemon and tells everything from the beginning.
    const page = await this.#client.sessions.page(sessionId, { limit: NEWEST }).catch(() => null);
    if (until.aborted) return;
    if (page !== null) {
      const { epoch: _, earlier: __, first: ___, opening: ____, ...view } = page;
      this.#happen({ type: 'view', view: { ...view, gone: [] } });
      this.#readEarlier(page, until).catch((error: unknown) => {
        if (!until.aborted) this.#fail(error);
      });
    }
    await this.#client.streamSession(
      sessionId,
      page === null ? null : `${page.epoch}-${page.seq}`,
      (event) => {
        // An event of the session that was shown before is not needed any more.
        if (until.aborted) return;
        this.#happen(event.type === 'resync' ? { type: 'resync', sessionId } : { type: 'event', event });
      },
      until,
    );
  }

  /** What stands before the newest part comes after it, part by part. */
  async #readEarlier(newest: SessionPage, until: AbortSignal): Promise<void> {
    const { sessionId } = newest;
    for (let { earlier, first: before } = newest; earlier > 0 && before !== null;) {
      const part = await this.#client.sessions.page(sessionId, { before, limit: EARLIER });
      if (until.aborted) return;
      this.#happen({ type: 'earlier', sessionId, before, part });
      ({ earlier, first: before } = part);
    }
  }

  async #createSession({ engine, projectId: chosen, model }: Of<'session.create'>): Promise<void> {
    await this.#connect();
    const projectId = chosen === null ? await defaultProject(this.#client) : ProjectId.parse(chosen);
    const session = await this.#client.sessions.create(projectId, { engineName: engine, ...(model === undefined ? {} : { model }) });
    this.#happen({ type: 'created', sessionId: session.id });
  }

  async #updateSession({ sessionId, change }: Of<'session.update'>): Promise<void> {
    await this.#client.sessions.update(sessionId, change);
  }

  async #startTurn({ sessionId, text, delivery, ifTaken, attached = [] }: Of<'turn.start'>): Promise<void> {
    try {
      await this.#connect();
      await this.#client.startTurn(sessionId, { text, turnId: randomId(), delivery, ifTaken: ifTaken ?? 'refuse', ...along(attached) });
    } catch (error) {
      this.#happen({ type: 'unsent', sessionId, text, attached });
      if (!(error instanceof CompanionError) || error.code !== 'FOLDER_TAKEN') throw error;
      this.#happen({ type: 'taken', sessionId, text: error.message });
    }
  }

  async #goApart({ sessionId, text, attached = [] }: Of<'session.apart'>): Promise<void> {
    try {
      await this.#connect();
      const made = await this.#client.sessions.fork(sessionId, { worktree: true });
      this.#happen({ type: 'created', sessionId: made.id });
      await this.#client.startTurn(made.id, { text, turnId: randomId(), ifTaken: 'anyway', ...along(attached) });
    } catch (error) {
      this.#happen({ type: 'unsent', sessionId, text, attached });
      throw error;
    }
  }

  async #attach({ sessionId, path: typed }: Of<'file.attach'>): Promise<void> {
    await this.#connect();
    const file = expandHome(typed);
    const [uploadId] = await this.#client.upload([file]);
    if (uploadId !== undefined) this.#happen({ type: 'attached', sessionId, file: { uploadId, name: path.basename(file) } });
  }

  #setTheme(name: string): void {
    const palette = paletteNamed(name);
    if (palette === null) return;
    this.#screen.setPalette(palette);
    keep(this.#tuiFile, { theme: name });
    this.#inform('info', t('The colours are: {name}.', { name }));
  }

  #setLanguage(language: Language): void {
    setLanguage(language);
    keep(this.#tuiFile, { language });
    this.#inform('info', t('The language is English.'));
  }

  #saveLogs(lines: readonly string[]): void {
    const at = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/gu, '').replace('T', '-');
    const file = path.join(this.#logDir, `shown-${at}.log`);
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    this.#inform('info', t('{count line|lines} saved: {file}', { count: lines.length, file }));
  }

  async #readTask({ sessionId, itemId }: Of<'task.read'>): Promise<void> {
    // The output of a task that has just ended cannot be read; its end brings what it wrote.
    const output = await this.#client.readTask(sessionId, itemId).catch(() => null);
    if (output !== null) this.#happen({ type: 'output', itemId, text: output.text });
  }

  async #readChanges(sessionId: SessionId): Promise<void> {
    this.#happen({ type: 'changes', report: await readChanges(this.#client, sessionId) });
  }

  async #stage({ sessionId, file, paths, isStaged }: Of<'changes.stage'>): Promise<void> {
    await this.#client.work.stage(sessionId, [...paths], isStaged);
    this.#inform('info', t(isStaged ? '{file} is in the index.' : '{file} is out of the index.', { file }));
  }

  /** The page shows the change as it stands then, also when nothing was brought back. */
  async #revert({ sessionId, file, paths, hunk }: Of<'changes.revert'>): Promise<void> {
    try {
      const { skipped } = await this.#client.work.revert(sessionId, [...paths], hunk);
      const done =
        hunk === undefined ? '{file} is as it was; <global K> undoes that.' : 'That part of {file} is as it was; <global K> undoes that.';
      this.#inform('info', t(skipped.length > 0 ? '{file} was left as it is.' : done, { file }));
    } finally {
      await this.#readChanges(sessionId);
    }
  }

  async #readAudit(): Promise<void> {
    await this.#connect();
    this.#happen({ type: 'audit', report: await this.#client.audit(SHOWN_ENTRIES, this.#signal) });
  }

  /** Asks a moment after the last key, and for the newest text only. */
  async #search(query: string): Promise<void> {
    this.#asking?.abort();
    this.#asking = null;
    if (query === '') return;
    const own = new AbortController();
    this.#asking = own;
    const until = AbortSignal.any([this.#signal, own.signal]);
    try {
      await after(SEARCH_PAUSE_MS, undefined, { signal: until });
      await this.#connect();
      this.#happen({ type: 'found', query, answer: await this.#client.search({ q: query }, until) });
    } catch (error) {
      if (!until.aborted) throw error;
    }
  }

  /** Carries out an order, if there is one, and shows the list as it stands then, also when the order was refused. */
  async #manage(area: Area, order: ManageOrder | null): Promise<void> {
    await this.#connect();
    try {
      if (order !== null) await carryOut(this.#client, order);
    } finally {
      this.#happen({ type: 'managed', area, choices: await readArea(this.#client, area) });
    }
    if (order !== null && 'name' in order) await this.#refreshEngines(null);
  }

  async #watchRequest({ requestId }: Of<'request.watch'>): Promise<void> {
    try {
      await after(ARM_MS, undefined, { signal: this.#signal });
    } catch {
      // The terminal UI was left meanwhile.
      return;
    }
    this.#happen({ type: 'armed', requestId });
  }

  async #doWithProjects(effect: Of<'project.add' | 'project.remove' | 'project.change' | 'folder.pick' | 'folders.read'>): Promise<void> {
    const { projects } = this.#client;
    switch (effect.type) {
      case 'project.add':
        return this.#addProject(effect.rootPath);
      case 'project.remove':
        return projects.remove(ProjectId.parse(effect.projectId));
      case 'project.change':
        return this.#changeProject(effect);
      case 'folder.pick':
        return this.#pickFolder();
      case 'folders.read':
        return this.#happen({ type: 'folders', typed: effect.typed, folders: await projects.foldersLike(effect.typed) });
    }
  }

  async #addProject(typed: string): Promise<void> {
    await this.#connect();
    const rootPath = expandHome(typed);
    const { name } = await this.#client.projects.save({ name: path.basename(rootPath), rootPath });
    this.#inform('info', t('{name} was added.', { name }));
  }

  async #changeProject({ project: { id, name, rootPath }, change }: Of<'project.change'>): Promise<void> {
    await this.#connect();
    const moved = change.rootPath === undefined ? {} : { rootPath: expandHome(change.rootPath) };
    const changed = await this.#client.projects.save({ id, name, rootPath, ...change, ...moved });
    this.#inform('info', t('{name} is in {folder}.', { name: changed.name, folder: changed.rootPath }));
  }

  async #pickFolder(): Promise<void> {
    await this.#connect();
    const folder = await this.#client.projects.pickFolder(this.#signal);
    if (folder !== null) this.#happen({ type: 'folder', folder });
  }

  async #doInTerminal(effect: Of<'copy' | 'bell' | 'suspend' | 'engine.fix'>): Promise<void> {
    switch (effect.type) {
      case 'copy':
        return this.#screen.copy(effect.text);
      case 'bell':
        return this.#screen.ring();
      case 'suspend':
        return this.#screen.suspend();
      case 'engine.fix':
        this.#screen.lend(() => runInTerminal(effect.line, t('Enter leads back to Pilotfish.')));
        return this.#refreshEngines(effect.name);
    }
  }

  async #refreshEngines(name: string | null): Promise<void> {
    await this.#connect();
    const engines = await this.#client.engines.refresh(name ?? undefined, this.#signal);
    this.#happen({ type: 'state', event: { type: 'engines', engines } });
  }

  #install(): void {
    const report = this.#installer.install({});
    this.#happen({
      type: 'setup',
      browserSetups: this.#installer.browsers(),
      extension: this.#installer.extension(),
      command: this.#installer.command(),
    });
    const parts = [...report.browsers, report.extension, report.menuEntry, report.command];
    const error = parts.find((part) => part?.error !== undefined)?.error;
    if (error !== undefined) throw fromErrorBody(error);
    const [warning] = report.warnings;
    this.#inform(
      warning === undefined ? 'info' : 'warning',
      warning === undefined ? t('Every browser found is registered.') : saidText(warning, say),
    );
  }

  #setMouse(isOn: boolean): void {
    this.#screen.setMouse(isOn);
    this.#inform('info', t(isOn ? 'The mouse works here.' : 'The mouse selects text; <global t> gives it back.'));
  }
}

/** Each file's first page of lines, within what a person reads. */
const readChanges = async (client: Client, sessionId: SessionId): Promise<FolderChange> => {
  const { files, now, worktree, since } = await client.work.changes(sessionId);
  const shown: FolderChange['files'][number][] = [];
  let chars = 0;
  for (const file of files) {
    const { path: name, oldPath } = file;
    const entry = { file: name, paths: oldPath === undefined ? [name] : [oldPath, name], line: changedFileLine(file, spokenLanguage()) };
    if (file.isBinary || file.isHuge === true || chars > MAX_PATCH_CHARS) {
      shown.push({ ...entry, change: null, isCut: false });
      continue;
    }
    const { patch, nextOffset } = await client.work.patch(sessionId, file, { now, offset: 0 });
    chars += patch.length;
    const change: FileChange = {
      path: oldPath ?? name,
      change: file.status === 'added' ? 'add' : file.status === 'deleted' ? 'delete' : oldPath === undefined ? 'update' : 'move',
      unified: patch,
      ...(oldPath === undefined ? {} : { movedTo: name }),
    };
    shown.push({ ...entry, change, isCut: nextOffset !== null });
  }
  return { files: shown, worktree, since, now };
};

const carryOut = async (client: Client, order: ManageOrder): Promise<unknown> => {
  switch (order.type) {
    case 'engine.change': {
      const { path: program } = order.change;
      const change = typeof program === 'string' ? { ...order.change, path: toProgram(program) } : order.change;
      return client.engines.change(order.name, change);
    }
    case 'engine.secret':
      return client.engines.setSecret(order.name, order.secret, order.value);
    case 'engine.add':
      return client.engines.add({ name: order.name, command: toProgram(order.command), args: [...order.args] });
    case 'engine.remove':
      return client.engines.remove(order.name);
    case 'grant.remove':
      return client.grants.remove(order.id);
    case 'trust.revoke':
      return client.trusted.revoke(order.path);
    case 'root.add':
      return client.roots.add(expandHome(order.path));
    case 'root.remove':
      return client.roots.remove(order.path);
    case 'preferences':
      return client.preferences.change(order.change);
    case 'checkpoint.restore':
      return client.work.goBack(order.sessionId, order.id);
  }
};

const readArea = async (client: Client, area: Area): Promise<Choice[]> => {
  switch (area) {
    case 'home':
      return homeChoices();
    case 'agents':
      return agentsChoices((await client.engines.setups()).engines);
    case 'grants':
      return grantChoices(await client.grants.list());
    case 'trust':
      return trustChoices(await client.trusted.list());
    case 'roots':
      return rootChoices(await client.roots.list());
    case 'browser':
      return browserChoices((await client.status()).browsers, await client.preferences.read());
    case 'usage':
      return usageChoices(await client.usage({ by: 'day', limit: USAGE_DAYS }), await client.preferences.read());
    default: {
      if (isCheckpoints(area)) return checkpointChoices(await client.work.checkpoints(sessionOf(area)));
      const name = area.slice('agent '.length);
      const setup = (await client.engines.setups()).engines.find(({ engine }) => engine.name === name);
      return setup === undefined ? [] : agentChoices(setup);
    }
  }
};

const along = (attached: readonly Attached[]) => (attached.length === 0 ? {} : { uploads: attached.map(({ uploadId }) => uploadId) });

/** A bare name is looked for where programs are. */
const toProgram = (command: string): string => (/[/\\~]/u.test(command) ? expandHome(command) : command);

/** The project that exists before the user made one. */
const defaultProject = async (client: Client): Promise<ProjectId> => {
  const rootPath = await client.projects.defaultWorkspace();
  const known = (await client.projects.list()).find((project) => project.rootPath === rootPath);
  return (known ?? (await client.projects.save({ name: path.basename(rootPath), rootPath, allowCreate: true }))).id;
};

/** People type ~ as in a shell. */
const expandHome = (folder: string): string => {
  const home = process.env['HOME'] ?? process.env['USERPROFILE'];
  return home !== undefined && /^~(?=$|[/\\])/u.test(folder) ? path.join(home, folder.slice(1)) : path.resolve(folder);
};

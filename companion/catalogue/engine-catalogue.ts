/** The engines of this machine: which there are, where they are installed, whether they work, and what the others still need. */
import { homedir } from 'node:os';
import type { Engine } from '#companion/engines/engine.ts';
import type { Log } from '#companion/lib/log.ts';
import { own } from '#companion/lib/own.ts';
import { secretsIn } from '#companion/lib/redact.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { isWithin } from '#companion/process/candidates.ts';
import { withProjectsLast } from '#companion/process/environment.ts';
import { findExecutable, type Refusal } from '#companion/process/find.ts';
import { readLoginEnv } from '#companion/process/login-env.ts';
import type { CustomEngine } from '#companion/store/settings.ts';
import type { Store } from '#companion/store/store.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { LogInEngine } from '#protocol/errands.ts';
import { CompanionError } from '#protocol/errors.ts';
import { NotInstalled, notInstalled } from '#companion/runs/not-installed.ts';
import { loginErrand } from './login-errand.ts';
import { probeEngine, unchecked } from './probe.ts';
import type { Place, ResolvedEngine } from '#companion/runs/run.ts';

/** An engine with what is known of it, whether it is switched off or not. */
export interface KnownEngine {
  readonly engine: Engine;
  readonly info: EngineInfo;
}

type Listener = (engines: EngineInfo[]) => void;

/** A profile of many tools takes seconds on a busy machine, and without its answer no agent of theirs is found. */
const LOGIN_LIMIT_MS = 10_000;

export interface EngineCatalogueOptions {
  readonly store: Store;
  readonly paths: Paths;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  readonly engines: readonly Engine[];
  /** Makes an engine from the settings of one that the user added. */
  readonly fromCustom: (custom: CustomEngine) => Engine;
  /** Aborted at the end of the daemon, which stops the first check and the question to the login shell. */
  readonly ending: AbortSignal;
}

export class EngineCatalogue {
  readonly #options: EngineCatalogueOptions;
  readonly #homeDir: string;
  /** The results of the last checks, by name. */
  readonly #checked = new Map<string, EngineInfo>();
  /** Checks that run; each resolves with whether its result was taken. */
  readonly #checking = new Map<string, Promise<boolean>>();
  readonly #listeners = new Set<Listener>();
  #firstLook: Promise<unknown> | null = null;
  #loginEnv: Promise<Record<string, string>> | null = null;

  constructor(options: EngineCatalogueOptions) {
    this.#options = options;
    this.#homeDir = options.env['HOME'] ?? homedir();
    options.store.known.learn(secretsIn(options.env));
  }

  /** The results of the last checks; an engine that was never checked says so. */
  list(): EngineInfo[] {
    return this.#enabled().map((engine) => this.#infoOf(engine));
  }

  /** Like `list`, with the engines that are switched off. */
  known(): KnownEngine[] {
    return this.#all().map((engine) => ({ engine, info: this.#infoOf(engine) }));
  }

  /** Throws ENGINE_UNKNOWN. */
  find(name: string): Engine {
    const engine = this.#enabled().find((each) => each.name === name);
    if (engine === undefined) throw new CompanionError('ENGINE_UNKNOWN', name);
    return engine;
  }

  /**
   * Has every engine checked that was not checked yet, once. To be called when they are to be shown or chosen among, and not before:
   * starting all of them takes many seconds of the processor, and a daemon that serves tools alone needs none.
   */
  async look(): Promise<EngineInfo[]> {
    this.#firstLook ??= this.#checkAll(
      this.#enabled().filter(({ name }) => !this.#checked.has(name)),
      this.#options.ending,
    ).catch((error: unknown) => this.#options.log.warn('engines.look_failed', { error }));
    await this.#firstLook;
    return this.list();
  }

  /** Resolves when the first check, if there was one, has removed what it made. */
  async settled(): Promise<void> {
    await this.#firstLook;
  }

  /** The engine's settings have changed, so the result of its last check no longer holds. */
  forget(name: string): void {
    this.#checked.delete(name);
    this.#checking.delete(name);
    this.#publish();
  }

  /** Tells everybody the list as it is now. */
  tell(): void {
    this.#publish();
  }

  /** Checks one engine or all by really starting them; an engine that does not work is an answer, not an exception. */
  async refresh(name: string | undefined, signal: AbortSignal): Promise<EngineInfo[]> {
    // Everything is looked up again: the user may have installed something in another terminal just now.
    if (this.#checking.size === 0) this.#loginEnv = null;
    await this.#checkAll(name === undefined ? this.#enabled() : [this.find(name)], signal);
    return this.list();
  }

  /** Throws ENGINE_UNKNOWN or ENGINE_NOT_FOUND. */
  async resolve(name: string): Promise<ResolvedEngine> {
    const asked = this.#loginEnv;
    try {
      return await this.#locate(name);
    } catch (error) {
      if (!(error instanceof NotInstalled) || asked === null) throw error;
      // The user's profile may give other folders by now: a version manager moves everything with each update.
      if (asked === this.#loginEnv) this.#loginEnv = null;
      return this.#locate(name);
    }
  }

  /** How an agent is logged in. Throws ENGINE_UNKNOWN, ENGINE_NOT_FOUND, or ENGINE_UNSUPPORTED where it has no command for it. */
  async login(name: string): Promise<LogInEngine> {
    return loginErrand(this.find(name), (wanted) => this.resolve(wanted));
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** In the order that the person has given them, the others behind. */
  #all(): Engine[] {
    const { engines, store, fromCustom } = this.#options;
    const { engines: set, engineOrder } = store.settings.current();
    const builtIn = new Set(engines.map((engine) => engine.name));
    const all = [...engines, ...set.custom.filter((each) => !builtIn.has(each.name)).map(fromCustom)];
    const place = new Map(engineOrder.map((name, index) => [name, index]));
    const placeOf = ({ name }: Engine): number => place.get(name) ?? engineOrder.length;
    return all.toSorted((one, other) => placeOf(one) - placeOf(other));
  }

  #enabled(): Engine[] {
    const { byName } = this.#options.store.settings.current().engines;
    return this.#all().filter((engine) => own(byName, engine.name)?.isDisabled !== true);
  }

  #isCustom(engine: Engine): boolean {
    return !this.#options.engines.includes(engine);
  }

  #infoOf(engine: Engine): EngineInfo {
    return this.#checked.get(engine.name) ?? unchecked(engine, this.#isCustom(engine));
  }

  #publish(): void {
    const infos = this.list();
    for (const listener of this.#listeners) listener(infos);
  }

  async #checkAll(engines: readonly Engine[], signal: AbortSignal): Promise<void> {
    await Promise.all(engines.map(async (engine) => this.#check(engine, signal)));
  }

  /** A second caller gets the result of the check that runs: some agents fail when they are started for the first time twice at once. */
  async #check(engine: Engine, signal: AbortSignal): Promise<void> {
    const { name } = engine;
    for (let running = this.#checking.get(name); running !== undefined; running = this.#checking.get(name)) {
      if (await running) return;
    }
    const { store, paths, log } = this.#options;
    const resolve = async (wanted: string): Promise<ResolvedEngine> => this.#locate(wanted);
    const work = probeEngine({ engine, isCustom: this.#isCustom(engine), resolve, store, paths, log, signal }).then((info) => {
      const isCurrent = this.#checking.get(name) === work;
      if (isCurrent) this.#checking.delete(name);
      // A check that was aborted, or began before a change of settings, says nothing about the engine.
      if (signal.aborted || !isCurrent) return false;
      this.#checked.set(name, info);
      this.#publish();
      return true;
    });
    this.#checking.set(name, work);
    await work;
  }

  async #locate(name: string): Promise<ResolvedEngine> {
    const engine = this.find(name);
    const { store } = this.#options;
    const set = own(store.settings.current().engines.byName, name) ?? {};
    if (engine.type === 'loop') return { type: 'loop', engine, endpoint: set.endpoint ?? null };
    const [command, ...leading] = engine.command ?? [];
    const overridePath = set.path ?? command ?? null;
    const projectRoots = rootsOf(store, this.#homeDir);
    const loginEnv = withProjectsLast(await this.#login(), projectRoots);
    const refusals: Refusal[] = [];
    const found = await findExecutable(engine.finding, {
      loginEnv,
      homeDir: this.#homeDir,
      overridePath,
      projectRoots,
      onRefused: (refusal) => refusals.push(refusal),
    });
    if (found === null) {
      throw notInstalled(engine, overridePath ?? engine.finding.commands.join(', '), set.path !== undefined, refusals[0]);
    }
    const place: Place = {
      path: found.path,
      isNamed: set.path !== undefined,
      leadingArgs: [...found.leadingArgs, ...leading, ...(set.args ?? [])],
      binDirs: found.binDirs,
      loginEnv,
      env: set.env ?? {},
    };
    return { type: 'process', engine, place, source: found.source };
  }

  async #login(): Promise<Record<string, string>> {
    this.#loginEnv ??= readLoginEnv({ env: this.#options.env, signal: this.#options.ending, limitMs: LOGIN_LIMIT_MS });
    const loginEnv = await this.#loginEnv;
    this.#options.store.known.learn(secretsIn(loginEnv));
    return loginEnv;
  }
}

/**
 * The folders whose programs belong to a project. A project that is the home folder or above it is left out: all of it is the
 * user's own.
 */
const rootsOf = (store: Store, homeDir: string): string[] =>
  store.projects
    .list()
    .map(({ rootPath }) => rootPath)
    .filter((root) => !isWithin(root, homeDir, process.platform));

/** The engines of this machine: which there are, where they lie, whether they work, and what the others still need. */
import { homedir } from 'node:os';
import type { Engine } from '#companion/engines/engine.ts';
import type { Log } from '#companion/lib/log.ts';
import { own } from '#companion/lib/own.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { isWithin } from '#companion/process/candidates.ts';
import { withProjectsLast } from '#companion/process/environment.ts';
import { findExecutable, type Refusal } from '#companion/process/find.ts';
import { readLoginEnv } from '#companion/process/login-env.ts';
import type { CustomEngine } from '#companion/store/settings.ts';
import type { Store } from '#companion/store/store.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { NotInstalled, notInstalled } from '#companion/runs/not-installed.ts';
import { probeEngine, unchecked } from './probe.ts';
import type { Place, ResolvedEngine } from '#companion/runs/run.ts';

/** An engine with what is known of it, switched off or not. */
export interface KnownEngine {
  readonly engine: Engine;
  readonly info: EngineInfo;
}

type Listener = (engines: EngineInfo[]) => void;

export interface EngineCatalogueOptions {
  readonly store: Store;
  readonly paths: Paths;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  readonly engines: readonly Engine[];
  /** Makes an engine of what the user added. */
  readonly fromCustom: (custom: CustomEngine) => Engine;
}

export class EngineCatalogue {
  readonly #options: EngineCatalogueOptions;
  readonly #homeDir: string;
  /** As last checked, by name. */
  readonly #checked = new Map<string, EngineInfo>();
  /** Checks that run; each resolves with whether its result was taken. */
  readonly #checking = new Map<string, Promise<boolean>>();
  readonly #listeners = new Set<Listener>();
  #loginEnv: Promise<Record<string, string>> | null = null;

  constructor(options: EngineCatalogueOptions) {
    this.#options = options;
    this.#homeDir = options.env['HOME'] ?? homedir();
  }

  /** As last checked; an engine that was never checked says so. */
  list(): EngineInfo[] {
    return this.#enabled().map((engine) => this.#infoOf(engine));
  }

  /** As `list`, with those that are switched off. */
  known(): KnownEngine[] {
    return this.#all().map((engine) => ({ engine, info: this.#infoOf(engine) }));
  }

  /** Throws ENGINE_UNKNOWN. */
  find(name: string): Engine {
    const engine = this.#enabled().find((each) => each.name === name);
    if (engine === undefined) throw new CompanionError('ENGINE_UNKNOWN', name);
    return engine;
  }

  /** Its settings changed: what was found out about it no longer holds. */
  forget(name: string): void {
    this.#checked.delete(name);
    this.#checking.delete(name);
    this.#publish();
  }

  /** Checks one engine or all by really starting them; an engine that does not work is an answer, not an exception. */
  async refresh(name: string | undefined, signal: AbortSignal): Promise<EngineInfo[]> {
    // A fresh look: the user may have installed something in another terminal just now.
    if (this.#checking.size === 0) this.#loginEnv = null;
    const targets = name === undefined ? this.#enabled() : [this.find(name)];
    await Promise.all(targets.map(async (engine) => this.#check(engine, signal)));
    return this.list();
  }

  /** Throws ENGINE_UNKNOWN or ENGINE_NOT_FOUND. */
  async resolve(name: string): Promise<ResolvedEngine> {
    const asked = this.#loginEnv;
    try {
      return await this.#locate(name);
    } catch (error) {
      if (!(error instanceof NotInstalled) || asked === null) throw error;
      // The profile may say something else by now: a version manager moves everything with each update.
      if (asked === this.#loginEnv) this.#loginEnv = null;
      return this.#locate(name);
    }
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #all(): Engine[] {
    const { engines, store, fromCustom } = this.#options;
    const { custom } = store.settings.current().engines;
    const builtIn = new Set(engines.map((engine) => engine.name));
    return [...engines, ...custom.filter((each) => !builtIn.has(each.name)).map(fromCustom)];
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

  /** A second caller gets the answer of the check that runs: two first starts at once are more than some agents bear. */
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
      // One that was broken off, or began before a change of settings, says nothing about the engine.
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
    this.#loginEnv ??= readLoginEnv({ env: this.#options.env, signal: AbortSignal.timeout(10_000) });
    return this.#loginEnv;
  }
}

/** Folders whose programs are a project's. A project that is the home folder, or above it, is all of the user's own. */
const rootsOf = (store: Store, homeDir: string): string[] =>
  store.projects
    .list()
    .map(({ rootPath }) => rootPath)
    .filter((root) => !isWithin(root, homeDir, process.platform));

/** The engines of this machine: which there are, where they lie, whether they work, and what the others still need. */
import { homedir } from 'node:os';
import type { Engine } from '#companion/engines/engine.ts';
import type { Log } from '#companion/lib/log.ts';
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

export interface EngineDirectory {
  /** As last checked; an engine that was never checked says so. */
  list(): EngineInfo[];
  /** As `list`, with those that are switched off. */
  known(): KnownEngine[];
  /** Its settings changed: what was found out about it no longer holds. */
  forget(name: string): void;
  /** Throws ENGINE_UNKNOWN. */
  find(name: string): Engine;
  /** Checks one engine or all by really starting them; an engine that does not work is an answer, not an exception. */
  refresh(name: string | undefined, signal: AbortSignal): Promise<EngineInfo[]>;
  /** Throws ENGINE_UNKNOWN or ENGINE_NOT_FOUND. */
  resolve(name: string): Promise<ResolvedEngine>;
  subscribe(listener: (engines: EngineInfo[]) => void): () => void;
}

/** The directory of `engines` and of those the user added, which `fromCustom` makes into engines. */
export const createEngineDirectory = (options: {
  readonly store: Store;
  readonly paths: Paths;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  readonly engines: readonly Engine[];
  readonly fromCustom: (custom: CustomEngine) => Engine;
}): EngineDirectory => {
  const { store, log, env } = options;
  const checked = new Map<string, EngineInfo>();
  const listeners = new Set<(engines: EngineInfo[]) => void>();
  const checking = new Map<string, Promise<boolean>>();
  const homeDir = env['HOME'] ?? homedir();
  let loginEnv: Promise<Record<string, string>> | null = null;

  const all = (): Engine[] => {
    const { custom } = store.settings.current().engines;
    const own = new Set(options.engines.map((engine) => engine.name));
    const added = custom.filter((each) => !own.has(each.name)).map(options.fromCustom);
    return [...options.engines, ...added];
  };
  const enabled = (): Engine[] => {
    const { byName } = store.settings.current().engines;
    return all().filter((engine) => byName[engine.name]?.isDisabled !== true);
  };
  const isCustom = (engine: Engine): boolean => !options.engines.includes(engine);
  const find = (name: string): Engine => {
    const engine = enabled().find((each) => each.name === name);
    if (engine === undefined) throw new CompanionError('ENGINE_UNKNOWN', name);
    return engine;
  };
  const infoOf = (engine: Engine): EngineInfo => checked.get(engine.name) ?? unchecked(engine, isCustom(engine));
  const list = (): EngineInfo[] => enabled().map(infoOf);
  const publish = (): void => {
    const infos = list();
    for (const listener of listeners) listener(infos);
  };
  const login = async (): Promise<Record<string, string>> => {
    loginEnv ??= readLoginEnv({ env, signal: AbortSignal.timeout(10_000) });
    return loginEnv;
  };

  /** Who asks while a check runs gets that one's answer: two first starts at once are more than some agents bear. */
  const check = async (engine: Engine, signal: AbortSignal): Promise<void> => {
    for (let running = checking.get(engine.name); running !== undefined; running = checking.get(engine.name)) {
      if (await running) return;
    }
    const work = probeEngine({ engine, isCustom: isCustom(engine), resolve: locate, store, paths: options.paths, log, signal }).then(
      (info) => {
        const isCurrent = checking.get(engine.name) === work;
        if (isCurrent) checking.delete(engine.name);
        // One that was broken off, or began before a change of settings, says nothing about the engine.
        if (signal.aborted || !isCurrent) return false;
        checked.set(engine.name, info);
        publish();
        return true;
      },
    );
    checking.set(engine.name, work);
    await work;
  };

  const locate = async (name: string): Promise<ResolvedEngine> => {
    const engine = find(name);
    const own = store.settings.current().engines.byName[name] ?? {};
    if (engine.type === 'loop') return { type: 'loop', engine, endpoint: own.endpoint ?? null };
    const [command, ...leading] = engine.command ?? [];
    const overridePath = own.path ?? command ?? null;
    const roots = projectRoots(store, homeDir);
    const loginVars = withProjectsLast(await login(), roots);
    const refusals: Refusal[] = [];
    const found = await findExecutable(engine.finding, {
      loginEnv: loginVars,
      homeDir,
      overridePath,
      projectRoots: roots,
      onRefused: (refusal) => refusals.push(refusal),
    });
    if (found === null) {
      throw notInstalled(engine, overridePath ?? engine.finding.commands.join(', '), own.path !== undefined, refusals[0]);
    }
    const place: Place = {
      path: found.path,
      isNamed: own.path !== undefined,
      leadingArgs: [...found.leadingArgs, ...leading, ...(own.args ?? [])],
      binDirs: found.binDirs,
      loginEnv: loginVars,
      env: own.env ?? {},
    };
    return { type: 'process', engine, place, source: found.source };
  };
  const resolve = async (name: string): Promise<ResolvedEngine> => {
    const asked = loginEnv;
    try {
      return await locate(name);
    } catch (error) {
      if (!(error instanceof NotInstalled) || asked === null) throw error;
      // The profile may say something else by now: a version manager moves everything with each update.
      if (asked === loginEnv) loginEnv = null;
      return locate(name);
    }
  };

  return {
    list,
    known: () => all().map((engine) => ({ engine, info: infoOf(engine) })),
    forget: (name) => {
      checked.delete(name);
      checking.delete(name);
      publish();
    },
    find,
    resolve,
    refresh: async (name, signal) => {
      // A fresh look: the user may have installed something in another terminal just now.
      if (checking.size === 0) loginEnv = null;
      const targets = name === undefined ? enabled() : [find(name)];
      await Promise.all(targets.map(async (engine) => check(engine, signal)));
      return list();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** Folders whose programs are a project's. A project that is the home folder, or above it, is all of the user's own. */
const projectRoots = (store: Store, homeDir: string): string[] =>
  store.projects
    .list()
    .map(({ rootPath }) => rootPath)
    .filter((root) => !isWithin(root, homeDir, process.platform));

/** The health check starts an engine in the way a session starts it, up to the point where it would take a prompt. It spends no token. */
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { rmSync } from 'node:fs';
import { type Engine, type EngineEvent, installCommandOf, type ProcessEngine } from '#companion/engines/engine.ts';
import { makeDir } from '#companion/lib/make-dir.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { childEnvironment } from '#companion/process/environment.ts';
import { isOlder, readVersion } from '#companion/process/version.ts';
import type { Store } from '#companion/store/store.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError, type ErrorBody, fromErrorBody, toErrorBody } from '#protocol/errors.ts';
import { nameIn } from '#protocol/modes.ts';
import { defaultSettings } from '#protocol/events.ts';
import { SessionId } from '#protocol/ids.ts';
import { explain } from '#protocol/faults.ts';
import { NotInstalled } from '#companion/runs/not-installed.ts';
import { ProcessNote } from '#companion/runs/process-note.ts';
import { ProcessRun, runMark } from '#companion/runs/process-run.ts';
import type { ResolvedEngine, Run } from '#companion/runs/run.ts';

/** Only what hangs takes as long: some agents need seconds to start, and several times as many on a busy machine. */
const TOTAL_LIMIT_MS = 60_000;
const VERSION_LIMIT_MS = 20_000;
/** How long an engine may take, once it is ready, to tell its slash commands; many tell none. */
const COMMANDS_LIMIT_MS = 1000;
/** Takes the place of a session's id in the list of processes. */
const CHECK = SessionId.parse('check');

type Ready = Extract<EngineEvent, { type: 'ready' }>;

/** The state of an engine that was not checked yet. */
export const unchecked = (engine: Engine, isCustom: boolean): EngineInfo => ({
  name: engine.name,
  label: engine.label,
  ...(engine.labelCode === undefined ? {} : { labelCode: engine.labelCode }),
  status: 'unchecked',
  capabilities: engine.capabilities,
  models: [],
  modes: [...engine.modes],
  ...(engine.defaultMode === undefined ? {} : { defaultMode: engine.defaultMode }),
  isCustom,
  ...loginOf(engine),
});

const loginOf = (engine: Engine): Pick<EngineInfo, 'loginCommand'> =>
  engine.type === 'loop' || engine.finding.loginCommand === '' ? {} : { loginCommand: engine.finding.loginCommand };

/** Checks one engine. A failure is a result, never an exception. */
export const probeEngine = async (options: {
  readonly engine: Engine;
  readonly isCustom: boolean;
  readonly resolve: (name: string) => Promise<ResolvedEngine>;
  readonly store: Store;
  readonly paths: Paths;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<EngineInfo> => {
  const { engine, log } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TOTAL_LIMIT_MS)]);
  const base = { ...unchecked(engine, options.isCustom), checkedAt: Date.now() };
  let known: Partial<EngineInfo> = {};
  try {
    const resolved = await options.resolve(engine.name);
    const secrets = await options.store.secrets.all(engine.name);
    if (resolved.type === 'loop') {
      const { account, models } = await resolved.engine.probe({ secrets, endpoint: resolved.endpoint, signal });
      return { ...base, status: 'ready', account, models: [...models] };
    }
    known = { path: resolved.place.path, pathSource: resolved.source };
    const version = await askVersion(resolved.engine, resolved.place, options.paths, signal);
    if (version !== null) known = { ...known, version };
    checkVersion(resolved.engine, version);
    const ready = await handshake({ ...options, engine: resolved.engine, place: resolved.place, secrets, signal });
    if (ready.account === null) throw new CompanionError('ENGINE_NOT_LOGGED_IN', engine.label);
    return {
      ...base,
      ...known,
      status: 'ready',
      ...(ready.version === undefined ? {} : { version: ready.version }),
      ...(ready.account === undefined ? {} : { account: ready.account }),
      models: [...(ready.models ?? [])],
      modes: [...(ready.modes ?? engine.modes)],
      ...(ready.defaultMode === undefined ? {} : { defaultMode: ready.defaultMode }),
      ...(ready.commands === undefined ? {} : { commands: [...ready.commands] }),
    };
  } catch (error) {
    const body = signal.aborted
      ? new CompanionError('ENGINE_START_FAILED', explain('no_answer_in_time', { agent: nameIn(engine) })).toBody()
      : toErrorBody(error);
    log.warn('engine.check_failed', { engine: engine.name, code: body.code, message: body.message });
    const fix = error instanceof NotInstalled && error.fix !== '' ? error.fix : fixOf(engine, body);
    return { ...base, ...known, status: statusOf(body), error: body, ...(fix === undefined ? {} : { fix }) };
  }
};

const statusOf = (error: ErrorBody): EngineInfo['status'] => {
  if (error.code === 'ENGINE_NOT_FOUND' || error.code === 'ENGINE_SERVER_NOT_FOUND') return 'not_installed';
  if (error.code === 'ENGINE_TOO_OLD') return 'too_old';
  return error.code === 'ENGINE_NOT_LOGGED_IN' ? 'not_logged_in' : 'failed';
};

const fixOf = (engine: Engine, error: ErrorBody): string | undefined => {
  if (engine.type === 'loop') return undefined;
  const { loginCommand } = engine.finding;
  const installCommand = installCommandOf(engine.finding);
  const status = statusOf(error);
  const fix = status === 'not_logged_in' ? loginCommand : status === 'not_installed' || status === 'too_old' ? installCommand : '';
  return fix === '' ? undefined : fix;
};

type Place = Extract<ResolvedEngine, { type: 'process' }>['place'];

const askVersion = async (engine: ProcessEngine, place: Place, paths: Paths, signal: AbortSignal): Promise<string | null> => {
  const { versionArgs } = engine.finding;
  if (versionArgs.length === 0) return null;
  const env = childEnvironment({ loginEnv: place.loginEnv, allow: engine.envAllow, extra: place.env, binDirs: place.binDirs });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(VERSION_LIMIT_MS)]);
  const runDir = path.join(paths.runsDir, randomId('version'));
  try {
    const marked = { ...env, ...runMark(runDir) };
    return await readVersion(place.path, [...place.leadingArgs, ...versionArgs], marked, limit, emptyFolder(runDir));
  } finally {
    rmSync(runDir, { recursive: true, force: true });
  }
};

/** An empty folder in which a check runs, so that no project can start anything. */
const emptyFolder = (runDir: string): string => {
  const folder = path.join(runDir, 'empty');
  makeDir(folder);
  return folder;
};

const checkVersion = (engine: ProcessEngine, version: string | null): void => {
  const { minVersion } = engine.finding;
  if (version === null || minVersion === null || !isOlder(version, minVersion)) return;
  throw new CompanionError('ENGINE_TOO_OLD', explain('version_needed', { agent: nameIn(engine), version, needed: minVersion }), {
    remedy: explain('update_it', { command: installCommandOf(engine.finding) }),
  });
};

/** Starts the process, waits until it says that it takes prompts, and ends it. */
const handshake = async (options: {
  readonly engine: ProcessEngine;
  readonly place: Place;
  readonly secrets: Readonly<Record<string, string>>;
  readonly store: Store;
  readonly paths: Paths;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<Ready> => {
  const { engine, place, secrets, store, paths, log, signal } = options;
  signal.throwIfAborted();
  const runDir = path.join(paths.runsDir, randomId('probe'));
  const cwd = emptyFolder(runDir);
  const launch = { cwd, settings: defaultSettings, engineSessionId: null, mcp: null, runDir, secrets, userEnv: place.env, isProbe: true };
  const { promise, resolve, reject } = Promise.withResolvers<Ready>();
  const told = Promise.withResolvers<Ready['commands']>();
  const note = new ProcessNote(store, CHECK, log);
  const start = () =>
    ProcessRun.start({
      engine,
      place,
      launch,
      services: null,
      log,
      known: store.known,
      listener: {
        onEvent: (event) => {
          if (event.type === 'ready') resolve(event);
          if (event.type === 'commands.told') told.resolve(event.commands);
          // A codec reports a failed turn to say why there will be none, for instance because nobody is signed in.
          if (event.type === 'turn.completed' && event.error !== undefined) reject(fromErrorBody(event.error));
        },
        onLine: () => {},
        onEnd: (error) => {
          reject(fromErrorBody(error));
          told.resolve(undefined);
        },
      },
      onSpawn: (pid) => note.started(pid),
      onGone: () => note.ended(),
    });
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let run: Run | null = null;
  try {
    run = start();
    const ready = await promise;
    if (engine.tellsCommandsLater !== true) return ready;
    const commands = await Promise.race([told.promise, after(COMMANDS_LIMIT_MS, undefined, { ref: false })]);
    return { ...ready, ...(commands === undefined ? {} : { commands }) };
  } finally {
    signal.removeEventListener('abort', abort);
    await run?.stop({ graceMs: 1000 });
    // This happens also when the process could not be started at all.
    rmSync(runDir, { recursive: true, force: true });
  }
};

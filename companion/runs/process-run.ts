/** A run that is a process: spawned with its files, fed by its codec, and gone without a trace. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Effect, EngineEvent, LaunchOptions, ProcessEngine } from '#companion/engines/engine.ts';
import { GuardedCodec } from '#companion/engines/guarded-codec.ts';
import type { Log } from '#companion/lib/log.ts';
import { RUN_MARK } from '#protocol/environment.ts';
import { type Child, startChild } from '#companion/process/child.ts';
import { childEnvironment } from '#companion/process/environment.ts';
import { CompanionError, type ErrorBody, fromErrorBody, toErrorBody } from '#protocol/errors.ts';
import { notInstalled } from './not-installed.ts';
import type { Run, RunListener } from './run.ts';
import { createTaskReads } from './task-reads.ts';

/** Shorter values are no secrets, and blotting them out would spoil ordinary text. */
const MIN_SECRET_CHARS = 12;
const STDERR_CHARS = 400;

/** Where the program was found, and what of the user's settings goes with it. */
export interface Place {
  readonly path: string;
  /** The user named it in the settings. */
  readonly isNamed: boolean;
  readonly leadingArgs: readonly string[];
  readonly binDirs: readonly string[];
  readonly loginEnv: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** I/O that an agent asks of us instead of doing it itself. */
export interface AgentServices {
  call(method: string, params: unknown): Promise<unknown>;
  close(): void;
}

/** Starts the engine's process. `onSpawn` gets its pid, for the ledger. */
export const startProcessRun = (options: {
  readonly engine: ProcessEngine;
  readonly place: Place;
  readonly launch: LaunchOptions;
  readonly services: AgentServices | null;
  readonly listener: RunListener;
  readonly onSpawn?: (pid: number) => void;
  readonly log: Log;
}): Run => {
  const { engine, place, launch, services, listener, log } = options;
  const redact = createRedactor([launch.mcp?.token ?? '', ...Object.values(launch.secrets)]);
  const { promise: ready, resolve: noteReady, reject: noteFailed } = Promise.withResolvers<void>();
  // Nobody may be waiting any more when it fails.
  ready.catch(() => {});
  const reads = createTaskReads();
  let isReady = false;
  let hasEnded = false;
  let stopError: ErrorBody | null = null;
  let child: Child | null = null;

  const apply = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      switch (effect.type) {
        case 'event':
          if (effect.event.type === 'ready') {
            isReady = true;
            clearTimeout(startTimer);
          }
          listener.onEvent(withReason(effect.event));
          // After the listener: who waits finds the event already recorded.
          if (effect.event.type === 'ready') noteReady();
          break;
        case 'write':
          child?.write(effect.line);
          break;
        case 'stop':
          void stop(effect.error === undefined ? {} : { error: effect.error });
          break;
        case 'service':
          void serve(effect.callId, effect.method, effect.params);
          break;
        case 'task.output':
          reads.settle(effect.itemId, effect.output);
          break;
      }
    }
  };
  /** The codec only sees that the process ended; why we ended it, we know. */
  const withReason = (event: EngineEvent): EngineEvent =>
    event.type === 'turn.completed' && event.outcome === 'failed' && stopError !== null ? { ...event, error: stopError } : event;
  const serve = async (callId: string, method: string, params: unknown): Promise<void> => {
    try {
      if (services === null) throw new CompanionError('ENGINE_UNSUPPORTED', method);
      const result = await services.call(method, params);
      if (!hasEnded) apply(codec.reply(callId, { result }));
    } catch (error) {
      if (!hasEnded) apply(codec.reply(callId, { error: toErrorBody(error) }));
    }
  };
  const stop = async (how: { graceMs?: number; error?: ErrorBody } = {}): Promise<void> => {
    stopError ??= how.error ?? null;
    await child?.stop(how.graceMs);
  };
  const end = (exit: { code: number | null; signal: string | null; startError?: Error }): void => {
    clearTimeout(startTimer);
    const stderr = redact(child?.stderrTail() ?? '');
    // Of a process that never was the codec knows nothing.
    if (exit.startError === undefined) apply(codec.exit({ code: exit.code, signal: exit.signal, stderr }));
    hasEnded = true;
    reads.close();
    services?.close();
    removeRunDir(launch.runDir, log);
    const error = stopError ?? endError({ ...exit, engine, place, isReady, stderr });
    log.info('run.ended', { engine: engine.name, code: exit.code, signal: exit.signal, isReady, ...(isReady ? {} : { stderr }) });
    noteFailed(fromErrorBody(error));
    listener.onEnd(error);
  };

  const codec = new GuardedCodec(engine.codec(launch), (error) =>
    log.error('run.codec_failed', { engine: engine.name, error, stack: error instanceof Error ? error.stack : undefined }),
  );
  const { args, env, fixedEnv, files } = engine.launch(launch);
  writeRunFiles(launch.runDir, files);
  child = startChild({
    command: place.path,
    args: [...place.leadingArgs, ...args],
    cwd: launch.cwd,
    env: childEnvironment({
      loginEnv: place.loginEnv,
      allow: engine.envAllow,
      extra: { ...env, ...place.env, ...fixedEnv, ...runMark(launch.runDir) },
      binDirs: place.binDirs,
    }),
    onLine: (line) => {
      if (hasEnded) return;
      const clean = redact(line);
      const effects = codec.line(clean);
      // What somebody looks at meanwhile says nothing about the turn, and is not kept.
      if (!effects.some(({ type }) => type === 'task.output')) listener.onLine(clean);
      apply(effects);
    },
    onOverflow: (bytes) => {
      const detail = `${engine.label} wrote a line of ${bytes} bytes.`;
      void stop({ graceMs: 0, error: new CompanionError('ENGINE_OUTPUT_MALFORMED', detail).toBody() });
    },
    onMute: () => {
      const detail = `${engine.label} closed its output and ran on.`;
      void stop({ graceMs: 0, error: new CompanionError('ENGINE_OUTPUT_TRUNCATED', detail).toBody() });
    },
    onExit: end,
  });
  const startTimer = setTimeout(() => {
    const detail = `${engine.label} was not ready after ${engine.startTimeoutMs / 1000} s.`;
    void stop({ graceMs: 0, error: new CompanionError('ENGINE_START_FAILED', detail).toBody() });
  }, engine.startTimeoutMs);
  if (child.pid !== null) {
    log.info('run.started', { engine: engine.name, pid: child.pid, path: place.path });
    options.onSpawn?.(child.pid);
    apply(codec.start());
  }

  return {
    ready,
    prompt: (prompt) => apply(codec.prompt(prompt)),
    steer: (prompt) => apply(codec.steer(prompt)),
    answer: (requestId, answer) => apply(codec.answer(requestId, answer)),
    interrupt: () => apply(codec.interrupt()),
    stopTask: (itemId) => apply(codec.stopTask(itemId)),
    readTask: async (itemId) =>
      hasEnded || codec.readTask === undefined ? null : reads.ask(itemId, () => codec.readTask?.(itemId) ?? [], apply),
    configure: (settings) => apply(codec.configure(settings)),
    stop,
  };
};

/** Names the run after its folder: a daemon that finds the folder left behind finds the processes too. */
export const runMark = (runDir: string): Record<string, string> => ({ [RUN_MARK]: path.basename(runDir) });

/** Blots secrets out of a line before anything else sees it, so that no log and no history ever holds one (S22). */
const createRedactor = (values: readonly string[]): ((text: string) => string) => {
  const secrets = values.filter((value) => value.length >= MIN_SECRET_CHARS).map((value) => JSON.stringify(value).slice(1, -1));
  return (text) => secrets.reduce((clean, secret) => (clean.includes(secret) ? clean.replaceAll(secret, '[secret]') : clean), text);
};

const writeRunFiles = (runDir: string, files: readonly { name: string; content: string }[]): void => {
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  for (const { name, content } of files) {
    const file = path.join(runDir, name);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { mode: 0o600 });
  }
};

const removeRunDir = (runDir: string, log: Log): void => {
  try {
    rmSync(runDir, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    log.warn('run.files_left', { runDir, error });
  }
};

const endError = (end: {
  code: number | null;
  signal: string | null;
  startError?: Error;
  engine: ProcessEngine;
  place: Place;
  isReady: boolean;
  stderr: string;
}): ErrorBody => {
  const { label } = end.engine;
  const how = end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`;
  const said = end.stderr.trim() === '' ? '' : ` It said: ${end.stderr.trim().slice(-STDERR_CHARS)}`;
  if (end.startError !== undefined) {
    // It went away between the search and the start, as in an update.
    return existsSync(end.place.path)
      ? new CompanionError('ENGINE_START_FAILED', `${end.place.path}: ${end.startError.message}`).toBody()
      : notInstalled(end.engine, end.place.path, end.place.isNamed).toBody();
  }
  if (!end.isReady) return new CompanionError('ENGINE_START_FAILED', `${label} ended with ${how} before it was ready.${said}`).toBody();
  return end.code === 0
    ? new CompanionError('ENGINE_OUTPUT_TRUNCATED', `${label} ended with ${how}.${said}`).toBody()
    : new CompanionError('ENGINE_CRASHED', `${label} ended with ${how}.${said}`).toBody();
};

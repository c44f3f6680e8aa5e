/** A run that is a process: started with its files, driven by its codec, and removed without a trace. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Codec, Effect, EngineEvent, EnginePrompt, LaunchOptions, ProcessEngine } from '#companion/engines/engine.ts';
import { withLogin } from '#companion/engines/errors.ts';
import type { Log } from '#companion/lib/log.ts';
import type { KnownSecrets } from '#companion/lib/known-secrets.ts';
import { makeDir } from '#companion/lib/make-dir.ts';
import { RUN_MARK } from '#protocol/environment.ts';
import { type Child, type Exit, startChild } from '#companion/process/child.ts';
import { childEnvironment } from '#companion/process/environment.ts';
import { killGroup } from '#companion/process/identity.ts';
import type { TaskOutput } from '#protocol/api.ts';
import { CompanionError, type ErrorBody, type ErrorCode, fromErrorBody, toErrorBody } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import { explain } from '#protocol/faults.ts';
import type { Said } from '#protocol/said.ts';
import type { AgentServices } from './agent-services.ts';
import { notInstalled } from './not-installed.ts';
import { RedactedListener } from './redacted-listener.ts';
import type { Place, Run, RunListener, StopOptions } from './run.ts';
import { secretsOfRun } from './run-secrets.ts';
import type { RunFolder } from './run-folder.ts';
import type { RunTrust } from './run-trust.ts';
import { TaskReads } from './task-reads.ts';

const STDERR_CHARS = 400;

export interface ProcessRunOptions {
  readonly engine: ProcessEngine;
  readonly place: Place;
  readonly launch: LaunchOptions;
  /** Files and terminals that the agent may ask for. */
  readonly services: Pick<AgentServices, 'call' | 'close'> | null;
  readonly listener: RunListener;
  /** Null for a run in an empty folder, where nothing can act. */
  readonly trust?: RunTrust | null;
  /** None for one that works in no project. */
  readonly folder?: RunFolder;
  /** Called with the process's id, to be noted down. */
  readonly onSpawn?: (pid: number) => void;
  /** Called when the process has ended, before the listener is told. */
  readonly onGone?: () => void;
  readonly log: Log;
  /** Learns what this run comes across. */
  readonly known: KnownSecrets;
}

/** The agent's process: its lines go through the codec to the listener, what the codec wants goes back to the process. */
export class ProcessRun implements Run {
  readonly ready: Promise<void>;
  readonly #options: ProcessRunOptions;
  readonly #codec: GuardedCodec;
  readonly #reads = new TaskReads();
  readonly #listener: RunListener;
  readonly #noteReady: () => void;
  readonly #noteFailed: (error: CompanionError) => void;
  #child: Child | null = null;
  #startTimer: NodeJS.Timeout | null = null;
  #isReady = false;
  /** A turn runs: the agent has work that it has not ended. */
  #isWorking = false;
  #hasEnded = false;
  #stopError: ErrorBody | null = null;
  #stderrAtPrompt = '';

  /** Starts the process. Throws when its files cannot be written. */
  static start(options: ProcessRunOptions): ProcessRun {
    const run = new ProcessRun(options);
    run.#spawn();
    return run;
  }

  private constructor(options: ProcessRunOptions) {
    const { engine, launch, log, known } = options;
    this.#options = options;
    known.learn(secretsOfRun(launch, options.place));
    this.#listener = new RedactedListener(known, options.listener);
    this.#codec = new GuardedCodec(engine.codec(launch), (error) => log.error('run.codec_failed', { engine: engine.name, error }));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // The rejection is handled here too, because nobody may be waiting for it.
    promise.catch(() => {});
    this.ready = promise;
    this.#noteReady = resolve;
    this.#noteFailed = reject;
  }

  async recheck(): Promise<boolean> {
    const { folder, trust } = this.#options;
    if (folder !== undefined && !(await folder.isHeld())) return false;
    await trust?.recheck();
    return true;
  }

  prompt(prompt: EnginePrompt): void {
    this.#isWorking = true;
    this.#stderrAtPrompt = this.#child?.stderrTail() ?? '';
    this.#apply(this.#codec.ask((codec) => codec.prompt(prompt)));
  }

  steer(prompt: EnginePrompt): void {
    this.#apply(this.#codec.ask((codec) => codec.steer(prompt)));
  }

  answer(agentRequestId: string, answer: RequestAnswer): void {
    this.#apply(this.#codec.ask((codec) => codec.answer(agentRequestId, answer)));
  }

  interrupt(): void {
    this.#apply(this.#codec.ask((codec) => codec.interrupt()));
  }

  stopTask(agentItemId: string): void {
    this.#apply(this.#codec.ask((codec) => codec.stopTask(agentItemId)));
  }

  async readTask(agentItemId: string): Promise<TaskOutput | null> {
    if (this.#hasEnded || !this.#codec.canReadTasks) return null;
    const ask = (): Effect[] => this.#codec.ask((codec) => codec.readTask?.(agentItemId) ?? []);
    return this.#reads.read(agentItemId, ask, (effects) => this.#apply(effects));
  }

  configure(settings: SessionSettings): void {
    this.#apply(this.#codec.ask((codec) => codec.configure(settings)));
  }

  lastWords(): string | null {
    const tail = this.#child?.stderrTail() ?? '';
    if (tail === this.#stderrAtPrompt) return null;
    const last = tail
      .split('\n')
      .map((line) => line.trim())
      .findLast((line) => line !== '');
    return last === undefined ? null : this.#options.known.redactor.text(last).slice(-STDERR_CHARS);
  }

  async stop(how: StopOptions = {}): Promise<void> {
    this.#stopError ??= how.error ?? null;
    const child = this.#child;
    if (child === null) return;
    const { trust } = this.#options;
    // A hook of the project that runs at the agent's end must have been agreed to as well, or the agent is killed before it runs.
    if (trust !== undefined && trust !== null && !(await trust.isHeld()) && child.pid !== null && !this.#hasEnded) killGroup(child.pid);
    await child.stop({ graceMs: how.graceMs, isForced: how.isForced, isCut: this.#isWorking });
  }

  #spawn(): void {
    const { engine, place, launch, log } = this.#options;
    const { args, env, fixedEnv, files } = engine.launch(launch);
    writeRunFiles(launch.runDir, files);
    const child = startChild({
      command: place.path,
      args: [...place.leadingArgs, ...args],
      cwd: launch.cwd,
      env: childEnvironment({
        loginEnv: place.loginEnv,
        allow: engine.envAllow,
        extra: { ...env, ...place.env, ...fixedEnv, ...runMark(launch.runDir) },
        binDirs: place.binDirs,
      }),
      onLine: (line) => this.#takeLine(line),
      onOverflow: (bytes) => this.#breakOff('ENGINE_OUTPUT_MALFORMED', explain('line_too_long', { agent: engine.label, bytes })),
      onMute: () => this.#breakOff('ENGINE_OUTPUT_TRUNCATED', explain('output_closed', { agent: engine.label })),
      onExit: (exit) => this.#end(exit),
    });
    this.#child = child;
    this.#startTimer = setTimeout(
      () => this.#breakOff('ENGINE_START_FAILED', explain('never_ready', { agent: engine.label, seconds: engine.startTimeoutMs / 1000 })),
      engine.startTimeoutMs,
    );
    if (child.pid === null) return;
    log.info('run.started', { engine: engine.name, pid: child.pid, path: place.path });
    this.#options.onSpawn?.(child.pid);
    this.#apply(this.#codec.ask((codec) => codec.start()));
  }

  #takeLine(line: string): void {
    if (!this.#hasEnded) this.#guard(() => this.#take(line));
  }

  /** A fault of Pilotfish after the codec also ends only this run, never the process that holds all sessions. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      const { engine, log } = this.#options;
      log.error('run.tell_failed', { engine: engine.name, error });
      void this.stop({ graceMs: 0, error: toErrorBody(error) });
    }
  }

  #take(line: string): void {
    const effects = this.#codec.ask((codec) => codec.line(line));
    // The answer to somebody who looks at a task is no sign of life of the turn, and is not kept.
    if (!effects.some(({ type }) => type === 'task.output')) this.#listener.onLine(line);
    this.#apply(effects);
  }

  #apply(effects: readonly Effect[]): void {
    for (const effect of effects) {
      switch (effect.type) {
        case 'event':
          this.#tell(effect.event);
          break;
        case 'write':
          this.#child?.write(effect.line);
          break;
        case 'stop':
          void this.stop(effect.error === undefined ? {} : { error: this.#withLogin(effect.error) });
          break;
        case 'service':
          void this.#serve(effect.callId, effect.method, effect.params);
          break;
        case 'task.output':
          this.#reads.answer(effect.itemId, this.#options.known.redactor.value(effect.output));
          break;
      }
    }
  }

  #tell(event: EngineEvent): void {
    if (event.type === 'ready') {
      this.#isReady = true;
      this.#stopStartTimer();
    }
    if (event.type === 'turn.started' || event.type === 'turn.completed') this.#isWorking = event.type === 'turn.started';
    this.#listener.onEvent(this.#withReason(event));
    // It comes after the listener, so that those who wait find the event recorded.
    if (event.type === 'ready') this.#noteReady();
  }

  /** The codec sees only that the process has ended; why Pilotfish ended it is known here. */
  #withReason(event: EngineEvent): EngineEvent {
    if (event.type !== 'turn.completed' || event.outcome !== 'failed') return event;
    const error = this.#stopError ?? event.error;
    return error === undefined ? event : { ...event, error: this.#withLogin(error) };
  }

  #withLogin(error: ErrorBody): ErrorBody {
    return withLogin(error, this.#options.engine.finding.loginCommand);
  }

  async #serve(callId: string, method: string, params: unknown): Promise<void> {
    const { services } = this.#options;
    try {
      if (services === null) throw new CompanionError('ENGINE_UNSUPPORTED', method);
      const result = await services.call(method, params);
      if (!this.#hasEnded) this.#apply(this.#codec.ask((codec) => codec.reply(callId, { result })));
    } catch (error) {
      if (!this.#hasEnded) this.#guard(() => this.#apply(this.#codec.ask((codec) => codec.reply(callId, { error: toErrorBody(error) }))));
    }
  }

  #breakOff(code: ErrorCode, what: Said): void {
    void this.stop({ graceMs: 0, error: new CompanionError(code, what).toBody() });
  }

  #end(exit: Exit): void {
    const { engine, place, launch, services, log, known } = this.#options;
    this.#stopStartTimer();
    const stderr = known.redactor.text(this.#child?.stderrTail() ?? '');
    // The codec knows nothing of a process that could not be started.
    if (exit.startError === undefined) this.#guard(() => this.#apply(this.#codec.end({ code: exit.code, signal: exit.signal, stderr })));
    this.#hasEnded = true;
    this.#reads.close();
    services?.close();
    removeRunDir(launch.runDir, log);
    const isReady = this.#isReady;
    const error = this.#stopError ?? endError({ ...exit, engine, place, isReady, stderr });
    log.info('run.ended', { engine: engine.name, code: exit.code, signal: exit.signal, isReady, ...(isReady ? {} : { stderr }) });
    this.#options.onGone?.();
    this.#noteFailed(fromErrorBody(error));
    this.#listener.onEnd(error);
    known.forget(launch.mcp?.token ?? '');
  }

  #stopStartTimer(): void {
    if (this.#startTimer !== null) clearTimeout(this.#startTimer);
    this.#startTimer = null;
  }
}

/** The codec behind a guard: a fault in our own code ends the one run, never the process that holds all sessions. */
export class GuardedCodec {
  readonly canReadTasks: boolean;
  readonly #codec: Codec;
  readonly #report: (error: unknown) => void;
  #hasFailed = false;

  constructor(codec: Codec, report: (error: unknown) => void) {
    this.#codec = codec;
    this.#report = report;
    this.canReadTasks = codec.readTask !== undefined;
  }

  /**
   * What the codec wants done; it never throws. What `step` throws goes to `report`, and the run is asked to stop with
   * `INTERNAL`; after that the codec hears only of the end of its process, as its state can no longer be trusted.
   */
  ask(step: (codec: Codec) => Effect[]): Effect[] {
    if (this.#hasFailed) return [];
    try {
      return step(this.#codec);
    } catch (error) {
      this.#hasFailed = true;
      this.#report(error);
      return [{ type: 'stop', error: new CompanionError('INTERNAL', error instanceof Error ? error.message : String(error)).toBody() }];
    }
  }

  /** The process has ended. The codec is asked even after a failure: it still knows best which items and requests are open. */
  end(exit: Parameters<Codec['exit']>[0]): Effect[] {
    this.#hasFailed = false;
    return this.ask((codec) => codec.exit(exit));
  }
}

/** The run has the name of its folder: a daemon that finds the folder left behind finds the processes too. */
export const runMark = (runDir: string): Record<string, string> => ({ [RUN_MARK]: path.basename(runDir) });

const writeRunFiles = (runDir: string, files: readonly { name: string; content: string }[]): void => {
  makeDir(runDir);
  for (const { name, content } of files) {
    const file = path.join(runDir, name);
    makeDir(path.dirname(file));
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

const endError = (end: Exit & { engine: ProcessEngine; place: Place; isReady: boolean; stderr: string }): ErrorBody => {
  const { label: agent } = end.engine;
  const how = end.signal === null ? explain('exit_code', { code: end.code ?? 'unknown' }) : explain('signal', { signal: end.signal });
  const words = end.stderr.trim().slice(-STDERR_CHARS);
  const withWords = (what: Said): Said => (words === '' ? what : explain('and_said', { what, words }));
  if (end.startError !== undefined) {
    // The program disappeared between the search and the start, for instance during an update.
    return existsSync(end.place.path)
      ? new CompanionError('ENGINE_START_FAILED', `${end.place.path}: ${end.startError.message}`).toBody()
      : notInstalled(end.engine, end.place.path, end.place.isNamed).toBody();
  }
  if (!end.isReady) return new CompanionError('ENGINE_START_FAILED', withWords(explain('ended_early', { agent, how }))).toBody();
  return new CompanionError(
    end.code === 0 ? 'ENGINE_OUTPUT_TRUNCATED' : 'ENGINE_CRASHED',
    withWords(explain('ended', { agent, how })),
  ).toBody();
};

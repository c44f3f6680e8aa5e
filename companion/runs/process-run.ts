/** A run that is a process: spawned with its files, fed by its codec, and gone without a trace. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Effect, EngineEvent, EnginePrompt, LaunchOptions, ProcessEngine } from '#companion/engines/engine.ts';
import { GuardedCodec } from '#companion/engines/guarded-codec.ts';
import type { Log } from '#companion/lib/log.ts';
import { Redactor } from '#companion/lib/redact.ts';
import { RUN_MARK } from '#protocol/environment.ts';
import { type Child, type Exit, startChild } from '#companion/process/child.ts';
import { childEnvironment } from '#companion/process/environment.ts';
import { killGroup } from '#companion/process/ledger.ts';
import type { TaskOutput } from '#protocol/api.ts';
import { CompanionError, type ErrorBody, type ErrorCode, fromErrorBody, toErrorBody } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import type { AgentServices } from './agent-services.ts';
import { knownSecrets } from './known-secrets.ts';
import { notInstalled } from './not-installed.ts';
import { RedactedListener } from './redacted-listener.ts';
import type { Place, Run, RunListener, StopOptions } from './run.ts';
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
  /** Null for a run in an empty folder, which starts nothing. */
  readonly trust?: RunTrust | null;
  /** Gets the process's id, for the ledger. */
  readonly onSpawn?: (pid: number) => void;
  /** The process has gone; the listener is told after it. */
  readonly onGone?: () => void;
  readonly log: Log;
}

/** The agent's process: its lines go through the codec to the listener, what the codec wants goes back to the process. */
export class ProcessRun implements Run {
  readonly ready: Promise<void>;
  readonly #options: ProcessRunOptions;
  readonly #codec: GuardedCodec;
  readonly #reads = new TaskReads();
  readonly #redactor: Redactor;
  readonly #listener: RunListener;
  readonly #noteReady: () => void;
  readonly #noteFailed: (error: CompanionError) => void;
  #child: Child | null = null;
  #startTimer: NodeJS.Timeout | null = null;
  #isReady = false;
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
    const { engine, launch, log } = options;
    this.#options = options;
    this.#redactor = new Redactor(knownSecrets(launch, options.place));
    this.#listener = new RedactedListener(this.#redactor, options.listener);
    this.#codec = new GuardedCodec(engine.codec(launch), (error) =>
      log.error('run.codec_failed', { engine: engine.name, ...this.#describe(error) }),
    );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Nobody may be waiting any more when it fails.
    promise.catch(() => {});
    this.ready = promise;
    this.#noteReady = resolve;
    this.#noteFailed = reject;
  }

  async recheck(): Promise<void> {
    await this.#options.trust?.recheck();
  }

  prompt(prompt: EnginePrompt): void {
    this.#stderrAtPrompt = this.#child?.stderrTail() ?? '';
    this.#apply(this.#codec.prompt(prompt));
  }

  steer(prompt: EnginePrompt): void {
    this.#apply(this.#codec.steer(prompt));
  }

  answer(agentRequestId: string, answer: RequestAnswer): void {
    this.#apply(this.#codec.answer(agentRequestId, answer));
  }

  interrupt(): void {
    this.#apply(this.#codec.interrupt());
  }

  stopTask(agentItemId: string): void {
    this.#apply(this.#codec.stopTask(agentItemId));
  }

  async readTask(agentItemId: string): Promise<TaskOutput | null> {
    if (this.#hasEnded || this.#codec.readTask === undefined) return null;
    const ask = (): Effect[] => this.#codec.readTask?.(agentItemId) ?? [];
    return this.#reads.read(agentItemId, ask, (effects) => this.#apply(effects));
  }

  configure(settings: SessionSettings): void {
    this.#apply(this.#codec.configure(settings));
  }

  lastWords(): string | null {
    const tail = this.#child?.stderrTail() ?? '';
    if (tail === this.#stderrAtPrompt) return null;
    const last = tail
      .split('\n')
      .map((line) => line.trim())
      .findLast((line) => line !== '');
    return last === undefined ? null : this.#redactor.text(last).slice(-STDERR_CHARS);
  }

  async stop(how: StopOptions = {}): Promise<void> {
    this.#stopError ??= how.error ?? null;
    const child = this.#child;
    if (child === null) return;
    const { trust } = this.#options;
    // What a project wants run at an agent's end was agreed to as well, or is not run.
    if (trust !== undefined && trust !== null && !(await trust.isHeld()) && child.pid !== null && !this.#hasEnded) killGroup(child.pid);
    await child.stop(how.graceMs);
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
      onOverflow: (bytes) => this.#breakOff('ENGINE_OUTPUT_MALFORMED', `wrote a line of ${bytes} bytes.`),
      onMute: () => this.#breakOff('ENGINE_OUTPUT_TRUNCATED', 'closed its output and ran on.'),
      onExit: (exit) => this.#end(exit),
    });
    this.#child = child;
    this.#startTimer = setTimeout(
      () => this.#breakOff('ENGINE_START_FAILED', `was not ready after ${engine.startTimeoutMs / 1000} s.`),
      engine.startTimeoutMs,
    );
    if (child.pid === null) return;
    log.info('run.started', { engine: engine.name, pid: child.pid, path: place.path });
    this.#options.onSpawn?.(child.pid);
    this.#apply(this.#codec.start());
  }

  #takeLine(line: string): void {
    if (!this.#hasEnded) this.#guard(() => this.#take(line));
  }

  /** A fault of our own behind the codec ends this one run as well, never the process that holds all sessions. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      const { engine, log } = this.#options;
      log.error('run.tell_failed', { engine: engine.name, ...this.#describe(error) });
      void this.stop({ graceMs: 0, error: toErrorBody(error) });
    }
  }

  #take(line: string): void {
    const effects = this.#codec.line(line);
    // What somebody looks at meanwhile says nothing about the turn, and is not kept.
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
          void this.stop(effect.error === undefined ? {} : { error: effect.error });
          break;
        case 'service':
          void this.#serve(effect.callId, effect.method, effect.params);
          break;
        case 'task.output':
          this.#reads.answer(effect.itemId, this.#redactor.value(effect.output));
          break;
      }
    }
  }

  #tell(event: EngineEvent): void {
    if (event.type === 'ready') {
      this.#isReady = true;
      this.#stopStartTimer();
    }
    this.#listener.onEvent(this.#withReason(event));
    // After the listener: those who wait find the event recorded.
    if (event.type === 'ready') this.#noteReady();
  }

  /** The codec only sees that the process ended; why we ended it is known here. */
  #withReason(event: EngineEvent): EngineEvent {
    if (this.#stopError === null || event.type !== 'turn.completed' || event.outcome !== 'failed') return event;
    return { ...event, error: this.#stopError };
  }

  async #serve(callId: string, method: string, params: unknown): Promise<void> {
    const { services } = this.#options;
    try {
      if (services === null) throw new CompanionError('ENGINE_UNSUPPORTED', method);
      const result = await services.call(method, params);
      if (!this.#hasEnded) this.#apply(this.#codec.reply(callId, { result }));
    } catch (error) {
      if (!this.#hasEnded) this.#guard(() => this.#apply(this.#codec.reply(callId, { error: toErrorBody(error) })));
    }
  }

  /** For the log: a fault may quote the line that it stumbled over. */
  #describe(error: unknown): { error: string; stack?: string } {
    return {
      error: this.#redactor.text(String(error)),
      ...(error instanceof Error ? { stack: this.#redactor.text(error.stack ?? '') } : {}),
    };
  }

  #breakOff(code: ErrorCode, what: string): void {
    void this.stop({ graceMs: 0, error: new CompanionError(code, `${this.#options.engine.label} ${what}`).toBody() });
  }

  #end(exit: Exit): void {
    const { engine, place, launch, services, log } = this.#options;
    this.#stopStartTimer();
    const stderr = this.#redactor.text(this.#child?.stderrTail() ?? '');
    // Of a process that never was the codec knows nothing.
    if (exit.startError === undefined) this.#guard(() => this.#apply(this.#codec.exit({ code: exit.code, signal: exit.signal, stderr })));
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
  }

  #stopStartTimer(): void {
    if (this.#startTimer !== null) clearTimeout(this.#startTimer);
    this.#startTimer = null;
  }
}

/** Names the run after its folder: a daemon that finds the folder left behind finds the processes too. */
export const runMark = (runDir: string): Record<string, string> => ({ [RUN_MARK]: path.basename(runDir) });

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

const endError = (end: Exit & { engine: ProcessEngine; place: Place; isReady: boolean; stderr: string }): ErrorBody => {
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

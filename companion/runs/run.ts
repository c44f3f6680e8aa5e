/** One live conversation with an agent, as a process or inside the daemon: what a session drives. */
import type { EngineEvent, EnginePrompt, LoopEngine, ProcessEngine } from '#companion/engines/engine.ts';
import type { TaskOutput } from '#protocol/api.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { RequestAnswer } from '#protocol/requests.ts';

export interface Run {
  /** Resolves when the agent takes prompts; rejects with a CompanionError when it never will. */
  readonly ready: Promise<void>;
  /**
   * Called before another prompt. Asks about changes of the project's files since the start; rejects when they are not trusted, or when the
   * session has no folder any more. Resolves with false when the session works in another folder now.
   */
  recheck?(): Promise<boolean>;
  prompt(prompt: EnginePrompt): void;
  steer(prompt: EnginePrompt): void;
  /** `agentRequestId` is the agent's own id of the request. */
  answer(agentRequestId: string, answer: RequestAnswer): void;
  interrupt(): void;
  /** `agentItemId` is the agent's own id of the task. */
  stopTask(agentItemId: string): void;
  /** What a background task has written so far, or null when that cannot be read. */
  readTask?(agentItemId: string): Promise<TaskOutput | null>;
  configure(settings: SessionSettings): void;
  /** The last line that the agent wrote on stderr since the prompt, without secrets, or null when there is none. */
  lastWords?(): string | null;
  /** Ends it with everything it started; `error` is the reason, for the turn that is interrupted. Resolves when nothing is left. */
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** How long it may take to end by itself, in milliseconds. */
  readonly graceMs?: number;
  /** It did not listen when it was asked to stop. */
  readonly isForced?: boolean;
  readonly error?: ErrorBody;
}

export interface RunListener {
  onEvent(event: EngineEvent): void;
  /** Each line the agent wrote, without secrets. */
  onLine(line: string): void;
  /** Called once, after the last event; `error` is the error for a turn that was not ended before. */
  onEnd(error: ErrorBody): void;
}

/** Where a program was found, and which of the user's settings belong to it. */
export interface Place {
  readonly path: string;
  /** Whether the user named it in the settings. */
  readonly isNamed: boolean;
  readonly leadingArgs: readonly string[];
  readonly binDirs: readonly string[];
  readonly loginEnv: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** An engine with everything that is needed to start it. */
export type ResolvedEngine =
  | { readonly type: 'process'; readonly engine: ProcessEngine; readonly place: Place; readonly source: string }
  | { readonly type: 'loop'; readonly engine: LoopEngine; readonly endpoint: string | null };

/** One live conversation with an agent, whatever it is made of: what a session drives. */
import type { EngineEvent, EnginePrompt, LoopEngine, ProcessEngine } from '#companion/engines/engine.ts';
import type { TaskOutput } from '#protocol/api.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { RequestAnswer } from '#protocol/requests.ts';

export interface Run {
  /** Resolves when prompts may go, rejects with a CompanionError when they never will. */
  readonly ready: Promise<void>;
  /** Before another prompt: asks for what the project's files have come to do meanwhile. Rejects when they are not trusted. */
  recheck?(): Promise<void>;
  prompt(prompt: EnginePrompt): void;
  steer(prompt: EnginePrompt): void;
  /** `agentRequestId` is the agent's own id of the request. */
  answer(agentRequestId: string, answer: RequestAnswer): void;
  interrupt(): void;
  /** `agentItemId` is the agent's own id of the task. */
  stopTask(agentItemId: string): void;
  /** What a background task has written so far; null when it cannot be read. */
  readTask?(agentItemId: string): Promise<TaskOutput | null>;
  configure(settings: SessionSettings): void;
  /** The last line that the agent wrote on stderr since the prompt, without secrets; null when it wrote none. */
  lastWords?(): string | null;
  /** Ends it with everything it started; `error` is why, for the turn that is cut. Resolves when nothing is left. */
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** How long it may take to end by itself. */
  readonly graceMs?: number;
  readonly error?: ErrorBody;
}

export interface RunListener {
  onEvent(event: EngineEvent): void;
  /** Each line the agent wrote, without secrets. */
  onLine(line: string): void;
  /** Once, after the last event; `error` is what to tell of a turn that was not ended before. */
  onEnd(error: ErrorBody): void;
}

/** Where a program was found, and what of the user's settings goes with it. */
export interface Place {
  readonly path: string;
  /** The user named it in the settings. */
  readonly isNamed: boolean;
  readonly leadingArgs: readonly string[];
  readonly binDirs: readonly string[];
  readonly loginEnv: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** An engine with all that starting it takes. */
export type ResolvedEngine =
  | { readonly type: 'process'; readonly engine: ProcessEngine; readonly place: Place; readonly source: string }
  | { readonly type: 'loop'; readonly engine: LoopEngine; readonly endpoint: string | null };

/** One live conversation with an engine, whatever it is made of: what the runner drives. */
import type { EngineEvent, EnginePrompt } from '#companion/engines/engine.ts';
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
  /** `requestId` is the engine's. */
  answer(requestId: string, answer: RequestAnswer): void;
  interrupt(): void;
  /** `itemId` is the engine's. */
  stopTask(itemId: string): void;
  /** What a background task has written so far; null when it cannot be read. `itemId` is the engine's. */
  readTask?(itemId: string): Promise<TaskOutput | null>;
  configure(settings: SessionSettings): void;
  /** Ends it with everything it started; `error` is why, for the turn that is cut. Resolves when nothing is left. */
  stop(options?: { graceMs?: number; error?: ErrorBody }): Promise<void>;
}

export interface RunListener {
  onEvent(event: EngineEvent): void;
  /** Each line the engine wrote, without secrets. */
  onLine(line: string): void;
  /** Once, after the last event; `error` is what to tell of a turn that was not ended before. */
  onEnd(error: ErrorBody): void;
}

/** One guard around every codec: a fault in our own code ends the one run, never the process that holds all sessions. */
import { CompanionError } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import type { Codec, Effect, EnginePrompt } from './engine.ts';

/**
 * A codec whose methods never throw. What a method of the inner codec throws goes to `report`, and the run is asked to stop
 * with `INTERNAL`; after that the inner codec hears only of the end of its process, as its state can no longer be trusted.
 */
export class GuardedCodec implements Codec {
  readonly readTask?: (itemId: string) => Effect[];
  readonly #codec: Codec;
  readonly #report: (error: unknown) => void;
  #hasFailed = false;

  constructor(codec: Codec, report: (error: unknown) => void) {
    this.#codec = codec;
    this.#report = report;
    if (codec.readTask !== undefined) this.readTask = (itemId) => this.#run(() => codec.readTask?.(itemId) ?? []);
  }

  start(): Effect[] {
    return this.#run(() => this.#codec.start());
  }

  line(line: string): Effect[] {
    return this.#run(() => this.#codec.line(line));
  }

  prompt(prompt: EnginePrompt): Effect[] {
    return this.#run(() => this.#codec.prompt(prompt));
  }

  steer(prompt: EnginePrompt): Effect[] {
    return this.#run(() => this.#codec.steer(prompt));
  }

  answer(requestId: string, answer: RequestAnswer): Effect[] {
    return this.#run(() => this.#codec.answer(requestId, answer));
  }

  interrupt(): Effect[] {
    return this.#run(() => this.#codec.interrupt());
  }

  stopTask(itemId: string): Effect[] {
    return this.#run(() => this.#codec.stopTask(itemId));
  }

  configure(settings: SessionSettings): Effect[] {
    return this.#run(() => this.#codec.configure(settings));
  }

  reply(...args: Parameters<Codec['reply']>): Effect[] {
    return this.#run(() => this.#codec.reply(...args));
  }

  /** Also after a failure: the codec still knows best which items and requests are open. */
  exit(exit: Parameters<Codec['exit']>[0]): Effect[] {
    this.#hasFailed = false;
    return this.#run(() => this.#codec.exit(exit));
  }

  #run(step: () => Effect[]): Effect[] {
    if (this.#hasFailed) return [];
    try {
      return step();
    } catch (error) {
      this.#hasFailed = true;
      this.#report(error);
      return [{ type: 'stop', error: new CompanionError('INTERNAL', error instanceof Error ? error.message : String(error)).toBody() }];
    }
  }
}

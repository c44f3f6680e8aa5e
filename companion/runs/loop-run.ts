/** A run inside the daemon: one call of the engine for each turn, with the history from the log. */
import type { EngineAttachment, EngineEvent, EnginePrompt, HistoryEntry, LoopEngine, ToolBridge } from '#companion/engines/engine.ts';
import type { Log } from '#companion/lib/log.ts';
import type { KnownSecrets } from '#companion/lib/known-secrets.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { nameIn } from '#protocol/modes.ts';
import type { SessionSettings, Usage } from '#protocol/events.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { SessionView } from '#protocol/view.ts';
import { explain } from '#protocol/faults.ts';
import { RedactedListener } from './redacted-listener.ts';
import type { Run, RunListener, StopOptions } from './run.ts';

export interface LoopRunOptions {
  readonly engine: LoopEngine;
  readonly settings: SessionSettings;
  readonly secrets: Readonly<Record<string, string>>;
  readonly endpoint: string | null;
  readonly tools: ToolBridge | null;
  /** The session as it is now; it is read at each prompt. */
  readonly view: () => SessionView;
  /** Reads what was attached to an earlier prompt; throws when the file was deleted. */
  readonly load: (ref: AttachmentRef) => EngineAttachment;
  readonly listener: RunListener;
  readonly log: Log;
  readonly known: Pick<KnownSecrets, 'redactor'>;
}

/** A run of a loop engine. Its capabilities declare that it cannot be steered, asks nothing and has no background tasks. */
export class LoopRun implements Run {
  readonly ready = Promise.resolve();
  readonly #options: LoopRunOptions;
  #settings: SessionSettings;
  #abort: AbortController | null = null;
  #hasEnded = false;
  /** What all turns of this run have used. */
  #used: Usage = {};

  constructor(options: LoopRunOptions) {
    this.#options = { ...options, listener: new RedactedListener(options.known, options.listener) };
    this.#settings = options.settings;
    options.listener.onEvent({ type: 'ready' });
  }

  prompt(prompt: EnginePrompt): void {
    this.#abort = new AbortController();
    void this.#drive(prompt, this.#abort.signal);
  }

  steer(): void {}

  answer(): void {}

  stopTask(): void {}

  interrupt(): void {
    this.#abort?.abort();
  }

  configure(settings: SessionSettings): void {
    this.#settings = settings;
  }

  async stop(how: StopOptions = {}): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#abort?.abort();
    const { tools, engine, listener } = this.#options;
    void tools?.close();
    // The end is not awaited, because an engine that ignores the signal must not hold up the session.
    listener.onEnd(how.error ?? new CompanionError('ENGINE_CRASHED', explain('was_stopped', { agent: nameIn(engine) })).toBody());
  }

  /** The engine counts each turn by itself; a run counts from its beginning. */
  #countOn(before: Usage, usage: Usage): Usage {
    const { inputTokens = 0, outputTokens = 0 } = before;
    this.#used = { ...usage, inputTokens: inputTokens + (usage.inputTokens ?? 0), outputTokens: outputTokens + (usage.outputTokens ?? 0) };
    return this.#used;
  }

  async #drive(prompt: EnginePrompt, signal: AbortSignal): Promise<void> {
    const { engine, tools, secrets, endpoint, load, listener, log } = this.#options;
    let hasCompleted = false;
    const before = this.#used;
    const emit = (event: EngineEvent): void => {
      if (hasCompleted || this.#hasEnded) return;
      hasCompleted = event.type === 'turn.completed';
      listener.onEvent(event.type === 'usage.updated' ? { ...event, usage: this.#countOn(before, event.usage), isOfProcess: true } : event);
    };
    try {
      const history = toHistory(this.#options.view(), prompt.turnId, load);
      await engine.turn({ prompt, settings: this.#settings, history, tools, secrets, endpoint, emit, signal });
      emit({ type: 'turn.completed', outcome: signal.aborted ? 'cancelled' : 'completed' });
    } catch (error) {
      if (signal.aborted) {
        emit({ type: 'turn.completed', outcome: 'cancelled' });
        return;
      }
      // Anything else is a fault of Pilotfish: the user sees `INTERNAL`, and the log has the details.
      if (!(error instanceof CompanionError)) log.error('run.turn_failed', { engine: engine.name, error, stack: stackOf(error) });
      emit({ type: 'turn.completed', outcome: 'failed', error: toErrorBody(error) });
    }
  }
}

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);

/** What was said and done before, the oldest first, with the text that was really sent and not the one that was shown. */
const toHistory = (view: SessionView, turnId: string, load: (ref: AttachmentRef) => EngineAttachment): HistoryEntry[] => {
  const history: HistoryEntry[] = [];
  const begun = new Set<string>();
  for (const { turnId: itemTurn, body } of view.items) {
    if (itemTurn === turnId) continue;
    if (body.kind === 'tool') history.push({ role: 'tool', tool: body.tool, input: body.input, text: body.text });
    if (body.kind !== 'message' || body.role === 'system') continue;
    const isFirst = !begun.has(itemTurn);
    begun.add(itemTurn);
    const prompt = isFirst ? view.turns.find((turn) => turn.turnId === itemTurn)?.prompt : undefined;
    if (body.role === 'assistant') {
      if (body.text !== '') history.push({ role: 'assistant', text: body.text });
    } else if (prompt !== undefined && prompt.attachments.length > 0) {
      history.push({ role: 'user', text: prompt.text, attachments: () => prompt.attachments.flatMap((ref) => loaded(ref, load)) });
    } else history.push({ role: 'user', text: prompt?.text ?? body.text });
  }
  return history;
};

/** Attachments that were deleted since are left out. */
const loaded = (ref: AttachmentRef, load: (ref: AttachmentRef) => EngineAttachment): EngineAttachment[] => {
  try {
    return [load(ref)];
  } catch {
    return [];
  }
};

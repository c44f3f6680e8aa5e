/** Stands between a run and its listener, so that nothing that is recorded or shown contains a secret, whole or in pieces. */
import type { EngineEvent } from '#companion/engines/engine.ts';
import type { RedactedStream, Redactor } from '#companion/lib/redact.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { RunListener } from './run.ts';

/** An agent that is silent for so long has paused: a person reads what it said. */
const PAUSE_MS = 250;

export class RedactedListener implements RunListener {
  readonly #redactor: Redactor;
  readonly #listener: RunListener;
  /** The text of each open item, by the agent's id. */
  readonly #streams = new Map<string, RedactedStream>();
  /** Lines that may contain the rest of a secret that began in an earlier line. */
  #doubtful: string[] = [];
  #pause: NodeJS.Timeout | null = null;

  constructor(redactor: Redactor, listener: RunListener) {
    this.#redactor = redactor;
    this.#listener = listener;
  }

  onLine(line: string): void {
    const clean = this.#redactor.line(line);
    if (this.#isHolding()) this.#doubtful.push(clean);
    else this.#listener.onLine(clean);
  }

  onEvent(event: EngineEvent): void {
    clearTimeout(this.#pause ?? undefined);
    if (event.type === 'item.delta') this.#addDelta(event.itemId, event.text);
    if (event.type === 'item.completed') this.#endItem(event.itemId);
    if (event.type === 'item.dropped') this.#streams.delete(event.itemId);
    if (event.type === 'turn.completed') for (const itemId of this.#streams.keys()) this.#endItem(itemId);
    this.#releaseLines();
    if (event.type !== 'item.delta') this.#listener.onEvent(this.#clean(event));
    if (this.#isHolding()) this.#pause = setTimeout(() => this.#showHarmless(), PAUSE_MS).unref();
  }

  onEnd(error: ErrorBody): void {
    clearTimeout(this.#pause ?? undefined);
    this.#streams.clear();
    this.#releaseLines();
    this.#listener.onEnd(this.#redactor.value(error));
  }

  /** The engine's offers stay as they are, because the user chooses among them by name. */
  #clean(event: EngineEvent): EngineEvent {
    return event.type === 'ready' || event.type === 'bound' || event.type === 'settings.changed' ? event : this.#redactor.value(event);
  }

  #addDelta(itemId: string, piece: string): void {
    const stream = this.#streams.get(itemId) ?? this.#redactor.stream();
    this.#streams.set(itemId, stream);
    this.#tell(itemId, stream.push(piece));
    if (!stream.wasCut) return;
    this.#doubtful = [];
    stream.wasCut = false;
  }

  #endItem(itemId: string): void {
    const stream = this.#streams.get(itemId);
    this.#streams.delete(itemId);
    if (stream !== undefined) this.#tell(itemId, stream.end());
  }

  /** The agent has paused, and the last letters of what it said may be missing because a secret begins with them. */
  #showHarmless(): void {
    for (const [itemId, stream] of this.#streams) this.#tell(itemId, stream.pause());
  }

  #tell(itemId: string, text: string): void {
    if (text !== '') this.#listener.onEvent({ type: 'item.delta', itemId, text });
  }

  #releaseLines(): void {
    if (this.#isHolding()) return;
    for (const line of this.#doubtful) this.#listener.onLine(line);
    this.#doubtful = [];
  }

  #isHolding(): boolean {
    for (const stream of this.#streams.values()) if (stream.isHolding) return true;
    return false;
  }
}

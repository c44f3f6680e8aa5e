/** Stands between a run and its listener, so that nothing that is recorded or shown contains a secret, whole or in pieces. */
import type { EngineEvent } from '#companion/engines/engine.ts';
import { RedactedStream, type Redactor } from '#companion/lib/redact.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { ItemPatch } from '#protocol/items.ts';
import { RedactedLines } from './redacted-lines.ts';
import type { RunListener } from './run.ts';

/** An agent that is silent for so long has paused: a person reads what it said. */
const PAUSE_MS = 250;

/** What an agent says of an item beside its text. */
type Beside = Pick<ItemPatch, 'title' | 'input'>;

export class RedactedListener implements RunListener {
  readonly #known: { readonly redactor: Redactor };
  readonly #listener: RunListener;
  /** The text of each open item, by the agent's id. */
  readonly #streams = new Map<string, RedactedStream>();
  /** What was last said of each open item beside its text. */
  readonly #besides = new Map<string, Beside>();
  readonly #lines: RedactedLines;
  /** Lines that may contain the rest of a secret that began in an earlier line. */
  #doubtful: string[] = [];
  #pause: NodeJS.Timeout | null = null;

  /** `known` is asked each time: a secret may become known while the agent runs. */
  constructor(known: { readonly redactor: Redactor }, listener: RunListener) {
    this.#known = known;
    this.#listener = listener;
    this.#lines = new RedactedLines(known, (line) => {
      if (this.#isHolding()) this.#doubtful.push(line);
      else this.#listener.onLine(line);
    });
  }

  onLine(line: string): void {
    this.#lines.add(line);
  }

  onEvent(event: EngineEvent): void {
    clearTimeout(this.#pause ?? undefined);
    if (event.type === 'turn.completed') this.#lines.end();
    const followed = event.type === 'item.delta' ? null : this.#clean(this.#follow(event));
    if (event.type === 'item.delta') this.#addDelta(event.itemId, event.text);
    this.#releaseLines();
    if (followed !== null) this.#listener.onEvent(followed);
    if (this.#isHolding()) this.#pause = setTimeout(() => this.#showHarmless(), PAUSE_MS).unref();
  }

  onEnd(error: ErrorBody): void {
    clearTimeout(this.#pause ?? undefined);
    for (const itemId of this.#streams.keys()) this.#tell(itemId, this.#end(itemId));
    this.#besides.clear();
    this.#lines.end();
    this.#releaseLines();
    this.#listener.onEnd(this.#known.redactor.value(error));
  }

  /** The engine's offers stay as they are, because the user chooses among them by name. */
  #clean(event: EngineEvent): EngineEvent {
    return event.type === 'ready' || event.type === 'bound' || event.type === 'settings.changed'
      ? event
      : this.#known.redactor.value(event, event.type === 'item.started' || event.type === 'item.updated');
  }

  /** What of the title and the input of an item was left out while they might grow, and is told when it has ended. */
  #leftOut(itemId: string): Beside {
    const { redactor } = this.#known;
    const said = this.#besides.get(itemId) ?? {};
    this.#besides.delete(itemId);
    const told = (name: keyof Beside, grows: boolean): unknown => redactor.value(said[name], grows);
    const names = (['title', 'input'] as const).filter((name) => JSON.stringify(told(name, true)) !== JSON.stringify(told(name, false)));
    return Object.fromEntries(names.map((name) => [name, said[name]]));
  }

  #note(itemId: string, { title, input }: Beside): void {
    if (title === undefined && input === undefined) return;
    const said = { ...(title === undefined ? {} : { title }), ...(input === undefined ? {} : { input }) };
    this.#besides.set(itemId, { ...this.#besides.get(itemId), ...said });
  }

  /** The event with as much of its item's text as may be told: deltas that follow are added to it, and a secret may go on in them. */
  #follow(event: EngineEvent): EngineEvent {
    if (event.type === 'item.started' && event.item.kind === 'tool') this.#note(event.itemId, event.item);
    if (event.type === 'item.updated') this.#note(event.itemId, event.patch);
    if (event.type === 'item.started' && event.item.kind !== 'plan')
      return { ...event, item: { ...event.item, text: this.#begin(event.itemId, event.item.text) } };
    if (event.type === 'item.updated' && event.patch.text !== undefined)
      return { ...event, patch: { ...event.patch, text: this.#begin(event.itemId, event.patch.text) } };
    if (event.type === 'item.completed') return this.#complete(event);
    if (event.type === 'item.dropped') {
      this.#streams.delete(event.itemId);
      this.#besides.delete(event.itemId);
    }
    if (event.type === 'turn.completed') for (const itemId of this.#streams.keys()) this.#tell(itemId, this.#end(itemId));
    return event;
  }

  #complete(event: Extract<EngineEvent, { type: 'item.completed' }>): EngineEvent {
    const { itemId } = event;
    const patch = { ...this.#leftOut(itemId), ...event.patch };
    const text = patch.text === undefined ? null : this.#begin(itemId, patch.text);
    const rest = this.#end(itemId);
    if (text === null) this.#tell(itemId, rest);
    else patch.text = text + rest;
    return Object.keys(patch).length === 0 ? event : { ...event, patch };
  }

  /** The text of an item from its beginning, in place of what it was before. */
  #begin(itemId: string, text: string): string {
    const { redactor } = this.#known;
    if (redactor.text(text) !== text) this.#doubtful = [];
    const stream = new RedactedStream(this.#known);
    this.#streams.set(itemId, stream);
    return stream.push(text) + stream.pause();
  }

  #addDelta(itemId: string, piece: string): void {
    const stream = this.#streams.get(itemId) ?? new RedactedStream(this.#known);
    this.#streams.set(itemId, stream);
    this.#tell(itemId, stream.push(piece));
    if (!stream.wasCut) return;
    this.#doubtful = [];
    stream.wasCut = false;
  }

  /** What is still to be told of an item that has ended. */
  #end(itemId: string): string {
    const stream = this.#streams.get(itemId);
    this.#streams.delete(itemId);
    return stream?.end() ?? '';
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

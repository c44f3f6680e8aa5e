/**
 * Turns an agent's item events into those of the log: with our ids, with deltas in batches and texts within limits. It knows
 * which items are open.
 */
import type { EngineEvent } from '#companion/engines/engine.ts';
import type { EventBody } from '#protocol/events.ts';
import type { ItemId, TurnId } from '#protocol/ids.ts';
import { isBackgroundTask, outlivesTurn, type ItemBody, type ItemPatch } from '#protocol/items.ts';

type ItemEvent = Extract<EngineEvent, { itemId: string; type: `item.${string}` }>;
type ItemLogEvent = Extract<EventBody, { type: `item.${string}` }>;

/** The longest that a delta waits for others, in milliseconds; the first one after a pause never waits. */
const BATCH_MS = 8;
const MAX_TOOL_CHARS = 1024 * 1024;
const MAX_TEXT_CHARS = 8 * 1024 * 1024;
const MAX_INPUT_CHARS = 1024 * 1024;
const MAX_IMAGE_CHARS = 12 * 1024 * 1024;
const CUT = '\n… output cut';

interface OpenItem {
  readonly itemId: ItemId;
  readonly turnId: TurnId;
  readonly kind: ItemBody['kind'];
  /** The agent's id of the item that contains it. */
  readonly parentItemId: string | null;
  isBackground: boolean;
  /** Characters of text so far; nothing is added beyond the limit. */
  chars: number;
  isCut: boolean;
}

/** What decisions need to know about an open item. */
export interface OpenItemFacts {
  readonly itemId: ItemId;
  readonly turnId: TurnId;
  readonly isTool: boolean;
  /** Whether it is a background task or part of one. */
  readonly outlivesTurn: boolean;
}

export class ItemRecorder {
  readonly #record: (events: readonly ItemLogEvent[]) => void;
  readonly #makeId: () => ItemId;
  /** The open items, by the agent's id. */
  readonly #open = new Map<string, OpenItem>();
  /** Our ids by the agent's, including those of items that have ended in this turn. */
  readonly #known = new Map<string, ItemId>();
  #waiting: Extract<EventBody, { type: 'item.delta' }>[] = [];
  #timer: NodeJS.Timeout | null = null;
  #rounds = 0;
  #isAfterTool = true;

  /** Gives events in batches to `record`. */
  constructor(record: (events: readonly ItemLogEvent[]) => void, makeId: () => ItemId) {
    this.#record = record;
    this.#makeId = makeId;
  }

  /** Takes one event for the turn; without a turn the event is dropped. */
  take(event: ItemEvent, turnId: TurnId | null): void {
    if (event.type === 'item.started') {
      if (turnId !== null && !this.#open.has(event.itemId)) this.#begin(event, turnId);
      return;
    }
    const item = this.#open.get(event.itemId);
    if (item === undefined) return;
    const { itemId } = item;
    switch (event.type) {
      case 'item.delta':
        this.#addDelta(item, event.text);
        return;
      case 'item.updated':
        item.isBackground = event.patch.isBackground ?? item.isBackground;
        this.#write({ type: 'item.updated', turnId: item.turnId, itemId, patch: capPatch(event.patch, item) });
        return;
      case 'item.completed': {
        this.#open.delete(event.itemId);
        const patch = event.patch === undefined ? {} : { patch: capPatch(event.patch, item) };
        this.#write({ type: 'item.completed', turnId: item.turnId, itemId, status: event.status, ...patch });
        return;
      }
      case 'item.dropped':
        this.#open.delete(event.itemId);
        this.#known.delete(event.itemId);
        this.#write({ type: 'item.dropped', turnId: item.turnId, itemId });
        return;
    }
  }

  /** Hands on the deltas that wait. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#record(batch);
  }

  /** Our id of an item of the agent. */
  idOf(agentItemId: string | undefined): ItemId | undefined {
    return agentItemId === undefined ? undefined : this.#known.get(agentItemId);
  }

  /** The agent's id of an open item, by Pilotfish's id. */
  agentIdOf(itemId: ItemId): string | undefined {
    for (const [agentItemId, item] of this.#open) if (item.itemId === itemId) return agentItemId;
    return undefined;
  }

  /** Whether an open item is a background task or part of one. */
  isInBackground(agentItemId: string): boolean {
    return outlivesTurn(agentItemId, (id) => this.#open.get(id));
  }

  openItems(): OpenItemFacts[] {
    return [...this.#open].map(([agentItemId, { itemId, turnId, kind }]) => ({
      itemId,
      turnId,
      isTool: kind === 'tool',
      outlivesTurn: this.isInBackground(agentItemId),
    }));
  }

  /** How often the model has answered since the turn began. An answer begins when something follows the tools of the answer before. */
  get rounds(): number {
    return this.#rounds;
  }

  /** The turn has ended: its open items are closed in the log and forgotten here; background tasks go on. */
  endTurn(): void {
    this.#rounds = 0;
    this.#isAfterTool = true;
    this.#forget((agentItemId) => !this.isInBackground(agentItemId));
  }

  /** The process has gone, and with it what ran in the background. */
  endRun(): void {
    this.#forget((agentItemId) => this.isInBackground(agentItemId));
  }

  #begin(event: Extract<ItemEvent, { type: 'item.started' }>, turnId: TurnId): void {
    const parent = event.parentItemId ?? null;
    // Read before it is known itself: nothing belongs to itself.
    const parentItemId = parent === null ? undefined : this.#known.get(parent);
    const item: OpenItem = {
      itemId: this.#makeId(),
      // What goes on in the background belongs to the turn in which it began.
      turnId: (parent === null ? undefined : this.#open.get(parent)?.turnId) ?? turnId,
      kind: event.item.kind,
      parentItemId: parent,
      isBackground: isBackgroundTask(event.item),
      chars: 0,
      isCut: false,
    };
    this.#open.set(event.itemId, item);
    this.#known.set(event.itemId, item.itemId);
    this.#countRound(event.itemId, event.item.kind);
    this.#write({
      type: 'item.started',
      turnId: item.turnId,
      itemId: item.itemId,
      ...(parentItemId === undefined ? {} : { parentItemId }),
      item: capBody(event.item, item),
    });
  }

  /** A new answer of the model begins with the first item after tools that have all ended. */
  #countRound(agentItemId: string, kind: ItemBody['kind']): void {
    if (this.isInBackground(agentItemId)) return;
    const isAmongTools = [...this.#open].some(([id, item]) => id !== agentItemId && item.kind === 'tool' && !this.isInBackground(id));
    if (this.#isAfterTool && kind !== 'notice' && kind !== 'plan' && !isAmongTools) this.#rounds += 1;
    this.#isAfterTool = kind === 'tool';
  }

  #addDelta(item: OpenItem, added: string): void {
    const text = capText(item, added, item.chars);
    item.chars += text.length;
    if (text === '') return;
    const last = this.#waiting.at(-1);
    if (last?.itemId === item.itemId) last.text += text;
    else this.#waiting.push({ type: 'item.delta', turnId: item.turnId, itemId: item.itemId, text });
    if (this.#timer !== null) return;
    this.flush();
    this.#timer = setTimeout(() => this.#tick(), BATCH_MS);
  }

  #tick(): void {
    this.#timer = null;
    if (this.#waiting.length === 0) return;
    this.flush();
    this.#timer = setTimeout(() => this.#tick(), BATCH_MS);
  }

  #write(event: ItemLogEvent): void {
    this.flush();
    this.#record([event]);
  }

  #forget(isOver: (agentItemId: string) => boolean): void {
    const ended = [...this.#open.keys()].filter(isOver);
    for (const agentItemId of ended) this.#open.delete(agentItemId);
    this.#known.clear();
    for (const [agentItemId, { itemId }] of this.#open) this.#known.set(agentItemId, itemId);
  }
}

/** The part of `text` that still fits behind `used` characters; where it is cut, a note says so once. */
const capText = (item: OpenItem, text: string, used: number): string => {
  const limit = item.kind === 'tool' ? MAX_TOOL_CHARS : MAX_TEXT_CHARS;
  if (used + text.length <= limit && !item.isCut) return text;
  if (item.isCut && used > 0) return '';
  item.isCut = true;
  return text.slice(0, Math.max(0, limit - used)) + CUT;
};

const capBody = (body: ItemBody, item: OpenItem): ItemBody => {
  if (body.kind === 'plan') return body;
  const text = capText(item, body.text, 0);
  item.chars = text.length;
  return body.kind === 'tool' ? { ...body, text, ...capParts(body) } : { ...body, text };
};

const capPatch = (patch: ItemPatch, item: OpenItem): ItemPatch => {
  if (patch.text === undefined) return { ...patch, ...capParts(patch) };
  // The text is replaced, so counting begins again.
  item.isCut = false;
  const text = capText(item, patch.text, 0);
  item.chars = text.length;
  return { ...patch, text, ...capParts(patch) };
};

const capParts = (parts: Pick<ItemPatch, 'input' | 'changes' | 'images'>): Pick<ItemPatch, 'input' | 'changes' | 'images'> => ({
  ...(parts.input === undefined ? {} : { input: capInput(parts.input) }),
  ...(parts.changes === undefined
    ? {}
    : {
        changes: parts.changes.map((change) =>
          change.unified.length <= MAX_TOOL_CHARS ? change : { ...change, unified: change.unified.slice(0, MAX_TOOL_CHARS) + CUT },
        ),
      }),
  // An image that is cut is of no use, so it is left out.
  ...(parts.images === undefined ? {} : { images: parts.images.filter((image) => image.dataBase64.length <= MAX_IMAGE_CHARS) }),
});

const capInput = (input: unknown): unknown => {
  const json = JSON.stringify(input) ?? '';
  return json.length <= MAX_INPUT_CHARS ? input : { cut: json.slice(0, 2000) + CUT };
};

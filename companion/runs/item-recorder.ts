/** Turns an engine's item events into the log's: our ids, deltas in batches, texts within bounds, nothing left open. */
import type { EngineEvent } from '#companion/engines/engine.ts';
import type { EventBody } from '#protocol/events.ts';
import type { ItemId, TurnId } from '#protocol/ids.ts';
import { isBackgroundTask, outlivesTurn, type ItemBody, type ItemPatch, type ItemStatus } from '#protocol/items.ts';

type ItemEvent = Extract<EngineEvent, { itemId: string; type: `item.${string}` }>;

/** Longest that a delta waits for others; the first after a pause never waits. */
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
  /** The engine's id of the item it stands in. */
  readonly parentItemId: string | null;
  isBackground: boolean;
  /** Characters of text so far; past the limit nothing is added. */
  chars: number;
  isCut: boolean;
}

export interface ItemRecorder {
  /** Takes one event for the turn; without a turn the event is dropped. */
  take(event: ItemEvent, turnId: TurnId | null): void;
  /** Our id of an item of the engine's. */
  idOf(engineItemId: string | undefined): ItemId | undefined;
  /** The engine's id of an open item of ours. */
  engineIdOf(itemId: ItemId): string | undefined;
  /** Whether it is a background task or part of one, and open. */
  isInBackground(engineItemId: string): boolean;
  /** Whether a tool runs that the turn waits for: then silence is no sign of death. */
  hasOpenTool(): boolean;
  hasBackgroundTask(): boolean;
  /** Answers of the model since the turn began: an answer begins when something follows the tools of the one before. */
  readonly rounds: number;
  /** Writes what waits. */
  flush(): void;
  /** Writes what waits and gives the events that close what the turn leaves open; background tasks go on. */
  closeTurn(status: ItemStatus): EventBody[];
  /** The same for what runs in the background: the process has gone. */
  closeBackground(status: ItemStatus): EventBody[];
}

/** Records items through `record`, with ids from `makeId`. */
export const createItemRecorder = (record: (bodies: readonly EventBody[]) => void, makeId: () => ItemId): ItemRecorder => {
  const open = new Map<string, OpenItem>();
  const known = new Map<string, ItemId>();
  let waiting: Extract<EventBody, { type: 'item.delta' }>[] = [];
  let timer: NodeJS.Timeout | null = null;
  let rounds = 0;
  let isAfterTool = true;

  const flush = (): void => {
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    record(batch);
  };
  const tick = (): void => {
    timer = null;
    if (waiting.length === 0) return;
    flush();
    timer = setTimeout(tick, BATCH_MS);
  };
  const addDelta = (item: OpenItem, text: string): void => {
    const last = waiting.at(-1);
    if (last?.itemId === item.itemId) last.text += text;
    else waiting.push({ type: 'item.delta', turnId: item.turnId, itemId: item.itemId, text });
    if (timer !== null) return;
    flush();
    timer = setTimeout(tick, BATCH_MS);
  };
  const write = (body: EventBody): void => {
    flush();
    record([body]);
  };
  const isInBackground = (engineItemId: string): boolean => outlivesTurn(engineItemId, (id) => open.get(id));
  const isOpenTool = ([id, item]: [string, OpenItem]): boolean => item.kind === 'tool' && !isInBackground(id);
  /** A new answer of the model begins with the first item after tools that have all ended. */
  const countRound = (engineItemId: string, kind: ItemBody['kind']): void => {
    if (isInBackground(engineItemId)) return;
    const isAmongTools = [...open].some((entry) => entry[0] !== engineItemId && isOpenTool(entry));
    if (isAfterTool && kind !== 'notice' && kind !== 'plan' && !isAmongTools) rounds += 1;
    isAfterTool = kind === 'tool';
  };
  const close = (status: ItemStatus, isKept: (engineItemId: string) => boolean): EventBody[] => {
    flush();
    const ended = [...open].filter(([id]) => !isKept(id));
    for (const [id] of ended) open.delete(id);
    known.clear();
    for (const [id, { itemId }] of open) known.set(id, itemId);
    return ended.map(([, { turnId, itemId }]) => ({ type: 'item.completed', turnId, itemId, status }));
  };

  return {
    take: (event, turnId) => {
      if (event.type === 'item.started') {
        if (turnId === null || open.has(event.itemId)) return;
        const parent = event.parentItemId ?? null;
        const item: OpenItem = {
          itemId: makeId(),
          // What goes on in the background belongs to the turn that began it.
          turnId: (parent === null ? undefined : open.get(parent)?.turnId) ?? turnId,
          kind: event.item.kind,
          parentItemId: parent,
          isBackground: isBackgroundTask(event.item),
          chars: 0,
          isCut: false,
        };
        open.set(event.itemId, item);
        known.set(event.itemId, item.itemId);
        countRound(event.itemId, event.item.kind);
        const parentItemId = parent === null ? undefined : known.get(parent);
        write({
          type: 'item.started',
          turnId: item.turnId,
          itemId: item.itemId,
          ...(parentItemId === undefined ? {} : { parentItemId }),
          item: capBody(event.item, item),
        });
        return;
      }
      const item = open.get(event.itemId);
      if (item === undefined) return;
      switch (event.type) {
        case 'item.delta': {
          const text = capText(item, event.text, item.chars);
          item.chars += text.length;
          if (text !== '') addDelta(item, text);
          return;
        }
        case 'item.updated':
          item.isBackground = event.patch.isBackground ?? item.isBackground;
          write({ type: 'item.updated', turnId: item.turnId, itemId: item.itemId, patch: capPatch(event.patch, item) });
          return;
        case 'item.completed':
          open.delete(event.itemId);
          write({
            type: 'item.completed',
            turnId: item.turnId,
            itemId: item.itemId,
            status: event.status,
            ...(event.patch === undefined ? {} : { patch: capPatch(event.patch, item) }),
          });
          return;
        case 'item.dropped':
          open.delete(event.itemId);
          known.delete(event.itemId);
          write({ type: 'item.dropped', turnId: item.turnId, itemId: item.itemId });
          return;
      }
    },
    idOf: (engineItemId) => (engineItemId === undefined ? undefined : known.get(engineItemId)),
    engineIdOf: (itemId) => [...open].find(([, item]) => item.itemId === itemId)?.[0],
    isInBackground,
    hasOpenTool: () => [...open].some(isOpenTool),
    hasBackgroundTask: () => [...open.values()].some((item) => item.isBackground),
    get rounds() {
      return rounds;
    },
    flush,
    closeTurn: (status) => {
      rounds = 0;
      isAfterTool = true;
      return close(status, isInBackground);
    },
    closeBackground: (status) => close(status, (engineItemId) => !isInBackground(engineItemId)),
  };
};

/** What of `text` still fits behind `used` characters; says so once where it is cut. */
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
  // The text is replaced, so that counting begins again.
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
  // Half an image is none.
  ...(parts.images === undefined ? {} : { images: parts.images.filter((image) => image.dataBase64.length <= MAX_IMAGE_CHARS) }),
});

const capInput = (input: unknown): unknown => {
  const json = JSON.stringify(input) ?? '';
  return json.length <= MAX_INPUT_CHARS ? input : { cut: json.slice(0, 2000) + CUT };
};

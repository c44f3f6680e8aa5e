/** The items an engine has begun and not ended: what a codec must close when a turn is cut or the process ends. */
import type { ItemBody, ItemPatch, ItemStatus } from '#protocol/items.ts';
import type { Effect, EngineEvent } from '../engine.ts';

export interface OpenItems {
  has(itemId: string): boolean;
  /** The item as begun, with what its patches changed. */
  find(itemId: string): ItemBody | undefined;
  start(itemId: string, item: ItemBody, parentItemId?: string): Effect[];
  /** Appends to the text of an open item; nothing for one that is closed or for no text. */
  append(itemId: string, text: string): Effect[];
  update(itemId: string, patch: ItemPatch): Effect[];
  /** Ends it, with its last form where that differs from what was streamed. */
  complete(itemId: string, status: ItemStatus, patch?: ItemPatch): Effect[];
  /** Ends all of them with the turn: what was not done is cut, the plan stays as it is. */
  completeTurn(outcome: 'completed' | 'cancelled' | 'failed'): Effect[];
  /** Ends all of them, or those for which `which` is true. */
  completeAll(status: ItemStatus, which?: (item: ItemBody) => boolean): Effect[];
}

/** An event as an effect. */
export const say = (event: EngineEvent): Effect => ({ type: 'event', event });

/** Keeps an engine's open items and turns each change into its event. */
export const createOpenItems = (): OpenItems => {
  const open = new Map<string, ItemBody>();
  const items: OpenItems = {
    has: (itemId) => open.has(itemId),
    find: (itemId) => open.get(itemId),
    start: (itemId, item, parentItemId) => {
      open.set(itemId, item);
      return [say({ type: 'item.started', itemId, item, ...(parentItemId === undefined ? {} : { parentItemId }) })];
    },
    append: (itemId, text) => {
      const item = open.get(itemId);
      if (item === undefined || item.kind === 'plan' || text === '') return [];
      open.set(itemId, { ...item, text: item.text + text });
      return [say({ type: 'item.delta', itemId, text })];
    },
    update: (itemId, patch) => {
      const item = open.get(itemId);
      if (item === undefined || Object.keys(patch).length === 0) return [];
      open.set(itemId, applied(item, patch));
      return [say({ type: 'item.updated', itemId, patch })];
    },
    complete: (itemId, status, patch = {}) => {
      const item = open.get(itemId);
      if (item === undefined) return [];
      open.delete(itemId);
      const change = withoutKnownText(item, patch);
      return [say({ type: 'item.completed', itemId, status, ...(Object.keys(change).length === 0 ? {} : { patch: change }) })];
    },
    completeTurn: (outcome) => [
      ...items.completeAll('completed', (item) => item.kind === 'plan'),
      ...items.completeAll(outcome === 'completed' ? 'completed' : 'cancelled'),
    ],
    completeAll: (status, which = () => true) =>
      [...open].filter(([, item]) => which(item)).flatMap(([itemId]) => items.complete(itemId, status)),
  };
  return items;
};

const applied = (item: ItemBody, patch: ItemPatch): ItemBody => {
  if (item.kind === 'plan') return { ...item, entries: patch.entries ?? item.entries };
  if (item.kind !== 'tool') return { ...item, text: patch.text ?? item.text };
  return {
    ...item,
    title: patch.title ?? item.title,
    toolKind: patch.toolKind ?? item.toolKind,
    text: patch.text ?? item.text,
    ...(patch.input === undefined ? {} : { input: patch.input }),
    ...(patch.changes === undefined ? {} : { changes: patch.changes }),
  };
};

/** The final text is sent again only where the stream said something else. */
const withoutKnownText = (item: ItemBody, patch: ItemPatch): ItemPatch => {
  if (item.kind === 'plan' || patch.text !== item.text) return patch;
  const { text: _, ...rest } = patch;
  return rest;
};

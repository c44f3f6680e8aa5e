/** The items an engine has begun and not ended: what a codec must close when a turn is cut or the process ends. */
import { isBackgroundTask, outlivesTurn, type ItemBody, type ItemPatch, type ItemStatus } from '#protocol/items.ts';
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
  /** Whether it is a background task or part of one, open all the same. */
  isInBackground(itemId: string): boolean;
  /** Ends what is open inside it, except background tasks, which end on their own. */
  completeWithin(itemId: string, status: ItemStatus): Effect[];
  /** Ends all of them with the turn: what was not done is cut, the plan stays as it is, background tasks go on. */
  completeTurn(outcome: 'completed' | 'cancelled' | 'failed'): Effect[];
  /** Ends all of them, or those for which `which` is true. */
  completeAll(status: ItemStatus, which?: (item: ItemBody) => boolean): Effect[];
}

/** An event as an effect. */
export const say = (event: EngineEvent): Effect => ({ type: 'event', event });

/** Keeps an engine's open items and turns each change into its event. */
export const createOpenItems = (): OpenItems => {
  const open = new Map<string, { readonly body: ItemBody; readonly parentItemId: string | null }>();
  const change = (itemId: string, body: ItemBody): void => {
    open.set(itemId, { body, parentItemId: open.get(itemId)?.parentItemId ?? null });
  };
  const completeThose = (status: ItemStatus, which: (itemId: string, item: ItemBody) => boolean): Effect[] =>
    [...open].filter(([itemId, { body }]) => which(itemId, body)).flatMap(([itemId]) => items.complete(itemId, status));
  const items: OpenItems = {
    has: (itemId) => open.has(itemId),
    find: (itemId) => open.get(itemId)?.body,
    start: (itemId, item, parentItemId) => {
      open.set(itemId, { body: item, parentItemId: parentItemId ?? null });
      return [say({ type: 'item.started', itemId, item, ...(parentItemId === undefined ? {} : { parentItemId }) })];
    },
    append: (itemId, text) => {
      const item = items.find(itemId);
      if (item === undefined || item.kind === 'plan' || text === '') return [];
      change(itemId, { ...item, text: item.text + text });
      return [say({ type: 'item.delta', itemId, text })];
    },
    update: (itemId, patch) => {
      const item = items.find(itemId);
      if (item === undefined || Object.keys(patch).length === 0) return [];
      change(itemId, applied(item, patch));
      return [say({ type: 'item.updated', itemId, patch })];
    },
    complete: (itemId, status, patch = {}) => {
      const item = items.find(itemId);
      if (item === undefined) return [];
      open.delete(itemId);
      const news = withoutKnownText(item, patch);
      return [say({ type: 'item.completed', itemId, status, ...(Object.keys(news).length === 0 ? {} : { patch: news }) })];
    },
    isInBackground: (itemId) =>
      outlivesTurn(itemId, (id) => {
        const item = open.get(id);
        return item && { isBackground: isBackgroundTask(item.body), parentItemId: item.parentItemId };
      }),
    completeWithin: (itemId, status) =>
      [...open]
        .filter(([, { parentItemId, body }]) => parentItemId === itemId && !isBackgroundTask(body))
        .flatMap(([childId]) => [...items.complete(childId, status), ...items.completeWithin(childId, status)]),
    completeTurn: (outcome) => [
      ...completeThose('completed', (_, item) => item.kind === 'plan'),
      ...completeThose(outcome === 'completed' ? 'completed' : 'cancelled', (itemId) => !items.isInBackground(itemId)),
    ],
    completeAll: (status, which = () => true) => completeThose(status, (_, item) => which(item)),
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
    ...(patch.isBackground === undefined ? {} : { isBackground: patch.isBackground }),
  };
};

/** The final text is sent again only where the stream said something else. */
const withoutKnownText = (item: ItemBody, patch: ItemPatch): ItemPatch => {
  if (item.kind === 'plan' || patch.text !== item.text) return patch;
  const { text: _, ...rest } = patch;
  return rest;
};

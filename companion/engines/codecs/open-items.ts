/** The items that an engine has begun and not ended. A codec closes them when a turn is cancelled or the process ends. */
import { isBackgroundTask, outlivesTurn, type ItemBody, type ItemPatch, type ItemStatus } from '#protocol/items.ts';
import type { Effect, EngineEvent } from '../engine.ts';

/** An event, wrapped as an effect. */
export const say = (event: EngineEvent): Effect => ({ type: 'event', event });

interface OpenItem {
  readonly body: ItemBody;
  readonly parentItemId: string | null;
}

/** Keeps an engine's open items and turns each change into its event. */
export class OpenItems {
  readonly #open = new Map<string, OpenItem>();

  has(itemId: string): boolean {
    return this.#open.has(itemId);
  }

  /** The item as it began, with the changes of its patches. */
  find(itemId: string): ItemBody | undefined {
    return this.#open.get(itemId)?.body;
  }

  start(itemId: string, item: ItemBody, parentItemId?: string): Effect[] {
    this.#open.set(itemId, { body: item, parentItemId: parentItemId ?? null });
    return [say({ type: 'item.started', itemId, item, ...(parentItemId === undefined ? {} : { parentItemId }) })];
  }

  /** Appends to the text of an open item; does nothing for a closed item or an empty text. */
  append(itemId: string, text: string): Effect[] {
    const item = this.find(itemId);
    if (item === undefined || item.kind === 'plan' || text === '') return [];
    this.#change(itemId, { ...item, text: item.text + text });
    return [say({ type: 'item.delta', itemId, text })];
  }

  update(itemId: string, patch: ItemPatch): Effect[] {
    const item = this.find(itemId);
    if (item === undefined || Object.keys(patch).length === 0) return [];
    this.#change(itemId, applied(item, patch));
    return [say({ type: 'item.updated', itemId, patch })];
  }

  /** Ends an item; the patch is its final form, where that differs from what was streamed. */
  complete(itemId: string, status: ItemStatus, patch: ItemPatch = {}): Effect[] {
    const item = this.find(itemId);
    if (item === undefined) return [];
    this.#open.delete(itemId);
    const news = withoutKnownText(item, patch);
    return [say({ type: 'item.completed', itemId, status, ...(Object.keys(news).length === 0 ? {} : { patch: news }) })];
  }

  /** Whether an item is a background task or a part of one, which stays open when the turn ends. */
  isInBackground(itemId: string): boolean {
    return outlivesTurn(itemId, (id) => {
      const item = this.#open.get(id);
      return item && { isBackground: isBackgroundTask(item.body), parentItemId: item.parentItemId };
    });
  }

  /** Ends what is open inside an item, except background tasks, which end by themselves. */
  completeWithin(itemId: string, status: ItemStatus): Effect[] {
    return [...this.#open]
      .filter(([, { parentItemId, body }]) => parentItemId === itemId && !isBackgroundTask(body))
      .flatMap(([childId]) => [...this.complete(childId, status), ...this.completeWithin(childId, status)]);
  }

  /** Ends all items of a turn: unfinished ones count as cancelled, the plan stays as it is, background tasks go on. */
  completeTurn(outcome: 'completed' | 'cancelled' | 'failed'): Effect[] {
    return [
      ...this.#completeThose('completed', (_, item) => item.kind === 'plan'),
      ...this.#completeThose(outcome === 'completed' ? 'completed' : 'cancelled', (itemId) => !this.isInBackground(itemId)),
    ];
  }

  /** Ends all of them, or those for which `which` is true. */
  completeAll(status: ItemStatus, which: (item: ItemBody) => boolean = () => true): Effect[] {
    return this.#completeThose(status, (_, item) => which(item));
  }

  #change(itemId: string, body: ItemBody): void {
    this.#open.set(itemId, { body, parentItemId: this.#open.get(itemId)?.parentItemId ?? null });
  }

  #completeThose(status: ItemStatus, which: (itemId: string, item: ItemBody) => boolean): Effect[] {
    return [...this.#open].filter(([itemId, { body }]) => which(itemId, body)).flatMap(([itemId]) => this.complete(itemId, status));
  }
}

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

/** The final text is sent again only when it differs from what was streamed. */
const withoutKnownText = (item: ItemBody, patch: ItemPatch): ItemPatch => {
  if (item.kind === 'plan' || patch.text !== item.text) return patch;
  const { text: _, ...rest } = patch;
  return rest;
};

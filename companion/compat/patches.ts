/** A session as a JSON document that grows by RFC 6902 patches: `{entries: AgentMessage[], status}`. Pure. */
import jsonPatch, { type Operation } from 'fast-json-patch';
import { emptyView, type SessionView, type ViewItem } from '#protocol/view.ts';
import type { SessionId } from '#protocol/ids.ts';
import { toAgentMessage, type AgentMessage } from './realtime.ts';

/** A growing text is sent whole each time it has grown by this much, so that a stream does not cost its square. */
const GROWTH = 1.05;

/** Follows a session from one view to the next. */
export class Patcher {
  readonly #items: ViewItem[];
  readonly #entries: AgentMessage[];
  #status: SessionView['status'];

  /** `from` is the view whose document the reader has. */
  constructor(from: SessionView) {
    this.#status = from.status;
    this.#items = [...from.items];
    this.#entries = from.items.map((item) => toAgentMessage(from, item));
  }

  /** Patches from the document of the view before to that of `view`. */
  patchTo(view: SessionView): Operation[] {
    const patch: Operation[] = [];
    if (view.items.length < this.#items.length) patch.push(...this.#removeGone(view));
    for (const [index, item] of view.items.entries()) {
      if (this.#items[index] !== item) patch.push(...this.#changeEntry(view, item, index));
    }
    if (view.status !== this.#status) {
      this.#status = view.status;
      patch.push({ op: 'replace', path: '/status', value: view.status });
    }
    return patch;
  }

  #removeGone(view: SessionView): Operation[] {
    const kept = new Set(view.items.map(({ itemId }) => itemId));
    const patch: Operation[] = [];
    for (let index = this.#items.length - 1; index >= 0; index -= 1) {
      const item = this.#items[index];
      if (item === undefined || kept.has(item.itemId)) continue;
      this.#items.splice(index, 1);
      this.#entries.splice(index, 1);
      patch.push({ op: 'remove', path: `/entries/${index}` });
    }
    return patch;
  }

  #changeEntry(view: SessionView, item: ViewItem, index: number): Operation[] {
    const before = this.#entries[index];
    const entry = toAgentMessage(view, item);
    const patch = before === undefined ? [] : jsonPatch.compare(before, entry);
    if (before !== undefined && isSmallGrowth(patch, before, entry)) return [];
    this.#items[index] = item;
    this.#entries[index] = entry;
    if (before === undefined) return [{ op: 'add', path: `/entries/${index}`, value: entry }];
    return patch.map((operation) => ({ ...operation, path: `/entries/${index}${operation.path}` }));
  }
}

const isSmallGrowth = (patch: readonly Operation[], before: AgentMessage, after: AgentMessage): boolean =>
  patch.length === 1 &&
  patch[0]?.path === '/content' &&
  after.isStreaming === true &&
  after.content.length >= before.content.length &&
  after.content.length < before.content.length * GROWTH;

/** Patches that build the document of `view` from what every reader starts with: no entries, idle. */
export const fromNothing = (sessionId: SessionId, view: SessionView): Operation[] => new Patcher(emptyView(sessionId)).patchTo(view);

/**
 * Patches from the document of an earlier view. Items that were streaming then are sent whole, because the reader may have less
 * of them.
 */
export const fromEarlier = (earlier: SessionView, view: SessionView): Operation[] => {
  const wasStreaming = new Set(earlier.items.filter((item) => item.status === 'running').map(({ itemId }) => itemId));
  return [
    ...new Patcher(earlier).patchTo(view),
    ...view.items.flatMap((item, index): Operation[] =>
      wasStreaming.has(item.itemId) ? [{ op: 'replace', path: `/entries/${index}`, value: toAgentMessage(view, item) }] : [],
    ),
  ];
};

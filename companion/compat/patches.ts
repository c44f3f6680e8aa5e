/** A session as a JSON document that grows by RFC 6902 patches: `{entries: AgentMessage[], status}`. Pure. */
import jsonPatch, { type Operation } from 'fast-json-patch';
import { emptyView, type SessionView, type ViewItem } from '#protocol/view.ts';
import type { SessionId } from '#protocol/ids.ts';
import { toAgentMessage, type AgentMessage } from './realtime.ts';

/** A growing text is sent whole each time it has grown by this much, so that a stream does not cost its square. */
const GROWTH = 1.05;

/** Patches from the document of `from` to that of each view it is given, one after the other. */
export const createPatcher = (from: SessionView): ((view: SessionView) => Operation[]) => {
  let status = from.status;
  const items: ViewItem[] = [...from.items];
  const entries: AgentMessage[] = from.items.map((item) => toAgentMessage(from, item));

  const removeGone = (view: SessionView): Operation[] => {
    const kept = new Set(view.items.map(({ itemId }) => itemId));
    const patch: Operation[] = [];
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const item = items[index];
      if (item === undefined || kept.has(item.itemId)) continue;
      items.splice(index, 1);
      entries.splice(index, 1);
      patch.push({ op: 'remove', path: `/entries/${index}` });
    }
    return patch;
  };

  const changeEntry = (view: SessionView, item: ViewItem, index: number): Operation[] => {
    const before = entries[index];
    const entry = toAgentMessage(view, item);
    if (before === undefined) {
      items.push(item);
      entries.push(entry);
      return [{ op: 'add', path: `/entries/${index}`, value: entry }];
    }
    const patch = jsonPatch.compare(before, entry);
    if (isSmallGrowth(patch, before, entry)) return [];
    items[index] = item;
    entries[index] = entry;
    return patch.map((operation) => ({ ...operation, path: `/entries/${index}${operation.path}` }));
  };

  return (view) => {
    const patch: Operation[] = [];
    if (view.items.length < items.length) patch.push(...removeGone(view));
    for (const [index, item] of view.items.entries()) if (items[index] !== item) patch.push(...changeEntry(view, item, index));
    if (view.status !== status) {
      status = view.status;
      patch.push({ op: 'replace', path: '/status', value: status });
    }
    return patch;
  };
};

const isSmallGrowth = (patch: readonly Operation[], before: AgentMessage, after: AgentMessage): boolean =>
  patch.length === 1 &&
  patch[0]?.path === '/content' &&
  after.isStreaming === true &&
  after.content.length >= before.content.length &&
  after.content.length < before.content.length * GROWTH;

/** Patches that build the document of `view` from what every reader starts with: no entries, idle. */
export const fromNothing = (sessionId: SessionId, view: SessionView): Operation[] => createPatcher(emptyView(sessionId))(view);

/** Patches from the document of an earlier view. What was streaming then is sent whole: its reader may have held less of it. */
export const fromEarlier = (earlier: SessionView, view: SessionView): Operation[] => {
  const wasStreaming = new Set(earlier.items.filter((item) => item.status === 'running').map(({ itemId }) => itemId));
  return [
    ...createPatcher(earlier)(view),
    ...view.items.flatMap((item, index): Operation[] =>
      wasStreaming.has(item.itemId) ? [{ op: 'replace', path: `/entries/${index}`, value: toAgentMessage(view, item) }] : [],
    ),
  ];
};

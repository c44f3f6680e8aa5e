/** A session as the panel keeps it: the protocol's view, and the few facts that only a drawn conversation needs. */
import type { SessionEvent } from '#protocol/events.ts';
import type { ItemId, SessionId } from '#protocol/ids.ts';
import { emptyView, project, type SessionView, type ViewRequest } from '#protocol/view.ts';

/** A request that was answered or withdrawn. The view forgets it, but the conversation shows its result. */
export interface AnsweredRequest extends ViewRequest {
  readonly outcome: 'allowed' | 'denied' | 'answered' | 'withdrawn';
  readonly optionId: string | null;
  readonly text: string | null;
  readonly answers: Readonly<Record<string, readonly string[]>> | null;
  readonly by: string;
  /** The newest item when the request was opened, which tells its place in the conversation. */
  readonly afterItemId: ItemId | null;
}

export interface Conversation {
  readonly view: SessionView;
  /** When each ended item ended, in Unix milliseconds. */
  readonly endedAt: ReadonlyMap<ItemId, number>;
  readonly answered: readonly AnsweredRequest[];
  /** The newest item when each open request came. */
  readonly anchors: ReadonlyMap<string, ItemId | null>;
}

export const emptyConversation = (sessionId: SessionId): Conversation => ({
  view: emptyView(sessionId),
  endedAt: new Map(),
  answered: [],
  anchors: new Map(),
});

/** Folds a batch of events; those applied before change nothing. One batch copies each table once, whatever its size. */
export const applyEvents = (conversation: Conversation, events: readonly SessionEvent[]): Conversation => {
  let { view } = conversation;
  const endedAt = new Map(conversation.endedAt);
  const anchors = new Map(conversation.anchors);
  let answered = [...conversation.answered];
  for (const event of events) {
    if (event.seq <= view.seq) continue;
    if (event.type === 'item.completed') endedAt.set(event.itemId, event.at);
    else if (event.type === 'request.opened') anchors.set(event.requestId, view.items.at(-1)?.itemId ?? null);
    else if (event.type === 'request.resolved') {
      const request = view.requests.find((open) => open.requestId === event.requestId);
      if (request !== undefined) {
        answered.push({
          ...request,
          outcome: event.outcome,
          optionId: event.optionId ?? null,
          text: event.text ?? null,
          answers: event.answers ?? null,
          by: event.by,
          afterItemId: anchors.get(event.requestId) ?? null,
        });
      }
    } else if (event.type === 'session.reset') {
      endedAt.clear();
      anchors.clear();
      answered = [];
    }
    view = project(view, event);
  }
  return { view, endedAt, answered, anchors };
};

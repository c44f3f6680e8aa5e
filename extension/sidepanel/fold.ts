/** A session as the panel keeps it: the view of a part of its conversation, and how much stands before that. */
import type { SessionPage } from '#protocol/api.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { ItemId, SessionId } from '#protocol/ids.ts';
import { newestPage, withEarlier } from '#protocol/pages.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';

export interface Conversation {
  readonly view: SessionView;
  /** How many items the daemon has before `first`. */
  readonly earlier: number;
  readonly first: ItemId | null;
  /** First line of the first prompt, where that is not in the view. */
  readonly opening: string;
}

export const emptyConversation = (sessionId: SessionId): Conversation => ({
  view: emptyView(sessionId),
  earlier: 0,
  first: null,
  opening: '',
});

/** Folds a batch of events; those applied before change nothing. */
export const applyEvents = (conversation: Conversation, events: readonly SessionEvent[]): Conversation => {
  const view = events.reduce(project, conversation.view);
  return events.some(({ type }) => type === 'session.reset') ? { view, earlier: 0, first: null, opening: '' } : { ...conversation, view };
};

/** The newest part of a conversation, as the daemon gives it. */
export const fromPage = (page: SessionPage): Conversation => {
  const { epoch: _, earlier, first, opening, ...view } = page;
  return { view: { ...view, gone: [] }, earlier, first, opening };
};

/** With an earlier part before what is there. */
export const withPage = ({ view }: Conversation, page: SessionPage): Conversation => {
  const { earlier, first, opening } = page;
  return { view: withEarlier(view, page), earlier, first, opening };
};

/** Forgets what stands before the newest items: the daemon gives it again. */
export const trimmed = (conversation: Conversation, limit: number): Conversation => {
  const { earlier, first, opening, ...view } = newestPage(conversation.view, limit);
  if (earlier === 0) return conversation;
  return { view, earlier: conversation.earlier + earlier, first, opening: conversation.opening || opening };
};

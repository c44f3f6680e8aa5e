/** What a person is told who does not look: one rule for every surface. Pure. */
import * as z from 'zod';
import { beginning } from './beginning.ts';
import type { SessionEvent } from './events.ts';
import { SessionId } from './ids.ts';
import type { SessionView } from './view.ts';

export const NotificationKind = z.enum(['approval', 'question', 'failed', 'finished']);
export type NotificationKind = z.infer<typeof NotificationKind>;

export const Notification = z.object({
  /** The same thing has the same key on every surface and after every reconnection: it is told once. */
  key: z.string(),
  kind: NotificationKind,
  sessionId: SessionId,
  sessionName: z.string(),
  /** What is asked, or what went wrong; an agent may have written it. */
  text: z.string(),
  at: z.number(),
});
export type Notification = z.infer<typeof Notification>;

const MAX_TEXT = 200;

/** The notification that an event makes, if any; `view` is the view after it. */
export const notificationOf = (event: SessionEvent, view: SessionView): Notification | null => {
  if (isCopied(event)) return null;
  const about = { sessionId: view.sessionId, sessionName: view.name, at: event.at };
  if (event.type === 'request.opened') {
    const kind = event.request.kind === 'question' ? 'question' : 'approval';
    return { ...about, key: keyOfRequest(event.requestId), kind, text: beginning(event.request.title, MAX_TEXT) };
  }
  // The calls of an outside client are no work of an agent that somebody waits for, and what the person stopped is no news.
  if (event.type !== 'turn.completed' || view.kind === 'client' || event.outcome === 'cancelled') return null;
  if (event.outcome !== 'completed') {
    return { ...about, key: `turn:${event.turnId}`, kind: 'failed', text: beginning(event.error?.message ?? '', MAX_TEXT) };
  }
  // While another prompt waits, the work goes on; and what another program adds is no work.
  if (event.isAdded === true || view.turns.some(({ status }) => status === 'queued')) return null;
  return { ...about, key: `turn:${event.turnId}`, kind: 'finished', text: '' };
};

/** The key of what is no news any more, because it was answered or withdrawn. */
export const settledKeyOf = (event: SessionEvent): string | null =>
  event.type === 'request.resolved' && !isCopied(event) ? keyOfRequest(event.requestId) : null;

/** It was news where it came from. */
const isCopied = (event: SessionEvent): boolean => 'saidAt' in event && event.saidAt !== undefined;

const keyOfRequest = (requestId: string): string => `request:${requestId}`;

/** The preference that switches a kind off. */
export const preferenceOf = {
  approval: 'notifyApproval',
  question: 'notifyQuestion',
  failed: 'notifyFailed',
  finished: 'notifyFinished',
} as const satisfies Record<NotificationKind, string>;

/** Which session wants the person first. */
import type { SessionSummary } from '#protocol/api.ts';

/** What a session wants of the person, most urgent first. */
const attentions = ['approval', 'question', 'failed', 'finished', 'running', 'idle'] as const;
export type Attention = (typeof attentions)[number];

/** When the person last looked at each session, as Unix milliseconds by session id. */
export type Seen = Readonly<Record<string, number>>;

/** A failure or an answer stops wanting attention once it was looked at; an open request never does. */
export const attentionOf = (session: SessionSummary, seen: Seen): Attention => {
  if (session.openRequests > 0) return session.requestKind === 'question' ? 'question' : 'approval';
  if (session.status !== 'idle') return 'running';
  const isUnseen = Date.parse(session.updatedAt) > (seen[session.id] ?? 0);
  if (!isUnseen || session.lastOutcome === null || session.lastOutcome === 'cancelled') return 'idle';
  return session.lastOutcome === 'completed' ? 'finished' : 'failed';
};

/** Most urgent first, the newest first among equals. */
export const byAttention = (sessions: readonly SessionSummary[], seen: Seen): SessionSummary[] =>
  sessions.toSorted(
    (one, other) =>
      attentions.indexOf(attentionOf(one, seen)) - attentions.indexOf(attentionOf(other, seen)) ||
      Date.parse(other.updatedAt) - Date.parse(one.updatedAt),
  );

/** These sessions were looked at as they stand now. */
export const withSeen = (seen: Seen, sessions: readonly SessionSummary[]): Seen =>
  sessions.length === 0 ? seen : { ...seen, ...Object.fromEntries(sessions.map(({ id, updatedAt }) => [id, Date.parse(updatedAt)])) };

/** What a session is called in a list: its name, or what was said last; empty for a session in which nothing was said. */
export const sessionTitle = ({ name, preview }: SessionSummary): string => name || preview.replaceAll(/[*_`#]+/g, '').trim();

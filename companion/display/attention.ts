/** Which session wants the person first. */
import { plainText } from './plain-text.ts';
import type { SessionSummary } from '#protocol/api.ts';
import type { SessionId } from '#protocol/ids.ts';

/** Why a session needs the person, the most urgent reason first. */
const attentions = ['approval', 'question', 'failed', 'finished', 'running', 'idle'] as const;
export type Attention = (typeof attentions)[number];

/** When the person last looked at each session on this surface, as Unix milliseconds by session id. The daemon knows of all surfaces. */
export type Seen = Readonly<Record<string, number>>;

/** A failure or an answer needs no attention any more once it was looked at; an open request does until it is answered. */
export const attentionOf = (session: SessionSummary, seen: Seen): Attention => {
  if (session.openRequests > 0) return session.requestKind === 'question' ? 'question' : 'approval';
  if (session.status !== 'idle') return 'running';
  const seenAt = Math.max(seen[session.id] ?? 0, session.seenAt === undefined ? 0 : Date.parse(session.seenAt));
  const isUnseen = Date.parse(session.updatedAt) > seenAt;
  if (!isUnseen || session.lastOutcome === null || session.lastOutcome === 'cancelled') return 'idle';
  return session.lastOutcome === 'completed' ? 'finished' : 'failed';
};

/** The most urgent session comes first, and the newest one among equals. */
export const byAttention = (sessions: readonly SessionSummary[], seen: Seen): SessionSummary[] =>
  sessions.toSorted(
    (one, other) =>
      attentions.indexOf(attentionOf(one, seen)) - attentions.indexOf(attentionOf(other, seen)) ||
      Date.parse(other.updatedAt) - Date.parse(one.updatedAt),
  );

/** The order of a list: what the person pinned comes first, and what they put away comes last. */
export const byPlace = (sessions: readonly SessionSummary[]): SessionSummary[] =>
  sessions.toSorted((one, other) => placeOf(one) - placeOf(other));

const placeOf = ({ isPinned, isArchived }: SessionSummary): number => (isArchived === true ? 2 : isPinned === true ? 0 : 1);

/** The session on screen stands above all others, so that it is found however many want something. */
export const withCurrentFirst = (sessions: readonly SessionSummary[], current: SessionId | null): SessionSummary[] =>
  sessions.toSorted((one, other) => Number(other.id === current) - Number(one.id === current));

/** How many sessions beside the one on screen need the person: they wait, or have ended since they were last looked at. */
export const countWanting = (sessions: readonly SessionSummary[], seen: Seen, current: SessionId | null): number =>
  sessions.filter((session) => session.id !== current && !['running', 'idle'].includes(attentionOf(session, seen))).length;

/** Notes that these sessions were looked at as they are now. */
export const withSeen = (seen: Seen, sessions: readonly SessionSummary[]): Seen =>
  sessions.length === 0 ? seen : { ...seen, ...Object.fromEntries(sessions.map(({ id, updatedAt }) => [id, Date.parse(updatedAt)])) };

/** The title of a session in a list, one line: its name, or what was said last; empty when nothing was said. */
export const sessionTitle = ({ name, preview }: SessionSummary): string =>
  plainText(name || preview.replaceAll(/[*_`#]+/g, '').trim()).replaceAll(/\s+/g, ' ');

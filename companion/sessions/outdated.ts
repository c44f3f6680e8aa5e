/** Which sessions are old enough to be deleted, when the person wants that. */
import type { SessionSummary } from '#protocol/api.ts';
import { hasNothingOpen } from './summary.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Sessions that nobody has touched for so many days; what the person put away, pinned or has work in is none of them. */
export const outdated = (sessions: readonly SessionSummary[], keepDays: number | null, now: number): SessionSummary[] =>
  keepDays === null
    ? []
    : sessions.filter(
        (session) =>
          hasNothingOpen(session) &&
          session.isArchived !== true &&
          session.isPinned !== true &&
          session.worktree?.state !== 'open' &&
          lastTouched(session) < now - keepDays * DAY_MS,
      );

/**
 * The time by which sessions are old. A clock that is set far ahead makes none of them old: it is believed for a day at most
 * (half of one that is kept a day) beyond what was touched before this process began, and then as much time counts as has really
 * gone by.
 */
export const timeForAges = (
  sessions: readonly SessionSummary[],
  keepDays: number,
  { startedAt, elapsedMs, now }: { readonly startedAt: number; readonly elapsedMs: number; readonly now: number },
): number => {
  const before = sessions.map(lastTouched).filter((at) => at <= startedAt);
  const newest = before.reduce((latest, at) => Math.max(latest, at), 0);
  return Math.min(now, Math.min(startedAt, newest + DAY_MS * Math.min(1, keepDays / 2)) + elapsedMs);
};

const lastTouched = ({ updatedAt, seenAt }: SessionSummary): number => Math.max(Date.parse(updatedAt), Date.parse(seenAt ?? updatedAt));

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

const lastTouched = ({ updatedAt, seenAt }: SessionSummary): number => Math.max(Date.parse(updatedAt), Date.parse(seenAt ?? updatedAt));

/** Which of many sessions a list offers. Pure. */
import { sessionTitle } from '#display/attention.ts';
import { fuzzy } from '#display/fuzzy.ts';
import type { SessionSummary } from '#protocol/api.ts';

/** More than these are found by their names. */
export const OFFERED_SESSIONS = 50;

/** Those whose title has the words, the best first; the newest while there are none. */
export const offerSessions = (sessions: readonly SessionSummary[], words: string): readonly SessionSummary[] => {
  const newest = sessions.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
  return fuzzy(words.trim(), newest, sessionTitle, OFFERED_SESSIONS);
};

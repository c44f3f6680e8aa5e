/** Which of many sessions a list offers. Pure. */
import { sessionTitle } from '#display/attention.ts';
import { fuzzy } from '#display/fuzzy.ts';
import type { SessionSummary } from '#protocol/api.ts';
import type { ProjectId } from '#protocol/ids.ts';

/** What somebody looks for; null means in every project. */
export interface SessionFilter {
  readonly words: string;
  readonly projectId: ProjectId | null;
}

/** Those of the project whose title has the words, the best first; the newest first while there are none. */
export const offerSessions = (sessions: readonly SessionSummary[], { words, projectId }: SessionFilter): readonly SessionSummary[] => {
  const inProject = sessions.filter((session) => projectId === null || session.projectId === projectId);
  const newest = inProject.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
  return fuzzy(words.trim(), newest, sessionTitle, newest.length);
};

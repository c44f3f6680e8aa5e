/** How much there is in a project. Pure. */
import type { SessionSummary } from './api.ts';
import type { ProjectId } from './ids.ts';

/** Counts its sessions and all that was said in them. */
export const countsOf = (
  projectId: ProjectId,
  sessions: readonly SessionSummary[],
): { readonly sessionCount: number; readonly messageCount: number } => {
  const own = sessions.filter((session) => session.projectId === projectId);
  return { sessionCount: own.length, messageCount: own.reduce((sum, { messageCount = 0 }) => sum + messageCount, 0) };
};

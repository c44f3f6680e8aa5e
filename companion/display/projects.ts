/** What is said of a project in a list, and of the session whose project is not known or not there any more. */
import type { Project, SessionSummary } from '#protocol/api.ts';
import type { ProjectId } from '#protocol/ids.ts';
import { countsOf } from '#protocol/project-counts.ts';
import type { SessionView } from '#protocol/view.ts';
import type { SayWord } from './words.ts';

/** Whether the project was forgotten: the session can be read, and goes on when it is given a project again. */
export const isForgotten = (projectId: ProjectId | null, projects: readonly Project[]): boolean =>
  projectId !== null && !projects.some(({ id }) => id === projectId);

/** Whether the newest turn failed because the folder of the project is not where it was: it is asked for again. */
export const isMoved = ({ projectId, turns }: Pick<SessionView, 'projectId' | 'turns'>): boolean =>
  projectId !== null && turns.at(-1)?.status === 'failed' && turns.at(-1)?.error?.code === 'WORKSPACE_NOT_FOUND';

/** How much is in a project, and when somebody last worked in it: `3 sessions · 40 messages · 1 working · last used 10:15`. */
export const projectUse = (
  say: SayWord,
  { id, lastActiveAt }: Project,
  sessions: readonly SessionSummary[],
  toWhen: (date: Date) => string,
): string => {
  const { sessionCount, messageCount } = countsOf(id, sessions);
  const working = sessions.filter(({ projectId, status }) => projectId === id && status !== 'idle').length;
  return [
    say('project_sessions', { count: sessionCount }),
    ...(messageCount === 0 ? [] : [say('project_messages', { count: messageCount })]),
    ...(working === 0 ? [] : [say('project_working', { count: working })]),
    ...(lastActiveAt === undefined ? [] : [say('project_used', { when: toWhen(new Date(lastActiveAt)) })]),
  ].join(' · ');
};

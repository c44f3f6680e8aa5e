/** How the list of sessions is divided: what is pinned or wants the person, then each project, then what was put away. Pure. */
import { attentionOf, byAttention, withCurrentFirst, type Seen } from '#display/attention.ts';
import type { Project, SessionSummary } from '#protocol/api.ts';
import type { SessionId } from '#protocol/ids.ts';

interface SessionGroup {
  /** Null for the sessions whose project was forgotten, or that never had one. */
  readonly project: Project | null;
  readonly sessions: readonly SessionSummary[];
}

export interface SessionGroups {
  readonly top: readonly SessionSummary[];
  readonly groups: readonly SessionGroup[];
  readonly archived: readonly SessionSummary[];
}

const RECENT = 3;

/** The last sessions that the person had with agents. */
export const recentSessions = (sessions: readonly SessionSummary[]): SessionSummary[] =>
  sessions
    .filter(({ kind, isArchived }) => kind === 'agent' && isArchived !== true)
    .toSorted((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt))
    .slice(0, RECENT);

/** The session on screen is the first of all, then the pinned ones, then those that want the person, the most urgent first. */
export const groupSessions = (
  sessions: readonly SessionSummary[],
  projects: readonly Project[],
  seen: Seen,
  current: SessionId | null,
): SessionGroups => {
  const isAway = ({ isArchived, id }: SessionSummary): boolean => isArchived === true && id !== current;
  const sorted = byAttention(sessions, seen);
  const shown = sorted.filter((session) => !isAway(session));
  const isPinned = ({ isPinned: pinned }: SessionSummary): boolean => pinned === true;
  const isTop = (session: SessionSummary): boolean =>
    session.id === current || isPinned(session) || !['running', 'idle'].includes(attentionOf(session, seen));
  const top = shown.filter(isTop).toSorted((one, other) => Number(isPinned(other)) - Number(isPinned(one)));
  const rest = shown.filter((session) => !isTop(session));
  const known = new Map<string | null, Project>(projects.map((project) => [project.id, project]));
  const owners = [...new Set(rest.map(({ projectId }) => known.get(projectId) ?? null))];
  return {
    top: withCurrentFirst(top, current),
    groups: owners
      .toSorted((one, other) => Number(one === null) - Number(other === null))
      .map((project) => ({ project, sessions: rest.filter(({ projectId }) => (known.get(projectId) ?? null) === project) })),
    archived: sorted.filter(isAway),
  };
};

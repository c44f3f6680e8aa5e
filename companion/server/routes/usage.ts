/** What sessions have used, with the names that belong to it. */
import type { routes } from '#protocol/routes.ts';
import type { UsageRow } from '#protocol/usage.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';

export const usageHandlers = ({ usage, settings, sessions, projects }: ServerDeps): Pick<Handlers<typeof routes>, 'readUsage'> => ({
  readUsage: ({ query }) => {
    const { dailyCostUsd, dailyTokens } = settings.current();
    const sessionNames = new Map(sessions.list().map(({ id, name, preview }) => [id, name || preview]));
    const projectNames = new Map(projects.list().map(({ id, name }) => [id, name]));
    const named = (row: UsageRow): UsageRow => {
      const sessionName = row.sessionId === undefined ? undefined : sessionNames.get(row.sessionId);
      const projectName = typeof row.projectId === 'string' ? projectNames.get(row.projectId) : undefined;
      return { ...row, ...(sessionName === undefined ? {} : { sessionName }), ...(projectName === undefined ? {} : { projectName }) };
    };
    return {
      by: query.by,
      rows: usage.rows(query).map(named),
      total: usage.total(query),
      today: { ...usage.today(Date.now()), dailyCostUsd, dailyTokens },
    };
  },
});

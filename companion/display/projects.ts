/** The project of a session, as far as it is still known. */
import type { Project } from '#protocol/api.ts';
import type { ProjectId } from '#protocol/ids.ts';

/** Whether the project was forgotten: the session can be read, and goes on when it is given a project again. */
export const isForgotten = (projectId: ProjectId | null, projects: readonly Project[]): boolean =>
  projectId !== null && !projects.some(({ id }) => id === projectId);

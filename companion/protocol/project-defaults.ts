/** The agent, model and mode with which a session of a project begins where its person has chosen nothing else. Pure. */
import type { Project, SessionSummary } from './api.ts';
import type { EngineInfo } from './engines.ts';

export interface ProjectDefaults {
  readonly model: string | null;
  readonly mode: string | null;
}

/** They hold for the project's own agent only. A mode in which nothing is asked is chosen for one session, and is never a default. */
export const projectDefaults = (
  project: Pick<Project, 'preferredCli' | 'selectedModel' | 'selectedMode'> | null,
  engine: Pick<EngineInfo, 'name' | 'modes'> | null,
): ProjectDefaults => {
  if (project === null || engine === null || project.preferredCli !== engine.name) return { model: null, mode: null };
  const mode = engine.modes.find(({ modeId, isDangerous }) => modeId === project.selectedMode && !isDangerous);
  return { model: project.selectedModel ?? null, mode: mode?.modeId ?? null };
};

/** The agent and model of a project: those that were set for it, else those of its newest conversation; null when nothing is known of them. */
export const agentOfProject = (
  project: Pick<Project, 'id' | 'preferredCli'>,
  sessions: readonly SessionSummary[],
): { readonly engine: string; readonly model: string | null } | null => {
  // With the agent that was set goes the model that was set.
  if (project.preferredCli !== undefined) return { engine: project.preferredCli, model: null };
  const [newest] = sessions
    .filter((session) => session.projectId === project.id && session.kind === 'agent')
    .toSorted((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));
  return newest === undefined ? null : { engine: newest.engineName, model: newest.model };
};

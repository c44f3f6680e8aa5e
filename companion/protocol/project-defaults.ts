/** The model and mode with which a session of a project begins where its person has chosen nothing else. Pure. */
import type { Project } from './api.ts';
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

/** Project, engine, model and mode of the session on screen, or of the new one. Pure. */
import { sessionTitle } from '#display/attention.ts';
import { isUsable, modeOf } from '#display/engines.ts';
import { isForgotten } from '#display/projects.ts';
import type { Project, SessionSummary } from '#protocol/api.ts';
import type { EngineInfo, ModeInfo } from '#protocol/engines.ts';
import type { LoggedPrompt } from '#protocol/events.ts';
import type { ProjectId } from '#protocol/ids.ts';
import { agentOfProject, projectDefaults } from '#protocol/project-defaults.ts';
import { runningTurn, type SessionView, type ViewRequest } from '#protocol/view.ts';
import { isEmptyDraft } from './draft.ts';
import { noExtras, type Choice, type Extras, type PanelState } from './state.ts';

export interface Selected {
  readonly session: SessionSummary | null;
  readonly view: SessionView | null;
  readonly project: Project | null;
  readonly engine: EngineInfo | null;
  readonly model: string | null;
  readonly mode: ModeInfo | null;
  readonly effort: string | null;
  readonly extras: Extras;
  readonly worktree: SessionView['worktree'];
  /** What waits for the person, oldest first. */
  readonly requests: readonly ViewRequest[];
  readonly isRunning: boolean;
  readonly isStopping: boolean;
  /** The name that the user gave it, or its first words. */
  readonly title: string;
  /** Whether the session belongs to an MCP client from outside, so that nobody can be talked to. */
  readonly isForeign: boolean;
  /** Whether its project was forgotten. Then the session can be read, and goes on when it is given a project again. */
  readonly isHomeless: boolean;
}

export const select = (state: PanelState): Selected => {
  const session = state.sessions?.find((candidate) => candidate.id === state.sessionId) ?? null;
  const view = state.conversation !== null && state.conversation.view.seq > 0 ? state.conversation.view : null;
  const opening = state.conversation?.opening ?? '';
  const isNew = state.sessionId === null;
  const projectId = isNew ? state.choice.projectId : (view?.projectId ?? session?.projectId ?? null);
  const engineName = isNew ? state.choice.engine : (view?.engine ?? session?.engineName ?? null);
  const engine = state.engines?.find((candidate) => candidate.name === engineName) ?? null;
  const project = state.projects?.find((candidate) => candidate.id === projectId) ?? null;
  const settings = isNew
    ? chosen(state, project, engine)
    : (view?.settings ?? { model: session?.model ?? null, mode: session?.mode ?? null, effort: null });
  const turn = view === null ? undefined : runningTurn(view);
  return {
    session,
    view,
    project,
    engine,
    model: settings.model,
    mode: modeOf(engine, settings.mode),
    effort: settings.effort,
    extras: isNew ? state.extras : (view?.settings ?? noExtras),
    worktree: view?.worktree ?? null,
    requests: view?.requests ?? noRequests,
    isRunning: turn !== undefined,
    isStopping: turn !== undefined && (turn.status === 'cancelling' || turn.turnId === state.stopping),
    title: view === null ? (session === null ? '' : sessionTitle(session)) : view.name || opening || firstLine(view.turns[0]?.prompt),
    isForeign: (view?.kind ?? session?.kind) === 'client',
    isHomeless: !isNew && state.projects !== null && isForgotten(projectId, state.projects),
  };
};

const noRequests: readonly ViewRequest[] = [];

/** What the person has chosen for the new session, else what its project begins with. */
const chosen = ({ choice }: PanelState, project: Project | null, engine: EngineInfo | null): Pick<Choice, 'model' | 'mode' | 'effort'> => {
  const defaults = projectDefaults(project, engine);
  return { model: choice.model ?? defaults.model, mode: choice.mode ?? defaults.mode, effort: choice.effort };
};

/** The settings of the new session as they are sent. */
export const newSettings = (state: PanelState): Pick<Choice, 'model' | 'mode' | 'effort'> => {
  const { project, engine } = select(state);
  return chosen(state, project, engine);
};

const firstLine = (prompt: LoggedPrompt | undefined): string => (prompt?.displayText ?? prompt?.text ?? '').trim().split('\n', 1)[0] ?? '';

/** Whether there is somebody to write to: always in a session, and before one unless no agent can answer. What was written stays in sight. */
export const canCompose = ({ sessionId, engines, draft, outbox }: PanelState): boolean =>
  sessionId !== null ||
  engines === null ||
  engines.some(isUsable) ||
  !isEmptyDraft(draft) ||
  outbox.some((unsent) => unsent.sessionId === null);

/** The engine for a new session: the last choice, the project's own, or the first that works or may work. */
export const preferredEngine = (state: PanelState): string | null => {
  const engines = state.engines ?? [];
  const project = state.projects?.find((candidate) => candidate.id === state.choice.projectId);
  const chosen = state.choice.isSuggested ? null : state.choice.engine;
  const wanted = [chosen, project?.preferredCli].map((name) => engines.find((engine) => engine.name === name));
  const working = (['ready', 'unchecked'] as const).map((status) => engines.find((engine) => engine.status === status));
  return [...wanted, ...working, engines[0]].find((engine) => engine !== undefined)?.name ?? null;
};

/** The agent and model of a project; null when nothing is known of them. */
export const agentOf = ({ projects, sessions }: PanelState, projectId: ProjectId): Pick<Choice, 'engine' | 'model'> | null =>
  agentOfProject(projects?.find(({ id }) => id === projectId) ?? { id: projectId }, sessions ?? []);

/** The project for a new session: the last choice, or the one that was used last. */
export const preferredProject = (state: PanelState): Project | null => {
  const projects = state.projects ?? [];
  return (
    projects.find((project) => project.id === state.choice.projectId) ??
    projects.toSorted((one, other) => activity(other) - activity(one))[0] ??
    null
  );
};

const activity = (project: Project): number => Date.parse(project.lastActiveAt ?? project.updatedAt);

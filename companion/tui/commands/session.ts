/** Beginning, stopping and changing sessions. */
import { sessionTitle } from '#display/attention.ts';
import { asCommand } from '#display/command-name.ts';
import { byStatus, effortText, engineStatusText, isUsable, labelText, modeDescription, modeOf } from '#display/engines.ts';
import type { Project } from '#protocol/api.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { agentOfProject } from '#protocol/project-defaults.ts';
import { backgroundTasks, queuedTurns, runningTurn } from '#protocol/view.ts';
import { draftOf } from '../editing.ts';
import { selectedKey, selectedProject } from '../rows.ts';
import { say, t } from '../say.ts';
import { isHomeless, isHomeMoved } from '../layout.ts';
import { moveOwnProject, openProjectInput } from './projects.ts';
import { outcome, type Choice, type Effect, type Outcome, type TuiState } from '../state.ts';
import { cleanLine } from '../text.ts';
import { visibleChoices } from '#companion/tui/views/picker.ts';

/** Chooses the agent of a new session; the one selected in its list is selected here too, or else the project's, or the first that can be picked. */
export const newSession = (state: TuiState): Outcome => {
  const project = clearProject(state);
  const usual = project === null ? null : agentOfProject(project, state.sessions);
  const preferred = state.focus === 'engines' ? selectedKey(state, 'engines') : (usual?.engine ?? state.session?.engine ?? null);
  const choices = engineChoices(state);
  // One that cannot be used is only where the person has just pointed at it, and is told why.
  const isOffered = choices.some(
    ({ value, disabledReason }) => value === preferred && (disabledReason === undefined || state.focus === 'engines'),
  );
  const index = Math.max(
    0,
    choices.findIndex(({ value, disabledReason }) => (isOffered ? value === preferred : disabledReason === undefined)),
  );
  return outcome({
    ...state,
    overlay: { type: 'picker', purpose: 'engine', title: t('New session: which agent?'), choices, index, filter: '', engine: null },
  });
};

/** Takes what is known of the agents now, also into the list of which one is being chosen: what is selected there stays so. */
export const takeEngines = (state: TuiState, engines: readonly EngineInfo[]): TuiState => {
  const { overlay } = state;
  if (overlay?.type !== 'picker' || overlay.purpose !== 'engine') return { ...state, engines };
  const selected = visibleChoices(overlay)[overlay.index]?.value;
  const renewed = { ...overlay, choices: engineChoices({ engines, command: state.command }) };
  const index = Math.max(
    0,
    visibleChoices(renewed).findIndex(({ value }) => value === selected),
  );
  return { ...state, engines, overlay: { ...renewed, index } };
};

const engineChoices = ({ engines, command }: Pick<TuiState, 'engines' | 'command'>): Choice[] =>
  engines.toSorted(byStatus).map((engine) => {
    const status = engineStatusText(say, engine);
    const detail = engine.status === 'ready' ? (engine.version ?? status) : status;
    const disabledReason = engine.fix === undefined ? status : say('labelled', { label: status, text: asCommand(engine.fix, command) });
    return { value: engine.name, label: labelText(engine, say), detail, ...(isUsable(engine) ? {} : { disabledReason }) };
  });

/** The project of a new session, where there is nothing to ask. */
const clearProject = (state: TuiState): Project | null =>
  selectedProject(state) ?? (state.projects.length === 1 ? (state.projects[0] ?? null) : null);

/** A new session; with the agent that the project had last comes the model that it had. */
export const toCreation = ({ projects, sessions }: TuiState, engine: string, projectId: string | null): Effect => {
  const project = projects.find(({ id }) => id === projectId);
  const usual = project === undefined ? null : agentOfProject(project, sessions);
  const model = usual?.engine === engine ? usual.model : null;
  return { type: 'session.create', engine, projectId, ...(model === null ? {} : { model }) };
};

/** The second question of a new session; with one project or none there is nothing to ask. */
export const chooseProject = (state: TuiState, engine: string): Outcome => {
  const project = clearProject(state);
  if (project !== null || state.projects.length === 0) {
    return outcome({ ...state, overlay: null }, toCreation(state, engine, project?.id ?? null));
  }
  return outcome({
    ...state,
    overlay: {
      type: 'picker',
      purpose: 'project',
      title: t('In which project?'),
      choices: projectChoices(state),
      index: 0,
      filter: '',
      engine,
    },
  });
};

/** Why the project of the session cannot be changed. */
export const moveDisabled = (state: TuiState): string | null =>
  noSession(state) ?? (isHomeless(state) || isHomeMoved(state) ? null : t('The project of this session is known.'));

/** Chooses the project again for a session whose project was forgotten, or its folder where that was moved. */
export const pickHome = (state: TuiState): Outcome => {
  if (isHomeMoved(state) && !isHomeless(state)) return moveOwnProject(state);
  if (state.projects.length === 0) return openProjectInput(state);
  const choices = projectChoices(state);
  const title = say('choose_project_again');
  return outcome({ ...state, overlay: { type: 'picker', purpose: 'move', title, choices, index: 0, filter: '', engine: null } });
};

const projectChoices = ({ projects }: TuiState): Choice[] =>
  projects.map(({ id, name, rootPath }) => ({ value: id, label: name, detail: rootPath }));

/** Why there is nothing to stop. */
export const stopDisabled = ({ session }: TuiState): string | null =>
  session !== null && (runningTurn(session) !== undefined || queuedTurns(session).length > 0) ? null : t('Nothing is running here.');

/** Stops the running turn and everything queued behind it. */
export const stop = (state: TuiState): Outcome =>
  state.session === null ? outcome(state) : outcome(state, { type: 'turn.cancel', sessionId: state.session.sessionId, turnId: null });

/** Why there is no background task to stop. */
export const stopTasksDisabled = ({ session }: TuiState): string | null =>
  session !== null && backgroundTasks(session).length > 0 ? null : t('Nothing runs in the background here.');

/** Stops what goes on in the background; the turn, if one runs, goes on. */
export const stopTasks = (state: TuiState): Outcome => {
  const { session } = state;
  if (session === null) return outcome(state);
  return outcome(
    state,
    ...backgroundTasks(session).map(({ itemId }): Effect => ({ type: 'task.stop', sessionId: session.sessionId, itemId })),
  );
};

/** Takes the newest queued prompt back into the composer. */
export const unqueue = (state: TuiState): Outcome => {
  const { session } = state;
  const turn = session === null ? undefined : queuedTurns(session).at(-1);
  if (session === null || turn === undefined) return outcome(state);
  const draft = draftOf(turn.prompt.text);
  return outcome(
    { ...state, drafts: { ...state.drafts, [session.sessionId]: draft }, focus: 'composer' },
    { type: 'turn.cancel', sessionId: session.sessionId, turnId: turn.turnId },
  );
};

/** Why nothing can be taken from the queue. */
export const unqueueDisabled = ({ session }: TuiState): string | null =>
  session !== null && queuedTurns(session).length > 0 ? null : t('The queue is empty.');

/** Asks for a new name. */
export const rename = (state: TuiState): Outcome =>
  outcome({
    ...state,
    overlay: { type: 'input', purpose: 'rename', title: t('Name of the session'), draft: draftOf(state.session?.name ?? '') },
  });

/** Why there is no session to change. */
export const noSession = ({ session }: TuiState): string | null => (session === null ? t('No session is open.') : null);

/** Asks before a session and its history are deleted. */
export const askToDelete = (state: TuiState): Outcome => {
  const session = selectedSession(state);
  if (session === undefined) return outcome(state);
  const name = cleanLine(sessionTitle(session) || say('new_session'));
  return outcome({
    ...state,
    overlay: { type: 'confirm', text: say('delete_confirm', { name }), effect: { type: 'session.delete', sessionId: session.id } },
  });
};

/** Keeps the selected session at the top of the list, or no longer. */
export const togglePin = (state: TuiState): Outcome => {
  const session = selectedSession(state);
  if (session === undefined) return outcome(state);
  return outcome(state, { type: 'session.update', sessionId: session.id, change: { isPinned: session.isPinned !== true } });
};

/** Puts the selected session away, to the end of the list, or takes it out again. */
export const toggleArchived = (state: TuiState): Outcome => {
  const session = selectedSession(state);
  if (session === undefined) return outcome(state);
  return outcome(state, { type: 'session.update', sessionId: session.id, change: { isArchived: session.isArchived !== true } });
};

/** Brings the session back that was deleted last. */
export const undelete = (state: TuiState): Outcome =>
  state.deleted === null ? outcome(state) : outcome({ ...state, deleted: null }, { type: 'session.restore', sessionId: state.deleted });

/** Why nothing can be brought back. */
export const undeleteDisabled = ({ deleted }: TuiState): string | null =>
  deleted === null ? t('No session was deleted here; `pilotfish sessions restore` brings older ones back.') : null;

const selectedSession = (state: TuiState) => state.sessions.find(({ id }) => id === selectedKey(state, 'sessions'));

/** Chooses the model for the turns to come. */
export const pickModel = (state: TuiState): Outcome => {
  const models = engineOf(state)?.models ?? [];
  const choices = [
    { value: '', label: t("The agent's default"), detail: '' },
    ...models.map(({ modelId, label }): Choice => ({ value: modelId, label, detail: label === modelId ? '' : modelId })),
  ];
  const index = Math.max(
    0,
    choices.findIndex(({ value }) => value === (state.session?.settings.model ?? '')),
  );
  return outcome({
    ...state,
    overlay: { type: 'picker', purpose: 'model', title: say('model'), choices, index, filter: '', engine: null },
  });
};

/** Chooses how much the agent asks. */
export const pickMode = (state: TuiState): Outcome => {
  const modes = engineOf(state)?.modes ?? [];
  const choices = modes.map((mode): Choice => ({
    value: mode.modeId,
    label: labelText(mode, say),
    detail: mode.isDangerous
      ? t('asks nothing: {mode}', { mode: modeDescription(mode, say) || t('everything is allowed') })
      : modeDescription(mode, say),
  }));
  const index = Math.max(
    0,
    choices.findIndex(({ value }) => value === modeOf(engineOf(state), state.session?.settings.mode ?? null)?.modeId),
  );
  return outcome({ ...state, overlay: { type: 'picker', purpose: 'mode', title: say('mode'), choices, index, filter: '', engine: null } });
};

/** Chooses how hard the model thinks, among what it offers. */
export const pickEffort = (state: TuiState): Outcome => {
  const current = state.session?.settings.effort ?? '';
  const efforts = effortsOf(state);
  const choices = [
    { value: '', label: t("The model's default"), detail: '' },
    ...efforts.map((effort): Choice => ({ value: effort, label: effortText(effort, say), detail: '' })),
  ];
  const index = Math.max(
    0,
    choices.findIndex(({ value }) => value === current),
  );
  return outcome({
    ...state,
    overlay: { type: 'picker', purpose: 'effort', title: say('effort'), choices, index, filter: '', engine: null },
  });
};

/** Why there is no effort to choose. */
export const effortDisabled = (state: TuiState): string | null => {
  if (state.session === null || effortsOf(state).length > 0) return noSession(state);
  const models = engineOf(state)?.models ?? [];
  const isOffered = models.some(({ efforts }) => (efforts ?? []).length > 0);
  return isOffered ? t('Choose a model first (<global m>); not every model has efforts.') : t('This agent has no efforts to choose from.');
};

const effortsOf = (state: TuiState): readonly string[] =>
  engineOf(state)?.models.find(({ modelId }) => modelId === state.session?.settings.model)?.efforts ?? [];

/** Why there is no mode to choose. */
export const modeDisabled = (state: TuiState): string | null =>
  noSession(state) ?? ((engineOf(state)?.modes.length ?? 0) > 0 ? null : t('This agent has no modes.'));

const engineOf = ({ engines, session }: TuiState) => engines.find(({ name }) => name === session?.engine);

/** Sessions: list, make, change, read, reset and remove them; talk to their agents, answer what these ask, follow what happens. */
import { toPlainMessages } from '#companion/compat/entries.ts';
import type { Given } from '#protocol/contract.ts';
import { hasNoModes } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { nameIn } from '#protocol/modes.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import type { routes } from '#protocol/routes.ts';
import type { Project, SessionSummary } from '#protocol/api.ts';
import { projectDefaults } from '#protocol/project-defaults.ts';
import { attachmentsOf, queuedTurns, runningTurn } from '#protocol/view.ts';
import { explain } from '#protocol/faults.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import type { LogStream } from '../log-stream.ts';
import { toBytes } from './attachments.ts';
import { defaultEngine, findProject, toWorktreeWish } from './find.ts';
import { fileHandlers } from './session-files.ts';
import { lifeHandlers } from './session-life.ts';

type Names =
  | 'listSessions'
  | 'listProjectSessions'
  | 'createSession'
  | 'readSession'
  | 'readPage'
  | 'updateSession'
  | 'resetSession'
  | 'removeSession'
  | 'listRemovedSessions'
  | 'restoreSession'
  | 'seeSession'
  | 'forkSession'
  | 'exportSession'
  | 'importSession'
  | 'search'
  | 'watchSession'
  | 'startTurn'
  | 'notePicked'
  | 'cancelTurns'
  | 'cancelTurn'
  | 'stopTask'
  | 'readTask'
  | 'readAttachment'
  | 'answerRequest';

export type SessionHandlers = Pick<Handlers<typeof routes>, Names>;

type OneSession = Given<typeof routes.createSession>;

export const sessionHandlers = (deps: ServerDeps, { log }: { readonly log: LogStream }): SessionHandlers => {
  const { sessions, attachments } = deps;
  const answerWith = (sessionId: SessionId): OneSession => ({ session: deps.sessions.summary(sessionId) });
  const cancel = (sessionId: SessionId, turnId?: TurnId) => cancelTurns(deps, sessionId, turnId);
  return {
    listSessions: () => ({ sessions: sessions.list() }),
    listProjectSessions: ({ params }) => ({ sessions: sessionsOf(deps, params.projectId) }),
    createSession: async ({ params: { projectId }, body: { engineName: named, name, worktree, ...said } }) => {
      const engineName = named ?? (await defaultEngine(deps, findProject(deps, projectId)));
      const settings = settingsFor(deps, findProject(deps, projectId), engineName, said);
      const { sessionId } = await sessions.dispatch({
        type: 'session.create',
        projectId,
        engine: engineName,
        ...(name === undefined ? {} : { name }),
        ...toWorktreeWish(worktree),
        settings,
      });
      return answerWith(sessionId);
    },
    readSession: ({ params }) => readSession(deps, params.sessionId),
    readPage: async ({ params: { sessionId }, query: { before = null, limit } }) => ({
      ...(await sessions.page(sessionId, before, limit)),
      epoch: sessions.epoch(sessionId),
    }),
    updateSession: async ({ params: { sessionId }, body: { name, projectId, isArchived, isPinned, ...settings } }) => {
      checkSettings(deps, sessions.view(sessionId).engine, settings);
      await sessions.dispatch({
        type: 'session.update',
        sessionId,
        ...(name === undefined ? {} : { name: name ?? '' }),
        ...(projectId === undefined ? {} : { projectId }),
        ...(isArchived === undefined ? {} : { isArchived }),
        ...(isPinned === undefined ? {} : { isPinned }),
        settings,
      });
      return answerWith(sessionId);
    },
    resetSession: async ({ params: { sessionId } }) => {
      await sessions.dispatch({ type: 'session.reset', sessionId });
      return answerWith(sessionId);
    },
    ...lifeHandlers(deps),
    ...fileHandlers(deps),
    search: ({ query }) => sessions.search(query),
    watchSession: ({ params: { sessionId }, query }, { lastEventId, hijack }) =>
      log.open(hijack, sessionId, lastEventId ?? query.after ?? null),
    ...promptHandlers(deps),
    cancelTurns: async ({ params: { sessionId } }) => ({ cancelledCount: await cancel(sessionId) }),
    cancelTurn: async ({ params: { sessionId, turnId } }) => ({ cancelledCount: await cancel(sessionId, turnId) }),
    stopTask: async ({ params }) => void (await sessions.dispatch({ type: 'task.stop', ...params })),
    readTask: ({ params: { sessionId, itemId } }) => sessions.readTask(sessionId, itemId),
    readAttachment: async ({ params: { sessionId, attachmentId } }) => {
      const ref = attachmentsOf(sessions.view(sessionId)).find((candidate) => candidate.attachmentId === attachmentId);
      if (ref === undefined) throw new CompanionError('ROUTE_NOT_FOUND', explain('no_attachment_in_session'));
      return toBytes(ref, await attachments.stream(ref));
    },
    answerRequest: async ({ params, body }, { principal }) => {
      const by = principal.type === 'panel' ? 'panel' : 'terminal';
      await sessions.dispatch({ type: 'request.answer', ...params, answer: body, by });
      return { success: true };
    },
  };
};

/** What a turn begins with. */
const promptHandlers = (deps: ServerDeps): Pick<SessionHandlers, 'startTurn' | 'notePicked'> => ({
  startTurn: async ({
    params: { sessionId },
    body: { turnId, delivery, ifTaken, attachments: attached = [], uploads = [], ...prompt },
  }) => {
    const started = await deps.sessions.dispatch({
      type: 'turn.start',
      sessionId,
      prompt: { ...prompt, attachments: [...attached, ...uploads.map((uploadId) => ({ uploadId }))] },
      ...(turnId === undefined ? {} : { turnId }),
      ...(delivery === undefined ? {} : { delivery }),
      ...(ifTaken === undefined ? {} : { ifTaken }),
    });
    const accepted = started.turnId ?? turnId;
    if (accepted === undefined) throw new Error('a turn was started without an id');
    return { turnId: accepted, sessionId };
  },
  notePicked: ({ params: { sessionId, turnId }, body: { elements } }, { principal }) => {
    deps.proofs.keep({ sessionId, turnId, browserId: principal.type === 'panel' ? principal.browserId : null, elements });
    return { success: true };
  },
});

/** The sessions of a project, which may have been forgotten; throws PROJECT_NOT_FOUND when there was none of this id. */
export const sessionsOf = (deps: ServerDeps, projectId: ProjectId): SessionSummary[] => {
  const found = deps.sessions.list().filter((summary) => summary.projectId === projectId);
  if (found.length === 0) findProject(deps, projectId);
  return found;
};

const readSession = (deps: ServerDeps, sessionId: SessionId): Given<typeof routes.readSession> => {
  const view = deps.sessions.view(sessionId);
  return { ...view, epoch: deps.sessions.epoch(sessionId), session: deps.sessions.summary(sessionId), messages: toPlainMessages(view) };
};

/** Cancels one turn, or without `turnId` the one that runs and those that wait; returns how many there were. */
const cancelTurns = async ({ sessions }: ServerDeps, sessionId: SessionId, turnId?: TurnId): Promise<number> => {
  const view = sessions.view(sessionId);
  const running = runningTurn(view);
  const open = [...queuedTurns(view), ...(running === undefined ? [] : [running])];
  const count = open.filter((turn) => turnId === undefined || turn.turnId === turnId).length;
  if (count > 0) await sessions.dispatch({ type: 'turn.cancel', sessionId, ...(turnId === undefined ? {} : { turnId }) });
  return count;
};

/** The settings of a new session: what is not said is as the project has it. */
const settingsFor = <Said extends { readonly model?: string | null | undefined; readonly mode?: string | null | undefined }>(
  deps: ServerDeps,
  project: Project,
  engineName: string,
  said: Said,
) => {
  const defaults = projectDefaults(project, deps.engines.list().find(({ name }) => name === engineName) ?? null);
  const { model = defaults.model, mode = defaults.mode } = said;
  const settings = { ...said, model, mode };
  checkSettings(deps, engineName, settings);
  return settings;
};

/**
 * An agent started with a mode that it does not have ends at once, and says so in its own words at best. Allowed tools would be
 * kept and not heeded by an agent that takes none.
 */
const checkSettings = (
  { engines }: ServerDeps,
  engineName: string,
  { mode, allowedTools = [] }: { readonly [Key in keyof SessionSettings]?: SessionSettings[Key] | undefined },
): void => {
  const engine = engines.list().find(({ name }) => name === engineName);
  const modes = (engine?.modes ?? []).map(({ modeId }) => modeId);
  if (typeof mode === 'string' && engine !== undefined && hasNoModes(engine))
    throw new CompanionError('INPUT_INVALID', `mode: ${engineName} has no modes, so "${mode}" is none of them.`);
  if (typeof mode === 'string' && modes.length > 0 && !modes.includes(mode)) {
    throw new CompanionError('INPUT_INVALID', `mode: "${mode}" is none of the modes of ${engineName}: ${modes.join(', ')}.`);
  }
  if (allowedTools.length === 0 || engine === undefined || engine.capabilities.hasAllowedTools === true) return;
  throw new CompanionError('ENGINE_UNSUPPORTED', explain('no_allowed_tools', { agent: nameIn(engine) }), {
    remedy: explain('leave_tools_out'),
  });
};

/** The messages of a project: what was said in all of its sessions. */
import { type MessageInput, toItem } from '#companion/compat/bodies.ts';
import { toAgentMessage } from '#companion/compat/realtime.ts';
import type { compatRoutes } from '#companion/compat/routes.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { ItemId, type ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import { runningTurn } from '#protocol/view.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import { createNamed } from './compat-act.ts';
import { findEngine, findProject } from './find.ts';
import { messagesOf } from './message-pages.ts';
import { sessionsOf } from './sessions.ts';

type Names = 'projectMessages' | 'addMessage' | 'removeMessages';

export const messageHandlers = (deps: ServerDeps): Pick<Handlers<typeof compatRoutes>, Names> => {
  const { sessions } = deps;
  return {
    projectMessages: ({ params, query }) =>
      messagesOf(
        sessions,
        sessionsOf(deps, params.projectId).map(({ id }) => id),
        query,
      ),
    addMessage: async ({ params, body }) => {
      const sessionId = await conversationIn(deps, params.projectId, body);
      const turnId = body.id ?? TurnId.parse(randomId('message'));
      await sessions.dispatch({ type: 'message.add', sessionId, turnId, item: toItem(body) });
      const view = sessions.view(sessionId);
      const item = view.items.find(({ itemId }) => itemId === String(turnId));
      if (item === undefined) throw new CompanionError('INPUT_INVALID', `id: ${JSON.stringify(turnId)} was used before and is gone since.`);
      return { success: true, data: toAgentMessage(view, item) };
    },
    removeMessages: async ({ params, query }) => {
      const { conversationId } = query;
      findProject(deps, params.projectId);
      const found = sessionsOf(deps, params.projectId).filter(({ kind }) => kind === 'agent');
      const wanted = conversationId === undefined ? found : [find(found, conversationId)];
      const views = wanted.map(({ id }) => sessions.view(id));
      if (views.some((view) => runningTurn(view) !== undefined)) throw new CompanionError('SESSION_BUSY');
      for (const { sessionId } of views) await sessions.dispatch({ type: 'session.reset', sessionId });
      return { success: true, deleted: views.reduce((sum, { items }) => sum + items.length, 0) };
    },
  };
};

/**
 * The session that is named, the one that has the message already, or the newest; one is made in a project that has none. One of
 * another project is not there.
 */
const conversationIn = async (
  deps: ServerDeps,
  projectId: ProjectId,
  { conversationId, sessionId, cliSource, id }: Pick<MessageInput, 'conversationId' | 'sessionId' | 'cliSource' | 'id'>,
): Promise<SessionId> => {
  const project = findProject(deps, projectId);
  const found = sessionsOf(deps, projectId).filter(({ kind }) => kind === 'agent');
  const ids = found.map((session) => session.id);
  const named = conversationId ?? sessionId;
  // A message that is sent twice is not said again in a session that has become the newest meanwhile.
  const before = named === undefined && id !== undefined ? deps.sessions.whereSaid(ItemId.parse(id), ids) : undefined;
  const wanted = named ?? before ?? ids[0];
  if (wanted !== undefined) return find(found, wanted).id;
  const engine = typeof cliSource === 'string' ? findEngine(deps, cliSource)?.name : undefined;
  return createNamed(deps, SessionId.parse(randomId('session')), { project, engine });
};

const find = (sessions: readonly SessionSummary[], sessionId: SessionId): SessionSummary => {
  const session = sessions.find(({ id }) => id === sessionId);
  if (session === undefined) throw new CompanionError('SESSION_NOT_FOUND');
  return session;
};

/** What happens to a session as a whole: it is deleted, brought back, looked at, and another one goes on from it. */
import { CompanionError } from '#protocol/errors.ts';
import { CHOSEN_SESSION_ID, isChosenId, type SessionId } from '#protocol/ids.ts';
import type { Given } from '#protocol/contract.ts';
import type { routes } from '#protocol/routes.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import { toWorktreeWish } from './find.ts';

type Names = 'removeSession' | 'listRemovedSessions' | 'restoreSession' | 'seeSession' | 'forkSession';

export const lifeHandlers = (deps: ServerDeps): Pick<Handlers<typeof routes>, Names> => {
  const { sessions } = deps;
  const answerWith = (sessionId: SessionId): Given<typeof routes.restoreSession> => ({ session: deps.sessions.summary(sessionId) });
  return {
    removeSession: async ({ params: { sessionId }, query: { forever } }) =>
      void (await sessions.dispatch({ type: 'session.delete', sessionId, ...(forever === 'true' ? { isForever: true } : {}) })),
    listRemovedSessions: () => ({ sessions: sessions.removed() }),
    restoreSession: async ({ params: { sessionId } }) => {
      await sessions.dispatch({ type: 'session.restore', sessionId });
      return answerWith(sessionId);
    },
    seeSession: async ({ params: { sessionId } }) => {
      await sessions.dispatch({ type: 'session.seen', sessionId });
      return answerWith(sessionId);
    },
    forkSession: async ({ params: { sessionId }, body: { sessionId: newSessionId, engineName, turnId, beforeTurnId, name, worktree } }) => {
      if (newSessionId !== undefined && !isChosenId(newSessionId)) throw new CompanionError('INPUT_INVALID', CHOSEN_SESSION_ID);
      const made = await sessions.dispatch({
        type: 'session.fork',
        sessionId,
        ...(newSessionId === undefined ? {} : { newSessionId }),
        ...(engineName === undefined ? {} : { engine: engineName }),
        ...(turnId === undefined ? {} : { turnId }),
        ...(beforeTurnId === undefined ? {} : { beforeTurnId }),
        ...(name === undefined ? {} : { name }),
        ...toWorktreeWish(worktree),
      });
      return answerWith(made.sessionId);
    },
  };
};

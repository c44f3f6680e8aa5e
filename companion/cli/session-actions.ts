/** What is done with a session as a whole: call and pin it, put it away, delete it and bring it back, go on from it in another one. */
import { sessionTitle } from '#display/attention.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { TurnId } from '#protocol/ids.ts';
import { findSession } from './find-session.ts';
import type { Io } from './io.ts';

export const sessionActions = ['rename', 'pin', 'unpin', 'archive', 'unarchive', 'delete', 'restore', 'fork'] as const;
export type SessionAction = (typeof sessionActions)[number];

export interface ActionWish {
  readonly forever?: boolean;
  readonly engine?: string;
  readonly turn?: string;
  readonly name?: string;
}

/** Carries the action out; resolves with the session and a line that says what was done. */
export const actOnSession = async (
  { client }: Io,
  action: SessionAction,
  wanted: string,
  wish: ActionWish,
): Promise<{ session: SessionSummary; done: string }> => {
  if (action === 'restore') {
    const { id } = findSession(
      (await client.sessions.removed()).map(({ session }) => session),
      wanted,
    );
    const session = await client.sessions.restore(id);
    return { session, done: `${nameOf(session)} is back.` };
  }
  const session = findSession(await client.sessions.list(), wanted);
  switch (action) {
    case 'rename':
      return {
        session: await client.sessions.update(session.id, { name: wish.name ?? '' }),
        done: `${nameOf(session)} is now called ${wish.name}.`,
      };
    case 'pin':
      return {
        session: await client.sessions.update(session.id, { isPinned: true }),
        done: `${nameOf(session)} is pinned: it comes first.`,
      };
    case 'unpin':
      return { session: await client.sessions.update(session.id, { isPinned: false }), done: `${nameOf(session)} is not pinned any more.` };
    case 'archive':
      return { session: await client.sessions.update(session.id, { isArchived: true }), done: `${nameOf(session)} is put away.` };
    case 'unarchive':
      return { session: await client.sessions.update(session.id, { isArchived: false }), done: `${nameOf(session)} is in the list again.` };
    case 'delete':
      await client.sessions.remove(session.id, { isForever: wish.forever === true });
      return {
        session,
        done:
          wish.forever === true
            ? `${nameOf(session)} is deleted for ever.`
            : `${nameOf(session)} is deleted; \`pilotfish sessions restore ${session.id}\` brings it back within an hour.`,
      };
    case 'fork': {
      const forked = await client.sessions.fork(session.id, {
        ...(wish.turn === undefined ? {} : { turnId: TurnId.parse(wish.turn) }),
        ...(wish.engine === undefined ? {} : { engineName: wish.engine }),
        ...(wish.name === undefined ? {} : { name: wish.name }),
      });
      return { session: forked, done: `${forked.id} goes on from ${nameOf(session)}, with ${forked.engineName}.` };
    }
  }
};

/** Refuses flags that another action takes, before anything is asked of the daemon. */
export const checkWish = (action: SessionAction, wanted: string | undefined, { forever, engine, turn, name }: ActionWish): string => {
  if (wanted === undefined) throw new CompanionError('CLI_USAGE', `"sessions ${action}" needs a session.`);
  if (action === 'rename' && (name ?? '').trim() === '') throw new CompanionError('CLI_USAGE', '"sessions rename" needs the new name.');
  if (forever === true && action !== 'delete') throw new CompanionError('CLI_USAGE', '--forever is for "sessions delete".');
  const foreign = action === 'fork' ? [] : action === 'rename' ? [engine, turn] : [engine, turn, name];
  if (foreign.some((flag) => flag !== undefined)) {
    throw new CompanionError('CLI_USAGE', `"sessions ${action}" takes no --engine, --turn${action === 'rename' ? '' : ' or --name'}.`);
  }
  return wanted;
};

const nameOf = (session: SessionSummary): string => `${session.id} (${sessionTitle(session)})`;

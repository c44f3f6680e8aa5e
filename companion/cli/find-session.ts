import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';

/** The one session that is meant by its id, by the beginning of its id, or by its name. */
export const findSession = (sessions: readonly SessionSummary[], wanted: string): SessionSummary => {
  // Every id begins with it.
  if (wanted === '') throw new CompanionError('CLI_USAGE', 'The name of the session is empty.');
  const exact = sessions.find(({ id }) => id === wanted);
  if (exact !== undefined) return exact;
  const found = sessions.filter(({ id, name }) => id.startsWith(wanted) || name === wanted);
  const [only] = found;
  if (only === undefined)
    throw new CompanionError('SESSION_NOT_FOUND', `"${wanted}"`, { remedy: 'See the sessions with `pilotfish sessions`.' });
  if (found.length > 1)
    throw new CompanionError('CLI_USAGE', `"${wanted}" is ${found.length} sessions: ${found.map(({ id }) => id).join(', ')}.`);
  return only;
};

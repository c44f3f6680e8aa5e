/** What the end of an agent's process means for the turn it cuts, or for the start it never finished. */
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { crashError } from '../errors.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** In the midst of a turn: also a friendly end is one too early. */
export const cutError = (exit: Exit): ErrorBody =>
  exit.code === 0 ? new CompanionError('ENGINE_OUTPUT_TRUNCATED').toBody() : crashError(exit);

/** Before it was ready: it says why on stderr, and most often it is the sign-in. */
export const startError = (exit: Exit): ErrorBody => {
  const isSignIn = /not (?:logged|signed) in|log ?in first|api[ _]key|auth(?:entication)? (?:method|required)/i.test(exit.stderr);
  return new CompanionError(isSignIn ? 'ENGINE_NOT_LOGGED_IN' : 'ENGINE_START_FAILED', crashError(exit).message).toBody();
};

/** What the end of an agent's process means for the turn that it interrupts, or for the start that it never finished. */
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { crashDetail } from '../errors.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** The process ended during a turn. Also an exit code of 0 means a failure here. */
export const cutError = (exit: Exit): ErrorBody =>
  (exit.code === 0 ? new CompanionError('ENGINE_OUTPUT_TRUNCATED') : new CompanionError('ENGINE_CRASHED', crashDetail(exit))).toBody();

/** The process ended before it was ready. It says why on stderr, and most often nobody is signed in. */
export const startError = (exit: Exit): ErrorBody => {
  const isSignIn = /not (?:logged|signed) in|log ?in first|api[ _]key|auth(?:entication)? (?:method|required)/i.test(exit.stderr);
  return new CompanionError(isSignIn ? 'ENGINE_NOT_LOGGED_IN' : 'ENGINE_START_FAILED', crashDetail(exit)).toBody();
};

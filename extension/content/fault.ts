/** Errors inside a page. */
import type { ErrorCode } from '#protocol/errors.ts';

/** Thrown in the page, rebuilt as a CompanionError in the worker: the catalogue is not injected into every page. */
export class FaultError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** Called before anything changes the page: the call may have been cancelled while it waited. */
export const stopIfCancelled = (signal: AbortSignal): void => {
  if (signal.aborted) throw new FaultError('CALL_CANCELLED', '');
};

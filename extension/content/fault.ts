/** Errors inside a page. */
import type { ErrorCode } from '#protocol/errors.ts';

/**
 * Thrown in the page, rebuilt as a CompanionError in the worker: the catalogue is not injected into every page.
 * `detail` is in our own words, as is `remedy` where that of the code does not fit; `fromPage` has the page's, and is shown to a model as such.
 */
export class FaultError extends Error {
  readonly code: ErrorCode;
  readonly fromPage: string;
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, detail: string, fromPage = '', remedy?: string) {
    super(detail);
    this.code = code;
    this.fromPage = fromPage;
    this.remedy = remedy;
  }
}

/** Called before anything changes the page: the call may have been cancelled while it waited. */
export const stopIfCancelled = (signal: AbortSignal): void => {
  if (signal.aborted) throw new FaultError('CALL_CANCELLED', '');
};

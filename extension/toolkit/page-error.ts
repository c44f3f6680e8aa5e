/** Errors whose reason was found in a page. */
import { CompanionError, type ErrorCode } from '#protocol/errors.ts';

/** `fromPage` may hold the page's own words, so it is shown to a model inside the envelope only. */
export class PageError extends CompanionError {
  readonly fromPage: string;
  /** The page it was found in, where that is known. */
  url = 'about:blank';

  constructor(code: ErrorCode, detail: string, fromPage: string) {
    super(code, detail);
    this.fromPage = fromPage;
  }
}

/** The document was left for another one before it was asked: nothing has happened in it. */
export class DocumentChangedError extends CompanionError {
  constructor(detail?: string) {
    super('DOCUMENT_CHANGED', detail);
  }
}

/** The document went away before it could answer: it was left for another one, or its frame was removed. What was asked may have happened. */
export class DocumentGoneError extends CompanionError {
  constructor() {
    super('TOOL_FAILED', 'The page was left for another one meanwhile.');
  }
}

/** For what is asked after an action: a page that is another one by then was left because of it. */
export const goneWhenChanged = (error: unknown): never => {
  throw error instanceof DocumentChangedError ? new DocumentGoneError() : error;
};

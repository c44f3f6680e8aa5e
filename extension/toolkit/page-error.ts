/** Errors whose reason was found in a page. */
import { CompanionError, type ErrorCode } from '#protocol/errors.ts';
import { counted } from '#protocol/counted.ts';
import { cutAddress, cutText } from './cut.ts';
import type { Dialog } from './page.ts';

/** `fromPage` may contain the page's own words, so a model sees it only inside the envelope. */
export class PageError extends CompanionError {
  readonly fromPage: string;
  /** The page it was found in, where that is known. */
  url = 'about:blank';

  constructor(code: ErrorCode, detail: string, fromPage: string, options?: { remedy?: string }) {
    super(code, detail, options);
    this.fromPage = fromPage;
  }
}

/** A failure of the browser's own is told in words of its own, which may repeat the address of a page. */
export const toPageError = (error: unknown): CompanionError =>
  error instanceof CompanionError ? error : new PageError('TOOL_FAILED', '', error instanceof Error ? error.message : String(error));

/** A server sent the browser on to another site than those the call may arrive at; it was not followed. */
export class SentOnError extends PageError {
  /** Where to. */
  readonly to: string;

  constructor(to: string) {
    super(
      'NAVIGATION_FAILED',
      'The address leads on to another site, which the user was not asked for.',
      `address: ${cutAddress(to, 300)}`,
      {
        remedy:
          'Nothing of that site was loaded. Open its address itself with browser_navigate, for which the user is asked, or another one.',
      },
    );
    this.to = to;
  }
}

/** The same for a request that the page made: it may have done something at the first site. */
export class RequestSentOnError extends PageError {
  constructor(to: string) {
    super('URL_NOT_ALLOWED', 'The server sent the request on to another site, which was not asked.', `address: ${cutAddress(to, 300)}`, {
      remedy: 'To ask it, name its address itself in browser_request, for which the user is asked.',
    });
  }
}

/** The document was replaced by another one before it was asked, so nothing has happened in it. */
export class DocumentChangedError extends CompanionError {
  constructor(detail?: string) {
    super('DOCUMENT_CHANGED', detail);
  }
}

/**
 * The document went away before it could answer: it was replaced by another one, or its frame was removed. The action may have
 * happened.
 */
export class DocumentGoneError extends CompanionError {
  constructor() {
    super('TOOL_FAILED', 'The page was left for another one meanwhile.');
  }
}

/** For a question after an action: when the page is another one by then, the action led there. */
export const goneWhenChanged = (error: unknown): never => {
  throw error instanceof DocumentChangedError ? new DocumentGoneError() : error;
};

/** The page stands still behind a dialog. What was asked of it goes on when the dialog is answered. */
export class DialogOpenError extends PageError {
  constructor(dialog: Dialog) {
    super('DIALOG_OPEN', '', renderDialog(dialog));
  }
}

export const renderDialog = ({ type, message, answer }: Dialog): string =>
  `${type}: "${cutText(message, MAX_MESSAGE)}"${answer === null ? '' : ` (${answer})`}`;

const MAX_MESSAGE = 500;
const MAX_DIALOGS = 10;

/** Each in a line; a page may show one after the other without end. */
export const renderDialogs = (dialogs: readonly Dialog[]): string[] => {
  const lines: { text: string; times: number }[] = [];
  for (const dialog of dialogs) {
    const text = `dialog: ${renderDialog(dialog)}`;
    const last = lines.at(-1);
    if (last?.text === text) last.times += 1;
    else lines.push({ text, times: 1 });
  }
  const told = lines.slice(-MAX_DIALOGS).map(({ text, times }) => (times === 1 ? text : `${text} ${times} times`));
  return lines.length > MAX_DIALOGS ? [`(${counted(lines.length - MAX_DIALOGS, 'dialog')} before these)`, ...told] : told;
};

/** The tab shows no page but the browser's own words about why there is none. */
export class ErrorPageError extends CompanionError {
  constructor() {
    super('NAVIGATION_FAILED', 'The tab shows an error page.');
  }
}

/** Nothing of the page has come: no script runs before its first element is there. */
export class NothingYetError extends CompanionError {
  constructor(hasAnswered = true) {
    super(
      'TOOL_TIMEOUT',
      hasAnswered ? 'The server has answered, and has sent nothing of the page yet.' : 'The server has not answered yet.',
      {
        remedy: 'Wait for a text of it with browser_wait_for, ask anew with browser_reload, or open another address.',
      },
    );
  }
}

export class NoPageError extends CompanionError {
  constructor() {
    super('TOOL_FAILED', 'The tab holds no page: it crashed or was unloaded.', { remedy: 'Load it again with browser_navigate.' });
  }
}

/** Tells a page that works from one that hangs: behind a dialog, in an endless loop, crashed. */
import { CompanionError } from '#protocol/errors.ts';
import { DocumentGoneError } from '#extension/toolkit/page-error.ts';
import { type PageDocument, pingDocument } from './inject.ts';
import type { TabEvents } from './tab-events.ts';

/** A typed error within two seconds, but not for a page that is merely slow to draw. */
const FIRST_DOUBT_MS = 1_000;
const PING_MS = 850;

/** What may take its time in a page without being stuck. */
const READ_DOUBT_MS = 8_000;

const LATE_EVENT_MS = 150;

/** `work`, or TOOL_TIMEOUT when the frame stops running scripts. */
export const whileAlive = async <T>(tabId: number, asked: PageDocument, isReading: boolean, work: Promise<T>): Promise<T> => {
  const answered = work.then(
    () => true,
    () => true,
  );
  for (let doubtMs = isReading ? READ_DOUBT_MS : FIRST_DOUBT_MS; ; doubtMs = FIRST_DOUBT_MS) {
    if (await within(answered, doubtMs)) return work;
    const ping = pingDocument(tabId, asked).then(() => true);
    if (!(await within(Promise.race([answered, ping]), PING_MS))) throw stuck();
  }
};

/** `work`, or DocumentGoneError when the tab shows another page: a page kept for going back never answers. */
export const whileShown = async <T>(events: TabEvents, tabId: number, work: Promise<T>): Promise<T> => {
  let stop = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const gone = new Promise<never>((_, reject) => {
    stop = events.watch(tabId, ({ type }) => {
      // The event may be late, and the call be in the new page already: then it answers.
      if (type === 'committed') timer ??= setTimeout(() => reject(new DocumentGoneError()), LATE_EVENT_MS);
      if (type === 'closed') reject(new CompanionError('TAB_NOT_FOUND', `Tab ${tabId} was closed.`));
    });
  });
  try {
    return await Promise.race([work, gone]);
  } finally {
    clearTimeout(timer);
    stop();
  }
};

const within = (promise: Promise<boolean>, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });

const stuck = (): CompanionError =>
  new CompanionError(
    'TOOL_TIMEOUT',
    'The page does not react: it is busy, it crashed, or it shows a dialog (alert, confirm, prompt) that only the user can answer. What was begun may have happened.',
    { remedy: 'Ask the user to answer the dialog, or reload the page with browser_navigate.' },
  );

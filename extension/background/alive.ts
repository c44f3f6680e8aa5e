/** Tells a page that works from one that hangs: behind a dialog, in an endless loop, crashed. */
import { CompanionError } from '#protocol/errors.ts';
import { pingFrame } from './inject.ts';

/** A typed error within two seconds (R22), but not for a page that is merely slow to draw. */
const FIRST_DOUBT_MS = 1_000;
const PING_MS = 850;

/** What may take its time in a page without being stuck. */
const READ_DOUBT_MS = 8_000;

/** `work`, or TOOL_TIMEOUT when the frame stops running scripts. */
export const whileAlive = async <T>(tabId: number, frameId: number, isReading: boolean, work: Promise<T>): Promise<T> => {
  const answered = work.then(
    () => true,
    () => true,
  );
  for (let doubtMs = isReading ? READ_DOUBT_MS : FIRST_DOUBT_MS; ; doubtMs = FIRST_DOUBT_MS) {
    if (await within(answered, doubtMs)) return work;
    const ping = pingFrame(tabId, frameId).then(() => true);
    if (!(await within(Promise.race([answered, ping]), PING_MS))) throw stuck();
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

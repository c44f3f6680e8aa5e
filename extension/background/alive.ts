/** Tells a page that works from one that hangs: behind a dialog, in an endless loop, crashed. */
import { CompanionError } from '#protocol/errors.ts';
import { DocumentGoneError } from '#extension/toolkit/page-error.ts';
import { keepNewest } from '#extension/shared/keep-newest.ts';
import { type PageDocument, pingDocument, pingTab } from './inject.ts';
import { within } from './queue.ts';
import type { TabEvents } from './tab-events.ts';

/** How long a page may take to answer: it leads to a typed error within two seconds, but not for a page that is only slow to draw. */
const FIRST_DOUBT_MS = 1_000;
const PING_MS = 850;

/** Timers of our own come so often while a page is waited for; one that comes so late was held up by the machine. */
const BEAT_MS = 25;
const LATE_BEAT_MS = 20;
const MAX_WAITS = 10;

/** Questions that may take long in a page that works. */
const READ_DOUBT_MS = 8_000;

const LATE_EVENT_MS = 150;

/** How long it took to read each large page. */
const readings = new Map<string, number>();
const MAX_READINGS = 200;

/** In a page that takes long to be read, what is done takes long, too: its elements are looked through for the target. */
export const noteReading = (documentId: string, tookMs: number): void => {
  readings.delete(documentId);
  if (tookMs < FIRST_DOUBT_MS / 2) return;
  readings.set(documentId, tookMs);
  keepNewest(readings, MAX_READINGS);
};

const firstDoubt = ({ documentId }: PageDocument, isReading: boolean): number =>
  isReading ? READ_DOUBT_MS : Math.min(READ_DOUBT_MS, Math.max(FIRST_DOUBT_MS, 2 * (readings.get(documentId) ?? 0)));

/** Documents that ran no scripts when they were asked last, and when that was found out. */
const stuck = new Map<string, number>();
const MAX_STUCK = 200;

/** A call may ask a frame several times: one that was just found to hang is given little time the next time. */
const JUST_MS = 5_000;
const AGAIN_MS = 100;

/**
 * Rejects for a document that ran no scripts when it was asked last, and runs none yet: it is not waited for as long again, unless its answer is
 * needed (`isNeeded`).
 */
export const orStuck = async (tabId: number, asked: PageDocument, isNeeded = false): Promise<void> => {
  const since = stuck.get(asked.documentId);
  if (since === undefined) return;
  const ping = pinged(tabId, asked);
  const isJustFound = !isNeeded && asked.frameId !== 0 && performance.now() - since < JUST_MS;
  if (!(await (isJustFound ? within(ping, AGAIN_MS) : isHeard(ping, PING_MS)))) {
    if (!isJustFound) noteStuck(asked);
    throw new StuckError();
  }
  stuck.delete(asked.documentId);
};

const pinged = (tabId: number, asked: PageDocument): Promise<boolean> => pingDocument(tabId, asked).then(() => true);

/** Whether a document ran no scripts when it was asked last. */
export const isStuck = (documentId: string): boolean => stuck.has(documentId);

const noteStuck = ({ documentId }: PageDocument): void => {
  stuck.set(documentId, performance.now());
  keepNewest(stuck, MAX_STUCK);
};

/** The answer of a frame; rejects where it runs no scripts. It is heard before it is asked: what is asked may take long in one that works. */
export const orSilent = async <T>(tabId: number, asked: PageDocument, ask: () => Promise<T>): Promise<T> => {
  const ping = pinged(tabId, asked);
  const silent = Promise.withResolvers<never>();
  void isThereSoon(ping).then((isThere) => {
    if (isThere) return;
    noteStuck(asked);
    silent.reject(new StuckError());
  });
  return Promise.race([ask(), silent.promise]);
};

/** The result of `work`; rejects with TOOL_TIMEOUT when the frame stops running scripts. */
export const whileAlive = async <T>(tabId: number, asked: PageDocument, isReading: boolean, work: Promise<T>): Promise<T> => {
  const answered = work.then(
    () => true,
    () => true,
  );
  for (let doubtMs = firstDoubt(asked, isReading); ; doubtMs = FIRST_DOUBT_MS) {
    if (await within(answered, doubtMs)) return work;
    const ping = pinged(tabId, asked);
    if (await isHeard(Promise.race([answered, ping]), PING_MS)) continue;
    noteStuck(asked);
    throw new StuckError();
  }
};

const isThereSoon = async (ping: Promise<boolean>): Promise<boolean> => (await within(ping, FIRST_DOUBT_MS)) || isHeard(ping, PING_MS);

/** Our own timers come late where the machine has no time for anybody; then a page that is late too is given more. */
const isHeard = async (answer: Promise<boolean>, limitMs: number): Promise<boolean> => {
  for (let waits = 0; waits < MAX_WAITS; waits += 1) {
    const pulse = new Pulse();
    try {
      if (await within(answer, limitMs)) return true;
    } finally {
      pulse.end();
    }
    if (!pulse.wasLate) return false;
  }
  return false;
};

/** Beats until it is ended. */
class Pulse {
  #due = performance.now() + BEAT_MS;
  #wasLate = false;
  readonly #timer = setInterval(() => this.#beat(), BEAT_MS);

  /** Whether any beat came late. */
  get wasLate(): boolean {
    return this.#wasLate;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#beat();
  }

  #beat(): void {
    const now = performance.now();
    this.#wasLate ||= now - this.#due >= LATE_BEAT_MS;
    this.#due = now + BEAT_MS;
  }
}

/** Whether the page in a tab answers at all. One that no script may be run in counts as one that does. */
export const reacts = (tabId: number): Promise<boolean> =>
  isHeard(
    pingTab(tabId).then(() => true),
    FIRST_DOUBT_MS,
  );

/**
 * The result of `work`; rejects with DocumentGoneError when the tab shows another page, because a page in the back/forward
 * cache never answers.
 */
export const whileShown = async <T>(events: TabEvents, tabId: number, work: Promise<T>): Promise<T> => {
  let stop = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const gone = new Promise<never>((_, reject) => {
    stop = events.watch(tabId, ({ type }) => {
      // The event may be late, so that the question already went to the new page, which answers it.
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

/** The frame runs no scripts. */
export class StuckError extends CompanionError {
  constructor() {
    super(
      'TOOL_TIMEOUT',
      'The page does not react: it is busy, it crashed, or it shows a dialog (alert, confirm, prompt) that only the user can answer. What was begun may have happened.',
      {
        remedy:
          'If it may only be busy, as with much to lay out, try again in a few seconds. Otherwise ask the user to answer the dialog, or leave the page: browser_navigate, or browser_close when it cannot be left.',
      },
    );
  }
}

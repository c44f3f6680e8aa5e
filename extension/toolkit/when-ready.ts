/** Tries an action until its target is ready, within a limit. */
import type { Change, NotReady, Point, Target } from '#extension/content/api.ts';
import { DocumentChangedError, DocumentGoneError, PageError } from './page-error.ts';
import type { Page } from './page.ts';
import { whenRefused } from './real-input.ts';

const READY_MS = 5_000;

/** In a page in which nothing moves nothing will become ready either. */
const STILL_MS = 1_000;
/** Least for what hardly ever passes by itself. */
const LASTING_MS = 300;
/** But for what a page enables by its clock, as when a text is to be read first. */
const BRIEF_MS = 2_000;

/** Nothing happens to the page until `attempt` finds the target ready; waiting in between is for the page to move on. */
export const whenReady = async <T>(
  page: Pick<Page, 'moment'>,
  signal: AbortSignal,
  attempt: () => Promise<{ readonly done: T } | NotReady>,
): Promise<T> => {
  const startedAt = Date.now();
  for (;;) {
    const outcome = await attempt();
    if ('done' in outcome) return outcome.done;
    const mayChange = await page.moment().catch(changedWhenGone);
    const waitedMs = Date.now() - startedAt;
    const stillMs = outcome.isLasting === true ? LASTING_MS : outcome.isOftenBrief === true ? BRIEF_MS : STILL_MS;
    if (waitedMs > READY_MS || ((!mayChange || outcome.isLasting === true) && waitedMs > stillMs)) throw notReadyError(outcome, waitedMs);
    signal.throwIfAborted();
  }
};

const notReadyError = ({ notReady: why, fromPage = '', remedy }: NotReady, waitedMs: number): PageError =>
  new PageError(
    'TARGET_NOT_READY',
    `Waited ${(waitedMs / 1000).toFixed(1)} s, but ${why}.`,
    fromPage,
    remedy === undefined ? {} : { remedy },
  );

/**
 * An attempt that only looks as long as its target has to be waited for: a page that leaves meanwhile was not left by what was to be done in
 * it, and nothing of that was done.
 */
export const lookingFirst = <T>(
  look: () => Promise<object>,
  act: () => Promise<{ readonly done: T } | NotReady>,
): (() => Promise<{ readonly done: T } | NotReady>) => {
  let isAwaited = false;
  return async () => {
    if (isAwaited) {
      const ready = await look().catch(changedWhenGone);
      if (isNotReady(ready)) return ready;
    }
    const outcome = await act();
    isAwaited = 'notReady' in outcome;
    return outcome;
  };
};

const isNotReady = (answer: object): answer is NotReady => 'notReady' in answer;

/** Menus inside each other. */
const MAX_MENUS = 8;

/** The same attempt, which moves the pointer first to where it brings to light what is not visible: menu by menu. */
export const revealing = <T>(
  page: Pick<Page, 'withInput'>,
  frameId: number,
  attempt: () => Promise<{ readonly done: T } | NotReady>,
): (() => Promise<{ readonly done: T } | NotReady>) => {
  let last: Point | null = null;
  return async () => {
    for (let menus = 0; ; menus += 1) {
      const outcome = await attempt();
      const opener = 'notReady' in outcome ? outcome.opener : undefined;
      const isTried = opener === undefined || (last?.x === opener.x && last.y === opener.y);
      if (isTried || frameId !== 0 || menus === MAX_MENUS) return outcome;
      last = opener;
      await page.withInput((input) => input.move(opener)).catch(whenRefused(() => Promise.resolve()));
    }
  };
};

/** An ordinary click, as soon as the element can be clicked. */
export const clickWhenReady = (page: Page, signal: AbortSignal, frameId: number, target: Target): Promise<Change> => {
  const options = { target, button: 'left', count: 1, modifiers: [] } as const;
  return whenReady(page, signal, () => page.ask('click', options, frameId));
};

/** Nothing was done yet, and a permission for this page does not hold for the next one. */
export const changedWhenGone = (error: unknown): never => {
  throw error instanceof DocumentGoneError ? new DocumentChangedError() : error;
};

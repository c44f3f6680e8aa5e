/** Tries an action until its target is ready, within a limit. */
import type { Change, Outcome } from '#extension/content/api.ts';
import { DocumentChangedError, DocumentGoneError, PageError } from './page-error.ts';
import type { Aim, Page } from './page.ts';

const READY_MS = 5_000;

/** Nothing happens to the page until `attempt` finds the target ready; waiting in between is for the page to move on. */
export const whenReady = async (page: Page, aim: Aim, signal: AbortSignal, attempt: () => Promise<Outcome>): Promise<Change> => {
  const giveUpAt = Date.now() + READY_MS;
  for (;;) {
    const outcome = await attempt();
    if ('done' in outcome) return outcome.done;
    const leftMs = giveUpAt - Date.now();
    if (leftMs <= 0)
      throw new PageError('TARGET_NOT_READY', `Waited ${READY_MS / 1000} s, but ${outcome.notReady}.`, outcome.fromPage ?? '');
    await page.ask('waitForSomething', { limitMs: Math.min(leftMs, 500) }, aim.frameId).catch(changedWhenGone);
    signal.throwIfAborted();
  }
};

/** Nothing was done yet, and what was allowed here is not allowed in the page that comes. */
const changedWhenGone = (error: unknown): never => {
  throw error instanceof DocumentGoneError ? new DocumentChangedError() : error;
};

/** Real input where it can be had, and otherwise the page's own events. */
import { CompanionError } from '#protocol/errors.ts';
import { DocumentGoneError } from './page-error.ts';
import type { Input, Page } from './page.ts';

/** `real` may fail only before it did anything; then `instead` runs. Input goes to the page itself, so in a frame `instead` runs at once. */
export const withRealInput = async <T>(
  page: Page,
  frameId: number,
  real: (input: Input) => Promise<T>,
  instead: () => Promise<T>,
): Promise<T> => {
  if (frameId !== 0) return instead();
  return page.withInput(real).catch(whenRefused(instead));
};

/** Runs `instead` where real input could not be had; any other error is one of the action itself. */
export const whenRefused =
  <T>(instead: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (error instanceof DocumentGoneError || !(error instanceof CompanionError)) throw error;
    if (error.code !== 'TARGET_NOT_READY' && error.code !== 'TOOL_FAILED') throw error;
    return instead();
  };

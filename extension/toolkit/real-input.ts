/** Real input where it can be had, and otherwise the page's own events. */
import { CompanionError } from '#protocol/errors.ts';
import type { Point, Target } from '#extension/content/api.ts';
import { DocumentGoneError } from './page-error.ts';
import type { Input, Page, Press } from './page.ts';

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

/** Where something that keeps moving is at the moment of the input. */
export const placeNow = async (page: Page, target: Target): Promise<Point> => {
  const now = await page.ask('aimNow', { target });
  if ('notReady' in now) throw new CompanionError('TARGET_NOT_READY', `At the moment of the input, ${now.notReady}.`);
  return now.point;
};

/** What a press is meant for that was aimed; whatever is at a place of a picture is pressed. Where it is not found out what the press has met, the receipt tells more. */
export const pressedPlace = (page: Page, target: Target): Pick<Press, 'place'> => {
  if ('point' in target || 'inView' in target) return {};
  const isReached = async (): Promise<boolean> => (await page.ask('pressMet', null).catch(() => null)) !== 'another';
  return { place: { now: () => placeNow(page, target), isReached } };
};

/** Presses: by the page's own events, which no frame can catch, and by real input where the page looks for it. */
import type { Change, ClickOptions, Outcome } from '#extension/content/api.ts';
import { actOn } from './acting.ts';
import { goneWhenChanged } from './page-error.ts';
import { whenRefused } from './real-input.ts';
import type { Acted, Aim, Page } from './page.ts';
import { changedWhenGone, revealing, whenReady } from './when-ready.ts';

type How = Omit<ClickOptions, 'target'>;

const MARKS_FROM = 3;

interface Clicked extends Acted<Change> {
  /** Whether it is known that the press was made: a page that leaves in the same moment cannot say so. */
  readonly isKnown: boolean;
}

/** Presses once the target can be pressed. `isReal` is for who knows that only real input will do. */
export const clickOn = async (page: Page, signal: AbortSignal, aim: Aim, how: How, isReal: boolean): Promise<Clicked> => {
  const forReal = async (): Promise<Clicked> => {
    const attempt = revealing(page, aim.frameId, () => pressForReal(page, aim, how));
    const acted = await actOn(page, aim.frameId, () => whenReady(page, signal, attempt));
    return { ...acted, isKnown: true };
  };
  if (isReal) return forReal();
  const byEvents = async (): Promise<Clicked> => {
    const attempt = revealing(page, aim.frameId, pressByEvents(page, aim, how));
    const acted = await actOn(page, aim.frameId, () => whenReady(page, signal, attempt));
    // Its own dialog shows that it was made.
    return { ...acted, isKnown: acted.value !== null || acted.dialogs.length > 0 };
  };
  // The browser marks a paragraph for real presses only.
  if (how.count >= MARKS_FROM && aim.frameId === 0) return forReal().catch(whenRefused(byEvents));
  const before = page.newestRequest();
  const acted = await byEvents();
  const hasActed = aim.frameId !== 0 || !hadNoEffect(acted) || page.newestRequest() !== before;
  if (hasActed || !(await looksForTrust(page, aim).catch(whenRefused(() => Promise.resolve(false))))) return acted;
  // Where no real input is to be had, the first press counts.
  return forReal().catch(whenRefused(() => Promise.resolve(acted)));
};

/** What has to be waited for is only looked at until it can be pressed: a page that leaves meanwhile was not left by a press. */
const pressByEvents = (page: Page, { target, frameId }: Aim, how: How): (() => Promise<Outcome>) => {
  let isAwaited = false;
  return async () => {
    if (isAwaited) {
      const ready = await page.ask('aim', { target }, frameId).catch(changedWhenGone);
      if ('notReady' in ready) return ready;
    }
    await page.activate();
    const outcome = await page.ask('click', { ...how, target }, frameId);
    isAwaited = 'notReady' in outcome;
    return outcome;
  };
};

const pressForReal = (page: Page, { target }: Aim, how: How): Promise<Outcome> =>
  page.withInput(async (input) => {
    const ready = await page.ask('aim', { target }).catch(changedWhenGone);
    if ('notReady' in ready) return ready;
    await input.press(ready.point, how);
    // The press may have led to another page.
    return { done: await page.ask('receipt', { target, at: ready.point }).catch(goneWhenChanged) };
  });

/** They turn over without a change of the document. */
const TOGGLES = new Set(['checkbox', 'radio', 'option', 'switch']);

/** Nothing that can be seen has come of it. */
const hadNoEffect = ({ value, loaded, newTabs, dialogs, asksForFiles }: Acted<Change>): boolean =>
  value !== null &&
  value.mutations === 0 &&
  !TOGGLES.has(value.element.role) &&
  value.appeared.length === 0 &&
  value.focused === null &&
  value.opens === null &&
  !value.isLeaving &&
  !asksForFiles &&
  value.asksForFiles === null &&
  loaded === null &&
  newTabs.length === 0 &&
  dialogs.length === 0;

const looksForTrust = async (page: Page, { target }: Aim): Promise<boolean> => {
  const ready = await page.ask('aim', { target });
  return !('notReady' in ready) && page.looksForTrust(ready.point);
};

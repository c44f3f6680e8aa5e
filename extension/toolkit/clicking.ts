/** Presses: by the page's own events, which no frame can catch, and by real input where the page looks for it. */
import type { Change, ClickOptions, Outcome, Point } from '#extension/content/api.ts';
import { actOn } from './acting.ts';
import { goneWhenChanged } from './page-error.ts';
import { pressedPlace, whenRefused } from './real-input.ts';
import type { Acted, Aim, Page } from './page.ts';
import { changedWhenGone, lookingFirst, revealing, whenReady } from './when-ready.ts';

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
  let looking = Promise.resolve(false);
  const byEvents = async (): Promise<Clicked> => {
    const attempt = revealing(page, aim.frameId, pressByEvents(page, aim, how));
    const acted = await actOn(page, aim.frameId, async () => {
      const change = await whenReady(page, signal, attempt);
      // Where nothing has come of it at once, mostly nothing does: the look does not wait until the page is at rest.
      if (aim.frameId === 0 && change.at !== undefined && changedNothing(change)) looking = lookForTrust(page, change.at);
      return change;
    });
    // Its own dialog shows that it was made.
    return { ...acted, isKnown: acted.value !== null || acted.dialogs.length > 0 };
  };
  // The browser marks a paragraph for real presses only.
  if ((how.count >= MARKS_FROM || page.wantsHand) && aim.frameId === 0) return forReal().catch(whenRefused(byEvents));
  const before = page.newestRequest();
  const acted = await byEvents();
  const hasActed = aim.frameId !== 0 || !hadNoEffect(acted) || page.newestRequest() !== before;
  if (hasActed || !(await looking)) return acted;
  // Where no real input is to be had, the first press counts.
  return forReal().catch(whenRefused(() => Promise.resolve(acted)));
};

const pressByEvents = (page: Page, { target, frameId }: Aim, how: How): (() => Promise<Outcome>) =>
  lookingFirst(
    () => page.ask('aim', { target }, frameId),
    async () => {
      await page.activate();
      return page.ask('click', { ...how, target }, frameId);
    },
  );

const pressForReal = (page: Page, { target }: Aim, how: How): Promise<Outcome> =>
  page.withInput(async (input) => {
    const ready = await page.ask('aim', { target }).catch(changedWhenGone);
    if ('notReady' in ready) return ready;
    await input.press(ready.point, { ...how, ...pressedPlace(page, target), isMoving: ready.isMoving === true });
    // The press may have led to another page.
    return { done: await page.ask('receipt', { target, at: ready.point }).catch(goneWhenChanged) };
  });

/** They turn over without a change of the document. */
const TOGGLES = new Set(['checkbox', 'radio', 'option', 'switch', 'video', 'audio']);

/** Nothing that can be seen has come of it. */
const hadNoEffect = ({
  value,
  loaded,
  leadsTo = null,
  unfulfilled = null,
  isReplaced,
  newTabs,
  ledTabs = [],
  frames = [],
  dialogs,
  asksForFiles,
  isClosed,
}: Acted<Change>): boolean =>
  value !== null &&
  isClosed !== true &&
  changedNothing(value) &&
  isReplaced !== true &&
  !asksForFiles &&
  loaded === null &&
  leadsTo === null &&
  unfulfilled === null &&
  newTabs.length === 0 &&
  ledTabs.length === 0 &&
  frames.length === 0 &&
  dialogs.length === 0;

const changedNothing = ({ element, mutations, appeared, focused, opens, isLeaving, asksForFiles, runsScript }: Change): boolean =>
  mutations === 0 &&
  runsScript !== true &&
  !TOGGLES.has(element.role) &&
  appeared.length === 0 &&
  focused === null &&
  opens === null &&
  !isLeaving &&
  asksForFiles === null;

/** Does not fail: where it cannot be found out, or the page has gone by then, the first press counts. */
const lookForTrust = (page: Page, at: Point): Promise<boolean> => page.looksForTrust(at).catch(() => false);

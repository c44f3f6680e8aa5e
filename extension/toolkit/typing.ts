/** Puts text into a field: set at once where the page keeps it, by real keys where it does not. */
import { CompanionError } from '#protocol/errors.ts';
import type { Change, EnterDue, KeyWay, NotReady, NotTaken, Outcome, Target, TypeOptions } from '#extension/content/api.ts';
import { goneWhenChanged } from './page-error.ts';
import type { Aim, Input, Page } from './page.ts';
import { whenRefused } from './real-input.ts';
import { lookingFirst, whenReady } from './when-ready.ts';

/** Replaces the text of a field; `kept` of the change says what the page made of it. */
export const typeInto = (page: Page, signal: AbortSignal, aim: Aim, how: Omit<TypeOptions, 'target'>): Promise<Change> => {
  const options = { ...how, target: aim.target };
  const isByHand = how.submits && page.wantsHand && aim.frameId === 0;
  const type = async (): Promise<Outcome> => {
    const outcome = await page.ask('type', { ...options, submits: how.submits && !isByHand }, aim.frameId);
    if ('typed' in outcome) return sendToList(page, aim, outcome);
    if ('notTaken' in outcome) return typeByKeys(page, signal, aim, { options, ...outcome });
    return isByHand && 'done' in outcome ? sendByHand(page, options, outcome) : outcome;
  };
  return whenReady(
    page,
    signal,
    lookingFirst(() => page.ask('typable', { target: aim.target }, aim.frameId), type),
  );
};

/** How long a list that is open may take to find what fits to a text. */
const FOUND_MS = 1_000;

/** Enter chooses what a list has found, as soon as it has. */
const sendToList = async (page: Page, { frameId }: Aim, { typed, ref }: EnterDue): Promise<Outcome> => {
  await page.calm(FOUND_MS);
  const focused = await page.ask('beginPress', { target: { ref } }, frameId).catch(unlessNotFound);
  if (focused === null || 'notReady' in focused) return { done: { ...typed, kept: 'other' } };
  await page.ask('pressByEvents', { key: 'Enter', modifiers: [] }, frameId).catch(goneWhenChanged);
  return { done: await page.ask('pressed', null, frameId).catch(goneWhenChanged) };
};

/** A text that the page has taken is sent by a real key; where that is not to be had, as ever. */
const sendByHand = async (page: Page, options: TypeOptions, typed: { readonly done: Change }): Promise<Outcome> => {
  const { kept = 'whole' } = typed.done;
  if (kept !== 'whole') return typed;
  const isHeld = (): Promise<boolean> => page.ask('holdsFocus', { target: options.target });
  const press = async (): Promise<Outcome> => {
    await page.withInput((input) => input.pressEnter(isHeld));
    return typed;
  };
  const again = async (): Promise<Outcome> => {
    const outcome = await page.ask('type', options);
    return 'notTaken' in outcome || 'typed' in outcome ? typed : outcome;
  };
  return press().catch(whenRefused(again));
};

/** Presses real keys where the page did not keep a text that was set at once, and says what the field contains then. */
const typeByKeys = async (
  page: Page,
  signal: AbortSignal,
  { frameId, target: named }: Aim,
  { options, notTaken: first, ref }: NotTaken & { readonly options: TypeOptions },
): Promise<Outcome> => {
  /** In the field itself, or in what the page has put in its place. */
  const at = async <T extends object | boolean>(ask: (target: Target) => Promise<T>): Promise<T> =>
    (await ask({ ref }).catch(unlessNotFound)) ?? ask(named);
  const isHeld = (): Promise<boolean> => at((target) => page.ask('holdsFocus', { target }, frameId));
  const { text, submits } = options;
  const end = (): Promise<Change> => at((target) => page.ask('endKeys', { target, text, submits }, frameId)).catch(goneWhenChanged);
  const typeIn = async (input: Input, way: KeyWay): Promise<Outcome> => {
    // What was written already would be written once more by an attempt from the beginning.
    const begin = async (): Promise<{ done: { marksByKey: boolean } } | NotReady> => {
      const ready = await at((target) => page.ask('beginKeys', { target }, frameId));
      return 'notReady' in ready ? ready : { done: ready };
    };
    const { marksByKey } = await whenReady(page, signal, begin);
    await input.replaceText(text, { way, marksByKey, isHeld });
    return { done: await end() };
  };
  const byKeys = async (input: Input): Promise<Outcome> => {
    const typed = await typeIn(input, first);
    const outcome = first === 'lines' && 'done' in typed && !isWritten(typed.done) ? await typeIn(input, 'keys') : typed;
    if (submits && 'done' in outcome && isWritten(outcome.done)) await input.pressEnter(isHeld);
    return outcome;
  };
  // Where real keys are not to be had, the page holds what it took.
  return page.withInput(byKeys, frameId).catch(whenRefused(async () => ({ done: await end() })));
};

const unlessNotFound = (error: unknown): null => {
  if (error instanceof CompanionError && error.code === 'TARGET_NOT_FOUND') return null;
  throw error;
};

/** As far as can be told: not all editors give away what they hold. */
const isWritten = ({ kept }: Change): boolean => kept === 'whole' || kept === 'keys';

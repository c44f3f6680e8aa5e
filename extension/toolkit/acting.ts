/** An action on an element, with what it has led to once the page is at rest. */
import type { Change } from '#extension/content/api.ts';
import { goneWhenChanged } from './page-error.ts';
import type { Acted, Page } from './page.ts';

/** A receipt is written at once after the action; what has come later is asked for where there is any. */
export const actOn = async <C extends Change>(
  page: Page,
  frameId: number,
  action: () => Promise<C>,
  how: { readonly isDone?: boolean } = {},
): Promise<Acted<C>> => {
  const acted = await page.act(action, how);
  const { value, loaded, mutations = 0, isReplaced = false, looksOther = false } = acted;
  // A move within the page keeps its content.
  const isHere =
    value !== null && !isReplaced && (loaded === null || loaded.status === 0) && page.openDialog() === null && !value.isLeaving;
  if (!isHere || (mutations <= value.mutations && !looksOther)) return acted;
  const later = await page
    .ask('later', null, frameId)
    .catch(goneWhenChanged)
    .catch(() => null);
  if (later === null) return { ...acted, value: { ...value, mutations } };
  // As it was told first, it may have been on its way out already.
  const element = later.element ?? { ...value.element, states: ['gone'] };
  return { ...acted, value: { ...value, ...later, element, opens: value.opens, value: later.value ?? value.value } };
};

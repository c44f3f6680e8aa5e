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
  const { value, loaded, mutations = 0, isReplaced = false, hasOtherFields = false } = acted;
  // A move within the page keeps its content.
  const isHere =
    value !== null && !isReplaced && (loaded === null || loaded.status === 0) && page.openDialog() === null && !value.isLeaving;
  if (!isHere || (mutations <= value.mutations && !hasOtherFields)) return acted;
  const later = await page
    .ask('later', null, frameId)
    .catch(goneWhenChanged)
    .catch(() => null);
  return later === null
    ? { ...acted, value: { ...value, mutations } }
    : { ...acted, value: { ...value, ...later, opens: value.opens, value: later.value ?? value.value } };
};

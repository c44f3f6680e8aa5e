/** Closing a list that a page made, as a person does who has chosen. */
import type { Target } from './api.ts';
import { contains, focusedElement, parentOf } from './composed.ts';
import { nextFrame } from './frames.ts';
import { listAt, popupOf } from './options.ts';
import { plain } from './plain.ts';
import { pressByEvents } from './press-key.ts';
import { roleOf } from './roles.ts';

/**
 * With `isTyped` what was typed stays, which Escape would take back in some. A key by events of the page's own: of a real one the browser would
 * also close the dialog around the list.
 */
export const closeList = async ({ target, isTyped }: { target: Target; isTyped: boolean }): Promise<void> => {
  const element = listAt(target);
  if (isTyped) return pressBeside(element);
  const list = popupOf(element);
  const focused = focusedElement();
  const isInList = focused !== null && (contains(element, focused) || (list !== null && contains(list, focused)));
  if (!isInList && element instanceof HTMLElement) plain(element).focus({ preventScroll: true });
  await pressByEvents({ key: 'Escape', modifiers: [] });
  await nextFrame();
  if (element.isConnected && element.getAttribute('aria-expanded') === 'true') pressBeside(element);
};

/**
 * Some lists hear only of a real key: https://developer.mozilla.org/docs/Web/API/CloseWatcher. They close at a press beside them, too, which
 * stays within the dialog around them.
 */
const pressBeside = (element: Element): void => {
  let beside = element;
  for (let around = parentOf(element); around !== null && !DIALOGS.has(roleOf(around)); around = parentOf(around)) {
    beside = around;
    if (PARTS.has(plain(around).localName)) break;
  }
  const init = { bubbles: true, cancelable: true, composed: true, button: 0 };
  for (const [type, buttons] of [
    ['down', 1],
    ['up', 0],
  ] as const) {
    plain(beside).dispatchEvent(new PointerEvent(`pointer${type}`, { ...init, buttons, pointerType: 'mouse', isPrimary: true }));
    plain(beside).dispatchEvent(new MouseEvent(`mouse${type}`, { ...init, buttons }));
  }
  plain(beside).dispatchEvent(new PointerEvent('click', { ...init, detail: 1 }));
};

const DIALOGS = new Set(['dialog', 'alertdialog']);
const PARTS = new Set(['form', 'fieldset', 'main', 'body']);

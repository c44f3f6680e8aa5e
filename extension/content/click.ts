/** A click as a hand makes it: the pointer arrives, presses, lets go. */
import type { ClickOptions, Outcome, Point } from './api.ts';
import { beginChange, changeOf } from './changes.ts';
import { parentOf } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { nextFrame } from './frames.ts';
import { makeReady } from './ready.ts';
import { findTarget } from './target.ts';

const FRAMES = new Set(['iframe', 'frame', 'object', 'embed', 'fencedframe', 'portal', 'webview']);

const BUTTONS = { left: 0, middle: 1, right: 2 } as const;
const HELD = { left: 1, middle: 4, right: 2 } as const;

/** Clicks at once, or says why that is not possible yet; nothing has happened then. */
export const click = async (options: ClickOptions, signal: AbortSignal): Promise<Outcome> => {
  const element = findTarget(options.target);
  refuseNative(element);
  const ready = await makeReady(element);
  if ('notReady' in ready) return ready;
  stopIfCancelled(signal);
  beginChange();
  const opens = press(ready.hit, ready.point, options);
  await nextFrame();
  return { done: changeOf(element, opens) };
};

/** What only the browser itself can open, and what shows another page. */
export const refuseNative = (element: Element): void => {
  if (FRAMES.has(element.localName)) {
    throw new FaultError(
      'TOOL_ARGUMENTS',
      'The target is a frame with a page of its own: use a ref inside it (f7e12) from browser_snapshot.',
    );
  }
  if (element instanceof HTMLSelectElement) {
    throw new FaultError('TOOL_ARGUMENTS', 'A click cannot open this list: use browser_type with the option to choose as text.');
  }
  if (element instanceof HTMLInputElement && element.type === 'file') {
    throw new FaultError('TOOL_ARGUMENTS', 'A click cannot choose files; ask the user to do it.');
  }
};

/** The whole sequence of events; the address to open in a new tab, which only the extension may do. */
const press = (hit: Element, point: Point, { button, isDouble, modifiers }: ClickOptions): string | null => {
  const common = {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: window,
    clientX: point.x,
    clientY: point.y,
    screenX: screenX + point.x,
    screenY: screenY + point.y,
    altKey: modifiers.includes('Alt'),
    ctrlKey: modifiers.includes('Control'),
    metaKey: modifiers.includes('Meta'),
    shiftKey: modifiers.includes('Shift'),
  };
  const pointer = { ...common, pointerId: 1, pointerType: 'mouse', isPrimary: true };
  const held = { button: BUTTONS[button], buttons: HELD[button] };
  const released = { button: BUTTONS[button], buttons: 0 };

  arrive(hit, common, pointer);
  let opens: string | null = null;
  for (let count = 1; count <= (isDouble ? 2 : 1); count += 1) {
    hit.dispatchEvent(new PointerEvent('pointerdown', { ...pointer, ...held, pressure: 0.5 }));
    if (hit.dispatchEvent(new MouseEvent('mousedown', { ...common, ...held, detail: count }))) focusFrom(hit);
    hit.dispatchEvent(new PointerEvent('pointerup', { ...pointer, ...released }));
    hit.dispatchEvent(new MouseEvent('mouseup', { ...common, ...released, detail: count }));
    if (button === 'left') opens = activate(hit, new PointerEvent('click', { ...pointer, ...released, detail: count })) ?? opens;
    else hit.dispatchEvent(new PointerEvent(button === 'right' ? 'contextmenu' : 'auxclick', { ...pointer, ...released, detail: count }));
  }
  if (button === 'middle') opens = linkAround(hit)?.href ?? null;
  if (isDouble && button === 'left') hit.dispatchEvent(new MouseEvent('dblclick', { ...common, ...released, detail: 2 }));
  return opens;
};

const arrive = (hit: Element, common: MouseEventInit, pointer: PointerEventInit): void => {
  const path: Element[] = [];
  for (let element: Element | null = hit; element !== null; element = parentOf(element)) path.unshift(element);
  hit.dispatchEvent(new PointerEvent('pointerover', pointer));
  for (const element of path) element.dispatchEvent(new PointerEvent('pointerenter', { ...pointer, bubbles: false }));
  hit.dispatchEvent(new MouseEvent('mouseover', common));
  for (const element of path) element.dispatchEvent(new MouseEvent('mouseenter', { ...common, bubbles: false }));
  hit.dispatchEvent(new PointerEvent('pointermove', pointer));
  hit.dispatchEvent(new MouseEvent('mousemove', common));
};

/** A page may not open a tab without the user's own hand: the popup blocker would swallow it, so the extension opens it. */
const activate = (hit: Element, event: PointerEvent): string | null => {
  const link = linkAround(hit);
  const opensTab = link !== null && (['_blank', '_new'].includes(link.target) || event.ctrlKey || event.metaKey || event.shiftKey);
  if (!opensTab) {
    hit.dispatchEvent(event);
    return null;
  }
  let isTaken = false;
  const take = (seen: Event): void => {
    if (seen !== event || seen.defaultPrevented) return;
    isTaken = true;
    seen.preventDefault();
  };
  addEventListener('click', take);
  const isDefault = hit.dispatchEvent(event);
  removeEventListener('click', take);
  return isTaken || isDefault ? link.href : null;
};

const linkAround = (hit: Element): HTMLAnchorElement | null => {
  for (let element: Element | null = hit; element !== null; element = parentOf(element)) {
    if (element instanceof HTMLAnchorElement && element.hasAttribute('href')) return element;
  }
  return null;
};

/** What a real press does before the page sees it let go. */
const focusFrom = (hit: Element): void => {
  for (let element: Element | null = hit; element !== null; element = parentOf(element)) {
    if (element instanceof HTMLElement && (element.tabIndex >= 0 || element.isContentEditable) && !element.matches(':disabled')) {
      return element.focus({ preventScroll: true });
    }
  }
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
};

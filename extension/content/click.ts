/** A click like that of a hand: the pointer arrives, presses and releases. */
import type { Modifier } from '#extension/shared/keys.ts';
import { pointAt } from './acting.ts';
import type { Aimed, ClickOptions, Outcome, Point, Target } from './api.ts';
import { beginChange, changeOf, unclicked } from './changes.ts';
import { elementAt, parentOf, shadowOf } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { nextFrame, nextTask } from './frames.ts';
import { textOf } from './name.ts';
import { bringBack } from './pictured-parts.ts';
import { plain } from './plain.ts';
import { type Readiness, makeReady, whyUnusable } from './ready.ts';
import { isEditingHost } from './roles.ts';
import { isPlayer } from './states.ts';
import { asScript, notingScript, wantsScript } from './script-address.ts';
import { findTarget, placeOf } from './target.ts';

const FRAMES = new Set(['iframe', 'frame', 'object', 'embed', 'fencedframe', 'portal', 'webview']);

/** A page that this one has made only it may open. */
const OWN_PAGE = 'blob:';

const BUTTONS = { left: 0, middle: 1, right: 2 } as const;
const HELD = { left: 1, middle: 4, right: 2 } as const;

/** Clicks at once, or says why that is not possible yet; in that case nothing has happened. */
export const click = async (options: ClickOptions, signal: AbortSignal): Promise<Outcome> => {
  await bringBack(options.target);
  const element = findTarget(options.target);
  refuseNative(element);
  const ready = await readyFor(options.target, element);
  if ('notReady' in ready) return ready;
  stopIfCancelled(signal);
  beginChange();
  const hand = handAt(ready.point, options.modifiers);
  const said = textOf(ready.hit);
  arrive(ready.hit, hand);
  // Some pages draw an element anew when the pointer comes over it.
  await nextTask();
  stopIfCancelled(signal);
  const hit = ready.hit.isConnected ? ready.hit : twinAt(ready.point, ready.hit, said);
  if (hit === null) return { notReady: 'it is replaced by something else when the pointer comes over it' };
  const { opens, isClicked } = await press(hit, hand, options);
  const runsScript = wantsScript();
  await nextTask();
  const change = changeOf(element.isConnected || !hit.isConnected ? element : hit, opens);
  return { done: { ...change, at: ready.point, runsScript, ...(isClicked ? {} : unclicked()) } };
};

/** A press by a hand that goes on to write; nothing where it cannot be pressed. */
export const pressInto = async (field: Element): Promise<void> => {
  const ready = await makeReady(field);
  if ('notReady' in ready) return;
  const hand = handAt(ready.point);
  arrive(ready.hit, hand);
  await press(ready.hit, hand, { button: 'left', count: 1 });
};

/** An element has to be made ready; at a place, whatever is there is pressed. */
export const readyFor = async (target: Target, element: Element): Promise<Readiness> => {
  const place = placeOf(target);
  const ready = place === null ? await makeReady(element) : (whyUnusable(element) ?? { point: place, hit: element });
  if ('point' in ready) pointAt(ready.point);
  return ready;
};

/** What of it leaves the page. */
export const aimedAt = ({ point, isMoving }: Aimed): Aimed => (isMoving === true ? { point, isMoving } : { point });

/** What shows another page, which only a call of its own may reach. */
export const refuseFrame = (element: Element): void => {
  if (FRAMES.has(element.localName)) {
    throw new FaultError(
      'TOOL_ARGUMENTS',
      'The target is a frame with a page of its own: use a ref inside it (f7e12) from browser_snapshot, with "x" and "y" for a place in its frame.',
    );
  }
};

/** What only the browser itself can open, and what shows another page. */
export const refuseNative = (element: Element): void => {
  refuseFrame(element);
  if (element instanceof HTMLSelectElement) {
    throw new FaultError('TOOL_ARGUMENTS', 'A click cannot open this list: use browser_select_option.');
  }
  if (element instanceof HTMLOptionElement && element.closest('select') !== null) {
    throw new FaultError(
      'TOOL_ARGUMENTS',
      "A click cannot choose an option of the browser's list: use browser_select_option with this target.",
    );
  }
  if (element instanceof HTMLInputElement && element.type === 'file') {
    throw new FaultError('TOOL_ARGUMENTS', 'A click cannot choose files: use browser_file_upload with this target.');
  }
};

/** What stands where an element stood and says the same. */
const twinAt = ({ x, y }: Point, element: Element, said: string): Element | null => {
  const found = elementAt(x, y);
  return found !== null && found.localName === element.localName && textOf(found) === said ? found : null;
};

/** What every event of a click says of the pointer. */
export interface Hand {
  readonly common: MouseEventInit;
  readonly pointer: PointerEventInit;
}

export const handAt = (point: Point, modifiers: readonly Modifier[] = []): Hand => {
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
  return { common, pointer: { ...common, pointerId: 1, pointerType: 'mouse', isPrimary: true } };
};

interface Pressed {
  /** The address to open in a new tab, which only the extension may do. */
  readonly opens: string | null;
  readonly isClicked: boolean;
}

/** The press and the release. As with a hand, what was taken away before the release gets no click, nor does what is there in its place. */
const press = async (
  first: Element,
  { common, pointer }: Hand,
  { button, count: wanted }: Pick<ClickOptions, 'button' | 'count'>,
): Promise<Pressed> => {
  const held = { button: BUTTONS[button], buttons: HELD[button] };
  const released = { button: BUTTONS[button], buttons: 0 };
  const said = wanted > 1 ? textOf(first) : '';
  let hit = first;
  let opens: string | null = null;
  const send = (event: Event): boolean => plain(hit).dispatchEvent(event);
  for (let count = 1; count <= wanted; count += 1) {
    send(new PointerEvent('pointerdown', { ...pointer, ...held, pressure: 0.5 }));
    const isWanted = send(new MouseEvent('mousedown', { ...common, ...held, detail: count }));
    if (isWanted) focusFrom(hit);
    if (isWanted && button === 'left' && count === 2) markWord(common);
    await heard(isWanted);
    if (plain(hit).isConnected) {
      send(new PointerEvent('pointerup', { ...pointer, ...released }));
      send(new MouseEvent('mouseup', { ...common, ...released, detail: count }));
    }
    if (!plain(hit).isConnected) return { opens, isClicked: count > 1 };
    const clicked = { ...pointer, ...released, detail: count };
    if (button === 'left') opens = activate(hit, new PointerEvent('click', clicked)) ?? opens;
    else send(new PointerEvent(button === 'right' ? 'contextmenu' : 'auxclick', clicked));
    // The next press comes to what is there then: a list may be drawn anew with what is chosen in it.
    const next = plain(hit).isConnected || count === wanted ? hit : twinAt({ x: pointer.clientX ?? 0, y: pointer.clientY ?? 0 }, hit, said);
    if (next === null) return { opens, isClicked: true };
    hit = next;
  }
  if (button === 'middle') opens = linkAround(hit)?.href ?? null;
  if (wanted > 1 && button === 'left') send(new MouseEvent('dblclick', { ...common, ...released, detail: 2 }));
  return { opens, isClicked: true };
};

/**
 * A page may listen for the end of a press only once it has drawn that something is pressed. One that keeps the press to itself may take it for the
 * beginning of a drag, which would go on with the next move of the pointer; a hand presses for longer than this.
 */
const heard = async (isWanted: boolean): Promise<void> => {
  // What the page does as soon as its listener has ended.
  await Promise.resolve();
  if (isWanted) return;
  await nextFrame();
  // What it puts off until it is drawn comes before the next one.
  await nextFrame();
};

/** The pointer comes over an element and everything around it. */
export const arrive = (hit: Element, { common, pointer }: Hand): void => {
  const path: Element[] = [];
  for (let element: Element | null = hit; element !== null; element = parentOf(element)) path.unshift(element);
  plain(hit).dispatchEvent(new PointerEvent('pointerover', pointer));
  for (const element of path) plain(element).dispatchEvent(new PointerEvent('pointerenter', { ...pointer, bubbles: false }));
  plain(hit).dispatchEvent(new MouseEvent('mouseover', common));
  for (const element of path) plain(element).dispatchEvent(new MouseEvent('mouseenter', { ...common, bubbles: false }));
  plain(hit).dispatchEvent(new PointerEvent('pointermove', pointer));
  plain(hit).dispatchEvent(new MouseEvent('mousemove', common));
};

/** A page may not open a tab without a real input of the user: the popup blocker would suppress it, so the extension opens it. */
const activate = (hit: Element, event: PointerEvent): string | null => {
  const link = linkAround(hit);
  const isScript = asScript(link?.getAttribute('href') ?? null) !== null;
  const opensTab =
    link !== null &&
    !isScript &&
    link.protocol !== OWN_PAGE &&
    (['_blank', '_new'].includes(link.target) || event.ctrlKey || event.metaKey || event.shiftKey);
  if (!opensTab) {
    let isDefault = false;
    notingScript(hit, () => void (isDefault = plain(hit).dispatchEvent(event)));
    if (isDefault && isPlayer(hit)) playOrPause(hit);
    return null;
  }
  let isTaken = false;
  const take = (seen: Event): void => {
    if (seen !== event || seen.defaultPrevented) return;
    isTaken = true;
    seen.preventDefault();
  };
  addEventListener('click', take);
  const isDefault = plain(hit).dispatchEvent(event);
  removeEventListener('click', take);
  return isTaken || isDefault ? link.href : null;
};

/** Its own button is out of reach, and a press by events does nothing to it. */
const playOrPause = (player: HTMLMediaElement): void => {
  if (!player.paused) return player.pause();
  // What cannot be played is told as paused still.
  player.play().catch(() => null);
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
    if (takesFocus(element)) return plain(element).focus({ preventScroll: true });
  }
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
};

/** A press puts the focus also where no Tab leads to, as on a row or a dialog: https://html.spec.whatwg.org/multipage/interaction.html#click-focusable */
const takesFocus = (element: Element): element is HTMLElement | SVGElement =>
  (element instanceof HTMLElement || element instanceof SVGElement) &&
  !plain(element).matches(':disabled') &&
  (plain(element).tabIndex >= 0 ||
    /^\s*-?\d/.test(plain(element).getAttribute('tabindex') ?? '') ||
    isEditingHost(element) ||
    shadowOf(element)?.delegatesFocus === true);

/** What a second press does in a text that can be marked. */
const markWord = ({ clientX = 0, clientY = 0 }: MouseEventInit): void => {
  const caret = document.caretPositionFromPoint(clientX, clientY);
  const selection = getSelection();
  if (selection === null || !(caret?.offsetNode instanceof Text)) return;
  selection.collapse(caret.offsetNode, caret.offset);
  selection.modify('move', 'backward', 'word');
  selection.modify('extend', 'forward', 'word');
};

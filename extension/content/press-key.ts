/** A key pressed in the page, and what it did. */
import type { NotReady, PageMethods, Target } from './api.ts';
import { beginChange, changeOf } from './changes.ts';
import { bodyOf, contains, focusedElement, queryAll } from './composed.ts';
import { FaultError } from './fault.ts';
import { partOf } from './field-part.ts';
import { nextFrame, nextTask } from './frames.ts';
import { plain } from './plain.ts';
import { whyUnusable } from './ready.ts';
import { isEditingHost, isTextField, labelledBy } from './roles.ts';
import { notingScript } from './script-address.ts';
import { isPage } from './snapshot.ts';
import { findTarget } from './target.ts';
import { pressEnter } from './type.ts';
import { isVisible } from './visibility.ts';
import { type Chord, positionOf } from '#extension/shared/keys.ts';

/** What the last key was meant for, and whether the page got it. */
let last: { readonly focused: Element | null; isHeard: boolean } | null = null;

/** Puts the focus on the target, where there is one, and listens for the key. */
export const beginPress = async ({ target }: { target?: Target }): Promise<{ isFocused: true } | NotReady> => {
  const element = target === undefined ? null : findTarget(target);
  const refusal = element === null ? null : whyUnusable(element);
  if (refusal !== null) return refusal;
  beginChange();
  // What is written for a field, or is around it, hands the key on to that.
  if (element !== null && !(await takesFocus(element)) && !(await takesFocus(partOf(labelledBy(element)))))
    return { notReady: 'it does not take the focus' };
  const pressed = { focused: focusedElement(), isHeard: false };
  last = pressed;
  addEventListener('keydown', () => void (pressed.isHeard = true), { capture: true, once: true });
  return { isFocused: true };
};

/** Whether an element has the focus then, or what a component has in it. */
const takesFocus = async (element: Element): Promise<boolean> => {
  if (!(element instanceof HTMLElement || element instanceof SVGElement)) return true;
  plain(element).focus();
  await nextTask();
  const focused = focusedElement();
  return focused !== null && contains(element, focused);
};

/** Whether a key still goes where it was meant to. */
export const holdsPress = (): boolean => last !== null && focusedElement() === last.focused;

/** The key by events of the page's own, with what a browser does for it when the page does not. */
export const pressByEvents = async ({ key, modifiers }: Chord): Promise<void> => {
  const element = focusedElement() ?? pageItself();
  const init: KeyboardEventInit = {
    key,
    ...positionOf(key),
    altKey: modifiers.includes('Alt'),
    ctrlKey: modifiers.includes('Control'),
    metaKey: modifiers.includes('Meta'),
    shiftKey: modifiers.includes('Shift'),
    bubbles: true,
    cancelable: true,
    composed: true,
  };
  if (key === 'Enter' && modifiers.length === 0 && isTextField(element)) return pressEnter(element);
  const isWanted = element.dispatchEvent(new KeyboardEvent('keydown', init));
  if (isWanted && element instanceof HTMLElement) doDefault(element, { key, modifiers });
  element.dispatchEvent(new KeyboardEvent('keyup', init));
  await nextTask();
};

const doDefault = (element: HTMLElement, { key, modifiers }: Chord): void => {
  const isCommand = modifiers.includes('Control') || modifiers.includes('Meta') || modifiers.includes('Alt');
  const isText = isTextField(element) || isEditingHost(element);
  if (isCommand) {
    if (key.toLowerCase() === 'a') document.execCommand('selectAll');
  } else if (key === 'Tab') focusNext(element, modifiers.includes('Shift') ? -1 : 1);
  else if (isText && key.length === 1) document.execCommand('insertText', false, key);
  else if (isText && key === 'Enter') document.execCommand('insertLineBreak');
  else if (isText && key === 'Backspace') document.execCommand('delete');
  else if (isText && key === 'Delete') document.execCommand('forwardDelete');
  else if (key === 'Enter' && element.matches('a[href], button, summary, input[type=submit], input[type=button]'))
    notingScript(element, () => element.click());
  else if (key === ' ' && element.matches('button, summary, input')) notingScript(element, () => element.click());
};

const focusNext = (element: HTMLElement, step: 1 | -1): void => {
  const all = queryAll('a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]').filter(
    (candidate): candidate is HTMLElement =>
      candidate instanceof HTMLElement && candidate.tabIndex >= 0 && isVisible(candidate) && !candidate.matches(':disabled'),
  );
  const next = all[all.indexOf(element) + step] ?? all.at(step === 1 ? 0 : -1);
  next?.focus();
};

/** What gets the keys of a page in which nothing has the focus. */
const pageItself = (): Element => {
  const body = bodyOf(document);
  if (body === null) throw new FaultError('TOOL_FAILED', 'The page is empty.');
  return body;
};

/** What the key has changed so far, and whether the page got it. */
export const pressed = async (): Promise<PageMethods['pressed']['result']> => {
  if (last === null) throw new FaultError('TOOL_FAILED', 'The page was loaded anew.');
  await nextFrame();
  const { focused, isHeard } = last;
  const element = focused?.isConnected === true ? focused : (focusedElement() ?? pageItself());
  // What has the focus in a frame of the page hears of it there.
  const isForPage = isPage(element);
  return { ...changeOf(element, null), isHeard: isHeard || focused instanceof HTMLIFrameElement, isForPage };
};

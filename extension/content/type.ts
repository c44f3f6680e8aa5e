/** Puts text into a field the way an editor does, so that frameworks, masks and undo all notice. */
import { positionOf } from '#extension/shared/keys.ts';
import type { Change, EnterDue, Kept, NotReady, NotTaken, Outcome, PageMethods, Target, TypeOptions } from './api.ts';
import { beginChange, changeOf, intoView, noteText } from './changes.ts';
import { pressInto } from './click.ts';
import { bodyOf, contains, focusedElement, parentOf, queryAll, treeOf } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { clean, nameOf } from './name.ts';
import { nextFrame, nextTask } from './frames.ts';
import { noteGiven } from './held-secrets.ts';
import { catchesKeys, copyAll, goToEnd, hasEditContext, isTerminal, pasteInto } from './key-catcher.ts';
import { chooseOptions, namedOption } from './options.ts';
import { plain } from './plain.ts';
import { BEHIND_DIALOG, READ_ONLY, isBehindDialog, whyUnusable } from './ready.ts';
import { refOf } from './refs.ts';
import { isEditingHost, isTextField, kindOf, labelledBy, roleOf } from './roles.ts';
import { isSensitive } from './sensitive.ts';
import { writtenIn } from './states.ts';
import { notingScript } from './script-address.ts';
import { meantFor, setNative } from './set-value.ts';
import { findTarget } from './target.ts';
import { tellChange } from './tell-change.ts';
import { isVisible } from './visibility.ts';

/** Editors draw what they were told in a later task. */
const READ_BACK_MS = 150;

/** What the field held before the last text, for reading back. */
let before: string | null = null;

/** Replaces the text of the field, or says why that is not possible yet or not in this way. */
export const type = async (given: TypeOptions, signal: AbortSignal): Promise<Outcome | NotTaken | EnterDue> => {
  const target = findTarget(given.target);
  if (given.isSlow && fieldIn(target) === null) return pressEach(target, given, signal);
  const found = fieldAt(target);
  const refusal = whyUntypable(found);
  if (refusal !== null) return refusal;
  const options = { ...given, text: meantFor(found, given.text) };
  stopIfCancelled(signal);
  // In another field a guess would show whether a secret field holds it; here it takes the place of what was held.
  if (isSensitive(found)) noteGiven(options.text);
  beginChange();
  emptyBoxes(found, options.text);
  // Some components hear in a task of their own that they have the focus, and take nothing before that.
  if (!isFocusedIn(found)) {
    focusOn(found);
    await nextTask();
    stopIfCancelled(signal);
  } else focusOn(found);
  let element = found.isConnected ? found : twinOf(found);
  if (element === null) return { notReady: 'it is replaced by something else when it gets the focus' };
  if (isReadOnly(element)) await pressInto(element);
  if (isReadOnly(element)) return READ_ONLY;
  let written: Kept = 'whole';
  if (element instanceof HTMLSelectElement) choose(element, options.text);
  else if (element instanceof HTMLInputElement && !isTextField(element)) setNative(element, options.text);
  else {
    const name = nameOf(element, roleOf(element));
    const outcome = await write(element, options, signal);
    const moved = typeof outcome === 'object' ? movedTo(element, name, options.text) : null;
    if (typeof outcome === 'object' && moved === null) return { ...outcome, ref: refOf(element) };
    if (typeof outcome === 'object') element = moved ?? element;
    else written = outcome === 'whole' && isJoined(element, options.text) ? 'other' : outcome;
  }
  stopIfCancelled(signal);
  if (options.submits && written === 'whole') {
    if (element.getAttribute('aria-expanded') === 'true') return { typed: changeOf(element, null), ref: refOf(element) };
    pressEnter(element);
  }
  if (!options.submits) noteKept(element, options.text);
  await nextTask();
  const change = changeOf(element, null);
  if (written !== 'whole') return { done: { ...change, kept: written } };
  // A slider keeps to its steps.
  const isOther = element instanceof HTMLInputElement && element.type === 'range' && Number(element.value) !== Number(options.text);
  return { done: isOther ? { ...change, kept: 'other' } : change };
};

/** Whether a field of one line has made one of several. */
const isJoined = (element: HTMLElement, text: string): boolean =>
  element instanceof HTMLInputElement && element.value !== '' && linesOf(text.trim()).length > 1;

/** The field that holds the text, where a page that sorts its rows anew shows another one now in the element that it was written into. */
const movedTo = (written: HTMLElement, name: string, text: string): HTMLElement | null => {
  if (name === '' || nameOf(written, roleOf(written)) === name) return null;
  const called = queryAll(written.localName).filter((field) => nameOf(field, roleOf(field)) === name);
  return called.filter(isEditable).find((field) => holds(field, text)) ?? null;
};

/** A terminal or a game is no field: it hears the keys, and shows what it makes of them wherever it likes. */
const pressEach = async (target: Element, { text, submits }: TypeOptions, signal: AbortSignal): Promise<Outcome> => {
  const refusal = whyUnusable(target);
  if (refusal !== null) return refusal;
  beginChange();
  if (target instanceof HTMLElement) plain(target).focus({ preventScroll: true });
  for (const key of submits ? `${text}\n` : text) {
    stopIfCancelled(signal);
    const focused = focusedElement();
    await typeKey(focused !== null && contains(target, focused) ? focused : target, key);
  }
  return { done: { ...changeOf(bodyOf(document) ?? target, null), kept: 'keys' } };
};

/** Whether the field takes a text now. */
export const typable = ({ target }: { target: Target }): { readonly isReady: true } | NotReady => {
  const element = findTarget(target);
  const field = fieldIn(element);
  return (field === null ? whyUnusable(element) : whyUntypable(field)) ?? { isReady: true };
};

/** Focuses the field and marks all that is in it. */
export const beginKeys = async ({ target }: { target: Target }): Promise<{ marksByKey: boolean } | NotReady> => {
  const element = fieldAt(findTarget(target));
  const refusal = whyUntypable(element);
  if (refusal !== null) return refusal;
  focusOn(element);
  selectAll(element);
  await nextTask();
  if (!isFocusedIn(element)) return { notReady: 'it does not take the focus' };
  const { first, last } = isTextField(element) ? {} : edgesIn(element);
  return { marksByKey: first === undefined && last === undefined && !isTerminal(element) };
};

export const holdsFocus = ({ target }: { target: Target }): boolean => isFocusedIn(fieldAt(findTarget(target)));

export const endKeys = async ({ target, text, submits }: PageMethods['endKeys']['options']): Promise<Change> => {
  const element = fieldAt(findTarget(target));
  if (!submits) noteKept(element, text);
  const kept = await readBack(element, text);
  if (isTextField(element)) tellChange(element);
  return { ...changeOf(element, null), kept };
};

const whyUntypable = (element: HTMLElement): NotReady | null =>
  whyUnusable(element) ?? (isReadOnly(element) && !isFreedByFocus(element) ? READ_ONLY : isBehindDialog(element) ? BEHIND_DIALOG : null);

const isReadOnly = (element: Element): boolean => isTextField(element) && element.readOnly;

/** Some are read-only until a person comes to them, so that the browser fills in nothing before that, and say so themselves. */
const isFreedByFocus = (field: Element): boolean =>
  ['onfocus', 'onfocusin', 'onmousedown', 'onclick'].some((name) => /read-?only/i.test(field.getAttribute(name) ?? ''));

const focusOn = (element: HTMLElement): void => {
  intoView(element, { block: 'nearest', inline: 'nearest' });
  element.focus({ preventScroll: true });
};

/** What a person writes then goes into what has the focus: the field that the page has put in its place. */
const twinOf = (gone: HTMLElement): HTMLElement | null => {
  const focused = focusedElement();
  const isTwin = focused !== null && isEditable(focused) && roleOf(focused) === roleOf(gone) && isSensitive(focused) === isSensitive(gone);
  return isTwin && whyUntypable(focused) === null ? focused : null;
};

const isFocusedIn = (element: Element): boolean => {
  const focused = focusedElement();
  // Of an editor that is a page of its own, as in a frame, the body has the focus.
  return focused === null ? element === document.activeElement : contains(element, focused);
};

/** The element that takes the text: the target, or the one field inside it; null when there is none. */
const fieldIn = (element: Element): HTMLElement | null => {
  if (isEditable(element)) return element;
  const labelled = labelledBy(element);
  if (isEditable(labelled)) return labelled;
  const host = element instanceof HTMLElement && element.isContentEditable ? element.closest('[contenteditable]') : null;
  if (host instanceof HTMLElement) return host;
  const inside = queryAll('input, textarea, select, [contenteditable]', element).filter(isEditable);
  const [only, ...others] = inside.length > 1 ? inside.filter(isVisible) : inside;
  return others.length === 0 ? (only ?? null) : null;
};

const fieldAt = (element: Element): HTMLElement => {
  const field = fieldIn(element);
  if (field !== null) return field;
  throw new FaultError(
    'TOOL_ARGUMENTS',
    `"target" is of the kind ${kindOf(element)}, which takes no text.${HINTS.get(roleOf(element)) ?? ' Where a press changes it, use browser_click; where the page itself hears keys, "slowly" presses them.'}`,
  );
};

const HINTS: ReadonlyMap<string, string> = new Map([
  ...['checkbox', 'radio', 'switch'].map((role) => [role, ' Use browser_click on it.'] as const),
  ['radiogroup', ' Use browser_click on one of its radio buttons.'],
  ['group', ' Fill the fields in it, each by itself.'],
  ['file', ' Use browser_file_upload.'],
  ['slider', ' Use browser_fill_form with a number.'],
  ...['gridcell', 'cell'].map(
    (role) => [role, ' A double click may open a field in it: use browser_click with "doubleClick", then type there.'] as const,
  ),
  ['spinbutton', ' Use browser_press_key with ArrowUp or ArrowDown.'],
]);

const isEditable = (element: Element): element is HTMLElement => {
  if (element instanceof HTMLSelectElement || isTextField(element) || isEditingHost(element) || hasEditContext(element)) return true;
  return (
    element instanceof HTMLInputElement && ['date', 'datetime-local', 'time', 'month', 'week', 'color', 'range'].includes(element.type)
  );
};

/** Whether the page has taken the text, all of it or as much as the field takes. */
const write = async (
  element: HTMLElement,
  { text, isSlow: isAskedSlow }: TypeOptions,
  signal: AbortSignal,
): Promise<Pick<NotTaken, 'notTaken'> | Kept> => {
  // A part of a date takes its digits one by one, and hands on those that are too many for it.
  const isPart = isEditingHost(element) && roleOf(element) === 'spinbutton';
  const isSlow = isAskedSlow || isPart;
  const isKeyed = isTerminal(element);
  const caught = catchesKeys(element) && !isKeyed ? copyAll(element) : null;
  before = caught ?? writtenIn(element);
  if (isKeyed) return { notTaken: 'keys' };
  if (caught !== null) return !isSlow && text !== '' && (await pasteInto(element, text)) ? readBack(element, text) : { notTaken: 'keys' };
  if (hasEditContext(element) || isTooShort(element, text)) return { notTaken: 'lines' };
  selectAll(element);
  // An editor hears of the selection by an event.
  if (!isTextField(element)) await nextTask();
  if (!isSlow && isLong(text) && !isTextField(element) && (await isPasted(element, text))) return 'whole';
  if (isSlow) {
    if (before !== '') document.execCommand('delete');
    const empty = writtenIn(element);
    let isHeard = false;
    for (const character of text) {
      stopIfCancelled(signal);
      await typeKey(element, character, pressIn);
      isHeard ||= writtenIn(element) !== empty;
    }
    // A page that has made something else of the keys would make it again.
    if (isHeard && isPart) return readBack(element, text);
    if (isHeard && isTextField(element) && element.value === empty && !holds(element, text)) return 'other';
  } else if (text === '') document.execCommand('delete');
  else if (!(await insertAtOnce(element, text)) && !(await isUntaken(element))) return { notTaken: 'keys' };
  // A page that cancels editing commands, or a field that is not drawn.
  if (isTextField(element) && element.value === before && !holds(element, text) && !isCut(element, text)) setNative(element, text);
  else if (isTextField(element)) tellChange(element);
  const kept = await readBack(element, text);
  if (kept !== 'whole' && !isTextField(element) && !isSlow && (await isGiven(element, text))) return 'whole';
  // Of fields for one character each, a page leads from one to the next with each key.
  if (kept === 'whole' || (kept === 'cut' && !isOfOne(element))) return kept;
  return { notTaken: isTextField(element) ? 'keys' : 'lines' };
};

/** Whether its form is not to be sent with the text, which the browser finds only of what real input has written: https://html.spec.whatwg.org/#too-short */
const isTooShort = (element: HTMLElement, text: string): boolean => isTextField(element) && text !== '' && text.length < element.minLength;

/** Whether an editor that draws only a part of a long text gives all of it, as it is or once it is pasted over what the editor itself marks. */
const isGiven = async (element: HTMLElement, text: string): Promise<boolean> => {
  const isHeld = (given: string | null): boolean => given !== null && withoutSpaces(given) === withoutSpaces(text);
  const given = copyAll(element);
  if (given === null || text === '') return false;
  const isWhole = isHeld(given) || ((await pasteInto(element, text)) && isHeld(copyAll(element)));
  if (isWhole) goToEnd(element);
  return isWhole;
};

/** Whether an editor takes so many lines as a text that is pasted, which many are made for; all of what it holds is marked, then and afterwards. */
const isPasted = async (element: HTMLElement, text: string): Promise<boolean> => {
  if (isOneOfBlocks(element) || !(await pasteInto(element, text))) return false;
  if ((await readBack(element, text)) === 'whole') return true;
  selectAll(element);
  await nextTask();
  return false;
};

/** Some editors have a field in each of their blocks, which are alike, and make a block of each line that is pasted. */
const isOneOfBlocks = (element: HTMLElement): boolean => {
  let block: Element | null = element;
  for (let level = 0; level < MAX_BLOCK_LEVELS && block !== null; level += 1, block = parentOf(block)) {
    const looks = plain(block).getAttribute('class') ?? '';
    const beside = [plain(block).previousElementSibling, plain(block).nextElementSibling].filter((other) => other !== null);
    if (
      looks !== '' &&
      beside.some((other) => plain(other).getAttribute('class') === looks && queryAll('[contenteditable]', other).some(isEditingHost))
    )
      return true;
  }
  return false;
};

const MAX_BLOCK_LEVELS = 3;

/** False when the page takes each key by itself, as input masks do. */
const insertAtOnce = async (element: HTMLElement, text: string): Promise<boolean> => {
  // What has another focus by then would take the text in this field's place.
  const first = /^./su.exec(text)?.[0] ?? '';
  if (!(await pressIn(element, first, keyInit)) || !isFocusedIn(element)) return false;
  if (asksToInsert(element, text)) insert(element, text);
  else if (isTextField(element)) return false;
  element.dispatchEvent(new KeyboardEvent('keyup', keyInit(/.$/su.exec(text)?.[0] ?? '')));
  return true;
};

/** False where the page puts it in itself. Chrome sends no such event for a command of a script, and some editors change their text by it alone. */
const asksToInsert = (element: Element, data: string): boolean =>
  plain(element).dispatchEvent(
    new InputEvent('beforeinput', { inputType: 'insertText', data, bubbles: true, cancelable: true, composed: true }),
  );

/**
 * Presses a key in a field; false when the page takes it by itself. A page may keep the keys for what was pressed last, as for the cell of a
 * sheet, whatever has the focus, until a press elsewhere tells it otherwise.
 */
const pressIn = async (field: Element, key: string, toSign = signInit): Promise<boolean> => {
  const hadFocus = isFocusedIn(field);
  const isLeft = pressDown(field, key, toSign);
  if (!isLeft || !hadFocus || isFocusedIn(field)) return isLeft;
  const { anchorNode, anchorOffset = 0, focusNode, focusOffset = 0 } = (isTextField(field) ? null : getSelection()) ?? {};
  escape();
  await pressInto(field);
  if (anchorNode != null && focusNode != null) getSelection()?.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
  return pressDown(field, key, toSign) && isFocusedIn(field);
};

/** Closes what has the focus. */
const escape = (): void => {
  const focused = focusedElement();
  if (focused !== null) for (const type of ['keydown', 'keyup']) plain(focused).dispatchEvent(new KeyboardEvent(type, keyInit('Escape')));
};

/** Whether the page took the first key for a command, as to open a list, which has the focus then, and not for a sign of a text: none is given in a text that is pasted. */
const isUntaken = async (field: HTMLElement): Promise<boolean> => {
  if (!isTextField(field) || isOfOne(field) || isFocusedIn(field)) return false;
  // What takes keys by itself shows them a little later.
  await nextTask();
  if (field.value !== before || isFocusedIn(field)) return false;
  escape();
  focusOn(field);
  return true;
};

/** Whether what the browser does for a key is left to it. With `toSign` it says which sign it writes, or not, where more than that one comes. */
const pressDown = (element: Element, key: string, toSign = signInit): boolean =>
  plain(element).dispatchEvent(new KeyboardEvent('keydown', keyInit(key))) &&
  plain(element).dispatchEvent(new KeyboardEvent('keypress', toSign(key)));

/**
 * So many lines are put in at once: the command for a text goes line by line, and lays all of it out anew for each, which with a thousand of them
 * keeps a page busy for half a minute.
 */
const MANY_LINES = 200;

/** What takes plain text only keeps lines as Enter makes them in it, and Chrome makes elements of those in a text. */
const insert = (element: HTMLElement, text: string): void => {
  const lines = linesOf(text);
  const isMany = isLong(text);
  // A field is given such a text as what it holds.
  if (isTextField(element)) return isMany ? undefined : void document.execCommand('insertText', false, text);
  // A block keeps no elements of lines, and Enter would begin another one.
  if (element.contentEditable === 'plaintext-only' || (lines.length > 1 && isOneOfBlocks(element))) return insertLines(lines, isMany);
  if (!insertAsTyped(element, text, isMany)) return undefined;
  const [first = '', ...others] = lines.map(toMarkup);
  if (!isMany) document.execCommand('insertText', false, text);
  else document.execCommand('insertHTML', false, first + others.map((line) => `<div>${line === '' ? '<br>' : line}</div>`).join(''));
  return undefined;
};

const linesOf = (text: string): string[] => text.split(/\r?\n/);

const isLong = (text: string): boolean => linesOf(text).length > MANY_LINES;

const insertLines = (lines: readonly string[], isMany: boolean): void => {
  if (isMany) return void document.execCommand('insertHTML', false, lines.map(toMarkup).join('<br>'));
  for (const [index, line] of lines.entries()) {
    if (index > 0) document.execCommand('insertLineBreak');
    if (line !== '') document.execCommand('insertText', false, line);
  }
};

/** Spaces beside each other, or at an end, would be one or none. */
const toMarkup = (line: string): string =>
  line
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/^ | (?= )| $/g, '&nbsp;');

/**
 * Some editors, as Draft.js, hear of a text by the event that came before the standard's, and break when it comes into the page without that.
 * False where it is done: the editor took it, or Chrome put it in, as it does for this event alone of all that scripts send, but for a long one.
 */
const insertAsTyped = (element: HTMLElement, text: string, isMany: boolean): boolean => {
  const asked = document.createEvent('TextEvent');
  if (!(asked instanceof TextEvent)) return true;
  asked.initTextEvent('textInput', true, true, window, text);
  let isIn = false;
  const note = (): void => void (isIn = true);
  const noteTaken = (event: Event): void => {
    isIn = event.defaultPrevented;
    event.preventDefault();
  };
  element.addEventListener('input', note, { once: true });
  if (isMany) addEventListener('textInput', noteTaken, { once: true });
  const isLeft = element.dispatchEvent(asked);
  element.removeEventListener('input', note);
  removeEventListener('textInput', noteTaken);
  return (isLeft || isMany) && !isIn;
};

/** What became of the text, as soon as that can be told. */
const readBack = async (element: HTMLElement, text: string): Promise<Kept> => {
  if (isTerminal(element)) return readAnswer(element);
  const caught = catchesKeys(element) ? await readCaught(element, text) : null;
  if (caught !== null) return caught;
  const startedAt = performance.now();
  for (;;) {
    if (holds(element, text) || isCut(element, text)) {
      // Some editors put their old text back when they next draw, and some masks in a task of their own.
      await (isTextField(element) ? nextTask() : nextFrame());
      if (holds(element, text)) return 'whole';
      if (isCut(element, text)) return 'cut';
    }
    if (performance.now() - startedAt > READ_BACK_MS) return writtenIn(element) === before ? 'none' : 'other';
    await nextTask();
  }
};

/** The same for what only catches keys; null where it gives nothing away. */
const readCaught = async (element: HTMLElement, text: string): Promise<Kept | null> => {
  const startedAt = performance.now();
  for (;;) {
    const now = copyAll(element);
    if (now === null && !hasEditContext(element)) return null;
    const isKept = now === null ? isShownAround(element, text) : withoutSpaces(now) === withoutSpaces(text);
    if (isKept || performance.now() - startedAt > READ_BACK_MS) {
      if (now !== null) goToEnd(element);
      // What an editor draws and does not give away, only a picture shows.
      return isKept ? 'whole' : now === null ? 'keys' : now === before ? 'none' : 'other';
    }
    await nextFrame();
  }
};

/** A terminal has every key; what its program shows of them, as little as nothing of a password, is waited for. */
const readAnswer = async (element: HTMLElement): Promise<Kept> => {
  const startedAt = performance.now();
  while (writtenIn(element) === before && performance.now() - startedAt <= READ_BACK_MS) await nextTask();
  return 'whole';
};

/** What a page makes of a text some time later, as when it checks it or asks its server about it. */
const noteKept = (element: HTMLElement, text: string): void => {
  // What an editor does not draw is not to be read once more.
  const isDrawn = isTextField(element) || (isEditingHost(element) && holds(element, text));
  if (isDrawn && !catchesKeys(element)) noteText(() => (holds(element, text) ? 'whole' : isCut(element, text) ? 'cut' : 'other'));
};

/** Whether a field holds a text: as it was given, or as the page formats it. */
const holds = (element: HTMLElement, text: string): boolean => {
  const now = writtenIn(element) ?? '';
  if (isSpread(element, text)) return true;
  // A part of a time or a date is written with as many digits as it has room for.
  if (roleOf(element) === 'spinbutton' && [now, text].every((digits) => /^\d+$/.test(digits))) return Number(now) === Number(text);
  if (!isTextField(element)) return [now, editableTextIn(element)].some((held) => withoutSpaces(held) === withoutSpaces(text));
  const wanted = text.replaceAll('\r\n', '\n');
  if (now === wanted) return true;
  // The browser gives no more of what is no number than of nothing.
  if (element.type === 'number') return now !== '' && Number(now) === Number(text);
  // A mask adds signs of its own to a line, and leaves some out.
  const signsIn = element instanceof HTMLInputElement ? lettersIn : (lines: string): string => withoutSpaces(lines).toLowerCase();
  const written = signsIn(wanted);
  if (written !== '' && [signsIn(now), signsIn(withoutCountry(now))].includes(written)) return !isOtherNumber(now, wanted);
  if (isSameAmount(now, wanted) || isCountryBeside(element, now, wanted)) return true;
  return now === '' && text !== '' && isShownAround(element, text);
};

/** A mask for telephone numbers puts the code of a country before them. */
const withoutCountry = (masked: string): string => masked.replace(/^\+\d{1,3}(?=\D)/, '');

/** Others show the code beside the field, where the country is chosen. */
const isCountryBeside = (field: Element, now: string, wanted: string): boolean => {
  const number = digitsIn(now);
  const code = wanted.startsWith('+') && number !== '' ? digitsIn(wanted) : '';
  return (
    code.endsWith(number) &&
    /^[1-9]\d{0,2}$/.test(code.slice(0, -number.length)) &&
    isShownAround(field, `+${code.slice(0, -number.length)}`)
  );
};

/** The same digits are another number where the sign between whole and part was lost, or parts thousands. */
const isOtherNumber = (now: string, wanted: string): boolean => {
  if (/^-\d/.test(wanted) && !MINUS.test(now)) return true;
  const part = /^-?\d+[.,](\d+)$/.exec(wanted)?.[1];
  if (part === undefined) return false;
  const held = /[.,](\d*)\D*$/.exec(now)?.[1];
  return held === undefined ? /^[^\d/:-]*\d[\d\s]*[^\d/:-]*$/.test(now) : !isSamePart(held, part);
};

/** Money that is owed may stand in brackets. */
const MINUS = /[-−–(]/;

const isSamePart = (one: string, other: string): boolean => one.replace(/0+$/, '') === other.replace(/0+$/, '');

/** A mask for money writes two digits after the point, or after a comma. */
const isSameAmount = (now: string, wanted: string): boolean =>
  /^-?\d+(?:[.,]\d+)?$/.test(wanted) &&
  ((/\.\d+\D*$/.test(now) && Number(now.replaceAll(/[^\d.-]+/g, '')) === withPoint(wanted)) ||
    (/,\d{1,2}\D*$/.test(now) && withPoint(now.replaceAll(/[^\d,-]+/g, '')) === withPoint(wanted)));

const withPoint = (number: string): number => Number(number.replace(',', '.'));

/** Whether the fields of one character each from this one on hold the text together, as those for a code do. */
const isSpread = (element: HTMLElement, text: string): boolean => {
  const wanted = withoutSpaces(text);
  if (wanted.length < 2 || !isTextField(element) || element.value !== wanted[0]) return false;
  // Not all say by their length that they take one character.
  const fields = queryAll('input').filter((field) => isTextField(field) && isVisible(field));
  const from = fields.indexOf(element);
  const spread = fields.slice(from, from + wanted.length).map((field) => writtenIn(field) ?? '');
  return spread.join('') === wanted && spread.every((held) => held.length === 1);
};

/** The fields of one character each, from this one on, over which a text is spread; none where it is not. */
const boxesFor = (element: HTMLElement, text: string): HTMLInputElement[] => {
  const { length } = withoutSpaces(text);
  if (!isOfOne(element) || length < 2) return [];
  const boxes = queryAll('input').flatMap((field) =>
    field instanceof HTMLInputElement && isOfOne(field) && isVisible(field) ? [field] : [],
  );
  const from = boxes.findIndex((field) => field === element);
  return boxes.slice(from, from + length);
};

/** A field of one character that is full takes no key; each is emptied before the first has the focus, for a page may lead on with that, too. */
const emptyBoxes = (element: HTMLElement, text: string): void => {
  for (const field of boxesFor(element, text)) if (field.value !== '') setNative(field, '');
};

const isOfOne = (element: Element): boolean => isTextField(element) && element.maxLength === 1;

/** Whether a field holds the beginning of a text that is longer than it takes. */
const isCut = (element: HTMLElement, text: string): boolean => {
  if (!isTextField(element) || element.maxLength < 0 || element.value === '') return false;
  const wanted = text.replaceAll('\r\n', '\n');
  return wanted.length > element.maxLength && wanted !== element.value && wanted.startsWith(element.value);
};

/** What is in an editor without its parts that cannot be edited. */
const editableTextIn = (editor: HTMLElement): string => {
  let text = '';
  const walker = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) {
    const { currentNode: node } = walker;
    if (node.parentElement?.isContentEditable === true) text += node.textContent ?? '';
  }
  return text;
};

/** A letter with its mark may be one sign or two, which pages write as they like: https://unicode.org/reports/tr15/ */
const composed = (text: string): string => text.normalize('NFC');

const withoutSpaces = (text: string): string => composed(text).replaceAll(/[\s\p{Cf}]+/gu, '');
const digitsIn = (text: string): string => text.replaceAll(/\D+/g, '');
const lettersIn = (text: string): string =>
  composed(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();

/** Some editors catch keys with an empty field and draw the text elsewhere. */
const isShownAround = (element: Element, text: string): boolean => {
  let around = parentOf(element);
  for (let level = 0; level < 3 && around !== null; level += 1) {
    if (withoutSpaces(around.textContent ?? '').includes(withoutSpaces(text))) return true;
    around = parentOf(around);
  }
  return false;
};

const selectAll = (element: HTMLElement): void => {
  if (isTextField(element)) return element.select();
  const range = document.createRange();
  range.selectNodeContents(element);
  const { first, last } = edgesIn(element);
  if (first !== undefined) range.setStartBefore(first);
  if (last !== undefined) range.setEndAfter(last);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
};

/** A selection with its edge in a block that cannot be edited is none for an editing command, which adds its text: such blocks are left out. */
const edgesIn = (editor: HTMLElement): { readonly first?: ChildNode | undefined; readonly last?: ChildNode | undefined } => {
  const shown = [...editor.childNodes].filter((node) => !(node instanceof Text && node.data.trim() === ''));
  const first = shown.findIndex((node) => !isFixedBlock(node));
  const last = shown.findLastIndex((node) => !isFixedBlock(node));
  return { first: first > 0 ? shown[first] : undefined, last: last < shown.length - 1 ? shown[last] : undefined };
};

const isFixedBlock = (node: ChildNode): boolean =>
  node instanceof HTMLElement && !node.isContentEditable && !getComputedStyle(node).display.startsWith('inline');

const typeKey = async (
  element: Element,
  character: string,
  press: (element: Element, key: string) => boolean | Promise<boolean> = pressDown,
): Promise<void> => {
  const key = character === '\n' ? 'Enter' : character;
  if (await press(element, key)) {
    if (key === 'Enter') document.execCommand(element instanceof HTMLInputElement ? 'insertText' : 'insertLineBreak');
    else if (asksToInsert(focusedElement() ?? element, character)) document.execCommand('insertText', false, character);
  }
  plain(element).dispatchEvent(new KeyboardEvent('keyup', keyInit(key)));
  await nextTask();
};

/** One option, or in a list for several those of a text: one in a line, or with commas. */
const choose = (list: HTMLSelectElement, text: string): void => {
  const isOne = !list.multiple || namedOption([...list.options], text) !== undefined;
  chooseOptions(list, isOne ? [text] : text.split(text.includes('\n') ? '\n' : ',').filter((part) => clean(part) !== ''));
};

/** Enter, with what a browser does for it when the page does not. */
export const pressEnter = (element: HTMLElement): void => {
  const init = keyInit('Enter');
  const isWanted = element.dispatchEvent(new KeyboardEvent('keydown', init)) && element.dispatchEvent(new KeyboardEvent('keypress', init));
  if (isWanted && element.isConnected) {
    // Pages that hear of no keys hear of this one: https://developer.mozilla.org/docs/Web/API/HTMLInputElement/search_event
    if (element instanceof HTMLInputElement && element.type === 'search') element.dispatchEvent(new Event('search', { bubbles: true }));
    if (element instanceof HTMLInputElement) submitImplicitly(element);
    else if (!(element instanceof HTMLSelectElement)) document.execCommand('insertLineBreak');
  }
  element.dispatchEvent(new KeyboardEvent('keyup', init));
};

/** HTML, "implicit submission": the default button is pressed; without one, only a form with a single text field is sent. */
const submitImplicitly = (element: HTMLInputElement): void => {
  const { form } = element;
  if (form === null) return;
  // A form does not list the pictures that send it: https://html.spec.whatwg.org/#dom-form-elements
  const controls = [...(treeOf(form) ?? plain(form)).querySelectorAll<HTMLButtonElement | HTMLInputElement>('button, input')].filter(
    (control) => control.form === form,
  );
  const button = controls.find(({ type }) => type === 'submit' || type === 'image');
  if (button !== undefined) return button.matches(':disabled') ? undefined : notingScript(button, () => button.click());
  if (controls.filter((control) => control instanceof HTMLInputElement && isTextField(control)).length === 1)
    notingScript(form, () => plain(form).requestSubmit());
  return undefined;
};

const keyInit = (key: string): KeyboardEventInit => ({ key, ...positionOf(key), bubbles: true, cancelable: true, composed: true });

/** A keypress tells of the sign and not of the key, and of none that no key of a keyboard has: https://w3c.github.io/uievents/#legacy-key-models */
const signInit = (key: string): KeyboardEventInit => {
  const code = key === 'Enter' ? 13 : key.length === 1 ? key.charCodeAt(0) : 0;
  return { ...keyInit(key), keyCode: code, charCode: code };
};

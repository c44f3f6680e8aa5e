/** The states a user can see of an element, and the value it holds. */
import { NOT_SHOWN } from '#extension/shared/hide-values.ts';
import { attributeOf } from './component-says.ts';
import { outerOf, queryAll } from './composed.ts';
import { isHighlighted } from './highlighted.ts';
import { drawnFor } from './key-catcher.ts';
import { plain } from './plain.ts';
import { optionNames } from './option-names.ts';
import { isEditingHost, isMadeField, isNamedByContent, isTextField, roleOf } from './roles.ts';
import { clean, isLabelledButton, nameOf, shorten, textOf } from './name.ts';
import { heldIn, isSensitive } from './sensitive.ts';

const MAX_VALUE = 300;
const MAX_EDITED = 100_000;

/** Words as they appear in a snapshot; what is usual is not said. */
export const statesOf = (element: Element, role: string): string[] => {
  const states: string[] = [];
  const add = (isOn: boolean, word: string): void => {
    if (isOn) states.push(word);
  };
  const aria = (name: string): string | null => attributeOf(element, `aria-${name}`);
  add(isDisabled(element), 'disabled');
  const isBox = ['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'].includes(role);
  // Some grids tell by it what a cell shows as a mark.
  if (isBox || aria('checked') !== null) states.push(checkedState(element));
  add(aria('pressed') === 'true', 'pressed');
  add(aria('pressed') === 'mixed', 'mixed');
  add(aria('selected') === 'true' || (element instanceof HTMLOptionElement && element.selected), 'selected');
  const expanded = expandedState(element);
  if (expanded !== null) states.push(expanded ? 'expanded' : 'collapsed');
  const current = aria('current');
  add(current !== null && current !== 'false', 'current');
  add((isTextField(element) && element.readOnly) || aria('readonly') === 'true', 'readonly');
  add((isField(element) && element.required) || aria('required') === 'true', 'required');
  const isHinted = isField(element) && element.value === '';
  // Labels that float out of their field are told by a blank one that it is empty.
  const hint = isHinted ? clean(element.getAttribute('placeholder') ?? '') : '';
  add(hint !== '' && !isSaidIn(nameOf(element, role).toLowerCase(), hint.toLowerCase()), `hint "${shorten(hint, 60)}"`);
  add((aria('invalid') !== null && aria('invalid') !== 'false') || plain(element).matches(':user-invalid'), 'invalid');
  add(aria('busy') === 'true', 'busy');
  const sort = aria('sort') ?? '';
  add(sort === 'ascending' || sort === 'descending', `sorted ${sort}`);
  add(isDraggable(element), 'draggable');
  if (element instanceof HTMLInputElement && element.type === 'file') states.push(...filesTaken(element));
  if (isPlayer(element)) states.push(...playedBy(element));
  const mark = SAID.some((name) => aria(name) !== null) ? undefined : markOf(element);
  if (mark !== undefined) states.push(`.${mark}`);
  else add(states.length === 0 && LISTED.has(role) && isHighlighted(element), 'highlighted');
  const isNamed = (aria('label') ?? aria('labelledby')) !== null || isLabelledButton(element);
  const shown = isNamedByContent(role) && isNamed ? shownBeside(element, role) : '';
  add(shown !== '', `shows "${shown}"`);
  return states;
};

/** What may be chosen from several beside each other by its ground alone. */
const LISTED = new Set(['clickable', 'listitem', 'option', 'row', 'treeitem']);

/** By these a page says itself what is chosen. */
const SAID = ['selected', 'pressed', 'current', 'checked'];

/** The class by which a page shows that this one of several alike is chosen, also where it is that of a box around it alone. */
const markOf = (element: Element): string | undefined => {
  const around = outerOf(element);
  const own = markAmong(element);
  return own ?? (around !== null && plain(around).children.length === 1 ? markAmong(around) : undefined);
};

const markAmong = (element: Element): string | undefined => {
  const names = plain(element).getAttribute('class') ?? '';
  const mark = MAY_BE_CHOSEN.test(names) ? names.split(/\s+/).find((name) => CHOSEN.test(name)) : undefined;
  if (mark === undefined) return undefined;
  const alike = besideEachOther(element).filter((other) => plain(other).localName === plain(element).localName);
  return alike.length > 1 && alike.some((other) => !(plain(other).getAttribute('class') ?? '').split(/\s+/).includes(mark))
    ? CHOSEN.exec(mark)?.[1]
    : undefined;
};

/** Those beside an element, or, where it stands in a box of its own, those in the boxes beside that. */
const besideEachOther = (element: Element): Element[] => {
  const around = outerOf(element);
  if (around === null || plain(around).children.length > 1) return [...(around === null ? [] : plain(around).children)];
  return [...(outerOf(around)?.children ?? [])].flatMap((box) => (plain(box).children.length === 1 ? [...plain(box).children] : []));
};

const MAY_BE_CHOSEN = /active|sel|current|chosen|checked|highlight|picked|marked|done|completed|unread|(?:^|\s)(?:is-)?on(?:\s|$)/i;
const CHOSEN =
  /(?:^|[-_])(active|sel(?:ected)?|current|chosen|checked|highlight(?:ed)?|picked|marked|done|completed|unread|(?<=^|^is-)on)(?:$|__?[\w-]{4,8}$)/i;

/** What says that a text, in which nothing has to be pressed, is the chosen one of several beside each other; empty where nothing does. */
export const choiceOf = (element: Element, role: string): string => {
  const current = attributeOf(element, 'aria-current');
  if (current !== null && current !== 'false') return 'current';
  const mark = markAmong(element);
  const isOneOfShown = (): boolean =>
    besideEachOther(element).some((other) => markAmong(other) === undefined && other !== element && isDrawn(other));
  if (mark === undefined) return LISTED.has(role) && isHighlighted(element) ? 'highlighted' : '';
  return isOneOfShown() ? `.${mark}` : '';
};

const isDrawn = (element: Element): boolean => plain(element).getClientRects().length > 0;

/** Whether a word of a class says that this one of several is chosen. */
export const isChoosing = (word: string): boolean => CHOSEN.test(word);

/** Such a name hides what is written on a button, as the month of a calendar; no name of an icon is. What is written on one with a label is its value. */
const shownBeside = (element: Element, role: string): string => {
  const text = textOf(element);
  const isWord = isLabelledButton(element)
    ? text.length <= MAX_VALUE
    : text.length <= MAX_BESIDE && /\p{L}{2}|\p{N}/u.test(text) && plain(element).querySelector('i, svg, [class*="icon"]') === null;
  return isWord && !isSaidIn(nameOf(element, role).toLowerCase(), text.toLowerCase()) ? text : '';
};

/** Whether a name says a text, or each of its words: "Today at 10:15:00 AM" says 10:15 AM. */
const isSaidIn = (name: string, text: string): boolean => {
  if (name.includes(text)) return true;
  const said = new Set(name.match(WORD));
  return (text.match(WORD) ?? [text]).every((word) => said.has(word));
};

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

const MAX_BESIDE = 30;

/** A box in an option is what a person sees, and counts more than what the option says, which some components bring up to date only when they open. */
export const isChosen = (option: Element): boolean =>
  boxIn(option)?.checked ?? ['aria-selected', 'aria-checked'].some((name) => attributeOf(option, name) === 'true');

/** The box of the browser's own by which some options show whether they are chosen. */
export const boxIn = (option: Element): HTMLInputElement | null =>
  queryAll('input[type="checkbox"]', option).find((box) => box instanceof HTMLInputElement) ?? null;

/** The page says so: images and links can be dragged without that, and hardly ever are meant to be. A script that drags by itself leaves only its mark. */
export const isDraggable = (element: Element): boolean =>
  plain(element).getAttribute('draggable') === 'true' || DRAG_HANDLE.test(plain(element).getAttribute('class') ?? '');

/** https://api.jqueryui.com/draggable/#theming, https://api.jqueryui.com/sortable/#theming */
const DRAG_HANDLE = /(?:^|\s)ui-(?:draggable|sortable)-handle(?:\s|$)/;

/** Whether the browser draws its own buttons into it, which no script can reach. */
export const isPlayer = (element: Element): element is HTMLMediaElement =>
  PLAYERS.has(plain(element).localName) && element instanceof HTMLMediaElement && element.controls;

const PLAYERS = new Set(['audio', 'video']);

const playedBy = ({ ended, paused, currentTime, duration, muted, error }: HTMLMediaElement): string[] => [
  error !== null ? 'failed' : ended ? 'ended' : paused ? 'paused' : 'playing',
  ...(Number.isFinite(duration) ? [`${toClock(currentTime)} of ${toClock(duration)}`] : currentTime > 0 ? [toClock(currentTime)] : []),
  ...(muted ? ['muted'] : []),
];

const toClock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** Which files a field takes, where it says so. */
const filesTaken = ({ accept, multiple, webkitdirectory }: HTMLInputElement): string[] => [
  ...(webkitdirectory ? ['takes a folder'] : multiple ? ['takes several'] : []),
  ...(clean(accept) === '' ? [] : [`takes "${shorten(clean(accept), 60)}"`]),
];

/** The value of a field in words; null when it has none or it is empty. */
export const valueOf = (element: Element): string | null => {
  if (isSensitive(element)) return heldIn(element).length === 0 ? null : NOT_SHOWN;
  if (element instanceof HTMLSelectElement) return chosenNames(element).join(', ');
  if (element instanceof HTMLInputElement) return inputValue(element);
  const drawn = drawnFor(element);
  if (drawn !== null) return quote(drawn);
  if (element instanceof HTMLTextAreaElement) return quote(element.value);
  if (isEditingHost(element)) return quote(textOf(element, MAX_EDITED));
  if (GAUGES.has(roleOf(element))) return gaugeOf(element);
  const told = attributeOf(element, 'aria-valuetext') || attributeOf(element, 'aria-valuenow');
  return told ?? (isMadeField(element) && roleOf(element) === 'textbox' ? quote(textOf(element, MAX_EDITED)) : null);
};

const chosenNames = (list: HTMLSelectElement): string[] => {
  const names = optionNames([...list.options]);
  return [...list.selectedOptions].map(({ index }) => names[index] ?? '');
};

/** What shows how far something has come, or how much of it there is. */
export const GAUGES: ReadonlySet<string> = new Set(['progressbar', 'meter']);

/** What a gauge shows; null where that is not known, as of a bar that only moves. */
const gaugeOf = (element: Element): string | null => {
  if (element instanceof HTMLProgressElement) return element.position < 0 ? null : measure(element.position, 0, 1);
  if (element instanceof HTMLMeterElement) return measure(element.value, element.min, element.max);
  const aria = (name: string): string | null => attributeOf(element, `aria-value${name}`);
  const [text, now] = [clean(aria('text') ?? ''), aria('now')];
  if (text !== '' || now === null) return text === '' ? null : shorten(text);
  return measure(Number(now), Number(aria('min') ?? 0), Number(aria('max') ?? 100));
};

const measure = (value: number, least: number, most: number): string | null => {
  if (!Number.isFinite(value)) return null;
  return least === 0 && (most === 1 || most === 100) ? `${Math.round((value / most) * 100)} %` : `${value} of ${most}`;
};

/** All that a person has written into a field or an editor, line by line; null where it is neither. */
export const writtenIn = (element: Element): string | null => {
  const drawn = drawnFor(element);
  if (drawn !== null) return drawn;
  if (isTextField(element)) return element.value;
  return isEditingHost(element) ? element.innerText : null;
};

/** Whether an element refuses to be operated, by itself or through what is around it. */
export const isDisabled = (element: Element): boolean =>
  plain(element).matches(':disabled') ||
  plain(element).closest('[aria-disabled="true"], [inert]') !== null ||
  attributeOf(element, 'aria-disabled') === 'true';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isField = (element: Element): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;

const inputValue = (element: HTMLInputElement): string | null => {
  switch (element.type) {
    case 'checkbox':
    case 'radio':
    case 'button':
    case 'submit':
    case 'reset':
    case 'image':
      return null;
    case 'file':
      return element.files === null || element.files.length === 0 ? null : [...element.files].map((file) => file.name).join(', ');
    default:
      return quote(element.value);
  }
};

const quote = (value: string): string | null => {
  // To go through all of a text of many megabytes takes seconds.
  const line = value.length > MAX_EDITED ? clean(value.slice(0, MAX_EDITED)) + value.slice(MAX_EDITED) : clean(value);
  if (line.length <= MAX_VALUE) return value === '' ? null : line;
  return `${shorten(line, MAX_VALUE)} (${line.length} characters; browser_snapshot of this target shows all)`;
};

const checkedState = (element: Element): string => {
  if (element instanceof HTMLInputElement) return element.indeterminate ? 'mixed' : element.checked ? 'checked' : 'unchecked';
  const checked = attributeOf(element, 'aria-checked');
  return checked === 'mixed' ? 'mixed' : checked === 'true' ? 'checked' : 'unchecked';
};

const expandedState = (element: Element): boolean | null => {
  const expanded = attributeOf(element, 'aria-expanded');
  if (expanded !== null) return expanded === 'true';
  const details = plain(element).localName === 'summary' ? element.parentElement : null;
  return details instanceof HTMLDetailsElement ? details.open : null;
};

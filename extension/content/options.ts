/** Choosing in a list: the browser's own, or one that a page made of elements. */
import { disabledOption } from '#extension/shared/option-words.ts';
import type { ListOptions, Outcome, Target } from './api.ts';
import { beginChange, changeOf, intoView } from './changes.ts';
import { chosenPieces, hasHand, isLaidOver, saidAround } from './chosen-pieces.ts';
import { attributeOf } from './component-says.ts';
import { contains, drawnIn, focusedElement, outerOf, parentOf, queryAll, shadowOf, treeOf } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { fieldMeant } from './field-meant.ts';
import { partOf } from './field-part.ts';
import { nextFrame } from './frames.ts';
import { clean, nameOf, textOf } from './name.ts';
import { namesakesOf, optionInGroup, optionNames } from './option-names.ts';
import { READ_ONLY, whyUnusable } from './ready.ts';
import { plain } from './plain.ts';
import { refOf } from './refs.ts';
import { isSearchField, isTextField, kindOf, roleOf, suggests } from './roles.ts';
import { isSensitive } from './sensitive.ts';
import { describe } from './snapshot.ts';
import { boxIn, isChosen, isDisabled, writtenIn } from './states.ts';
import { setNative } from './set-value.ts';
import { isVisible } from './visibility.ts';
import { withRole } from './with-role.ts';

const MAX_NAMED = 30;

/** Chooses exactly these in the browser's own list, by what options say, else by their values, and reads back what it holds. */
export const select = async ({ target, values }: { target: Target; values: readonly string[] }, signal: AbortSignal): Promise<Outcome> => {
  const element = listAt(target);
  if (hasSuggestions(element)) return chooseSuggested(element, values, signal);
  if (!(element instanceof HTMLSelectElement)) throw new FaultError('TOOL_ARGUMENTS', '"target" is not a list of the browser.');
  const refusal = whyUnusable(element);
  if (refusal !== null) return isDrawnOtherwise(element) ? { ...refusal, remedy: BESIDE } : refusal;
  stopIfCancelled(signal);
  beginChange();
  intoView(element, { block: 'nearest', inline: 'nearest' });
  element.focus({ preventScroll: true });
  const before = chosenIn(element);
  const missing = values.find((value) => namedOption([...element.options], value) === undefined);
  if (missing !== undefined && isUnfilled(element))
    return { notReady: 'the list has no such option', fromPage: optionsTold([...element.options]), isOftenBrief: true, remedy: UNFILLED };
  const asked = chooseOptions(element, values);
  await nextFrame();
  const now = chosenIn(element);
  return { done: { ...changeOf(element, null), kept: now === asked ? 'whole' : now === before ? 'none' : 'other' } };
};

/** Whether a list has next to nothing to choose, as one that is still being filled, or is filled only when somebody comes to it. */
const isUnfilled = (list: HTMLSelectElement): boolean =>
  !isSensitive(list) && [...list.options].filter((option) => option.value !== '' && !isDisabled(option)).length < 2;

/** Whether a page has put a list of its own in its place. */
const isDrawnOtherwise = (list: HTMLSelectElement): boolean => {
  const { nextElementSibling: beside } = list;
  return !list.checkVisibility() && beside !== null && isVisible(beside);
};

const UNFILLED = 'Choose one of those that it has, or do first what fills it, as a choice in another list.';
const BESIDE = 'The page draws a list of its own in its place: click what stands beside it in browser_snapshot, then the option.';

/** The options of a list that a page made of elements; none while it is closed, and null for a list of the browser. */
export const listOptions = ({ target }: { target: Target }): ListOptions | null => {
  const element = listAt(target);
  if (element instanceof HTMLSelectElement || hasSuggestions(element)) return null;
  const role = isOpener(element) ? 'combobox' : roleOf(element);
  if (role !== 'listbox' && role !== 'combobox' && attributeOf(element, 'aria-haspopup') === null && !suggests(element)) {
    throw new FaultError('TOOL_ARGUMENTS', `"target" is of the kind ${kindOf(element)}, which has no options: use browser_click.`);
  }
  const list = listOf(element);
  const options = list === null ? [] : optionsIn(list, element);
  const chosen = options.filter(isChosen);
  const beside = besideIn(element, role, list);
  const expanded = attributeOf(element, 'aria-expanded');
  const isOpen = role !== 'listbox' && (expanded === null ? options.length > 0 : expanded === 'true');
  return {
    ref: refOf(element),
    shown: (isSearchField(element) && !isSensitive(element) && writtenIn(element)) || beside,
    beside,
    pieces: isSearchField(element) || role === 'combobox' ? chosenPieces(element, list) : [],
    isField: isSearchField(element) && !(isTextField(element) && element.readOnly),
    takes: options.some((option) => boxIn(option) !== null || roleOf(option) === 'menuitemcheckbox')
      ? 'several'
      : takenBy(element, role, list),
    isOpen,
    search: isOpen ? searchFor(element) : null,
    options: options.map((option) => ({
      ref: describe(option).ref ?? 0,
      ...calledBy(option),
      value: option.getAttribute('data-value') ?? '',
      isSelected: chosen.includes(option) && !(chosen.length === 1 && isOnlyNext(option, element, beside)),
      isDisabled: isDisabled(option) || isBarred(option),
      leads: attributeOf(option, 'aria-expanded') !== null && roleOf(option) === 'treeitem' ? 'within' : leadsOn(option) ? 'on' : null,
    })),
  };
};

/** A field that calls itself a list opens one. */
const isOpener = (element: Element): boolean => roleOf(element) === 'listbox' && element instanceof HTMLInputElement;

/** What has the options of a list: itself, or what it opens. */
export const listOf = (element: Element): Element | null =>
  roleOf(element) === 'listbox' && !isOpener(element) ? element : popupOf(element);

/** Some mark the option that a key would choose as others mark what is chosen, which a combobox shows. */
const isOnlyNext = (option: Element, list: Element, shown: string): boolean =>
  roleOf(list) === 'combobox' &&
  boxIn(option) === null &&
  attributeOf(option, 'aria-checked') === null &&
  option.id !== '' &&
  [list, focusedElement()].some((element) => element?.getAttribute('aria-activedescendant') === option.id) &&
  !/\d/.test(shown) &&
  !shown.includes(calledBy(option).label);

/** A list that opens with a field of its own to look for options gives that the focus. */
const searchFor = (element: Element): number | null => {
  const focused = focusedElement();
  return focused !== null && focused !== element && isTextField(focused) && !focused.readOnly ? refOf(focused) : null;
};

/** Some names say more than what is drawn, as whether an option is chosen, and change with that. */
export const calledBy = (option: Element): { label: string; name: string } => {
  const name = nameOf(option, 'option');
  const text = textOf(option, undefined, drawnIn(option).filter(isForReaders).slice(0, 1));
  const label = text !== '' && name.includes(text) ? text : name;
  // A style may write beside it how it is chosen.
  const written = clean(plain(option).textContent ?? '');
  return { label: written !== '' && label.includes(written) ? written : label, name };
};

/** Whether it is text that is put where nobody sees it. */
const isForReaders = (element: Element): boolean => {
  const { width, height, right } = plain(element).getBoundingClientRect();
  const isAway = (width > 0 && width <= 1) || (height > 0 && height <= 1) || right < 0 || getComputedStyle(element).clip !== 'auto';
  return isAway && textOf(element) !== '';
};

/** Many lists that open do not say that they take several, and show it by staying open. */
const takenBy = (element: Element, role: string, list: Element | null): ListOptions['takes'] => {
  const isMultiple = (list === null ? null : attributeOf(list, 'aria-multiselectable')) ?? attributeOf(element, 'aria-multiselectable');
  if (isMultiple === null && role !== 'listbox') return 'unknown';
  return isMultiple === 'true' ? 'several' : 'one';
};

/** What a list shows as chosen, or stands beside its field; what stands beside a secret field is no secret. */
const besideIn = (element: Element, role: string, list: Element | null): string => {
  if (isSearchField(element)) return saidAround(element, list)?.text ?? '';
  return role === 'listbox' || isSensitive(element) ? '' : textWithout(element, list);
};

/** What can be pressed in a list. Some hold their options for machines only, and what a person presses is drawn beside them. */
export const optionsIn = (list: Element, opener: Element): Element[] => {
  const options = optionsOf(list);
  const shown = options.filter(isVisible);
  const popup = parentOf(list);
  if (shown.length > 0 || options.length === 0 || popup === null || contains(popup, opener)) return shown;
  const pressed = drawnIn(popup).filter((inner) => isVisible(inner) && (hasHand(inner) || isBarred(inner)) && textOf(inner) !== '');
  return pressed.filter((inner) => !pressed.some((outer) => outer !== inner && contains(outer, inner)));
};

const optionsOf = (list: Element): Element[] => drawnIn(list).filter((inner) => OPTIONS.has(roleOf(inner)));

/** Some lists for several are menus, and some are trees. */
const OPTIONS = new Set(['option', 'menuitemcheckbox', 'menuitemradio', 'treeitem']);

/** What opens other lists is an item of a menu mostly. */
const leadsOn = (option: Element): boolean => attributeOf(option, 'aria-haspopup') !== null || roleOf(option).startsWith('menuitem');

const isBarred = (element: Element): boolean => getComputedStyle(element).cursor === 'not-allowed';

/** What a list shows of its choice, where its options stand in it while it is open. */
const textWithout = (element: Element, list: Element | null): string => {
  if (list === null || !contains(element, list)) return textOf(element);
  const beside = [...plain(element).children].filter((child) => !contains(child, list));
  return clean(beside.map((child) => textOf(child)).join(' '));
};

type Suggested = HTMLInputElement & { readonly list: HTMLDataListElement };

/** A field for which the browser itself suggests values. */
const hasSuggestions = (element: Element): element is Suggested => element instanceof HTMLInputElement && element.list !== null;

const chooseSuggested = async (field: Suggested, values: readonly string[], signal: AbortSignal): Promise<Outcome> => {
  const refusal = whyUnusable(field) ?? (field.readOnly ? READ_ONLY : null);
  if (refusal !== null) return refusal;
  const [wanted, ...others] = values;
  if (wanted === undefined || others.length > 0) throw new FaultError('TOOL_ARGUMENTS', 'This field takes exactly one value.');
  const options = [...field.list.options];
  const found = namedOption(options, wanted);
  if (found === undefined) throw noOption(wanted, isSensitive(field) ? [] : options);
  stopIfCancelled(signal);
  beginChange();
  field.focus({ preventScroll: true });
  setNative(field, found.value);
  await nextFrame();
  return { done: { ...changeOf(field, null), kept: field.value === found.value ? 'whole' : 'other' } };
};

/** What a combobox opens: what it says itself, else the one list that is shown and that no other element says is its own. */
export const popupOf = (element: Element): Element | null => {
  const named = namedBy(element);
  // Some name by it what shows their choice, too.
  const opened = named.find((part) => LISTS.has(roleOf(part))) ?? named.find((part) => !contains(element, part));
  if (opened !== undefined) return opened;
  // A list that is there while this one is closed is another one.
  if (attributeOf(element, 'aria-expanded') === 'false') return null;
  const others = queryAll('[aria-controls], [aria-owns]').filter((other) => other !== element);
  const ofOthers = new Set(others.flatMap(namedBy));
  const shown = withRole(['listbox', 'tree', 'menu']).filter((list) => isVisible(list) && !isOpener(list) && !ofOthers.has(list));
  const listboxes = shown.filter((list) => roleOf(list) === 'listbox');
  // A page has trees and menus for other things, too, but they do not lie over it.
  const lists =
    listboxes.length > 0 || attributeOf(element, 'aria-expanded') !== 'true'
      ? listboxes
      : shown.filter((list) => isLaidOver(list, null) && optionsOf(list).length > 0);
  // What is chosen may stand in a list of its own beside the one to choose from, which lies over the page, or has more in it.
  const own = lists.filter((list) => contains(element, list)).toSorted((one, other) => countIn(other) - countIn(one));
  const over = lists.filter((list) => isLaidOver(list, null));
  return own.find((list) => isLaidOver(list, element)) ?? own[0] ?? onlyOf(lists) ?? onlyOf(over) ?? aroundColumns(over);
};

/** What holds several lists beside each other, each with the parts of what is chosen in the one before it. */
const aroundColumns = (lists: readonly Element[]): Element | null => {
  const [around = null, ...others] = [...new Set(lists.map(outerOf))];
  return others.length === 0 ? around : null;
};

const onlyOf = ([only, ...more]: readonly Element[]): Element | null => (more.length === 0 ? (only ?? null) : null);

const countIn = (list: Element): number => withRole(['option'], list).length;

const LISTS = new Set(['listbox', 'menu', 'tree', 'grid']);

/** The elements that an element says it opens. */
const namedBy = (element: Element): Element[] => {
  const ids = ['aria-controls', 'aria-owns'].flatMap((name) => element.getAttribute(name)?.trim().split(/\s+/) ?? []);
  return ids.flatMap((id) => [treeOf(element), shadowOf(element)].flatMap((tree) => tree?.getElementById(id) ?? []));
};

export const listAt = (target: Target): Element => {
  const element = fieldMeant(target);
  return element instanceof HTMLOptionElement ? (element.closest('select') ?? element) : partOf(element);
};

/** Chooses exactly the named ones, if all of them can be chosen; what the list held before the page heard of it. */
export const chooseOptions = (list: HTMLSelectElement, values: readonly string[]): string => {
  const options = [...list.options];
  if (!list.multiple && values.length !== 1) throw new FaultError('TOOL_ARGUMENTS', 'This list takes exactly one value.');
  const wanted = new Set(values.map((value) => optionFor(list, options, value)));
  for (const option of options) if (list.multiple || wanted.has(option)) option.selected = wanted.has(option);
  const chosen = chosenIn(list);
  list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  list.dispatchEvent(new Event('change', { bubbles: true }));
  return chosen;
};

const optionFor = (list: HTMLSelectElement, options: readonly HTMLOptionElement[], text: string): HTMLOptionElement => {
  const found = namedOption(options, text);
  const namesakes =
    found === undefined || found.value === text || optionInGroup(options, text) === found ? [] : namesakesOf(found, options);
  if (found !== undefined && namesakes.length > 0) throw severalOptions(text, [found, ...namesakes]);
  if (found !== undefined && !isDisabled(found)) return found;
  if (found !== undefined) throw new FaultError('TOOL_ARGUMENTS', disabledOption(text));
  const like = options.filter(({ label }) => clean(label).toLowerCase().includes(clean(text).toLowerCase()));
  throw noOption(text, isSensitive(list) ? [] : like.length === 0 ? options : like);
};

const severalOptions = (text: string, found: readonly HTMLOptionElement[]): FaultError =>
  new FaultError(
    'TOOL_ARGUMENTS',
    `The list has "${text}" in ${found.length} groups: name the group, too, or the value.`,
    `options: ${optionNames(found)
      .slice(0, MAX_NAMED)
      .map((name) => `"${name}"`)
      .join(', ')}`,
  );

const noOption = (text: string, shown: readonly HTMLOptionElement[]): FaultError =>
  new FaultError('TOOL_ARGUMENTS', `The list has no option "${text}" that can be chosen.`, optionsTold(shown));

const optionsTold = (shown: readonly HTMLOptionElement[]): string => {
  const known = optionNames(shown)
    .slice(0, MAX_NAMED)
    .map((name) => `"${name}"`);
  return `options: ${known.join(', ')}${shown.length > MAX_NAMED ? ' …' : ''}`;
};

export const namedOption = (options: readonly HTMLOptionElement[], text: string): HTMLOptionElement | undefined => {
  const wanted = clean(text);
  return (
    options.find((candidate) => clean(candidate.label) === wanted) ??
    options.find((candidate) => candidate.value === text) ??
    options.find((candidate) => clean(candidate.label).toLowerCase() === wanted.toLowerCase()) ??
    optionInGroup(options, text)
  );
};

const chosenIn = (list: HTMLSelectElement): string => [...list.selectedOptions].map(({ index }) => index).join(' ');

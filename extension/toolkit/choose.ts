/** Choosing in a list of any kind, and reading back what it holds then. */
import { CompanionError } from '#protocol/errors.ts';
import type { Change, ListOptions, NotReady } from '#extension/content/api.ts';
import { disabledOption } from '#extension/shared/option-words.ts';
import { DialogOpenError, DocumentGoneError, PageError } from './page-error.ts';
import type { Aim, Page } from './page.ts';
import { pressChord } from './pressing.ts';
import { unchanged } from './receipt.ts';
import { typeInto } from './typing.ts';
import { clickWhenReady, whenReady } from './when-ready.ts';

/** How long a list may take to open. */
const OPENED_MS = 700;

/** How long what a choice has set off may take to bring another list its options. */
const BROUGHT_MS = 3_000;

type Option = ListOptions['options'][number];

/** Chooses exactly `values`; `kept` of the change says whether the page let them stand. */
export const chooseIn = async (page: Page, signal: AbortSignal, aim: Aim, values: readonly string[]): Promise<Change> => {
  const { frameId, target } = aim;
  const list = await page.ask('listOptions', { target }, frameId);
  if (list !== null) return new MadeList(page, signal, aim).choose(values, list);
  const select = (): Promise<Change> => whenReady(page, signal, () => page.ask('select', { target, values }, frameId));
  return select().catch(async (error: unknown) => {
    if (!(error instanceof CompanionError) || error.code !== 'TOOL_ARGUMENTS') throw error;
    // What was chosen before it may bring it other options.
    await page.calm(BROUGHT_MS);
    return select();
  });
};

/** How long a field may put off to look for what fits to a text, as until the last letter is typed. */
const PUT_OFF_MS = 1_000;
/** How long that may take in all. */
const SUGGESTED_MS = 1_500;

/**
 * Types a text into a field that suggests some, and chooses what it offers for that, if it is exactly the text: many such fields forget what was
 * only typed. What it has opened else is closed.
 */
export const typeAndChoose = async (page: Page, signal: AbortSignal, aim: Aim, text: string): Promise<Change> => {
  const type = (): Promise<Change> => typeInto(page, signal, aim, { text, isSlow: false, submits: false });
  const { value: typed, isOver } = await page.overAfter(type, PUT_OFF_MS, SUGGESTED_MS);
  if (typed.isLeaving || text === '') return typed;
  return { ...typed, ...(await chooseOffered(page, signal, aim, { text, isOver })) };
};

/** Null where the field has opened nothing. */
const chooseOffered = async (
  page: Page,
  signal: AbortSignal,
  aim: Aim,
  { text, isOver }: { readonly text: string; readonly isOver: boolean },
): Promise<Change | null> => {
  let list: ListOptions | null = null;
  // One that is open and empty is still being looked for, and some open only when they have found something.
  const look = async (): Promise<{ done: true } | NotReady> => {
    list = await page.ask('listOptions', { target: aim.target }, aim.frameId);
    if (isOver || list === null || (list.isOpen && list.options.length > 0)) return { done: true };
    return list.isOpen ? { notReady: 'it shows no options', isOftenBrief: true } : { notReady: 'it is closed' };
  };
  await whenReady(page, signal, look).catch(falseWhenNotReady);
  if (isOffering(list, text)) return new MadeList(page, signal, aim).choose([text], list);
  if (!isOpened(list)) return null;
  // What it has opened, as a calendar, lies over what comes next.
  await page.ask('closeList', { target: aim.target, isTyped: true }, aim.frameId);
  const change = await page.ask('receipt', { target: aim.target }, aim.frameId);
  return change.value === '' ? { ...change, kept: 'none' } : change;
};

const isOpened = (list: ListOptions | null): boolean => list?.isOpen === true;

const isOffering = (list: ListOptions | null, text: string): list is ListOptions => list?.isOpen === true && hasOption(list.options, text);

/** How often an option is pressed at most that was not pressed by that. Lists of which a part is drawn at a time draw that anew several times as they open. */
const TRIES: ReadonlyMap<string, number> = new Map([
  ['TARGET_NOT_FOUND', 6],
  ['TARGET_NOT_READY', 2],
]);

/** A list that a page made of elements: it is opened and its options are clicked, as a person does. */
class MadeList {
  readonly #page: Page;
  readonly #signal: AbortSignal;
  readonly #named: Aim;
  #aim: Aim;
  #hasOpened = false;
  /** Where a word was looked for that must not stay there if there is no such option. */
  #searched: number | null = null;
  /** Some say it only while they are open, and close with each choice. */
  #isForSeveral = false;
  /** Those that are drawn only where the list is scrolled to. */
  readonly #farther = new Set<string>();
  /** What is chosen is no option any more: one that is marked then is the one that a key would choose. */
  #leavesOutChosen = false;

  constructor(page: Page, signal: AbortSignal, aim: Aim) {
    this.#page = page;
    this.#signal = signal;
    this.#named = aim;
    this.#aim = aim;
  }

  async choose(values: readonly string[], first: ListOptions): Promise<Change> {
    // Words may fit to another field as soon as this one looks different.
    this.#aim = { frameId: this.#named.frameId, target: { ref: first.ref } };
    try {
      return await this.#chooseFrom(values, this.#known(first));
    } catch (error) {
      // What is open lies over what the caller turns to next; a page that is gone or stands still has nothing to close.
      if (this.#hasOpened && !isAway(error)) await this.#leave();
      throw error;
    }
  }

  async #chooseFrom(values: readonly string[], first: ListOptions): Promise<Change> {
    const sought = values.filter((value) => !isPiece(first, value));
    const isBegun = sought.length === 0 && (first.pieces.length > 0 || isEmpty(first));
    let list = isBegun ? first : await this.#begin(sought, first);
    if (values.length === 0 && list.isField && !isForSeveral(list) && !isEmpty(list)) return this.#emptyByKey(list);
    const path = pathIn(list, values);
    if (path !== null && !path.some((step) => this.#farther.has(step))) return this.#choosePath(path, list, first);
    if (!isForSeveral(list) && ((values.length === 0 && !isEmpty(list)) || (list.takes === 'one' && values.length > 1))) throw takesOne();
    const wanted = values.map((value) => (isPiece(list, value) ? value : this.#labelIn(list, value)));
    let change = await this.#takeAway(wanted, list);
    if (change !== null) list = (await this.#list()) ?? list;
    const others = list.takes === 'several' ? list.options.filter((option) => option.isSelected && !isNamed(wanted, option.label)) : [];
    const missing = wanted.length === 1 && !isForSeveral(list) ? wanted : wanted.filter((label) => !isChosen(list, label));
    let pressed: string | null = null;
    for (const label of [...others.map((option) => option.label), ...missing]) {
      // A page may draw its list anew with each choice, or close it.
      if (change !== null) list = (await this.#list()) ?? list;
      if (pressed !== null && !isForSeveral(list) && !list.isOpen) throw takesOne(` It has closed, and "${pressed}" is chosen in it now.`);
      if (isForSeveral(list) && isChosen(list, label) === isNamed(wanted, label)) continue;
      change = await this.#press(label, list).catch((error: unknown) => failAfter(change, error));
      pressed = label;
    }
    const left = await this.#replaceLeft(wanted, first);
    return this.#readBack(left.change ?? change, wanted, left.first);
  }

  /** Goes from one option to the next that it brings, as in a list that shows its parts column by column. */
  async #choosePath(path: readonly string[], shown: ListOptions, first: ListOptions): Promise<Change> {
    let change: Change | null = null;
    const gone: Option[] = [];
    for (const label of path) {
      const list: ListOptions =
        change === null ? shown : await this.#brought(label, gone).catch((error: unknown) => failAfter(change, error));
      gone.push(optionFor(list.options, label));
      change = await this.#press(label, list);
    }
    return this.#readBack(change, path.slice(-1), first);
  }

  /** The list with the next step of a way; a part may be called as what it is a part of. */
  #brought(label: string, gone: readonly Option[]): Promise<ListOptions> {
    const isGone = ({ ref, label: shown }: Option): boolean => gone.some((step) => step.ref === ref && step.label === shown);
    return whenReady(this.#page, this.#signal, async () => {
      const list = await this.#list();
      const options = (list?.options ?? []).filter((option) => !isGone(option));
      if (list !== null && hasOption(options, label)) return { done: { ...list, options } };
      return { notReady: `it brings no "${label}"`, fromPage: options.length === 0 ? '' : `options: ${named(options)}` };
    });
  }

  /** A field for several may keep what was chosen before, without anything to press for it: all is taken away by keys, and chosen anew. */
  async #replaceLeft(wanted: readonly string[], first: ListOptions): Promise<{ change: Change | null; first: ListOptions }> {
    const list = await this.#list();
    const isMore = list !== null && (list.isOpen || isForSeveral(list) || wanted.length > 1);
    if (!isMore || list.pieces.length > 0 || !keepsMore(list, wanted, first)) return { change: null, first };
    const emptied = await this.#wipe(list);
    if (emptied.beside === list.beside) return { change: null, first };
    let change: Change | null = null;
    for (const label of wanted)
      change = await this.#press(label, (await this.#list()) ?? emptied).catch((error: unknown) => failAfter(change, error));
    // What no key takes away was never chosen.
    return { change, first: { ...first, shown: '', beside: '' } };
  }

  /** Nothing is to be chosen any more in a field that shows its choice beside it. */
  async #emptyByKey(list: ListOptions): Promise<Change> {
    const emptied = list.shown === list.beside ? await this.#wipe(list) : list;
    if (emptied.beside === list.beside) throw takesOne();
    if (this.#hasOpened) await this.#close(true);
    const change = await this.#page.ask('receipt', { target: this.#aim.target }, this.#aim.frameId);
    return { ...change, value: emptied.beside, kept: 'whole' };
  }

  /** Takes away one choice after the other, the last of them first, by the key that does it in most fields without marks for it. */
  async #wipe(shown: ListOptions): Promise<ListOptions> {
    const { isField, search } = shown.isField || shown.search !== null ? shown : await this.#open().catch(() => shown);
    const ref = isField ? shown.ref : search;
    // What is left of a search would be deleted first.
    if (ref !== null && isField && shown.shown !== shown.beside) await this.#search('', ref);
    for (let list = shown; ref !== null;) {
      const begun = await this.#page.ask('beginPress', { target: { ref } }, this.#aim.frameId);
      if ('notReady' in begun) return list;
      await pressChord(this.#page, this.#aim.frameId, { key: 'Backspace', modifiers: [] }, 0);
      await this.#page.calm(OPENED_MS);
      const now = (await this.#list()) ?? list;
      if (now.beside === list.beside || now.beside === '') return now;
      list = now;
    }
    return shown;
  }

  /** Takes away what was chosen and is not wanted any more, piece by piece, as long as the page lets it. */
  async #takeAway(wanted: readonly string[], shown: ListOptions): Promise<Change | null> {
    let change: Change | null = null;
    const pressed: string[] = [];
    for (let list = shown; ;) {
      const [piece] = unwanted(list, wanted);
      if (piece === undefined || pressed.includes(piece.label)) return change;
      pressed.push(piece.label);
      if (piece.ref === null) {
        list = await this.#wipe(list);
        continue;
      }
      change = await clickWhenReady(this.#page, this.#signal, this.#aim.frameId, { ref: piece.ref });
      const look = async (): Promise<{ done: true } | NotReady> => {
        list = (await this.#list()) ?? list;
        return isPiece(list, piece.label) ? { notReady: 'it is still there' } : { done: true };
      };
      await whenReady(this.#page, this.#signal, look).catch(falseWhenNotReady);
    }
  }

  /** Presses an option, which is looked for anew where the list is drawn anew meanwhile. */
  async #press(label: string, shown: ListOptions): Promise<Change> {
    for (let list = shown, tries = 1; ; tries += 1) {
      if (list.isField && findOption(list.options, label) === undefined) list = await this.#suggest(label, list);
      else if (list.options.length === 0) list = await this.#openFor([label]);
      else if (findOption(list.options, label) === undefined) list = await this.#searchFor(label, list);
      const { ref } = optionFor(list.options, label);
      try {
        return await clickWhenReady(this.#page, this.#signal, this.#aim.frameId, { ref });
      } catch (error) {
        if (!(error instanceof CompanionError) || tries >= (TRIES.get(error.code) ?? 1)) throw error;
        list = (await this.#list()) ?? shown;
        // Some close when what was chosen before is taken away.
        if (isNotReady(error) && list.isOpen) throw error;
      }
    }
  }

  /** The list with what can be told of the values before one of them is chosen. A field shows others when something is typed in it. */
  async #begin(values: readonly string[], first: ListOptions): Promise<ListOptions> {
    const [next] = values;
    if (first.isField && next !== undefined && !hasOption(first.options, next)) {
      const list = first.isOpen ? null : await this.#pressField();
      return list !== null && hasOption(list.options, next) ? list : this.#suggest(next, list ?? first);
    }
    if (first.isField) return first.options.length > 0 ? first : this.#open();
    return first.options.length > 0 ? this.#scrolledFor(values, first) : this.#openFor(values);
  }

  /** The list once those that it draws only where it is scrolled to were looked for. */
  async #scrolledFor(values: readonly string[], shown: ListOptions): Promise<ListOptions> {
    if (pathIn(shown, values) !== null) return shown;
    let list = shown;
    for (const value of values) {
      if (!isIn(list, value)) {
        if (!(await this.#scrollTo(value))) continue;
        list = (await this.#list()) ?? list;
      }
      this.#farther.add(value);
    }
    return list;
  }

  /** Whether there is such an option, which is drawn then. */
  async #scrollTo(label: string): Promise<boolean> {
    const { isFound, share } = await this.#page.ask('seekOption', { target: this.#aim.target, label }, this.#aim.frameId);
    if (isFound || share >= 1) return isFound;
    const detail = `The list is too long to be looked through whole: no option "${label}" in ${Math.floor(share * 100)} % of it.`;
    throw new CompanionError('TOOL_ARGUMENTS', detail, { remedy: FARTHER });
  }

  /** What a field shows when it is pressed: not all look for what is typed, and some take it for a choice. */
  async #pressField(): Promise<ListOptions | null> {
    this.#hasOpened = true;
    try {
      await clickWhenReady(this.#page, this.#signal, this.#aim.frameId, this.#aim.target);
      await this.#page.calm(OPENED_MS);
      return (await this.#list())?.isOpen === true ? await this.#shown() : null;
    } catch (error) {
      if (isNotReady(error)) return null;
      throw error;
    }
  }

  #labelIn({ options, isField, search }: ListOptions, value: string): string {
    return (isField || search !== null || this.#farther.has(value)) && findOption(options, value) === undefined
      ? value
      : optionFor(options, value).label;
  }

  async #readBack(change: Change | null, wanted: readonly string[], first: ListOptions): Promise<Change> {
    const { after, isKept } = await this.#kept(wanted, first);
    // Some open as soon as what was chosen is taken away.
    if (this.#hasOpened || (after?.isOpen === true && !first.isOpen)) await this.#close(wanted.length > 1);
    // What is told later is told of the list, too, and not of the option that was clicked.
    const { element } = await this.#page.ask('receipt', { target: this.#aim.target }, this.#aim.frameId);
    const isInPieces = isKept && after !== null && (wanted.length === 0 || after.pieces.length > 0);
    // Not all are in pieces yet, or have room.
    const isListed = isInPieces && after.pieces.length === wanted.length && unwanted(after, wanted).length === 0;
    const pieces = isListed ? after.pieces.map(({ label }) => label) : wanted;
    const value = isInPieces ? pieces.join(', ') : after === null ? null : heldBy(after, wanted, isKept);
    // A word by which one was looked for is no value of the field.
    const { value: written, ...rest } = element;
    const isSearch =
      after?.isField === true && after.isOpen && after.beside !== '' && wanted.every((label) => after.beside.includes(label));
    const told = written !== undefined && isSearch ? rest : element;
    return { ...(change ?? unchanged(element)), element: told, value, kept: isKept ? 'whole' : 'other' };
  }

  /** What the list shows in the end: some pages write what was chosen a moment after the click. */
  async #kept(wanted: readonly string[], first: ListOptions): Promise<{ after: ListOptions | null; isKept: boolean }> {
    let after: ListOptions | null = null;
    const look = async (): Promise<{ done: true } | NotReady> => {
      after = await this.#list();
      const isKept = after !== null && holds(after, wanted, first);
      return isKept ? { done: true } : { notReady: 'it shows others', isOftenBrief: true };
    };
    const isKept = await whenReady(this.#page, this.#signal, look).catch(falseWhenNotReady);
    return { after, isKept };
  }

  /** A list that this call has opened does not lie over what comes next. One for a single choice mostly closes by itself, though not always at once. */
  async #close(takesMore: boolean): Promise<void> {
    const look = async (): Promise<{ done: ListOptions | null } | NotReady> => {
      const list = await this.#list();
      return list?.isOpen === true && list.takes !== 'several' && !takesMore ? { notReady: 'it is open' } : { done: list };
    };
    const isOpen = await whenReady(this.#page, this.#signal, look).then(
      (list) => list?.isOpen === true,
      (error: unknown) => {
        if (isNotReady(error)) return true;
        throw error;
      },
    );
    if (isOpen) await this.#page.ask('closeList', { target: this.#aim.target, isTyped: false }, this.#aim.frameId);
  }

  /** Without what was to be looked for, by which the list would be short when it is opened the next time. */
  async #leave(): Promise<void> {
    // What has gone with the list holds nothing.
    if (this.#searched !== null) await this.#search('', this.#searched).catch(() => null);
    await this.#close(true);
  }

  async #list(): Promise<ListOptions | null> {
    const ask = (): Promise<ListOptions | null> => this.#page.ask('listOptions', { target: this.#aim.target }, this.#aim.frameId);
    const list = await ask().catch((error: unknown) => {
      if (!(error instanceof CompanionError) || error.code !== 'TARGET_NOT_FOUND') throw error;
      // It was drawn anew.
      this.#aim = this.#named;
      return ask();
    });
    return list === null ? null : this.#known(list);
  }

  /** The list with what it has told of itself before. */
  #known(list: ListOptions): ListOptions {
    this.#isForSeveral ||= list.takes === 'several';
    this.#leavesOutChosen ||= leavesOutChosen(list);
    const options = this.#leavesOutChosen ? list.options.map((option) => ({ ...option, isSelected: false })) : list.options;
    return { ...list, options, takes: this.#isForSeveral ? 'several' : list.takes };
  }

  /** Opens the list, and waits for what it is still looking for: some show first that they do. */
  async #openFor(values: readonly string[]): Promise<ListOptions> {
    let list = await this.#open();
    const look = async (): Promise<{ done: ListOptions } | NotReady> => {
      list = (await this.#list()) ?? list;
      const isThere = pathIn(list, values) !== null || values.every((value) => isIn(list, value));
      return isThere ? { done: list } : { notReady: 'it has others' };
    };
    const opened = await whenReady(this.#page, this.#signal, look).catch((error: unknown) => {
      if (isNotReady(error)) return list;
      throw error;
    });
    if (pathIn(opened, values) !== null) return opened;
    const [sought] = values.filter((value) => !isIn(opened, value));
    if (sought === undefined) return opened;
    return opened.search === null ? this.#scrolledFor(values, opened) : this.#searchFor(sought, opened);
  }

  /** Looks for an option with the field that has opened with the list, if one has. */
  async #searchFor(label: string, shown: ListOptions): Promise<ListOptions> {
    if (shown.search === null) return (await this.#scrollTo(label)) ? ((await this.#list()) ?? shown) : shown;
    await this.#search(label, shown.search);
    const look = async (): Promise<{ done: ListOptions } | NotReady> => {
      const list = (await this.#list()) ?? shown;
      const options = list.options.length === 0 ? '' : `options: ${named(list.options)}`;
      return findOption(list.options, label) === undefined
        ? { notReady: 'the list has found nothing that is called so', fromPage: options, remedy: ANOTHER }
        : { done: list };
    };
    return whenReady(this.#page, this.#signal, look);
  }

  async #search(text: string, ref: number): Promise<void> {
    const aim = { frameId: this.#aim.frameId, target: { ref } };
    this.#searched = text === '' ? null : ref;
    await typeInto(this.#page, this.#signal, aim, { text, submits: false, isSlow: false });
    // What a page does with it a while later would open the list again.
    await this.#page.calm(OPENED_MS);
  }

  async #open(): Promise<ListOptions> {
    this.#hasOpened = true;
    await clickWhenReady(this.#page, this.#signal, this.#aim.frameId, this.#aim.target);
    try {
      return await this.#shown();
    } catch (error) {
      if (!isNotReady(error)) throw error;
    }
    const list = await this.#list();
    if (list !== null && list.search !== null) return list;
    await this.#openByKey();
    return this.#shown();
  }

  /** Some lists open by a key only. */
  async #openByKey(): Promise<void> {
    const begun = await this.#page.ask('beginPress', { target: this.#aim.target }, this.#aim.frameId);
    if (!('notReady' in begun)) await pressChord(this.#page, this.#aim.frameId, { key: 'ArrowDown', modifiers: [] }, 0);
  }

  #shown(): Promise<ListOptions> {
    return whenReady(this.#page, this.#signal, async () => {
      const list = await this.#list();
      return list === null || list.options.length === 0 ? { notReady: 'it shows no options', remedy: BY_HAND } : { done: list };
    });
  }

  /** The options that a field shows for a text, or without one: some look for other words than their options say. */
  async #suggest(text: string, first: ListOptions): Promise<ListOptions> {
    this.#hasOpened = true;
    const suggested = async (typed: string): Promise<ListOptions> => {
      await this.#search(typed, first.ref);
      if (typed === '' && (await this.#list())?.isOpen === false) await this.#openByKey();
      return whenReady(this.#page, this.#signal, async () => {
        const list = await this.#list();
        const found = list === null ? undefined : findOption(list.options, text);
        if (found?.isDisabled === true) throw new CompanionError('TOOL_ARGUMENTS', disabledOption(text));
        if (list !== null && found !== undefined) return { done: list };
        const options = list === null || list.options.length === 0 ? '' : `options: ${named(list.options)}`;
        return { notReady: 'the field suggests nothing that is called so', fromPage: options, remedy: ANOTHER };
      });
    };
    return suggested(text).catch((error: unknown) => {
      if (!isNotReady(error)) throw error;
      // What it suggests for the text tells more than what it suggests without one.
      return suggested('').catch((later: unknown) => {
        throw isNotReady(later) ? error : later;
      });
    });
  }
}

const takesOne = (so = ''): CompanionError => new CompanionError('TOOL_ARGUMENTS', `This list takes exactly one value.${so}`);

/** Pieces beside a field are of several choices, also where the list says nothing of them. */
const isForSeveral = ({ takes, pieces }: ListOptions): boolean => takes === 'several' || pieces.length > 0;

/** Nothing stands in the field, nor beside it. */
const isEmpty = ({ isField, shown }: ListOptions): boolean => isField && shown === '';

const isNamed = (labels: readonly string[], label: string): boolean =>
  labels.some((other) => other.trim().toLowerCase() === label.trim().toLowerCase());

const isPiece = ({ pieces }: ListOptions, label: string): boolean =>
  isNamed(
    pieces.map((piece) => piece.label),
    label,
  );

const unwanted = ({ pieces }: ListOptions, wanted: readonly string[]): ListOptions['pieces'] =>
  pieces.filter(({ label }) => !isNamed(wanted, label));

/** Whether it can be chosen, or is. */
const isIn = (list: ListOptions, label: string): boolean => isPiece(list, label) || findOption(list.options, label) !== undefined;

/**
 * The steps of a way such as "Asia / Japan", of which a list shows the first; null where it is no way. What is a branch of a tree is chosen itself
 * where it is pressed, and without spaces between them, or one by one, only what is known to lead on is a step.
 */
const pathIn = ({ options }: ListOptions, values: readonly string[]): readonly string[] | null => {
  const [value = '', ...more] = values;
  const isEach = more.length > 0;
  const steps = isEach ? values : value.split(/\s*[/>›»→]\s*/);
  const [begin = '', ...others] = steps;
  const first = findOption(options, begin);
  if (others.length === 0 || steps.includes('') || first === undefined || first.isDisabled || first.leads === 'within') return null;
  if (first.leads !== 'on' && (isEach || !/\s[/>›»→]\s/.test(value))) return null;
  const isOption = isEach ? others.some((step) => findOption(options, step) !== undefined) : findOption(options, value) !== undefined;
  return isOption ? null : steps;
};

/** Some lists mark the option that a key would choose as others mark what is chosen: only one that says that it takes several is believed. */
const isChosen = (list: ListOptions, label: string): boolean =>
  isPiece(list, label) || (list.takes === 'several' && findOption(list.options, label)?.isSelected === true);

const leavesOutChosen = ({ pieces, options }: ListOptions): boolean =>
  pieces.length > 0 && options.length > 0 && pieces.every(({ label }) => findOption(options, label) === undefined);

/** Whether a list holds what was chosen. One that marks none of its options shows them where it is closed. */
const holds = (list: ListOptions, wanted: readonly string[], first: ListOptions): boolean => {
  const isRight = ({ label, isSelected }: Option): boolean => isNamed(wanted, label) === isSelected;
  const isOffered = list.options.length === 0 || wanted.every((label) => findOption(list.options, label) !== undefined);
  if (isOffered && isOfAll(list.pieces, wanted)) return true;
  if (list.pieces.length > 0) {
    if (unwanted(list, wanted).length > 0) return false;
    return wanted.every((label) => isChosen(list, label)) || list.pieces.length + countedIn(list) === wanted.length;
  }
  if (list.takes === 'several' && list.options.length > 0) return list.options.every(isRight);
  if (wanted.length === 0) return first.pieces.length > 0 || list.takes === 'several' || isEmpty(list);
  const isShown = wanted.every((label) => toldBy(list, wanted).includes(label));
  const marks = list.options.some(({ isSelected }) => isSelected);
  if (wanted.length > 1) return (isShown && !keepsMore(list, wanted, first)) || (marks && list.options.every(isRight));
  // Some mark the option that a key would choose.
  return marks ? list.options.every(isRight) || (isShown && without(wanted, toldBy(list, wanted)) === '') : isShown;
};

/** One cross may stand beside all that is chosen, or beside its number. */
const isOfAll = ([piece, ...others]: ListOptions['pieces'], wanted: readonly string[]): boolean => {
  if (piece === undefined || others.length > 0 || wanted.length === 0) return false;
  const isAll = wanted.every((label) => piece.label.includes(label)) && !/\p{L}/u.test(without(wanted, piece.label));
  return isAll || piece.label === String(wanted.length);
};

/** What a list tells of its choice: a field may still hold a word by which it looked for one, and what is always open marks its options alone. */
const toldBy = ({ beside, shown, options }: ListOptions, wanted: readonly string[]): string => {
  if (wanted.length > 0 && wanted.every((label) => beside.includes(label))) return beside;
  return shown === '' ? options.flatMap(({ isSelected, label }) => (isSelected ? label : [])).join(', ') : shown;
};

/** What it holds, also where it still shows what it held before. */
const heldBy = (list: ListOptions, wanted: readonly string[], isKept: boolean): string => {
  const told = toldBy(list, wanted);
  return isKept && !wanted.every((label) => told.includes(label)) ? wanted.join(', ') : told;
};

/** How many more are chosen than a field has room for, as it counts them: "+ 2 ...". */
const countedIn = ({ shown }: ListOptions): number => Number(/(?:^|\s)\+\s?(\d{1,4})(?!\S*[\p{L}\d])/u.exec(shown)?.[1] ?? 0);

/** Whether it still shows what it showed before, beside what was to be all. */
const keepsMore = (list: ListOptions, wanted: readonly string[], first: ListOptions): boolean => {
  const isMore = (now: string, then: string): boolean => {
    const before = without(wanted, then);
    return before !== '' && wanted.every((label) => now.includes(label)) && without(wanted, now).includes(before);
  };
  return isMore(list.beside, first.beside) || isMore(list.shown, first.shown);
};

const without = (labels: readonly string[], shown: string): string =>
  labels
    .reduce((left, label) => left.replace(label, ' '), shown)
    .replaceAll(/\s+/g, ' ')
    .trim();

const FARTHER = 'Open the list with browser_click, bring the option to light with browser_scroll on one that is shown, and click it.';
const BY_HAND = 'Open it as a person would, with browser_click or keys by browser_press_key, then click the option.';
const BRANCHES = 'What is in a branch is there once that is open: open the list and the branch with browser_click, then click the option.';
const ANOTHER = 'Type a part of it with browser_type, then click what the field suggests, or press Enter where it takes words of your own.';

/** What was chosen before stays chosen, which a model must know. */
const failAfter = (change: Change | null, error: unknown): never => {
  if (change === null || !(error instanceof CompanionError) || isAway(error)) throw error;
  const detail = `${error.detail} Of the values some are chosen already: browser_snapshot shows them.`;
  throw new PageError(error.code, detail, error instanceof PageError ? error.fromPage : '', { remedy: error.remedy });
};

const isAway = (error: unknown): boolean => error instanceof DocumentGoneError || error instanceof DialogOpenError;

const falseWhenNotReady = (error: unknown): false => {
  if (isNotReady(error)) return false;
  throw error;
};

const isNotReady = (error: unknown): boolean => error instanceof CompanionError && error.code === 'TARGET_NOT_READY';

const findOption = (options: readonly Option[], value: string): Option | undefined => {
  const wanted = value.trim().toLowerCase();
  return (
    options.find(({ label }) => label.toLowerCase() === wanted) ??
    options.find((option) => option.value === value || option.name.toLowerCase() === wanted)
  );
};

const hasOption = (options: readonly Option[], value: string): boolean => findOption(options, value)?.isDisabled === false;

const optionFor = (options: readonly Option[], value: string): Option => {
  const found = findOption(options, value);
  if (found?.isDisabled === false) return found;
  if (found !== undefined) throw new CompanionError('TOOL_ARGUMENTS', disabledOption(value));
  const more = options.some(({ leads }) => leads === 'within') ? { remedy: BRANCHES } : {};
  throw new PageError('TOOL_ARGUMENTS', `The list has no option "${value}" that can be chosen.`, `options: ${named(options)}`, more);
};

const named = (options: readonly Option[]): string =>
  options
    .slice(0, 30)
    .map(({ label }) => `"${label}"`)
    .join(', ');

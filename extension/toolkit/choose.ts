/** Choosing in a list of any kind, and reading back what it holds then. */
import { CompanionError } from '#protocol/errors.ts';
import type { Change, ListOptions, NotReady } from '#extension/content/api.ts';
import { disabledOption } from '#extension/shared/option-words.ts';
import { PageError } from './page-error.ts';
import type { Aim, Page } from './page.ts';
import { pressChord } from './pressing.ts';
import { unchanged } from './receipt.ts';
import { typeInto } from './typing.ts';
import { clickWhenReady, whenReady } from './when-ready.ts';

type Option = ListOptions['options'][number];

/** Chooses exactly `values`; `kept` of the change says whether the page let them stand. */
export const chooseIn = async (page: Page, signal: AbortSignal, aim: Aim, values: readonly string[]): Promise<Change> => {
  const { frameId, target } = aim;
  const list = await page.ask('listOptions', { target }, frameId);
  return list === null
    ? whenReady(page, signal, () => page.ask('select', { target, values }, frameId))
    : new MadeList(page, signal, aim).choose(values, list);
};

/** A list that a page made of elements: it is opened and its options are clicked, as a person does. */
class MadeList {
  readonly #page: Page;
  readonly #signal: AbortSignal;
  readonly #aim: Aim;

  constructor(page: Page, signal: AbortSignal, aim: Aim) {
    this.#page = page;
    this.#signal = signal;
    this.#aim = aim;
  }

  async choose(values: readonly string[], first: ListOptions): Promise<Change> {
    const [only, ...others] = values;
    const suggests = first.isField && only !== undefined && others.length === 0 && !hasOption(first.options, only);
    let list = suggests ? await this.#suggest(only) : first.options.length > 0 ? first : await this.#openFor(values);
    if (!list.isMultiple && values.length !== 1) throw new CompanionError('TOOL_ARGUMENTS', 'This list takes exactly one value.');
    const wanted = values.map((value) => optionFor(list.options, value).label);
    const isRight = ({ label, isSelected }: Option): boolean => wanted.includes(label) === isSelected;
    const wrong = list.options.filter((option) => (list.isMultiple ? !isRight(option) : option.label === wanted[0]));
    let change: Change | null = null;
    for (const { label } of wrong) {
      // A page may draw its list anew with each choice, or close it.
      if (change !== null) list = (await this.#list()) ?? list;
      if (list.options.length === 0) list = first.isField ? await this.#suggest(label) : await this.#open();
      const option = optionFor(list.options, label);
      if (list.isMultiple && isRight(option)) continue;
      change = await this.#click(option.ref);
    }
    return this.#readBack(change, wanted, isRight);
  }

  async #readBack(change: Change | null, wanted: readonly string[], isRight: (option: Option) => boolean): Promise<Change> {
    const { after, isKept } = await this.#kept(wanted, isRight);
    // What is told later is told of the list, too, and not of the option that was clicked.
    const { element } = await this.#page.ask('receipt', { target: this.#aim.target }, this.#aim.frameId);
    return { ...(change ?? unchanged(element)), element, value: after?.shown ?? null, kept: isKept ? 'whole' : 'other' };
  }

  /** What the list shows in the end: some pages write what was chosen a moment after the click. */
  async #kept(wanted: readonly string[], isRight: (option: Option) => boolean): Promise<{ after: ListOptions | null; isKept: boolean }> {
    let after: ListOptions | null = null;
    const look = async (): Promise<{ done: true } | NotReady> => {
      after = await this.#list();
      const tells = after !== null && (after.isMultiple || after.options.some(({ isSelected }) => isSelected));
      const isKept = tells ? after?.options.every(isRight) : wanted.every((label) => after?.shown.includes(label));
      return isKept === true ? { done: true } : { notReady: 'it shows others', isOftenBrief: true };
    };
    const isKept = await whenReady(this.#page, this.#signal, look).catch((error: unknown) => {
      if (isNotReady(error)) return false;
      throw error;
    });
    return { after, isKept };
  }

  #list(): Promise<ListOptions | null> {
    return this.#page.ask('listOptions', { target: this.#aim.target }, this.#aim.frameId);
  }

  /** Opens the list, and waits for what it is still looking for: some show first that they do. */
  async #openFor(values: readonly string[]): Promise<ListOptions> {
    let list = await this.#open();
    const look = async (): Promise<{ done: ListOptions } | NotReady> => {
      list = (await this.#list()) ?? list;
      return values.every((value) => findOption(list.options, value) !== undefined) ? { done: list } : { notReady: 'it has others' };
    };
    return whenReady(this.#page, this.#signal, look).catch((error: unknown) => {
      if (isNotReady(error)) return list;
      throw error;
    });
  }

  async #open(): Promise<ListOptions> {
    await clickWhenReady(this.#page, this.#signal, this.#aim.frameId, this.#aim.target);
    try {
      return await this.#shown();
    } catch (error) {
      if (!isNotReady(error)) throw error;
    }
    // Some lists open by a key only.
    const begun = await this.#page.ask('beginPress', { target: this.#aim.target }, this.#aim.frameId);
    if (!('notReady' in begun)) await pressChord(this.#page, this.#aim.frameId, { key: 'ArrowDown', modifiers: [] }, 0);
    return this.#shown();
  }

  #shown(): Promise<ListOptions> {
    return whenReady(this.#page, this.#signal, async () => {
      const list = await this.#list();
      return list === null || list.options.length === 0 ? { notReady: 'it shows no options', remedy: BY_HAND } : { done: list };
    });
  }

  /** The options that a field shows for a text. */
  async #suggest(text: string): Promise<ListOptions> {
    await typeInto(this.#page, this.#signal, this.#aim, { text, submits: false, isSlow: false });
    return whenReady(this.#page, this.#signal, async () => {
      const list = await this.#list();
      if (list !== null && hasOption(list.options, text)) return { done: list };
      const options = list === null || list.options.length === 0 ? '' : `options: ${named(list.options)}`;
      return { notReady: 'the field, in which it was typed, suggests nothing that is called so', fromPage: options, remedy: ANOTHER };
    });
  }

  #click(ref: number): Promise<Change> {
    return clickWhenReady(this.#page, this.#signal, this.#aim.frameId, { ref });
  }
}

const BY_HAND = 'Open it as a person would, with browser_click or keys by browser_press_key, then click the option.';
const ANOTHER = 'Type a part of it with browser_type, then click what the field suggests.';

const isNotReady = (error: unknown): boolean => error instanceof CompanionError && error.code === 'TARGET_NOT_READY';

const findOption = (options: readonly Option[], value: string): Option | undefined => {
  const wanted = value.trim().toLowerCase();
  return options.find(({ label }) => label.toLowerCase() === wanted) ?? options.find((option) => option.value === value);
};

const hasOption = (options: readonly Option[], value: string): boolean => findOption(options, value)?.isDisabled === false;

const optionFor = (options: readonly Option[], value: string): Option => {
  const found = findOption(options, value);
  if (found?.isDisabled === false) return found;
  if (found !== undefined) throw new CompanionError('TOOL_ARGUMENTS', disabledOption(value));
  throw new PageError('TOOL_ARGUMENTS', `The list has no option "${value}" that can be chosen.`, `options: ${named(options)}`);
};

const named = (options: readonly Option[]): string =>
  options
    .slice(0, 30)
    .map(({ label }) => `"${label}"`)
    .join(', ');

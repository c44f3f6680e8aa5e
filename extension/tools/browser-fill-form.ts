import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { counted } from '#protocol/counted.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Change, FieldKind, GroupedBox, NotReady, SnapNode, Target } from '#extension/content/api.ts';
import { actOn } from '#extension/toolkit/acting.ts';
import { describeAim, targetField, toAim } from '#extension/toolkit/aim.ts';
import { chooseIn, typeAndChoose } from '#extension/toolkit/choose.ts';
import { DialogOpenError, DocumentGoneError, PageError, goneWhenChanged } from '#extension/toolkit/page-error.ts';
import type { Aim, Page } from '#extension/toolkit/page.ts';
import { receiptResult, unchanged } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';
import { typeInto } from '#extension/toolkit/typing.ts';
import { clickWhenReady, whenReady } from '#extension/toolkit/when-ready.ts';

const Field = z.strictObject({
  target: targetField,
  value: z
    .union([z.string(), z.boolean(), z.number(), z.array(z.string())])
    .describe('Text, option(s), number, or true and false for a box'),
});
type Field = z.infer<typeof Field>;

/** Fills several fields of any kind, one after the other, and says what each holds then. */
export const browserFillForm = defineTool({
  name: 'browser_fill_form',
  title: 'Fill fields of a form',
  description: 'Fill several fields at once: text, checkbox, radio, combobox, slider.',
  input: z.strictObject({ fields: z.array(Field).min(1).max(100).describe('In order'), tabId }),
  parts: { tab: 'tabId' },
  target: ({ fields }) => fields[0]?.target ?? '',
  toolClass: 'write',
  scope: 'page',
  timeoutMs: 60_000,
  describe: async ({ fields }, page) => {
    frameOf(fields);
    const lines = [];
    for (const [index, { target, value }] of fields.entries()) {
      const aim = toAim(target);
      // The page may show it only when those before it are filled.
      const isKnown = index === 0 || (await mayBeThere(page, aim));
      lines.push(
        ...(isKnown ? await describeAim(aim, undefined, page) : [toolLine('line_agent', target)]),
        toolLine('line_value', linesOf(value)),
      );
    }
    return lines;
  },
  run: async ({ fields }, { page, signal }) => {
    const frameId = frameOf(fields);
    const { url } = await page.info(frameId);
    const filling = new Filling(page, signal, frameId);
    const acted = await actOn(page, frameId, () => filling.fill(fields));
    if (acted.looksOther === true && acted.loaded === null && page.openDialog() === null) await filling.lookAgain();
    const value = acted.value === null ? null : filling.sum(acted.value);
    return receiptResult(filling.words(fields.length), url, frameId, { ...acted, value }, filling.elements);
  },
});

/** A call is allowed for one document. */
const frameOf = (fields: readonly Field[]): number => {
  const frames = new Set(fields.map(({ target }) => toAim(target).frameId));
  const [frameId = 0] = frames;
  if (frames.size === 1) return frameId;
  throw new CompanionError('TOOL_ARGUMENTS', 'The fields are in several frames; use a call for each frame.');
};

/** One with a ref was there a moment ago. */
const mayBeThere = async (page: Page, { target, frameId }: Aim): Promise<boolean> =>
  !('selector' in target) || page.ask('isThere', { selector: target.selector }, frameId);

/** A field that is to be filled. */
interface Asked {
  readonly field: Field;
  /** From 1. */
  readonly number: number;
  /** What means it; the second one finds what a page has put in the place of one with a ref. */
  readonly aims: readonly Aim[];
  /** What one with a ref is called. */
  readonly name: string;
}

/** How long what was filled may take to bring the next field. */
const BRINGS_MS = 3_000;

type Toggle = Extract<FieldKind, { readonly by: 'click' }>;

/** A form on the way from the first field to the last. */
class Filling {
  readonly #page: Page;
  readonly #signal: AbortSignal;
  readonly #frameId: number;
  /** By the numbers of their fields, in the order in which these were filled. */
  readonly #changes = new Map<number, Change>();
  readonly #notTaken = new Set<number>();
  readonly #changedSince = new Set<number>();

  constructor(page: Page, signal: AbortSignal, frameId: number) {
    this.#page = page;
    this.#frameId = frameId;
    this.#signal = signal;
  }

  /** Those that were filled, as they are now. Some lists show what was chosen in them beside their field alone. */
  get elements(): readonly SnapNode[] {
    const inOrder = [...this.#changes].toSorted(([one], [other]) => one - other);
    return inOrder.map(([, { element, value }]) =>
      element.value === undefined && value !== null && value !== '' ? { ...element, value } : element,
    );
  }

  get #last(): Change | undefined {
    return [...this.#changes.values()].at(-1);
  }

  /** What changed with the last of them, after which the page comes to rest. Some fields are there only when others are filled. */
  async fill(fields: readonly Field[]): Promise<Change> {
    const asked = await Promise.all(fields.map((field, index) => this.#asked(field, index + 1)));
    let left = await this.#fillEach(asked, fields.length);
    while (left.length > 0 && this.#last?.isLeaving !== true) {
      const missing = await this.#fillEach(left, fields.length);
      const [next, ...others] = missing;
      const isAwaited = next !== undefined && missing.length === left.length;
      // It is waited for, and told of where it does not come.
      if (isAwaited) await this.#fillOne(next, toAim(next.field.target)).catch((error: unknown) => this.#fail(error, next, fields.length));
      left = isAwaited ? others : missing;
    }
    return this.#last ?? unchanged({ role: 'generic' });
  }

  async #asked(field: Field, number: number): Promise<Asked> {
    const aim = toAim(field.target);
    const { target, frameId } = aim;
    if (number === 1 || !('ref' in target)) return { field, number, aims: [aim], name: '' };
    const { role, name = '' } = await this.#page.ask('describe', { target }, frameId).catch(unknownWhenGone);
    const selector = `role=${role}[name=${JSON.stringify(name)}]`;
    return { field, number, aims: name === '' ? [aim] : [aim, { frameId, target: { selector } }], name };
  }

  /** Fills those that are there, and gives the others. */
  async #fillEach(asked: readonly Asked[], count: number): Promise<Asked[]> {
    const missing: Asked[] = [];
    for (const one of asked) {
      if (this.#last?.isLeaving === true) break;
      if (!(await this.#fillThere(one, count))) missing.push(one);
    }
    return missing;
  }

  /** False where it is not there, also once the page has done what the last one has led to. */
  async #fillThere(asked: Asked, count: number): Promise<boolean> {
    for (const isLast of [false, true]) {
      for (const aim of asked.aims) if (await this.#tryAt(aim, asked, count)) return true;
      if (!isLast) await this.#page.calm(BRINGS_MS);
    }
    return false;
  }

  async #tryAt(aim: Aim, asked: Asked, count: number): Promise<boolean> {
    if (asked.number > 1 && !(await mayBeThere(this.#page, aim))) return false;
    if ('ref' in aim.target && (await this.#meansOther(aim, asked))) return false;
    return this.#fillOne(asked, aim).then(
      () => true,
      (error: unknown) => {
        // Several may fit to what the page has put in the place of one with a ref.
        if (asked.number > 1 && isNotFound(error) && ('ref' in aim.target || asked.aims.length > 1)) return false;
        return this.#fail(error, asked, count);
      },
    );
  }

  /** Whether a ref means another field by now, and what was meant is elsewhere: a page may sort its rows anew with the same elements. */
  async #meansOther({ target, frameId }: Aim, { aims, name }: Asked): Promise<boolean> {
    const [, elsewhere] = aims;
    if (elsewhere === undefined || this.#changes.size === 0) return false;
    const now = await this.#page.ask('describe', { target }, frameId).catch(unknownWhenGone);
    return now.name !== undefined && now.name !== name && (await mayBeThere(this.#page, elsewhere));
  }

  async #fillOne({ field, number }: Asked, aim: Aim): Promise<void> {
    const change = await this.#putInto(aim, field);
    await this.#noteSince(change.fields);
    this.#changes.set(number, change);
    if (change.kept !== undefined && change.kept !== 'whole') this.#notTaken.add(number);
  }

  /** What the page has made of the values since. */
  async lookAgain(): Promise<void> {
    for (const [number, change] of this.#changes) {
      const { ref } = change.element;
      const element = ref === undefined ? null : await this.#page.ask('describe', { target: { ref } }, this.#frameId).catch(() => null);
      // One that has gone meanwhile is told as it was.
      if (element !== null) await this.#retell(number, element);
    }
  }

  /** Filling a field may change one that was filled before it: many look at what they hold when the focus leaves them. */
  async #noteSince(fields: readonly SnapNode[]): Promise<void> {
    for (const field of fields) {
      const number = this.#numberOf(field);
      if (number !== undefined) await this.#retell(number, field);
    }
  }

  #numberOf({ ref }: SnapNode): number | undefined {
    return [...this.#changes].findLast(([, { element }]) => element.ref === ref)?.[0];
  }

  async #retell(number: number, told: SnapNode): Promise<void> {
    const change = this.#changes.get(number);
    if (change === undefined) return;
    const element = await this.#withShown(told, change.element.value ?? change.value);
    // One that told nothing by itself holds what was chosen in it.
    this.#changes.set(number, { ...change, element, value: change.element.value === undefined ? change.value : null });
    // Some lists show late what was chosen in them, and other words of theirs before that.
    const { value } = change.element;
    const isOther = value !== undefined && element.value !== value && element.value !== change.value;
    if (isOther && !this.#notTaken.has(number)) this.#changedSince.add(number);
  }

  /** Some comboboxes show beside them what was chosen, and are empty themselves, as soon as the focus has left them. */
  async #withShown(element: SnapNode, held: string | null): Promise<SnapNode> {
    const { ref, role, value } = element;
    if (held === null || held === '' || ref === undefined || role !== 'combobox' || value !== undefined) return element;
    const list = await this.#page.ask('listOptions', { target: { ref } }, this.#frameId).catch(() => null);
    return list?.shown.includes(held) === true ? { ...element, value: held } : element;
  }

  words(count: number): string {
    const filled = this.#changes.size;
    const notTaken = Array.from(this.#notTaken, (number) => ` The page did not take the value of field ${number} as it was.`);
    const changed = Array.from(this.#changedSince, (number) => ` The page has changed field ${number} since.`);
    const kept = [...notTaken, ...changed].join('');
    return filled === count
      ? `Filled ${counted(count, 'field')}.${kept}`
      : `Filled ${filled} of ${counted(count, 'field')}, then the page moved on.${kept}`;
  }

  async #putInto(named: Aim, { value }: Field): Promise<Change> {
    const { frameId } = named;
    const words = typeof value === 'boolean' ? {} : { named: linesOf(value) };
    const [kind] = await Promise.all([this.#page.ask('fieldKind', { target: named.target, ...words }, frameId), this.#page.beginPart()]);
    const aim: Aim = kind.ref === undefined ? named : { frameId, target: { ref: kind.ref } };
    const { target } = aim;
    const choose = (): Promise<Change> =>
      chooseIn(this.#page, this.#signal, aim, Array.isArray(value) ? value : linesOf(value).split('\n'));
    const type = (): Promise<Change> => typeInto(this.#page, this.#signal, aim, { text: linesOf(value), isSlow: false, submits: false });
    switch (kind.by) {
      case 'text':
        return type();
      case 'suggestions':
        // No text, nor several, are typed as one, and what is chosen already would be typed once more.
        return (Array.isArray(value) && value.length !== 1) || (await this.#isChosen(aim, linesOf(value)))
          ? choose()
          : typeAndChoose(this.#page, this.#signal, aim, linesOf(value));
      case 'options':
        return choose();
      case 'slider':
        return whenReady(this.#page, this.#signal, () => this.#page.ask('slide', { target, value: toNumber(value) }, frameId));
      case 'click':
        return this.#toggle([aim, named], kind, kind.isNamed === true || toClaim(value));
      case 'boxes':
        return this.#tick(aim, kind.boxes, words);
    }
  }

  /** Whether it stands beside a field that takes several. */
  async #isChosen({ target, frameId }: Aim, text: string): Promise<boolean> {
    const list = await this.#page.ask('listOptions', { target }, frameId);
    return list?.pieces.some(({ label }) => label === text) === true;
  }

  /** Turns on those that were named, and leaves the others as they are. */
  async #tick({ target, frameId }: Aim, boxes: readonly GroupedBox[], words: { readonly named?: string }): Promise<Change> {
    let change: Change | null = null;
    for (const { ref, isOn, isNamed } of boxes) {
      if (!isNamed || isOn === true) continue;
      change = await this.#toggle([{ frameId, target: { ref } }], { by: 'click', isOn, isRadio: false }, true);
      if (change.isLeaving) return change;
    }
    const element = await this.#page.ask('describe', { target }, frameId);
    const after = await this.#page.ask('fieldKind', { target, ...words }, frameId);
    const now = after.by === 'boxes' ? after.boxes : [];
    const value = now.flatMap(({ name, isOn }) => (isOn === true ? name : [])).join(', ');
    const isKept = now.some(({ isNamed }) => isNamed) && now.every(({ isNamed, isOn }) => !isNamed || isOn === true);
    return { ...(change ?? unchanged(element)), element, value, kept: isKept ? 'whole' : 'other' };
  }

  /** The other aims find it where the page has put another one in its place. */
  async #toggle(aims: readonly [Aim, ...Aim[]], { isOn, isRadio }: Toggle, wanted: boolean): Promise<Change> {
    const [{ target, frameId }] = aims;
    if (isRadio && isOn === true && !wanted) throw new CompanionError('TOOL_ARGUMENTS', 'A radio button is left by choosing another one.');
    if (isOn === wanted) return unchanged(await this.#page.ask('describe', { target }, frameId));
    const press = (at: Target): Promise<Change> => clickWhenReady(this.#page, this.#signal, frameId, at);
    const change = await press(target).catch((error: unknown) => {
      const other = aims[1]?.target;
      if (other === undefined || !isNotFound(error)) throw error;
      return press(other);
    });
    if (change.isLeaving) return change;
    // Some components show only when they are drawn what they have become.
    const look = async (): Promise<{ done: Change | Toggle } | NotReady> => {
      const now = await this.#find(aims);
      // It was pressed, and has gone since.
      if (now === null) return { done: change };
      const after = await this.#page.ask('fieldKind', { target: now }, frameId).catch(goneWhenChanged);
      // What is mixed becomes one of both first, and another click makes it the other.
      if (after.by === 'click' && isOn === null && after.isOn === !wanted) return { done: after };
      if (after.by !== 'click' || after.isOn !== wanted) return { notReady: 'it shows the other state' };
      const element = await this.#page.ask('describe', { target: now }, frameId).catch(goneWhenChanged);
      return { done: { ...change, element, kept: 'whole' } };
    };
    const toggled = whenReady(this.#page, this.#signal, look).then((done) => ('isOn' in done ? this.#toggle(aims, done, wanted) : done));
    return toggled.catch(async (error: unknown) => {
      if (!(error instanceof CompanionError) || error.code !== 'TARGET_NOT_READY') throw error;
      // It may have become something else than both since the click.
      const now = (await this.#find(aims)) ?? target;
      const element = await this.#page.ask('describe', { target: now }, frameId).catch(goneWhenChanged);
      return { ...change, element, kept: 'none' };
    });
  }

  /** The first that is there. */
  async #find(aims: readonly Aim[]): Promise<Target | null> {
    for (const { target, frameId } of aims) {
      const found = await this.#page.ask('describe', { target }, frameId).catch((error: unknown) => {
        if (isNotFound(error)) return null;
        return goneWhenChanged(error);
      });
      if (found !== null) return target;
    }
    return null;
  }

  /** What was filled stays filled, which a model must know. */
  #fail(error: unknown, { number }: Asked, count: number): never {
    if (count === 1 || !(error instanceof CompanionError) || error instanceof DocumentGoneError || error instanceof DialogOpenError) {
      throw error;
    }
    const detail = `Field ${number} of ${count}: ${error.detail} ${filledBeside([...this.#changes.keys()], number)}`;
    throw new PageError(error.code, detail, error instanceof PageError ? error.fromPage : '', { remedy: error.remedy });
  }

  /** What changed with all of them; `last` is what has come of the last one since. */
  sum(last: Change): Change {
    const changes = [...[...this.#changes.values()].slice(0, -1), last];
    const others = changes.flatMap(({ fields }) => fields).filter((field) => this.#numberOf(field) === undefined);
    return {
      ...last,
      ...(this.#notTaken.size > 0 ? { kept: 'other' } : {}),
      fields: [...new Map(others.map((field) => [field.ref, field])).values()],
      mutations: changes.reduce((sum, { mutations }) => sum + mutations, 0),
      // What says one thing after the other is told as it is in the end.
      appeared: [...new Map(changes.flatMap(({ appeared }) => appeared).map((node) => [node.ref, node])).values()].slice(-MAX_APPEARED),
      // Each field is told by itself.
      value: null,
      opens: null,
    };
  }
}

const MAX_APPEARED = 10;

/** What has gone before it was its turn. */
const unknownWhenGone = (error: unknown): SnapNode => {
  if (isNotFound(error)) return { role: 'generic' };
  throw error;
};

const isNotFound = (error: unknown): boolean => error instanceof CompanionError && error.code === 'TARGET_NOT_FOUND';

/** Which are filled where one is not. */
const filledBeside = (filled: readonly number[], number: number): string => {
  if (filled.length === 0) return 'No field is filled.';
  if (filled.length === number - 1 && filled.every((other) => other < number))
    return filled.length === 1 ? 'The one before it is filled.' : `The ${filled.length} before it are filled.`;
  const numbers = filled.toSorted((one, other) => one - other).join(', ');
  return filled.length === 1 ? `Field ${numbers} is filled.` : `Fields ${numbers} are filled.`;
};

const linesOf = (value: Field['value']): string => (Array.isArray(value) ? value.join('\n') : String(value));

const toClaim = (value: Field['value']): boolean => {
  const word = linesOf(value).trim().toLowerCase();
  if (['true', 'on', 'yes', 'checked', '1'].includes(word)) return true;
  if (['false', 'off', 'no', 'unchecked', '0', ''].includes(word)) return false;
  throw new CompanionError('TOOL_ARGUMENTS', `A box takes true or false, not "${word.slice(0, 40)}".`);
};

const toNumber = (value: Field['value']): number => {
  const number = Number(value);
  if (typeof value !== 'boolean' && Number.isFinite(number)) return number;
  throw new CompanionError('TOOL_ARGUMENTS', 'A slider takes a number.');
};

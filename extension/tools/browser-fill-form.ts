import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { counted } from '#protocol/counted.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Change, NotReady, SnapNode } from '#extension/content/api.ts';
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
    const lines = [];
    for (const { target, value } of fields) {
      lines.push(...(await describeAim(toAim(target), undefined, page)), toolLine('line_value', linesOf(value)));
    }
    return lines;
  },
  run: async ({ fields }, { page, signal }) => {
    const frameId = frameOf(fields);
    const { url } = await page.info(frameId);
    const filling = new Filling(page, signal);
    const acted = await actOn(page, frameId, () => filling.fill(fields));
    if (acted.looksOther === true && acted.loaded === null && page.openDialog() === null) await filling.lookAgain(frameId);
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

/** A form on the way from the first field to the last. */
class Filling {
  readonly #page: Page;
  readonly #signal: AbortSignal;
  readonly #changes: Change[] = [];
  readonly #notTaken: number[] = [];
  readonly #changedSince = new Set<number>();

  constructor(page: Page, signal: AbortSignal) {
    this.#page = page;
    this.#signal = signal;
  }

  /** Those that were filled, as they are now. Some lists show what was chosen in them beside their field alone. */
  get elements(): readonly SnapNode[] {
    return this.#changes.map(({ element, value }) =>
      element.value === undefined && value !== null && value !== '' ? { ...element, value } : element,
    );
  }

  /** What changed with the last of them, after which the page comes to rest. */
  async fill(fields: readonly Field[]): Promise<Change> {
    for (const field of fields) {
      const change = await this.#fillOne(toAim(field.target), field).catch((error: unknown) => this.#fail(error, fields.length));
      this.#noteSince(change.fields);
      this.#changes.push(change);
      if (change.kept !== undefined && change.kept !== 'whole') this.#notTaken.push(this.#changes.length);
      if (change.isLeaving) break;
    }
    return this.#changes.at(-1) ?? unchanged({ role: 'generic' });
  }

  /** What the page has made of the values since. */
  async lookAgain(frameId: number): Promise<void> {
    for (const [index, change] of this.#changes.entries()) {
      const { ref } = change.element;
      const element = ref === undefined ? null : await this.#page.ask('describe', { target: { ref } }, frameId).catch(() => null);
      // One that has gone meanwhile is told as it was.
      if (element !== null) this.#retell(index, element);
    }
  }

  /** Filling a field may change one that was filled before it: many look at what they hold when the focus leaves them. */
  #noteSince(fields: readonly SnapNode[]): void {
    for (const field of fields) {
      const index = this.#indexOf(field);
      if (index >= 0) this.#retell(index, field);
    }
  }

  #indexOf({ ref }: SnapNode): number {
    return this.#changes.findLastIndex(({ element }) => element.ref === ref);
  }

  #retell(index: number, element: SnapNode): void {
    const change = this.#changes[index];
    if (change === undefined) return;
    // One that told nothing by itself holds what was chosen in it.
    this.#changes[index] = { ...change, element, value: change.element.value === undefined ? change.value : null };
    // Some lists show late what was chosen in them, and other words of theirs before that.
    const { value } = change.element;
    const isOther = value !== undefined && element.value !== value && element.value !== change.value;
    if (isOther && !this.#notTaken.includes(index + 1)) this.#changedSince.add(index + 1);
  }

  words(count: number): string {
    const filled = this.#changes.length;
    const notTaken = this.#notTaken.map((index) => ` The page did not take the value of field ${index} as it was.`);
    const changed = Array.from(this.#changedSince, (index) => ` The page has changed field ${index} since.`);
    const kept = [...notTaken, ...changed].join('');
    return filled === count
      ? `Filled ${counted(count, 'field')}.${kept}`
      : `Filled ${filled} of ${counted(count, 'field')}, then the page moved on.${kept}`;
  }

  async #fillOne(named: Aim, { value }: Field): Promise<Change> {
    const { frameId } = named;
    const [kind] = await Promise.all([this.#page.ask('fieldKind', { target: named.target }, frameId), this.#page.beginPart()]);
    const aim: Aim = kind.ref === undefined ? named : { frameId, target: { ref: kind.ref } };
    const { target } = aim;
    const choose = (): Promise<Change> =>
      chooseIn(this.#page, this.#signal, aim, Array.isArray(value) ? value : linesOf(value).split('\n'));
    const type = (): Promise<Change> => typeInto(this.#page, this.#signal, aim, { text: linesOf(value), isSlow: false, submits: false });
    switch (kind.by) {
      case 'text':
        return type();
      case 'suggestions':
        // No text, nor several, are typed as one.
        return Array.isArray(value) && value.length !== 1 ? choose() : typeAndChoose(this.#page, this.#signal, aim, linesOf(value));
      case 'options':
        return choose();
      case 'slider':
        return whenReady(this.#page, this.#signal, () => this.#page.ask('slide', { target, value: toNumber(value) }, frameId));
      case 'click':
        return this.#toggle(aim, kind, toClaim(value));
    }
  }

  async #toggle({ target, frameId }: Aim, { isOn, isRadio }: { isOn: boolean; isRadio: boolean }, wanted: boolean): Promise<Change> {
    if (isRadio && isOn && !wanted) throw new CompanionError('TOOL_ARGUMENTS', 'A radio button is left by choosing another one.');
    if (isOn === wanted) return unchanged(await this.#page.ask('describe', { target }, frameId));
    const change = await clickWhenReady(this.#page, this.#signal, frameId, target);
    if (change.isLeaving) return change;
    // Some components show only when they are drawn what they have become.
    const look = async (): Promise<{ done: Change } | NotReady> => {
      const after = await this.#page.ask('fieldKind', { target }, frameId).catch(goneWhenChanged);
      if (after.by !== 'click' || after.isOn !== wanted) return { notReady: 'it shows the other state' };
      return { done: { ...change, element: await this.#page.ask('describe', { target }, frameId).catch(goneWhenChanged), kept: 'whole' } };
    };
    return whenReady(this.#page, this.#signal, look).catch((error: unknown) => {
      if (error instanceof CompanionError && error.code === 'TARGET_NOT_READY') return { ...change, kept: 'none' };
      throw error;
    });
  }

  /** What was filled stays filled, which a model must know. */
  #fail(error: unknown, count: number): never {
    const filled = this.#changes.length;
    if (count === 1 || !(error instanceof CompanionError) || error instanceof DocumentGoneError || error instanceof DialogOpenError) {
      throw error;
    }
    const before =
      filled === 0 ? 'No field is filled' : filled === 1 ? 'The one before it is filled' : `The ${filled} before it are filled`;
    const detail = `Field ${filled + 1} of ${count}: ${error.detail} ${before}.`;
    throw new PageError(error.code, detail, error instanceof PageError ? error.fromPage : '', { remedy: error.remedy });
  }

  /** What changed with all of them; `last` is what has come of the last one since. */
  sum(last: Change): Change {
    const changes = [...this.#changes.slice(0, -1), last];
    const others = changes.flatMap(({ fields }) => fields).filter((field) => this.#indexOf(field) < 0);
    return {
      ...last,
      ...(this.#notTaken.length > 0 ? { kept: 'other' } : {}),
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

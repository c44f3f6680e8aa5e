/** Gives files to a file field, as if a person had chosen them. */
import { base64ToBytes } from '#extension/shared/base64.ts';
import type { Given, GivenFile, GiveOptions, NotReady, Target } from './api.ts';
import { askedFileField, beginChange, changeOf } from './changes.ts';
import { parentOf, queryAll } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { nextTask } from './frames.ts';
import { refOf } from './refs.ts';
import { isFileField } from './roles.ts';
import { isDisabled } from './states.ts';
import { findTarget } from './target.ts';

const MAX_NAMED = 5;

/** Only those of the call that runs are kept. */
const parts = new Map<string, Uint8Array<ArrayBuffer>[]>();

export const takePart = ({ key, part }: { key: string; part: string }): void => {
  const bytes = base64ToBytes(part);
  const known = parts.get(key);
  if (known === undefined) parts.set(key, [bytes]);
  else known.push(bytes);
};

/** A list of files as a person's choice makes it. */
export const toTransfer = (files: readonly GivenFile[]): DataTransfer => {
  const transfer = new DataTransfer();
  for (const { key, name, type, modifiedAt } of files) {
    transfer.items.add(new File(parts.get(key) ?? [], name, { type, lastModified: modifiedAt }));
  }
  parts.clear();
  return transfer;
};

/** The file field that a target means: itself, that of its label, or the one inside it; null when only a press on it can tell. */
export const fileFieldOf = (target: Target | undefined): HTMLInputElement | null => {
  if (target === undefined) return askedFileField() ?? onlyFileField();
  const element = findTarget(target);
  if (isFileField(element)) return element;
  for (let around: Element | null = element; around !== null; around = parentOf(around)) {
    if (around instanceof HTMLLabelElement && around.control !== null && isFileField(around.control)) return around.control;
  }
  return fieldForFiles(queryAll('input', element).filter(isFileField));
};

/** The only one; beside the one for files some have another one for a whole folder. */
const fieldForFiles = (fields: readonly HTMLInputElement[]): HTMLInputElement | null => {
  const [only, ...others] = fields.length > 1 ? fields.filter((field) => !field.webkitdirectory) : fields;
  return others.length === 0 ? (only ?? null) : null;
};

const onlyFileField = (): HTMLInputElement => {
  const found = queryAll('input').filter(isFileField);
  const only = fieldForFiles(found);
  if (only !== null) return only;
  if (found.length === 0)
    throw new FaultError('TOOL_ARGUMENTS', 'The page has no file field: give the button that opens its file dialog as "target".');
  const refs = found.slice(0, MAX_NAMED).map((field) => `e${refOf(field)}`);
  throw new FaultError('TOOL_ARGUMENTS', `The page has ${found.length} file fields (${refs.join(', ')}): give one of them as "target".`);
};

export const giveFiles = async ({ target, files }: GiveOptions, signal: AbortSignal): Promise<{ done: Given } | NotReady> => {
  const field = fileFieldOf(target);
  if (field === null) throw new FaultError('TOOL_ARGUMENTS', '"target" is no file field, and opens no file dialog.');
  if (isDisabled(field)) return { notReady: 'it is disabled' };
  stopIfCancelled(signal);
  checkCount(field, files.length);
  beginChange();
  const { unaccepted } = put(field, files);
  await nextTask();
  return { done: { ...changeOf(field, null), unaccepted } };
};

const checkCount = (field: HTMLInputElement, count: number): void => {
  if (field.webkitdirectory) throw new FaultError('TOOL_ARGUMENTS', 'This field takes a whole folder, which only the user can choose.');
  if (!field.multiple && count > 1) throw new FaultError('TOOL_ARGUMENTS', `This field takes one file, and ${count} were given.`);
};

/** The field holds the files, and the page hears of it. */
const put = (field: HTMLInputElement, files: readonly GivenFile[]): { unaccepted: string[] } => {
  const { files: list } = toTransfer(files);
  const unaccepted = [...list].filter((file) => !accepts(field.accept, file)).map(({ name }) => name);
  field.files = list;
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
  return { unaccepted };
};

/** https://html.spec.whatwg.org/multipage/input.html#attr-input-accept */
const accepts = (accept: string, { name, type }: File): boolean => {
  const ways = accept
    .toLowerCase()
    .split(',')
    .map((way) => way.trim())
    .filter((way) => way !== '');
  return (
    ways.length === 0 ||
    ways.some((way) => {
      if (way.startsWith('.')) return name.toLowerCase().endsWith(way);
      return way.endsWith('/*') ? type.startsWith(way.slice(0, -1)) : type === way;
    })
  );
};

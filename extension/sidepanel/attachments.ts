/** Files from the clipboard, a drop or the file dialog, read for the prompt. */
import { attachmentLimits, limitOf } from '#protocol/attachment-limits.ts';
import { base64ToBytes } from '#extension/shared/base64.ts';
import type { Attached } from './outbox.ts';
import { sizeOfBase64 } from '#extension/shared/base64.ts';

/** A multiple of three bytes, which base64 encodes without padding. */
const PREVIEW_UNITS = 400;

/** Why a file does not come along: what it would have made together with the others, or alone, and what is allowed. */
type Why =
  | { readonly reason: 'count' | 'alone' | 'together'; readonly found: number; readonly allowed: number }
  | { readonly reason: 'unreadable' };

/** The first file that does not come along, and how many more do not. */
export type LeftOut = Why & { readonly name: string; readonly others: number };

/** Reads the files that fit into one prompt beside what is attached already. A folder, or a file that is gone, cannot be read. */
export const readFiles = async (
  files: readonly File[],
  before: readonly Attached[],
): Promise<{ attached: Attached[]; leftOut: LeftOut | null }> => {
  const fitting: File[] = [];
  const without: (Why & { readonly name: string })[] = [];
  let sumBytes = before.reduce((sum, { dataBase64 }) => sum + sizeOfBase64(dataBase64), 0);
  for (const file of files) {
    const why = whyLeftOut(file, before.length + fitting.length, sumBytes);
    if (why !== null) without.push({ name: file.name, ...why });
    else {
      fitting.push(file);
      sumBytes += file.size;
    }
  }
  const attached: Attached[] = [];
  for (const file of fitting) {
    try {
      attached.push(await toAttached(file));
    } catch {
      // Whatever the browser says of it, the person is told that it could not be read.
      without.push({ name: file.name, reason: 'unreadable' });
    }
  }
  const [first] = without;
  return { attached, leftOut: first === undefined ? null : { ...first, others: without.length - 1 } };
};

const whyLeftOut = (file: File, count: number, sumBytes: number): Why | null => {
  const allowed = limitOf({ kind: kindOf(file), mimeType: file.type });
  if (file.size > allowed) return { reason: 'alone', found: file.size, allowed };
  const { promptBytes, count: most } = attachmentLimits;
  if (count >= most) return { reason: 'count', found: count + 1, allowed: most };
  return sumBytes + file.size > promptBytes ? { reason: 'together', found: sumBytes + file.size, allowed: promptBytes } : null;
};

const kindOf = (file: File): Attached['kind'] => (file.type.startsWith('image/') ? 'image' : 'file');

/** A text field takes half a minute for 60,000 lines, in which the panel does nothing else. */
const FIELD_UNITS = 100_000;
const FIELD_LINES = 2000;

/** Whether a text is too long for the field in which a person writes: it goes along as a file then. */
export const isForFile = (text: string): boolean => {
  if (text.length > FIELD_UNITS) return true;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && lines <= FIELD_LINES; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines > FIELD_LINES;
};

/** The first few lines of a text; for other files the name. */
export const toPreview = ({ kind, name, mimeType, dataBase64 }: Attached): string => {
  if (kind === 'file' || mimeType !== 'text/plain') return name;
  const text = new TextDecoder().decode(base64ToBytes(dataBase64.slice(0, PREVIEW_UNITS)));
  return text.replace(/\uFFFD+$/, '');
};

/** Text as an attachment. */
export const textFile = async (kind: Attached['kind'], name: string, text: string): Promise<Attached> => ({
  kind,
  name,
  mimeType: 'text/plain',
  dataBase64: await toBase64(new Blob([text]), name),
});

const toAttached = async (file: File): Promise<Attached> => ({
  kind: kindOf(file),
  name: file.name === '' ? 'pasted' : file.name,
  mimeType: file.type === '' ? 'application/octet-stream' : file.type,
  dataBase64: await toBase64(file, file.name),
});

/** It uses a data URL, the one encoder for large files that every supported Chrome has. */
export const toBase64 = (file: Blob, name: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve(url.slice(url.indexOf(',') + 1));
    });
    reader.addEventListener('error', () => reject(new Error(`${name} could not be read`, { cause: reader.error })));
    reader.readAsDataURL(file);
  });

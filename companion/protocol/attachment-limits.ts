/** What may be attached, in one table: the panel and the terminal check it before they send, the gate and the store when it comes. */
import { CompanionError } from './errors.ts';
import type { AttachmentRef } from './items.ts';
import { explain } from './faults.ts';
import type { Said } from './said.ts';

const MIB = 1024 * 1024;

/** The body of one request. */
export const MAX_BODY_BYTES = 8 * MIB;

export const attachmentLimits = {
  /** How many to one prompt. */
  count: 50,
  imageBytes: 20 * MIB,
  fileBytes: 25 * MIB,
  /** Elements, selections, console and network excerpts, pages. */
  textBytes: 5 * MIB,
  /** All that is attached to one prompt. */
  promptBytes: 100 * MIB,
  /** All that stands in the body of the prompt itself: base64 makes four bytes out of three, and the words need room too. More is uploaded. */
  inBodyBytes: 5.5 * MIB,
  /** One piece of an upload: small enough that a file of any size takes a few megabytes of memory on its way. */
  pieceBytes: MIB / 4,
  /** All that is kept. */
  keptBytes: 4096 * MIB,
  /** A session that was exported, to be imported. */
  sessionBytes: 4096 * MIB,
} as const;

export type Sized = Pick<AttachmentRef, 'kind' | 'name' | 'mimeType' | 'sizeBytes'>;

export const isPicture = ({ kind, mimeType }: Pick<AttachmentRef, 'kind' | 'mimeType'>): boolean =>
  kind === 'image' || kind === 'screenshot' || mimeType.startsWith('image/');

/** Text of a page, which is UTF-8. */
export const isPageText = (attached: Pick<AttachmentRef, 'kind' | 'mimeType'>): boolean => !isPicture(attached) && attached.kind !== 'file';

/** The largest of its kind. */
export const limitOf = (attached: Pick<AttachmentRef, 'kind' | 'mimeType'>): number =>
  isPicture(attached) ? attachmentLimits.imageBytes : isPageText(attached) ? attachmentLimits.textBytes : attachmentLimits.fileBytes;

/** Why these cannot be attached to one prompt; null when they can. */
export const whyNotAttached = (attached: readonly Sized[]): CompanionError | null => {
  const { count, promptBytes } = attachmentLimits;
  if (attached.length > count) return tooLarge(explain('too_many_attached', { given: attached.length, count }));
  const large = attached.find((one) => one.sizeBytes > limitOf(one));
  if (large !== undefined)
    return tooLarge(
      explain('attachment_too_large', { name: large.name, size: above(large.sizeBytes, limitOf(large)), limit: toMib(limitOf(large)) }),
    );
  const sum = sumOf(attached);
  return sum > promptBytes
    ? tooLarge(explain('attachments_too_large', { size: above(sum, promptBytes), limit: toMib(promptBytes) }))
    : null;
};

/** A session that is imported stands on disk as the file, in the history and in the index of what was said. */
const COPIES = 4;

/** Why a session of that size cannot be imported where so much of the disk is free; null when it can. */
export const whyNotImported = (sizeBytes: number, freeBytes: number): CompanionError | null => {
  const { sessionBytes } = attachmentLimits;
  const remedy = explain('export_without_json');
  if (sizeBytes > sessionBytes)
    return new CompanionError(
      'INPUT_TOO_LARGE',
      explain('import_too_large', { size: above(sizeBytes, sessionBytes), limit: toMib(sessionBytes) }),
      { remedy },
    );
  const neededBytes = sizeBytes * COPIES;
  if (neededBytes <= freeBytes) return null;
  return new CompanionError('INPUT_TOO_LARGE', explain('import_needs_space', { size: toMib(neededBytes), free: toMib(freeBytes) }), {
    remedy: explain('make_room'),
  });
};

export const sumOf = (attached: readonly Pick<Sized, 'sizeBytes'>[]): number => attached.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

const tooLarge = (detail: Said): CompanionError => new CompanionError('INPUT_TOO_LARGE', detail, { remedy: explain('attach_less') });

const toMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

/** A size above a limit, which is written like the limit when it is only a little larger. */
const above = (bytes: number, limit: number): string => (toMib(bytes) === toMib(limit) ? `more than ${toMib(limit)}` : toMib(bytes));

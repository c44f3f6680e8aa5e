/** What users attached: each in a file that only they can read, outside every project, with a name that Pilotfish chooses. */
import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { randomId } from '#companion/lib/random-id.ts';
import type { Attachment } from '#protocol/commands.ts';
import { CompanionError } from '#protocol/errors.ts';
import { AttachmentId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import { toStoreError } from './store-error.ts';

const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const MAX_FILE_BYTES = 25 * 1024 * 1024;
/** Elements, selections, console and network excerpts, pages. */
const MAX_TEXT_BYTES = 5 * 1024 * 1024;

/** Agents recognise files by their extension. It is chosen from this list only, never taken from the user's file name. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/png', '.png'],
  ['image/jpeg', '.jpg'],
  ['image/gif', '.gif'],
  ['image/webp', '.webp'],
  ['application/pdf', '.pdf'],
  ['application/json', '.json'],
  ['text/html', '.html'],
  ['text/csv', '.csv'],
  ['text/markdown', '.md'],
]);

/** The attachments in one folder. */
export class Attachments {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  save(attachment: Attachment): AttachmentRef {
    const bytes = Buffer.from(attachment.dataBase64, 'base64');
    const ref: AttachmentRef = {
      attachmentId: AttachmentId.parse(randomId('att')),
      kind: attachment.kind,
      name: attachment.name,
      mimeType: checkType(attachment, bytes),
      sizeBytes: bytes.length,
    };
    const file = this.pathOf(ref);
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      writeFileSync(file, bytes, { mode: 0o600, flag: 'wx', flush: true });
    } catch (error) {
      throw toStoreError(error, file);
    }
    return ref;
  }

  /** Throws ATTACHMENT_GONE. */
  load(ref: AttachmentRef): { dataBase64: string; path: string } {
    const file = this.pathOf(ref);
    try {
      return { dataBase64: readFileSync(file, 'base64'), path: file };
    } catch (error) {
      throw new CompanionError('ATTACHMENT_GONE', `${JSON.stringify(ref.name)}: ${file}`, { cause: error });
    }
  }

  has(ref: AttachmentRef): boolean {
    return existsSync(this.pathOf(ref));
  }

  /** The same bytes as another attachment, which stays when the first is removed. */
  copy(ref: AttachmentRef): AttachmentRef {
    const copied: AttachmentRef = { ...ref, attachmentId: AttachmentId.parse(randomId('att')) };
    const file = this.pathOf(copied);
    try {
      copyFileSync(this.pathOf(ref), file, constants.COPYFILE_EXCL);
    } catch (error) {
      throw toStoreError(error, file);
    }
    return copied;
  }

  remove(ref: AttachmentRef): void {
    rmSync(this.pathOf(ref), { force: true });
  }

  /** Where it is kept, also when it is gone. */
  pathOf({ attachmentId, mimeType }: AttachmentRef): string {
    // Ids come back from the log, which a person may have edited.
    if (!/^[a-z0-9_]+$/.test(attachmentId)) throw new CompanionError('INPUT_INVALID', `Attachment id ${JSON.stringify(attachmentId)}.`);
    return path.join(this.#directory, attachmentId + (EXTENSIONS.get(mimeType) ?? (mimeType.startsWith('text/') ? '.txt' : '.bin')));
  }
}

/** The type: for images from the bytes, otherwise as the client says. Refuses what is too large or not of its type. */
const checkType = (attachment: Attachment, bytes: Buffer): string => {
  const isImage = attachment.kind === 'image' || attachment.kind === 'screenshot' || attachment.mimeType.startsWith('image/');
  const isText = !isImage && attachment.kind !== 'file';
  const limit = isImage ? MAX_IMAGE_BYTES : isText ? MAX_TEXT_BYTES : MAX_FILE_BYTES;
  if (bytes.length > limit) {
    throw new CompanionError('INPUT_TOO_LARGE', `${attachment.name} has ${bytes.length} bytes, ${limit} are allowed.`);
  }
  if (!isImage) {
    if (isText && !isUtf8(bytes)) throw new CompanionError('INPUT_INVALID', `${attachment.name} is not UTF-8 text.`);
    return attachment.mimeType;
  }
  const type = imageType(bytes);
  if (type === null) {
    throw new CompanionError('INPUT_INVALID', `${attachment.name} is not a PNG, JPEG, GIF or WebP image.`, {
      remedy: 'Attach it as a file, or convert it to PNG.',
    });
  }
  return type;
};

const isUtf8 = (bytes: Buffer): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

const imageType = (bytes: Buffer): string | null => {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return null;
};

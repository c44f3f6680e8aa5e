/** What users attached: each in a file that only they can read, outside every project, with a name that Pilotfish chooses. */
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { makeDir } from '#companion/lib/make-dir.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { attachmentLimits, isPageText, isPicture, type Sized, sumOf, whyNotAttached } from '#protocol/attachment-limits.ts';
import type { Attachment, Uploaded } from '#protocol/commands.ts';
import { CompanionError } from '#protocol/errors.ts';
import { AttachmentId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import { explain } from '#protocol/faults.ts';
import { toStoreError } from './store-error.ts';
import { isAttachment, Uploads } from './uploads.ts';

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

type Noted = (ref: AttachmentRef) => void;

/** The attachments in one folder. */
export class Attachments {
  readonly uploads: Uploads;
  readonly #directory: string;
  readonly #keptBytes: () => number;

  /** `keptBytes` is the size of all that is kept. */
  constructor(directory: string, keptBytes: () => number = () => 0) {
    this.#directory = directory;
    this.#keptBytes = keptBytes;
    this.uploads = new Uploads(path.join(directory, 'uploads'));
  }

  get directory(): string {
    return this.#directory;
  }

  /**
   * Keeps all that is attached to a prompt, or nothing of it. What was uploaded stays there, too, until it is let go. `note` is told of each
   * one before there is anything of it.
   */
  saveAll(attached: readonly (Attachment | Uploaded)[], note: Noted = () => {}): AttachmentRef[] {
    if (attached.length === 0) return [];
    const coming = attached.map((one) => this.#open(one));
    const wrong = whyNotAttached(coming) ?? this.#whyNotKept(sumOf(coming));
    if (wrong !== null) throw wrong;
    const kept: AttachmentRef[] = [];
    try {
      for (const one of coming) kept.push(this.#save(one, note));
      return kept;
    } catch (error) {
      for (const ref of kept) this.remove(ref);
      throw error;
    }
  }

  /** The bytes are read when they are asked for: an agent that reads files needs the path only. Throws ATTACHMENT_GONE. */
  load(ref: AttachmentRef): AttachmentRef & { readonly dataBase64: string; readonly path: string } {
    const file = this.pathOf(ref);
    try {
      accessSync(file, constants.R_OK);
    } catch (error) {
      throw gone(ref, file, error);
    }
    return {
      ...ref,
      path: file,
      get dataBase64() {
        try {
          return readFileSync(file, 'base64');
        } catch (error) {
          throw gone(ref, file, error);
        }
      },
    };
  }

  /** The bytes as a stream, for one that reads them at its own pace; the reader closes it. Throws ATTACHMENT_GONE. */
  async stream(ref: AttachmentRef): Promise<{ readonly bytes: Readable; readonly sizeBytes: number }> {
    const file = this.pathOf(ref);
    const handle = await open(file).catch((error: unknown) => {
      throw gone(ref, file, error);
    });
    try {
      const { size } = await handle.stat();
      return { bytes: handle.createReadStream(), sizeBytes: size };
    } catch (error) {
      await handle.close();
      throw gone(ref, file, error);
    }
  }

  has(ref: AttachmentRef): boolean {
    return existsSync(this.pathOf(ref));
  }

  /** The same bytes as another attachment, which stays when the first is removed. `note` is told of it before there is anything of it. */
  copy(ref: AttachmentRef, note: Noted): AttachmentRef {
    const copied: AttachmentRef = { ...ref, attachmentId: AttachmentId.parse(randomId('att')) };
    const file = this.pathOf(copied);
    note(copied);
    try {
      copyFileSync(this.pathOf(ref), file, constants.COPYFILE_EXCL);
    } catch (error) {
      throw toStoreError(error, file);
    }
    return copied;
  }

  #whyNotKept(bytes: number): CompanionError | null {
    const { keptBytes } = attachmentLimits;
    if (this.#keptBytes() + bytes <= keptBytes) return null;
    return new CompanionError('INPUT_TOO_LARGE', explain('attachments_full', { size: keptBytes / 2 ** 30 }), {
      remedy: explain('remove_attachments', { command: 'pilotfish attachments' }),
    });
  }

  #open(attached: Attachment | Uploaded): Coming {
    if (!('uploadId' in attached)) {
      const bytes = Buffer.from(attached.dataBase64, 'base64');
      return { ...attached, sizeBytes: bytes.length, bytes: () => bytes, file: null };
    }
    const { input, file } = this.uploads.take(attached.uploadId);
    if (!isAttachment(input)) throw new CompanionError('INPUT_INVALID', explain('not_for_prompt', { name: input.name }));
    return { ...input, bytes: () => readFileSync(file), file };
  }

  #save(coming: Coming, note: Noted): AttachmentRef {
    const { kind, name, sizeBytes } = coming;
    const ref: AttachmentRef = { attachmentId: AttachmentId.parse(randomId('att')), kind, name, mimeType: checkType(coming), sizeBytes };
    const file = this.pathOf(ref);
    note(ref);
    try {
      makeDir(this.#directory);
      if (coming.file === null) writeFileSync(file, coming.bytes(), { mode: 0o600, flag: 'wx', flush: true });
      else moveIn(coming.file, file);
    } catch (error) {
      throw toStoreError(error, file);
    }
    return ref;
  }

  remove(ref: AttachmentRef): void {
    rmSync(this.pathOf(ref), { force: true });
  }

  /** Where it is kept, also when it is gone. */
  pathOf({ attachmentId, mimeType }: AttachmentRef): string {
    // Ids come back from the log, which a person may have edited.
    if (!/^[a-z0-9_]+$/.test(attachmentId))
      throw new CompanionError('INPUT_INVALID', explain('attachment_id', { id: JSON.stringify(attachmentId) }));
    return path.join(this.#directory, attachmentId + (EXTENSIONS.get(mimeType) ?? (mimeType.startsWith('text/') ? '.txt' : '.bin')));
  }
}

/** What is to be kept: its bytes, or the file in which they came. */
interface Coming extends Sized {
  readonly bytes: () => Buffer;
  readonly file: string | null;
}

const gone = (ref: AttachmentRef, file: string, cause?: unknown): CompanionError =>
  new CompanionError('ATTACHMENT_GONE', `${JSON.stringify(ref.name)}: ${file}`, { cause });

/** The type: for images from the bytes, otherwise as the client says. Refuses what is not of its type. */
const checkType = (coming: Coming): string => {
  const { name, mimeType, file } = coming;
  if (!isPicture(coming)) {
    if (isPageText(coming) && !isUtf8(coming.bytes())) throw new CompanionError('INPUT_INVALID', explain('not_utf8', { file: name }));
    return mimeType;
  }
  const type = imageType(file === null ? coming.bytes() : headOf(file));
  if (type === null) {
    throw new CompanionError('INPUT_INVALID', explain('not_image', { file: name }), {
      remedy: explain('attach_or_convert'),
    });
  }
  return type;
};

const headOf = (file: string): Buffer => {
  const fd = openSync(file, 'r');
  try {
    const head = Buffer.alloc(16);
    return head.subarray(0, readSync(fd, head));
  } finally {
    closeSync(fd);
  }
};

/** The same file under another name where the disk can do that; a prompt that is refused after all can be sent again. */
const moveIn = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
  const fd = openSync(to, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
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

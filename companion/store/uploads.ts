/** What comes in pieces before its prompt: each upload is a file that grows, so that nothing large is held in memory. */
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import path from 'node:path';
import { makeDir } from '#companion/lib/make-dir.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { attachmentLimits, type Sized, whyNotAttached, whyNotImported } from '#protocol/attachment-limits.ts';
import type { Upload, UploadInput, UploadPiece, UploadState } from '#protocol/attachments.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { toStoreError } from './store-error.ts';

/** How long an upload waits for its next piece or its prompt. */
const MAX_WAIT_MS = 60 * 60_000;
const MAX_UPLOADS = 200;

interface Growing {
  readonly input: UploadInput;
  readonly file: string;
  receivedBytes: number;
  /** How far it was read by what was made of it. */
  read: UploadState['read'];
  /** Aborted when it is let go. */
  readonly gone: AbortController;
  timer: NodeJS.Timeout;
}

export class Uploads {
  readonly #directory: string;
  readonly #uploads = new Map<string, Growing>();

  /** What an earlier daemon left in the folder belongs to nothing. */
  constructor(directory: string) {
    this.#directory = directory;
    rmSync(directory, { recursive: true, force: true });
  }

  begin(input: UploadInput): Upload {
    const wrong = isAttachment(input) ? whyNotAttached([input]) : whyNotImported(input.sizeBytes, this.#freeBytes());
    if (wrong !== null) throw wrong;
    if (this.#uploads.size >= MAX_UPLOADS) throw new CompanionError('INPUT_TOO_LARGE', `${MAX_UPLOADS} uploads wait for their prompts.`);
    const uploadId = randomId('upload');
    const file = path.join(this.#directory, uploadId);
    try {
      makeDir(this.#directory);
      closeSync(openSync(file, 'wx', 0o600));
    } catch (error) {
      throw toStoreError(error, file);
    }
    this.#uploads.set(uploadId, { input, file, receivedBytes: 0, read: null, gone: new AbortController(), timer: this.#expire(uploadId) });
    return { uploadId, pieceBytes: attachmentLimits.pieceBytes };
  }

  /** Returns how many bytes are there. */
  append(uploadId: string, { offset, dataBase64 }: UploadPiece): number {
    const upload = this.#find(uploadId);
    const { input, file, receivedBytes } = upload;
    const bytes = Buffer.from(dataBase64, 'base64');
    // A piece whose answer was lost is sent again.
    if (offset + bytes.length <= receivedBytes) return receivedBytes;
    if (offset !== receivedBytes)
      throw new CompanionError('INPUT_INVALID', `offset: ${receivedBytes} bytes are there; the next piece begins at them.`);
    if (offset + bytes.length > input.sizeBytes)
      throw new CompanionError('INPUT_INVALID', `${input.name} was said to have ${input.sizeBytes} bytes.`);
    try {
      const fd = openSync(file, 'a');
      try {
        writeSync(fd, bytes);
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      throw toStoreError(error, file);
    }
    upload.receivedBytes += bytes.length;
    this.#keep(uploadId, upload);
    return upload.receivedBytes;
  }

  /** What was sent, whole. It stays until it is let go. */
  take(uploadId: string): { readonly input: UploadInput; readonly file: string; readonly signal: AbortSignal } {
    const { input, file, receivedBytes, gone } = this.#find(uploadId);
    if (receivedBytes !== input.sizeBytes)
      throw new CompanionError('INPUT_INVALID', `Of ${input.name} ${receivedBytes} of ${input.sizeBytes} bytes were sent.`);
    return { input, file, signal: gone.signal };
  }

  state(uploadId: string): UploadState {
    const { input, receivedBytes, read } = this.#find(uploadId);
    return { receivedBytes, sizeBytes: input.sizeBytes, read };
  }

  /** Notes how far its reader has come; it stays as long as it is read. */
  noteRead(uploadId: string, done: number, total: number): void {
    const upload = this.#uploads.get(uploadId);
    if (upload === undefined) return;
    upload.read = { done, total };
    this.#keep(uploadId, upload);
  }

  /** Its file was taken, or is not wanted any more. */
  letGo(uploadId: string): void {
    const upload = this.#uploads.get(uploadId);
    if (upload === undefined) return;
    clearTimeout(upload.timer);
    this.#uploads.delete(uploadId);
    rmSync(upload.file, { force: true });
    upload.gone.abort(new CompanionError('ATTACHMENT_GONE', `${upload.input.name} was given up.`, { remedy: explain('send_it_again') }));
  }

  close(): void {
    for (const uploadId of this.#uploads.keys()) this.letGo(uploadId);
  }

  #find(uploadId: string): Growing {
    const upload = this.#uploads.get(uploadId);
    if (upload !== undefined) return upload;
    throw new CompanionError('ATTACHMENT_GONE', `The upload ${JSON.stringify(uploadId)} is not known, or no longer.`, {
      remedy: explain('send_it_again'),
    });
  }

  #keep(uploadId: string, upload: Growing): void {
    clearTimeout(upload.timer);
    upload.timer = this.#expire(uploadId);
  }

  /** Of the disk that the folder is on, or will be. */
  #freeBytes(): number {
    try {
      makeDir(this.#directory);
      const { bavail, bsize } = statfsSync(this.#directory);
      return bavail * bsize;
    } catch (error) {
      throw toStoreError(error, this.#directory);
    }
  }

  #expire(uploadId: string): NodeJS.Timeout {
    return setTimeout(() => this.letGo(uploadId), MAX_WAIT_MS).unref();
  }
}

/** Whether it belongs to a prompt. */
export const isAttachment = (input: UploadInput): input is UploadInput & Sized => input.kind !== 'session';

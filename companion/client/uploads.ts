/** Files for a prompt, and sessions to be imported, read and sent piece by piece: none of them is ever in memory whole. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { typeOf } from '#companion/lib/media-types.ts';
import { type Sized, whyNotAttached } from '#protocol/attachment-limits.ts';
import type { UploadInput } from '#protocol/attachments.ts';
import { CompanionError } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import { explain } from '#protocol/faults.ts';
import type { Transport } from './transport.ts';

/** What agents take as pictures; other pictures are files. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const REMEDY = explain('name_readable_file');

/** Sends these files; all of them are looked at before the first byte goes out. */
export const upload = async (transport: Transport, files: readonly string[]): Promise<string[]> => {
  const inputs = await Promise.all(files.map(describe));
  const wrong = whyNotAttached(inputs);
  if (wrong !== null) throw wrong;
  const uploaded: string[] = [];
  for (const [index, input] of inputs.entries()) uploaded.push(await send(transport, files[index] ?? '', input));
  return uploaded;
};

/** What an upload tells while it goes on. */
export interface Sending {
  readonly signal?: AbortSignal;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
}

/** Sends a session that was exported; whether it may be so large is told before the first byte goes out. */
export const uploadSession = async (transport: Transport, file: string, sending: Sending): Promise<string> => {
  const { name, mimeType, sizeBytes } = await describe(file);
  return send(transport, file, { kind: 'session', name, mimeType, sizeBytes }, sending);
};

const describe = async (file: string): Promise<UploadInput & Sized> => {
  const handle = await openFile(file);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new CompanionError('INPUT_INVALID', `${file} is not a file.`, { remedy: REMEDY });
    const name = path.basename(file);
    const type = typeOf(name);
    if (PICTURES.has(type)) return { kind: 'image', name, mimeType: type, sizeBytes: found.size };
    return { kind: 'file', name, mimeType: type.startsWith('image/') ? '' : type, sizeBytes: found.size };
  } finally {
    await handle.close();
  }
};

const send = async (transport: Transport, file: string, input: UploadInput, { signal, onProgress }: Sending = {}): Promise<string> => {
  const { uploadId, pieceBytes } = await transport.call(routes.beginUpload, { body: input });
  const handle = await openFile(file);
  try {
    const piece = Buffer.alloc(Math.min(pieceBytes, Math.max(1, input.sizeBytes)));
    for (let offset = 0; offset < input.sizeBytes;) {
      const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, input.sizeBytes - offset), offset);
      if (bytesRead === 0) throw new CompanionError('INPUT_INVALID', `${file} has become shorter while it was sent.`);
      const dataBase64 = piece.toString('base64', 0, bytesRead);
      await transport.call(routes.sendPiece, { params: { uploadId }, body: { offset, dataBase64 } }, { signal });
      offset += bytesRead;
      onProgress?.(offset, input.sizeBytes);
    }
    return uploadId;
  } catch (error) {
    // Nobody asks for it any more.
    await transport.call(routes.cancelUpload, { params: { uploadId } }).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
};

const openFile = async (file: string) => {
  try {
    // A named pipe that nobody writes into would be waited for, and nothing could end that; Windows has no such flag.
    return await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    throw new CompanionError('INPUT_INVALID', `${file} cannot be read.`, {
      cause,
      remedy: REMEDY,
    });
  }
};

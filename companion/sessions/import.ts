/** A file that was exported, as what a new session is made of: it is read piece by piece and never held in memory whole. */
import { createReadStream, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { JsonPieceError, type JsonPiece, jsonMembers } from '#companion/lib/json-members.ts';
import type { Attachments } from '#companion/store/attachments.ts';
import type { AttachmentId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import {
  checkFormat,
  ExportedAttachment,
  ExportedIds,
  ExportHead,
  ExportLists,
  refusedExport,
  type SessionExport,
} from '#protocol/session-export.ts';
import { explain } from '#protocol/faults.ts';
import type { Outline, Parts } from './copy.ts';

/** One entry of the file, whatever is attached to it: a large file that was attached is one. */
const PIECE_BYTES = 64 * 1024 * 1024;
/** As deep as the body of a request. */
const DEPTH = 64;
const CHUNK_BYTES = 64 * 1024;

/** Where a session that is imported comes from. */
export interface ImportSource {
  readonly head: ExportHead;
  /** Its lists, which are checked whenever they are read. */
  readonly parts: Parts;
  attachments(): AsyncIterable<ExportedAttachment>;
}

/** One that came in the body of a request. */
export const sourceOf = (document: SessionExport): ImportSource => ({
  head: document,
  parts: async function* () {
    yield await Promise.resolve(document);
  },
  attachments: async function* () {
    yield* await Promise.resolve(document.attachments);
  },
});

interface FileOptions {
  readonly signal: AbortSignal;
  /** Hears how much of the reading is done; the file is read more than once. */
  readonly onRead: (done: number, total: number) => void;
}

/** How often the whole file is read: for its head, for what it consists of, for what is attached, and for the rest. */
const READINGS = 4;

/** One that is a file. Throws when it is no session that was exported. */
export const sourceFrom = async (file: string, options: FileOptions): Promise<ImportSource> => {
  const exported = new ExportedFile(file, options);
  return { head: await exported.head(), parts: () => exported.parts(), attachments: () => exported.attachments() };
};

class ExportedFile {
  readonly #file: string;
  readonly #options: FileOptions;
  readonly #sizeBytes: number;
  #readBytes = 0;

  constructor(file: string, options: FileOptions) {
    this.#file = file;
    this.#options = options;
    this.#sizeBytes = statSync(file).size;
  }

  async head(): Promise<ExportHead> {
    const found: Record<string, unknown> = Object.create(null);
    for await (const piece of this.#pieces()) if (!piece.isElement) found[piece.name] = parsed(piece);
    checkFormat(found);
    return read(ExportHead, found, '');
  }

  async *parts(): AsyncGenerator<ExportLists> {
    const ids = new ExportedIds();
    const counts = { turns: 0, items: 0, answered: 0 };
    for await (const piece of this.#pieces()) {
      const list = LISTS.get(piece.name);
      if (list === undefined || !piece.isElement) continue;
      const part = read(ExportLists, { turns: [], items: [], answered: [], [list]: [parsed(piece)] }, `Entry ${counts[list]} of ${list}`);
      counts[list] += 1;
      ids.take(part);
      yield part;
    }
    ids.finish();
  }

  async *attachments(): AsyncGenerator<ExportedAttachment> {
    for await (const piece of this.#pieces()) {
      if (piece.name === 'attachments' && piece.isElement) yield read(ExportedAttachment, parsed(piece), 'attachments');
    }
  }

  async *#pieces(): AsyncGenerator<JsonPiece> {
    try {
      yield* jsonMembers(this.#bytes(), { pieceBytes: PIECE_BYTES, depth: DEPTH });
    } catch (error) {
      throw error instanceof JsonPieceError ? refusedExport(error.what) : error;
    }
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    const { signal, onRead } = this.#options;
    for await (const chunk of createReadStream(this.#file, { highWaterMark: CHUNK_BYTES })) {
      signal.throwIfAborted();
      if (!Buffer.isBuffer(chunk)) continue;
      yield chunk;
      this.#readBytes += chunk.length;
      onRead(Math.min(this.#readBytes, this.#sizeBytes * READINGS), this.#sizeBytes * READINGS);
      // What is in a cache comes without waiting, and others work too.
      await setImmediate();
    }
  }
}

const LISTS: ReadonlyMap<string, keyof ExportLists> = new Map([
  ['turns', 'turns'],
  ['items', 'items'],
  ['answered', 'answered'],
]);

const read = <T>(schema: z.ZodType<T>, value: unknown, place: string): T => {
  const found = schema.safeParse(value);
  if (!found.success) throw refusedExport(`${place === '' ? '' : `${place}: `}${z.prettifyError(found.error)}`);
  return found.data;
};

const parsed = ({ json }: JsonPiece): unknown => {
  try {
    // The names that reach prototypes are no part of any session.
    return JSON.parse(json, (name: string, value: unknown) => (name === '__proto__' || name === 'constructor' ? undefined : value));
  } catch {
    throw refusedExport(explain('not_json'));
  }
};

/** Where the attachments of a session go that is being filled. */
export interface Keeping {
  /** Those that it has, by the ids that they have where they come from. */
  readonly kept: Map<AttachmentId, AttachmentRef>;
  /** Is told of each one before there is anything of it. */
  readonly note: (ref: AttachmentRef) => void;
}

/** Keeps what is attached in the file as new attachments, by the ids that they have in it. */
export const keepAttachments = async (
  { attachments: read }: ImportSource,
  { attached }: Outline,
  { attachments, kept, note }: Keeping & { attachments: Pick<Attachments, 'saveAll'> },
): Promise<void> => {
  const wanted = new Map(attached.map(({ ref }) => [ref.attachmentId, ref]));
  for await (const { attachmentId, dataBase64 } of read()) {
    const ref = wanted.get(attachmentId);
    if (ref === undefined || kept.has(attachmentId)) continue;
    const { kind, name, mimeType } = ref;
    for (const own of attachments.saveAll([{ kind, name, mimeType, dataBase64 }], note)) kept.set(attachmentId, own);
  }
};

/**
 * Reads rows from the pages of an SQLite file without its trees, so that each whole page gives what it holds although
 * others are damaged or gone. The format: https://sqlite.org/fileformat2.html. SQLite's own recovery is not part of node:sqlite.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export type SqlValue = string | number | bigint | Uint8Array | null;

/** A row of a table or an index; only its values tell of which one. */
export interface PageRow {
  /** SQLite keeps tables WITHOUT ROWID in index trees. */
  readonly tree: 'table' | 'index';
  readonly values: readonly SqlValue[];
}

const FILE_HEADER_BYTES = 100;
const WAL_HEADER_BYTES = 32;
const WAL_FRAME_HEADER_BYTES = 24;
/** The default, which our files have: what the file itself says of it may be what was damaged. Nothing is kept free at the end of a page. */
const PAGE_BYTES = 4096;
const INTERIOR_INDEX = 0x02;
const LEAF_INDEX = 0x0a;
const LEAF_TABLE = 0x0d;

/** All rows in the pages of `file` and of the write-ahead log beside it; pages on the list of free ones are passed over. */
export function* readPageRows(file: string): Generator<PageRow> {
  using pages = new Pages(file);
  const free = freePages(pages);
  for (let number = 1; number <= pages.count; number += 1) {
    if (!free.has(number)) yield* readPage(pages, number);
  }
}

/** The pages as the newest commit left them, as far as they exist. */
class Pages {
  readonly count: number;
  readonly #fd: number;
  readonly #fromLog: ReadonlyMap<number, Buffer>;

  constructor(file: string) {
    this.#fd = openSync(file, 'r');
    this.#fromLog = readLog(`${file}-wal`);
    this.count = Math.max(Math.ceil(fstatSync(this.#fd).size / PAGE_BYTES), ...this.#fromLog.keys());
  }

  /** Null when the file ends before the page does. */
  read(number: number): Buffer | null {
    const logged = this.#fromLog.get(number);
    if (logged !== undefined) return logged;
    if (number < 1 || number > this.count) return null;
    const page = Buffer.alloc(PAGE_BYTES);
    return readSync(this.#fd, page, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES) === PAGE_BYTES ? page : null;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/** The newest page of each number in a write-ahead log; frames of an older log, which it overwrites from its beginning, do not count. */
const readLog = (file: string): Map<number, Buffer> => {
  const found = new Map<number, Buffer>();
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    // There is no write-ahead log.
    return found;
  }
  try {
    const header = Buffer.alloc(WAL_HEADER_BYTES);
    if (readSync(fd, header, 0, WAL_HEADER_BYTES, 0) < WAL_HEADER_BYTES) return found;
    const frameBytes = WAL_FRAME_HEADER_BYTES + PAGE_BYTES;
    for (let at = WAL_HEADER_BYTES; ; at += frameBytes) {
      const frame = Buffer.alloc(frameBytes);
      if (readSync(fd, frame, 0, frameBytes, at) < frameBytes) return found;
      // The salt shows that a frame belongs to this log.
      if (frame.subarray(8, 16).equals(header.subarray(16, 24))) found.set(frame.readUInt32BE(0), frame.subarray(WAL_FRAME_HEADER_BYTES));
    }
  } finally {
    closeSync(fd);
  }
};

/** Free pages still contain what was deleted, which must not come back. */
const freePages = (pages: Pages): Set<number> => {
  const free = new Set<number>();
  let trunk = pages.read(1)?.readUInt32BE(32) ?? 0;
  while (trunk !== 0 && !free.has(trunk)) {
    free.add(trunk);
    const page = pages.read(trunk);
    if (page === null) break;
    const count = Math.min(page.readUInt32BE(4), PAGE_BYTES / 4 - 2);
    for (let index = 0; index < count; index += 1) free.add(page.readUInt32BE(8 + index * 4));
    trunk = page.readUInt32BE(0);
  }
  return free;
};

function* readPage(pages: Pages, number: number): Generator<PageRow> {
  const page = pages.read(number);
  if (page === null) return;
  const start = number === 1 ? FILE_HEADER_BYTES : 0;
  const kind = page.readUInt8(start);
  if (kind !== LEAF_TABLE && kind !== LEAF_INDEX && kind !== INTERIOR_INDEX) return;
  const pointers = start + (kind === INTERIOR_INDEX ? 12 : 8);
  const count = Math.min(page.readUInt16BE(start + 3), Math.floor((page.length - pointers) / 2));
  for (let index = 0; index < count; index += 1) {
    const values = attempt(() => readCell(pages, page, page.readUInt16BE(pointers + index * 2), kind));
    if (values !== null) yield { tree: kind === LEAF_TABLE ? 'table' : 'index', values };
  }
}

/** Damaged bytes may lead out of their page, which Buffer refuses to read. */
const attempt = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

const readCell = (pages: Pages, page: Buffer, offset: number, kind: number): SqlValue[] | null => {
  const size = readVarint(page, kind === INTERIOR_INDEX ? offset + 4 : offset);
  const at = kind === LEAF_TABLE ? readVarint(page, size.next).next : size.next;
  const payload = readPayload(pages, page, at, size.value, kind === LEAF_TABLE);
  return payload === null ? null : decodeRecord(payload);
};

/** A payload that is too long for its page goes on in a chain of others. */
const readPayload = (pages: Pages, page: Buffer, at: number, sizeBytes: number, isTable: boolean): Buffer | null => {
  const usable = PAGE_BYTES;
  if (sizeBytes > pages.count * usable) return null;
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((sizeBytes - least) % (usable - 4));
  const localBytes = sizeBytes <= most ? sizeBytes : fitting <= most ? fitting : least;
  if (at + localBytes > usable) return null;
  const parts = [page.subarray(at, at + localBytes)];
  let left = sizeBytes - localBytes;
  for (let next = left > 0 ? page.readUInt32BE(at + localBytes) : 0; left > 0;) {
    const more = pages.read(next);
    if (more === null) return null;
    parts.push(more.subarray(4, 4 + Math.min(left, usable - 4)));
    left -= usable - 4;
    next = more.readUInt32BE(0);
  }
  return Buffer.concat(parts);
};

const decodeRecord = (record: Buffer): SqlValue[] | null => {
  const header = readVarint(record, 0);
  if (header.value > record.length) return null;
  const values: SqlValue[] = [];
  let body = header.value;
  for (let at = header.next; at < header.value;) {
    const type = readVarint(record, at);
    at = type.next;
    const width = widthOf(type.value);
    if (body + width > record.length) return null;
    values.push(decodeValue(record, body, type.value, width));
    body += width;
  }
  return values;
};

/** Bytes of a value, by its serial type. */
const widthOf = (type: number): number => {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type] ?? 0;
};

const decodeValue = (record: Buffer, at: number, type: number, width: number): SqlValue => {
  if (type >= 12) return type % 2 === 1 ? record.toString('utf8', at, at + width) : record.subarray(at, at + width);
  if (type === 0) return null;
  if (type === 7) return record.readDoubleBE(at);
  if (type === 6) return Number(record.readBigInt64BE(at));
  return type >= 8 ? type - 8 : record.readIntBE(at, width);
};

/** Up to nine bytes, seven bits each, the first bit says whether another follows; the ninth has eight bits. */
const readVarint = (bytes: Buffer, at: number): { value: number; next: number } => {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes.readUInt8(at + index);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next: at + index + 1 };
  }
  return { value: value * 256 + bytes.readUInt8(at + 8), next: at + 9 };
};

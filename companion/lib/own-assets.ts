/**
 * An asset of this executable, read from its file piece by piece. The runtime hands it out mapped, and each page of a mapping that was touched counts as
 * memory of the process for as long as it runs.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { getAssetKeys, getRawAsset } from 'node:sea';

/** The segment of an ELF file that the runtime looks for, by the name of its note, and how its content begins. */
const PT_NOTE = 4;
const NOTE_NAME = 'NODE_SEA_BLOB\0';
const BLOB_MAGIC = 0x01_43_da_20;
const MAX_SEGMENTS = 64;

export class OwnAsset {
  readonly #name: string;
  /** Where it begins in the file; null on systems other than Linux, and where the file has another form. */
  readonly #start: number | null;

  constructor(name: string) {
    this.#name = name;
    this.#start = process.platform === 'linux' ? whileOpen((reader) => startOf(reader, name)) : null;
  }

  /** A piece of it, in memory of its own that can be given back. */
  at(start: number, length: number): Buffer<ArrayBuffer> {
    const own = this.#start;
    const read = own === null ? null : whileOpen((reader) => reader.at(own + start, length));
    return read ?? Buffer.from(getRawAsset(this.#name).slice(start, start + length));
  }
}

const whileOpen = <T>(work: (reader: FileReader) => T): T | null => {
  try {
    // It is the program that runs, also when another one has its place by now.
    const file = openSync('/proc/self/exe', 'r');
    try {
      return work(new FileReader(file));
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
};

const startOf = (reader: FileReader, name: string): number | null => {
  if (!toBlob(reader)) return null;
  const place = placesOf(reader).get(name);
  return place?.length === getRawAsset(name).byteLength ? place.start : null;
};

/** Goes to the blob's first byte. */
const toBlob = (reader: FileReader): boolean => {
  const header = reader.at(0, 64);
  const isElf64 = header.toString('latin1', 0, 5) === '\x7FELF\x02';
  const count = header.readUInt16LE(56);
  if (!isElf64 || count > MAX_SEGMENTS) return false;
  const table = Number(header.readBigUInt64LE(32));
  for (let index = 0; index < count; index += 1) {
    const segment = reader.at(table + index * 56, 56);
    if (segment.readUInt32LE(0) !== PT_NOTE) continue;
    const start = Number(segment.readBigUInt64LE(8));
    if (toNote(reader, start, start + Number(segment.readBigUInt64LE(32)))) return reader.next(4).readUInt32LE(0) === BLOB_MAGIC;
  }
  return false;
};

/** Goes to the content of the note in this segment. Name and content of each note are filled up to a multiple of four. */
const toNote = (reader: FileReader, start: number, end: number): boolean => {
  for (let at = start; at + 12 < end;) {
    const head = reader.at(at, 12);
    const nameLength = head.readUInt32LE(0);
    const content = at + 12 + filledUp(nameLength);
    reader.position = content;
    if (nameLength === NOTE_NAME.length && reader.at(at + 12, nameLength).toString('latin1') === NOTE_NAME) return true;
    at = content + filledUp(head.readUInt32LE(4));
  }
  return false;
};

const filledUp = (length: number): number => Math.ceil(length / 4) * 4;

/** Six bytes of flags, the name and text of the first tier, then the assets, each with its name. Lengths have eight bytes. */
const placesOf = (reader: FileReader): ReadonlyMap<string, { readonly start: number; readonly length: number }> => {
  reader.position += 6;
  reader.skip();
  reader.skip();
  const places = new Map<string, { start: number; length: number }>();
  const known = getAssetKeys();
  if (reader.length() !== known.length) throw new Error('this blob has another form');
  for (const _ of known) {
    const name = reader.next(reader.length()).toString();
    const length = reader.length();
    places.set(name, { start: reader.position, length });
    reader.position += length;
  }
  return places;
};

const MAX_LENGTH = 64 * 1024 * 1024;

class FileReader {
  position = 0;
  readonly #file: number;

  constructor(file: number) {
    this.#file = file;
  }

  at(start: number, length: number): Buffer<ArrayBuffer> {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length;) {
      const count = readSync(this.#file, bytes, filled, length - filled, start + filled);
      if (count === 0) throw new Error('the file has ended');
      filled += count;
    }
    return bytes;
  }

  next(length: number): Buffer<ArrayBuffer> {
    const bytes = this.at(this.position, length);
    this.position += length;
    return bytes;
  }

  length(): number {
    const length = Number(this.next(8).readBigUInt64LE());
    if (length > MAX_LENGTH) throw new Error('this blob has another form');
    return length;
  }

  skip(): void {
    const length = this.length();
    this.position += length;
  }
}

/**
 * The signature that Apple's processors ask of every program, without a certificate: hashes of its pages, as Apple's linker appends them
 * ("ad hoc, linker-signed"). https://github.com/apple-oss-distributions/xnu/blob/main/osfmk/kern/cs_blobs.h
 */
import { createHash } from 'node:crypto';

const MAGIC_64 = 0xfeedfacf;
const HEADER = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const PAGE = 4096;
const HASH = 32;

const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const DIRECTORY_HEAD = 88;
const AD_HOC_LINKER_SIGNED = 0x20002;

interface Segment {
  /** Of its load command. */
  readonly at: number;
  readonly fileStart: number;
  readonly fileSize: number;
}

/** The load commands of a program for one processor: what a signature needs to know of them. */
const readLayout = (binary: Buffer) => {
  if (binary.readUInt32LE(0) !== MAGIC_64) throw new Error('this is no Mach-O program for one 64-bit processor');
  const segments = new Map<string, Segment>();
  let signature: { at: number; start: number; size: number } | null = null;
  let firstSection = Number.POSITIVE_INFINITY;
  let at = HEADER;
  for (let left = binary.readUInt32LE(16); left > 0; left -= 1) {
    const [command, size] = [binary.readUInt32LE(at), binary.readUInt32LE(at + 4)];
    if (command === LC_SEGMENT_64) {
      const name = binary.toString('latin1', at + 8, at + 24).replace(/\0+$/u, '');
      const segment = { at, fileStart: Number(binary.readBigUInt64LE(at + 40)), fileSize: Number(binary.readBigUInt64LE(at + 48)) };
      segments.set(name, segment);
      for (let section = 0; section < binary.readUInt32LE(at + 64); section += 1) {
        const start = binary.readUInt32LE(at + 72 + 80 * section + 48);
        if (start > 0) firstSection = Math.min(firstSection, start);
      }
    } else if (command === LC_CODE_SIGNATURE) {
      signature = { at, start: binary.readUInt32LE(at + 8), size: binary.readUInt32LE(at + 12) };
    }
    at += size;
  }
  return { segments, signature, end: at, firstSection };
};

/** A copy of `binary`, which has no signature, with one. */
export const adHocSigned = (binary: Buffer, identifier: string): Buffer => {
  const { segments, signature, end, firstSection } = readLayout(binary);
  const [text, linkEdit] = [segments.get('__TEXT'), segments.get('__LINKEDIT')];
  if (text === undefined || linkEdit === undefined) throw new Error('this Mach-O program has no __TEXT or no __LINKEDIT');
  if (signature !== null) throw new Error('this Mach-O program is signed already');
  if (linkEdit.fileStart + linkEdit.fileSize !== binary.length) throw new Error('__LINKEDIT is not the end of this Mach-O program');
  if (end + 16 > firstSection) throw new Error('this Mach-O program has no room for another load command');

  const name = Buffer.from(`${identifier}\0`);
  const codeSize = roundUp(binary.length, 16);
  const pages = Math.ceil(codeSize / PAGE);
  const signatureSize = roundUp(20 + DIRECTORY_HEAD + name.length + HASH * pages, 16);
  const signed = Buffer.alloc(codeSize + signatureSize);
  binary.copy(signed);

  // The first page is hashed with these changes.
  signed.writeUInt32LE(binary.readUInt32LE(16) + 1, 16);
  signed.writeUInt32LE(binary.readUInt32LE(20) + 16, 20);
  for (const [index, value] of [LC_CODE_SIGNATURE, 16, codeSize, signatureSize].entries()) signed.writeUInt32LE(value, end + 4 * index);
  const linkEditSize = signed.length - linkEdit.fileStart;
  signed.writeBigUInt64LE(BigInt(linkEditSize), linkEdit.at + 48);
  signed.writeBigUInt64LE(BigInt(roundUp(linkEditSize, 16_384)), linkEdit.at + 32);

  superBlob({ signed, codeSize, pages, name, text }).copy(signed, codeSize);
  return signed;
};

interface Signing {
  readonly signed: Buffer;
  readonly codeSize: number;
  readonly pages: number;
  readonly name: Buffer;
  readonly text: Segment;
}

const superBlob = ({ signed, codeSize, pages, name, text }: Signing): Buffer => {
  const hashStart = DIRECTORY_HEAD + name.length;
  const length = hashStart + HASH * pages;
  const head = Buffer.alloc(20 + DIRECTORY_HEAD);
  const words = [SUPER_BLOB, 20 + length, 1, 0, 20];
  words.push(CODE_DIRECTORY, length, 0x20400, AD_HOC_LINKER_SIGNED, hashStart, DIRECTORY_HEAD, 0, pages, codeSize);
  for (const [index, word] of words.entries()) head.writeUInt32BE(word, 4 * index);
  // The size of a hash, SHA-256, no platform, and the size of a page as a power of two.
  Buffer.from([HASH, 2, 0, 12]).copy(head, 56);
  head.writeBigUInt64BE(BigInt(text.fileStart), 84);
  head.writeBigUInt64BE(BigInt(text.fileSize), 92);
  // It is the main program of a process.
  head.writeBigUInt64BE(1n, 100);
  return Buffer.concat([head, name, ...pageHashes(signed, codeSize, pages)]);
};

const pageHashes = (binary: Buffer, codeSize: number, pages: number): Buffer[] =>
  Array.from({ length: pages }, (_, page) =>
    createHash('sha256')
      .update(binary.subarray(page * PAGE, Math.min((page + 1) * PAGE, codeSize)))
      .digest(),
  );

/** What is wrong with a program's signature, as a Mac would find it; null when it is right. */
export const signatureProblem = (binary: Buffer): string | null => {
  const { signature } = readLayout(binary);
  if (signature === null) return 'there is none';
  const { start, size } = signature;
  if (start + size !== binary.length) return 'it is not the end of the file';
  const directory = start + binary.readUInt32BE(start + 16);
  if (binary.readUInt32BE(start) !== SUPER_BLOB || binary.readUInt32BE(directory) !== CODE_DIRECTORY) return 'it is no signature';
  const hashStart = directory + binary.readUInt32BE(directory + 16);
  const pages = binary.readUInt32BE(directory + 28);
  const codeSize = binary.readUInt32BE(directory + 32);
  if (codeSize !== start || pages !== Math.ceil(codeSize / PAGE)) return 'it does not cover the program';
  const wrong = pageHashes(binary, codeSize, pages).findIndex(
    (hash, page) => !hash.equals(binary.subarray(hashStart + HASH * page, hashStart + HASH * (page + 1))),
  );
  return wrong < 0 ? null : `page ${wrong} has another hash`;
};

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

/** Takes the executable out of a package that was checked. */
import { spawnSync } from 'node:child_process';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { CompanionError } from '#protocol/errors.ts';
import type { Release } from './release.ts';

const MAX_BYTES = 512 * 2 ** 20;
const XZ_WITHIN_MS = 120_000;
const BLOCK = 512;

/** The program in a `.tar.gz`, `.tar.xz` or `.zip`, or the file itself. Packages that a system installs are left to it. */
export const executableIn = ({ name, content }: Release): Buffer => {
  if (name.endsWith('.deb')) throw refused(`${name} is for your system's package manager.`, `Run: sudo apt install ./${name}`);
  if (name.endsWith('-setup.exe')) throw refused(`${name} is a setup program.`, 'Start it; it replaces what is installed.');
  if (name.endsWith('-portable.exe')) throw refused(`${name} is not to be installed.`, 'Start it where it lies, or name the .zip instead.');
  if (name.endsWith('.tar.gz')) return inTar(gunzipSync(content, { maxOutputLength: MAX_BYTES }), name);
  if (name.endsWith('.tar.xz')) return inTar(unpackXz(content), name);
  if (name.endsWith('.zip')) return inZip(content, name);
  if (/\.(?:json|txt)$/u.test(name)) throw notThere(name);
  return content;
};

/** macOS has no xz, but its tar reads it and can write what it read as a plain archive. */
const unpackXz = (content: Buffer): Buffer => {
  for (const [command, ...args] of [
    ['xz', '-dc'],
    ['tar', '-cf', '-', '--format=ustar', '@-'],
  ] as const) {
    const { stdout, status } = spawnSync(command, args, { input: content, maxBuffer: MAX_BYTES, timeout: XZ_WITHIN_MS });
    if (status === 0) return stdout;
  }
  throw refused('The package could not be unpacked with xz.', 'Install xz-utils, then try again.');
};

/** Reads POSIX ustar; names that are split into two fields are longer than those of our packages. */
const inTar = (archive: Buffer, name: string): Buffer => {
  for (let at = 0; at + BLOCK <= archive.length;) {
    const entry = textIn(archive, at, 100);
    if (entry === '') break;
    const size = Number.parseInt(textIn(archive, at + 124, 12), 8);
    const isFile = archive[at + 156] === '0'.charCodeAt(0);
    if (!Number.isSafeInteger(size)) break;
    const start = at + BLOCK;
    if (isFile && isProgram(entry)) return archive.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw notThere(name);
};

/** Reads the central directory of a zip without comment, as we write it. */
const inZip = (archive: Buffer, name: string): Buffer => {
  const end = archive.length - 22;
  if (end < 0 || archive.readUInt32LE(end) !== 0x06054b50) throw notThere(name);
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0 && at + 46 <= end; left -= 1) {
    const [packed, nameLength, extra, comment] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
      archive.readUInt16LE(at + 30),
      archive.readUInt16LE(at + 32),
    ];
    if (isProgram(archive.toString('utf8', at + 46, at + 46 + nameLength))) {
      const local = archive.readUInt32LE(at + 42);
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      return inflateRawSync(archive.subarray(start, start + packed), { maxOutputLength: MAX_BYTES });
    }
    at += 46 + nameLength + extra + comment;
  }
  throw notThere(name);
};

const isProgram = (entry: string): boolean => /(?:^|\/)pilotfish(?:\.exe)?$/u.test(entry);

const textIn = (bytes: Buffer, start: number, length: number): string =>
  bytes
    .toString('latin1', start, start + length)
    .replace(/\0[^]*$/u, '')
    .trim();

const refused = (detail: string, remedy: string): CompanionError => new CompanionError('UPDATE_REFUSED', detail, { remedy });

const notThere = (name: string): CompanionError =>
  new CompanionError('UPDATE_REFUSED', `There is no pilotfish in ${name}.`, { remedy: 'Name the package that is for this system.' });

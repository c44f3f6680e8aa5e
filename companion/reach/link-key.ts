/** The key with which host and daemon prove themselves to each other. Builtins only, because the host reads it. */
import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, readFileSync, unlinkSync } from 'node:fs';
import { makeNewFile } from '#companion/lib/new-file.ts';
import { ForeignDirectoryError, moveAway, type Paths } from '#companion/lib/paths.ts';
import { explainLink } from '#protocol/link-faults.ts';

const KEY_HEX = /^[0-9a-f]{64}$/;

/** The 32 bytes of this user's key. The first process that asks for the key makes it. */
export const readLinkKey = (paths: Pick<Paths, 'keyFile'>): Buffer => {
  const found = readKey(paths.keyFile);
  if (found !== null) return found;
  makeNewFile(paths.keyFile, `${randomBytes(32).toString('hex')}\n`);
  const made = readKey(paths.keyFile);
  if (made === null) throw new Error(`${paths.keyFile} could not be read back after it was written.`);
  return made;
};

const readKey = (file: string): Buffer | null => {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile()) throw new ForeignDirectoryError(explainLink('place_not_plain', { place: file }), moveAway(file));
  if (process.getuid !== undefined) {
    if (stat.uid !== process.getuid()) throw new ForeignDirectoryError(explainLink('place_of_other', { place: file }), moveAway(file));
    if ((stat.mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
  const hex = readFileSync(file, 'utf8').trim();
  if (KEY_HEX.test(hex)) return Buffer.from(hex, 'hex');
  // A damaged key opens nothing; the next daemon and host agree on a new one.
  unlinkSync(file);
  return null;
};

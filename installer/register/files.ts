/** Writes files so that they are either old or new, never half, and tells which other users could change them. */
import {
  type Stats,
  chmodSync,
  lstatSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { found } from '#protocol/checks.ts';
import type { Said } from '#protocol/said.ts';
import { makeDir } from '#companion/lib/make-dir.ts';
import type { Steps } from './steps.ts';

/** The kind of what is at a place; undefined when there is nothing, or nothing can be there. Links are followed only when asked for. */
export const lookAt = (place: string, links: 'follow' | 'keep' = 'keep'): Stats | undefined => {
  try {
    return links === 'follow' ? statSync(place) : lstatSync(place);
  } catch {
    // There is a file where a folder would have to be, or it may not be looked at.
    return undefined;
  }
};

/** Puts `content` at `file` with exactly `mode`. What stands there already is left alone. */
export function* writeWhole(file: string, content: string | Buffer, mode: number): Steps<'written' | 'unchanged'> {
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  if (isSame(file, content, mode)) return 'unchanged';
  makeDir(path.dirname(file));
  orNothing(draft, () => {
    writeFileSync(draft, content, { mode, flag: 'wx', flush: true });
    // The umask may have taken bits away.
    chmodSync(draft, mode);
  });
  yield `drafted ${file}`;
  renameSync(draft, file);
  yield `wrote ${file}`;
  return 'written';
}

/** Writes a draft, of which nothing stays when that fails: a full disk has no room for it. */
export const orNothing = (draft: string, write: () => void): void => {
  try {
    write();
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
};

/** Removes a file and its unfinished draft; returns whether there was one. */
export const removeFile = (file: string): boolean => {
  rmSync(`${file}.new`, { force: true });
  if (lookAt(file) === undefined) return false;
  rmSync(file);
  return true;
};

/** Removes a folder that nothing is in. */
export const removeEmptyDir = (directory: string): void => {
  try {
    if (readdirSync(directory).length === 0) rmdirSync(directory);
  } catch {
    // It is not there, or the user may not remove it; in both cases nothing that we put there is in it.
  }
};

/** Why somebody else could change `file`: it or a folder above it is writable by others, or belongs to another user. */
export const looseRights = (file: string): Said[] =>
  loosePlaces(file).map(({ place, isForeign }) => found(isForeign ? 'of_another_user' : 'open_to_others', { place }));

/** The command that closes these places to others; null when one of them is another user's, who alone can do that. */
export const closingCommand = (files: readonly string[]): string | null => {
  const self = process.getuid?.();
  const places = [...new Set(files.flatMap(loosePlaces).map(({ place }) => place))];
  if (places.length === 0 || places.some((place) => lookAt(place)?.uid !== self)) return null;
  return `chmod go-w ${places.map(quotedForShell).join(' ')}`;
};

export const quotedForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const loosePlaces = (file: string): { readonly place: string; readonly isForeign: boolean }[] => {
  const self = process.getuid?.();
  if (self === undefined) return [];
  const found: { place: string; isForeign: boolean }[] = [];
  for (let place = file; ; place = path.dirname(place)) {
    const stat = lookAt(place);
    if (stat !== undefined && !stat.isSymbolicLink()) {
      // In a sticky folder such as /tmp nobody can replace what belongs to another.
      const isSticky = stat.isDirectory() && (stat.mode & 0o1000) !== 0;
      if ((stat.mode & 0o022) !== 0 && !isSticky) found.push({ place, isForeign: false });
      if (stat.uid !== self && stat.uid !== 0) found.push({ place, isForeign: true });
    }
    if (place === path.dirname(place)) return found;
  }
};

const isSame = (file: string, content: string | Buffer, mode: number): boolean => {
  const stat = lookAt(file);
  if (stat?.isFile() !== true) return false;
  if (process.platform !== 'win32' && (stat.mode & 0o777) !== mode) return false;
  return readFileSync(file).equals(Buffer.from(content));
};

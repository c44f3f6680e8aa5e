/**
 * A note beside the database that it was closed in order, and what its file was like then. A file that is still the same is not
 * read whole before it is used again, which takes about a second for each gigabyte.
 */
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { VERSION } from '#protocol/version.ts';
import { parseJson } from './json.ts';

const Look = z.object({ inode: z.string(), sizeBytes: z.number(), changedAtSeconds: z.number() });
const Closing = z.object({
  /** When all of the file was last read, as Unix milliseconds. */
  checkedAt: z.number(),
  /** The sessions whose rows in the list do not say how their logs ended; null when that is not known, as of another version's rows. */
  unsettled: z.array(z.string()).readonly().nullable().default(null),
});
export type Closing = z.infer<typeof Closing>;
const Note = z.object({ ...Look.shape, ...Closing.shape, version: z.string().optional() });

/** A disk may lose bits by itself, so that all of the file is read this often. */
const CHECK_EVERY_MS = 24 * 60 * 60_000;
/** The file gets a time of change that lies so far back: whatever is written to it later, however soon, gives it another one. */
const BACK_SECONDS = 10;

const noteOf = (file: string): string => `${file}.closed`;

/**
 * Takes the note away, and gives what it says; null when the file has to be read whole now, because nobody closed it, it has
 * changed since, or it was last read long ago.
 */
export const takeClosingNote = (file: string): Closing | null => {
  try {
    const { checkedAt, unsettled, version, ...noted } = Note.parse(parseJson(readFileSync(noteOf(file), 'utf8')));
    rmSync(noteOf(file));
    const age = Date.now() - checkedAt;
    const isSame = !isOpenStill(file) && isDeepStrictEqual(noted, lookOf(file));
    return isSame && age >= 0 && age < CHECK_EVERY_MS ? { checkedAt, unsettled: version === VERSION ? unsettled : null } : null;
  } catch {
    return null;
  }
};

/** Notes that the file was closed; call it when nothing has the file open any more. */
export const leaveClosingNote = (file: string, closing: Closing): void => {
  try {
    if (isOpenStill(file)) return;
    const seconds = Math.floor(Date.now() / 1000) - BACK_SECONDS;
    utimesSync(file, seconds, seconds);
    writeFileSync(noteOf(file), JSON.stringify({ ...lookOf(file), ...closing, version: VERSION }), { mode: 0o600 });
  } catch {
    // Without the note the file is read whole.
  }
};

const lookOf = (file: string): z.infer<typeof Look> => {
  const { ino, size, mtimeMs } = statSync(file, { bigint: true });
  return { inode: String(ino), sizeBytes: Number(size), changedAtSeconds: Number(mtimeMs) / 1000 };
};

/** Whether there is a log beside it that has not been taken in. */
const isOpenStill = (file: string): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

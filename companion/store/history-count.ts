/**
 * How much history there was, in a small file beside the database: a database that was emptied, deleted, cut or replaced by an
 * older copy is sound in itself, so only this can tell that something is missing.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as z from 'zod';
import { warn, type Warning } from '#protocol/warnings.ts';
import { parseJson } from './json.ts';

const Count = z.object({ sessions: z.number(), entries: z.number() });
export type Count = z.infer<typeof Count>;

/** The file is overwritten in place, always whole. */
const LINE_CHARS = 80;

export class HistoryCount {
  readonly #file: string;
  readonly #fd: number | null;
  #count: Count;

  /** `count` is what the database contains now. */
  constructor(file: string, count: Count) {
    this.#file = file;
    this.#count = count;
    this.#fd = open(file);
  }

  /** What the file says, or null when there is none. */
  read(): Count | null {
    return readCount(this.#file);
  }

  /** Call it after something was stored and before something is removed, so that a crash in between raises no false alarm. */
  add(change: Count): void {
    this.write({ sessions: this.#count.sessions + change.sessions, entries: this.#count.entries + change.entries });
  }

  write(count: Count = this.#count): void {
    this.#count = count;
    if (this.#fd === null) return;
    try {
      writeSync(this.#fd, `${JSON.stringify(count).padEnd(LINE_CHARS - 1)}\n`, 0);
    } catch {
      // A full disk must not stop the program; the file then keeps its old count.
    }
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
  }
}

/** What the file says, or null when there is none. */
export const readCount = (file: string): Count | null => {
  try {
    return Count.safeParse(parseJson(readFileSync(file, 'utf8'))).data ?? null;
  } catch {
    // Without the file nothing can be compared.
    return null;
  }
};

const open = (file: string): number | null => {
  for (const flags of ['r+', 'w+']) {
    try {
      return openSync(file, flags, 0o600);
    } catch {
      // The file does not exist yet, or may not be written.
    }
  }
  return null;
};

/** What is missing; null when nothing is. */
export const describeLoss = (file: string, before: Count | null, now: Count): Warning | null => {
  if (before === null || (now.sessions >= before.sessions && now.entries >= before.entries)) return null;
  if (now.sessions === 0) {
    return { what: warn('history_gone', { file, sessions: before.sessions }), remedy: warn('put_back') };
  }
  const entries = Math.max(0, before.entries - now.entries);
  const sessions = before.sessions - now.sessions;
  return { what: sessions > 0 ? warn('sessions_missing', { entries, sessions, file }) : warn('entries_missing', { entries, file }) };
};

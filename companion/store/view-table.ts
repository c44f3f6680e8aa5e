/** What sessions looked like at one of their events, in parts. All of it can be made again from the events. */
import type { StatementSync } from 'node:sqlite';
import * as z from 'zod';
import type { SessionId } from '#protocol/ids.ts';
import type { Database } from './database.ts';
import { parseJson } from './json.ts';
import { crcOf } from './schema.ts';

const Row = z.object({ seq: z.number(), form: z.string(), body: z.string(), crc: z.number() });

/** A part as it was stored. */
interface StoredPart {
  /** The event after which it was stored. */
  readonly seq: number;
  readonly body: unknown;
}

/** A part that was damaged, or written in another form, is as good as none. */
export class ViewTable {
  readonly isReadOnly: boolean;
  readonly #db: Database;
  /** Null where nothing can be stored: then nothing is read either. */
  readonly #read: StatementSync | null;
  readonly #seq: StatementSync | null;

  constructor(db: Database) {
    this.#db = db;
    this.isReadOnly = db.isReadOnly;
    this.#read = db.isReadOnly ? null : db.prepare('SELECT seq, form, body, crc FROM views WHERE session_id = ? AND part = ?');
    this.#seq = db.isReadOnly ? null : db.prepare('SELECT seq FROM views WHERE session_id = ? AND part = 0 AND form = ?');
  }

  read(sessionId: SessionId, part: number, form: string): StoredPart | null {
    const row = Row.safeParse(this.#read?.get(sessionId, part)).data;
    if (row === undefined || row.form !== form) return null;
    const { seq, body, crc } = row;
    return crcOf([sessionId, part, seq, form, body]) === crc ? { seq, body: parseJson(body) } : null;
  }

  /** The event of the part 0, which is not read for that; 0 when there is none of that form. */
  newestSeq(sessionId: SessionId, form: string): number {
    return Number(this.#seq?.get(sessionId, form)?.['seq'] ?? 0);
  }

  /** Forgets all of a session. */
  clear(sessionId: SessionId): void {
    this.#db.write('normal', () => this.#db.prepare('DELETE FROM views WHERE session_id = ?').run(sessionId));
  }

  /** Forgets the last parts of a session, at most so many; says whether it has more. */
  clearLast(sessionId: SessionId, count: number): boolean {
    const newest = this.#db.prepare('SELECT MAX(part) AS part FROM views WHERE session_id = ?').get(sessionId)?.['part'];
    if (typeof newest !== 'number') return false;
    const remove = this.#db.prepare('DELETE FROM views WHERE session_id = ? AND part > ?');
    this.#db.write('normal', () => remove.run(sessionId, newest - count));
    return newest >= count;
  }

  /** Stores `parts` from the number `from` on in place of all that stood there, and `first` as the part 0; null while there is more to come. */
  save(
    sessionId: SessionId,
    { seq, form, first, from, parts }: { seq: number; form: string; first: unknown; from: number; parts: readonly unknown[] },
  ): void {
    const insert = this.#db.prepare('INSERT INTO views (session_id, part, seq, form, body, crc) VALUES (?, ?, ?, ?, ?, ?)');
    const put = (part: number, value: unknown): void => {
      const body = JSON.stringify(value);
      insert.run(sessionId, part, seq, form, body, crcOf([sessionId, part, seq, form, body]));
    };
    this.#db.write('normal', () => {
      this.#db.prepare('DELETE FROM views WHERE session_id = ? AND (part = 0 OR part >= ?)').run(sessionId, from);
      if (first !== null) put(0, first);
      for (const [index, part] of parts.entries()) put(from + index, part);
    });
  }
}

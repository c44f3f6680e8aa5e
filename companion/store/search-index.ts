/**
 * The index of what was said and run, in a file of its own: the history is the truth, and the index can be thrown away and made
 * again at any time. So it is not synced, not salvaged, and what it is missing is read in again.
 */
import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Log } from '#companion/lib/log.ts';
import { ItemId, SessionId, TurnId } from '#protocol/ids.ts';
import { SearchKind } from '#protocol/search.ts';
import * as z from 'zod';
import { isCorruption } from './database.ts';
import { type Wanted, wordsOf } from './search-words.ts';
import { fits } from './snippet.ts';

/** What one item says. */
export interface SearchEntry {
  readonly itemId: ItemId;
  readonly turnId: TurnId;
  readonly at: number;
  readonly kind: SearchKind;
  /** Of a tool: the line that says what it did. */
  readonly title: string | null;
  readonly text: string;
}

export type SearchChange =
  | { readonly type: 'put'; readonly entry: SearchEntry }
  | { readonly type: 'drop'; readonly itemId: ItemId }
  | { readonly type: 'clear' };

/** What has changed in a session. `doneSeq`: everything up to that event is in the index then; null when something is still open. */
export interface SearchNote {
  readonly sessionId: SessionId;
  readonly changes: readonly SearchChange[];
  readonly doneSeq: number | null;
}

export interface SearchScope {
  /** The sessions to look in. */
  readonly sessionIds: ReadonlySet<SessionId>;
  readonly kind: SearchKind | null;
  /** Unix milliseconds. */
  readonly since: number;
  readonly until: number;
  readonly limit: number;
  readonly cursor: number | null;
}

export type FoundEntry = SearchEntry & { readonly sessionId: SessionId };

/** Another number makes the index anew. */
const VERSION = 3;
const BUSY_TIMEOUT_MS = 2000;
/** How long what was noted may wait. */
const FLUSH_MS = 300;
const MAX_NOTES = 2000;
/** An entry's number is its time and a counter, so that the newest is found first without sorting. */
const PER_MS = 1000;
/** Beginnings up to this length have an index of their own. */
const MAX_PREFIX_CHARS = 4;
/** After so many entries that only share the first characters of a longer beginning, that beginning itself is looked up. */
const MAX_GUESSES = 400;
/** How long a page is looked for; a page may be short. */
const MAX_LOOK_MS = 40;
/** As many sessions are named in the question itself; of more, entries of other ones are passed over. */
const MAX_NAMED_SESSIONS = 200;
/** https://sqlite.org/lang_select.html#limitoffset */
const NO_LIMIT = -1;
/** No word of a text has this sign. */
const TAG = '§';

const SCHEMA = `
  CREATE TABLE sessions (key INTEGER PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL) STRICT;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, item_id TEXT NOT NULL, turn_id TEXT NOT NULL, kind TEXT NOT NULL, title TEXT,
    text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entries_item ON entries (session, item_id);
  CREATE VIRTUAL TABLE words USING fts5 (
    line, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4', tokenize = 'ascii'
  );
  PRAGMA user_version = ${VERSION};
`;

const Row = z.object({
  id: z.number(),
  session_id: SessionId,
  item_id: ItemId,
  turn_id: TurnId,
  kind: SearchKind,
  title: z.string().nullable(),
  text: z.string(),
});

export class SearchIndex {
  readonly #file: string;
  readonly #log: Log;
  #db: DatabaseSync | null;
  #statements: ReturnType<typeof prepareAll> | null = null;
  readonly #notes: SearchNote[] = [];
  /** Sessions of which something could not be taken in: the next daemon reads them in again. */
  readonly #torn = new Set<SessionId>();
  #timer: NodeJS.Timeout | null = null;

  /** Opens the index, and makes it when it is not there or cannot be read. */
  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
    this.#db = this.#open();
    if (this.#db !== null) this.#statements = prepareAll(this.#db);
  }

  /** How far each session has been read in. */
  states(): Map<string, number> {
    const rows = this.#attempt(() => this.#db?.prepare('SELECT session_id, seq FROM sessions').all()) ?? [];
    return new Map(rows.map((row) => [String(row['session_id']), Number(row['seq'])]));
  }

  /** Takes in what has changed, soon. */
  note(note: SearchNote): void {
    if (this.#db === null) return;
    this.#notes.push(note);
    if (this.#notes.length >= MAX_NOTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  /** Takes in what was noted. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const notes = this.#notes.splice(0);
    if (notes.length === 0) return;
    const isDone = this.#write(() => notes.forEach((note) => this.#apply(note)));
    if (!isDone) for (const { sessionId } of notes) this.#torn.add(sessionId);
  }

  /** Removes what is known of a session, at most so many entries; says whether there are more. Without a number all go at once. */
  remove(sessionId: SessionId, count = NO_LIMIT): boolean {
    this.flush();
    let hasMore = false;
    this.#write((statements) => {
      const key = statements.findKey.get(sessionId)?.['key'];
      if (typeof key !== 'number') return;
      const found = statements.someOfSession.all(key, count);
      for (const { id } of found) this.#remove(Number(id));
      hasMore = found.length === count;
      if (!hasMore) statements.forgetSession.run(key);
    });
    return hasMore;
  }

  /** The newest entries that have what is wanted. */
  find(wanted: Wanted, scope: SearchScope): { found: FoundEntry[]; next: number | null } {
    this.flush();
    if (wanted.words.length === 0 || this.#db === null) return { found: [], next: null };
    return this.#attempt(() => this.#look(wanted, scope)) ?? { found: [], next: null };
  }

  /** The one of these sessions that has an entry for this item. */
  whereSaid(itemId: ItemId, sessionIds: readonly SessionId[]): SessionId | undefined {
    this.flush();
    const { findKey, ofItem } = this.#statements ?? {};
    return this.#attempt(() =>
      sessionIds.find((sessionId) => {
        const key = findKey?.get(sessionId)?.['key'];
        return key !== undefined && ofItem?.get(key, itemId) !== undefined;
      }),
    );
  }

  close(): void {
    this.flush();
    this.#db?.close();
    this.#db = null;
    this.#statements = null;
  }

  #look(wanted: Wanted, scope: SearchScope): { found: FoundEntry[]; next: number | null } {
    const found: FoundEntry[] = [];
    const tags = this.#tagsOf(scope);
    if (tags === null) return { found, next: null };
    const endsAt = performance.now() + MAX_LOOK_MS;
    const hasLongPrefix = wanted.words.some(({ word, isPrefix }) => isPrefix && word.length > MAX_PREFIX_CHARS);
    let before = Math.min(scope.cursor ?? Infinity, scope.until * PER_MS, Number.MAX_SAFE_INTEGER);
    for (const isGuess of hasLongPrefix ? [true, false] : [false]) {
      const mustBeRead = isGuess || wanted.mustBeRead;
      let looked = 0;
      let isOver = true;
      for (const row of this.#rows(`${wordsToMatch(wanted, isGuess)}${tags}`, before, scope.since * PER_MS)) {
        if (found.length === scope.limit || (looked > 0 && performance.now() > endsAt)) return { found, next: before };
        if (isGuess && looked === MAX_GUESSES) {
          isOver = false;
          break;
        }
        looked += 1;
        before = row.id;
        if (scope.sessionIds.has(row.session_id) && (!mustBeRead || fits(textOf(row), wanted))) found.push(toEntry(row));
      }
      if (isOver) break;
    }
    return { found, next: null };
  }

  *#rows(match: string, before: number, since: number): Generator<z.infer<typeof Row>> {
    for (const row of this.#statements?.find.iterate(match, before, since) ?? []) yield Row.parse(row);
  }

  /** What narrows the question down beside its words; null when nothing can fit. */
  #tagsOf({ sessionIds, kind }: SearchScope): string | null {
    const ofKind = kind === null ? '' : ` AND "${TAG}k${kind}"`;
    if (sessionIds.size > MAX_NAMED_SESSIONS) return ofKind;
    const keys = [...sessionIds].flatMap((id) => this.#statements?.findKey.get(id)?.['key'] ?? []);
    return keys.length === 0 ? null : `${ofKind} AND (${keys.map((key) => `"${TAG}s${String(key)}"`).join(' OR ')})`;
  }

  #apply({ sessionId, changes, doneSeq }: SearchNote): void {
    const statements = this.#statements;
    if (statements === null) return;
    statements.addSession.run(sessionId);
    const key = Number(statements.findKey.get(sessionId)?.['key']);
    for (const change of changes) {
      if (change.type === 'clear') this.#clear(key);
      else this.#drop(key, change.type === 'drop' ? change.itemId : change.entry.itemId);
      if (change.type === 'put') this.#put(key, change.entry);
    }
    if (doneSeq !== null && !this.#torn.has(sessionId)) statements.setSeq.run(doneSeq, key);
  }

  #put(key: number, entry: SearchEntry): void {
    const { itemId, turnId, kind, title, text } = entry;
    const words = wordsOf(textOf(entry));
    if (words.size === 0) return;
    const id = this.#freeId(Math.trunc(entry.at) * PER_MS);
    this.#statements?.addEntry.run(id, key, itemId, turnId, kind, title, text);
    this.#statements?.addWords.run(id, `${[...words].join(' ')} ${TAG}s${key} ${TAG}k${kind}`);
  }

  /** The next number of that time; of a later one where all are taken: what was imported may have thousands of entries of one moment. */
  #freeId(first: number): number {
    const last = this.#statements?.lastId.get(first, first + PER_MS)?.['id'];
    if (typeof last !== 'number') return first;
    return last + 1 < first + PER_MS ? last + 1 : this.#freeId(first + PER_MS);
  }

  #drop(key: number, itemId: ItemId): void {
    for (const { id } of this.#statements?.ofItem.all(key, itemId) ?? []) this.#remove(Number(id));
  }

  #clear(key: number): void {
    for (const { id } of this.#statements?.ofSession.all(key) ?? []) this.#remove(Number(id));
  }

  #remove(id: number): void {
    this.#statements?.dropWords.run(id);
    this.#statements?.dropEntry.run(id);
  }

  /** Whether all of it is stored. */
  #write(work: (statements: ReturnType<typeof prepareAll>) => void): boolean {
    const db = this.#db;
    const statements = this.#statements;
    if (db === null || statements === null) return false;
    const done = this.#attempt(() => {
      db.exec('BEGIN IMMEDIATE');
      try {
        work(statements);
        db.exec('COMMIT');
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw error;
      }
      return true;
    });
    return done === true;
  }

  /** Search must never stop the work that it is about. */
  #attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#log.error('search.failed', { file: this.#file, error });
      return undefined;
    }
  }

  #open(): DatabaseSync | null {
    return this.#attempt(() => openSound(this.#file) ?? openNew(this.#file)) ?? null;
  }
}

/** The index as it is on disk; null when it must be made anew. */
const openSound = (file: string): DatabaseSync | null => {
  let db: DatabaseSync | null = null;
  try {
    // SQLite gives its side files the mode of the main one.
    closeSync(openSync(file, 'a', 0o600));
    db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    if (version === 0) db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`);
    if (version === VERSION || version === 0) return db;
  } catch (error) {
    db?.close();
    if (isCorruption(error)) return null;
    throw error;
  }
  db.close();
  return null;
};

const openNew = (file: string): DatabaseSync | null => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  return openSound(file);
};

const prepareAll = (db: DatabaseSync) => {
  /** SQLite's own tables for words have row numbers that are beyond JavaScript's, and the number of the last row is part of each answer. */
  const change = (sql: string): StatementSync => {
    const statement = db.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  return {
    findKey: db.prepare('SELECT key FROM sessions WHERE session_id = ?'),
    addSession: change('INSERT OR IGNORE INTO sessions (session_id, seq) VALUES (?, 0)'),
    setSeq: change('UPDATE sessions SET seq = ? WHERE key = ?'),
    forgetSession: change('DELETE FROM sessions WHERE key = ?'),
    lastId: db.prepare('SELECT MAX(id) AS id FROM entries WHERE id >= ? AND id < ?'),
    addEntry: change('INSERT INTO entries (id, session, item_id, turn_id, kind, title, text) VALUES (?, ?, ?, ?, ?, ?, ?)'),
    addWords: change('INSERT INTO words (rowid, line) VALUES (?, ?)'),
    ofItem: db.prepare('SELECT id FROM entries WHERE session = ? AND item_id = ?'),
    ofSession: db.prepare('SELECT id FROM entries WHERE session = ?'),
    someOfSession: db.prepare('SELECT id FROM entries WHERE session = ? LIMIT ?'),
    dropWords: change('DELETE FROM words WHERE rowid = ?'),
    dropEntry: change('DELETE FROM entries WHERE id = ?'),
    find: db.prepare(`
      SELECT entries.id, session_id, item_id, turn_id, kind, title, text
      FROM words JOIN entries ON entries.id = words.rowid JOIN sessions ON sessions.key = entries.session
      WHERE words MATCH ? AND words.rowid < ? AND words.rowid >= ? ORDER BY words.rowid DESC`),
  };
};

const wordsToMatch = ({ words }: Wanted, isGuess: boolean): string =>
  words
    .map(({ word, isPrefix }) => {
      if (!isPrefix) return `"${word}"`;
      return `"${isGuess ? word.slice(0, MAX_PREFIX_CHARS) : word}"*`;
    })
    .join(' AND ');

const textOf = ({ title, text }: Pick<SearchEntry, 'title' | 'text'>): string => (title === null ? text : `${title}\n${text}`);

const toEntry = (row: z.infer<typeof Row>): FoundEntry => ({
  sessionId: row.session_id,
  itemId: row.item_id,
  turnId: row.turn_id,
  at: Math.trunc(row.id / PER_MS),
  kind: row.kind,
  title: row.title,
  text: row.text,
});

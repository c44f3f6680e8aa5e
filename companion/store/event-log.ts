/** Sessions and their events. */
import type { StatementSync } from 'node:sqlite';
import * as z from 'zod';
import type { Log } from '#companion/lib/log.ts';
import { SessionSummary } from '#protocol/api.ts';
import { EventBody, type SessionEvent } from '#protocol/events.ts';
import { isSessionId, ProjectId, SessionId } from '#protocol/ids.ts';
import type { Said } from '#protocol/said.ts';
import { warn } from '#protocol/warnings.ts';
import type { AttachmentTable } from './attachment-table.ts';
import type { Database, Durability } from './database.ts';
import type { HistoryCount } from './history-count.ts';
import { parseJson } from './json.ts';
import { crcOf } from './schema.ts';
import type { UsageTable } from './usage-table.ts';

export interface SessionRow {
  readonly sessionId: SessionId;
  readonly projectId: ProjectId | null;
  /** A new log gets a new epoch; a reader cannot resume from an event id of another epoch. */
  readonly epoch: string;
  readonly createdAt: number;
  /** The number of the newest event in the log. */
  readonly lastSeq: number;
  /** How the session looked at `summarySeq`, so that a list needs no replay. */
  readonly summary: SessionSummary | null;
  readonly summarySeq: number;
  /** When it was deleted, as Unix milliseconds. */
  readonly removedAt?: number;
}

const Row = z.object({
  session_id: SessionId,
  project_id: ProjectId.nullable(),
  epoch: z.string(),
  created_at: z.number(),
  last_seq: z.number(),
  summary: z.string().nullable(),
  summary_seq: z.number(),
  crc: z.number(),
  removed_at: z.number().nullable(),
});
/** A session in whose log nothing is open, and whose row, which is not read yet, is as of its newest event. */
export type SettledSession = Pick<SessionRow, 'sessionId' | 'createdAt' | 'lastSeq'>;

const EventRow = z.object({ seq: z.number(), at: z.number(), crc: z.number(), body: z.string() });

/** An entry that changes nothing. */
const EMPTY = JSON.stringify({ type: 'session.updated' });
const SHOWS_ONLY = /^(?:turn|item|request|usage)\./;

/** Called with a sentence for a person when damage is found. */
export type DamageListener = (damage: Said) => void;

/** The table of sessions. A row that was damaged is left out and reported. */
export class SessionTable {
  readonly #db: Database;
  readonly #log: Log;
  readonly #onDamage: DamageListener;
  readonly #list: StatementSync;
  readonly #find: StatementSync;
  readonly #save: StatementSync;
  readonly #lastSeq: StatementSync;
  #count: HistoryCount | null = null;

  constructor(db: Database, log: Log, onDamage: DamageListener) {
    this.#db = db;
    this.#log = log;
    this.#onDamage = onDamage;
    const rows = `
      SELECT *, COALESCE((SELECT MAX(seq) FROM events WHERE events.session_id = sessions.session_id), 0) AS last_seq,
        ${db.isReadOnly ? 'NULL' : '(SELECT at FROM removed_sessions WHERE removed_sessions.session_id = sessions.session_id)'} AS removed_at
      FROM sessions`;
    this.#list = db.prepare(`${rows} ORDER BY created_at`);
    this.#find = db.prepare(`${rows} WHERE session_id = ?`);
    this.#save = db.prepare(`
      INSERT INTO sessions (session_id, project_id, epoch, created_at, summary, summary_seq, crc) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (session_id) DO UPDATE SET project_id = excluded.project_id, epoch = excluded.epoch,
        summary = excluded.summary, summary_seq = excluded.summary_seq, crc = excluded.crc`);
    this.#lastSeq = db.prepare(
      'SELECT (SELECT COUNT(*) FROM sessions WHERE session_id = ?1) AS sessions, (SELECT COALESCE(MAX(seq), 0) FROM events WHERE session_id = ?1) AS seq',
    );
  }

  /** From now on, what is added and removed is counted. */
  countIn(count: HistoryCount): void {
    this.#count = count;
  }

  list(): SessionRow[] {
    return this.#list.all().flatMap((found) => this.#read(found) ?? []);
  }

  /** Null when there is none with this id. */
  find(sessionId: SessionId): SessionRow | null {
    const found = this.#find.get(sessionId);
    return found === undefined ? null : this.#read(found);
  }

  /** All sessions, in the order of `list`. After an end in order only those rows are read that have to be, which is many times as fast. */
  begin(): (SessionRow | SettledSession)[] {
    const { unsettled } = this.#db;
    if (unsettled === null || this.#db.isReadOnly) return this.list();
    const rows = this.#db.prepare(`
      SELECT session_id, created_at, summary_seq, session_id IN (SELECT session_id FROM removed_sessions) AS is_removed
      FROM sessions ORDER BY created_at`);
    const toRead = new Set(unsettled);
    return rows.all().flatMap((row): SessionRow | SettledSession | [] => {
      const sessionId = row['session_id'];
      if (!isSessionId(sessionId)) return [];
      if (row['is_removed'] === 1 || toRead.has(sessionId)) return this.find(sessionId) ?? [];
      return { sessionId, createdAt: Number(row['created_at']), lastSeq: Number(row['summary_seq']) };
    });
  }

  /** Notes that nothing more is written, and in which sessions something is open or the row is not as of the newest event. */
  settle(unsettled: readonly SessionId[]): void {
    this.#db.settle(unsettled);
  }

  #read(found: Record<string, unknown>): SessionRow | null {
    const row = Row.safeParse(found);
    if (row.success && row.data.crc === crcOfRow(row.data)) return toSessionRow(row.data);
    const sessionId = String(found['session_id']);
    this.#log.error('store.session_damaged', { sessionId });
    this.#onDamage(warn('session_damaged', { id: sessionId }));
    // Its events are what counts; the rest of the row is lost, except for what the events contain too.
    return row.success ? { ...toSessionRow(row.data), summary: null, summarySeq: 0 } : null;
  }

  /** Notes that a session is deleted, or with null that it is not; its history stays until it is removed. */
  mark(sessionId: SessionId, removedAt: number | null): void {
    this.#db.write('full', () => {
      if (removedAt === null) this.#db.prepare('DELETE FROM removed_sessions WHERE session_id = ?').run(sessionId);
      else this.#db.prepare('INSERT OR REPLACE INTO removed_sessions (session_id, at) VALUES (?, ?)').run(sessionId, removedAt);
    });
  }

  save(row: Omit<SessionRow, 'lastSeq' | 'removedAt'>): void {
    const isNew = Number(this.#lastSeq.get(row.sessionId)?.['sessions']) === 0;
    const summary = row.summary === null ? null : JSON.stringify(row.summary);
    const values = [row.sessionId, row.projectId, row.epoch, row.createdAt, summary, row.summarySeq] as const;
    this.#db.write('normal', () => this.#save.run(...values, crcOf(values)));
    if (isNew) this.#count?.add({ sessions: 1, entries: 0 });
  }

  /** Removes the session with its events and raw lines. */
  remove(sessionId: SessionId): void {
    const { sessions, seq } = this.#lastSeq.get(sessionId) ?? {};
    const held = { sessions: Number(sessions), entries: Number(seq) };
    this.#count?.add({ sessions: -held.sessions, entries: -held.entries });
    try {
      this.#db.write('full', () => {
        for (const table of ['events', 'views', 'raw_lines', 'removed_sessions', 'attachments', 'sessions']) {
          this.#db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
        }
      });
    } catch (error) {
      this.#count?.add(held);
      throw error;
    }
  }
}

/** The table of events. A row whose bytes have changed since they were written says nothing any more, and is reported. */
export class EventTable {
  readonly #db: Database;
  readonly #log: Log;
  readonly #onDamage: DamageListener;
  readonly #insert: StatementSync;
  readonly #read: StatementSync;
  readonly #last: StatementSync;
  /** Tables that are written together with the events. */
  readonly #beside: readonly Pick<AttachmentTable | UsageTable, 'note'>[];
  #count: HistoryCount | null = null;

  constructor(db: Database, log: Log, onDamage: DamageListener, beside: readonly Pick<AttachmentTable | UsageTable, 'note'>[]) {
    this.#db = db;
    this.#log = log;
    this.#onDamage = onDamage;
    this.#beside = beside;
    this.#insert = db.prepare('INSERT INTO events (session_id, seq, at, crc, body) VALUES (?, ?, ?, ?, ?)');
    this.#last = db.prepare('SELECT COALESCE(MAX(seq), 0) AS seq FROM events WHERE session_id = ?');
    this.#read = db.prepare('SELECT seq, at, crc, body FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?');
  }

  /** From now on, what is added is counted. */
  countIn(count: HistoryCount): void {
    this.#count = count;
  }

  /** Appends all events or none. Those that are copied from another log were counted there. */
  append(events: readonly SessionEvent[], durability: Durability, { areCopied = false } = {}): void {
    if (events.length === 0) return;
    this.#db.write(durability, () => {
      for (const { sessionId, seq, at, ...body } of events) {
        const json = JSON.stringify(body);
        this.#insert.run(sessionId, seq, at, crcOf([sessionId, seq, at, json]), json);
      }
      for (const table of this.#beside) table.note(events, areCopied);
    });
    this.#count?.add({ sessions: 0, entries: events.length });
  }

  /**
   * Empties entries before `beforeSeq` that only show what was done and that nobody is shown any more: an entry that says
   * nothing stands in their place, since the numbers have no gaps.
   */
  empty(sessionId: SessionId, beforeSeq: number): void {
    const rows = this.#db.prepare('SELECT seq, at, crc, body FROM events WHERE session_id = ? AND seq < ? AND length(body) > ?');
    const update = this.#db.prepare('UPDATE events SET crc = ?, body = ? WHERE session_id = ? AND seq = ?');
    this.#db.write('normal', () => {
      for (const row of rows.all(sessionId, beforeSeq, EMPTY.length)) {
        const event = toEvent(sessionId, row);
        if (event === null || !SHOWS_ONLY.test(event.type)) continue;
        const { seq, at } = event;
        update.run(crcOf([sessionId, seq, at, EMPTY]), EMPTY, sessionId, seq);
      }
    });
  }

  /** Removes the newest of a log that is given up, at most so many; says whether it has more. */
  removeNewest(sessionId: SessionId, count: number): boolean {
    const last = this.lastSeq(sessionId);
    const removed = Math.min(count, last);
    if (removed === 0) return false;
    this.#count?.add({ sessions: 0, entries: -removed });
    this.#db.write('normal', () => this.#db.prepare('DELETE FROM events WHERE session_id = ? AND seq > ?').run(sessionId, last - removed));
    return removed < last;
  }

  /** The number of the newest event of a log; 0 when it has none. */
  lastSeq(sessionId: SessionId): number {
    return Number(this.#last.get(sessionId)?.['seq']);
  }

  /** The next entries; fewer than `limit` are the last ones. One that is damaged stands there as one that changes nothing. */
  read(sessionId: SessionId, afterSeq: number, limit: number): SessionEvent[] {
    let last = Math.max(0, afterSeq);
    return this.#read.all(sessionId, last, limit).map((row) => {
      const seq = Number(row['seq']);
      const event = toEvent(sessionId, row);
      // Entries are numbered without gaps, so one that is missing was there once.
      if (event === null || seq !== last + 1) {
        this.#log.error('store.event_damaged', { sessionId, seq, after: last });
        this.#onDamage(warn('entry_damaged', { id: sessionId }));
      }
      last = seq;
      return event ?? { type: 'session.updated', sessionId, seq, at: typeof row['at'] === 'number' ? row['at'] : 0 };
    });
  }
}

/** How many sessions and entries a database contains, and how many logs belong to no session, which only damage causes. */
export const countHistory = (db: Database): { sessions: number; entries: number; strays: number } => {
  // It jumps from one log to the next instead of reading them.
  const found = db
    .prepare(
      `WITH RECURSIVE logs (id) AS (
         SELECT MIN(session_id) FROM events
         UNION ALL SELECT (SELECT MIN(session_id) FROM events WHERE session_id > logs.id) FROM logs WHERE logs.id IS NOT NULL
       ) SELECT
         (SELECT COUNT(*) FROM sessions) AS sessions,
         (SELECT COALESCE(SUM((SELECT MAX(seq) FROM events WHERE session_id = logs.id)), 0) FROM logs) AS entries,
         (SELECT COUNT(*) FROM logs WHERE id IS NOT NULL AND id NOT IN (SELECT session_id FROM sessions)) AS strays`,
    )
    .get();
  return { sessions: Number(found?.['sessions']), entries: Number(found?.['entries']), strays: Number(found?.['strays']) };
};

const crcOfRow = (row: z.infer<typeof Row>): number =>
  crcOf([row.session_id, row.project_id, row.epoch, row.created_at, row.summary, row.summary_seq]);

const toSessionRow = (row: z.infer<typeof Row>): SessionRow => ({
  sessionId: row.session_id,
  projectId: row.project_id,
  epoch: row.epoch,
  createdAt: row.created_at,
  lastSeq: row.last_seq,
  summary: row.summary === null ? null : parseSummary(row.summary),
  summarySeq: row.summary_seq,
  ...(row.removed_at === null ? {} : { removedAt: row.removed_at }),
});

/** A summary of another version is made again from the events. */
const parseSummary = (text: string): SessionSummary | null => SessionSummary.safeParse(parseJson(text)).data ?? null;

const toEvent = (sessionId: SessionId, row: unknown): SessionEvent | null => {
  const found = EventRow.safeParse(row);
  if (!found.success) return null;
  const { seq, at, crc, body: text } = found.data;
  if (crcOf([sessionId, seq, at, text]) !== crc) return null;
  const body = EventBody.safeParse(parseJson(text));
  return body.success ? { ...body.data, sessionId, seq, at } : null;
};

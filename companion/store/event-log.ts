/** Sessions and their events. */
import { crc32 } from 'node:zlib';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { Log } from '#companion/lib/log.ts';
import { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { EventBody, type SessionEvent } from '#protocol/events.ts';
import { ProjectId, SessionId } from '#protocol/ids.ts';
import { parseJson } from './json.ts';

export interface SessionRow {
  readonly sessionId: SessionId;
  readonly projectId: ProjectId | null;
  /** New with each log: an event id of another epoch cannot be resumed from. */
  readonly epoch: string;
  readonly createdAt: number;
  /** The newest event in the log. */
  readonly lastSeq: number;
  /** How the session looked at `summarySeq`, so that a list needs no replay. */
  readonly summary: SessionSummary | null;
  readonly summarySeq: number;
}

/** `full`: on the platter before the call returns, for what a user was promised. `normal`: safe against our own death only. */
export type Durability = 'full' | 'normal';

export interface SessionTable {
  list(): SessionRow[];
  save(row: Omit<SessionRow, 'lastSeq'>): void;
  /** Removes the session with its events and raw lines. */
  remove(sessionId: SessionId): void;
}

export interface EventTable {
  /** All or none. */
  append(events: readonly SessionEvent[], durability: Durability): void;
  read(sessionId: SessionId, afterSeq: number, limit: number): SessionEvent[];
}

const Row = z.object({
  session_id: SessionId,
  project_id: ProjectId.nullable(),
  epoch: z.string(),
  created_at: z.number(),
  last_seq: z.number(),
  summary: z.string().nullable(),
  summary_seq: z.number(),
});
const EventRow = z.object({ seq: z.number(), at: z.number(), crc: z.number(), body: z.string() });

/** The table of sessions. */
export const createSessionTable = (db: DatabaseSync): SessionTable => {
  const list = db.prepare(`
    SELECT session_id, project_id, epoch, created_at, summary, summary_seq,
      COALESCE((SELECT MAX(seq) FROM events WHERE events.session_id = sessions.session_id), 0) AS last_seq
    FROM sessions ORDER BY created_at`);
  const save = db.prepare(`
    INSERT INTO sessions (session_id, project_id, epoch, created_at, summary, summary_seq) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id) DO UPDATE SET project_id = excluded.project_id, epoch = excluded.epoch,
      summary = excluded.summary, summary_seq = excluded.summary_seq`);
  return {
    list: () => list.all().map((row) => toSessionRow(Row.parse(row))),
    save: (row) =>
      attempt(() => {
        const summary = row.summary === null ? null : JSON.stringify(row.summary);
        save.run(row.sessionId, row.projectId, row.epoch, row.createdAt, summary, row.summarySeq);
      }),
    remove: (sessionId) =>
      transact(db, 'full', () => {
        for (const table of ['events', 'raw_lines', 'sessions']) db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
      }),
  };
};

/** The table of events. A row whose bytes have changed since they were written is left out and reported. */
export const createEventTable = (db: DatabaseSync, log: Log, onDamage: (message: string) => void): EventTable => {
  const insert = db.prepare('INSERT INTO events (session_id, seq, at, crc, body) VALUES (?, ?, ?, ?, ?)');
  const read = db.prepare('SELECT seq, at, crc, body FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?');
  return {
    append: (events, durability) => {
      if (events.length === 0) return;
      transact(db, durability, () => {
        for (const { sessionId, seq, at, ...body } of events) {
          const json = JSON.stringify(body);
          insert.run(sessionId, seq, at, crc32(json), json);
        }
      });
    },
    read: (sessionId, afterSeq, limit) => {
      let last = Math.max(0, afterSeq);
      return read.all(sessionId, last, limit).flatMap((row) => {
        const seq = Number(row['seq']);
        const event = toEvent(sessionId, row);
        // Entries are numbered without gaps, so one that is missing was there once.
        if (event === null || seq !== last + 1) {
          log.error('store.event_damaged', { sessionId, seq, after: last });
          onDamage(`An entry of session ${sessionId} was damaged on disk and is left out.`);
        }
        last = seq;
        return event === null ? [] : [event];
      });
    },
  };
};

/** Runs `work` in one transaction of the given durability; nothing of it stays when it fails. */
export const transact = (db: DatabaseSync, durability: Durability, work: () => void): void =>
  attempt(() => {
    // In WAL mode FULL syncs the log at this commit, and with it every earlier one.
    db.exec(durability === 'full' ? 'PRAGMA synchronous = FULL; BEGIN IMMEDIATE' : 'PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
    try {
      work();
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  });

/** Runs `work`; what SQLite throws leaves as STORE_FAILED. */
export const attempt = (work: () => void): void => {
  try {
    work();
  } catch (error) {
    throw new CompanionError('STORE_FAILED', error instanceof Error ? error.message : String(error), { cause: error });
  }
};

const toSessionRow = (row: z.infer<typeof Row>): SessionRow => ({
  sessionId: row.session_id,
  projectId: row.project_id,
  epoch: row.epoch,
  createdAt: row.created_at,
  lastSeq: row.last_seq,
  summary: row.summary === null ? null : parseSummary(row.summary),
  summarySeq: row.summary_seq,
});

/** A summary of another version is made anew from the events. */
const parseSummary = (text: string): SessionSummary | null => SessionSummary.safeParse(parseJson(text)).data ?? null;

const toEvent = (sessionId: SessionId, row: unknown): SessionEvent | null => {
  const found = EventRow.safeParse(row);
  if (!found.success || crc32(found.data.body) !== found.data.crc) return null;
  const body = EventBody.safeParse(parseJson(found.data.body));
  return body.success ? { ...body.data, sessionId, seq: found.data.seq, at: found.data.at } : null;
};

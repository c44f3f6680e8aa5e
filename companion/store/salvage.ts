/** Copies what the undamaged pages of a damaged database still contain. */
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { Log } from '#companion/lib/log.ts';
import { Project, SessionSummary } from '#protocol/api.ts';
import { defaultSettings, type EventBody } from '#protocol/events.ts';
import { Grant } from '#protocol/browser.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { fillAttachments } from './attachment-table.ts';
import { parseJson } from './json.ts';
import { crcOf, exhaust } from './schema.ts';
import { fillUsage } from './usage-table.ts';
import { readPageRows, type PageRow, type SqlValue } from './sqlite-pages.ts';

/** Copies rows from `damagedFile` into the fresh `db`; says how many events and sessions came over. Raw lines and the list of processes are not worth it. */
export const salvage = (db: DatabaseSync, damagedFile: string, log: Log): { events: number; sessions: number } => {
  try {
    db.exec('BEGIN');
    const keep = createKeeper(db);
    for (const row of readPageRows(damagedFile)) keep(row);
    restoreSessions(db);
    restoreFirstEvents(db);
    // Without its first event a session has no engine, and without a session events cannot be listed.
    db.exec(`
      DELETE FROM sessions WHERE session_id NOT IN (SELECT session_id FROM events WHERE seq = 1);
      DELETE FROM events WHERE session_id NOT IN (SELECT session_id FROM sessions);
    `);
    forgetSummaries(db);
    exhaust(fillAttachments(db));
    exhaust(fillUsage(db));
    const counts = db.prepare('SELECT (SELECT COUNT(*) FROM events) AS events, (SELECT COUNT(*) FROM sessions) AS sessions').get();
    db.exec('COMMIT');
    return { events: Number(counts?.['events']), sessions: Number(counts?.['sessions']) };
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    log.error('store.salvage_failed', { file: damagedFile, error });
    return { events: 0, sessions: 0 };
  }
};

/** Inserts a row into the table that it belongs to by its form, when its checksum is right. */
const createKeeper = (db: DatabaseSync): ((row: PageRow) => void) => {
  const event = db.prepare('INSERT OR IGNORE INTO events (session_id, seq, at, crc, body) VALUES (?, ?, ?, ?, ?)');
  const session = db.prepare(
    'INSERT OR IGNORE INTO sessions (session_id, project_id, epoch, created_at, summary, summary_seq, crc) VALUES (?, ?, ?, ?, ?, 0, 0)',
  );
  const project = db.prepare('INSERT OR IGNORE INTO projects (project_id, body, crc) VALUES (?, ?, ?)');
  const grant = db.prepare('INSERT OR IGNORE INTO grants (id, body, crc) VALUES (?, ?, ?)');

  return ({ tree, values }) => {
    const [first, second, third, fourth, fifth, , seventh] = values;
    if (typeof first !== 'string') return;
    if (tree === 'index') {
      if (values.length !== 5 || typeof fifth !== 'string') return;
      const isWhole = fourth === crcOf([first, second, third, fifth]) || fourth === crc32(fifth);
      if (isWhole) event.run(first, toInput(second), toInput(third), crcOf([first, second, third, fifth]), fifth);
      return;
    }
    if (values.length >= 6 && typeof third === 'string') {
      if (seventh !== undefined && seventh !== crcOf(values.slice(0, 6))) return;
      session.run(first, toInput(second), third, toInput(fourth), toInput(fifth));
      return;
    }
    if (values.length > 3 || typeof second !== 'string') return;
    const crc = crcOf([first, second]);
    if (third !== undefined && third !== crc) return;
    const body = parseJson(second);
    if (Project.safeParse(body).success) project.run(first, second, crc);
    else if (Grant.safeParse(body).success) grant.run(first, second, crc);
  };
};

/** A session whose row is lost gets it again from its first event. */
const restoreSessions = (db: DatabaseSync): void => {
  const lost = db.prepare('SELECT session_id, at, body FROM events WHERE seq = 1 AND session_id NOT IN (SELECT session_id FROM sessions)');
  const insert = db.prepare(
    'INSERT INTO sessions (session_id, project_id, epoch, created_at, summary, summary_seq, crc) VALUES (?, ?, ?, ?, NULL, 0, 0)',
  );
  for (const { session_id: sessionId, at, body } of lost.all()) {
    const created = typeof body === 'string' ? parseJson(body) : null;
    const hasProject = typeof created === 'object' && created !== null && 'projectId' in created && typeof created.projectId === 'string';
    const projectId = hasProject ? String(created.projectId) : null;
    insert.run(sessionId ?? null, projectId, randomId(), at ?? 0);
  }
};

/** A session whose first event is lost gets a new one, made from its last row in the list. */
const restoreFirstEvents = (db: DatabaseSync): void => {
  const lost = db.prepare(
    'SELECT session_id, created_at, summary FROM sessions WHERE session_id NOT IN (SELECT session_id FROM events WHERE seq = 1)',
  );
  const insert = db.prepare('INSERT INTO events (session_id, seq, at, crc, body) VALUES (?, 1, ?, ?, ?)');
  for (const { session_id: sessionId, created_at: at, summary } of lost.all()) {
    const seen = SessionSummary.safeParse(typeof summary === 'string' ? parseJson(summary) : null).data;
    if (seen === undefined || typeof sessionId !== 'string' || typeof at !== 'number') continue;
    const { projectId, engineName, name, kind, model, mode } = seen;
    const created = {
      type: 'session.created' as const,
      projectId,
      engine: engineName,
      name,
      kind,
      settings: { ...defaultSettings, model, mode },
    };
    const body = JSON.stringify(created satisfies EventBody);
    insert.run(sessionId, at, crcOf([sessionId, 1, at, body]), body);
  }
};

/** Summaries are made again from the events that were saved. */
const forgetSummaries = (db: DatabaseSync): void => {
  const save = db.prepare('UPDATE sessions SET summary = NULL, summary_seq = 0, crc = ? WHERE session_id = ?');
  for (const row of db.prepare('SELECT session_id, project_id, epoch, created_at FROM sessions').all()) {
    const { session_id: sessionId = null, project_id: projectId, epoch, created_at: createdAt } = row;
    save.run(crcOf([sessionId, projectId, epoch, createdAt, null, 0]), sessionId);
  }
};

const toInput = (value: SqlValue | undefined): SqlValue => value ?? null;

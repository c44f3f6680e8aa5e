/** The small tables: projects, grants, and the ledger of processes we started. */
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { Project } from '#protocol/api.ts';
import { Grant } from '#protocol/browser.ts';
import { type ProjectId, SessionId } from '#protocol/ids.ts';
import { attempt, transact, type Durability } from './event-log.ts';
import { parseJson } from './json.ts';

export interface ProjectTable {
  list(): Project[];
  find(projectId: ProjectId): Project | null;
  /** `normal` where a loss does no harm: a full one waits for the disk. */
  save(project: Project, durability?: Durability): void;
  remove(projectId: ProjectId): void;
}

/** The user's projects. */
export const createProjectTable = (db: DatabaseSync): ProjectTable => {
  const list = (): Project[] => bodies(db.prepare('SELECT body FROM projects').all(), Project);
  return {
    list,
    find: (projectId) => bodies(db.prepare('SELECT body FROM projects WHERE project_id = ?').all(projectId), Project)[0] ?? null,
    save: (project, durability = 'full') =>
      transact(db, durability, () => {
        db.prepare('INSERT OR REPLACE INTO projects (project_id, body) VALUES (?, ?)').run(project.id, JSON.stringify(project));
      }),
    remove: (projectId) =>
      attempt(() => {
        db.prepare('DELETE FROM projects WHERE project_id = ?').run(projectId);
      }),
  };
};

export interface GrantTable {
  list(): Grant[];
  add(grant: Grant): void;
  remove(id: string): void;
}

/** What the user allowed for more than once. */
export const createGrantTable = (db: DatabaseSync): GrantTable => {
  // Prepared once: each tool call asks.
  const list = db.prepare('SELECT body FROM grants');
  return {
    list: () => bodies(list.all(), Grant),
    add: (grant) =>
      attempt(() => {
        db.prepare('INSERT OR REPLACE INTO grants (id, body) VALUES (?, ?)').run(grant.id, JSON.stringify(grant));
      }),
    remove: (id) =>
      attempt(() => {
        db.prepare('DELETE FROM grants WHERE id = ?').run(id);
      }),
  };
};

/** A process of ours that may outlive us; with its start time it cannot be mistaken for another one of the same number. */
export interface ProcessEntry {
  readonly pid: number;
  readonly startTime: string;
  readonly sessionId: SessionId;
}

export interface ProcessTable {
  add(entry: ProcessEntry): void;
  remove(pid: number): void;
  list(): ProcessEntry[];
}

const ProcessRow = z.object({ pid: z.number(), start_time: z.string(), session_id: SessionId });

/** The ledger of live engine processes. */
export const createProcessTable = (db: DatabaseSync): ProcessTable => ({
  add: (entry) =>
    attempt(() => {
      const sql = 'INSERT OR REPLACE INTO processes (pid, start_time, session_id) VALUES (?, ?, ?)';
      db.prepare(sql).run(entry.pid, entry.startTime, entry.sessionId);
    }),
  remove: (pid) =>
    attempt(() => {
      db.prepare('DELETE FROM processes WHERE pid = ?').run(pid);
    }),
  list: () =>
    db
      .prepare('SELECT pid, start_time, session_id FROM processes')
      .all()
      .map((row) => {
        const { pid, start_time: startTime, session_id: sessionId } = ProcessRow.parse(row);
        return { pid, startTime, sessionId };
      }),
});

/** A row that does not parse is of a version we no longer know; it is left where it is. */
const bodies = <T>(rows: readonly Record<string, unknown>[], schema: z.ZodType<T>): T[] =>
  rows.flatMap((row) => {
    const text = row['body'];
    const parsed = typeof text === 'string' ? schema.safeParse(parseJson(text)) : null;
    return parsed?.success === true ? [parsed.data] : [];
  });

/** The small tables: projects, grants, and the processes we started. */
import * as z from 'zod';
import { Project } from '#protocol/api.ts';
import { KeptGrant } from '#protocol/browser.ts';
import { type ProjectId, SessionId } from '#protocol/ids.ts';
import { warn } from '#protocol/warnings.ts';
import type { Database, Durability } from './database.ts';
import type { DamageListener } from './event-log.ts';
import { parseJson } from './json.ts';
import { crcOf } from './schema.ts';

/** The user's projects. */
export class ProjectTable {
  readonly #db: Database;
  readonly #onDamage: DamageListener;

  constructor(db: Database, onDamage: DamageListener) {
    this.#db = db;
    this.#onDamage = onDamage;
  }

  list(): Project[] {
    return this.#read(this.#db.prepare('SELECT project_id AS id, body, crc FROM projects').all());
  }

  find(projectId: ProjectId): Project | null {
    return this.#read(this.#db.prepare('SELECT project_id AS id, body, crc FROM projects WHERE project_id = ?').all(projectId))[0] ?? null;
  }

  /** `normal` is for what may be lost without harm; a full write waits for the disk. */
  save(project: Project, durability: Durability = 'full'): void {
    const body = JSON.stringify(project);
    this.#db.write(durability, () =>
      this.#db
        .prepare('INSERT OR REPLACE INTO projects (project_id, body, crc) VALUES (?, ?, ?)')
        .run(project.id, body, crcOf([project.id, body])),
    );
  }

  remove(projectId: ProjectId): void {
    this.#db.write('full', () => this.#db.prepare('DELETE FROM projects WHERE project_id = ?').run(projectId));
  }

  #read(rows: readonly Record<string, unknown>[]): Project[] {
    return readBodies(rows, Project, () => this.#onDamage(warn('project_damaged')));
  }
}

/** What the user allowed for longer than once. */
export class GrantTable {
  readonly #db: Database;
  readonly #onDamage: DamageListener;

  constructor(db: Database, onDamage: DamageListener) {
    this.#db = db;
    this.#onDamage = onDamage;
  }

  list(): KeptGrant[] {
    const rows = this.#db.prepare('SELECT id, body, crc FROM grants').all();
    return readBodies(rows, KeptGrant, () => this.#onDamage(warn('permission_damaged')));
  }

  add(grant: KeptGrant): void {
    const body = JSON.stringify(grant);
    this.#db.write('normal', () =>
      this.#db.prepare('INSERT OR REPLACE INTO grants (id, body, crc) VALUES (?, ?, ?)').run(grant.id, body, crcOf([grant.id, body])),
    );
  }

  remove(id: string): void {
    this.#db.write('full', () => this.#db.prepare('DELETE FROM grants WHERE id = ?').run(id));
  }
}

/** A process that we started and that may outlive us; with its start time it cannot be mistaken for another one of the same number. */
export interface ProcessEntry {
  readonly pid: number;
  readonly startTime: string;
  readonly sessionId: SessionId;
}

const ProcessRow = z.object({ pid: z.number(), start_time: z.string(), session_id: SessionId });

/** The processes of agents that run, so that the next daemon ends those which this one leaves behind. */
export class ProcessTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  add({ pid, startTime, sessionId }: ProcessEntry): void {
    const sql = 'INSERT OR REPLACE INTO processes (pid, start_time, session_id) VALUES (?, ?, ?)';
    this.#db.write('normal', () => this.#db.prepare(sql).run(pid, startTime, sessionId));
  }

  remove(pid: number): void {
    this.#db.write('normal', () => this.#db.prepare('DELETE FROM processes WHERE pid = ?').run(pid));
  }

  list(): ProcessEntry[] {
    // A process that a later version started is for that version to end.
    if (this.#db.isReadOnly) return [];
    const rows = this.#db.prepare('SELECT pid, start_time, session_id FROM processes').all();
    return rows.flatMap((row) => {
      // A damaged row names no process, and killing another one would be worse.
      const found = ProcessRow.safeParse(row).data;
      return found === undefined ? [] : [{ pid: found.pid, startTime: found.start_time, sessionId: found.session_id }];
    });
  }
}

/** Rows of another version, which do not parse, are left where they are; damaged ones are told of. */
const readBodies = <T>(rows: readonly Record<string, unknown>[], schema: z.ZodType<T>, onDamage: () => void): T[] =>
  rows.flatMap(({ id, body, crc }) => {
    if (typeof body !== 'string' || crc !== crcOf([id, body])) {
      onDamage();
      return [];
    }
    const parsed = schema.safeParse(parseJson(body));
    return parsed.success ? [parsed.data] : [];
  });

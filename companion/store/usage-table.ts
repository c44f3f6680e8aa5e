/** What each turn has used on each day: written together with the events that say so, and kept when a session is deleted. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import * as z from 'zod';
import { EventBody, type SessionEvent, type Spent, type Usage } from '#protocol/events.ts';
import { ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import { toSoundUsage, type UsageBy, type UsageQuery, type UsageRow, type UsageSum } from '#protocol/usage.ts';
import type { Database } from './database.ts';
import { parseJson } from './json.ts';

/** The table, as it was when it was new. */
export const USAGE_SCHEMA = `
  CREATE TABLE usage (
    session_id TEXT NOT NULL, turn_id TEXT NOT NULL, day TEXT NOT NULL, project_id TEXT, engine TEXT NOT NULL, at INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
    cost REAL, duration_ms INTEGER NOT NULL, context_used INTEGER, context_window INTEGER,
    PRIMARY KEY (session_id, turn_id, day)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usage_day ON usage (day);
`;

const ADD = `
  INSERT INTO usage (session_id, turn_id, day, project_id, engine, at, input, output, cache_read, cache_write, cost, duration_ms, context_used, context_window)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (session_id, turn_id, day) DO UPDATE SET at = excluded.at,
    input = input + excluded.input, output = output + excluded.output,
    cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
    cost = CASE WHEN cost IS NULL AND excluded.cost IS NULL THEN NULL ELSE COALESCE(cost, 0) + COALESCE(excluded.cost, 0) END,
    duration_ms = duration_ms + excluded.duration_ms,
    context_used = COALESCE(excluded.context_used, context_used), context_window = COALESCE(excluded.context_window, context_window)`;

/** Unlike SUM, TOTAL never fails: https://sqlite.org/lang_aggfunc.html#sumunc */
const SUMS = `TOTAL(input) AS input, TOTAL(output) AS output, TOTAL(cache_read) AS cacheRead,
  TOTAL(cache_write) AS cacheWrite, SUM(cost) AS cost, TOTAL(duration_ms) AS durationMs,
  COUNT(DISTINCT session_id || ' ' || turn_id) AS turns`;

/** What a row is about, by what is added up; the rest is the same everywhere. */
const GROUPS: Readonly<Record<UsageBy, { readonly columns: readonly string[]; readonly hasContext: boolean }>> = {
  turn: { columns: ['session_id', 'turn_id', 'project_id', 'engine'], hasContext: true },
  session: { columns: ['session_id', 'project_id', 'engine'], hasContext: true },
  project: { columns: ['project_id'], hasContext: false },
  engine: { columns: ['engine'], hasContext: false },
  day: { columns: ['day'], hasContext: false },
};

const Sums = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cost: z.number().nullable(),
  durationMs: z.number(),
  turns: z.number(),
});
const Row = Sums.extend({
  session_id: SessionId.optional(),
  turn_id: z.string().optional(),
  project_id: ProjectId.nullable().optional(),
  engine: z.string().optional(),
  day: z.string().optional(),
  contextUsed: z.number().nullable().optional(),
  contextWindow: z.number().nullable().optional(),
  lastAt: z.number(),
});

type Filter = Pick<UsageQuery, 'since' | 'until' | 'projectId' | 'engineName' | 'sessionId'>;

/** Of which session an entry is. */
interface Owner {
  readonly kind: string;
  readonly engine: string;
  readonly projectId: string | null;
}

export class UsageTable {
  readonly #db: Database;
  readonly #add: StatementSync | null;
  readonly #owners = new Map<SessionId, Owner>();
  /** What was used today, as far as it was asked for. */
  #today: { readonly day: string; costUsd: number; totalTokens: number } | null = null;

  constructor(db: Database) {
    this.#db = db;
    // A history of a later version is only read, and may have another such table.
    this.#add = db.isReadOnly ? null : db.prepare(ADD);
  }

  /** Within the transaction that stores the events. Turns that were copied from elsewhere were paid for there. */
  note(events: readonly SessionEvent[], areCopied: boolean): void {
    if (areCopied) return;
    for (const event of events) {
      if (event.type === 'session.updated' && event.projectId !== undefined)
        this.#owners.set(event.sessionId, { ...this.#ownerOf(event.sessionId), projectId: event.projectId });
      const entry = toEntry(event);
      if (entry === null) continue;
      const owner = this.#ownerOf(event.sessionId);
      // What an outside client calls is no turn of an agent, and there is no end to it.
      if (owner.kind === 'client') continue;
      this.#add?.run(...toValues(event, entry, owner));
      this.#today = null;
    }
  }

  /** What all sessions together have used on the day of `now`. */
  today(now: number): { readonly day: string; readonly costUsd: number; readonly totalTokens: number } {
    const day = dayOf(now);
    if (this.#today?.day !== day) {
      const { totalTokens, costUsd } = this.total({ since: day, until: day });
      this.#today = { day, totalTokens, costUsd: costUsd ?? 0 };
    }
    return this.#today;
  }

  total(filter: Filter): UsageSum {
    if (this.#db.isReadOnly) return toSum({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: null, durationMs: 0, turns: 0 });
    const { where, values } = toWhere(filter);
    return toSum(Sums.parse(this.#db.prepare(`SELECT ${SUMS} FROM usage ${where}`).get(...values)));
  }

  /** The newest first. */
  rows({ by, limit, ...filter }: UsageQuery): UsageRow[] {
    if (this.#db.isReadOnly) return [];
    const { columns, hasContext } = GROUPS[by];
    const { where, values } = toWhere(filter);
    // SQLite takes a column that is not grouped from the row of the MAX: https://sqlite.org/lang_select.html#bareagg
    const context = hasContext ? ', context_used AS contextUsed, context_window AS contextWindow' : '';
    const keys = by === 'session' ? ['session_id'] : by === 'turn' ? ['session_id', 'turn_id'] : columns;
    return this.#db
      .prepare(
        `SELECT ${columns.join(', ')}, ${SUMS}, MAX(at) AS lastAt${context} FROM usage ${where} GROUP BY ${keys.join(', ')} ORDER BY lastAt DESC LIMIT ?`,
      )
      .all(...values, limit)
      .map((row) => toRow(Row.parse(row)));
  }

  #ownerOf(sessionId: SessionId): Owner {
    const known = this.#owners.get(sessionId);
    if (known !== undefined) return known;
    const owner = readOwner(this.#db, sessionId);
    this.#owners.set(sessionId, owner);
    return owner;
  }
}

interface Entry {
  readonly turnId: string;
  readonly spent: Spent;
  readonly durationMs: number;
  readonly context: Pick<Usage, 'contextUsed' | 'contextWindow'>;
}

const toEntry = (event: SessionEvent): Entry | null => {
  if (event.type === 'turn.completed') return { turnId: event.turnId, spent: {}, durationMs: event.durationMs, context: {} };
  if (event.type !== 'usage.updated') return null;
  return { turnId: event.turnId ?? '', spent: event.spent ?? {}, durationMs: 0, context: event.usage };
};

const toValues = ({ sessionId, at }: Pick<SessionEvent, 'sessionId' | 'at'>, entry: Entry, owner: Owner): SQLInputValue[] => {
  const { turnId, durationMs } = entry;
  // Earlier versions logged what an agent said as it was.
  const context = toSoundUsage(entry.context);
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, costUsd = null } = toSoundUsage(entry.spent);
  const tokens = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens];
  const place = [sessionId, turnId, dayOf(at), owner.projectId, owner.engine, at];
  return [...place, ...tokens, costUsd, Math.round(durationMs), context.contextUsed ?? null, context.contextWindow ?? null];
};

/** A day of this machine's calendar. */
export const dayOf = (at: number): string => {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

const toWhere = ({ since, until, projectId, engineName, sessionId }: Filter): { where: string; values: string[] } => {
  const wanted = [
    ['day >= ?', since],
    ['day <= ?', until],
    ['project_id = ?', projectId],
    ['engine = ?', engineName],
    ['session_id = ?', sessionId],
  ].filter((one): one is [string, string] => one[1] !== undefined);
  return {
    where: wanted.length === 0 ? '' : `WHERE ${wanted.map(([test]) => test).join(' AND ')}`,
    values: wanted.map(([, value]) => value),
  };
};

const toSum = ({ input, output, cacheRead, cacheWrite, cost, durationMs, turns }: z.infer<typeof Sums>): UsageSum => ({
  inputTokens: input,
  outputTokens: output,
  cacheReadTokens: cacheRead,
  cacheWriteTokens: cacheWrite,
  totalTokens: input + output + cacheRead + cacheWrite,
  costUsd: cost,
  durationMs,
  turns,
});

const toRow = ({
  session_id,
  turn_id,
  project_id,
  engine,
  day,
  contextUsed,
  contextWindow,
  lastAt,
  ...sums
}: z.infer<typeof Row>): UsageRow => ({
  ...toSum(sums),
  ...(turn_id === undefined || turn_id === '' ? {} : { turnId: TurnId.parse(turn_id) }),
  ...(session_id === undefined ? {} : { sessionId: session_id }),
  ...(project_id === undefined ? {} : { projectId: project_id }),
  ...(engine === undefined ? {} : { engineName: engine }),
  ...(day === undefined ? {} : { day }),
  ...(typeof contextUsed === 'number' ? { contextUsed } : {}),
  ...(typeof contextWindow === 'number' ? { contextWindow } : {}),
  lastAt: new Date(lastAt).toISOString(),
});

type Reader = Pick<DatabaseSync, 'prepare'>;

/** A session may have been moved to another project since its first event; its row of the list says where it is. */
const readOwner = (db: Reader, sessionId: string): Owner => {
  const first = db.prepare('SELECT body FROM events WHERE session_id = ? AND seq = 1').get(sessionId);
  const row = db.prepare('SELECT project_id FROM sessions WHERE session_id = ?').get(sessionId);
  const created = readBody(first?.['body']);
  if (created?.type !== 'session.created') return UNKNOWN;
  const { kind, engine, projectId } = created;
  const listed = row?.['project_id'];
  return { kind, engine, projectId: typeof listed === 'string' ? listed : projectId };
};

const readBody = (body: unknown): EventBody | null => EventBody.safeParse(typeof body === 'string' ? parseJson(body) : null).data ?? null;

interface OldLog {
  readonly sessionId: SessionId | null;
  readonly owner: Owner;
  last: Usage;
  values: SQLInputValue[][];
}

const UNKNOWN: Owner = { kind: 'agent', engine: '', projectId: null };

/** For a history in which the table is new: earlier versions logged only the totals. One entry after the other. */
export function* fillUsage(db: DatabaseSync): Generator<void> {
  const add = db.prepare(ADD);
  const rows = db.prepare(
    `SELECT session_id, at, CASE WHEN instr(body, '"type":"usage.updated"') > 0 OR instr(body, '"type":"turn.completed"') > 0
       OR instr(body, '"type":"session.forked"') > 0 OR instr(body, '"type":"session.reset"') > 0 THEN body END AS body
     FROM events ORDER BY session_id, seq`,
  );
  let log: OldLog = { sessionId: null, owner: UNKNOWN, last: {}, values: [] };
  const store = (): void => log.values.forEach((values) => add.run(...values));
  for (const { session_id: id, at, body } of rows.iterate()) {
    yield;
    if (body === null) continue;
    const sessionId = SessionId.safeParse(id).data;
    const event = readBody(body);
    if (sessionId === undefined || event === null || typeof at !== 'number') continue;
    if (log.sessionId !== sessionId) {
      store();
      log = { sessionId, owner: readOwner(db, sessionId), last: {}, values: [] };
    }
    // What stands before was copied from another session.
    if (event.type === 'session.forked') log.values = [];
    if (event.type === 'session.reset') log.last = {};
    const entry = toEntry({ ...event, sessionId, seq: 1, at });
    if (entry === null || log.owner.kind === 'client') continue;
    const spent = event.type === 'usage.updated' ? (event.spent ?? sinceLast(event.usage, log.last)) : {};
    if (event.type === 'usage.updated') log.last = { ...log.last, ...event.usage };
    log.values.push(toValues({ sessionId, at }, { ...entry, spent }, log.owner));
  }
  store();
}

const sinceLast = (usage: Usage, last: Usage): Spent => {
  const since = (name: keyof Spent): number => {
    const [now, before] = [usage[name] ?? 0, last[name] ?? 0];
    return now >= before ? now - before : now;
  };
  const tokens = { inputTokens: since('inputTokens'), outputTokens: since('outputTokens') };
  const cached = { cacheReadTokens: since('cacheReadTokens'), cacheWriteTokens: since('cacheWriteTokens') };
  return { ...tokens, ...cached, ...(usage.costUsd === undefined ? {} : { costUsd: since('costUsd') }) };
};

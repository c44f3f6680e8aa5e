/** The daemon's log: one event, one line, whatever the fields hold (S41). Secrets are never passed in. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

export type LogFields = Record<string, unknown>;

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  close(): void;
}

const MAX_FIELD_CHARS = 4000;

/** A log in `file`, which becomes `file.1` when it has grown past `maxBytes`; `onLine` also shows each line to who watches. */
export const createLog = (options: { file: string; maxBytes: number; onLine?: (line: string) => void }): Log => {
  let fd = open(options.file);
  let size = fd === null ? 0 : fstatSync(fd).size;
  const rotate = (): void => {
    if (fd !== null) closeSync(fd);
    try {
      renameSync(options.file, `${options.file}.1`);
    } catch {
      // Then the old file goes on growing, which is better than losing lines.
    }
    fd = open(options.file);
    size = 0;
  };
  const write = (level: string, event: string, fields: LogFields = {}): void => {
    const line = toLine(level, event, fields);
    options.onLine?.(line);
    try {
      if (fd === null) return;
      size += writeSync(fd, `${line}\n`);
      if (size > options.maxBytes) rotate();
    } catch {
      // A full disk must not stop what the log is about.
    }
  };
  return {
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, fields) => write('error', event, fields),
    close: () => {
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
};

/** Keeps nothing; for tests and for commands that only print. */
export const nullLog: Log = { info: () => {}, warn: () => {}, error: () => {}, close: () => {} };

/** A home that cannot be written leaves the log without a file, not the program without a start. */
const open = (file: string): number | null => {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, 'a', 0o600);
  } catch {
    return null;
  }
};

const toLine = (level: string, event: string, fields: LogFields): string => {
  const record = { at: new Date().toISOString(), level, event, ...fields };
  return neutralise(
    toJson(record) ?? toJson({ ...record, ...Object.fromEntries(Object.keys(fields).map((key) => [key, '[unprintable]'])) }) ?? '',
  );
};

const toJson = (value: unknown): string | null => {
  try {
    return JSON.stringify(value, (_, field: unknown) => printable(field));
  } catch {
    return null;
  }
};

const printable = (field: unknown): unknown => {
  if (typeof field === 'string' && field.length > MAX_FIELD_CHARS)
    return `${field.slice(0, MAX_FIELD_CHARS)}… (${field.length} characters)`;
  if (typeof field === 'bigint') return String(field);
  if (field instanceof Error) return { name: field.name, message: field.message, ...('code' in field ? { code: field.code } : {}) };
  return field;
};

/** JSON escapes C0; this does the rest that a terminal or an editor acts on: DEL, C1, line separators, bidi overrides. */
const neutralise = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

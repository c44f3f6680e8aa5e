/** The daemon's log: one event is one line, whatever the fields hold, and without the secrets that are known. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { makeDir } from './make-dir.ts';

import { KnownSecrets } from './known-secrets.ts';

export type LogFields = Record<string, unknown>;

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  close(): void;
}

const MAX_FIELD_CHARS = 4000;

/** A log in `file`, which becomes `file.1` when it has grown past `maxBytes`. */
export class FileLog implements Log {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #known: KnownSecrets;
  readonly #listeners = new Set<(line: string) => void>();
  #fd: number | null;
  #sizeBytes: number;

  constructor(options: { file: string; maxBytes: number; known?: KnownSecrets }) {
    this.#file = options.file;
    this.#maxBytes = options.maxBytes;
    this.#known = options.known ?? new KnownSecrets();
    this.#fd = open(options.file);
    this.#sizeBytes = this.#fd === null ? 0 : fstatSync(this.#fd).size;
  }

  /** Calls `listener` with each line from now on, until the returned function is called. */
  readonly subscribe = (listener: (line: string) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  info(event: string, fields?: LogFields): void {
    this.#write('info', event, fields);
  }

  warn(event: string, fields?: LogFields): void {
    this.#write('warn', event, fields);
  }

  error(event: string, fields?: LogFields): void {
    this.#write('error', event, fields);
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #write(level: string, event: string, fields: LogFields = {}): void {
    const line = toLine({ level, event, ...fields }, (text) => this.#known.redact(text));
    for (const listener of this.#listeners) listener(line);
    try {
      if (this.#fd === null) return;
      this.#sizeBytes += writeSync(this.#fd, `${line}\n`);
      if (this.#sizeBytes > this.#maxBytes) this.#rotate();
    } catch {
      // A full disk must not stop the program that writes the log.
    }
  }

  #rotate(): void {
    this.close();
    try {
      renameSync(this.#file, `${this.#file}.1`);
    } catch {
      // The old file then goes on growing, which is better than losing lines.
    }
    this.#fd = open(this.#file);
    this.#sizeBytes = 0;
  }
}

/** A log that keeps nothing, for tests and for commands that only print. */
export const nullLog: Log = { info: () => {}, warn: () => {}, error: () => {}, close: () => {} };

/** When the home folder cannot be written there is no log file, but the program starts. */
const open = (file: string): number | null => {
  try {
    makeDir(path.dirname(file));
    return openSync(file, 'a', 0o600);
  } catch {
    return null;
  }
};

const toLine = (fields: LogFields, redact: (text: string) => string): string => {
  const record = { at: new Date().toISOString(), ...fields };
  return neutralise(
    toJson(record, redact) ??
      toJson({ ...record, ...Object.fromEntries(Object.keys(fields).map((key) => [key, '[unprintable]'])) }, redact) ??
      '',
  );
};

const toJson = (value: unknown, redact: (text: string) => string): string | null => {
  try {
    return JSON.stringify(value, (_, field: unknown) => (typeof field === 'string' ? shorten(redact(field)) : printable(field)));
  } catch {
    return null;
  }
};

const shorten = (text: string): string =>
  text.length > MAX_FIELD_CHARS ? `${text.slice(0, MAX_FIELD_CHARS)}… (${text.length} characters)` : text;

const printable = (field: unknown): unknown => {
  if (typeof field === 'bigint') return String(field);
  if (field instanceof Error) {
    const { name, message, stack, cause } = field;
    return { name, message, ...('code' in field ? { code: field.code } : {}), stack, ...(cause === undefined ? {} : { cause }) };
  }
  return field;
};

/** Escapes what JSON leaves and a terminal or an editor acts on: DEL, C1, line separators, bidi overrides. */
const neutralise = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

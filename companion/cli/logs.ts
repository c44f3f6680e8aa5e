import { watch, type FSWatcher } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';
import { whileRead } from './reader.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

const DEFAULT_LINES = 100;

/** Nobody reads a longer tail. */
const MAX_TAIL_BYTES = 16 * 1024 * 1024;

/** `pilotfish logs` */
export const logs: Subcommand = {
  name: 'logs',
  summary: "print the end of the daemon's log; every line is JSON",
  usage: [
    '[--lines N] [--since TIME] [--follow] [--path] [--audit] [--json]',
    '-n, --lines N  how many lines; 100, or with --since all of them',
    '--since TIME   only what is from then on: 30m, 2h, 3d, 2026-01-31 or 2026-01-31T09:30',
    '-f, --follow   go on with what is written',
    '--path         print where the log is',
    '--audit        what was decided, answered and changed, and by whom; the exit code is 1 when it was changed afterwards',
    '--json         as without it: every line is a JSON object; the path as one',
  ],
  run: async (args, io) => {
    const { values } = readArgs(args, {
      lines: { type: 'string', short: 'n' },
      since: { type: 'string' },
      follow: { type: 'boolean', short: 'f' },
      path: { type: 'boolean' },
      audit: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    if (values.path === true) {
      if (values.json === true) io.json({ path: io.paths.daemonLog });
      else io.print(io.paths.daemonLog);
      return 0;
    }
    const count = readCount(values.lines);
    const wanted: Wanted = {
      since: values.since === undefined ? null : readSince(values.since, Date.now()),
      count: count ?? (values.since === undefined ? DEFAULT_LINES : Number.POSITIVE_INFINITY),
    };
    if (values.audit === true) return printAudit(io, wanted);
    const end = await printTail(io, wanted);
    if (values.follow === true) await follow(io, end);
    return 0;
  },
};

/** What is printed: the last lines, and only those from a moment on. */
interface Wanted {
  readonly count: number;
  readonly since: number | null;
}

const readCount = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new CompanionError('CLI_USAGE', `--lines ${text} is not a number.`);
};

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** So long ago, or a moment by the clock of this machine; a day begins at its midnight. */
const readSince = (text: string, now: number): number => {
  const [, count, unit = ''] = /^(\d+)([smhd])$/u.exec(text) ?? [];
  const unitMs = UNIT_MS.get(unit);
  if (unitMs !== undefined) return now - Number(count) * unitMs;
  const isDay = /^\d{4}-\d\d-\d\d$/u.test(text);
  const moment = isDay || /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/u.test(text) ? Date.parse(isDay ? `${text}T00:00` : text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new CompanionError('CLI_USAGE', `--since ${text} is no time such as 30m, 2h, 3d, 2026-01-31 or 2026-01-31T09:30.`);
};

/** The route gives no more. */
const MAX_ENTRIES = 1_000_000;

/** The daemon reads the audit, because only its writer knows whether it is complete. */
const printAudit = async (io: Io, { count, since }: Wanted): Promise<number> => {
  await io.client.connect({ start: true, signal: io.signal });
  const { entries, entryCount, fault } = await io.client.audit(since === null ? count : MAX_ENTRIES, io.signal);
  const from = since === null ? entries : entries.filter(({ at }) => Date.parse(at) >= since);
  for (const entry of last(from, count)) io.print(JSON.stringify(entry));
  if (fault === null) return 0;
  io.note(`The audit of ${entryCount} entries was changed afterwards. ${fault}`);
  return 1;
};

const last = <T>(list: readonly T[], count: number): readonly T[] => (count === 0 ? [] : list.slice(-count));

/** Prints the last lines, of the file before this one too where they reach back so far; resolves with the place where they end. */
const printTail = async (io: Io, wanted: Wanted): Promise<number> => {
  const now = await readTail(io.paths.daemonLog);
  const before = now?.isWhole === true && wanted.count > now.lines.length ? await readTail(`${io.paths.daemonLog}.1`) : null;
  const lines = [...(before?.lines ?? []), ...(now?.lines ?? [])];
  if (lines.length === 0) io.note('Nothing was logged yet.');
  const shown = last(wanted.since === null ? lines : lines.slice(firstSince(lines, wanted.since)), wanted.count);
  if (shown.length > 0) io.print(shown.join('\n'));
  return now?.size ?? 0;
};

/** The first line of that moment or later. What has no time belongs to the line before it. */
const firstSince = (lines: readonly string[], since: number): number => {
  const found = lines.findIndex((line) => Date.parse(/^\{"at":"([^"]+)"/u.exec(line)?.[1] ?? '') >= since);
  return found === -1 ? lines.length : found;
};

const readTail = async (file: string): Promise<{ lines: string[]; size: number; isWhole: boolean } | null> => {
  const handle = await openLog(file);
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - MAX_TAIL_BYTES);
    const text = await readFrom(handle, start, size);
    return { lines: text.split('\n').filter((line) => line !== ''), size, isWhole: start === 0 };
  } finally {
    await handle.close();
  }
};

/** Prints what is added until ctrl+c, or until nobody reads it. A log that has become shorter counts as a new one. */
const follow = async (io: Io, start: number): Promise<void> => {
  let position = start;
  let isReading = false;
  let isStale = false;
  const readOn = async (): Promise<void> => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale) {
      isStale = false;
      position = await printFrom(io, position);
    }
    isReading = false;
  };
  const watcher: FSWatcher = watch(path.dirname(io.paths.daemonLog), () => void readOn());
  const ended = Promise.withResolvers<void>();
  watcher.on('error', () => ended.resolve());
  const until = whileRead(io.stdout, io.signal);
  until.addEventListener('abort', () => ended.resolve(), { once: true });
  if (until.aborted) ended.resolve();
  // Prints what was written before the watcher started.
  void readOn();
  await ended.promise;
  watcher.close();
};

const printFrom = async (io: Io, position: number): Promise<number> => {
  const handle = await openLog(io.paths.daemonLog);
  if (handle === null) return 0;
  try {
    const { size } = await handle.stat();
    const text = await readFrom(handle, size < position ? 0 : position, size);
    io.write(text);
    return size;
  } finally {
    await handle.close();
  }
};

const readFrom = async (handle: FileHandle, start: number, end: number): Promise<string> => {
  const buffer = Buffer.alloc(end - start);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  return buffer.toString('utf8', 0, bytesRead);
};

const openLog = async (file: string): Promise<FileHandle | null> => {
  try {
    return await open(file, 'r');
  } catch {
    return null;
  }
};

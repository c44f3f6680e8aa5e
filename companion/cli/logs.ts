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
    '[--lines N] [--follow] [--path] [--audit] [--json]',
    '-n, --lines N  how many lines (100)',
    '-f, --follow   go on with what is written',
    '--path         print where the log is',
    '--audit        what was decided, answered and changed, and by whom; the exit code is 1 when it was changed afterwards',
    '--json         as without it: every line is a JSON object; the path as one',
  ],
  run: async (args, io) => {
    const { values } = readArgs(args, {
      lines: { type: 'string', short: 'n' },
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
    const count = values.lines === undefined ? DEFAULT_LINES : Number(values.lines);
    if (!Number.isInteger(count) || count < 0) throw new CompanionError('CLI_USAGE', `--lines ${values.lines} is not a number.`);
    if (values.audit === true) return printAudit(io, count);
    const end = await printTail(io, count);
    if (values.follow === true) await follow(io, end);
    return 0;
  },
};

/** The daemon reads the audit, because only its writer knows whether it is complete. */
const printAudit = async (io: Io, count: number): Promise<number> => {
  await io.client.connect({ start: true, signal: io.signal });
  const { entries, entryCount, fault } = await io.client.audit(count, io.signal);
  for (const entry of entries) io.print(JSON.stringify(entry));
  if (fault === null) return 0;
  io.note(`The audit of ${entryCount} entries was changed afterwards. ${fault}`);
  return 1;
};

/** Prints the last lines; resolves with the place in the file where they end. */
const printTail = async (io: Io, count: number): Promise<number> => {
  const handle = await openLog(io.paths.daemonLog);
  if (handle === null) {
    io.note('Nothing was logged yet.');
    return 0;
  }
  try {
    const { size } = await handle.stat();
    const text = await readFrom(handle, Math.max(0, size - MAX_TAIL_BYTES), size);
    const lines = text.split('\n').filter((line) => line !== '');
    const shown = count === 0 ? [] : lines.slice(-count);
    if (shown.length > 0) io.print(shown.join('\n'));
    return size;
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

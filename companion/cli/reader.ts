/** Who reads what a command prints that goes on by itself: `pilotfish logs --follow | head -1` ends when `head` has. */
import { spawn } from 'node:child_process';
import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';

/**
 * Aborted when nobody reads from this stream any more, or when `signal` is. Node hears that a pipe is closed only when it writes
 * the next time. On Linux tail(1) shares the pipe, reads nothing for ever, and is ended by SIGPIPE as soon as the reader has gone.
 */
export const whileRead = (stdout: Writable, signal: AbortSignal): AbortSignal => {
  const gone = new AbortController();
  const until = AbortSignal.any([signal, gone.signal]);
  const onGone = (): void => gone.abort();
  stdout.once('close', onGone).once('error', onGone);
  if (until.aborted || process.platform !== 'linux' || !isPipe(stdout)) return until;
  const watcher = spawn('tail', ['-f', '/dev/null'], { stdio: ['ignore', 'inherit', 'ignore'] });
  watcher.on('error', () => undefined);
  watcher.on('exit', (_, by) => void (by === 'SIGPIPE' && onGone()));
  watcher.unref();
  until.addEventListener('abort', () => watcher.kill(), { once: true });
  return until;
};

const isPipe = (stdout: Writable): boolean => 'fd' in stdout && stdout.fd === 1 && fstatSync(1).isFIFO();

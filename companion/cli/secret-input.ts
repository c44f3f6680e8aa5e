/**
 * Reads a secret, either typed without an echo or piped in. It is never an argument, which other programs and the shell's
 * history would see.
 */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';
import { readPiped } from './piped-input.ts';

/** The secret on the one line that is typed or piped. */
export const readSecret = async (io: Io, name: string): Promise<string> => {
  const secret = (io.isInteractive ? await readHidden(io, name) : await readPiped(io)).trim();
  if (secret === '') throw new CompanionError('CLI_USAGE', `No value for ${name} was given.`);
  return secret;
};

const readHidden = async (io: Io, name: string): Promise<string> => {
  // What was asked of the daemon before this goes on after ctrl+c, and then nothing would end the reading.
  io.signal.throwIfAborted();
  io.stderr.write(`${name}, which is not shown: `);
  // The terminal is told not to echo, and what readline would echo instead is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: io.stdin, output: nowhere, terminal: true, historySize: 0 });
  const close = (): void => reader.close();
  io.signal.addEventListener('abort', close, { once: true });
  // While it edits a line, readline gets ctrl+c instead of the process.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const line = await reader[Symbol.asyncIterator]().next();
    io.signal.throwIfAborted();
    return line.done === true ? '' : line.value;
  } finally {
    io.signal.removeEventListener('abort', close);
    reader.close();
    io.stderr.write('\n');
  }
};

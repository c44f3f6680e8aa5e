import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Io } from './io.ts';

/** All that is piped in; nothing is waited for any more once the command is told to end. */
export const readPiped = ({ stdin, signal }: Io): Promise<string> => text(addAbortSignal(signal, stdin));

/** Does something with a file, or where it is called `-` with all that is piped in, which is in a file for this user alone meanwhile. */
export const withFile = async <T>({ stdin, signal }: Io, file: string, use: (file: string) => Promise<T>): Promise<T> => {
  if (file !== '-') return use(file);
  const folder = await mkdtemp(path.join(tmpdir(), 'pilotfish-piped-'));
  try {
    const piped = path.join(folder, 'stdin');
    await pipeline(stdin, createWriteStream(piped, { mode: 0o600 }), { signal });
    return await use(piped);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

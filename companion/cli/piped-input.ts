import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Io } from './io.ts';

/** All that is piped in; nothing is waited for any more once the command is told to end. */
export const readPiped = ({ stdin, signal }: Io): Promise<string> => text(addAbortSignal(signal, stdin));

/** The line on which the calls of one session go to the daemon, and what is told of them comes back. */
import type { Duplex } from 'node:stream';
import type { McpCallInput, McpCallLine } from '#protocol/api.ts';
import { type ClientLine, DaemonLine } from '#protocol/call-line.ts';
import { CompanionError, fromErrorBody } from '#protocol/errors.ts';
import { MAX_MESSAGE_BYTES } from '#protocol/version.ts';
import { isObject } from '#companion/lib/is-object.ts';
import { LineReader } from '#companion/lib/line-reader.ts';
import { CutCallError } from './cut-call.ts';

/** The daemon tells of each call at once that it has begun, however long it takes: one that is silent for this long hangs. */
export const BEGUN_WITHIN_MS = 5_000;

interface OpenCall {
  readonly tell: (line: McpCallLine) => void;
  readonly end: (error: unknown) => void;
  /** What ends the line of a daemon that hangs. */
  readonly silent: NodeJS.Timeout;
}

export class CallLine {
  readonly #socket: Duplex;
  readonly #calls = new Map<string, OpenCall>();

  constructor(socket: Duplex) {
    this.#socket = socket;
    const reader = new LineReader({
      maxLineBytes: MAX_MESSAGE_BYTES,
      onLine: (line) => this.#take(JSON.parse(line)),
      onOverflow: () => socket.destroy(),
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.#cut(error);
      }
    });
    socket.on('error', (error) => this.#cut(error));
    socket.on('close', () => this.#cut());
  }

  /** Calls `listener` when the line has ended, for whichever reason. */
  onEnd(listener: () => void): void {
    if (this.#socket.closed) listener();
    else this.#socket.once('close', listener);
  }

  /** Resolves when the result was told. A call that is given up is over at once, and the daemon is told. */
  async call(input: McpCallInput, signal: AbortSignal, tell: (line: McpCallLine) => void): Promise<void> {
    signal.throwIfAborted();
    const { callId } = input;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#say({ cancel: callId });
      reject(signal.reason);
    };
    const silent = setTimeout(() => this.#cut(new Error('the daemon is silent')), BEGUN_WITHIN_MS);
    this.#calls.set(callId, {
      tell: (line) => {
        tell(line);
        if ('result' in line) resolve();
      },
      end: reject,
      silent,
    });
    signal.addEventListener('abort', onAbort, { once: true });
    this.#say(input);
    try {
      await promise;
    } finally {
      clearTimeout(silent);
      signal.removeEventListener('abort', onAbort);
      this.#calls.delete(callId);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** What only a later version tells is left out, unless nothing else is to come. */
  #take(line: unknown): void {
    if (!isObject(line) || typeof line['callId'] !== 'string') return;
    const call = this.#calls.get(line['callId']);
    if (call === undefined) return;
    clearTimeout(call.silent);
    const told = DaemonLine.safeParse(line).data?.told;
    if (told === undefined) {
      if (isLast(line['told'])) call.end(unreadable());
    } else if ('error' in told) call.end(fromErrorBody(told.error));
    else if (!('begun' in told)) call.tell(told);
  }

  #say(line: ClientLine): void {
    if (!this.#socket.destroyed) this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  #cut(cause?: unknown): void {
    for (const call of this.#calls.values()) call.end(new CutCallError(cause));
    this.#socket.destroy();
  }
}

const isLast = (told: unknown): boolean => isObject(told) && ('result' in told || 'error' in told);

const unreadable = (): CompanionError =>
  new CompanionError('FRAME_INVALID', 'It was the answer to this call, which may have been carried out.', {
    remedy: 'Look at the page before you call again. If it stays, ask the user to restart this client: the daemon is of another version.',
  });

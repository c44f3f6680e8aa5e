/** One event stream that stays open: it resumes from the last id, notices silence, and comes back by itself. */
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser';
import { explainInFront } from '#protocol/front-faults.ts';
import { CompanionError, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { Said } from '#protocol/said.ts';

export interface ServerEvent {
  /** `message` when the server names none. */
  readonly name: string;
  readonly data: string;
  /** The last id so far, which resumes the stream; null before the first one. */
  readonly lastEventId: string | null;
}

export type StreamState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** `wasEnded`: the server ended it on purpose, rather than that the connection broke. */
  | { readonly state: 'waiting'; readonly error: ErrorBody; readonly attempt: number; readonly wasEnded: boolean }
  /** Trying again cannot help: the session is gone, or an event could not be taken. */
  | { readonly state: 'ended'; readonly error: ErrorBody };

export interface EventStreamOptions {
  /** Opens one connection after the given id; rejects with a CompanionError when it is refused. */
  readonly open: (lastEventId: string | null, signal: AbortSignal) => Promise<AsyncIterable<unknown>>;
  readonly lastEventId?: string | null;
  /** What it throws ends the stream: the next connection would meet the same event again. */
  readonly onEvent: (event: ServerEvent) => void;
  readonly onState: (state: StreamState) => void;
  /** Gets what `onEvent` threw, with its stack, for the log. */
  readonly onFault: (error: unknown) => void;
  readonly signal: AbortSignal;
  /** The server sends a heartbeat every 30 s; three missed ones mean that the connection is dead. */
  readonly silenceMs?: number;
  readonly retryMs?: (attempt: number) => number;
}

const SILENCE_MS = 95_000;

/** Longest event that is kept in memory, in characters; the server never sends one that comes near it. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** 0.25 s, doubling, at most 10 s, with jitter so that several readers do not knock together. */
const backoffMs = (attempt: number): number => Math.min(10_000, 250 * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);

/** How one connection ended. */
interface Ending {
  readonly reason: unknown;
  /** An event could not be taken. */
  readonly isFault: boolean;
  readonly wasEnded: boolean;
}

export class EventStream {
  readonly #options: EventStreamOptions;
  #lastEventId: string | null;
  /** Connections since the last event. */
  #attempt = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#lastEventId = options.lastEventId ?? null;
  }

  /** Runs until `signal` aborts, which gives null, or until nothing more can come, which gives the reason. Never rejects. */
  async run(): Promise<ErrorBody | null> {
    const { onState, onFault, signal, retryMs = backoffMs } = this.#options;
    while (!signal.aborted) {
      onState({ state: 'connecting' });
      const end = await this.#readOnce();
      if (signal.aborted) return null;
      if (end.isFault) onFault(end.reason);
      const error = toErrorBody(end.reason);
      if (end.isFault || error.code === 'SESSION_NOT_FOUND') {
        onState({ state: 'ended', error });
        return error;
      }
      this.#attempt += 1;
      onState({ state: 'waiting', error, attempt: this.#attempt, wasEnded: end.wasEnded });
      await pause(retryMs(this.#attempt), signal);
    }
    return null;
  }

  /** One connection, until it ends for whatever reason. */
  async #readOnce(): Promise<Ending> {
    const { open, onState, signal, silenceMs = SILENCE_MS } = this.#options;
    const silence = new Silence(silenceMs);
    const faults: unknown[] = [];
    const parser = this.#createParser(faults);
    try {
      const chunks = await open(this.#lastEventId, AbortSignal.any([signal, silence.signal]));
      onState({ state: 'live' });
      const decoder = new TextDecoder();
      for await (const chunk of chunks) {
        silence.restart();
        if (chunk instanceof Uint8Array) parser.feed(decoder.decode(chunk, { stream: true }));
        if (faults.length > 0) return { reason: faults[0], isFault: true, wasEnded: false };
      }
      return { reason: lost(explainInFront('stream_ended')), isFault: false, wasEnded: true };
    } catch (error) {
      if (silence.signal.aborted) return { reason: lost(explainInFront('stream_silent')), isFault: false, wasEnded: false };
      return { reason: error instanceof CompanionError ? error : lost(undefined, error), isFault: false, wasEnded: false };
    } finally {
      silence.end();
    }
  }

  #createParser(faults: unknown[]): EventSourceParser {
    return createParser({
      maxBufferSize: MAX_EVENT_LENGTH,
      onId: (id) => (this.#lastEventId = id === '' ? null : id),
      onEvent: (event) => {
        if (faults.length > 0 || this.#options.signal.aborted) return;
        try {
          this.#take(event);
        } catch (error) {
          faults.push(error);
        }
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') faults.push(new CompanionError('FRAME_TOO_LARGE', explainInFront('stream_event')));
      },
    });
  }

  #take({ event: name = 'message', id, data }: EventSourceMessage): void {
    this.#attempt = 0;
    // After a resync the ids of before mean nothing, whether or not the stream goes on.
    if (name === 'resync' && id === undefined) this.#lastEventId = null;
    this.#options.onEvent({ name, data, lastEventId: this.#lastEventId });
  }
}

/** Aborts when it is not restarted for a while. */
class Silence {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: unknown;

  constructor(ms: number) {
    this.#ms = ms;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

const lost = (detail: Said | undefined, cause?: unknown): CompanionError =>
  new CompanionError('DAEMON_NOT_RUNNING', detail, { remedy: explainInFront('looked_for_again'), cause });

/** It resolves early when the signal is aborted. A panel has no `node:timers/promises`, and browsers no promise for a timer. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });

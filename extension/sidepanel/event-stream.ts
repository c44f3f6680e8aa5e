/** One event stream that stays open: resumes from the last id, notices silence, comes back by itself. */
import { CompanionError, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { Endpoint } from './api.ts';
import { errorOf } from './api-error.ts';
import { createSseParser, type ServerEvent } from './sse.ts';

export type StreamState =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'waiting'; error: ErrorBody; attempt: number }
  /** Trying again cannot help (the session is gone). */
  | { state: 'ended'; error: ErrorBody };

export interface StreamOptions {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly lastEventId: string | null;
  readonly onEvent: (event: ServerEvent) => void;
  readonly onState: (state: StreamState) => void;
  readonly signal: AbortSignal;
  /** The server sends a heartbeat every 30 s; three missed ones mean that the connection is dead. */
  readonly silenceMs?: number;
  readonly retryMs?: (attempt: number) => number;
  readonly fetch?: typeof globalThis.fetch;
}

/** Runs until `signal` aborts or the server says that there is nothing to come. Never rejects. */
export const runEventStream = async (options: StreamOptions): Promise<void> => {
  const { onState, signal, retryMs = backoffMs } = options;
  let lastEventId = options.lastEventId;
  let attempt = 0;
  while (!signal.aborted) {
    onState({ state: 'connecting' });
    const error = await readOnce({
      ...options,
      lastEventId,
      onLive: () => onState({ state: 'live' }),
      onEvent: (event) => {
        attempt = 0;
        // A heartbeat has no id of its own; after a resync the old ids mean nothing, whether or not the stream goes on.
        if (event.name === 'resync') lastEventId = null;
        else if (event.name !== 'heartbeat' && event.lastEventId !== '') lastEventId = event.lastEventId;
        options.onEvent(event);
      },
    });
    if (signal.aborted) return;
    if (isFinal(error)) {
      onState({ state: 'ended', error });
      return;
    }
    attempt += 1;
    onState({ state: 'waiting', error, attempt });
    await pause(retryMs(attempt), signal);
  }
};

/** 0.25 s, doubling, at most 10 s, with jitter so that several panels do not knock together. */
const backoffMs = (attempt: number): number => Math.min(10_000, 250 * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);

const isFinal = (error: ErrorBody): boolean => error.code === 'SESSION_NOT_FOUND';

const lost = (detail: string): ErrorBody =>
  new CompanionError('DAEMON_NOT_RUNNING', detail, { remedy: 'It is started again by itself; otherwise press "Try again".' }).toBody();

/** One connection, until it ends for whatever reason; the reason is the result. */
const readOnce = async (options: StreamOptions & { onLive: () => void }): Promise<ErrorBody> => {
  const { endpoint, path, lastEventId, silenceMs = 90_000, fetch = globalThis.fetch } = options;
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  const noise = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMs);
  };
  try {
    const response = await fetch(`http://127.0.0.1:${endpoint.port}${path}`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${endpoint.token}`,
        ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
      },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.any([options.signal, silence.signal]),
    });
    if (!response.ok || response.body === null) return await errorOf(response);
    noise();
    options.onLive();
    const parser = createSseParser(options.onEvent, lastEventId ?? '');
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return lost('It closed the stream.');
      noise();
      parser.push(value);
    }
  } catch (error) {
    if (silence.signal.aborted) return lost('It has been silent for too long.');
    return error instanceof TypeError ? lost('') : toErrorBody(error);
  } finally {
    clearTimeout(timer);
  }
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });

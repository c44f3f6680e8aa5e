/** Event streams that stay: cut off, they come back with the last id and go on. */
import * as z from 'zod';
import { StateEvent } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { SessionEvent } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import { createSseParser, type SseEvent } from './sse-parser.ts';
import { unreachable, type Transport } from './transport.ts';

/** The log is another one than the reader knew: it forgets what it has, and gets everything from the beginning. */
export const Resync = z.object({ type: z.literal('resync'), reason: z.string(), epoch: z.string() });
export type Resync = z.infer<typeof Resync>;

export type StreamState = { readonly state: 'live' } | { readonly state: 'waiting'; readonly error: CompanionError };

export interface StreamOptions<Event> {
  readonly onEvent: (event: Event, cursor: string | null) => void;
  readonly onState?: (state: StreamState) => void;
  readonly signal: AbortSignal;
}

/** Three missed heartbeats: the daemon is suspended or the connection is dead. */
const SILENCE_MS = 95_000;
const MAX_PAUSE_MS = 5000;

/** Runs until `signal` aborts; rejects when the session does not exist. */
export const streamSession = (
  transport: Transport,
  sessionId: SessionId,
  after: string | null,
  options: StreamOptions<SessionEvent | Resync>,
): Promise<void> =>
  follow(transport, `/api/agent-sessions/${encodeURIComponent(sessionId)}/events`, after, {
    ...options,
    parse: ({ name, data }) => {
      if (name === 'heartbeat') return null;
      return name === 'resync' ? Resync.parse(JSON.parse(data)) : SessionEvent.parse(JSON.parse(data));
    },
  });

/** Runs until `signal` aborts. Every list comes whole, and again after a break. */
export const streamState = (transport: Transport, options: StreamOptions<StateEvent>): Promise<void> =>
  follow(transport, '/api/events', null, { ...options, parse: ({ data }) => StateEvent.parse(JSON.parse(data)) });

/** Says to the daemon that an MCP client lives, until `signal` aborts. */
export const holdMcpSession = (transport: Transport, sessionId: SessionId, signal: AbortSignal): Promise<void> =>
  follow(transport, `/api/mcp-sessions/${encodeURIComponent(sessionId)}/hold`, null, { onEvent: () => {}, parse: () => null, signal });

interface FollowOptions<Event> extends StreamOptions<Event> {
  readonly parse: (event: SseEvent) => Event | null;
}

const follow = async <Event>(transport: Transport, path: string, after: string | null, options: FollowOptions<Event>): Promise<void> => {
  const { onEvent, onState, signal, parse } = options;
  let cursor = after;
  let attempt = 0;
  while (!signal.aborted) {
    const error = await readOnce(transport, path, cursor, signal, {
      onOpen: () => onState?.({ state: 'live' }),
      onEvent: (sse) => {
        attempt = 0;
        const event = parse(sse);
        cursor = sse.id ?? cursor;
        if (event !== null) onEvent(event, cursor);
      },
    });
    if (signal.aborted) return;
    if (error.code === 'SESSION_NOT_FOUND') throw error;
    onState?.({ state: 'waiting', error });
    await pause(Math.min(MAX_PAUSE_MS, 50 * 2 ** attempt), signal);
    attempt += 1;
  }
};

/** One connection until its end; why it ended is the result. */
const readOnce = async (
  transport: Transport,
  path: string,
  cursor: string | null,
  signal: AbortSignal,
  { onOpen, onEvent }: { onOpen: () => void; onEvent: (event: SseEvent) => void },
): Promise<CompanionError> => {
  try {
    const headers = { accept: 'text/event-stream', ...(cursor === null ? {} : { 'last-event-id': cursor }) };
    const body = await transport.stream('GET', path, { headers, signal, silenceMs: SILENCE_MS });
    onOpen();
    const push = createSseParser(onEvent);
    for await (const chunk of body) if (chunk instanceof Uint8Array) push(chunk);
    return new CompanionError('DAEMON_NOT_RUNNING', 'It closed the stream.');
  } catch (error) {
    return unreachable(error);
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

/** The event streams of the daemon over the private socket. When they break off they are opened again, and go on after the last event. */
import * as z from 'zod';
import { StateEvent } from '#protocol/api.ts';
import type { Route, Sent } from '#protocol/contract.ts';
import { CompanionError, fromErrorBody } from '#protocol/errors.ts';
import { SessionEvent } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import { EventStream, type ServerEvent } from '#stream/event-stream.ts';
import { chunksOf, type Transport } from './transport.ts';

/** The log is not the one that the reader knows: the reader forgets what it has, and gets everything from the beginning. */
export const Resync = z.object({ type: z.literal('resync'), reason: z.string(), epoch: z.string() });
export type Resync = z.infer<typeof Resync>;

export type StreamState =
  | { readonly state: 'live' }
  /** `wasEnded` says that the daemon ended the stream, as it does when it is stopped or replaced. */
  | { readonly state: 'waiting'; readonly error: CompanionError; readonly wasEnded: boolean };

export interface StreamOptions<Event> {
  readonly onEvent: (event: Event, cursor: string | null) => void;
  readonly onState?: ((state: StreamState) => void) | undefined;
  readonly signal: AbortSignal;
}

const MAX_PAUSE_MS = 5000;

/** Runs until `signal` aborts; rejects when the session does not exist or an event cannot be handled. Those that only a later version knows are left out. */
export const streamSession = (
  transport: Transport,
  sessionId: SessionId,
  after: string | null,
  options: StreamOptions<SessionEvent | Resync>,
): Promise<void> =>
  follow(transport, routes.watchSession, { params: { sessionId }, query: {} }, after, {
    ...options,
    parse: ({ name, data }) => {
      if (name === 'heartbeat') return null;
      return name === 'resync' ? Resync.parse(JSON.parse(data)) : (SessionEvent.safeParse(JSON.parse(data)).data ?? null);
    },
  });

/** Runs until `signal` aborts. Every list comes whole, and again after a break; unknown events are ignored. */
export const streamState = (transport: Transport, options: StreamOptions<StateEvent>): Promise<void> =>
  follow(transport, routes.watchState, {}, null, {
    ...options,
    parse: ({ data }) => StateEvent.safeParse(JSON.parse(data)).data ?? null,
  });

/** Tells the daemon that an MCP client lives, until `signal` aborts; `onLive` hears whether the daemon is known to be there. */
export const holdMcpSession = (
  transport: Transport,
  sessionId: SessionId,
  signal: AbortSignal,
  onLive: (isLive: boolean) => void,
): Promise<void> =>
  follow(transport, routes.holdMcpSession, { params: { sessionId } }, null, {
    onEvent: () => {},
    onState: ({ state }) => onLive(state === 'live'),
    parse: () => null,
    signal,
  });

interface FollowOptions<Event> extends StreamOptions<Event> {
  readonly parse: (event: ServerEvent) => Event | null;
}

const follow = async <R extends Route, Event>(
  transport: Transport,
  route: R,
  sent: Sent<R>,
  after: string | null,
  { parse, onEvent, onState, signal }: FollowOptions<Event>,
): Promise<void> => {
  let fault: unknown = null;
  const stream = new EventStream({
    open: async (lastEventId, abort) => {
      const headers = { accept: 'text/event-stream', ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }) };
      // The stream itself notices when nothing comes.
      return chunksOf(await transport.stream(route, sent, { headers, signal: abort, silenceMs: 0 }));
    },
    lastEventId: after,
    onEvent: (event) => {
      const parsed = parse(event);
      if (parsed !== null) onEvent(parsed, event.lastEventId);
    },
    onState: (state) => {
      if (state.state === 'live') onState?.(state);
      if (state.state === 'waiting') onState?.({ state: 'waiting', error: fromErrorBody(state.error), wasEnded: state.wasEnded });
    },
    onFault: (error) => (fault = error),
    signal,
    retryMs: (attempt) => Math.min(MAX_PAUSE_MS, 50 * 2 ** (attempt - 1)),
  });
  const end = await stream.run();
  if (fault !== null) throw new CompanionError('FRAME_INVALID', 'An event of the daemon could not be taken.', { cause: fault });
  if (end !== null) throw fromErrorBody(end);
};

/** One subscription per session, however many watch it: what happens in one tick is encoded once and goes out as one frame. */
import type { SessionEvent } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import type { SessionsDoor } from './deps.ts';

interface Frame<Part> {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly parts: readonly Part[];
}

interface FeedListener<Part> {
  next(frame: Frame<Part>): void;
  /** The session was deleted. */
  ended(): void;
}

export interface Feed<Part> {
  attach(sessionId: SessionId, listener: FeedListener<Part>): () => void;
}

interface Channel<Part> {
  readonly listeners: Set<FeedListener<Part>>;
  readonly unsubscribe: () => void;
}

/** `createEncoder` makes one encoder per watched session; it may remember what it has sent. */
export const createFeed = <Part>(
  sessions: Pick<SessionsDoor, 'subscribe' | 'subscribeList'>,
  createEncoder: (sessionId: SessionId) => (event: SessionEvent, view: SessionView) => Part[],
): Feed<Part> => {
  const channels = new Map<SessionId, Channel<Part>>();
  let unsubscribeList: (() => void) | null = null;

  const open = (sessionId: SessionId): Channel<Part> => {
    const encode = createEncoder(sessionId);
    const listeners = new Set<FeedListener<Part>>();
    let pending: { firstSeq: number; lastSeq: number; parts: Part[] } | null = null;
    const flush = (): void => {
      const frame = pending;
      pending = null;
      if (frame !== null) for (const listener of listeners) listener.next(frame);
    };
    const unsubscribe = sessions.subscribe(sessionId, (event, view) => {
      if (pending === null) {
        pending = { firstSeq: event.seq, lastSeq: event.seq, parts: [] };
        queueMicrotask(flush);
      }
      pending.lastSeq = event.seq;
      pending.parts.push(...encode(event, view));
    });
    const channel = { listeners, unsubscribe };
    channels.set(sessionId, channel);
    unsubscribeList ??= sessions.subscribeList((rows) => {
      const known = new Set(rows.map(({ id }) => id));
      for (const [id, { listeners: gone }] of channels) if (!known.has(id)) for (const listener of gone) listener.ended();
    });
    return channel;
  };

  const close = (sessionId: SessionId, channel: Channel<Part>): void => {
    channel.unsubscribe();
    channels.delete(sessionId);
    if (channels.size > 0) return;
    unsubscribeList?.();
    unsubscribeList = null;
  };

  return {
    attach: (sessionId, listener) => {
      const channel = channels.get(sessionId) ?? open(sessionId);
      channel.listeners.add(listener);
      return () => {
        if (channel.listeners.delete(listener) && channel.listeners.size === 0) close(sessionId, channel);
      };
    },
  };
};

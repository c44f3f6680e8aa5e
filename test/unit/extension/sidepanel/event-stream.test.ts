import { describe, expect, test } from 'vitest';
import { routes } from '#protocol/routes.ts';
import { EventStream, type EventStreamOptions, type ServerEvent, type StreamState } from '#stream/event-stream.ts';
import { streamOf } from '#extension/shared/wire.ts';
import { createLog, sessionId, started } from './log-builder.ts';
import { startDaemonDouble, type DaemonDouble } from './daemon-double.ts';

interface Reader {
  readonly events: ServerEvent[];
  readonly states: StreamState[];
  readonly done: Promise<unknown>;
  /** Resolves when `isSo` holds after some event or change of state. */
  until(isSo: () => boolean): Promise<void>;
  stop(): void;
}

const read = (double: DaemonDouble, options: Partial<EventStreamOptions> = {}): Reader => {
  const stop = new AbortController();
  let wake = (): void => {};
  const reader: Reader = {
    events: [],
    states: [],
    done: new EventStream({
      open: streamOf({ port: double.port, token: 'token-one' }, routes.watchSession, { params: { sessionId }, query: {} }),
      onEvent: (event) => {
        reader.events.push(event);
        wake();
      },
      onState: (state) => {
        // Called first while `reader` is being made.
        queueMicrotask(() => {
          reader.states.push(state);
          wake();
        });
      },
      signal: stop.signal,
      onFault: (error) => expect.unreachable(String(error)),
      retryMs: () => 1,
      ...options,
    }).run(),
    until: async (isSo) => {
      while (!isSo()) await new Promise<void>((resolve) => (wake = resolve));
    },
    stop: () => stop.abort(),
  };
  return reader;
};

const ids = (reader: Reader): (string | null)[] => reader.events.map(({ lastEventId }) => lastEventId);

const story = createLog().add(...started('t1', 'a'), ...started('t2', 'b')).events;

describe('an event stream', () => {
  test('goes on after a cut with the last id it has, and misses or repeats nothing', async () => {
    await using double = await startDaemonDouble();
    double.logs.set(sessionId, story.slice(0, 3));
    const reader = read(double);
    await reader.until(() => reader.events.length === 3);

    double.logs.get(sessionId)?.push(...story.slice(3));
    double.cut();
    await reader.until(() => reader.events.length === 6);
    reader.stop();
    await reader.done;

    expect(ids(reader)).toEqual(['e1-1', 'e1-2', 'e1-3', 'e1-4', 'e1-5', 'e1-6']);
    expect(double.received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e1-3']);
  });

  test('never puts the token into an address', async () => {
    await using double = await startDaemonDouble();
    double.logs.set(sessionId, [...story]);
    const reader = read(double);
    await reader.until(() => reader.events.length === 6);
    reader.stop();
    await reader.done;

    expect(double.received.every(({ url }) => !url.includes('token-one'))).toBe(true);
    expect(double.received[0]?.headers.authorization).toBe('Bearer token-one');
  });

  test('takes silence for a dead connection and comes back', async () => {
    await using double = await startDaemonDouble();
    double.logs.set(sessionId, story.slice(0, 1));
    const reader = read(double, { silenceMs: 30 });
    await reader.until(() => reader.states.filter(({ state }) => state === 'live').length === 2);
    reader.stop();
    await reader.done;

    expect(reader.states.find((state) => state.state === 'waiting')).toMatchObject({ error: { code: 'DAEMON_NOT_RUNNING' }, attempt: 1 });
  });

  test('a heartbeat without an id does not move the cursor', async () => {
    await using double = await startDaemonDouble();
    double.logs.set(sessionId, story.slice(0, 2));
    const reader = read(double);
    await reader.until(() => reader.events.length === 2);
    double.raw(sessionId, 'event: heartbeat\ndata: {}\n\n');
    await reader.until(() => reader.events.length === 3);
    double.cut();
    await double.request(({ headers }) => headers['last-event-id'] === 'e1-2');
    reader.stop();
    await reader.done;
  });

  test('forgets its cursor when the server starts the log over', async () => {
    await using double = await startDaemonDouble();
    double.logs.set(sessionId, [...story]);
    const reader = read(double, { lastEventId: 'e0-99' });
    await reader.until(() => reader.events.length === 7);
    reader.stop();
    await reader.done;

    expect(reader.events.map(({ name }) => name)).toEqual(['resync', ...story.map(() => 'message')]);
    expect(ids(reader).at(-1)).toBe('e1-6');
  });

  test('says that a session is gone, and does not ask again', async () => {
    await using double = await startDaemonDouble();
    const reader = read(double);
    await reader.done;
    await reader.until(() => reader.states.length === 2);

    expect(reader.states.at(-1)).toMatchObject({
      state: 'ended',
      error: { code: 'SESSION_NOT_FOUND', message: 'refused with SESSION_NOT_FOUND' },
    });
    expect(double.received).toHaveLength(1);
  });

  test('counts the tries it has made in vain, and begins anew after an event', async () => {
    await using double = await startDaemonDouble();
    double.logs.set(sessionId, story.slice(0, 1));
    double.token = 'token-two';
    const reader = read(double);
    await reader.until(() => reader.states.some((state) => state.state === 'waiting' && state.attempt === 3));
    double.token = 'token-one';
    await reader.until(() => reader.events.length === 1);
    const count = reader.states.length;
    double.cut();
    await reader.until(() => reader.states.slice(count).some(({ state }) => state === 'waiting'));
    reader.stop();
    await reader.done;

    expect(reader.states.slice(count).find((state) => state.state === 'waiting')).toMatchObject({ attempt: 1 });
  });
});

import { describe, expect, test } from 'vitest';
import { EventStream, type ServerEvent, type StreamState } from '#stream/event-stream.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Reads one connection that gives these chunks and then ends. */
const readAll = async (chunks: readonly Uint8Array[], lastEventId: string | null = null): Promise<ServerEvent[]> => {
  const events: ServerEvent[] = [];
  const abort = new AbortController();
  const stream = new EventStream({
    open: async () => chunksOf(chunks),
    lastEventId,
    onEvent: (event) => events.push(event),
    onState: ({ state }) => state === 'waiting' && abort.abort(),
    onFault: (error) => expect.unreachable(String(error)),
    signal: abort.signal,
  });
  await stream.run();
  return events;
};

const story = [
  ': a comment\n\n',
  'id: e-1\ndata: {"text":"你好 🐟"}\n\n',
  'event: heartbeat\r\ndata: {}\r\n\r\n',
  'data: one\rdata: two\r\r',
  'id\ndata:no space\nretry: 10\n\n',
  'data\n\n',
  'event: nothing\n\n',
  'id: e-2\ndata: last\n\n',
  'data: cut off',
].join('');

const expected: ServerEvent[] = [
  { name: 'message', data: '{"text":"你好 🐟"}', lastEventId: 'e-1' },
  { name: 'heartbeat', data: '{}', lastEventId: 'e-1' },
  { name: 'message', data: 'one\ntwo', lastEventId: 'e-1' },
  { name: 'message', data: 'no space', lastEventId: null },
  { name: 'message', data: '', lastEventId: null },
  { name: 'message', data: 'last', lastEventId: 'e-2' },
];

describe('the bytes of an event stream', () => {
  test('are read the same when they are cut anywhere', async () => {
    const whole = bytes(story);

    expect(await readAll([whole])).toEqual(expected);
    for (let cut = 0; cut <= whole.length; cut += 1) {
      expect(await readAll([whole.slice(0, cut), whole.slice(cut)]), `cut at ${cut}`).toEqual(expected);
    }
    expect(await readAll([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  test('keep the id they start with until the server gives another, and ignore one with a NUL', async () => {
    const events = await readAll([bytes('data: a\n\nid: x\0y\ndata: b\n\nid: e-9\ndata: c\n\n')], 'e-4');

    expect(events.map(({ lastEventId }) => lastEventId)).toEqual(['e-4', 'e-4', 'e-9']);
  });

  test('of many megabytes in one line are read in linear time', async () => {
    const chunk = bytes('x'.repeat(64 * 1024));
    const chunks = [bytes('data: '), ...Array.from({ length: 256 }, () => chunk), bytes('\n\n')];

    expect((await readAll(chunks))[0]?.data.length).toBe(256 * 64 * 1024);
  });
});

describe('an event that cannot be taken', () => {
  test('ends its stream, is told with its stack and is not asked for again', async () => {
    const states: StreamState[] = [];
    const faults: unknown[] = [];
    const seen: string[] = [];
    let connections = 0;
    const stream = new EventStream({
      open: async () => {
        connections += 1;
        return chunksOf([bytes('data: {}\n\ndata: {\n\ndata: {}\n\n')]);
      },
      onEvent: ({ data }) => {
        JSON.parse(data);
        seen.push(data);
      },
      onState: (state) => states.push(state),
      onFault: (error) => faults.push(error),
      signal: new AbortController().signal,
    });

    const end = await stream.run();

    expect(connections).toBe(1);
    expect(seen).toEqual(['{}']);
    expect(faults).toEqual([expect.any(SyntaxError)]);
    expect(end).toMatchObject({ code: 'INTERNAL' });
    expect(states.at(-1)).toEqual({ state: 'ended', error: end });
  });
});

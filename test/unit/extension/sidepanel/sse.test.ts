import { describe, expect, test } from 'vitest';
import { createSseParser, type ServerEvent } from '#extension/sidepanel/sse.ts';

const parse = (chunks: readonly Uint8Array[], startId?: string): ServerEvent[] => {
  const events: ServerEvent[] = [];
  const parser = createSseParser((event) => events.push(event), startId);
  for (const chunk of chunks) parser.push(chunk);
  return events;
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const stream = [
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
  { name: 'message', data: 'no space', lastEventId: '' },
  { name: 'message', data: '', lastEventId: '' },
  { name: 'message', data: 'last', lastEventId: 'e-2' },
];

describe('the SSE parser', () => {
  test('reads a whole stream', () => {
    expect(parse([bytes(stream)])).toEqual(expected);
  });

  test('reads the same when the stream is cut at any byte', () => {
    const whole = bytes(stream);

    for (let cut = 0; cut <= whole.length; cut += 1) {
      expect(parse([whole.slice(0, cut), whole.slice(cut)]), `cut at ${cut}`).toEqual(expected);
    }
  });

  test('reads the same one byte at a time', () => {
    expect(parse([...bytes(stream)].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  test('skips a byte order mark at the beginning only', () => {
    expect(parse([bytes('\uFEFFdata: a\n\n')]).map(({ data }) => data)).toEqual(['a']);
  });

  test('keeps the id it starts with until the server gives another, and ignores one with a NUL', () => {
    const events = parse([bytes('data: a\n\nid: x\0y\ndata: b\n\nid: e-9\ndata: c\n\n')], 'e-4');

    expect(events.map(({ lastEventId }) => lastEventId)).toEqual(['e-4', 'e-4', 'e-9']);
  });

  test('reads a line of many megabytes in linear time', () => {
    const chunk = bytes('x'.repeat(64 * 1024));
    const chunks = [bytes('data: '), ...Array.from({ length: 256 }, () => chunk), bytes('\n\n')];

    expect(parse(chunks)[0]?.data.length).toBe(256 * 64 * 1024);
  });
});

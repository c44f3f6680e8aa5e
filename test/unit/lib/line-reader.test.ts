import { describe, expect, test } from 'vitest';
import { LineReader } from '#companion/lib/line-reader.ts';
import { cpuTimeMs } from '#test/fixtures/cpu-time.ts';

const read = (chunks: readonly Buffer[], maxLineBytes?: number): { lines: string[]; overflows: number[] } => {
  const lines: string[] = [];
  const overflows: number[] = [];
  const reader = new LineReader({
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
    onLine: (line) => lines.push(line),
    onOverflow: (bytes) => overflows.push(bytes),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, overflows };
};

describe('line reader', () => {
  test('a text cut in two at every byte offset gives the same lines', () => {
    const text = '\uFEFF{"a":"é"}\r\n\r\n€ 🐟 日本\u0000語\nlast 🐠';
    const bytes = Buffer.from(text);
    const reference = ['{"a":"é"}', '', '€ 🐟 日本\u0000語', 'last 🐠'];

    for (let at = 0; at <= bytes.length; at++) {
      expect(read([bytes.subarray(0, at), bytes.subarray(at)]).lines).toEqual(reference);
    }
  });

  test('a text that comes byte by byte gives the same lines', () => {
    const bytes = Buffer.from('\uFEFFα\r\nβ🐟\n\nγ');

    expect(read([...bytes].map((byte) => Buffer.from([byte]))).lines).toEqual(['α', 'β🐟', '', 'γ']);
  });

  test('a lone carriage return inside a line stays', () => {
    expect(read([Buffer.from('a\rb\r\n\r')]).lines).toEqual(['a\rb', '']);
  });

  test('invalid UTF-8 becomes the replacement character and nothing is lost around it', () => {
    expect(read([Buffer.from([0x61, 0xff, 0x62, 0x0a, 0x63])]).lines).toEqual(['a\uFFFDb', 'c']);
  });

  test('a byte order mark counts at the very beginning only', () => {
    expect(read([Buffer.from('a\n\uFEFFb\n')]).lines).toEqual(['a', '\uFEFFb']);
  });

  test('a line above the limit is told once and skipped, and the next one is delivered', () => {
    const long = Buffer.alloc(30, 'x');

    expect(read([Buffer.from('a\n'), long, long, Buffer.from('y\nb\n')], 32)).toEqual({ lines: ['a', 'b'], overflows: [60] });
    expect(read([Buffer.concat([long, long, Buffer.from('\nb')])], 32)).toEqual({ lines: ['b'], overflows: [60] });
    expect(read([long, long], 32)).toEqual({ lines: [], overflows: [60] });
  });

  test('a line of exactly the limit is delivered', () => {
    expect(read([Buffer.from('abc'), Buffer.from('d\n')], 4)).toEqual({ lines: ['abcd'], overflows: [] });
  });

  test('a line of 100 MB takes under a second and little memory', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().rss;
    let overflow = 0;
    const lines: string[] = [];
    const reader = new LineReader({ onLine: (line) => lines.push(line), onOverflow: (bytes) => (overflow = bytes) });
    const start = cpuTimeMs();

    for (let sent = 0; sent < 100_000_000; sent += chunk.length) reader.push(chunk);
    reader.push(Buffer.from('\n{}\n'));
    reader.end();

    expect(cpuTimeMs() - start).toBeLessThan(1_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    expect(overflow).toBeGreaterThan(16 * 1024 * 1024);
    expect(lines).toEqual(['{}']);
  });

  test('a line of 100 MB within the limit is joined in linear time', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let length = 0;
    const reader = new LineReader({ maxLineBytes: 2 ** 28, onLine: (line) => (length = line.length), onOverflow: () => {} });
    const start = cpuTimeMs();

    for (let sent = 0; sent < 100_000_000; sent += chunk.length) reader.push(chunk);
    reader.end();

    expect(cpuTimeMs() - start).toBeLessThan(2_000);
    expect(length).toBeGreaterThan(100_000_000);
  });

  test('a burst of a million lines keeps its order and count', () => {
    const count = 1_000_000;
    const bytes = Buffer.from(Array.from({ length: count }, (_, index) => `${index}\n`).join(''));
    let next = 0;
    let isInOrder = true;
    const reader = new LineReader({
      onLine: (line) => {
        isInOrder &&= Number(line) === next;
        next += 1;
      },
      onOverflow: () => {},
    });

    for (let at = 0; at < bytes.length; at += 65_536) reader.push(bytes.subarray(at, at + 65_536));

    expect(next).toBe(count);
    expect(isInOrder).toBe(true);
  });
});

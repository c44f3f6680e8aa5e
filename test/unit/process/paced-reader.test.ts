import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { PacedReader } from '#companion/process/paced-reader.ts';

/** Keeps the event loop busy, as the work on a line does. */
const burn = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('a stream read in slices', () => {
  test('everything arrives in order, and the end after it', async () => {
    const source = Array.from({ length: 300 }, (_, index) => Buffer.alloc(1 + ((index * 7919) % 40_000), index % 251));
    const stream = Readable.from(source, { objectMode: false });
    const seen: Buffer[] = [];

    const reader = new PacedReader(stream, (bytes) => {
      seen.push(bytes);
      if (seen.length % 50 === 0) burn(10);
    });
    await finished(stream);
    reader.flush();

    expect(Buffer.concat(seen).equals(Buffer.concat(source))).toBe(true);
    expect(reader.receivedBytes).toBe(Buffer.concat(source).length);
  });

  test('while it floods, what else waits has its turn within some slices', async () => {
    const stream = Readable.from(
      Array.from({ length: 40 }, () => Buffer.alloc(64 * 1024)),
      { objectMode: false },
    );
    let turns = 0;
    let most = 0;
    let piecesSinceTurn = 0;
    const reader = new PacedReader(stream, () => {
      burn(1);
      most = Math.max(most, (piecesSinceTurn += 1));
    });
    const timer = setInterval(() => {
      piecesSinceTurn = 0;
      turns += 1;
    }, 1);

    await finished(stream);
    clearInterval(timer);
    reader.flush();

    // 320 pieces of a millisecond: without slices they come in rounds of 64 KB at least, and in one go from a pipe.
    expect(turns).toBeGreaterThan(15);
    expect(most).toBeLessThan(60);
  });

  test('what has come when nobody reads on is not lost', () => {
    const stream = new Readable({ read: () => {} });
    const seen: Buffer[] = [];
    const reader = new PacedReader(stream, (bytes) => {
      seen.push(bytes);
      burn(10);
    });

    stream.emit('data', Buffer.alloc(100_000, 1));
    const before = Buffer.concat(seen).length;
    reader.flush();

    expect(before).toBeLessThan(100_000);
    expect(Buffer.concat(seen)).toHaveLength(100_000);
  });
});

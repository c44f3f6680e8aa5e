import { describe, expect, it } from 'vitest';
import { createFrameGuard } from '#companion/host/framing.ts';
import { createFrameReader, encodeFrame } from '#companion/lib/framing.ts';
import { MAX_HOST_FRAME_BYTES } from '#protocol/version.ts';
import { createRandom } from './random.ts';

const header = (length: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length);
  return bytes;
};

const readAll = (chunks: readonly Buffer[], maxBytes = 1_000_000): { frames: string[]; tooLarge: number[] } => {
  const frames: string[] = [];
  const tooLarge: number[] = [];
  const reader = createFrameReader({
    maxBytes,
    onFrame: (body) => frames.push(body.toString('utf8')),
    onTooLarge: (bytes) => tooLarge.push(bytes),
  });
  for (const chunk of chunks) reader.push(chunk);
  return { frames, tooLarge };
};

describe('frame reader', () => {
  it('gives back what was encoded, however the bytes are cut', () => {
    const messages = ['{"a":1}', '', '"ü€😀"', 'x'.repeat(70_000)];
    const bytes = Buffer.concat(messages.map(encodeFrame));

    for (const size of [1, 2, 3, 5, 4096, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
      expect(readAll(chunks).frames).toEqual(messages);
    }
  });

  it('reads nothing more after a frame that is too large', () => {
    const { frames, tooLarge } = readAll([encodeFrame('1'), header(2 ** 31), encodeFrame('2')]);

    expect(frames).toEqual(['1']);
    expect(tooLarge).toEqual([2 ** 31]);
  });

  it('takes time in proportion to the bytes and no memory for what was only announced', () => {
    const before = process.memoryUsage().rss;
    const length = 60 * 1024 * 1024;
    const reader = createFrameReader({ maxBytes: 64 * 1024 * 1024, onFrame: () => {}, onTooLarge: () => {} });
    reader.push(header(length));
    expect(process.memoryUsage().rss - before).toBeLessThan(10 * 1024 * 1024);

    const chunk = Buffer.alloc(4096);
    const startedAt = performance.now();
    for (let sent = 0; sent < length; sent += chunk.length) reader.push(chunk);

    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

describe('frame guard', () => {
  it('lets every frame within the limit through unchanged, in any pieces', () => {
    const bytes = Buffer.concat([encodeFrame('{"a":1}'), encodeFrame(''), encodeFrame('y'.repeat(100))]);

    for (const size of [1, 3, 4, 7, bytes.length]) {
      const guard = createFrameGuard(100);
      const passed: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) passed.push(guard(bytes.subarray(at, at + size)).pass);
      expect(Buffer.concat(passed).equals(bytes)).toBe(true);
    }
  });

  it('stops before the header of a frame that Chrome would not take', () => {
    const guard = createFrameGuard(MAX_HOST_FRAME_BYTES);
    const good = encodeFrame('{}');

    expect(guard(Buffer.concat([good, header(MAX_HOST_FRAME_BYTES)]))).toMatchObject({ tooLarge: null });
    guard(Buffer.alloc(MAX_HOST_FRAME_BYTES));
    const passage = guard(Buffer.concat([good, header(MAX_HOST_FRAME_BYTES + 1), Buffer.from('x')]));

    expect(passage.pass.equals(good)).toBe(true);
    expect(passage.tooLarge).toBe(MAX_HOST_FRAME_BYTES + 1);
  });
});

describe('S17: 10,000 hostile frames', () => {
  it('never crash the reader or the guard, and a good frame is still answered', () => {
    const random = createRandom(17);
    const startedAt = performance.now();
    for (let round = 0; round < 10_000; round += 1) {
      const chunks = hostile(random);
      const { frames, tooLarge } = readAll([...chunks, encodeFrame('"good"')]);
      const guard = createFrameGuard(1_000_000);
      for (const chunk of chunks) if (guard(chunk).tooLarge !== null) break;

      // After a frame that breaks the step the connection is closed, and the good one comes on the next.
      const isInStep = frames.at(-1) === '"good"';
      const isCut = tooLarge.length > 0 || readAll([encodeFrame('"good"')]).frames.length === 1;
      expect(isInStep || isCut).toBe(true);
    }
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});

const hostile = (random: (below: number) => number): Buffer[] => {
  const body = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)));
  switch (random(7)) {
    case 0:
      return [header(0)];
    case 1:
      return [header(1), body(1)];
    case 2:
      return [header(2 ** 31), body(random(50))];
    case 3:
      return [header(2 ** 32 - 1), body(random(50))];
    case 4:
      return [header(100 + random(1000)), body(random(100))];
    case 5:
      return [encodeFrame('['.repeat(1 + random(5000)))];
    default: {
      const noise = body(random(300));
      const at = random(noise.length + 1);
      return [noise.subarray(0, at), noise.subarray(at)];
    }
  }
};

import { describe, expect, it } from 'vitest';
import { FrameGuard } from '#companion/host/framing.ts';
import { FrameReader, encodeFrame } from '#companion/lib/framing.ts';
import { MAX_HOST_FRAME_BYTES } from '#protocol/version.ts';
import { heldMb } from '#test/fixtures/collected.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { cpuTimeMs } from '#test/fixtures/cpu-time.ts';

const header = (length: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length);
  return bytes;
};

const readAll = (chunks: readonly Buffer[], maxBytes = 1_000_000): { frames: string[]; tooLarge: number[] } => {
  const frames: string[] = [];
  const tooLarge: number[] = [];
  const reader = new FrameReader({
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
    const before = heldMb();
    const length = 60 * 1024 * 1024;
    const reader = new FrameReader({ maxBytes: 64 * 1024 * 1024, onFrame: () => {}, onTooLarge: () => {} });
    reader.push(header(length));
    expect(heldMb() - before).toBeLessThan(10);

    const chunk = Buffer.alloc(4096);
    const startedAt = cpuTimeMs();
    for (let sent = 0; sent < length; sent += chunk.length) reader.push(chunk);

    expect(cpuTimeMs() - startedAt).toBeLessThan(1000);
  });
});

describe('frame guard', () => {
  it('lets every frame within the limit through unchanged, in any pieces', () => {
    const bytes = Buffer.concat([encodeFrame('{"a":1}'), encodeFrame(''), encodeFrame('y'.repeat(100))]);

    for (const size of [1, 3, 4, 7, bytes.length]) {
      const guard = new FrameGuard(100);
      const passed: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) passed.push(guard.check(bytes.subarray(at, at + size)).pass);
      expect(Buffer.concat(passed).equals(bytes)).toBe(true);
    }
  });

  it('stops before the header of a frame that Chrome would not take', () => {
    const guard = new FrameGuard(MAX_HOST_FRAME_BYTES);
    const good = encodeFrame('{}');

    expect(guard.check(Buffer.concat([good, header(MAX_HOST_FRAME_BYTES)]))).toMatchObject({ tooLarge: null });
    guard.check(Buffer.alloc(MAX_HOST_FRAME_BYTES));
    const passage = guard.check(Buffer.concat([good, header(MAX_HOST_FRAME_BYTES + 1), Buffer.from('x')]));

    expect(passage.pass.equals(good)).toBe(true);
    expect(passage.tooLarge).toBe(MAX_HOST_FRAME_BYTES + 1);
  });
});

describe('10,000 hostile frames', () => {
  it('never crash the reader or the guard; after one that keeps the step a good frame is answered, the others end the connection', () => {
    const random = createRandom(17);
    const startedAt = cpuTimeMs();
    for (let round = 0; round < 10_000; round += 1) {
      const { chunks, after } = hostile(random);
      const { frames, tooLarge } = readAll([...chunks, encodeFrame('"good"')]);
      const guard = new FrameGuard(1_000_000);
      const passages = chunks.map((chunk) => guard.check(chunk));

      if (after === 'in step') expect(frames.at(-1)).toBe('"good"');
      if (after === 'ended') expect(tooLarge).toHaveLength(1);
      if (after === 'ended') expect(passages.some((passage) => passage.tooLarge !== null)).toBe(true);
    }
    expect(cpuTimeMs() - startedAt).toBeLessThan(15_000);
  });
});

/** `waiting`: the reader waits for the rest of a frame that never comes; the end of the stream ends that. */
const hostile = (random: (below: number) => number): { chunks: Buffer[]; after: 'in step' | 'ended' | 'waiting' } => {
  const body = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)));
  switch (random(7)) {
    case 0:
      return { chunks: [header(0)], after: 'in step' };
    case 1:
      return { chunks: [header(1), body(1)], after: 'in step' };
    case 2:
      return { chunks: [header(2 ** 31), body(random(50))], after: 'ended' };
    case 3:
      return { chunks: [header(2 ** 32 - 1), body(random(50))], after: 'ended' };
    case 4:
      return { chunks: [header(5000 + random(1000)), body(random(100))], after: 'waiting' };
    case 5:
      return { chunks: [encodeFrame('['.repeat(1 + random(5000)))], after: 'in step' };
    default: {
      const noise = body(random(300));
      const at = random(noise.length + 1);
      return { chunks: [noise.subarray(0, at), noise.subarray(at)], after: 'waiting' };
    }
  }
};

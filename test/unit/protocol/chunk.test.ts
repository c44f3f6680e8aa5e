import { describe, expect, it } from 'vitest';
import { Joiner, splitMessage } from '#protocol/chunk.ts';
import { MAX_HOST_FRAME_BYTES } from '#protocol/version.ts';

const parse = (json: string): unknown => JSON.parse(json);
const message = (units: number): { text: string } => ({ text: '"ü\u2028😀\\'.repeat(Math.ceil(units / 7)) });

describe('chunks', () => {
  it('carry a message byte-identical, and no frame is larger than Chrome takes', () => {
    for (const units of [10, 339_000, 341_000, 2_000_000]) {
      const json = JSON.stringify(message(units));
      const joiner = new Joiner();

      const frames = splitMessage(json, 'm');
      const joined = frames.map((frame) => joiner.take(parse(frame)));

      for (const frame of frames) expect(Buffer.byteLength(frame)).toBeLessThanOrEqual(MAX_HOST_FRAME_BYTES);
      expect(joined.slice(0, -1).every(({ type }) => type === 'partial')).toBe(true);
      const last = joined.at(-1);
      expect(last?.type === 'message' && JSON.stringify(last.value) === json).toBe(true);
    }
  });

  it('that are missing, repeated, reordered or foreign never make a message', () => {
    const frames = splitMessage(JSON.stringify(message(1_500_000)), 'm').map(parse);
    const foreign = splitMessage(JSON.stringify(message(1_500_000)), 'other').map(parse);
    const [first, second, third, ...rest] = frames;
    const wrong = [
      [second, third, ...rest],
      [first, third, ...rest],
      [first, first, second, third, ...rest],
      [first, third, second, ...rest],
      [first, foreign[1], third, ...rest],
      [first, { type: 'ping', at: 1 }, second, third, ...rest],
      [first, { type: 'chunk', id: 'm', index: 1, count: 1e9, data: 'x' }, third],
    ];

    for (const order of wrong) {
      const joiner = new Joiner();
      const messages = order.map((frame) => joiner.take(frame)).filter((joined) => joined.type === 'message');
      expect(messages.filter((joined) => joined.type === 'message' && JSON.stringify(joined.value).includes('text'))).toEqual([]);
    }
  });

  it('leave the joiner usable after a fault', () => {
    const frames = splitMessage(JSON.stringify(message(1_000_000)), 'm').map(parse);
    const joiner = new Joiner();
    joiner.take(frames[1]);
    joiner.take('not an object');

    const joined = frames.map((frame) => joiner.take(frame)).at(-1);

    expect(joined?.type).toBe('message');
  });
});

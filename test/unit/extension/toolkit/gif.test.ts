import { describe, expect, test } from 'vitest';
import { GifWriter } from '#extension/toolkit/gif.ts';

const WIDTH = 40;
const HEIGHT = 30;

/** A picture whose pixels are told by their place. */
const picture = (colorAt: (x: number, y: number) => readonly [number, number, number]): Uint8ClampedArray => {
  const pixels = new Uint8ClampedArray(WIDTH * HEIGHT * 4);
  for (let y = 0; y < HEIGHT; y += 1) for (let x = 0; x < WIDTH; x += 1) pixels.set([...colorAt(x, y), 255], (y * WIDTH + x) * 4);
  return pixels;
};

/** Reads the file as any program would: https://www.w3.org/Graphics/GIF/spec-gif89a.txt. */
const readGif = (file: Uint8Array) => {
  const byte = (at: number): number => file[at] ?? -1;
  const word = (at: number): number => byte(at) | (byte(at + 1) << 8);
  expect(String.fromCharCode(...file.subarray(0, 6))).toBe('GIF89a');
  const bits = (byte(10) & 7) + 1;
  const colors = Array.from({ length: 1 << bits }, (_, index) => [...file.subarray(13 + index * 3, 16 + index * 3)]);
  let at = 13 + (3 << bits);
  const frames: { delayCs: number; pixels: number[][] }[] = [];
  let delayCs = 0;
  for (;;) {
    const kind = byte(at);
    if (kind === 0x3b) return { width: word(6), height: word(8), colors, frames, isWhole: at === file.length - 1 };
    if (kind === 0x21 && byte(at + 1) === 0xf9) delayCs = word(at + 4);
    const data: number[] = [];
    const startBits = kind === 0x2c ? byte(at + 10) : 0;
    at += kind === 0x2c ? 11 : 2;
    for (; byte(at) !== 0; at += byte(at) + 1) data.push(...file.subarray(at + 1, at + 1 + byte(at)));
    at += 1;
    if (kind === 0x2c) frames.push({ delayCs, pixels: unpack(data, startBits).map((index) => colors[index] ?? []) });
  }
};

const unpack = (data: readonly number[], startBits: number): number[] => {
  const [clear, end] = [1 << startBits, (1 << startBits) + 1];
  const out: number[] = [];
  let [table, bits, at]: [number[][], number, number] = [[], startBits + 1, 0];
  let before: number[] | null = null;
  for (;;) {
    let code = 0;
    for (let bit = 0; bit < bits; bit += 1, at += 1) code |= (((data[at >> 3] ?? 0) >> (at & 7)) & 1) << bit;
    if (code === end) return out;
    if (code === clear) {
      table = Array.from({ length: clear + 2 }, (_, index) => [index]);
      [bits, before] = [startBits + 1, null];
      continue;
    }
    const known: number[] = table[code] ?? [...(before ?? []), before?.[0] ?? 0];
    if (before !== null && table.length < 4096) table.push([...before, known[0] ?? 0]);
    if (table.length === 1 << bits && bits < 12) bits += 1;
    out.push(...known);
    before = known;
  }
};

const write = (frames: readonly Uint8ClampedArray[], maxColors = 256): ReturnType<typeof readGif> => {
  const writer = new GifWriter(WIDTH, HEIGHT);
  for (const frame of frames) writer.count(frame);
  for (const frame of frames) writer.draw(frame, 10, maxColors);
  return readGif(writer.end());
};

describe('an animated GIF', () => {
  test('shows each picture for its time, in its colours', () => {
    const red = picture(() => [255, 0, 0]);
    const half = picture((x) => (x < WIDTH / 2 ? [0, 0, 255] : [255, 255, 255]));

    const gif = write([red, half]);

    expect(gif).toMatchObject({ width: WIDTH, height: HEIGHT, isWhole: true });
    expect(gif.frames.map(({ delayCs, pixels }) => [delayCs, pixels.length])).toEqual([
      [10, WIDTH * HEIGHT],
      [10, WIDTH * HEIGHT],
    ]);
    expect(gif.frames[0]?.pixels.every((color) => color.join() === '255,0,0')).toBe(true);
    expect([gif.frames[1]?.pixels[0], gif.frames[1]?.pixels[WIDTH - 1]]).toEqual([
      [0, 0, 255],
      [255, 255, 255],
    ]);
  });

  test('lengthens a picture that stays the same', () => {
    const grey = picture(() => [128, 128, 128]);

    expect(write([grey, grey, grey]).frames.map(({ delayCs }) => delayCs)).toEqual([30]);
  });

  test('holds what cannot be packed, with as many colours as are allowed', () => {
    // Numbers of a fixed sequence that repeats late: no two runs of pixels are alike, so that the table of codes fills up again and again.
    let seed = 7;
    const next = (): number => (seed = (seed * 1103515245 + 12345) % 2147483648) >> 16;
    const noise = Array.from({ length: 8 }, () => picture(() => [next() & 255, next() & 255, next() & 255]));

    const whole = write(noise);
    const few = write(noise, 4);

    expect(whole.frames.map(({ pixels }) => pixels.length)).toEqual(noise.map(() => WIDTH * HEIGHT));
    expect(new Set(whole.frames.flatMap(({ pixels }) => pixels.map(String))).size).toBeGreaterThan(100);
    expect(new Set(few.frames.flatMap(({ pixels }) => pixels.map(String))).size).toBe(4);
    const far = whole.frames[0]?.pixels.filter((color, index) =>
      color.some((value, channel) => Math.abs(value - (noise[0]?.[index * 4 + channel] ?? 0)) > 64),
    );
    expect(far).toEqual([]);
  });
});

/**
 * Writes an animated GIF: https://www.w3.org/Graphics/GIF/spec-gif89a.txt. All frames share one palette, found by median cut. Pure.
 * It is our own because modern-gif 2.1, the library that is kept up, holds the pixels of all frames until the end: 1.9 MB for each at 800 × 600.
 * This one holds what is packed, and the pixels of one frame.
 */

/** Colours are told apart by five bits of red, green and blue. */
const KINDS = 1 << 15;
const MAX_CODE = 4096;
const MAX_BLOCK = 255;

/** Pixels as a canvas gives them: red, green, blue and alpha, a byte each. */
type Pixels = Uint8ClampedArray;

/** Counts the colours of all frames first; then draws them. */
export class GifWriter {
  readonly #width: number;
  readonly #height: number;
  readonly #counts = new Uint32Array(KINDS);
  readonly #frames: { readonly data: Uint8Array; delayCs: number }[] = [];
  #palette: Palette | null = null;
  #last: Uint8Array | null = null;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
  }

  /** To be called with each frame before the first one is drawn. */
  count(pixels: Pixels): void {
    for (let at = 0; at < pixels.length; at += 4) this.#counts[kindAt(pixels, at)] = (this.#counts[kindAt(pixels, at)] ?? 0) + 1;
  }

  /** A frame like the one before it makes that one longer. */
  draw(pixels: Pixels, delayCs: number, maxColors: number): void {
    this.#palette ??= makePalette(this.#counts, maxColors);
    const indexes = new Uint8Array(pixels.length / 4);
    for (let index = 0; index < indexes.length; index += 1) indexes[index] = this.#palette.indexOf[kindAt(pixels, index * 4)] ?? 0;
    const before = this.#frames.at(-1);
    if (before !== undefined && this.#last !== null && isSame(this.#last, indexes)) before.delayCs += delayCs;
    else this.#frames.push({ data: compress(indexes, this.#palette.bits), delayCs });
    this.#last = indexes;
  }

  /** The file, which is shown again and again. */
  end(): Uint8Array<ArrayBuffer> {
    const { bits, colors } = this.#palette ?? makePalette(this.#counts, 2);
    const table = new Uint8Array(3 << bits);
    table.set(colors.flat());
    const parts = [
      ascii('GIF89a'),
      [...word(this.#width), ...word(this.#height), 0x80 | (bits - 1), 0, 0],
      table,
      [0x21, 0xff, 11, ...ascii('NETSCAPE2.0'), 3, 1, 0, 0, 0],
      ...this.#frames.flatMap(({ data, delayCs }) => [
        [0x21, 0xf9, 4, 0, ...word(Math.min(delayCs, 0xffff)), 0, 0],
        [0x2c, 0, 0, 0, 0, ...word(this.#width), ...word(this.#height), 0],
        data,
      ]),
      [0x3b],
    ];
    const file = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      file.set(part, at);
      at += part.length;
    }
    return file;
  }
}

interface Palette {
  readonly colors: readonly (readonly number[])[];
  /** As many as its size needs. */
  readonly bits: number;
  /** The colour of the palette for each kind. */
  readonly indexOf: Uint8Array;
}

/** Colours of which all lie between two corners. */
interface Box {
  readonly kinds: readonly number[];
  readonly pixels: number;
}

const kindAt = (pixels: Pixels, at: number): number =>
  (((pixels[at] ?? 0) >> 3) << 10) | (((pixels[at + 1] ?? 0) >> 3) << 5) | ((pixels[at + 2] ?? 0) >> 3);

const channelOf = (kind: number, channel: number): number => (kind >> (10 - channel * 5)) & 31;

const makePalette = (counts: Uint32Array, maxColors: number): Palette => {
  const toBox = (kinds: readonly number[]): Box => ({ kinds, pixels: kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0) });
  const all = Array.from(counts.keys()).filter((kind) => (counts[kind] ?? 0) > 0);
  let boxes = [toBox(all)];
  while (boxes.length < maxColors) {
    const fullest = boxes.reduce<Box | null>((most, box) => (box.kinds.length > 1 && box.pixels > (most?.pixels ?? -1) ? box : most), null);
    if (fullest === null) break;
    boxes = boxes.flatMap((box) => (box === fullest ? halves(box, counts).map(toBox) : [box]));
  }
  const indexOf = new Uint8Array(KINDS);
  for (const [index, { kinds }] of boxes.entries()) for (const kind of kinds) indexOf[kind] = index;
  return { colors: boxes.map((box) => meanOf(box, counts)), bits: Math.max(1, Math.ceil(Math.log2(Math.max(2, boxes.length)))), indexOf };
};

/** Cut where half of its pixels are on each side, across the channel in which it is widest. */
const halves = ({ kinds, pixels }: Box, counts: Uint32Array): [number[], number[]] => {
  const widths = [0, 1, 2].map((channel) => {
    const values = kinds.map((kind) => channelOf(kind, channel));
    return values.reduce((a, b) => Math.max(a, b), 0) - values.reduce((a, b) => Math.min(a, b), 31);
  });
  const widest = widths.indexOf(Math.max(...widths));
  const sorted = kinds.toSorted((a, b) => channelOf(a, widest) - channelOf(b, widest));
  let seen = 0;
  const middle = sorted.findIndex((kind) => (seen += counts[kind] ?? 0) * 2 >= pixels);
  const end = Math.min(Math.max(1, middle + 1), sorted.length - 1);
  return [sorted.slice(0, end), sorted.slice(end)];
};

const meanOf = ({ kinds, pixels }: Box, counts: Uint32Array): number[] =>
  [0, 1, 2].map((channel) => {
    const sum = kinds.reduce((total, kind) => total + channelOf(kind, channel) * (counts[kind] ?? 0), 0);
    return Math.round(((pixels === 0 ? 0 : sum / pixels) * 255) / 31);
  });

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** LZW with codes that grow, in blocks of at most 255 bytes. */
const compress = (indexes: Uint8Array, paletteBits: number): Uint8Array => {
  const startBits = Math.max(2, paletteBits);
  const clear = 1 << startBits;
  const codes = new BitWriter();
  // By the code so far and the next index; 0 where there is none.
  const known = new Uint16Array(MAX_CODE << 8);
  let [bits, next] = [startBits + 1, clear + 2];
  codes.write(clear, bits);
  let code = indexes[0] ?? 0;
  for (const index of indexes.subarray(1)) {
    const key = (code << 8) | index;
    const longer = known[key] ?? 0;
    if (longer !== 0) {
      code = longer;
      continue;
    }
    codes.write(code, bits);
    if (next === MAX_CODE) {
      codes.write(clear, bits);
      known.fill(0);
      [bits, next] = [startBits + 1, clear + 2];
    } else {
      known[key] = next;
      if (next === 1 << bits) bits += 1;
      next += 1;
    }
    code = index;
  }
  codes.write(code, bits);
  codes.write(clear + 1, bits);
  return inBlocks(startBits, codes.end());
};

const inBlocks = (startBits: number, bytes: readonly number[]): Uint8Array => {
  const blocks = Math.ceil(bytes.length / MAX_BLOCK);
  const data = new Uint8Array(bytes.length + blocks + 2);
  data[0] = startBits;
  for (let block = 0; block < blocks; block += 1) {
    const part = bytes.slice(block * MAX_BLOCK, (block + 1) * MAX_BLOCK);
    const at = 1 + block * (MAX_BLOCK + 1);
    data[at] = part.length;
    data.set(part, at + 1);
  }
  return data;
};

/** Lowest bit first. */
class BitWriter {
  readonly #bytes: number[] = [];
  #held = 0;
  #count = 0;

  write(value: number, bits: number): void {
    this.#held |= value << this.#count;
    this.#count += bits;
    while (this.#count >= 8) {
      this.#bytes.push(this.#held & 255);
      this.#held >>>= 8;
      this.#count -= 8;
    }
  }

  end(): readonly number[] {
    if (this.#count > 0) this.#bytes.push(this.#held & 255);
    return this.#bytes;
  }
}

const word = (value: number): [number, number] => [value & 255, value >> 8];

const ascii = (text: string): number[] => Array.from(text, (letter) => letter.codePointAt(0) ?? 0);

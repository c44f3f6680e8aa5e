/**
 * A font in which every sign is the same box, half as wide as it is high: with it a page has the same measures on every machine,
 * whatever fonts that has. https://learn.microsoft.com/typography/opentype/spec/otff
 */

const EM = 1000;
const ASCENT = 800;
const DESCENT = -200;
const WIDTH = 500;
const BOX = { left: 60, right: 440, bottom: 0, top: 680 };

const u16 = (...values: readonly number[]): number[] => values.flatMap((value) => [(value >> 8) & 255, value & 255]);
const u32 = (...values: readonly number[]): number[] => values.flatMap((value) => u16(value >>> 16, value & 0xff_ff));
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
const even = (bytes: readonly number[], to: number): number[] => [...bytes, ...zeros(-bytes.length & (to - 1))];

/** One contour of four points, as the differences from each to the next. */
const box = even(
  [
    ...u16(1, BOX.left, BOX.bottom, BOX.right, BOX.top, 3, 0, 0x01_01, 0x01_01),
    ...u16(BOX.left, 0, BOX.right - BOX.left, 0),
    ...u16(BOX.bottom, BOX.top - BOX.bottom, 0, BOX.bottom - BOX.top),
  ],
  4,
);

/** Three glyphs: what is missing, the box, and a space. */
const tables: Readonly<Record<string, readonly number[]>> = {
  // Version 0 of the table, without what later ones added.
  'OS/2': [
    ...u16(0, WIDTH, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 250, 0),
    ...zeros(10),
    ...u32(1, 0, 0, 0),
    ...zeros(4),
    ...u16(0x40, 0x20, 0xff_ff, ASCENT, DESCENT, 0, ASCENT, -DESCENT),
  ],
  // Of this form a whole range of signs has one glyph.
  cmap: [...u16(0, 1, 3, 10), ...u32(12), ...u16(13, 0), ...u32(40, 0, 2, 0x20, 0x20, 2, 0x21, 0x10_ff_ff, 1)],
  glyf: box,
  head: [
    ...u32(0x1_00_00, 0x1_00_00, 0, 0x5f_0f_3c_f5),
    ...u16(0, EM),
    ...zeros(16),
    ...u16(BOX.left, BOX.bottom, BOX.right, BOX.top, 0, 8, 2, 0, 0),
  ],
  hhea: [...u32(0x1_00_00), ...u16(ASCENT, DESCENT, 0, WIDTH, BOX.left, WIDTH - BOX.right, BOX.right, 1, 0, 0), ...zeros(8), ...u16(0, 3)],
  hmtx: u16(WIDTH, 0, WIDTH, BOX.left, WIDTH, 0),
  loca: u16(0, 0, box.length / 2, box.length / 2),
  maxp: [...u32(0x1_00_00), ...u16(3, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)],
  name: u16(0, 0, 6),
  post: [...u32(0x3_00_00), ...zeros(28)],
};

/** The font as a file. */
export const boxFont = (): Buffer => {
  const names = Object.keys(tables);
  const head = [...u32(0x1_00_00), ...u16(names.length, 128, 3, names.length * 16 - 128)];
  const bodies: number[] = [];
  for (const name of names) {
    const table = tables[name] ?? [];
    head.push(...Buffer.from(name, 'latin1'), ...u32(0, 12 + names.length * 16 + bodies.length, table.length));
    bodies.push(...even(table, 4));
  }
  return Buffer.from([...head, ...bodies]);
};

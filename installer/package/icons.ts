/** The icon in the containers of Windows and macOS, which both take PNG pictures as they are. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A square picture. */
export interface Picture {
  readonly pixels: number;
  readonly png: Buffer;
}

/** The extension's icon in the sizes that it is drawn in. */
export const readPictures = (rootDir: string): Picture[] =>
  [16, 32, 48, 128].map((pixels) => ({ pixels, png: readFileSync(path.join(rootDir, `extension/icons/icon-${pixels}.png`)) }));

/** https://learn.microsoft.com/previous-versions/ms997538(v=msdn.10) */
export const windowsIcon = (pictures: readonly Picture[]): Buffer => {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  for (const [index, { pixels, png }] of pictures.entries()) {
    const at = 6 + 16 * index;
    head.writeUInt8(pixels % 256, at);
    head.writeUInt8(pixels % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...pictures.map(({ png }) => png)]);
};

/** Names of the sizes that macOS knows: https://en.wikipedia.org/wiki/Apple_Icon_Image_format */
const MAC_TYPES: ReadonlyMap<number, string> = new Map([
  [16, 'icp4'],
  [32, 'icp5'],
  [128, 'ic07'],
]);

/** The pictures of a size that macOS does not know are left out. */
export const macIcon = (pictures: readonly Picture[]): Buffer => {
  const blocks = pictures.flatMap(({ pixels, png }) => {
    const type = MAC_TYPES.get(pixels);
    return type === undefined ? [] : [block(type, png)];
  });
  return block('icns', Buffer.concat(blocks));
};

const block = (type: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32BE(8 + content.length, 4);
  return Buffer.concat([head, content]);
};

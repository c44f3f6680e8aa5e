/** Which pictures are drawn: formats that hold pixels and nothing else, and no more pixels than a browser can hold. */
import type { ItemImage } from '#protocol/items.ts';
import { base64ToBytes } from '#extension/shared/base64.ts';

/** A few bytes can stand for gigabytes of one colour. */
const MAX_PIXELS = 100_000_000;

const TYPE = /^image\/(?:png|jpeg|webp|gif)$/;

/** The address of a picture that can be drawn; null for every other one. */
export const pictureUrl = ({ mimeType, dataBase64 }: ItemImage): string | null => {
  if (!isPicture({ mimeType })) return null;
  const pixels = pixelsOf(dataBase64);
  return pixels === null || pixels > MAX_PIXELS ? null : `data:${mimeType};base64,${dataBase64}`;
};

export const isPicture = ({ mimeType }: Pick<ItemImage, 'mimeType'>): boolean => TYPE.test(mimeType);

/** How many pixels the data say that they are, whatever type was named: a browser goes by the data, too. Null for no known format. */
const pixelsOf = (dataBase64: string): number | null => {
  try {
    const view = viewOf(dataBase64, 0, 30);
    if (view.getUint32(0) === 0x89504e47) return view.getUint32(16) * view.getUint32(20);
    if (view.getUint32(0) === 0x47494638) return view.getUint16(6, true) * view.getUint16(8, true);
    if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return webpPixels(view);
    return view.getUint16(0) === 0xffd8 ? jpegPixels(dataBase64) : null;
  } catch (error) {
    // Cut off before its size, or no base64.
    if (error instanceof RangeError || error instanceof DOMException) return null;
    throw error;
  }
};

/** https://developers.google.com/speed/webp/docs/riff_container */
const webpPixels = (view: DataView): number | null => {
  switch (view.getUint32(12)) {
    case 0x56503820:
      return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff);
    case 0x5650384c: {
      const sizes = view.getUint32(21, true);
      return ((sizes & 0x3fff) + 1) * (((sizes >>> 14) & 0x3fff) + 1);
    }
    case 0x56503858:
      return ((view.getUint32(24, true) & 0xffffff) + 1) * ((view.getUint32(26, true) >>> 8) + 1);
    default:
      return null;
  }
};

/** A real one has some dozens of segments before its size. */
const MAX_SEGMENTS = 1_000;

/** The size is in the first segment that begins a frame: ITU-T T.81, B.2.2. */
const jpegPixels = (dataBase64: string): number | null => {
  let at = 2;
  for (let count = 0; count < MAX_SEGMENTS; count += 1) {
    const view = viewOf(dataBase64, at, 9);
    if (view.getUint8(0) !== 0xff) return null;
    const marker = view.getUint8(1);
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return view.getUint16(5) * view.getUint16(7);
    else at += 2 + view.getUint16(2);
  }
  return null;
};

/** Some bytes of what base64 stands for, without reading the others. */
const viewOf = (base64: string, from: number, count: number): DataView => {
  const first = Math.floor(from / 3);
  const bytes = base64ToBytes(base64.slice(first * 4, Math.ceil((from + count) / 3) * 4));
  return new DataView(bytes.buffer, Math.min(from - first * 3, bytes.length));
};

import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pictureUrl } from '#extension/sidepanel/pictures.ts';

const image = (mimeType: string, bytes: Uint8Array): { mimeType: string; dataBase64: string } => ({
  mimeType,
  dataBase64: Buffer.from(bytes).toString('base64'),
});

const chunk = (name: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(name), data, Buffer.alloc(4)]);
};

const png = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(100))), chunk('IEND', Buffer.alloc(0))]);
};

const gif = (width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(40);
  bytes.write('GIF89a');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
};

const jpeg = (width: number, height: number): Buffer => {
  const comment = Buffer.alloc(60_000);
  comment.set([0xff, 0xfe]);
  comment.writeUInt16BE(comment.length - 2, 2);
  const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, Buffer.from([0xff]), frame]);
};

const webp = (form: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(40);
  bytes.write('RIFF');
  bytes.write(`WEBP${form}`, 8);
  if (form === 'VP8 ') {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else if (form === 'VP8L') bytes.writeUInt32LE(((height - 1) << 14) | (width - 1), 21);
  else {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return bytes;
};

describe('a picture', () => {
  test.for([
    ['png', png(1280, 8000)],
    ['gif', gif(4000, 4000)],
    ['jpeg', jpeg(8064, 6048)],
    ['webp', webp('VP8 ', 4000, 3000)],
    ['webp', webp('VP8L', 4000, 3000)],
    ['webp', webp('VP8X', 4000, 3000)],
  ] as const)('of a usual size is drawn: %s', ([type, bytes]) => {
    const { mimeType, dataBase64 } = image(`image/${type}`, bytes);

    expect(pictureUrl({ mimeType, dataBase64 })).toBe(`data:${mimeType};base64,${dataBase64}`);
  });

  test.for([
    ['png', png(30_000, 30_000)],
    ['png', png(0xffffffff, 0xffffffff)],
    ['gif', gif(65_535, 65_535)],
    ['jpeg', jpeg(65_535, 65_535)],
    ['webp', webp('VP8 ', 16_383, 16_383)],
    ['webp', webp('VP8L', 16_384, 16_384)],
    ['webp', webp('VP8X', 16_777_216, 200)],
    // A browser goes by what it finds, too.
    ['jpeg', png(30_000, 30_000)],
  ] as const)('of few bytes that would take gigabytes is not drawn: %s', ([type, bytes]) => {
    expect(pictureUrl(image(`image/${type}`, bytes))).toBeNull();
  });

  test.for([
    ['image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['image/png', png(10, 10).subarray(0, 20)],
    ['image/jpeg', Buffer.from([0xff, 0xd8, ...Array.from({ length: 5_000 }, () => 0xff)])],
    ['image/png', Buffer.alloc(0)],
    ['text/html', png(10, 10)],
  ] as const)('that is none, or might do more than be looked at, is not drawn: %s', ([type, bytes]) => {
    expect(pictureUrl(image(type, bytes))).toBeNull();
  });

  test('that is no base64 is not drawn', () => {
    expect(pictureUrl({ mimeType: 'image/png', dataBase64: '<not base64>' })).toBeNull();
  });
});

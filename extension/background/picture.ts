/** Cuts and scales pictures to what a model can see; their tokens depend on pixels, not on bytes. */

import { base64ToBytes, bytesToBase64 } from '#extension/shared/base64.ts';

const MAX_PIXELS = 1_150_000;
const MAX_EDGE = 1_568;
const MAX_ZOOM = 4;
export const JPEG_QUALITY = 0.8;

export interface Crop {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** In pixels of the screen · at most one for each CSS pixel · as large as shows more, for a part that is looked at closely. */
export type Scaling = 'device' | 'css' | 'zoomed';

/** The factor for a picture of so many pixels that keeps it within the limits; `screenScale` pixels make a CSS pixel. */
export const scaleFor = (scaling: Scaling, screenScale: number, width: number, height: number): number => {
  const most = { device: 1, css: Math.min(1, 1 / screenScale), zoomed: MAX_ZOOM }[scaling];
  return Math.min(most, Math.sqrt(MAX_PIXELS / (width * height)), MAX_EDGE / Math.max(width, height));
};

/** The picture in base64; left as it is when it needs neither cutting nor scaling. */
export const fitPicture = async (
  base64: string,
  mimeType: string,
  size: { width: number; height: number },
  crop: Crop | null,
  scaleOf: (width: number, height: number) => number,
): Promise<string> => {
  if (crop === null && scaleOf(size.width, size.height) === 1) return base64;
  const bitmap = await toBitmap(base64, mimeType);
  const part = crop ?? { x: 0, y: 0, width: bitmap.width, height: bitmap.height };
  const scale = scaleOf(part.width, part.height);
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(part.width * scale)), Math.max(1, Math.round(part.height * scale)));
  canvas.getContext('2d')?.drawImage(bitmap, part.x, part.y, part.width, part.height, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return toBase64(await canvas.convertToBlob({ type: mimeType, quality: JPEG_QUALITY }));
};

/** A picture in base64, to be drawn. `fetch` of a data: address is not used, because the content security policy does not allow it. */
export const toBitmap = (base64: string, mimeType: string): Promise<ImageBitmap> =>
  createImageBitmap(new Blob([base64ToBytes(base64)], { type: mimeType }));

export const toBase64 = async (blob: Blob): Promise<string> => bytesToBase64(new Uint8Array(await blob.arrayBuffer()));

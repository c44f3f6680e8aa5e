/** Draws refs into a picture. It is done to the picture and not to the page, which would notice. */
import type { PicturePlace, RefBox } from '#extension/content/api.ts';
import type { Picture } from '#extension/toolkit/page.ts';
import { JPEG_QUALITY, toBase64, toBitmap } from './picture.ts';

const COLOURS = ['#d00000', '#0050c0', '#007030', '#8000a0', '#a05000'];
const FONT_PX = 12;

export const drawRefs = async ({ data, mimeType }: Picture, boxes: readonly RefBox[], place: PicturePlace): Promise<Picture> => {
  const bitmap = await toBitmap(data, mimeType);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d');
  if (context === null) return { data, mimeType };
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  context.font = `bold ${FONT_PX}px sans-serif`;
  context.textBaseline = 'top';
  for (const { ref, x, y, width, height } of boxes) {
    const left = (x - place.left) * place.scale;
    const top = (y - place.top) * place.scale;
    if (left > canvas.width || top > canvas.height || left + width * place.scale < 0 || top + height * place.scale < 0) continue;
    const colour = COLOURS[ref % COLOURS.length] ?? '#d00000';
    const text = `e${ref}`;
    const labelWidth = context.measureText(text).width + 4;
    // Above the element, so that its own words stay readable; at the edge of the picture inside it.
    const labelTop = Math.max(0, top - FONT_PX - 2);
    const labelLeft = Math.min(Math.max(0, left), canvas.width - labelWidth);
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(left, top, width * place.scale, height * place.scale);
    context.fillStyle = colour;
    context.fillRect(labelLeft, labelTop, labelWidth, FONT_PX + 2);
    context.fillStyle = '#ffffff';
    context.fillText(text, labelLeft + 2, labelTop + 1);
  }
  return { data: await toBase64(await canvas.convertToBlob({ type: mimeType, quality: JPEG_QUALITY })), mimeType };
};

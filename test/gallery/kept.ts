/** The kept pictures of the gallery, small, in both themes side by side, and how much one of today differs from them. */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { boxFont } from './box-font.ts';
import type { OpenGallery } from './gallery.ts';

const WINDOW = { width: 360, height: 640 };
/** So many pixels of the window are one of the picture, across and down. */
const SCALE = 3;
/** A channel that differs by more than this, of 255, is another colour and no blur. */
const OTHER_COLOUR = 28;

/** The file with the kept picture of a state. */
export const keptFile = (name: string): string => path.join(import.meta.dirname, 'kept', `${name}.webp`);

/** Gives every text of the gallery the font that is the same on all machines. */
export const useBoxFont = async ({ page }: OpenGallery): Promise<void> => {
  const font = boxFont().toString('base64');
  await page.setViewportSize(WINDOW);
  await page.addStyleTag({
    content: `@font-face { font-family: Box; src: url(data:font/ttf;base64,${font}) } * { font-family: Box !important }`,
  });
  await page.evaluate(() => document.fonts.load('16px Box'));
};

/** The picture of a state as it is now. `easel` is an empty page on which pictures are made smaller and compared. */
export const takePicture = async ({ page, show }: OpenGallery, easel: Page, name: string): Promise<Buffer> => {
  const sources: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await show(name);
    const shot = await page.screenshot({ animations: 'disabled' });
    sources.push(`data:image/png;base64,${shot.toString('base64')}`);
  }
  const url = await easel.evaluate(
    async ({ urls, width, height }) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: width * urls.length, height });
      const context = canvas.getContext('2d');
      if (context === null) throw new Error('there is no canvas');
      context.imageSmoothingQuality = 'high';
      for (const [index, source] of urls.entries()) {
        const image = Object.assign(new Image(), { src: source });
        await image.decode();
        context.drawImage(image, index * width, 0, width, height);
      }
      return canvas.toDataURL('image/webp', 0.8);
    },
    { urls: sources, width: WINDOW.width / SCALE, height: Math.floor(WINDOW.height / SCALE) },
  );
  return Buffer.from(url.split(',')[1] ?? '', 'base64');
};

/** How many of a thousand dots of two pictures have another colour. */
export const differenceOf = (easel: Page, one: Buffer, other: Buffer): Promise<number> =>
  easel.evaluate(
    async ({ urls, limit }) => {
      const read = async (source: string): Promise<ImageData> => {
        const image = Object.assign(new Image(), { src: source });
        await image.decode();
        const context = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
        if (context === null) throw new Error('there is no canvas');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [a, b] = await Promise.all(urls.map(read));
      if (a === undefined || b === undefined || a.width !== b.width || a.height !== b.height) return 1000;
      let other = 0;
      for (let at = 0; at < a.data.length; at += 4)
        if ([0, 1, 2].some((channel) => Math.abs((a.data[at + channel] ?? 0) - (b.data[at + channel] ?? 0)) > limit)) other += 1;
      return (1000 * other) / (a.data.length / 4);
    },
    { urls: [one, other].map((picture) => `data:image/webp;base64,${picture.toString('base64')}`), limit: OTHER_COLOUR },
  );

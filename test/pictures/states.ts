/** Takes the pictures of every state of the panel anew: a sheet for each width, theme and language, in docs/pictures/states. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { openGallery, type OpenGallery } from '#test/gallery/gallery.ts';
import { useChineseFont } from './chinese-font.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'docs', 'pictures', 'states');
const HEIGHT = 640;
const SHEET_WIDTH = 2000;

interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  readonly language: 'en' | 'zh';
}

const takeStates = async ({ page, names, show }: OpenGallery, { width, colorScheme, language }: Look): Promise<string[]> => {
  await page.setViewportSize({ width, height: HEIGHT });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  const figures: string[] = [];
  for (const name of names) {
    await show(name, language);
    const picture = await page.screenshot({ animations: 'disabled' });
    figures.push(`<figure><img src="data:image/png;base64,${picture.toString('base64')}"><figcaption>${name}</figcaption></figure>`);
  }
  return figures;
};

const takeSheet = async (sheet: Page, figures: readonly string[], file: string): Promise<void> => {
  await sheet.setContent(
    `<style>body{margin:8px;background:#888;display:flex;flex-wrap:wrap;gap:8px}figure{margin:0;font:12px sans-serif}img{display:block;height:${HEIGHT / 2}px}</style>${figures.join('')}`,
  );
  await sheet.screenshot({ path: file, fullPage: true, type: 'jpeg', quality: 30 });
};

useChineseFont();
mkdirSync(folder, { recursive: true });
const gallery = await openGallery();
try {
  const sheet = await gallery.openPage({ width: SHEET_WIDTH, height: HEIGHT });
  for (const width of [320, 400, 800]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const language of ['en', 'zh'] as const) {
        const name = `${width}-${colorScheme}-${language}.jpg`;
        await takeSheet(sheet, await takeStates(gallery, { width, colorScheme, language }), path.join(folder, name));
        console.log(name);
      }
    }
  }
} finally {
  await gallery.close();
}

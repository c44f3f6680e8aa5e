/** Brings files into a page: what a call carries is too much for one message to it. */
import type { HandedFile } from '#protocol/browser.ts';
import type { GivenFile } from '#extension/content/api.ts';
import type { Page } from './page.ts';

/** A multiple of four, so that each part is base64 by itself. */
const PART_CHARS = 2_000_000;

/** The files as the page knows them, which has their bytes then. */
export const handFiles = async (page: Page, files: readonly HandedFile[], frameId: number): Promise<GivenFile[]> => {
  const given: GivenFile[] = [];
  for (const { dataBase64, ...file } of files) {
    const key = crypto.randomUUID();
    for (let at = 0; at < dataBase64.length; at += PART_CHARS) {
      await page.ask('takePart', { key, part: dataBase64.slice(at, at + PART_CHARS) }, frameId);
    }
    given.push({ ...file, key });
  }
  return given;
};

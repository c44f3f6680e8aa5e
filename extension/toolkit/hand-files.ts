/** Brings files into a page: what a call carries is too much for one message to it. */
import type { HandedFile } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { sha256Of } from '#extension/shared/sha256.ts';
import { base64ToBytes } from '#extension/shared/base64.ts';
import type { GivenFile } from '#extension/content/api.ts';
import type { Page } from './page.ts';

/** A multiple of four, so that each part is base64 by itself. */
const PART_CHARS = 2_000_000;

/** The files as the page knows them, which has their bytes then. */
export const handFiles = async (page: Page, files: readonly HandedFile[], frameId: number): Promise<GivenFile[]> => {
  const given: GivenFile[] = [];
  // Nothing reaches the page before all of them are known to be whole.
  for (const file of files) await checkWhole(file);
  for (const { dataBase64, sha256: _, ...file } of files) {
    const key = crypto.randomUUID();
    for (let at = 0; at < dataBase64.length; at += PART_CHARS) {
      await page.ask('takePart', { key, part: dataBase64.slice(at, at + PART_CHARS) }, frameId);
    }
    given.push({ ...file, key });
  }
  return given;
};

/** A file that came over the link is the one that was read and agreed to, byte for byte. */
const checkWhole = async ({ name, dataBase64, sha256 }: HandedFile): Promise<void> => {
  if (sha256 === undefined) return;
  if ((await sha256Of(base64ToBytes(dataBase64))) !== sha256) {
    throw new CompanionError('TOOL_FAILED', `${name} did not arrive whole; no file was given to the page.`, { remedy: 'Repeat the call.' });
  }
};

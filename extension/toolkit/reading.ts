/** What the tools that tell a page as text have in common: their parameters, and what they read. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { targetField, toAim } from './aim.ts';
import type { Page } from './page.ts';
import { DEFAULT_TOKENS } from './beginning.ts';
import type { FramePart } from './snapshot-text.ts';

export const readingFields = {
  target: targetField.optional().describe('Only this part: a ref or a selector'),
  urls: z.boolean().optional().describe('Also where links lead'),
  maxTokens: z.number().min(200).max(100_000).optional().describe(`Size limit, default ${DEFAULT_TOKENS}`),
  page: z.number().min(1).optional().describe('Which part of a text that was cut'),
};

/** The page or the part of it that was asked for, with all frames that can be read, once the page is at rest. */
export const readParts = async (
  page: Page,
  target: string | undefined,
  urls: boolean,
): Promise<{ readonly parts: readonly FramePart[]; readonly url: string; readonly title: string }> => {
  const parts = await page.read({ aim: target === undefined ? null : toAim(target), urls });
  const [top] = parts;
  if (top === undefined) throw new CompanionError('TOOL_FAILED', 'The page could not be read.');
  const { url, title } = top.snapshot;
  return { parts, url, title };
};

/** Why there is nothing to read, and what shows the page instead. */
export const nothingIn = (parts: readonly FramePart[]): string =>
  parts[0]?.snapshot.isPdf === true ? PDF : 'browser_take_screenshot shows what is drawn';

/** Nobody but the browser's own viewer can look into one, and it turns to a page only when it is loaded. */
const PDF = `it is a PDF, which the browser draws. browser_take_screenshot shows one page and how many there are; another one is shown with #page=2 behind the address and browser_reload. For its text, save the file with browser_evaluate: Object.assign(document.createElement('a'), { href: location.href, download: '' }).click()`;

/** Where what stands further down is drawn only when somebody comes to it; empty where it is not. */
export const wordsForUndrawn = (parts: readonly FramePart[]): string =>
  parts.reduce((sum, { snapshot }) => sum + (snapshot.undrawn ?? 0), 0) < MIN_UNDRAWN
    ? ''
    : 'What stands further down is drawn only when it is scrolled to: browser_scroll, a screen at a time, and read again.';

const MIN_UNDRAWN = 100;

/** How to get the rest of a text that was cut; empty where it is whole. */
export const restOf = ({ page, pages }: { readonly page: number; readonly pages: number }): string =>
  pages === 1 ? '' : `Part ${page} of ${pages}: pass page ${page === pages ? 1 : page + 1}, or a target, for the rest.`;

import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { findLines } from '#extension/toolkit/find-lines.ts';
import type { Page } from '#extension/toolkit/page.ts';
import { comparable, toMatcher, wordsOf } from '#extension/toolkit/page-words.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { type FramePart, renderSnapshot } from '#extension/toolkit/snapshot-text.ts';
import { defineTool, tabId, unlisted } from '#extension/toolkit/tool.ts';

const DEFAULT_S = 10;
const LONGEST_MS = 30_000;

/** Waits for what a page shows, by its changes and navigations. */
export const browserWaitFor = defineTool({
  name: 'browser_wait_for',
  title: 'Wait for {text}',
  description: 'Wait until a text appears or goes, or the address changes; actions wait for their own effects already.',
  input: z.strictObject({
    text: z.string().min(1).optional().describe('Text to appear'),
    textGone: z.string().min(1).optional().describe('Text to go'),
    url: z.string().min(1).optional().describe('Part of the address to come'),
    time: z.number().min(0).max(30).optional().describe(`Seconds to wait at most, default ${DEFAULT_S}; alone, simply to wait`),
    timeout: unlisted(z.number().min(0).optional().describe('Or so many milliseconds at most')),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'read',
  scope: 'page',
  timeoutMs: 40_000,
  run: async ({ text, textGone, url, time, timeout = DEFAULT_S * 1_000 }, { page }) => {
    const limitMs = Math.min(LONGEST_MS, time === undefined ? timeout : time * 1_000);
    const hasCondition = text !== undefined || textGone !== undefined || url !== undefined;
    if (!hasCondition && time === undefined)
      throw new CompanionError('TOOL_ARGUMENTS', 'browser_wait_for needs "text", "textGone", "url" or "time".');
    const startedAt = Date.now();
    let parts: readonly FramePart[] = [];
    let looks = 0;
    const isMet = async (shown: Page): Promise<boolean> => {
      if (!hasCondition) return false;
      looks += 1;
      if (url !== undefined && !(await isAt(shown, url))) return false;
      if (text === undefined && textGone === undefined) return true;
      parts = await shown.frames({ aim: null, urls: false });
      const words = comparable(wordsOf(parts));
      return (text === undefined || words.includes(comparable(text))) && (textGone === undefined || !words.includes(comparable(textGone)));
    };
    const hasCome = await page.until(isMet, limitMs);
    const waited = `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`;
    const now = await page.info();
    const about = `url: ${now.url}\ntitle: ${now.title}`;
    if (!hasCondition) return pageResult(`Waited ${waited}.`, now.url, about);
    if (!hasCome)
      throw new CompanionError('TOOL_TIMEOUT', `Waited ${waited}, but ${namesOf({ text, textGone, url })} did not come true.`, {
        remedy: 'Look at the page with browser_snapshot.',
      });
    const lines =
      text === undefined ? '' : findLines(renderSnapshot(parts, { maxTokens: Infinity, page: 1 }).text, toMatcher(text, undefined)).text;
    const words = textGone !== undefined && looks === 1 ? ALREADY_GONE : `It came true after ${waited}.`;
    return pageResult(words, now.url, `${about}${lines === '' ? '' : `\n\n${lines}`}`);
  },
});

/** What has yet to come is not told from what has gone. */
const ALREADY_GONE = 'It was so already: the text was not there. If it had yet to come, wait for it with "text" first.';

/** What is in the address because a field holds it is not found there, so that nobody learns it guess by guess. */
const isAt = async (shown: Page, part: string): Promise<boolean> => {
  const { url } = await shown.info();
  if (!url.includes(part)) return false;
  await shown.frames({ aim: null, urls: false });
  return shown.withoutSecrets(url).includes(part);
};

/** The conditions, as the call named them. */
const namesOf = (conditions: Record<string, string | undefined>): string =>
  Object.entries(conditions)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} "${value}"`]))
    .join(' and ');

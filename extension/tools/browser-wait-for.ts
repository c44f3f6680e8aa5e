import * as z from 'zod';
import { counted } from '#protocol/counted.ts';
import { CompanionError } from '#protocol/errors.ts';
import { hasPart } from '#extension/toolkit/address-pattern.ts';
import { findLines } from '#extension/toolkit/find-lines.ts';
import { hideInAddress } from '#extension/toolkit/hide-secrets.ts';
import type { Page, RequestEntry } from '#extension/toolkit/page.ts';
import { DocumentChangedError, DocumentGoneError, PageError } from '#extension/toolkit/page-error.ts';
import { comparable, toMatcher, wordsForLeftOut, wordsOf } from '#extension/toolkit/page-words.ts';
import { isStatic, toRequestLine } from '#extension/toolkit/request-line.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { type FramePart, renderNode, renderSnapshot } from '#extension/toolkit/snapshot-text.ts';
import { fits } from '#extension/toolkit/text-filter.ts';
import { defineTool, tabId, unlisted } from '#extension/toolkit/tool.ts';
import { pageHead } from '#extension/toolkit/page-head.ts';

const DEFAULT_S = 10;
const LONGEST_MS = 30_000;
const MAX_ANSWERS = 5;
const MAX_MISSED = 10;

/** Waits for what a page shows, by its changes and navigations, and for answers to its requests. */
export const browserWaitFor = defineTool({
  name: 'browser_wait_for',
  title: 'Wait for {text}',
  description: 'Wait until a text appears or goes, the address changes or a request is answered; actions wait for their own effects.',
  input: z.strictObject({
    text: z.string().min(1).optional().describe('Text to appear'),
    texts: unlisted(z.array(z.string().min(1)).min(1).optional().describe('Several, of which one is to appear')),
    textGone: z.string().min(1).optional().describe('Text to go'),
    url: z.string().min(1).optional().describe('Part of the address to come, * for anything'),
    response: z.string().min(1).optional().describe('The same of a request that is answered, also since your last action'),
    time: z.number().min(0).max(30).optional().describe(`Seconds to wait at most, default ${DEFAULT_S}; alone, it tells what flashed up`),
    timeout: unlisted(z.number().min(0).optional().describe('Or so many milliseconds at most')),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'read',
  scope: 'page',
  timeoutMs: 40_000,
  run: async ({ text, texts = [], textGone, url, response, time, timeout = DEFAULT_S * 1_000 }, { page }) => {
    const awaited = [...(text === undefined ? [] : [text]), ...texts];
    const limitMs = Math.min(LONGEST_MS, time === undefined ? timeout : time * 1_000);
    const hasCondition = awaited.length > 0 || textGone !== undefined || url !== undefined || response !== undefined;
    if (!hasCondition && time === undefined)
      throw new CompanionError('TOOL_ARGUMENTS', 'browser_wait_for needs "text", "textGone", "url", "response" or "time".');
    const startedAt = Date.now();
    let parts: readonly FramePart[] = [];
    let come: readonly string[] = [];
    let looks = 0;
    let answers: readonly RequestEntry[] = [];
    const isMet = async (shown: Page): Promise<boolean> => {
      if (!hasCondition) return false;
      looks += 1;
      if (url !== undefined && !(await isAt(shown, url))) return false;
      if (response !== undefined) {
        const fitting = (await requestsSince(shown, startedAt)).filter(({ url: asked }) => fits(hideInAddress(asked), response));
        answers = fitting.filter(({ answeredAt }) => answeredAt !== null);
        if (answers.length === 0) return false;
      }
      if (awaited.length === 0 && textGone === undefined) return true;
      parts = await shown.frames({ aim: null, urls: false });
      const words = comparable(wordsOf(parts));
      come = awaited.filter((one) => words.includes(comparable(one)));
      return (awaited.length === 0 || come.length > 0) && (textGone === undefined || !words.includes(comparable(textGone)));
    };
    const hasCome = await page.until(isMet, limitMs, { hearsAnswers: response !== undefined });
    const waited = `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`;
    const now = await page.info();
    const about = pageHead(now);
    if (!hasCondition) {
      // Another page has come since, or stands still behind its dialog.
      const passed = page.openDialog() === null ? await page.passed().catch(nothingWhenGone) : [];
      const told = passed.length === 0 ? '' : ' What came and went since your last action, in its order:';
      return pageResult(
        `Waited ${waited}.${told}`,
        now.url,
        [about, ...passed.map((one) => toPassedLine(one, passed[0]?.atMs))].join('\n'),
      );
    }
    if (!hasCome) {
      const missed = `Waited ${waited}, but ${namesOf({ text: awaited.length === 0 ? undefined : awaited.join('" or "'), textGone, url, response })} did not come true.`;
      if (response !== undefined && answers.length === 0) throw unanswered(missed, await requestsSince(page, startedAt));
      throw new CompanionError('TOOL_TIMEOUT', missed + wordsForLeftOut(parts), { remedy: 'Look at the page with browser_snapshot.' });
    }
    const lines = come.length === 0 ? '' : findLines(renderSnapshot(parts, { maxTokens: Infinity, page: 1 }).text, anyOf(come)).text;
    const came = answers.slice(-MAX_ANSWERS).map(toAnswerLine).join('\n');
    const words = textGone !== undefined && looks === 1 ? ALREADY_GONE : `It came true after ${waited}.`;
    return pageResult(words, now.url, [about, came, lines].filter((part) => part !== '').join('\n\n'));
  },
});

/** Where in a line the first of several texts stands; -1 where none does. */
const anyOf = (texts: readonly string[]): ((line: string) => number) => {
  const matchers = texts.map((text) => toMatcher(text, undefined));
  return (line) => matchers.map((match) => match(line)).find((place) => place >= 0) ?? -1;
};

type Flash = Awaited<ReturnType<Page['passed']>>[number];

/** Something that no snapshot shows, for it is gone by then. */
const toPassedLine = ({ node, what, value, atMs, forMs, steps, frameId }: Flash, firstAtMs = atMs): string => {
  const subject = node === undefined ? '' : `${renderNode(node, frameId)} `;
  const how = steps > 1 ? ` in ${steps} steps` : '';
  return `${toSeconds(atMs - firstAtMs)} ${subject}${what} "${value}"${how}, for ${toSeconds(forMs)}`;
};

const nothingWhenGone = (error: unknown): Flash[] => {
  if (error instanceof DocumentGoneError || error instanceof DocumentChangedError) return [];
  throw error;
};

const toSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** What has yet to come is not told from what has gone. */
const ALREADY_GONE = 'It was so already: the text was not there. If it had yet to come, wait for it with "text" first.';

/** What is in the address because a field holds it is not found there, so that nobody learns it guess by guess. */
const isAt = async (shown: Page, part: string): Promise<boolean> => {
  const { url } = await shown.info();
  if (!hasPart(url, part)) return false;
  await shown.frames({ aim: null, urls: false });
  return hasPart(shown.withoutSecrets(url), part);
};

/** Those that were made or answered since the tab's last action, or since `beganAt` where none is known, and those under way. */
const requestsSince = async (shown: Page, beganAt: number): Promise<RequestEntry[]> => {
  const { actedAt, entries } = await shown.requests();
  const since = Math.min(actedAt ?? beganAt, beganAt);
  return entries.filter(
    ({ startedAt, answeredAt, error }) => startedAt >= since || (answeredAt === null ? error === null : answeredAt >= since),
  );
};

/** Of one that is still coming, as a stream is, the time until it began. */
const toAnswerLine = (entry: RequestEntry): string =>
  toRequestLine({ ...entry, ms: entry.ms ?? Math.round((entry.answeredAt ?? entry.startedAt) - entry.startedAt) });

const unanswered = (missed: string, entries: readonly RequestEntry[]): PageError => {
  const made = entries.filter((entry) => !isStatic(entry));
  const told =
    made.length === 0 ? 'No request was made since the last action.' : `${counted(made.length, 'request')} since the last action.`;
  return new PageError('TOOL_TIMEOUT', `${missed} ${told}`, made.slice(-MAX_MISSED).map(toRequestLine).join('\n'), {
    remedy: 'browser_network_requests lists all of the tab.',
  });
};

/** The conditions, as the call named them. */
const namesOf = (conditions: Record<string, string | undefined>): string =>
  Object.entries(conditions)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} "${value}"`]))
    .join(' and ');

import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { textToBase64 } from '#extension/shared/base64.ts';
import { toFileName } from '#extension/toolkit/file-name.ts';
import { pageResult, textResult } from '#extension/toolkit/result.ts';
import { type Tool, type ToolContext, defineTool, ofNoEffect } from '#extension/toolkit/tool.ts';
import { INSIGHTS, insightNamed, readTrace, type TraceEvent } from '#extension/toolkit/trace-insights.ts';

const tabId = z.number().optional().describe('Tab from get_windows_and_tabs; default: the current tab');

const shared = { set: 'chrome', parts: { tab: 'tabId' }, scope: 'page', timeoutMs: 120_000 } as const;

/** What Chrome notes of how a page loads and reacts. */
export const performanceTools: readonly Tool[] = [
  defineTool({
    ...shared,
    name: 'performance_start_trace',
    title: 'Record what the page takes its time for',
    description: 'Start a performance trace of the tab, with "reload" of its load.',
    input: z.strictObject({
      reload: z.boolean().optional().describe('Load the page again once it records'),
      autoStop: z.boolean().optional().describe('End it after durationMs, and tell what it shows'),
      durationMs: z.number().min(100).max(60_000).optional().describe('Default 5000'),
      tabId,
    }),
    toolClass: 'write',
    run: async ({ reload, autoStop, durationMs = 5000 }, context) => {
      const { page, tracer } = context;
      await tracer.start();
      if (reload === true) await page.reload();
      if (autoStop !== true) return textResult('Recording, for two minutes at most; performance_stop_trace ends it.');
      return told('Recorded.', await tracer.stop(durationMs), context);
    },
  }),
  defineTool({
    ...shared,
    name: 'performance_stop_trace',
    title: 'Save what the page took its time for as {filenamePrefix}',
    description: "End the performance trace of the tab, save it among the user's downloads and tell what it shows.",
    input: z.strictObject({
      saveToDownloads: z.boolean().optional().describe('Default true'),
      filenamePrefix: z.string().max(100).optional().describe('Default performance_trace'),
      tabId,
    }),
    toolClass: 'sensitive',
    run: async ({ saveToDownloads = true, filenamePrefix = 'performance_trace' }, context) => {
      const events = await context.tracer.stop();
      if (!saveToDownloads) return told('Ended.', events, context);
      const name = toFileName(`${filenamePrefix}_${new Date().toISOString().replaceAll(':', '-')}`, 'json', 'performance_trace');
      const dataBase64 = textToBase64(JSON.stringify({ traceEvents: events }));
      const path = await context.profile.save({ name, mimeType: 'application/json', dataBase64 }, context.signal);
      return told(`Saved as ${path}`, events, context);
    },
  }),
  defineTool({
    ...shared,
    name: 'performance_analyze_insight',
    title: 'Read what the page takes its time for',
    description: 'Tell what the last performance trace of the tab shows: times, long tasks, what blocks, moves and loads.',
    input: z.strictObject({
      insightName: z
        .string()
        .max(100)
        .optional()
        .describe(`${INSIGHTS.join(', ')}; default all`),
      timeoutMs: ofNoEffect('Of no effect: it is read at once'),
      tabId,
    }),
    toolClass: 'read',
    run: async ({ insightName }, context) => {
      const { url } = await context.page.info();
      const events = context.tracer.last(originOf(url));
      if (events === null)
        throw new CompanionError('TOOL_FAILED', 'There is no trace of this tab with the site that it shows.', {
          remedy: 'Begin one with performance_start_trace, and end it.',
        });
      const insight = insightName === undefined ? undefined : insightNamed(insightName);
      if (insight === null)
        throw new CompanionError('TOOL_ARGUMENTS', `performance_analyze_insight: "insightName" is one of ${INSIGHTS.join(', ')}.`);
      return pageResult('The trace shows:', url, readTrace(events, insight === undefined ? INSIGHTS : [insight]));
    },
  }),
];

const told = async (words: string, events: readonly TraceEvent[], { page }: ToolContext): Promise<ReturnType<typeof pageResult>> => {
  const { url } = await page.info();
  return pageResult(`${words}\n${events.length} events. performance_analyze_insight tells more.`, url, readTrace(events, ['Metrics']));
};

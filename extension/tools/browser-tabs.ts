import * as z from 'zod';
import type { BrowserName, ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { counted } from '#protocol/counted.ts';
import { surpriseInLoad } from '#extension/toolkit/receipt.ts';
import { envelope, textResult, withSurprise } from '#extension/toolkit/result.ts';
import { renderTabs, toLine, wordsForClosed } from '#extension/toolkit/tab-list.ts';
import { type ToolContext, defineTool, ofNoEffect, unlisted } from '#extension/toolkit/tool.ts';

/** Lists, opens, closes and selects tabs. */
export const browserTabs = defineTool({
  name: 'browser_tabs',
  isWide: 'close',
  title: 'Use the tabs: {action} {url}',
  description: 'List the open tabs, or open, close or select one; call it first to see what the user has open.',
  input: z.strictObject({
    action: z.enum(['list', 'new', 'close', 'select']).describe('new opens in the background; select also shows the tab'),
    tabId: z.number().optional().describe('For close and select'),
    index: unlisted(z.number().int().min(0).optional().describe('Instead of tabId: which of your own tabs, from 0')),
    url: z.string().optional().describe('For new'),
    find: z.string().optional().describe('For list: only tabs with this in title or address'),
    windowId: unlisted(z.number().optional().describe('For list: only the tabs of this window')),
    browserId: z.string().optional().describe('Which browser, when several are connected'),
    background: unlisted(ofNoEffect('Of no effect: a new tab is always in the background, and "select" always shows one')),
    bringToFront: unlisted(ofNoEffect('Of no effect, as background')),
    timeout: unlisted(ofNoEffect('Of no effect: a page is waited for as long as it may come')),
  }),
  parts: { address: 'url', browser: 'browserId', tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'browser',
  isReading: ({ action }) => action === 'list',
  run: async ({ action, tabId, index, url, find, windowId }, context) => {
    const { tabs } = context;
    switch (action) {
      case 'list':
        return windowId === undefined ? list(context, find) : listWindow(context, windowId);
      case 'new': {
        // An address that is refused opens no tab.
        const address = url === undefined ? null : tabs.toAddress(url);
        const page = await tabs.open();
        if (address === null) return textResult(`Opened tab ${page.tabId}; it is the current tab now.`);
        const loaded = await page.open(address).catch(async (error: unknown) => {
          if (context.signal.aborted) await tabs.takeBack(page.tabId);
          throw error;
        });
        const opened = textResult(`Opened tab ${page.tabId} (HTTP ${loaded.status}); it is the current tab now.`);
        return withSurprise(opened, surpriseInLoad(loaded));
      }
      case 'close': {
        const isNamed = tabId !== undefined || index !== undefined;
        return textResult(wordsForClosed([await tabs.close(isNamed ? await named(context, action, { tabId, index }) : undefined)]));
      }
      case 'select': {
        const row = await tabs.select(await named(context, action, { tabId, index }));
        const words = row.isCurrent ? 'is the current tab now' : "is shown; it is the user's";
        return { content: [{ type: 'text', text: `Tab ${row.tabId} ${words}.\n${envelope(row.url, toLine(row))}` }] };
      }
    }
  },
});

const list = async ({ tabs, otherBrowsers }: ToolContext, find: string | undefined): Promise<ToolResult> => {
  const rows = await tabs.list();
  const { text: lines, shown, found } = renderTabs(rows, find);
  const matching = find === undefined ? '' : ` ${found} of them match.`;
  const more = shown === found ? '' : ` ${shown} are shown; use find for the others.`;
  const text = `${counted(rows.length, 'tab')} in ${tabs.browser}.${matching}${more} "active" is what the user sees, "current" is where your calls go; the others than yours are the user's.\n${envelope('about:blank', lines)}`;
  return textResult([text, ...describeOthers(otherBrowsers)].join('\n\n'));
};

/** Its first words name the tab that the window shows, for those who know tabs by their windows. */
const listWindow = async ({ tabs }: ToolContext, windowId: number): Promise<ToolResult> => {
  const rows = (await tabs.list()).filter((row) => row.windowId === windowId);
  const shown = rows.find(({ isActive }) => isActive);
  if (shown === undefined)
    throw new CompanionError(
      'TOOL_ARGUMENTS',
      `No window ${windowId} shows a tab that you may use: name a tab by its id, as browser_tabs lists it.`,
    );
  return textResult(`Window ${windowId} shows tab ${shown.tabId}.\n${envelope('about:blank', renderTabs(rows).text)}`);
};

const describeOthers = (browsers: readonly BrowserName[]): string[] => {
  const lines = browsers.map(({ browserId, name, label }) => `- ${name} "${label}": browserId ${browserId}`);
  return lines.length === 0 ? [] : [`Other connected browsers (pass browserId to browser_tabs to work there):\n${lines.join('\n')}`];
};

interface NamedTab {
  readonly tabId: number | undefined;
  readonly index: number | undefined;
}

/** An index counts the session's own tabs alone: another's is named by what the list says of it. */
const named = async ({ tabs }: ToolContext, action: string, { tabId, index }: NamedTab): Promise<number> => {
  if (tabId !== undefined) return tabId;
  if (index === undefined) throw new CompanionError('TOOL_ARGUMENTS', `browser_tabs with action "${action}" needs "tabId".`);
  const own = (await tabs.list()).filter(({ isOwn }) => isOwn);
  const found = own[index];
  if (found === undefined)
    throw new CompanionError(
      'TOOL_ARGUMENTS',
      `You have ${counted(own.length, 'tab')} of your own, counted from 0: give the "tabId" of one.`,
    );
  return found.tabId;
};

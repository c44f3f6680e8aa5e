import * as z from 'zod';
import { toolLine, toolText } from '#protocol/tool-lines.ts';
import { checkKept, type Cookie, type CookieFilter, deleteCookies, findCookies, setCookie } from '#extension/toolkit/cookies.ts';
import type { Page } from '#extension/toolkit/page.ts';
import { pageResult, textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId, type SubjectLines, type Tool } from '#extension/toolkit/tool.ts';
import { counted } from '#protocol/counted.ts';
import type { ToolResult } from '#protocol/browser.ts';

const name = z.string().min(1).describe('Of the cookie');
const domain = z.string().min(1).optional().describe('Only of this domain');
const path = z.string().optional().describe('Only for this path');

const shared = { set: 'storage', parts: { tab: 'tabId' }, toolClass: 'sensitive', scope: 'page' } as const;

/** The cookies of a page. */
export const cookieTools: readonly Tool[] = [
  defineTool({
    ...shared,
    name: 'browser_cookie_list',
    title: 'Read the cookies of the page',
    description: 'List the cookies that the page gets, also those that its scripts do not see.',
    input: z.strictObject({ domain, path, tabId }),
    isReading: () => true,
    describe: () => Promise.resolve(careful),
    run: (which, { page }) => listed(page, which),
  }),
  defineTool({
    ...shared,
    name: 'browser_cookie_get',
    title: 'Read the cookie {name} of the page',
    description: 'Read one cookie that the page gets.',
    input: z.strictObject({ name, tabId }),
    isReading: () => true,
    describe: () => Promise.resolve(careful),
    run: (which, { page }) => listed(page, which),
  }),
  defineTool({
    ...shared,
    name: 'browser_cookie_set',
    title: 'Set the cookie {name} of the page',
    description: 'Set a cookie of the page, also one that its scripts do not see.',
    input: z.strictObject({
      name,
      value: z.string().describe('What it holds'),
      domain: z.string().min(1).optional().describe("Default: the page's host alone"),
      path: z.string().optional().describe('Default /'),
      expires: z.number().optional().describe('Unix seconds; default: the end of the browser session'),
      httpOnly: z.boolean().optional().describe('Hidden from scripts'),
      secure: z.boolean().optional().describe('https only'),
      sameSite: z.enum(['Strict', 'Lax', 'None']).optional().describe('Whether it goes along from other sites'),
      tabId,
    }),
    describe: ({ value }) => Promise.resolve([toolLine('line_value', value)]),
    run: async ({ name: which, value, domain: of, path: at = '/', expires, httpOnly, secure, sameSite }, { page }) => {
      const cookie = { name: which, value, domain: of, path: at, expires, httpOnly, secure, sameSite };
      await setCookie(page, cookie);
      await checkKept(page, cookie);
      return textResult('The cookie is set.');
    },
  }),
  defineTool({
    ...shared,
    name: 'browser_cookie_delete',
    title: 'Delete the cookie {name} of the page',
    description: 'Delete one cookie of the page.',
    input: z.strictObject({ name, domain, path, tabId }),
    run: (which, { page }) => deleted(page, which),
  }),
  defineTool({
    ...shared,
    name: 'browser_cookie_clear',
    isWide: true,
    title: 'Delete all cookies of the page',
    description: 'Delete all cookies that the page gets.',
    input: z.strictObject({ tabId }),
    run: (_, { page }) => deleted(page),
  }),
];

const careful: SubjectLines = [toolLine('line_careful', toolText('cookies_careful'))];

const listed = async (page: Page, which: CookieFilter): Promise<ToolResult> => {
  const found = await findCookies(page, which);
  const url = await page.address();
  return found.length === 0 ? textResult('There is no such cookie.') : pageResult(countOf(found), url, found.map(toLine).join('\n'));
};

const deleted = async (page: Page, which?: CookieFilter): Promise<ToolResult> => {
  const found = await findCookies(page, which);
  await deleteCookies(page, found);
  return textResult(found.length === 0 ? 'There is no such cookie.' : `Deleted: ${countOf(found)}`);
};

const countOf = ({ length }: readonly Cookie[]): string => `${counted(length, 'cookie')}.`;

const toLine = ({ name: named, value, domain: of, path: at, expires, httpOnly, secure, sameSite, partitionKey }: Cookie): string =>
  [
    `- ${named}=${value}`,
    `for ${of}${at}`,
    expires < 0 ? 'until the browser ends' : `until ${new Date(expires * 1000).toISOString()}`,
    ...(httpOnly ? ['httpOnly'] : []),
    ...(secure ? ['secure'] : []),
    ...(sameSite === undefined ? [] : [sameSite]),
    ...(partitionKey === undefined ? [] : ['partitioned']),
  ].join(' ');

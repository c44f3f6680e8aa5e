import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { pageResult, textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

const Cookies = z.object({
  cookies: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      domain: z.string(),
      path: z.string(),
      expires: z.number(),
      httpOnly: z.boolean(),
      secure: z.boolean(),
      sameSite: z.string().optional(),
    }),
  ),
});
type Cookie = z.infer<typeof Cookies>['cookies'][number];

const Done = z.object({ success: z.boolean() });

/** The cookies of a page. */
export const browserCookies = defineTool({
  name: 'browser_cookies',
  set: 'storage',
  title: 'Use the cookies of the page: {action} {name}',
  description: 'List, read, set or delete the cookies that the page gets, also those that its scripts do not see.',
  input: z.strictObject({
    action: z.enum(['list', 'get', 'set', 'delete', 'clear']).describe('What to do; clear deletes all of the page'),
    name: z.string().min(1).optional().describe('Of the cookie; list needs none'),
    value: z.string().optional().describe('For set'),
    path: z.string().optional().describe('For set, default /'),
    expires: z.number().optional().describe('For set: Unix seconds; default: the end of the browser session'),
    httpOnly: z.boolean().optional().describe('For set: hidden from scripts'),
    secure: z.boolean().optional().describe('For set: https only'),
    sameSite: z.enum(['Strict', 'Lax', 'None']).optional().describe('For set'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'sensitive',
  scope: 'page',
  isReading: ({ action }) => action === 'list' || action === 'get',
  describe: ({ action, value }) =>
    Promise.resolve([
      ...(action === 'list' || action === 'get' ? [{ label: 'Careful', text: 'who has these cookies can be you on this site' }] : []),
      ...(value === undefined ? [] : [{ label: 'Value', text: value }]),
    ]),
  run: async ({ action, name, value, path, expires, httpOnly, secure, sameSite }, { page }) => {
    const { url } = await page.info();
    const list = async (): Promise<Cookie[]> => Cookies.parse(await page.command('Network.getCookies', { urls: [url] })).cookies;
    const wanted = (): string => {
      if (name === undefined) throw new CompanionError('TOOL_ARGUMENTS', `browser_cookies: "name" is missing; ${action} needs it.`);
      return name;
    };
    const remove = (cookies: readonly Cookie[]): Promise<unknown[]> =>
      Promise.all(
        cookies.map(({ name: which, domain, path: at }) => page.command('Network.deleteCookies', { name: which, domain, path: at })),
      );
    switch (action) {
      case 'list':
      case 'get': {
        const which = action === 'get' ? wanted() : null;
        const found = (await list()).filter((cookie) => which === null || cookie.name === which);
        return found.length === 0 ? textResult('There is no such cookie.') : pageResult(countOf(found), url, found.map(toLine).join('\n'));
      }
      case 'set': {
        const set = { name: wanted(), value: value ?? '', url, path, expires, httpOnly, secure, sameSite };
        const { success } = Done.parse(await page.command('Network.setCookie', onlyGiven(set)));
        if (!success) throw new CompanionError('TOOL_FAILED', 'The browser did not take the cookie: its attributes do not fit this page.');
        return textResult('The cookie is set.');
      }
      case 'delete':
      case 'clear': {
        const which = action === 'delete' ? wanted() : null;
        const found = (await list()).filter((cookie) => which === null || cookie.name === which);
        await remove(found);
        return textResult(found.length === 0 ? 'There is no such cookie.' : `Deleted: ${countOf(found)}`);
      }
    }
  },
});

/** The debugger takes no absent value. */
const onlyGiven = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const countOf = ({ length }: readonly Cookie[]): string => `${length} ${length === 1 ? 'cookie' : 'cookies'}.`;

const toLine = ({ name, value, domain, path, expires, httpOnly, secure, sameSite }: Cookie): string =>
  [
    `- ${name}=${value}`,
    `for ${domain}${path}`,
    expires < 0 ? 'until the browser ends' : `until ${new Date(expires * 1000).toISOString()}`,
    ...(httpOnly ? ['httpOnly'] : []),
    ...(secure ? ['secure'] : []),
    ...(sameSite === undefined ? [] : [sameSite]),
  ].join(' ');

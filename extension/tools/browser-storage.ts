import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { pageResult, textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** What a page keeps in localStorage and sessionStorage. */
export const browserStorage = defineTool({
  name: 'browser_storage',
  set: 'storage',
  title: 'Use what the page keeps: {action} {key}',
  description: "List, read, set or delete entries of the page's localStorage or sessionStorage.",
  input: z.strictObject({
    action: z.enum(['list', 'get', 'set', 'delete', 'clear']).describe('What to do; clear deletes all'),
    type: z.enum(['local', 'session']).optional().describe('Default local'),
    key: z.string().optional().describe('Of the entry; list and clear need none'),
    value: z.string().optional().describe('For set'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'sensitive',
  scope: 'page',
  isReading: ({ action }) => action === 'list' || action === 'get',
  describe: ({ type = 'local', value }) =>
    Promise.resolve([
      { label: 'Storage', text: `${type}Storage, which may hold what signs you in` },
      ...(value === undefined ? [] : [{ label: 'Value', text: value }]),
    ]),
  run: async ({ action, type = 'local', key, value }, { page }) => {
    if (key === undefined && action !== 'list' && action !== 'clear')
      throw new CompanionError('TOOL_ARGUMENTS', `browser_storage: "key" is missing; ${action} needs it.`);
    const { url } = await page.info();
    const [store, k, v] = [`${type}Storage`, JSON.stringify(key ?? ''), JSON.stringify(value ?? '')];
    const code = {
      list: `Object.entries(${store}).map(([key, value]) => key + ' = ' + value).join('\\n')`,
      get: `${store}.getItem(${k})`,
      set: `${store}.setItem(${k}, ${v})`,
      delete: `${store}.removeItem(${k})`,
      clear: `${store}.clear()`,
    }[action];
    const { json, isWhole } = await page.evaluate(code, null);
    if (action !== 'list' && action !== 'get') return textResult('Done.');
    const found = isWhole ? z.string().nullable().parse(JSON.parse(json)) : json;
    if (found === null || found === '') return textResult(action === 'list' ? `${store} is empty.` : 'There is no such entry.');
    return pageResult(`${store}${isWhole ? '' : ', its beginning'}:`, url, found);
  },
});

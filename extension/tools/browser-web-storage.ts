import * as z from 'zod';
import { toolLine, toolText } from '#protocol/tool-lines.ts';
import { beginningOf } from '#extension/toolkit/beginning.ts';
import type { Page } from '#extension/toolkit/page.ts';
import { pageResult, textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId, type SubjectLines, type Tool } from '#extension/toolkit/tool.ts';

type Store = 'localStorage' | 'sessionStorage';

const key = z.string().describe('Of the entry');

const shared = { set: 'storage', parts: { tab: 'tabId' }, toolClass: 'sensitive', scope: 'page' } as const;

const toolsFor = (store: Store): readonly Tool[] => {
  const prefix = `browser_${store.toLowerCase()}`;
  return [
    defineTool({
      ...shared,
      name: `${prefix}_list`,
      title: `Read the ${store} of the page`,
      description: `List what the page keeps in its ${store}.`,
      input: z.strictObject({ tabId }),
      isReading: () => true,
      describe: () => Promise.resolve(linesFor(store)),
      run: async (_, { page }) => {
        const { found, isWhole, url } = await read(page, `Object.entries(${store}).map(([key, value]) => key + ' = ' + value).join('\\n')`);
        return found === null || found === '' ? textResult(`${store} is empty.`) : pageResult(headOf(store, isWhole), url, found);
      },
    }),
    defineTool({
      ...shared,
      name: `${prefix}_get`,
      title: `Read the ${store} of the page: {key}`,
      description: `Read one entry of the page's ${store}.`,
      input: z.strictObject({ key, tabId }),
      isReading: () => true,
      describe: () => Promise.resolve(linesFor(store)),
      run: async ({ key: which }, { page }) => {
        const { found, isWhole, url } = await read(page, `${store}.getItem(${JSON.stringify(which)})`);
        return found === null ? textResult('There is no such entry.') : pageResult(headOf(store, isWhole), url, found);
      },
    }),
    defineTool({
      ...shared,
      name: `${prefix}_set`,
      title: `Change the ${store} of the page: {key}`,
      description: `Set one entry of the page's ${store}.`,
      input: z.strictObject({ key, value: z.string().describe('What it holds'), tabId }),
      describe: ({ value }) => Promise.resolve([...linesFor(store), toolLine('line_value', value)]),
      run: ({ key: which, value }, { page }) => change(page, `${store}.setItem(${JSON.stringify(which)}, ${JSON.stringify(value)})`),
    }),
    defineTool({
      ...shared,
      name: `${prefix}_delete`,
      title: `Delete from the ${store} of the page: {key}`,
      description: `Delete one entry of the page's ${store}.`,
      input: z.strictObject({ key, tabId }),
      run: ({ key: which }, { page }) => change(page, `${store}.removeItem(${JSON.stringify(which)})`),
    }),
    defineTool({
      ...shared,
      name: `${prefix}_clear`,
      isWide: true,
      title: `Delete all in the ${store} of the page`,
      description: `Delete all that the page keeps in its ${store}.`,
      input: z.strictObject({ tabId }),
      run: (_, { page }) => change(page, `${store}.clear()`),
    }),
  ];
};

/** What a page keeps in localStorage and sessionStorage. */
export const webStorageTools: readonly Tool[] = [...toolsFor('localStorage'), ...toolsFor('sessionStorage')];

const linesFor = (store: Store): SubjectLines => [toolLine('line_storage', toolText('storage_careful', { store }))];

const headOf = (store: Store, isWhole: boolean): string => `${store}${isWhole ? '' : ', its beginning'}:`;

const read = async (page: Page, code: string): Promise<{ found: string | null; isWhole: boolean; url: string }> => {
  const { url } = await page.info();
  const { json, isWhole } = await page.evaluate(code, null, false);
  const found = isWhole ? z.string().nullable().parse(JSON.parse(json)) : json;
  if (found === null) return { found, isWhole, url };
  const shown = beginningOf(found);
  return { found: shown.text, isWhole: isWhole && shown.isWhole, url };
};

const change = async (page: Page, code: string): Promise<ReturnType<typeof textResult>> => {
  await page.evaluate(code, null, false);
  return textResult('Done.');
};

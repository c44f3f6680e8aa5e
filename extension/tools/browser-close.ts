import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { isAtAddress } from '#extension/toolkit/address-pattern.ts';
import { textResult } from '#extension/toolkit/result.ts';
import { wordsForClosed } from '#extension/toolkit/tab-list.ts';
import { defineTool, type ClosedTab, type Tabs, tabId, unlisted } from '#extension/toolkit/tool.ts';

/** Closes the tab that the session has done with, or all of its own at an address. */
export const browserClose = defineTool({
  name: 'browser_close',
  isWide: true,
  title: 'Close the tab',
  description: 'Close the current tab, or the one named, once it is of no more use.',
  input: z.strictObject({
    tabId,
    url: unlisted(z.string().min(1).optional().describe('Or all tabs of your own at this address or below it; * stands for anything')),
  }),
  parts: { tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'browser',
  run: async ({ tabId: named, url }, { tabs }) => {
    if (named !== undefined && url !== undefined) throw new CompanionError('INPUT_INVALID', 'Give either "tabId" or "url".');
    const ids = url === undefined ? [named] : await ownTabsAt(tabs, url);
    const closed: ClosedTab[] = [];
    for (const id of ids) closed.push(await tabs.close(id));
    return textResult(wordsForClosed(closed));
  },
});

/** By their address only tabs of the session's own are closed: one of the person's is named, so that they are asked about that one. */
const ownTabsAt = async (tabs: Tabs, address: string): Promise<number[]> => {
  const found = (await tabs.list()).filter(({ url }) => isAtAddress(url, address));
  const own = found.filter(({ isOwn }) => isOwn).map(({ tabId: id }) => id);
  if (own.length > 0) return own;
  const persons = found.map(({ tabId: id }) => id).slice(0, MAX_NAMED);
  throw new CompanionError('TAB_NOT_FOUND', `No tab of this session shows ${address.slice(0, MAX_ADDRESS_CHARS)}.`, {
    remedy:
      persons.length === 0
        ? 'browser_tabs lists the tabs there are.'
        : `Those of the user's are closed one by one, by tabId, and they are asked: ${persons.join(', ')}.`,
  });
};

const MAX_NAMED = 5;
const MAX_ADDRESS_CHARS = 200;

/** What an action led to, in a few lines: the page itself is only sent when it is asked for. */
import type { ToolResult } from '#protocol/browser.ts';
import type { Change } from '#extension/content/api.ts';
import type { Acted, Loaded } from './page.ts';
import { pageResult } from './result.ts';
import { renderNode } from './snapshot-text.ts';

/** `words` say what was done; `url` is where. */
export const receiptResult = (words: string, url: string, frameId: number, acted: Acted<Change>): ToolResult => {
  const { value: change, loaded } = acted;
  // The page may have gone before it could say so.
  const own = [change === null && loaded === null ? `${words} The page went away meanwhile.` : words];
  const said: string[] = [];
  if (change !== null) said.push(`target: ${renderNode(change.element, frameId)}`);
  for (const tab of acted.newTabs) {
    own.push(`It opened tab ${tab.tabId}; use it with tabId ${tab.tabId} or browser_tabs select.`);
    said.push(`new tab ${tab.tabId}: ${tab.url}`);
  }
  if (loaded !== null) {
    own.push(describeLoad(loaded));
    said.push(`url: ${loaded.url}`, `title: ${loaded.title}`);
  }
  // A move within the page leaves what was there; a new page has nothing to compare with.
  if (change !== null && (loaded === null || loaded.status === 0)) {
    own.push(describeChange(change.mutations));
    if (change.value !== null) said.push(`value: "${change.value}"`);
    for (const node of change.appeared) said.push(`appeared: ${renderNode(node, frameId)}`);
    if (change.focused !== null) said.push(`focus: ${renderNode(change.focused, frameId)}`);
  }
  return pageResult(own.join(' '), loaded?.url ?? url, said.join('\n'));
};

const describeChange = (mutations: number): string =>
  mutations === 0 ? 'Nothing else changed on the page.' : `The page changed in ${mutations === 1 ? '1 place' : `${mutations} places`}.`;

/** Whether and how a page was loaded. */
export const describeLoad = ({ status, isReady }: Loaded): string =>
  [
    status === 0 ? 'The address changed.' : `A page was loaded (HTTP ${status}).`,
    isReady ? '' : 'It is still loading; browser_snapshot shows what is there.',
  ]
    .filter((part) => part !== '')
    .join(' ');

import * as z from 'zod';
import { toolLine, toolText } from '#protocol/tool-lines.ts';
import type { Kept } from '#extension/content/api.ts';
import { actOn } from '#extension/toolkit/acting.ts';
import { describeAim, elementField, targetField, toAim } from '#extension/toolkit/aim.ts';
import { chooseIn } from '#extension/toolkit/choose.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Chooses options of a list, and says what it holds then. */
export const browserSelectOption = defineTool({
  name: 'browser_select_option',
  title: 'Choose in {element}',
  description: 'Choose exactly these options of a list, combobox or listbox; all others are deselected.',
  input: z.strictObject({
    target: targetField,
    values: z.array(z.string()).max(1_000).describe('Labels or values; [] deselects all'),
    element: elementField,
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'target',
  toolClass: 'write',
  scope: 'page',
  describe: async ({ target, values, element }, page) => [
    ...(await describeAim(toAim(target), element, page)),
    toolLine('line_options', values.length === 0 ? toolText('no_options') : values.join('\n')),
  ],
  run: async ({ target, values }, { page, signal }) => {
    const aim = toAim(target);
    const { url } = await page.info(aim.frameId);
    let shown: string | null = null;
    const acted = await actOn(page, aim.frameId, async () => {
      const change = await chooseIn(page, signal, aim, values);
      shown = change.value;
      return change;
    });
    const change = acted.value;
    // A field that only looks for options is empty when one is chosen, which stands beside it.
    const value = change === null ? null : { ...change, value: change.value === '' ? shown : change.value };
    return receiptResult(wordsFor(change?.kept), url, aim.frameId, { ...acted, value });
  },
});

const wordsFor = (kept: Kept | undefined): string => {
  if (kept === 'none') return 'Nothing was chosen: the page put back what the list held.';
  return kept === 'other' ? 'Clicked, but the list does not show exactly these options.' : 'Chosen.';
};

import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import type { Change, Kept } from '#extension/content/api.ts';
import { actOn } from '#extension/toolkit/acting.ts';
import { describeAim, elementField, fieldAim, targetField } from '#extension/toolkit/aim.ts';
import type { Acted } from '#extension/toolkit/page.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';
import { typeInto } from '#extension/toolkit/typing.ts';

/** Fills a field, chooses an option, and sends with Enter when asked. */
export const browserType = defineTool({
  name: 'browser_type',
  title: 'Type into {element}',
  description: "Replace a field's text, or choose options by theirs, one a line.",
  input: z.strictObject({
    target: targetField,
    text: z.string().describe('The new text, or the option'),
    element: elementField,
    submit: z.boolean().optional().describe('Press Enter afterwards'),
    slowly: z.boolean().optional().describe('Key by key, for pages that listen to keys'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'target',
  toolClass: 'write',
  scope: 'page',
  describe: async ({ target, element, text, submit }, page) => [
    ...(await describeAim(await fieldAim(target, page), element, page)),
    toolLine(submit === true ? 'line_text_enter' : 'line_text', text),
  ],
  run: async ({ target, text, submit = false, slowly = false }, { page, signal }) => {
    const aim = await fieldAim(target, page);
    const { url } = await page.info(aim.frameId);
    const fill = (): Promise<Change> => typeInto(page, signal, aim, { text, isSlow: slowly, submits: submit });
    const acted = await actOn(page, aim.frameId, fill, { isDone: !submit });
    return receiptResult(acted.value === null ? unknown(acted) : wordsFor(acted.value.kept, submit), url, aim.frameId, acted);
  },
});

/** The page was left, or stands still behind a dialog, before it could say what it made of the text. */
const unknown = ({ dialogs }: Acted<Change>): string =>
  dialogs.some(({ answer }) => answer === null)
    ? 'Typed, until a dialog came; look at the field when it is answered.'
    : 'The page was left in the same moment: it is not known whether the text was typed.';

/** A form is not sent when its field did not take the text. */
const wordsFor = (kept: Kept | undefined, submits: boolean): string => {
  const notSent = submits ? ' Enter was not pressed.' : '';
  if (kept === 'none') return `Nothing was typed: the page did not take the text, and the field holds what it held.${notSent}`;
  if (kept === 'cut') return `Typed, but the field holds only the beginning of the text: it takes no more.${notSent}`;
  if (kept === 'other') return `Typed, but the field holds something else than the text.${notSent}`;
  if (kept === 'keys')
    return `Pressed each key${submits ? ' and Enter' : ''}: what it holds cannot be read, so what follows is all that tells what the page made of them.`;
  return submits ? 'Typed and pressed Enter.' : 'Typed.';
};

import * as z from 'zod';
import { codeLine, toolLine, toolText } from '#protocol/tool-lines.ts';
import { describeAim, elementField, targetField, toAim } from '#extension/toolkit/aim.ts';
import { beginningOf } from '#extension/toolkit/beginning.ts';
import { hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import { outcomeOf, surpriseIn } from '#extension/toolkit/receipt.ts';
import { pageResult, withSurprise } from '#extension/toolkit/result.ts';
import { defineTool, filename, tabId, unlisted } from '#extension/toolkit/tool.ts';

/** Runs code of the agent in the page. */
export const browserEvaluate = defineTool({
  name: 'browser_evaluate',
  title: 'Run code in the page',
  description: 'Run JavaScript in the page and get its result as JSON, where no other tool does it.',
  input: z.strictObject({
    function: z
      .string()
      .min(1)
      .describe('() => value, (element) => value with a target, an expression, or statements with return; may be async'),
    target: targetField.optional(),
    element: unlisted(elementField),
    filename: unlisted(filename),
    tabId,
  }),
  parts: { tab: 'tabId', saves: 'filename' },
  target: 'target',
  toolClass: 'sensitive',
  scope: 'page',
  runsCode: ({ target }) => target === undefined,
  describe: async ({ function: code, target, element }, page) => [
    ...(target === undefined ? [] : await describeAim(toAim(target), element, page)),
    toolLine('line_runs', toolText('code_below')),
    ...linesOf(code).map((text, index) => codeLine(index + 1, text)),
  ],
  run: async ({ function: code, target, filename: file }, { page }) => {
    const aim = target === undefined ? null : toAim(target);
    const { url } = await page.info(aim?.frameId);
    const acted = await page.act(() => page.evaluate(code, aim, true), { isDone: true, isCode: aim === null });
    const { value } = acted;
    const outcome = outcomeOf(acted, url);
    const json = value === null ? '' : hideSecrets(value.json);
    const shown = file === undefined ? beginningOf(json) : { text: json, isWhole: true };
    const words = [
      value === null ? 'The code ran; its result is not known.' : 'Result, as JSON:',
      value === null || (value.isWhole && shown.isWhole)
        ? ''
        : `Only the first ${shown.text.length.toLocaleString('en')} characters are shown: give back less.`,
      value?.json === 'undefined' && isStatements(code) ? 'Statements give back what they return: end them with return.' : '',
      ...outcome.own,
    ];
    const said = [...(value === null ? [] : [shown.text]), ...outcome.said];
    return withSurprise(pageResult(words.filter((part) => part !== '').join(' '), url, said.join('\n')), surpriseIn(acted));
  },
});

/** Whether the code is no function and returns nothing by itself. */
const isStatements = (code: string): boolean => /;\s*\S/.test(code) && !/^\s*(?:async\b|function\b|\(|\w+\s*=>)|\breturn\b/.test(code);

/** Line by line, for on a card that runs them together a comment would seem to go on; and in pieces that it shows whole. */
const linesOf = (code: string): string[] =>
  code
    .split(/[\r\n\u2028\u2029]+/)
    .filter((line) => line.trim() !== '')
    .flatMap((line) => line.match(new RegExp(`.{1,${CARD_LINE}}`, 'gsu')) ?? []);

const CARD_LINE = 1_500;

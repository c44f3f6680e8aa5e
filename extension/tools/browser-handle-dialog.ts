import * as z from 'zod';
import type { Said } from '#protocol/said.ts';
import { toolLine, toolText } from '#protocol/tool-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { renderDialog } from '#extension/toolkit/page-error.ts';
import { receiptResult, unchanged } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Answers what a page asks in a native dialog; the page goes on then. */
export const browserHandleDialog = defineTool({
  name: 'browser_handle_dialog',
  title: 'Answer the dialog of the page',
  description: 'Answer the native dialog (confirm, prompt) that a page shows; it stands still until then.',
  input: z.strictObject({
    accept: z.boolean().describe('OK, or Cancel'),
    promptText: z.string().optional().describe('The answer to a prompt'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'write',
  scope: 'page',
  describe: async ({ accept, promptText }, page) => {
    const dialog = page.describeDialog();
    if (dialog === null) throw noDialog();
    return [toolLine('line_dialog', renderDialog(dialog)), toolLine('line_answer', answerText(accept, promptText))];
  },
  run: async ({ accept, promptText }, { page }) => {
    if (page.openDialog() === null) throw noDialog();
    const { url } = await page.info();
    const acted = await page.act(() => page.answerDialog(accept, promptText), { isAnswer: true });
    const isOpen = acted.dialogs.some(({ answer }) => answer === null);
    // What the page had begun goes on with the answer.
    const later = isOpen || acted.loaded !== null ? null : await page.ask('later', null).catch(() => null);
    const change = { ...unchanged({ role: 'generic' }), mutations: acted.mutations ?? 0, ...later };
    return receiptResult('Answered.', url, 0, { ...acted, value: change }, []);
  },
});

const noDialog = (): CompanionError =>
  new CompanionError('TOOL_ARGUMENTS', 'The page shows no dialog.', {
    remedy: 'A message (alert) closes by itself. Go on with browser_snapshot.',
  });

const answerText = (accept: boolean, text: string | undefined): Said => {
  if (!accept) return toolText('dialog_cancel');
  return text === undefined ? toolText('dialog_ok') : toolText('dialog_ok_with', { text });
};

import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { beginningOf } from '#extension/toolkit/beginning.ts';
import { hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import { pageResult, textResult } from '#extension/toolkit/result.ts';
import { defineTool } from '#extension/toolkit/tool.ts';

/** The person's clipboard. */
export const browserClipboard = defineTool({
  name: 'browser_clipboard',
  title: 'Use your clipboard: {action}',
  description: "Read the text of the user's clipboard, or put a text there.",
  input: z
    .strictObject({
      action: z.enum(['read', 'write']).describe('What to do'),
      text: z.string().max(1_000_000).optional().describe('For write'),
    })
    .refine(({ action, text }) => action === 'read' || text !== undefined, '"text" is missing; write needs it'),
  toolClass: 'sensitive',
  scope: 'browser',
  permissions: ['clipboardRead', 'clipboardWrite'],
  isReading: ({ action }) => action === 'read',
  describe: ({ text }) => Promise.resolve(text === undefined ? [] : [toolLine('line_text', text)]),
  run: async ({ action, text = '' }, { profile }) => {
    if (action === 'write') {
      await profile.writeClipboard(text);
      return textResult(`${text.length} characters are in the clipboard.`);
    }
    const found = await profile.readClipboard();
    if (found === '') return textResult('The clipboard holds no text.');
    const { text: shown, isWhole } = beginningOf(hideSecrets(found));
    const words = isWhole ? 'The clipboard holds:' : `The first ${shown.length} of ${found.length} characters of the clipboard:`;
    return pageResult(words, 'about:blank', shown);
  },
});

import * as z from 'zod';
import { toolLine, toolText } from '#protocol/tool-lines.ts';
import type { HandedFile } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { actOn } from '#extension/toolkit/acting.ts';
import { describeAim, elementField, toAim } from '#extension/toolkit/aim.ts';
import { handFiles } from '#extension/toolkit/hand-files.ts';
import type { Aim, Page } from '#extension/toolkit/page.ts';
import { pressedPlace } from '#extension/toolkit/real-input.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { nodeWords } from '#extension/toolkit/snapshot-text.ts';
import { type SubjectLines, defineTool, tabId, unlisted } from '#extension/toolkit/tool.ts';
import { changedWhenGone, whenReady } from '#extension/toolkit/when-ready.ts';
import { counted } from '#protocol/counted.ts';

/** As text; a call with more would not be one message. */
const MAX_MADE_CHARS = 4_000_000;

/** Gives files of the project to a page's file field. */
export const browserFileUpload = defineTool({
  name: 'browser_file_upload',
  title: 'Hand files to {element}',
  description: 'Choose files of the project in a file field, or behind the button that opens a file dialog.',
  input: z
    .strictObject({
      paths: z.array(z.string()).describe('Paths, from the project'),
      target: z.string().min(1).optional().describe('The field or button; default: what the page asked for'),
      element: elementField,
      tabId,
      made: unlisted(
        z
          .array(z.object({ name: z.string().min(1).max(255), base64: z.base64().max(MAX_MADE_CHARS) }))
          .max(5)
          .optional()
          .describe('Files that are no files yet: what is in them'),
      ),
    })
    .refine(({ paths, made = [] }) => paths.length + made.length > 0, 'it needs "paths" with at least one path'),
  parts: { tab: 'tabId', files: 'paths' },
  target: 'target',
  toolClass: 'sensitive',
  scope: 'page',
  timeoutMs: 60_000,
  describe: async ({ target, element, made = [] }, page) => [
    ...(target === undefined ? await describeAsked(page) : await describeAim(toAim(target), element, page)),
    ...made.map(({ name, base64 }) => toolLine('line_made', toolText('made_file', { name, bytes: bytesIn(base64) }))),
  ],
  run: async ({ target, made = [] }, { page, signal, files: read }) => {
    const files = [...read, ...made.map(toFile)];
    const aim = target === undefined ? null : toAim(target);
    const frameId = aim?.frameId ?? 0;
    const { url } = await page.info(frameId);
    const field = await page.ask('fileField', toOptions(aim), frameId);
    const isAsked = field === null && aim !== null && (await askFor(page, aim, signal));
    const given = await handFiles(page, files, frameId);
    // What the page asked for since is meant, where there was a press.
    const options = { ...(isAsked ? {} : toOptions(aim)), files: given };
    const acted = await actOn(page, frameId, () => whenReady(page, signal, () => page.ask('giveFiles', options, frameId)));
    const unaccepted = acted.value?.unaccepted ?? [];
    const words = [
      `Handed over ${counted(files.length, 'file')}.`,
      unaccepted.length === 0
        ? ''
        : `The field says that it does not take ${counted(unaccepted.length, 'file')} of them: ${unaccepted.join(', ')}.`,
    ];
    return receiptResult(words.filter((word) => word !== '').join(' '), url, frameId, acted);
  },
});

/** What the page asked for. */
const describeAsked = async (page: Page): Promise<SubjectLines> => {
  const field = await page.ask('fileField', {});
  return field === null ? [] : [{ ...toolLine('line_element', nodeWords(field)), element: field.name ?? '' }];
};

/** Its name is one of no folder, and its type is told by that name. */
const toFile = ({ name, base64 }: { readonly name: string; readonly base64: string }): HandedFile => ({
  name: name.replaceAll(/[/\\\0]/g, '_'),
  type: '',
  modifiedAt: Date.now(),
  dataBase64: base64,
});

const bytesIn = (base64: string): number => atob(base64).length;

const toOptions = (aim: Aim | null): { target?: Aim['target'] } => (aim === null ? {} : { target: aim.target });

/** Presses what should open the file dialog; throws when it does not. */
const askFor = async (page: Page, { frameId, target }: Aim, signal: AbortSignal): Promise<true> => {
  if (frameId !== 0) throw notOpened('In a frame only the file field itself can be named.');
  const isOpened = await page.catchFileDialog(() =>
    whenReady(page, signal, () =>
      page.withInput(async (input) => {
        const ready = await page.ask('aim', { target }).catch(changedWhenGone);
        if ('notReady' in ready) return ready;
        await input.press(ready.point, { button: 'left', count: 1, modifiers: [], ...pressedPlace(page, target) });
        return { done: undefined };
      }),
    ),
  );
  if (!isOpened) throw notOpened('It was pressed, and the page opened no file dialog.');
  return true;
};

const notOpened = (why: string): CompanionError =>
  new CompanionError('TOOL_ARGUMENTS', `"target" is no file field. ${why}`, {
    remedy: 'Look for the field with browser_snapshot, or use browser_drop.',
  });

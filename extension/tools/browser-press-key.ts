import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { NotReady } from '#extension/content/api.ts';
import { isOnMac, type Chord, readChord } from '#extension/shared/keys.ts';
import { describeAim, targetField, toAim } from '#extension/toolkit/aim.ts';
import { goneWhenChanged } from '#extension/toolkit/page-error.ts';
import { type KeyPress, pressChord } from '#extension/toolkit/pressing.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';
import { whenReady } from '#extension/toolkit/when-ready.ts';

const MAX_HOLD_MS = 10_000;

/** Presses a key or a chord where the focus is, and says what it did. */
export const browserPressKey = defineTool({
  name: 'browser_press_key',
  title: 'Press {key}',
  description: 'Press a key or a chord where the focus is, or in a target.',
  input: z.strictObject({
    key: z.string().min(1).describe('Enter, ArrowDown, a, Control+A, ControlOrMeta+Z'),
    target: targetField.optional(),
    holdMs: z.number().min(0).max(MAX_HOLD_MS).optional().describe('How long it is held down'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'target',
  toolClass: 'write',
  scope: 'page',
  describe: async ({ key, target }, page) => {
    const words = keyWords(key, toChord(key));
    return [...(target === undefined ? [] : await describeAim(toAim(target), undefined, page)), toolLine('line_key', words)];
  },
  run: async ({ key, target, holdMs = 0 }, { page, signal }) => {
    const chord = toChord(key);
    const aim = target === undefined ? null : toAim(target);
    const frameId = aim?.frameId ?? 0;
    const begin = (): Promise<{ isFocused: true } | NotReady> =>
      page.ask('beginPress', aim === null ? {} : { target: aim.target }, frameId);
    const attempt = async (): Promise<{ done: KeyPress } | NotReady> => {
      const ready = await begin();
      return 'notReady' in ready ? ready : { done: await pressChord(page, frameId, chord, holdMs) };
    };
    const { url } = await page.info(frameId);
    let way: KeyPress = 'real';
    const acted = await page.act(async () => {
      way = await whenReady(page, signal, attempt);
      return page.ask('pressed', null, frameId).catch(goneWhenChanged);
    });
    const isHere = (acted.loaded === null || acted.loaded.status === 0) && page.openDialog() === null;
    const value = isHere && acted.value !== null ? await page.ask('pressed', null, frameId).catch(goneWhenChanged) : acted.value;
    const elements = value === null || value.isForPage ? [] : [value.element];
    return receiptResult(wordsFor(keyWords(key, chord), way, value?.isHeard ?? true), url, frameId, { ...acted, value }, elements);
  },
});

const toChord = (text: string): Chord => {
  const chord = readChord(text, isOnMac());
  if (chord !== null) return chord;
  throw new CompanionError(
    'TOOL_ARGUMENTS',
    `"key": "${text.slice(0, 40)}" is no key. Expected a character, or Enter, Tab, Escape, Backspace, Delete, Home, End, PageUp, PageDown, ArrowUp, F1 …, with Control+, Shift+, Alt+ or Meta+ before it; text goes to browser_type.`,
  );
};

/** A key as it was named, and by its name where it was given as what it writes. */
const keyWords = (given: string, { key }: Chord): string => (given.trim() !== '' ? given : key === ' ' ? 'Space' : key);

const wordsFor = (key: string, way: KeyPress, isHeard: boolean): string => {
  if (!isHeard) return `The page did not get ${key}: nothing was pressed.`;
  if (way === 'real') return `Pressed ${key}.`;
  const why = way === 'clipboard' ? "the user's clipboard is not touched" : 'a real key could go to another site here';
  return `Pressed ${key} by events of the page only, for ${why}.`;
};

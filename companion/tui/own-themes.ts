/**
 * Colours of the person's own: each file in a folder beside the settings is a theme, `{ "base": "dark", "accent": "bold #6fd3d9", "selected": "reverse" }`.
 * What it does not name is as in its base.
 */
import * as z from 'zod';
import { palettes, rgb, themeNames, type Palette } from './palettes.ts';
import { isStyleName, type StyleName } from './paint.ts';
import { t } from './say.ts';

const ThemeFile = z.record(z.string(), z.string());

/** A theme, or why it is none. */
export type ReadTheme = { readonly palette: Palette } | { readonly problem: string };

export const readTheme = (text: string): ReadTheme => {
  const parsed = ThemeFile.safeParse(parse(text));
  if (!parsed.success) return { problem: t('it is not an object of styles, each with a text') };
  const { base: given = 'terminal', ...styles } = parsed.data;
  const base = themeNames.find((name) => name === given);
  if (base === undefined) return { problem: t('its base "{base}" is none of {names}', { base: given, names: themeNames.join(', ') }) };
  const own: [StyleName, string][] = [];
  for (const [style, words] of Object.entries(styles)) {
    if (!isStyleName(style)) return { problem: t('there is no style "{style}"', { style }) };
    const codes = toStyleCodes(words);
    if (codes === null) return { problem: t('"{words}" of {style} is neither a colour nor a way of writing', { words, style }) };
    own.push([style, codes]);
  }
  return { palette: { ...palettes[base], ...Object.fromEntries(own) } };
};

const WAYS: ReadonlyMap<string, string> = new Map([
  ['plain', ''],
  ['bold', '1'],
  ['dim', '2'],
  ['italic', '3'],
  ['underline', '4'],
  ['reverse', '7'],
]);
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** `bold #6fd3d9 on black` as SGR codes; null where a word means nothing. */
const toStyleCodes = (words: string): string | null => {
  const codes: string[] = [];
  let isGround = false;
  for (const word of words.split(/\s+/u).filter((one) => one !== '')) {
    if (word === 'on' && !isGround) {
      isGround = true;
      continue;
    }
    const code = isGround ? colourCode(word, true) : (WAYS.get(word) ?? colourCode(word, false));
    if (code === null) return null;
    if (code !== '') codes.push(code);
    isGround = false;
  }
  return isGround ? null : codes.join(';');
};

const colourCode = (word: string, isGround: boolean): string | null => {
  if (/^#[0-9a-f]{6}$/iu.test(word)) return isGround ? rgb(word.slice(1)).replace(/^38/u, '48') : rgb(word.slice(1));
  const isBright = word.startsWith('bright-');
  const index = COLOURS.indexOf(isBright ? word.slice('bright-'.length) : word);
  return index < 0 ? null : String((isBright ? 90 : 30) + (isGround ? 10 : 0) + index);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

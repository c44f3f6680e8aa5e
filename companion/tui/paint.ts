/**
 * Marks in a line of text that say how it looks. They are Unicode noncharacters, which no foreign text brings along:
 * `plainText` removes them. Views set them, screen.ts turns them into the terminal's own codes.
 */

const styleNames = [
  'title',
  'dim',
  'accent',
  'ok',
  'warning',
  'error',
  'user',
  'added',
  'removed',
  'selected',
  'danger',
  'strong',
  'border',
  'emphasis',
  'link',
  'keyword',
  'string',
  'number',
  'name',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
] as const;
export type StyleName = (typeof styleNames)[number];

export const isStyleName = (name: string): name is StyleName => styleNames.some((one) => one === name);

const FIRST = 0xfdd0;
const END = '\ufdef';

/** The text in a style. Styles may be nested. */
export const paint = (style: StyleName, text: string): string =>
  text === '' ? '' : String.fromCharCode(FIRST + styleNames.indexOf(style)) + text + END;

/** The text without its marks. */
export const unpaint = (text: string): string => text.replaceAll(/[\ufdd0-\ufdef]/gu, '');

export type Piece = { type: 'text'; text: string } | { type: 'style'; style: StyleName } | { type: 'end' };

/** Splits the text at its marks, for code that must know what stands between them. */
export const pieces = (text: string): Piece[] =>
  text
    .split(/([\ufdd0-\ufdef])/u)
    .filter((part) => part !== '')
    .map((part) => {
      const unit = part.charCodeAt(0);
      if (unit < FIRST || unit > 0xfdef) return { type: 'text', text: part };
      const style = styleNames[unit - FIRST];
      return style === undefined ? { type: 'end' } : { type: 'style', style };
    });

/** Formulas in the Markdown of agents: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` on a line of their own. */
import type { MarkedExtension, Tokens } from 'marked';

/** A formula; `text` is TeX. `mathsBlock` stands where a paragraph would, `maths` within one. */
export interface Maths extends Tokens.Generic {
  readonly type: 'maths' | 'mathsBlock';
  readonly raw: string;
  readonly text: string;
  /** It is drawn large, on a line of its own. */
  readonly isDisplayed: boolean;
}

const DISPLAYED = String.raw`\$\$((?:(?!\$\$)[^])+)\$\$|\\\[((?:(?!\\\])[^])+)\\\]`;
/** An amount of money or a variable of a shell is no formula: the signs stand close to a formula on both sides, and no digit or name follows the last. */
const WITHIN = String.raw`\$(?=[^\s$])((?:\\.|[^$\\\n])*?(?:\\[^\s]|[^\s\\$]))\$(?![\w{])|\\\(((?:(?!\\\))[^\n])+)\\\)`;

const INLINE = new RegExp(`^(?:${DISPLAYED}|${WITHIN})`);
const BLOCK = new RegExp(`^ {0,3}(?:${DISPLAYED})[ \\t]*(?:\\n|$)`);

/** No real formula is longer, and for the end of one no more is looked through. */
const MAX_UNITS = 5_000;
const ENDS: ReadonlyMap<string, string> = new Map([
  ['$$', '$$'],
  [String.raw`\[`, String.raw`\]`],
  [String.raw`\(`, String.raw`\)`],
]);

const read = (type: Maths['type'], pattern: RegExp, source: string): Maths | undefined => {
  const near = source.slice(0, MAX_UNITS);
  const begin = near.trimStart();
  const end = ENDS.get(begin.slice(0, 2));
  // A pattern that finds no end is slow to say so, and it is asked at every sign that may begin a formula.
  if (end !== undefined && !begin.includes(end, 2)) return undefined;
  const found = pattern.exec(near);
  if (found === null) return undefined;
  const [raw, dollars, brackets, dollar, parenthesis] = found;
  const text = (dollars ?? brackets ?? dollar ?? parenthesis ?? '').trim();
  return text === '' ? undefined : { type, raw, text, isDisplayed: (dollars ?? brackets) !== undefined };
};

/** What marked needs to find formulas; what they look like is told where they are drawn. */
export const mathsReader: MarkedExtension = {
  extensions: [
    { name: 'mathsBlock', level: 'block', tokenizer: (source) => read('mathsBlock', BLOCK, source) },
    {
      name: 'maths',
      level: 'inline',
      start: (source) => /\$|\\[[(]/.exec(source)?.index,
      tokenizer: (source) => read('maths', INLINE, source),
    },
  ],
};

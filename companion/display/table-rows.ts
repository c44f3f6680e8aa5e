/** Tables whose cells have a bar within code. GitHub wants it escaped; agents often forget that, and the rest of the row would be lost. */
import { Tokenizer, type Tokens } from 'marked';

const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
const CODE = /(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g;

/** Nobody writes a longer row. */
const MAX_ROW_UNITS = 5_000;

export class TableTokenizer extends Tokenizer {
  override table(source: string): Tokens.Table | undefined {
    const [, delimiters = ''] = source.slice(0, 2 * MAX_ROW_UNITS).split('\n', 2);
    if (!delimiters.includes('-') || !DELIMITERS.test(delimiters)) return super.table(source);
    const end = source.search(/\n[ \t]*(?:\n|$)/);
    const lines = (end === -1 ? source : source.slice(0, end + 1)).split('\n');
    const count = cellCount(delimiters);
    const mended = lines.map((line) => toRow(line, count));
    if (mended.every((line, index) => line === lines[index])) return super.table(source);
    const table = super.table(mended.join('\n'));
    if (table === undefined) return undefined;
    const taken = table.raw.split('\n').length - 1;
    // Of the last line it takes all or, where it ends with a line feed, nothing.
    return { ...table, raw: [...lines.slice(0, taken), table.raw.endsWith('\n') ? '' : (lines[taken] ?? '')].join('\n') };
  }
}

/** The row with the bars in its code escaped, if that gives it the number of cells it should have. */
const toRow = (line: string, count: number): string => {
  if (!line.includes('`') || line.length > MAX_ROW_UNITS || cellCount(line) === count) return line;
  const escaped = line.replaceAll(CODE, (code) => code.replaceAll(/(?<!\\)\|/g, String.raw`\|`));
  return cellCount(escaped) === count ? escaped : line;
};

const cellCount = (line: string): number => {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).length;
};

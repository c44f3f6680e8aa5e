/** A table: columns as wide as they need to be, or as there is room; too many for the screen become a list of rows. */
import type { Tokens } from '#display/blocks.ts';
import { paint } from '../paint.ts';
import { width } from '../text.ts';
import { inlineRuns, layRuns, type Run } from './inline.ts';

const GAP = ' │ ';
const MIN_COLUMN = 6;

/** The table as lines of at most `columns`. */
export const tableLines = ({ header, rows, align }: Tokens.Table, columns: number): string[] => {
  const heads = header.map(({ tokens }) => inlineRuns(tokens, ['strong']));
  const cells = rows.map((row) => row.map(({ tokens }) => inlineRuns(tokens, [])));
  const room = columns - GAP.length * (heads.length - 1);
  if (room < heads.length * MIN_COLUMN) return recordLines(heads, cells, columns);
  const widths = shareOut(
    heads.map((head, index) => Math.max(1, ...[head, ...cells.map((row) => row[index] ?? [])].map(widest))),
    room,
  );
  const rule = paint('dim', widths.map((size) => '─'.repeat(size)).join('─┼─'));
  return [...rowLines(heads, widths, align), rule, ...cells.flatMap((row) => rowLines(row, widths, align))];
};

const widest = (runs: readonly Run[]): number =>
  Math.max(
    0,
    ...runs
      .map(({ text }) => text)
      .join('')
      .split('\n')
      .map(width),
  );

/** What is wider than its share gives way until all fit. */
const shareOut = (wishes: readonly number[], room: number): number[] => {
  let open = wishes.map((wish, index) => ({ wish, index })).toSorted((one, other) => one.wish - other.wish);
  const widths = [...wishes];
  let left = room;
  while (open.length > 0) {
    const [smallest] = open;
    if (smallest === undefined) break;
    const size = Math.min(smallest.wish, Math.floor(left / open.length));
    widths[smallest.index] = size;
    left -= size;
    open = open.slice(1);
  }
  return widths;
};

const rowLines = (cells: readonly (readonly Run[])[], widths: readonly number[], align: Tokens.Table['align']): string[] => {
  const laid = widths.map((size, index) => layRuns(cells[index] ?? [], size));
  const height = Math.max(1, ...laid.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    laid
      .map((lines, index) => place(lines[line] ?? '', widths[index] ?? 0, align[index] ?? null))
      .join(paint('dim', GAP))
      .trimEnd(),
  );
};

const place = (text: string, size: number, align: 'center' | 'left' | 'right' | null): string => {
  const free = Math.max(0, size - width(text));
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(free - before);
};

/** Each row as lines of `head: cell`. */
const recordLines = (heads: readonly (readonly Run[])[], rows: readonly (readonly (readonly Run[])[])[], columns: number): string[] =>
  rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...row.flatMap((cell, column) => layRuns([...(heads[column] ?? []), { text: ': ', styles: [] }, ...cell], columns)),
  ]);

/** Markdown of an agent on a terminal: blocks keep their shape and lose their signs. */
import { BlockReader, type Block, type Tokens } from '#display/blocks.ts';
import type { Footnote } from '#display/footnotes.ts';
import type { Maths } from '#display/maths.ts';
import { paint } from '../paint.ts';
import { unwrapEntities, wrap } from '../text.ts';
import { codeLines } from './code.ts';
import { footnoteSign, inlineRuns, layRuns } from './inline.ts';
import { tableLines } from './table.ts';

/** Longer lines of prose are hard to read. */
const MAX_PROSE_COLUMNS = 100;

/** Quotes and lists within each other: what is deeper is drawn without its shape. */
const MAX_DEPTH = 8;

/** More than this in one message is laid out as it was written. */
const MAX_UNITS = 400_000;

/** Cleaned Markdown as painted lines of at most `columns`. */
export const renderMarkdown = (text: string, columns: number): string[] => {
  if (text.length > MAX_UNITS) return wrap(text, columns);
  return renderBlocks(new BlockReader().read(text, true).blocks, columns);
};

/** Blocks as lines. The last one of a text that grows is not coloured yet: it is drawn again and again. */
export const renderBlocks = (blocks: readonly Block[], columns: number, isGrowing = false): string[] => {
  const lines: string[] = [];
  blocks.forEach((block, index) => {
    const before = blocks[index - 1];
    if (before !== undefined && !isFollowedClosely(before)) lines.push('');
    const isOpen = isGrowing && index === blocks.length - 1;
    // One by one: a long block has more lines than a call can have arguments.
    for (const line of isOpen ? blockLines(block, columns, 0, true) : keptLines(block, columns)) lines.push(line);
  });
  return lines;
};

const kept = new WeakMap<Block, { columns: number; lines: readonly string[] }>();

const keptLines = (block: Block, columns: number): readonly string[] => {
  const known = kept.get(block);
  if (known?.columns === columns) return known.lines;
  const lines = blockLines(block, columns, 0, false);
  kept.set(block, { columns, lines });
  return lines;
};

/** No empty line was written behind it. */
const isFollowedClosely = ({ raw }: Block): boolean => /[^\n]\n$/.test(raw);

/** The blocks that have a shape of their own. */
interface Shapes {
  readonly heading: Tokens.Heading;
  readonly hr: Tokens.Hr;
  readonly code: Tokens.Code;
  readonly table: Tokens.Table;
  readonly blockquote: Tokens.Blockquote;
  readonly list: Tokens.List;
  readonly mathsBlock: Maths;
  readonly footnote: Footnote;
}

const is = <T extends keyof Shapes>(block: Block, type: T): block is Shapes[T] => block.type === type;

const blockLines = (block: Block, columns: number, depth: number, isOpen: boolean): string[] => {
  const prose = Math.min(columns, MAX_PROSE_COLUMNS);
  if (is(block, 'heading')) return layRuns(inlineRuns(block.tokens, ['strong']), prose);
  if (is(block, 'hr')) return [paint('dim', '─'.repeat(Math.min(columns, 40)))];
  if (is(block, 'code')) return codeLines(block, columns, isOpen);
  if (is(block, 'mathsBlock')) return codeLines({ text: block.text }, columns, true);
  if (is(block, 'table')) return tableLines(block, columns);
  if (is(block, 'blockquote') && depth < MAX_DEPTH) {
    return nestedLines(block.tokens, columns - 2, depth, isOpen).map((line) => `${paint('dim', '│')} ${line}`);
  }
  if (is(block, 'footnote')) {
    const note = inlineRuns(block.tokens ?? [], ['dim']);
    return layRuns([{ text: `${footnoteSign(block)} `, styles: ['dim'] }, ...note], prose);
  }
  if (is(block, 'list') && depth < MAX_DEPTH) return listLines(block, columns, depth, isOpen);
  if ('tokens' in block && block.tokens !== undefined) return layRuns(inlineRuns(block.tokens, []), prose);
  return wrap(unwrapEntities(block.raw.trimEnd()), prose);
};

const nestedLines = (blocks: readonly Block[], columns: number, depth: number, isOpen: boolean): string[] =>
  blocks
    .filter(({ type }) => type !== 'def')
    .flatMap((block) => (block.type === 'space' ? [''] : blockLines(block, Math.max(2, columns), depth + 1, isOpen)));

const listLines = ({ items, ordered, start, loose }: Tokens.List, columns: number, depth: number, isOpen: boolean): string[] =>
  items.flatMap((item, index) => {
    const number = typeof start === 'number' ? start + index : index + 1;
    const box = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : '';
    const lead = `${ordered ? `${number}.` : '•'} ${box}`;
    const content = item.tokens.filter(({ type }) => type !== 'checkbox');
    const [first = '', ...rest] = nestedLines(content, columns - lead.length, depth, isOpen);
    const gap = loose && index < items.length - 1 ? [''] : [];
    return [lead + first, ...rest.map((line) => (line === '' ? '' : ' '.repeat(lead.length) + line)), ...gap];
  });

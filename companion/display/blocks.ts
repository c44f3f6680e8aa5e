/** Markdown cut into top-level blocks, so that a stream redraws its last block and not the whole answer. */
import { Lexer, Marked, type MarkedExtension, type Token, type TokensList } from 'marked';
import { unfoldedDetails } from './details.ts';
import { wideStrong } from './emphasis.ts';
import { footnotesOf, footnotesReader } from './footnotes.ts';
import { mathsReader } from './maths.ts';
import { TableTokenizer } from './table-rows.ts';

export type Block = Token;
export type { Token, Tokens } from 'marked';

/** How every front end reads the Markdown of agents: as GitHub does, and a line break is one. */
export const markdownOptions: MarkedExtension = {
  gfm: true,
  breaks: true,
  extensions: [...(mathsReader.extensions ?? []), ...(footnotesReader.extensions ?? []), wideStrong, ...unfoldedDetails],
};

const { defaults } = new Marked(markdownOptions);

/** Nobody writes emphasis, a link or an address over more. */
const MAX_INLINE_UNITS = 2_000;

/** Nobody nests quotes and lists deeper. */
const MAX_DEPTH = 16;

/** Each level of nesting reads its text once more, and a quote that goes on without its sign once again: for the whole no more is read than so many times its length. */
const MAX_READINGS = 32;

/**
 * What an agent writes costs what it is long. For some texts the time of marked grows with the square of a paragraph's length, so a
 * long one is read in pieces; and with the power of the depth to which quotes and lists are nested, so what is too deep is text.
 */
class BoundedLexer extends Lexer {
  /** The labels of the notes in the text. */
  readonly footnotes: readonly string[];
  #depth = 0;
  #unitsLeft = 0;

  constructor(text: string) {
    super({ ...defaults, tokenizer: new TableTokenizer() });
    this.footnotes = footnotesOf(text);
  }

  override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], isClipped = false): Token[] {
    if (this.#depth === 0) this.#unitsLeft = MAX_READINGS * source.length;
    if (this.#depth > MAX_DEPTH || source.length > this.#unitsLeft) {
      tokens.push({ type: 'text', raw: source, text: source, tokens: this.inline(source) });
      return tokens;
    }
    this.#unitsLeft -= source.length;
    this.#depth += 1;
    try {
      return super.blockTokens(source, tokens, isClipped);
    } finally {
      this.#depth -= 1;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    let rest = source;
    while (rest.length > MAX_INLINE_UNITS) {
      const gap = Math.max(rest.lastIndexOf('\n', MAX_INLINE_UNITS), rest.lastIndexOf(' ', MAX_INLINE_UNITS));
      const end = gap > 0 ? gap : MAX_INLINE_UNITS;
      super.inlineTokens(rest.slice(0, end), tokens);
      rest = rest.slice(end);
    }
    return super.inlineTokens(rest, tokens);
  }
}

export interface Blocks {
  readonly blocks: readonly Block[];
  /** Changes when blocks with the same text have to be drawn again, because definitions of links or notes came later. */
  readonly revision: number;
}

/** A longer block is split between two lines, so that adding to it does not cost its whole length each time. */
const MAX_OPEN_UNITS = 8_192;

/** Cuts a text that grows. Appending costs what was appended and the last blocks, not the whole text. */
export class BlockReader {
  #known = '';
  /** Blocks that later text cannot change, and where in the text they end. */
  #settled: readonly Block[] = [];
  #settledUnits = 0;
  /** The line that opened the fence of a long block that was split. */
  #fence = '';

  /** The blocks of the text so far, or of all of it. */
  read(raw: string, isComplete: boolean): Blocks {
    const text = readable(raw);
    if (isComplete) {
      const { blocks, hasLinks } = lex(text);
      return { blocks: blocks.filter(isDrawn), revision: hasLinks ? 1 : 0 };
    }
    if (!text.startsWith(this.#known)) {
      this.#settled = [];
      this.#settledUnits = 0;
      this.#fence = '';
    }
    this.#known = text;
    if (text.length - this.#settledUnits > MAX_OPEN_UNITS) this.#cut(text);
    const open = this.#lex(text.slice(this.#settledUnits));
    const count = settledCount(open);
    if (count > 0) this.#settle(open.slice(0, count), '');
    return { blocks: [...this.#settled, ...open.slice(count).filter(isDrawn)], revision: 0 };
  }

  #cut(text: string): void {
    const tail = text.slice(this.#settledUnits);
    const last = this.#lex(tail).at(-1);
    // A table cannot be split.
    if (last === undefined || last.type === 'table') return;
    const end = openFence(last) === '' ? lastOuterLine(tail) : tail.lastIndexOf('\n') + 1;
    if (end === 0) return;
    const blocks = this.#lex(tail.slice(0, end));
    this.#settle(blocks, openFence(blocks.at(-1)));
  }

  #lex(text: string): Block[] {
    return lex(this.#fence + text).blocks;
  }

  #settle(blocks: readonly Block[], fence: string): void {
    this.#settledUnits += blocks.reduce((sum, block) => sum + block.raw.length, -this.#fence.length);
    this.#settled = [...this.#settled, ...blocks.filter(isDrawn)];
    this.#fence = fence;
  }
}

/** With line feeds alone, and without the signs that have a text read backwards: with them a name says what it is not. */
const readable = (raw: string): string => raw.replaceAll(/\r\n?/g, '\n').replaceAll(/[\u202d\u202e]/g, '');

/** Where the last line begins that is not indented, and so is not inside a list; 0 when there is none. */
const lastOuterLine = (text: string): number => {
  let end = text.lastIndexOf('\n') + 1;
  while (end > 0 && !/\S/.test(text[end] ?? '')) end = end < 2 ? 0 : text.lastIndexOf('\n', end - 2) + 1;
  return end;
};

/** A text whose emphasis or links are nested deeper than the stack becomes one block of plain text. */
const lex = (text: string): { blocks: Block[]; hasLinks: boolean } => {
  try {
    const lexer = new BoundedLexer(text);
    const tokens = lexer.lex(text);
    return { blocks: tokens, hasLinks: Object.keys(tokens.links).length + lexer.footnotes.length > 0 };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { blocks: [{ type: 'text', raw: text, text }], hasLinks: false };
  }
};

/** The first line of a code block that is not closed yet; empty for every other block. */
const openFence = (block: Block | undefined): string => {
  if (block?.type !== 'code') return '';
  const [line = '', sign = ''] = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n/.exec(block.raw) ?? [];
  const isClosed = new RegExp(`\\n {0,3}${sign}[\`~]*\\s*$`).test(block.raw);
  return sign === '' || isClosed ? '' : line;
};

/** All but the last two blocks that are drawn, and the space after them. */
const settledCount = (blocks: readonly Block[]): number => {
  let open = 2;
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const block = blocks[index];
    if (block !== undefined && isDrawn(block)) open -= 1;
    if (open === 0) return index;
  }
  return 0;
};

const isDrawn = (block: Block): boolean => block.type !== 'space' && block.type !== 'def';

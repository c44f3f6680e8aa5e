/** Markdown cut into top-level blocks, so that a stream redraws its last block and not the whole answer. */
import { Marked, type MarkedExtension, type Token } from 'marked';
import { toHighlighted } from './highlight.ts';
import { escapeHtml } from './text.ts';

export type Block = Token;

/** A growing code block is coloured anew at each frame: past this it waits until it is whole. */
const MAX_OPEN_CODE_UNITS = 4_000;

/** Inline tags that agents write on purpose; any other tag is shown as the text it is. */
const PLAIN_TAG = /(<\/?(?:br|kbd|sub|sup|b|i|u|s|em|strong|mark|small)\s*\/?>)/gi;

/** Code is left plain in `html` when it still grows and is long. */
const rendering = (isOpen: boolean): MarkedExtension => ({
  gfm: true,
  breaks: true,
  renderer: {
    code({ text, lang }) {
      const language = /^[\w+#.-]+/.exec(lang ?? '')?.[0] ?? '';
      const code = toHighlighted(text, language, isOpen ? MAX_OPEN_CODE_UNITS : undefined);
      return `<pre><code class="hljs language-${escapeHtml(language)}">${code}\n</code></pre>`;
    },
    html({ text }) {
      return text
        .split(PLAIN_TAG)
        .map((part, index) => (index % 2 === 1 ? part : escapeHtml(part)))
        .join('');
    },
    // Loading an address is how a page's text would carry something out: an image is a link to it.
    image({ href, text }) {
      return `<a href="${escapeHtml(href)}">▣ ${escapeHtml(text === '' ? href : text)}</a>`;
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

const whole = new Marked(rendering(false));
const growing = new Marked(rendering(true));

/** Unsafe HTML of one block: it goes through `sanitize` before anything else. */
export const toHtml = (block: Block, isOpen: boolean): string => (isOpen ? growing : whole).parser([block]);

export interface Blocks {
  readonly blocks: readonly Block[];
  /** Changes when blocks with the same text have to be drawn anew: link definitions came at the end. */
  readonly revision: number;
}

/** Cuts a text that grows. Appending costs what was appended and the last blocks, not the whole text. */
export const createBlockReader = (): ((text: string, isComplete: boolean) => Blocks) => {
  let known = '';
  let blocks: Block[] = [];
  return (raw, isComplete) => {
    const text = raw.replace(/\r\n?/g, '\n');
    if (isComplete || !text.startsWith(known)) {
      const tokens = whole.lexer(text);
      known = text;
      blocks = [...tokens];
      return { blocks: blocks.filter(isDrawn), revision: isComplete && Object.keys(tokens.links).length > 0 ? 1 : 0 };
    }
    const stable = stableCount(blocks);
    const offset = blocks.slice(0, stable).reduce((sum, block) => sum + block.raw.length, 0);
    blocks = [...blocks.slice(0, stable), ...whole.lexer(text.slice(offset))];
    known = text;
    return { blocks: blocks.filter(isDrawn), revision: 0 };
  };
};

/** Blocks that what comes next cannot change: all but the last two that are drawn, and the space after them. */
const stableCount = (blocks: readonly Block[]): number => {
  let open = 2;
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const block = blocks[index];
    if (block !== undefined && isDrawn(block)) open -= 1;
    if (open === 0) return index;
  }
  return 0;
};

const isDrawn = (block: Block): boolean => block.type !== 'space' && block.type !== 'def';

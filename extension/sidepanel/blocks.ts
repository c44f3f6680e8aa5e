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
  /** Blocks that what comes next cannot change, and where in the text they end. */
  let settled: readonly Block[] = [];
  let settledUnits = 0;
  return (raw, isComplete) => {
    const text = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
    if (isComplete) {
      const tokens = whole.lexer(text);
      return { blocks: tokens.filter(isDrawn), revision: Object.keys(tokens.links).length > 0 ? 1 : 0 };
    }
    if (!text.startsWith(known)) {
      settled = [];
      settledUnits = 0;
    }
    known = text;
    const open = whole.lexer(text.slice(settledUnits));
    const closed = open.slice(0, settledCount(open));
    settledUnits += closed.reduce((sum, block) => sum + block.raw.length, 0);
    settled = closed.length === 0 ? settled : [...settled, ...closed.filter(isDrawn)];
    return { blocks: [...settled, ...open.slice(closed.length).filter(isDrawn)], revision: 0 };
  };
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

/** Blocks of Markdown as HTML. */
import { Marked, type MarkedExtension, type Tokens } from 'marked';
import { markdownOptions, type Block } from '#display/blocks.ts';
import { fenceLanguage, toHighlighted } from '#display/highlight.ts';
import { escapeHtml } from './text.ts';

/** A growing code block is highlighted again for each frame; a longer one waits until it is complete. */
const MAX_OPEN_CODE_UNITS = 4_000;

/** Inline tags that agents write on purpose; any other tag is shown as text. */
const PLAIN_TAG = /(<\/?(?:br|kbd|sub|sup|b|i|u|s|em|strong|mark|small)\s*\/?>)/gi;

/** Code is left plain in `html` when it still grows and is long. */
const rendering = (isOpen: boolean): MarkedExtension => ({
  ...markdownOptions,
  renderer: {
    code({ text, lang }) {
      const language = fenceLanguage(lang);
      const code = toHighlighted(text, language, isOpen ? MAX_OPEN_CODE_UNITS : undefined) ?? escapeHtml(text);
      return `<pre><code class="hljs language-${escapeHtml(language)}">${code}\n</code></pre>`;
    },
    html({ text }) {
      return text
        .split(PLAIN_TAG)
        .map((part, index) => (index % 2 === 1 ? part : escapeHtml(part)))
        .join('');
    },
    // A page's text could send data out by making the panel load an address, so an image becomes a link to it.
    image({ href, text }) {
      return `<a href="${escapeHtml(href)}">▣ ${escapeHtml(text === '' ? href : text)}</a>`;
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

/** A formula is TeX in a code element until it is drawn: see maths.ts. */
const mathsSource = ({ text, isDisplayed }: Tokens.Generic): string =>
  `<code class="language-maths${isDisplayed === true ? '-displayed' : ''}">${escapeHtml(String(text))}</code>`;

const maths: MarkedExtension = {
  extensions: [
    { name: 'maths', renderer: mathsSource },
    { name: 'mathsBlock', renderer: (token) => `<p>${mathsSource(token)}</p>` },
  ],
};

const footnotes: MarkedExtension = {
  extensions: [
    { name: 'footnoteSign', renderer: ({ number }) => `<sup>${Number(number)}</sup>` },
    {
      name: 'footnote',
      renderer({ number, tokens }) {
        return `<p><small><sup>${Number(number)}</sup> ${this.parser.parseInline(tokens ?? [])}</small></p>`;
      },
    },
  ],
};

const whole = new Marked(rendering(false), maths, footnotes);
const growing = new Marked(rendering(true), maths, footnotes);

/** Unsafe HTML of one block: it goes through `sanitize` before anything else. */
export const toHtml = (block: Block, isOpen: boolean): string => (isOpen ? growing : whole).parser([block]);

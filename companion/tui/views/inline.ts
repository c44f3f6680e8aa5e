/** Words of Markdown as runs of text that look alike, and their way into lines. */
import type { Token } from '#display/blocks.ts';
import { paint, type StyleName } from '../paint.ts';
import { unwrapEntities, wrap } from '../text.ts';

/** A piece of text with its styles, the outermost first. */
export interface Run {
  readonly text: string;
  readonly styles: readonly StyleName[];
}

/** The inline parts of a block. */
export const inlineRuns = (tokens: readonly Token[], styles: readonly StyleName[]): Run[] =>
  tokens.flatMap((token) => runsOf(token, styles));

const runsOf = (token: Token, styles: readonly StyleName[]): Run[] => {
  const inner = (style: StyleName): Run[] => inlineRuns('tokens' in token ? (token.tokens ?? []) : [], [...styles, style]);
  switch (token.type) {
    case 'strong':
      return inner('strong');
    case 'em':
      return inner('emphasis');
    case 'del':
      return inner('dim');
    case 'codespan':
    case 'maths':
      return [{ text: textOf(token), styles: [...styles, 'accent'] }];
    case 'br':
      return [{ text: '\n', styles }];
    case 'link':
      return [...inner('link'), ...address(token, styles)];
    case 'image':
      return [{ text: `▣ ${textOf(token)}`, styles: [...styles, 'link'] }, ...address(token, styles)];
    case 'html':
      return [{ text: token.raw, styles }];
    case 'footnoteSign':
      return [{ text: footnoteSign(token), styles: [...styles, 'dim'] }];
    default:
      if ('tokens' in token && token.tokens !== undefined && token.tokens.length > 0) return inlineRuns(token.tokens, styles);
      return [{ text: unwrapEntities(textOf(token)), styles }];
  }
};

const textOf = (token: Token): string => ('text' in token && typeof token.text === 'string' ? token.text : token.raw);

/** How a note is named, in the line and before the note. */
export const footnoteSign = (token: Token): string => ('number' in token ? `[${String(token['number'])}]` : token.raw);

/** Where a link leads, unless its words say so. */
const address = (token: Token, styles: readonly StyleName[]): Run[] => {
  const href = 'href' in token && typeof token.href === 'string' ? token.href : '';
  const words = textOf(token);
  return href === '' || href === words || href === `mailto:${words}` || href === `http://${words}`
    ? []
    : [{ text: ` (${href})`, styles: [...styles, 'dim'] }];
};

/** Runs as painted lines of at most `columns`. */
export const layRuns = (runs: readonly Run[], columns: number): string[] => {
  const lines: string[] = [];
  let [run, offset] = [0, 0];
  const next = (): string => {
    while (run < runs.length && offset >= (runs[run]?.text.length ?? 0)) [run, offset] = [run + 1, 0];
    return runs[run]?.text[offset] ?? '';
  };
  for (const line of wrap(runs.map(({ text }) => text).join(''), columns)) {
    let painted = '';
    for (let at = 0; at < line.length;) {
      // Breaking a line leaves out spaces and line feeds, nothing else.
      while (next() !== line[at]) offset += 1;
      const { text = '', styles = [] } = runs[run] ?? {};
      let length = 0;
      while (at + length < line.length && offset + length < text.length && text[offset + length] === line[at + length]) length += 1;
      painted += styles.reduceRight((inner, style) => paint(style, inner), text.slice(offset, offset + length));
      at += length;
      offset += length;
    }
    lines.push(painted);
  }
  return lines;
};

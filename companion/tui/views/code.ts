/** A block of code: its language, and its lines in colours. */
import type { Tokens } from '#display/blocks.ts';
import { fenceLanguage, toHighlighted } from '#display/highlight.ts';
import { paint, type StyleName } from '../paint.ts';
import { width, wrap } from '../text.ts';
import { layRuns, type Run } from './inline.ts';

/** The code indented by two columns. What still grows has no colours. */
export const codeLines = ({ text, lang }: Pick<Tokens.Code, 'text' | 'lang'>, columns: number, isOpen: boolean): string[] => {
  const language = fenceLanguage(lang);
  const html = isOpen ? null : toHighlighted(text, language);
  const lines = html === null ? wrap(text, columns - 2).map((line) => paint('accent', line)) : layRuns(highlightedRuns(html), columns - 2);
  return [...(language === '' ? [] : [paint('dim', `  ${language}`)]), ...lines.map((line) => (width(line) === 0 ? '' : `  ${line}`))];
};

/** What a class of highlight.js looks like; the first of several counts. */
const looks: ReadonlyMap<string, StyleName> = new Map<string, StyleName>([
  ['keyword', 'keyword'],
  ['built_in', 'keyword'],
  ['literal', 'keyword'],
  ['type', 'keyword'],
  ['string', 'string'],
  ['regexp', 'string'],
  ['number', 'number'],
  ['comment', 'dim'],
  ['quote', 'dim'],
  ['meta', 'dim'],
  ['title', 'name'],
  ['attr', 'name'],
  ['attribute', 'name'],
  ['name', 'name'],
  ['section', 'name'],
  ['selector-class', 'name'],
  ['selector-id', 'name'],
  ['addition', 'added'],
  ['deletion', 'removed'],
]);

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#x27', "'"],
]);

/** The only HTML there is in it are spans with a class, and five entities. */
const highlightedRuns = (html: string): Run[] => {
  const runs: Run[] = [];
  const open: (StyleName | null)[] = [];
  for (const [, classes, text] of html.matchAll(/<span class="([^"]*)">|<\/span>|([^<]+)/g)) {
    if (classes !== undefined) open.push(looks.get(/^hljs-([\w-]+)/.exec(classes)?.[1] ?? '') ?? null);
    else if (text === undefined) open.pop();
    else {
      const style = open.findLast((known) => known !== null);
      runs.push({
        text: text.replaceAll(/&(#?\w+);/g, (whole, name: string) => entities.get(name) ?? whole),
        styles: style === undefined || style === null ? [] : [style],
      });
    }
  }
  return runs;
};

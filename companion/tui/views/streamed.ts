/** A message that is still being written: only what is new is laid out, so that a stream costs its length and not its square. */
import { clean } from '../text.ts';
import { renderMarkdown, type Rendered } from './markdown.ts';

interface Begun extends Rendered {
  readonly columns: number;
  /** The whole lines laid out so far, as they came. */
  readonly raw: string;
}

/** Messages laid out in part; several only where sessions are watched in turn. */
const begun = new Map<string, Begun>();
const MAX_BEGUN = 4;

/** The lines of the text so far. */
export const streamedLines = (itemId: string, text: string, columns: number): string[] => {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const known = begun.get(itemId);
  const start =
    known !== undefined && known.columns === columns && whole.startsWith(known.raw) ? known : { raw: '', lines: [], isInCode: false };
  const added = whole.slice(start.raw.length);
  const next = added === '' ? start : append(start, added, columns);
  remember(itemId, { ...next, raw: whole, columns });
  const rest = renderMarkdown(clean(text.slice(whole.length)), columns, next.isInCode).lines;
  return [...next.lines, ...(text.length > whole.length ? rest : [])];
};

/** `added` ends with a line feed, behind which nothing stands yet. */
const append = (start: Rendered, added: string, columns: number): Rendered => {
  const { lines, isInCode } = renderMarkdown(clean(added.slice(0, -1)), columns, start.isInCode);
  return { lines: [...start.lines, ...lines], isInCode };
};

const remember = (itemId: string, entry: Begun): void => {
  begun.delete(itemId);
  begun.set(itemId, entry);
  const [oldest] = begun.keys();
  if (begun.size > MAX_BEGUN && oldest !== undefined) begun.delete(oldest);
};

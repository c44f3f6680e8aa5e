/** Just enough markdown for a terminal: fences, headings, emphasis and code keep their shape and lose their signs. */
import { paint } from '../paint.ts';
import { wrap } from '../text.ts';

export interface Rendered {
  readonly lines: readonly string[];
  /** The text ends inside a fence. */
  readonly isInCode: boolean;
}

/** Cleaned markdown as painted lines of at most `columns`; `isInCode`: what came before left a fence open. */
export const renderMarkdown = (text: string, columns: number, isInCode = false): Rendered => {
  const lines: string[] = [];
  let isCode = isInCode;
  for (const line of text.split('\n')) {
    if (/^\s*(```|~~~)/u.test(line)) {
      isCode = !isCode;
      const language = line.replace(/^\s*(```|~~~)/u, '').trim();
      if (isCode && language !== '') lines.push(paint('dim', `  ${language}`));
      continue;
    }
    // One by one: a long line has more parts than a call can have arguments.
    for (const part of isCode ? codeLines(line, columns) : proseLines(line, columns)) lines.push(part);
  }
  return { lines, isInCode: isCode };
};

const codeLines = (line: string, columns: number): string[] => wrap(line, columns - 2).map((part) => `  ${paint('accent', part)}`);

const proseLines = (line: string, columns: number): string[] => {
  const heading = /^#{1,6}\s+(.*)$/u.exec(line);
  if (heading !== null) return wrap(heading[1] ?? '', columns).map((part) => paint('strong', part));
  if (/^\s*([-*_])(\s*\1){2,}\s*$/u.test(line)) return [paint('dim', '─'.repeat(Math.min(columns, 40)))];
  const item = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/u.exec(line);
  if (item === null) return wrap(line, columns).map(inline);
  const [, indent = '', sign = '', content = ''] = item;
  const lead = `${indent}${/\d/u.test(sign) ? sign : '•'} `;
  return wrap(content, Math.max(10, columns - lead.length)).map(
    (part, index) => (index === 0 ? lead : ' '.repeat(lead.length)) + inline(part),
  );
};

/** Emphasis that opens and closes on one line; what does not stays as it was written. */
const inline = (line: string): string =>
  line
    .replaceAll(/`([^`]+)`/gu, (_, code: string) => paint('accent', code))
    .replaceAll(/\*\*([^*]+)\*\*/gu, (_, words: string) => paint('strong', words));

/** The end of what a command printed, in the colours in which it was printed. */
import { toColouredSpans } from '#display/terminal-colours.ts';
import { paint, type StyleName } from '../paint.ts';
import { t } from '../say.ts';
import { clean, fit } from '../text.ts';
import { layRuns, type Run } from './inline.ts';

/** Lines of a running tool's output that are shown without expanding. */
const TAIL_LINES = 4;

/** Most lines of one output, expanded; the rest is in the log and in exports. */
const MAX_OUTPUT_LINES = 400;
const MAX_OUTPUT_UNITS = 100_000;

/** Only the end is cleaned: a command may print megabytes while one watches. */
export const outputLines = (output: string, columns: number, isExpanded: boolean): string[] => {
  const shown = linesOf(output.slice(-MAX_OUTPUT_UNITS).trimEnd()).slice(-(isExpanded ? MAX_OUTPUT_LINES : TAIL_LINES));
  // Some lines may be drawn anew in place: they count as one.
  const hidden = countLines(output.trimEnd()) - shown.length;
  return [
    ...(hidden > 0 ? [paint('dim', `  ${t('… {count} earlier lines', { count: hidden })}`)] : []),
    ...shown
      .flatMap((runs) => (isExpanded ? layRuns(runs, columns - 2) : [fit(runs.map(painted).join(''), columns - 2)]))
      .map((line) => `  ${line}`),
  ];
};

const linesOf = (output: string): Run[][] => {
  const lines: Run[][] = [[]];
  for (const span of toColouredSpans(output)) {
    for (const [index, text] of clean(span.text).split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ text, styles: stylesOf(span) });
    }
  }
  const last = lines.findLastIndex((line) => line.some(({ text }) => text.trim() !== ''));
  return lines.slice(0, last + 1);
};

const stylesOf = ({ hue, isBold, isItalic, isUnderlined }: ReturnType<typeof toColouredSpans>[number]): StyleName[] => [
  'dim',
  ...(hue === 'plain' || hue === 'grey' ? [] : [hue]),
  ...(isBold ? (['strong'] as const) : []),
  ...(isItalic ? (['emphasis'] as const) : []),
  ...(isUnderlined ? (['link'] as const) : []),
];

const painted = ({ text, styles }: Run): string => styles.reduceRight((inner, style) => paint(style, inner), text);

const countLines = (text: string): number => {
  let count = 1;
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) count += 1;
  return count;
};

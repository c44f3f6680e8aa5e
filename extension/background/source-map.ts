/** Where a place in a script that a build has made stands in the file it was made from, as the script's source map tells: https://tc39.es/ecma426/ */
import * as z from 'zod';

/** Lines and columns are counted from one, as people and editors do. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const Plain = z.object({ sources: z.array(z.string().nullable()), sourceRoot: z.string().nullish(), mappings: z.string() });
type Plain = z.infer<typeof Plain>;

/** Several scripts in one file have a map each, with the place in the file from which on it holds, counted from zero. */
const Sections = z.object({ sections: z.array(z.object({ offset: z.object({ line: z.number(), column: z.number() }), map: Plain })) });

const SourceMap = z.union([Sections, Plain]);

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Null where the map, whose address is `url`, does not tell. */
export const originalPlace = (url: string, map: string, { line, column }: Omit<Place, 'file'>): Place | null => {
  const parsed = SourceMap.safeParse(parseJson(map));
  if (!parsed.success) return null;
  if (!('sections' in parsed.data)) return lookUp(url, parsed.data, line - 1, column - 1);
  const section = parsed.data.sections.findLast(
    ({ offset }) => offset.line < line - 1 || (offset.line === line - 1 && offset.column < column),
  );
  if (section === undefined) return null;
  const { offset, map: own } = section;
  return lookUp(url, own, line - 1 - offset.line, column - 1 - (offset.line === line - 1 ? offset.column : 0));
};

/** A map of what is no JSON tells nothing. */
const parseJson = (text: string): unknown => {
  try {
    // Some servers put a line before it, so that it is no script.
    return JSON.parse(text.replace(/^\)\]\}'.*\n/, ''));
  } catch {
    return null;
  }
};

/** All numbers but the column in the made line go on from the segment before, over all lines. */
const lookUp = (url: string, { sources, sourceRoot, mappings }: Plain, wantedLine: number, wantedColumn: number): Place | null => {
  let [source, line, column] = [0, 0, 0];
  let found: Place | null = null;
  for (const [madeLine, segments] of mappings.split(';').entries()) {
    if (madeLine > wantedLine) break;
    let madeColumn = 0;
    for (const segment of segments.split(',')) {
      const [columns = 0, ...rest] = numbersIn(segment);
      madeColumn += columns;
      const [sourceStep, lineStep = 0, columnStep = 0] = rest;
      if (sourceStep !== undefined) [source, line, column] = [source + sourceStep, line + lineStep, column + columnStep];
      if (madeLine !== wantedLine || madeColumn > wantedColumn || segment === '') continue;
      const name = sources[source];
      found =
        sourceStep === undefined || name === undefined || name === null
          ? null
          : { file: fileName(url, sourceRoot ?? '', name), line: line + 1, column: column + 1 };
    }
  }
  return found;
};

/** Numbers of any size in base 64: five bits in each letter, the lowest first, and of the first letter the lowest bit is the sign. */
const numbersIn = (segment: string): number[] => {
  const numbers: number[] = [];
  let [value, factor] = [0, 1];
  for (const letter of segment) {
    const digit = DIGITS.indexOf(letter);
    value += (digit & 31) * factor;
    factor *= 32;
    if ((digit & 32) !== 0) continue;
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2);
    [value, factor] = [0, 1];
  }
  return numbers;
};

/** A name of webpack's begins with the project's, and an address is from the place of the map. */
const fileName = (url: string, root: string, name: string): string => {
  const whole = root === '' ? name : `${root.replace(/\/$/, '')}/${name}`;
  const ofWebpack = /^webpack:\/\/[^/]*\/(?:\.\/)?(.+)$/.exec(whole)?.[1];
  return ofWebpack ?? URL.parse(whole, url)?.href ?? whole;
};

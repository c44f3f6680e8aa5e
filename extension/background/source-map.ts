/** Where a place in a script that a build has made stands in the file it was made from, as the script's source map tells: https://tc39.es/ecma426/ */
import { FlattenMap, originalPositionFor } from '@jridgewell/trace-mapping';
import * as z from 'zod';

/** Lines and columns are counted from one, as people and editors do. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const Plain = z.object({
  version: z.literal(3),
  sources: z.array(z.string().nullable()),
  sourceRoot: z
    .string()
    .nullish()
    .transform((root) => root ?? ''),
  names: z.array(z.string()).default([]),
  mappings: z.string(),
});

/** Several scripts in one file have a map each, with the place in the file from which on it holds. */
const Sections = z.object({
  version: z.literal(3),
  sections: z.array(z.object({ offset: z.object({ line: z.number(), column: z.number() }), map: Plain })),
});

const SourceMap = z.union([Sections, Plain]);

/** Null where the map, whose address is `url`, does not tell. */
export const originalPlace = (url: string, map: string, { line, column }: Omit<Place, 'file'>): Place | null => {
  try {
    // Some servers put a line before it, so that it is no script.
    const parsed = SourceMap.parse(JSON.parse(map.replace(/^\)\]\}'.*\n/, '')));
    // The library counts columns from zero.
    const found = originalPositionFor(FlattenMap(parsed, url), { line, column: column - 1 });
    return found.source === null ? null : { file: fileName(found.source), line: found.line, column: found.column + 1 };
  } catch {
    return null;
  }
};

/** A name of webpack's begins with the project's, or with a layer in brackets, and ends with a mark. */
export const fileName = (source: string): string =>
  /^webpack(?:-internal)?:\/\/[^/]*\/(?:\([^)]*\)\/)?(?:\.\/)?(.+?)(?:\?\w*)?$/.exec(source)?.[1] ?? source;

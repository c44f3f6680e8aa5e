/** Finds lines of a snapshot and shows them with what is around them. Pure. */

const MAX_FOUND = 20;
const MAX_LINE = 400;

export interface Found {
  /** The lines with their surroundings, and a gap between two places. */
  readonly text: string;
  readonly count: number;
  readonly shown: number;
  /** A long line has more places than are shown. */
  readonly hasMorePlaces: boolean;
}

/** `match` says where in a line it is, or -1. Shown are also the line before and after, and the lines that contain it. */
export const findLines = (snapshot: string, match: (line: string) => number): Found => {
  const lines = snapshot.split('\n');
  const places = new Map(
    lines.flatMap((line, index) => {
      const found = placesIn(line, match);
      return found.length === 0 ? [] : [[index, found] as const];
    }),
  );
  const shown = [...places.keys()].slice(0, MAX_FOUND);
  const room = Math.max(1, Math.floor(MAX_FOUND / places.size));
  const wanted = new Set(shown.flatMap((index) => [...containing(lines, index), index - 1, index, index + 1]));
  const taken = [...wanted].filter((index) => index >= 0 && index < lines.length).toSorted((one, other) => one - other);
  const text = taken.map((index, at) => {
    const gap = at > 0 && (taken[at - 1] ?? 0) < index - 1 ? '…\n' : '';
    return (
      gap +
      (places.get(index) ?? [0])
        .slice(0, room)
        .map((place) => excerpt(lines[index] ?? '', place))
        .join('\n')
    );
  });
  const hasMorePlaces = [...places.values()].some(({ length }) => length > room);
  return { text: text.join('\n'), count: places.size, shown: shown.length, hasMorePlaces };
};

/** In a long line, as a file of data is one, so far from each other that each is shown for itself. */
const placesIn = (line: string, match: (line: string) => number): number[] => {
  const found: number[] = [];
  let from = 0;
  do {
    const at = match(from === 0 ? line : line.slice(from));
    if (at < 0) break;
    found.push(from + at);
    from += at + MAX_LINE / 2;
  } while (from < line.length - MAX_LINE / 2 && found.length <= MAX_FOUND);
  return found;
};

/** The lines that are less indented, outwards, and the heading above. */
const containing = (lines: readonly string[], index: number): number[] => {
  const found: number[] = [];
  let indent = indentOf(lines[index] ?? '');
  let hasHeading = false;
  for (let above = index - 1; above >= 0 && (indent > 0 || !hasHeading); above -= 1) {
    const line = lines[above] ?? '';
    const isHeading: boolean = !hasHeading && /^\s*#+ /.test(line) && indentOf(line) <= indent;
    if (!isHeading && indentOf(line) >= indent) continue;
    found.push(above);
    hasHeading ||= isHeading;
    indent = Math.min(indent, indentOf(line));
  }
  return found;
};

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** A long line around the place, with its beginning, where its ref is. */
const excerpt = (line: string, place: number): string => {
  if (line.length <= MAX_LINE) return line;
  const from = Math.max(0, place - MAX_LINE / 2);
  const end = from + MAX_LINE;
  return `${from === 0 ? '' : '… '}${line.slice(from, end)}${end < line.length ? ' …' : ''}`;
};

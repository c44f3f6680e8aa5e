/**
 * A long text in parts that are laid out when they are looked at, so that what is shown and how far one scrolls is what
 * it costs, and not how long the text is.
 */

export interface Parts {
  readonly count: number;
  /** The name of a part for as long as it is there, wherever it stands. */
  key(index: number): string;
  /** Where the part with this name stands now; -1 where it is gone. */
  find(key: string): number;
  lines(index: number): readonly string[];
}

/** A line of a text in parts. */
export interface Place {
  readonly key: string;
  readonly line: number;
}

export interface Window {
  readonly lines: readonly string[];
  /** Whether the end of the text is in it. */
  readonly isEnd: boolean;
}

interface Position {
  readonly index: number;
  readonly line: number;
}

/** Parts of one line or a few each, which keep their places. */
export const partsOf = (count: number, lines: (index: number) => readonly string[]): Parts => ({
  count,
  key: String,
  find: (key) => (Number(key) < count ? Number(key) : -1),
  lines,
});

/** The lines from `top` on; null, and a part that is gone, show the end. */
export const windowFrom = (parts: Parts, top: Place | null, height: number): Window => {
  const end = endTop(parts, height);
  const from = positionOf(parts, top) ?? end;
  const isEnd = !isBefore(from, end);
  const start = isEnd ? end : from;
  const lines: string[] = [];
  for (let index = start.index; index < parts.count && lines.length < height; index += 1) {
    lines.push(
      ...parts.lines(index).slice(index === start.index ? start.line : 0, height - lines.length + (index === start.index ? start.line : 0)),
    );
  }
  return { lines, isEnd };
};

/** The place `step` lines below `top`, or above it; null from where on the end is in sight. */
export const moved = (parts: Parts, top: Place | null, step: number, height: number): Place | null => {
  const end = endTop(parts, height);
  const from = positionOf(parts, top);
  const to = walk(parts, from === null || isBefore(end, from) ? end : from, step);
  return isBefore(to, end) ? placeOf(parts, to) : null;
};

/** The first line. */
export const startOf = (parts: Parts): Place => placeOf(parts, { index: 0, line: 0 });

/** The place from which on the end is in sight. */
export const endOf = (parts: Parts, height: number): Place => placeOf(parts, endTop(parts, height));

const placeOf = (parts: Parts, { index, line }: Position): Place => ({ key: parts.key(index), line });

const positionOf = (parts: Parts, place: Place | null): Position | null => {
  const index = place === null ? -1 : parts.find(place.key);
  if (place === null || index < 0) return null;
  // The part may have become shorter.
  return { index, line: Math.max(0, Math.min(place.line, parts.lines(index).length - 1)) };
};

const isBefore = (one: Position, other: Position): boolean =>
  one.index < other.index || (one.index === other.index && one.line < other.line);

/** The first line of the last `height` lines. */
const endTop = (parts: Parts, height: number): Position => {
  let left = height;
  for (let index = parts.count - 1; index >= 0; index -= 1) {
    const { length } = parts.lines(index);
    if (length >= left) return { index, line: length - left };
    left -= length;
  }
  return { index: 0, line: 0 };
};

const walk = (parts: Parts, from: Position, step: number): Position => {
  let { index, line } = from;
  line += step;
  while (line < 0 && index > 0) {
    index -= 1;
    line += parts.lines(index).length;
  }
  while (index < parts.count - 1 && line >= parts.lines(index).length) {
    line -= parts.lines(index).length;
    index += 1;
  }
  return { index, line: Math.max(0, line) };
};

import { describe, expect, test } from 'vitest';
import { moved, startOf, windowFrom, type Parts, type Place } from '#companion/tui/views/parts.ts';

/** Parts of three lines each, named like their content, and how many were laid out. */
const createParts = (names: readonly string[]): Parts & { laidOut: number } => {
  const parts = {
    laidOut: 0,
    count: names.length,
    key: (index: number) => names[index] ?? '',
    find: (key: string) => names.indexOf(key),
    lines: (index: number) => {
      parts.laidOut += 1;
      return [1, 2, 3].map((line) => `${names[index]}.${line}`);
    },
  };
  return parts;
};

const many = Array.from({ length: 10_000 }, (_, index) => `m${index}`);

describe('a long text in parts', () => {
  test('shows its end, and from any line on', () => {
    const parts = createParts(['a', 'b', 'c']);

    expect(windowFrom(parts, null, 4)).toEqual({ lines: ['b.3', 'c.1', 'c.2', 'c.3'], isEnd: true });
    expect(windowFrom(parts, { key: 'a', line: 1 }, 4)).toEqual({ lines: ['a.2', 'a.3', 'b.1', 'b.2'], isEnd: false });
    expect(windowFrom(parts, { key: 'c', line: 2 }, 4)).toEqual({ lines: ['b.3', 'c.1', 'c.2', 'c.3'], isEnd: true });
    expect(windowFrom(parts, null, 20).lines).toHaveLength(9);
  });

  test('keeps the place of the reader when parts come and go around it', () => {
    const place: Place = { key: 'b', line: 1 };

    expect(windowFrom(createParts(['b', 'c', 'd', 'e']), place, 2).lines).toEqual(['b.2', 'b.3']);
    expect(windowFrom(createParts(['x', 'a', 'b', 'c']), place, 2).lines).toEqual(['b.2', 'b.3']);
    expect(windowFrom(createParts(['c', 'd']), place, 2)).toEqual({ lines: ['d.2', 'd.3'], isEnd: true });
  });

  test('is walked through by lines, to the beginning and to the end', () => {
    const parts = createParts(['a', 'b', 'c']);

    expect(moved(parts, null, -1, 4)).toEqual({ key: 'b', line: 1 });
    expect(moved(parts, { key: 'b', line: 1 }, -2, 4)).toEqual({ key: 'a', line: 2 });
    expect(moved(parts, null, -100, 4)).toEqual(startOf(parts));
    expect(moved(parts, { key: 'b', line: 1 }, 1, 4)).toBeNull();
    expect(moved(parts, startOf(parts), 100, 4)).toBeNull();
    expect(moved(parts, null, -1, 20)).toBeNull();
  });

  test('costs what is looked at, however long it is', () => {
    const parts = createParts(many);
    const top = moved(parts, null, -30, 40);
    windowFrom(parts, top, 40);
    windowFrom(parts, { key: 'm5000', line: 0 }, 40);

    expect(parts.laidOut).toBeLessThan(150);
  });
});

import { describe, expect, test } from 'vitest';
import { changedFileLine } from '#display/work-words.ts';

const file = { path: 'tide.png', status: 'modified', additions: 3, deletions: 1, isBinary: false, sizeBytes: 48_200 } as const;

describe('a changed file as a line', () => {
  test.each([
    ['en', file, 'M tide.png  +3 -1'],
    ['en', { ...file, isBinary: true }, 'M tide.png  binary, 48 kB'],
    ['zh', { ...file, isBinary: true }, 'M tide.png  二进制，48 kB'],
    ['zh', { ...file, isHuge: true }, 'M tide.png  较大，48 kB'],
    ['zh', { ...file, status: 'renamed', oldPath: 'low.png' }, 'R low.png → tide.png  +3 -1'],
  ] as const)('in %s', (language, changed, line) => {
    expect(changedFileLine(changed, language)).toBe(line);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesFromEnd } from '#companion/store/lines-from-end.ts';

describe('the lines of a file from its end', () => {
  test('are whole wherever a block of it begins, in a line, in a character or between two', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
    const file = path.join(folder, 'lines');
    try {
      for (const lines of [['one', '潮汐表', `long ${'—'.repeat(20)}`, 'z'], ['a', '', 'b'], ['x'.repeat(40)], []]) {
        for (const end of ['', '\n']) {
          writeFileSync(file, lines.join('\n') + end);
          for (let blockBytes = 1; blockBytes < 50; blockBytes += 1)
            expect([...linesFromEnd(file, blockBytes)]).toEqual(lines.filter((line) => line !== '').toReversed());
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('are none where there is no file', () => {
    expect([...linesFromEnd('/nowhere/at/all')]).toEqual([]);
  });
});

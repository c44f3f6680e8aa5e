import { describe, expect, test } from 'vitest';
import { paint } from '#companion/tui/paint.ts';
import { palettes } from '#companion/tui/palettes.ts';
import { changedRows } from '#companion/tui/screen.ts';

describe('painting', () => {
  test('writes only the rows that differ', () => {
    const shown = ['one', 'two', paint('error', 'three')];

    expect(changedRows(shown, shown, palettes.terminal)).toBe('');
    expect(changedRows(shown, ['one', 'zwei', paint('error', 'three')], palettes.terminal)).toBe('\u001b[2;1H\u001b[0mzwei');
    expect(changedRows(shown, ['one', 'two', paint('ok', 'three')], palettes.terminal)).toContain('\u001b[3;1H\u001b[0m\u001b[0;32mthree');
    expect(changedRows([], shown, palettes.terminal).split(';1H')).toHaveLength(4);
  });
});

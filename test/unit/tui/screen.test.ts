import { describe, expect, test } from 'vitest';
import { paint } from '#companion/tui/paint.ts';
import { changedRows } from '#companion/tui/screen.ts';

describe('painting', () => {
  test('writes only the rows that differ', () => {
    const shown = ['one', 'two', paint('error', 'three')];

    expect(changedRows(shown, shown)).toBe('');
    expect(changedRows(shown, ['one', 'zwei', paint('error', 'three')])).toBe('\u001b[2;1H\u001b[0mzwei');
    expect(changedRows(shown, ['one', 'two', paint('ok', 'three')])).toContain('\u001b[3;1H\u001b[0m\u001b[0;32mthree');
    expect(changedRows([], shown).split(';1H')).toHaveLength(4);
  });
});

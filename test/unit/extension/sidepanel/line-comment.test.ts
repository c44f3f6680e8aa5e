import { describe, expect, test } from 'vitest';
import { lineComment } from '#extension/sidepanel/line-comment.ts';

describe('a comment on a line of a change', () => {
  test('says where, the line, and what the person says', () => {
    const line = { type: 'remove', text: '  const tide = 1;', line: 12 } as const;

    expect(lineComment('src/tides.ts', line, ' Why?\n')).toBe('src/tides.ts:12\n> -  const tide = 1;\nWhy?\n');
    expect(lineComment('src/tides.ts', { ...line, type: 'same', line: null }, 'Why?')).toBe('src/tides.ts\n>    const tide = 1;\nWhy?\n');
  });

  test('does not repeat a line without end', () => {
    const comment = lineComment('bundle.js', { type: 'add', text: 'x'.repeat(100_000), line: 1 }, 'Too long.');

    expect(comment.length).toBeLessThan(300);
    expect(comment).toContain('…\nToo long.');
  });
});

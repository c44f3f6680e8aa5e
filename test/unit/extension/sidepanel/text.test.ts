import { describe, expect, test } from 'vitest';
import { countChanges, toDiffLines } from '#extension/sidepanel/diff-lines.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';
import { clip, toCount, toDuration, toMoment, toPlainOutput, toShortPath, toSize, toVisible } from '#extension/sidepanel/text.ts';

describe('text', () => {
  test('terminal output loses its escapes and keeps its words', () => {
    expect(toPlainOutput('\u001b[31mred\u001b[0m \u001b]8;;https://x\u0007link\u001b]8;;\u001b\\ ok\u0007\n\ttab')).toBe(
      'red link ok\n\ttab',
    );
  });

  test('a line redrawn in place shows its last form', () => {
    expect(toPlainOutput('10 %\r50 %\r100 %\r\ndone\r\n')).toBe('100 %\ndone\n');
  });

  test('what hides or reorders text is shown by its code point', () => {
    expect(toVisible('rm \u202Egnp.txt\u202C\u200B')).toBe('rm ⟨U+202E⟩gnp.txt⟨U+202C⟩⟨U+200B⟩');
    expect(toVisible('line\n\ttab 你好 é')).toBe('line\n\ttab 你好 é');
    expect(toVisible('a\rb\u001b[2J\u{E0041}')).toBe('a⟨U+000D⟩b⟨U+001B⟩[2J⟨U+E0041⟩');
  });

  test('a long text is cut at the end of a line', () => {
    expect(clip('aaaa\nbbbb\ncccc', 11)).toEqual({ shown: 'aaaa\nbbbb', hiddenUnits: 5 });
    expect(clip('x'.repeat(20), 8)).toEqual({ shown: 'xxxxxxxx', hiddenUnits: 12 });
    expect(clip('short', 8)).toEqual({ shown: 'short', hiddenUnits: 0 });
  });

  test('durations, counts and sizes are short', () => {
    expect([140, 12_400, 60_000, 185_000, 7_260_000].map(toDuration)).toEqual(['0.1 s', '12 s', '1 min', '3 min 5 s', '2 h 1 min']);
    expect([950, 1200, 34_000, 999_700].map(toCount)).toEqual(['950', '1.2k', '34k', '1M']);
    expect([12, 3400, 5_000_000].map(toSize)).toEqual(['12 B', '3.4 kB', '5 MB']);
  });

  test('a moment of another day says which', () => {
    const noon = new Date(2026, 10, 21, 12, 0).getTime();
    const hour = 3_600_000;
    expect(toMoment(noon + hour, noon)).not.toMatch(/21/);
    expect(toMoment(noon + 24 * hour, noon)).toMatch(/22/);
    expect(toMoment(noon + hour, noon)).toContain('00');
  });

  test('a long path keeps its end', () => {
    expect(toShortPath('/home/somebody/projects/shop/src/cart.css', 20)).toBe('…s/shop/src/cart.css');
  });

  test('every text exists in both languages and is filled in', () => {
    expect(createTranslate('en-US')('show_earlier', { count: 3 })).toBe('Show 3 earlier entries');
    expect(createTranslate('zh-CN')('stop')).toBe('停止');
    expect(createTranslate('de')('stop')).toBe('Stop');
    expect(createTranslate('en')('remove', {})).toBe('Remove {name}');
  });
});

describe('a unified diff', () => {
  test('becomes numbered lines without its header', () => {
    const lines = toDiffLines('--- a/x\n+++ b/x\n@@ -4,3 +4,3 @@ rule\n same\n-old\n+new\n+more\n\\ No newline at end of file\n');

    expect(lines).toEqual([
      { type: 'hunk', text: 'rule', line: null },
      { type: 'same', text: 'same', line: 4 },
      { type: 'remove', text: 'old', line: 5 },
      { type: 'add', text: 'new', line: 5 },
      { type: 'add', text: 'more', line: 6 },
      { type: 'note', text: 'No newline at end of file', line: null },
    ]);
    expect(countChanges(lines)).toEqual({ added: 2, removed: 1 });
  });

  test('a changed line that looks like a header is still a change', () => {
    expect(toDiffLines('@@ -1 +1 @@\n--- old\n+++ new\n').map(({ type, text }) => `${type} ${text}`)).toEqual([
      'hunk ',
      'remove -- old',
      'add ++ new',
    ]);
  });
});

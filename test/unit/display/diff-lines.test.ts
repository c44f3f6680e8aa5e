import { describe, expect, test } from 'vitest';
import { countChanges, diffOf, toDiffLines } from '#display/diff-lines.ts';

describe('a unified diff', () => {
  test('becomes numbered lines without its header', () => {
    const lines = toDiffLines('--- a/x\n+++ b/x\n@@ -4,2 +4,3 @@ rule\n same\n-old\n+new\n+more\n\\ No newline at end of file\n');

    expect(lines).toEqual([
      { type: 'hunk', text: 'rule', line: null },
      { type: 'same', text: 'same', line: 4 },
      { type: 'remove', text: 'old', line: 5 },
      { type: 'add', text: 'new', line: 5 },
      { type: 'add', text: 'more', line: 6 },
      { type: 'note', text: 'No newline at end of file', line: null },
    ]);
  });

  test('a changed line that looks like a header is still a change', () => {
    expect(toDiffLines('@@ -1 +1 @@\n--- old\n+++ new\n').map(({ type, text }) => `${type} ${text}`)).toEqual([
      'hunk ',
      'remove -- old',
      'add ++ new',
    ]);
  });

  test('removed and added comments of SQL and Lua are counted', () => {
    const change = {
      path: 'a.sql',
      change: 'update',
      unified: '--- a.sql\n+++ a.sql\n@@ -1,2 +1,1 @@\n--- old\n--- older\n+++ i\n',
    } as const;

    expect(diffOf(change)).toMatchObject({ added: 1, removed: 2 });
    expect(countChanges([change, change])).toEqual({ added: 2, removed: 4 });
  });

  test.each([
    ['without a hunk', 'Binary files a and b differ', ['Binary files a and b differ']],
    ['with fewer lines than its hunk says', '--- a\n+++ b\n@@ -1,3 +1,3 @@\n-x\n', ['@@ -1,3 +1,3 @@', '-x']],
    ['with a removed line that looks like a header', '--- a\n+++ b\n@@ -1,9 +1,9 @@\n--- old', ['@@ -1,9 +1,9 @@', '--- old']],
    ['with a hunk that is none', '@@ here @@\n-x', ['@@ here @@', '-x']],
  ])('a text %s stays the text it is', (_, unified, texts) => {
    expect(toDiffLines(unified)).toEqual(texts.map((text) => ({ type: 'note', text, line: null })));
  });

  test('a fragment, which says line 0, has no numbers', () => {
    expect(toDiffLines('@@ -0,1 +0,1 @@\n-x\n+y\n').map(({ line }) => line)).toEqual([null, null, null]);
  });

  test('the files of one patch are read apart', () => {
    const lines = toDiffLines('--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n--- b\n+++ b\n@@ -7 +7 @@\n-x\n+y\n');

    expect(lines.map(({ type, line }) => `${type} ${line}`)).toEqual(['hunk null', 'remove 1', 'add 1', 'hunk null', 'remove 7', 'add 7']);
  });
});

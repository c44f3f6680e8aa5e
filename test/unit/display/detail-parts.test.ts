import { describe, expect, test } from 'vitest';
import { toDetailParts } from '#display/detail-parts.ts';

const hunk = '@@ -1,2 +1,2 @@\n one\n-two\n+three\n\\ No newline at end of file';
const changed = `--- /p/a.txt\n+++ /p/a.txt\n${hunk}`;
const added = '--- /dev/null\n+++ /p/b.txt\n@@ -0,0 +1,1 @@\n+new';

describe('the parts of a detail', () => {
  test('diffs of several files and the words around them, in order', () => {
    expect(toDetailParts(`Change the files\n\n${changed}\n\n${added}\n\nBecause of the tide`)).toEqual([
      { type: 'text', text: 'Change the files' },
      { type: 'diff', change: { path: '/p/a.txt', change: 'update', unified: changed } },
      { type: 'diff', change: { path: '/p/b.txt', change: 'add', unified: added } },
      { type: 'text', text: 'Because of the tide' },
    ]);
  });

  test('a deleted and a moved file', () => {
    const changes = toDetailParts('--- /p/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- /p/b\n+++ /p/c\n@@ -1 +1 @@\n-x\n+y');
    expect(changes).toMatchObject([
      { change: { path: '/p/a', change: 'delete' } },
      { change: { path: '/p/b', change: 'move', movedTo: '/p/c' } },
    ]);
  });

  test.each([
    ['no diff at all', 'npm run build && rm -rf dist'],
    ['no hunk', '--- a\n+++ b\nrm -rf dist'],
    ['a line that is in no hunk', '--- a\n+++ b\n@@ -1,3 +1,3 @@\n same\nrm -rf dist'],
    ['more lines than its hunk has', '--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n-y\n+z'],
    ['fewer lines than its hunk has', '--- a\n+++ b\n@@ -1 +1 @@\n-x'],
  ])('%s: stays the text it is', (_, detail) => {
    expect(toDetailParts(detail)).toEqual([{ type: 'text', text: detail }]);
  });

  test('what follows the last line of a hunk is not part of it', () => {
    expect(toDetailParts('--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n+ and more').at(-1)).toEqual({ type: 'text', text: '+ and more' });
  });
});

import { describe, expect, test } from 'vitest';
import { toDetailParts } from '#display/detail-parts.ts';
import { countChanges, toDiffLines } from '#display/diff-lines.ts';
import { unifiedFromTexts } from '#companion/engines/codecs/unified-diff.ts';
import { toRequest } from '#companion/engines/claude/permissions.ts';

const fragment = (before: string, after: string): string => unifiedFromTexts('a.ts', before, after, { isFragment: true });

describe('the diff of a fragment', () => {
  test('says neither where it stands nor how the file ends', () => {
    expect(fragment('one\ntwo', 'one\nthree')).toBe('--- a.ts\n+++ a.ts\n@@ -0,2 +0,2 @@\n one\n-two\n+three\n');
  });

  test('keeps what looks like a note or a header of a diff', () => {
    const { added, removed } = countChanges([
      { path: 'a.ts', change: 'update', unified: fragment('\\ No newline\n@@ -1 +1 @@', '@@ -9,9 +9,9 @@\n\\ x') },
    ]);

    expect([added, removed]).toEqual([2, 2]);
  });

  test('is drawn without numbers, as the one diff of its request', () => {
    const request = toRequest(
      { subtype: 'can_use_tool', tool_name: 'Edit', input: { file_path: '/p/a.ts', old_string: 'one\ntwo', new_string: 'one\nthree' } },
      '/p',
    );
    const [part, ...others] = toDetailParts(request.detail ?? '');

    expect(others).toEqual([]);
    expect(part).toMatchObject({ type: 'diff', change: { path: '/p/a.ts', change: 'update' } });
    expect(toDiffLines(request.detail ?? '')).toEqual([
      { type: 'hunk', text: '', line: null },
      { type: 'same', text: 'one', line: null },
      { type: 'remove', text: 'two', line: null },
      { type: 'add', text: 'three', line: null },
    ]);
  });
});

test('the diff of a whole file says both', () => {
  expect(unifiedFromTexts('a.ts', 'one', 'two')).toBe(
    '--- a.ts\n+++ a.ts\n@@ -1,1 +1,1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n',
  );
});

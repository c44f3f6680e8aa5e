/**
 * What a request would do, split into plain text and the unified diffs in it. Nothing is left out: what is not certainly a diff
 * stays text.
 */
import type { FileChange } from '#protocol/items.ts';

export type DetailPart = { readonly type: 'text'; readonly text: string } | { readonly type: 'diff'; readonly change: FileChange };

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const NOWHERE = '/dev/null';

export const toDetailParts = (detail: string): DetailPart[] => {
  const lines = detail.split('\n');
  const parts: DetailPart[] = [];
  let text: string[] = [];
  const closeText = (): void => {
    const joined = text.join('\n').replace(/^\n+|\s+$/g, '');
    if (joined !== '') parts.push({ type: 'text', text: joined });
    text = [];
  };
  for (let index = 0; index < lines.length;) {
    const end = endOfDiff(lines, index);
    if (end === index) {
      text.push(lines[index] ?? '');
      index += 1;
    } else {
      closeText();
      parts.push({ type: 'diff', change: toChange(lines.slice(index, end)) });
      index = end;
    }
  }
  closeText();
  return parts;
};

/**
 * The line after the diff that begins here; `start` when no diff does. Lines are counted here as the hunks say, because the
 * parser of `diff` skips what stands outside hunks, and that is just what a person must see before agreeing.
 */
const endOfDiff = (lines: readonly string[], start: number): number => {
  if (lines[start]?.startsWith('--- ') !== true || lines[start + 1]?.startsWith('+++ ') !== true) return start;
  let end = start + 2;
  for (;;) {
    const hunk = HUNK.exec(lines[end] ?? '');
    if (hunk === null) return end === start + 2 ? start : end;
    let next = end + 1;
    let before = Number(hunk[1] ?? 1);
    let after = Number(hunk[2] ?? 1);
    while (before > 0 || after > 0 || lines[next]?.startsWith('\\') === true) {
      const sign = lines[next]?.[0];
      if (sign === undefined || !'+- \\'.includes(sign)) return start;
      if (sign === '-' || sign === ' ') before -= 1;
      if (sign === '+' || sign === ' ') after -= 1;
      if (before < 0 || after < 0) return start;
      next += 1;
    }
    end = next;
  }
};

const toChange = (lines: readonly string[]): FileChange => {
  const [before = '', after = ''] = lines.slice(0, 2).map((line) => line.slice(4));
  const unified = lines.join('\n');
  if (before === NOWHERE) return { path: after, change: 'add', unified };
  if (after === NOWHERE) return { path: before, change: 'delete', unified };
  return before === after ? { path: before, change: 'update', unified } : { path: before, change: 'move', unified, movedTo: after };
};

import { describe, expect, it } from 'vitest';
import { diffLines } from '#extension/toolkit/diff-lines.ts';

describe('the changes between two snapshots', () => {
  it('are the lines that are new and those that are gone, each as often as it stands there', () => {
    const before = '# Cart\n- Tea\n- Tea\n[e1 button "Pay" disabled]';
    const after = '# Cart\n- Tea\n[e1 button "Pay"]\n[e2 link "Back"]';

    expect(diffLines(before, after)).toEqual({
      added: ['[e1 button "Pay"]', '[e2 link "Back"]'],
      gone: ['- Tea', '[e1 button "Pay" disabled]'],
      moved: [],
    });
  });

  it('leave out what only came further in, and tell as few as possible of those in another order', () => {
    expect(diffLines('a\nb\n\nc', 'a\n  b\n  c')).toEqual({ added: [], gone: [], moved: [] });
    expect(diffLines('a\nb\nc\nd\ne', 'a\nc\nd\n  b\ne')).toEqual({ added: [], gone: [], moved: ['  b'] });
    expect(diffLines('a\nb\nc\nd', 'd\nx\na\nb')).toEqual({ added: ['x'], gone: ['c'], moved: ['d'] });
    expect(diffLines('a\n-\nb\n-', '-\na\n-\nb')).toEqual({ added: [], gone: [], moved: [] });
    const many = Array.from({ length: 2_000 }, (_, index) => `row ${index}`);
    expect(diffLines(many.join('\n'), many.toReversed().join('\n')).moved).toHaveLength(1_999);
  });
});

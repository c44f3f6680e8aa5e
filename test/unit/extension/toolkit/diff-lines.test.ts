import { describe, expect, it } from 'vitest';
import { diffLines } from '#extension/toolkit/diff-lines.ts';

describe('the changes between two snapshots', () => {
  it('are the lines that are new and those that are gone, each as often as it stands there', () => {
    const before = '# Cart\n- Tea\n- Tea\n[e1 button "Pay" disabled]';
    const after = '# Cart\n- Tea\n[e1 button "Pay"]\n[e2 link "Back"]';

    expect(diffLines(before, after)).toEqual({
      added: ['[e1 button "Pay"]', '[e2 link "Back"]'],
      gone: ['- Tea', '[e1 button "Pay" disabled]'],
    });
  });

  it('leave out what only moved, further in or to another place', () => {
    expect(diffLines('a\nb\n\nc', 'c\n  b\na')).toEqual({ added: [], gone: [] });
  });
});

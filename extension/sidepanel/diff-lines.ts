/** A unified diff as lines to draw. */

export interface DiffLine {
  readonly type: 'add' | 'remove' | 'same' | 'hunk' | 'note';
  /** Without its leading sign. */
  readonly text: string;
  /** Line number in the new file, or in the old one for removed lines; null where there is none. */
  readonly line: number | null;
}

export const toDiffLines = (unified: string): DiffLine[] => {
  const lines: DiffLine[] = [];
  let oldLine = 0;
  let newLine = 0;
  let isInside = false;
  for (const raw of unified.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(raw);
    if (hunk !== null) {
      isInside = true;
      oldLine = Number(hunk[1]);
      newLine = Number(hunk[2]);
      lines.push({ type: 'hunk', text: hunk[3] ?? '', line: null });
    } else if (!isInside) {
      // The header repeats the path, which the card shows; a diff without hunks is shown as it is.
      if (!/^(?:---|\+\+\+|diff |index |new file|deleted file|similarity|rename )/.test(raw))
        lines.push({ type: 'note', text: raw, line: null });
    } else if (raw.startsWith('+')) {
      lines.push({ type: 'add', text: raw.slice(1), line: newLine });
      newLine += 1;
    } else if (raw.startsWith('-')) {
      lines.push({ type: 'remove', text: raw.slice(1), line: oldLine });
      oldLine += 1;
    } else if (raw.startsWith('\\')) {
      lines.push({ type: 'note', text: raw.slice(1).trim(), line: null });
    } else {
      lines.push({ type: 'same', text: raw.slice(1), line: newLine });
      oldLine += 1;
      newLine += 1;
    }
  }
  return lines;
};

/** How many lines came and went. */
export const countChanges = (lines: readonly DiffLine[]): { added: number; removed: number } => ({
  added: lines.filter(({ type }) => type === 'add').length,
  removed: lines.filter(({ type }) => type === 'remove').length,
});

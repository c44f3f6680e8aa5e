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
  // Null where the hunk does not say where it stands: there is no line 0.
  let oldLine: number | null = null;
  let newLine: number | null = null;
  let isInside = false;
  for (const raw of unified.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(raw);
    if (hunk !== null) {
      isInside = true;
      oldLine = Number(hunk[1]) || null;
      newLine = Number(hunk[2]) || null;
      lines.push({ type: 'hunk', text: hunk[3] ?? '', line: null });
    } else if (!isInside) {
      // The header repeats the path, which the card shows; a diff without hunks is shown as it is.
      if (!/^(?:---|\+\+\+|diff |index |new file|deleted file|similarity|rename )/.test(raw))
        lines.push({ type: 'note', text: raw, line: null });
    } else if (raw.startsWith('+')) {
      lines.push({ type: 'add', text: raw.slice(1), line: newLine });
      newLine = next(newLine);
    } else if (raw.startsWith('-')) {
      lines.push({ type: 'remove', text: raw.slice(1), line: oldLine });
      oldLine = next(oldLine);
    } else if (raw.startsWith('\\')) {
      lines.push({ type: 'note', text: raw.slice(1).trim(), line: null });
    } else {
      lines.push({ type: 'same', text: raw.slice(1), line: newLine });
      oldLine = next(oldLine);
      newLine = next(newLine);
    }
  }
  return lines;
};

const next = (line: number | null): number | null => (line === null ? null : line + 1);

/** How many lines came and went. */
export const countChanges = (lines: readonly DiffLine[]): { added: number; removed: number } => ({
  added: lines.filter(({ type }) => type === 'add').length,
  removed: lines.filter(({ type }) => type === 'remove').length,
});

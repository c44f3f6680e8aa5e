/** A unified diff as lines to draw. */
import { parsePatch } from 'diff';
import type { FileChange } from '#protocol/items.ts';

export interface DiffLine {
  readonly type: 'add' | 'remove' | 'same' | 'hunk' | 'note';
  /** The text without its leading sign. */
  readonly text: string;
  /** Line number in the new file, or in the old one for removed lines; null where the diff does not say it. */
  readonly line: number | null;
}

/** The lines of a diff, with the number of added and removed ones. */
export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

const known = new WeakMap<FileChange, Diff>();

/** The diff of one file. It is parsed once, however often it is drawn. */
export const diffOf = (change: FileChange): Diff => {
  const before = known.get(change);
  if (before !== undefined) return before;
  const lines = toDiffLines(change.unified);
  const count = (type: DiffLine['type']): number => lines.filter((line) => line.type === type).length;
  const diff = { lines, added: count('add'), removed: count('remove') };
  known.set(change, diff);
  return diff;
};

/** Added and removed lines of several files together. */
export const countChanges = (changes: readonly FileChange[]): { added: number; removed: number } => {
  const diffs = changes.map(diffOf);
  return {
    added: diffs.reduce((sum, { added }) => sum + added, 0),
    removed: diffs.reduce((sum, { removed }) => sum + removed, 0),
  };
};

/** The hunks of a unified diff. A text without hunks, or with a broken one, is shown as text. */
export const toDiffLines = (unified: string): DiffLine[] => {
  const hunks = readHunks(unified);
  return hunks.length === 0 ? toNotes(unified) : hunks.flatMap(toLines);
};

interface Hunk {
  readonly heading: string;
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)$/gm;

const readHunks = (unified: string): Hunk[] => {
  // Lines inside a hunk begin with a sign, so that only headers of hunks match. The parser drops the text behind them.
  const headings = [...unified.matchAll(HUNK)].map(([, heading = '']) => heading);
  try {
    const hunks = parsePatch(unified).flatMap((file) => file.hunks);
    // The parser takes any line that begins with @@ for a hunk's header.
    if (hunks.length !== headings.length) return [];
    return hunks.map(({ oldStart, newStart, lines }, index) => ({ heading: headings[index] ?? '', oldStart, newStart, lines }));
  } catch {
    // An agent wrote this as a diff although it is none, so it is shown as text.
    return [];
  }
};

const toLines = ({ heading, oldStart, newStart, lines }: Hunk): DiffLine[] => {
  // The diff of a fragment says line 0, which no file has: its lines are shown without numbers.
  let oldLine = oldStart === 0 ? null : oldStart;
  let newLine = newStart === 0 ? null : newStart;
  const result: DiffLine[] = [{ type: 'hunk', text: heading, line: null }];
  for (const raw of lines) {
    const text = raw.slice(1);
    if (raw.startsWith('\\')) {
      result.push({ type: 'note', text: text.trim(), line: null });
    } else if (raw.startsWith('+')) {
      result.push({ type: 'add', text, line: newLine });
      newLine = next(newLine);
    } else if (raw.startsWith('-')) {
      result.push({ type: 'remove', text, line: oldLine });
      oldLine = next(oldLine);
    } else {
      result.push({ type: 'same', text, line: newLine });
      oldLine = next(oldLine);
      newLine = next(newLine);
    }
  }
  return result;
};

const next = (line: number | null): number | null => (line === null ? null : line + 1);

/** The header of a file repeats its path, which stands above the diff. */
const HEADER = /^(?:--- |\+\+\+ |diff |index |new file|deleted file|similarity|rename )/;

/** All lines except the header at the beginning; further down, a line that looks like a header may be anything. */
const toNotes = (text: string): DiffLine[] => {
  const lines = text.replace(/\n$/, '').split('\n');
  const start = lines.findIndex((line) => !HEADER.test(line));
  return start < 0 ? [] : lines.slice(start).map((line) => ({ type: 'note', text: line, line: null }));
};

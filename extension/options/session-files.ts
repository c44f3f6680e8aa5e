/** Sessions as one file. A session as JSON has no line break, so that of several each is a line. */
import type { ExportFormat } from '#protocol/session-export.ts';

const RULE = '\n\n---\n\n';
const PIECE_BYTES = 1024 * 1024;
const LINE_END = 10;

/** What was exported of each session, in one file: texts with a rule between them, or JSON with a line for each. */
export const joinExports = (exports: readonly Blob[], format: ExportFormat): Blob =>
  format === 'markdown'
    ? new Blob(
        exports.flatMap((text, index) => (index === 0 ? [text] : [RULE, text])),
        { type: 'text/markdown' },
      )
    : new Blob(
        exports.flatMap((text, index) => (index === 0 ? [text] : ['\n', text])),
        { type: 'application/json' },
      );

/** How the file is called. */
export const exportName = (ids: readonly string[], format: ExportFormat): string => {
  const [only = 'pilotfish-sessions', ...more] = ids;
  const name = more.length === 0 ? only : 'pilotfish-sessions';
  return `${name}.${format === 'markdown' ? 'md' : more.length === 0 ? 'json' : 'jsonl'}`;
};

/** The sessions in a file: each line of one with a line for each, otherwise the file itself. It is read piece by piece. */
export const sessionsIn = async (file: File): Promise<readonly File[]> => {
  if (!file.name.endsWith('.jsonl')) return [file];
  const lines: File[] = [];
  let begin = 0;
  const cut = (end: number): void => {
    if (end > begin) lines.push(new File([file.slice(begin, end)], file.name));
    begin = end + 1;
  };
  for (let offset = 0; offset < file.size; offset += PIECE_BYTES) {
    const piece = new Uint8Array(await file.slice(offset, offset + PIECE_BYTES).arrayBuffer());
    for (let at = piece.indexOf(LINE_END); at !== -1; at = piece.indexOf(LINE_END, at + 1)) cut(offset + at);
  }
  cut(file.size);
  return lines;
};

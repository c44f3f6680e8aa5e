/** A comment on a line of a change, as the agent reads it in the next prompt. Pure. */
import type { DiffLine } from '#display/diff-lines.ts';
import { beginningOf } from './text.ts';

/** Enough to know the line by. */
const LINE_UNITS = 200;

const signs = { add: '+', remove: '-', same: ' ', hunk: ' ', note: ' ' } as const satisfies Record<DiffLine['type'], string>;

/** Where it is, the line itself, and what the person says of it. */
export const lineComment = (path: string, { type, text, line }: DiffLine, comment: string): string => {
  const shown = text.length > LINE_UNITS ? `${beginningOf(text, LINE_UNITS)}…` : text;
  return `${path}${line === null ? '' : `:${line}`}\n> ${signs[type]}${shown}\n${comment.trim()}\n`;
};

/** Below what is written already, and ready to be gone on with. */
export const withLineComment = (draft: string, comment: string): string =>
  draft.trim() === '' ? comment : `${draft.trimEnd()}\n\n${comment}`;

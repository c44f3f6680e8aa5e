/** The one-line input at the bottom: filter, path, name, reason. */
import type { Overlay } from '../state.ts';
import { paint } from '../paint.ts';
import { clean, fit, pad, width } from '../text.ts';

/** What is typed has at least so many columns, however long the title is. */
const MIN_TEXT = 24;

/** The line and the column of the cursor in it. */
export const inputLine = (
  { title, draft, managed }: Extract<Overlay, { type: 'input' }>,
  columns: number,
): { line: string; column: number } => {
  const label = ` ${fit(title, Math.max(8, columns - MIN_TEXT))}: `;
  const room = Math.max(8, columns - width(label) - 1);
  const shown = (text: string): string => (managed?.isSecret === true ? '•'.repeat(text.length) : clean(text).replaceAll('\n', ' '));
  const before = shown(draft.text.slice(0, draft.cursor));
  const after = shown(draft.text.slice(draft.cursor));
  // The end of what stands before the cursor is what the user is at.
  const shownBefore = width(before) < room ? before : takeEnd(before, room - 1);
  const text = fit(shownBefore + after, room);
  return { line: pad(paint('accent', label) + text, columns), column: width(label) + width(shownBefore) };
};

const takeEnd = (text: string, columns: number): string => {
  const characters = Array.from(text);
  let used = 0;
  let index = characters.length;
  while (index > 0 && used + width(characters[index - 1] ?? '') <= columns) {
    index -= 1;
    used += width(characters[index] ?? '');
  }
  return characters.slice(index).join('');
};

/** What others wrote, as a piece of a sentence: one line, and not longer than is asked for. Pure. */
import { beginning } from '#protocol/beginning.ts';

export const toOneLine = (text: string, maxUnits: number): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= maxUnits ? line : `${beginning(line, maxUnits - 1)}…`;
};

/** How much of a long text an agent is given in one answer. Pure. */
import { cutPages } from './snapshot-text.ts';

/** Of a longer answer Claude Code (50,000 characters) shows the beginning only, and Codex (48,000 bytes) leaves the middle out. */
const MAX_TOKENS = 15_000;

export const beginningOf = (text: string): { readonly text: string; readonly isWhole: boolean } => {
  const [beginning = ''] = cutPages([text], MAX_TOKENS);
  return { text: beginning, isWhole: beginning.length === text.length };
};

/** How much of a long text an agent is given in one answer. Pure. */
import { cutPages, tokensOf } from './snapshot-text.ts';

/**
 * How long an answer is when the call does not say it. Of a longer one Qwen Code (28,000 characters) and Claude Code (50,000) show the beginning
 * only, and Gemini CLI (40,000) and Codex (48,000 bytes) leave a part out.
 */
export const DEFAULT_TOKENS = 10_000;

export const beginningOf = (text: string): { readonly text: string; readonly isWhole: boolean } => {
  const [beginning = ''] = cutPages([text], DEFAULT_TOKENS);
  return { text: beginning, isWhole: beginning.length === text.length };
};

/** How much of an answer is left for the text below what stands above it. */
export const roomBelow = (...above: readonly string[]): number => DEFAULT_TOKENS - tokensOf(above);

/** As many lines as an answer holds, from the first one on. */
export const firstLines = (lines: readonly string[]): readonly string[] => {
  let sum = 0;
  const end = lines.findIndex((line) => (sum += tokensOf([line])) > DEFAULT_TOKENS);
  if (end === 0) return [beginningOf(lines[0] ?? '').text];
  return end === -1 ? lines : lines.slice(0, end);
};

/** The same for those that end with the newest one. */
export const lastLines = (lines: readonly string[]): readonly string[] => firstLines(lines.toReversed()).toReversed();

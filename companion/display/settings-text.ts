/** A session's settings as a person types them, read alike in the panel, in the terminal and on the command line. */

/** A count; null means no limit, and undefined that the text is not a count. */
export const readMaxTurns = (text: string): number | null | undefined => {
  const typed = text.trim();
  if (typed === '') return null;
  const count = /^\d{1,6}$/.test(typed) ? Number(typed) : 0;
  return count > 0 ? count : undefined;
};

/** A count of tokens, in which groups of digits may be set apart; null and undefined as above. */
export const readMaxTokens = (text: string): number | null | undefined => {
  const typed = text.trim().replaceAll(/(?<=\d)[ ,_](?=\d{3})/g, '');
  if (typed === '') return null;
  const count = /^\d{1,12}$/.test(typed) ? Number(typed) : 0;
  return count > 0 ? count : undefined;
};

/** An amount of US dollars; null means no limit, and undefined that the text is not an amount. */
export const readMaxCost = (text: string): number | null | undefined => {
  const typed = text.trim().replace(/^\$\s*/, '');
  if (typed === '') return text.trim() === '' ? null : undefined;
  const cost = /^\d{1,7}(?:\.\d{1,4})?$/.test(typed) ? Number(typed) : 0;
  return cost > 0 ? cost : undefined;
};

/**
 * Minutes, possibly with a fraction, as milliseconds. Null means that the session has no limit of its own, undefined that the
 * text is not a time.
 */
export const readMinutes = (text: string): number | null | undefined => {
  const typed = text.trim().replace(/\s*min(?:utes?)?$/, '');
  if (typed === '') return text.trim() === '' ? null : undefined;
  const minutes = /^\d{1,5}(?:\.\d{1,3})?$/.test(typed) ? Number(typed) : 0;
  const ms = Math.round(minutes * 60_000);
  return ms >= LEAST_TIME_MS ? ms : undefined;
};

/** The shortest time that can be set. */
const LEAST_TIME_MS = 1000;

/** A time in minutes as a person types it: 10, 1.5. */
export const showMinutes = (ms: number | null): string => (ms === null ? '' : String(Math.round(ms / 60) / 1000));

/** `Read`, `Bash(git status:*)`, `mcp__server__tool`: a name, and in parentheses what it is limited to. */
const TOOL = /^[A-Za-z]\w*(?:-\w+)*\*?(?:\([^()\n]+\))?$/;

/** Tools, separated by commas or lines; `wrong` is the first text that is not a tool. */
export const readAllowedTools = (text: string): { tools: string[] } | { wrong: string } => {
  const tools = (text.match(/(?:\([^)\n]*\)|[^,\n])+/g) ?? []).map((tool) => tool.trim()).filter((tool) => tool !== '');
  const wrong = tools.find((tool) => !TOOL.test(tool));
  return wrong === undefined ? { tools: [...new Set(tools)] } : { wrong };
};

/** A system prompt; null means that the agent has only its own instructions. */
export const readSystemPrompt = (text: string): string | null => (text.trim() === '' ? null : text.trim());

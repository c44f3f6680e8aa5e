/** A session's settings as a person types them, read alike in the panel, in the terminal and on the command line. */

/** A count. Null: no limit. Undefined: it is no count. */
export const readMaxTurns = (text: string): number | null | undefined => {
  const typed = text.trim();
  if (typed === '') return null;
  const count = /^\d{1,6}$/.test(typed) ? Number(typed) : 0;
  return count > 0 ? count : undefined;
};

/** US dollars. Null: no limit. Undefined: it is no amount. */
export const readMaxCost = (text: string): number | null | undefined => {
  const typed = text.trim().replace(/^\$\s*/, '');
  if (typed === '') return text.trim() === '' ? null : undefined;
  const cost = /^\d{1,7}(?:\.\d{1,4})?$/.test(typed) ? Number(typed) : 0;
  return cost > 0 ? cost : undefined;
};

/** Minutes, with a fraction if need be, as milliseconds. Null: no limit of its own. Undefined: it is no time. */
export const readMinutes = (text: string): number | null | undefined => {
  const typed = text.trim().replace(/\s*min(?:utes?)?$/, '');
  if (typed === '') return text.trim() === '' ? null : undefined;
  const minutes = /^\d{1,5}(?:\.\d{1,3})?$/.test(typed) ? Number(typed) : 0;
  const ms = Math.round(minutes * 60_000);
  return ms >= LEAST_TIME_MS ? ms : undefined;
};

/** The shortest time that can be set. */
const LEAST_TIME_MS = 1000;

/** A time as it is typed: 10, 1.5. */
export const showMinutes = (ms: number | null): string => (ms === null ? '' : String(Math.round(ms / 60) / 1000));

/** `Read`, `Bash(git status:*)`, `mcp__server__tool`: a name, and what of it in parentheses. */
const TOOL = /^[A-Za-z]\w*(?:-\w+)*\*?(?:\([^()\n]+\))?$/;

/** Tools with commas between or on lines of their own; `wrong` is the first that is no tool. */
export const readAllowedTools = (text: string): { tools: string[] } | { wrong: string } => {
  const tools = (text.match(/(?:\([^)\n]*\)|[^,\n])+/g) ?? []).map((tool) => tool.trim()).filter((tool) => tool !== '');
  const wrong = tools.find((tool) => !TOOL.test(tool));
  return wrong === undefined ? { tools: [...new Set(tools)] } : { wrong };
};

/** Null: the agent has its own instructions only. */
export const readSystemPrompt = (text: string): string | null => (text.trim() === '' ? null : text.trim());

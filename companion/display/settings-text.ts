/** A session's settings as a person types them, read alike in the panel, in the terminal and on the command line. */

/** Null: no limit. Undefined: that is none. */
export const readMaxTurns = (text: string): number | null | undefined => {
  const typed = text.trim();
  if (typed === '') return null;
  const count = /^\d{1,6}$/.test(typed) ? Number(typed) : 0;
  return count > 0 ? count : undefined;
};

/** US dollars. Null: no limit. Undefined: that is none. */
export const readMaxCost = (text: string): number | null | undefined => {
  const typed = text.trim().replace(/^\$\s*/, '');
  if (typed === '') return text.trim() === '' ? null : undefined;
  const cost = /^\d{1,7}(?:\.\d{1,4})?$/.test(typed) ? Number(typed) : 0;
  return cost > 0 ? cost : undefined;
};

/** `Read`, `Bash(git status:*)`, `mcp__server__tool`: a name, and what of it in parentheses. */
const TOOL = /^[A-Za-z]\w*(?:-\w+)*\*?(?:\([^()\n]+\))?$/;

/** Tools apart by commas or on lines of their own; `wrong` is the first that is none. */
export const readAllowedTools = (text: string): { tools: string[] } | { wrong: string } => {
  const tools = (text.match(/(?:\([^)\n]*\)|[^,\n])+/g) ?? []).map((tool) => tool.trim()).filter((tool) => tool !== '');
  const wrong = tools.find((tool) => !TOOL.test(tool));
  return wrong === undefined ? { tools: [...new Set(tools)] } : { wrong };
};

/** Null: none. */
export const readSystemPrompt = (text: string): string | null => (text.trim() === '' ? null : text.trim());

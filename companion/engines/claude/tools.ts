/** Claude's tool names as our kinds and titles. */
import * as z from 'zod';
import type { ItemBody, ToolKind } from '#protocol/items.ts';
import { commandOf, isBrowserTool, oneLine, toolTitle } from '#companion/engines/codecs/tool-title.ts';

const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ['Read', 'read'],
  ['NotebookRead', 'read'],
  ['ListMcpResources', 'read'],
  ['ReadMcpResource', 'read'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['Write', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Bash', 'execute'],
  ['PowerShell', 'execute'],
  ['BashOutput', 'execute'],
  ['TaskOutput', 'execute'],
  ['TaskStop', 'execute'],
  ['KillShell', 'execute'],
  ['Glob', 'search'],
  ['Grep', 'search'],
  ['LS', 'search'],
  ['ToolSearch', 'search'],
  ['WebFetch', 'fetch'],
  ['WebSearch', 'fetch'],
  ['Agent', 'task'],
  ['Task', 'task'],
  ['Skill', 'task'],
  ['EnterPlanMode', 'think'],
  ['ExitPlanMode', 'think'],
]);

const Asking = z.looseObject({ questions: z.array(z.looseObject({ question: z.string() })) });

/** The MCP server and tool of `mcp__server__tool`; a server's name may hold single underscores. */
export const mcpName = (name: string): { server: string; tool: string } | null => {
  const match = /^mcp__(.+?)__(.+)$/.exec(name);
  return match?.[1] === undefined || match[2] === undefined ? null : { server: match[1], tool: match[2] };
};

/** A call as an item, when it begins; `input` may still be empty then. */
export const toToolItem = (name: string, input: unknown, cwd: string): ItemBody & { kind: 'tool' } => {
  const mcp = mcpName(name);
  const tool = mcp?.tool ?? name;
  return {
    kind: 'tool',
    tool,
    toolKind: toolKindOf(name),
    title: titleOf(name, input, cwd),
    ...(isEmpty(input) ? {} : { input }),
    text: '',
    ...(mcp === null ? {} : { server: mcp.server }),
  };
};

export const toolKindOf = (name: string): ToolKind => {
  const mcp = mcpName(name);
  if (mcp === null) return KINDS.get(name) ?? 'other';
  return isBrowserTool(mcp.tool) ? 'browser' : 'other';
};

/** The title for a person: the command of a shell, the text of a question, or else the tool and what it works on. */
export const titleOf = (name: string, input: unknown, cwd: string): string => {
  const command = toolKindOf(name) === 'execute' ? commandOf(input) : undefined;
  if (command !== undefined) return oneLine(command);
  const asked = Asking.safeParse(input);
  if (asked.success) return oneLine(asked.data.questions.map(({ question }) => question).join(' '));
  return toolTitle(mcpName(name)?.tool ?? name, input).replaceAll(`${cwd}/`, '');
};

const isEmpty = (input: unknown): boolean =>
  input === null || input === undefined || (typeof input === 'object' && Object.keys(input).length === 0);

/** The sets of tools that an MCP client can ask for. */
import { CompanionError } from './errors.ts';

export const TOOL_SETS = [
  /** What a client gets that asks for nothing. */
  'default',
  /** The tools of mcp-chrome by its names and arguments. */
  'chrome',
  /** What a page sees of its surroundings: colours, language, time zone, network. */
  'emulation',
  /** Cookies, and what pages keep. */
  'storage',
  /** Requests that are blocked, answered in place of their server, or made as the person. */
  'network',
  /** Saving a page as it is printed. */
  'pdf',
  'bookmarks',
  'history',
] as const;
export type ToolSet = (typeof TOOL_SETS)[number];

export const DEFAULT_SETS: readonly ToolSet[] = ['default'];

/** The arguments that start the MCP server with these sets; with none named, the default one. */
export const toMcpArgs = (sets: readonly ToolSet[]): string[] => ['mcp', ...(sets.length === 0 ? [] : ['--tools', sets.join()])];

/** The same as an address. */
export const withToolSets = (url: string, sets: readonly ToolSet[]): string => (sets.length === 0 ? url : `${url}?tools=${sets.join()}`);

/** Reads `default,chrome`. Just these are served; throws `code` with the names there are. */
export const readToolSets = (text: string, code: 'INPUT_INVALID' | 'CLI_USAGE' = 'INPUT_INVALID'): readonly ToolSet[] => {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const sets = TOOL_SETS.filter((set) => names.includes(set));
  const unknown = names.filter((name) => !TOOL_SETS.some((set) => set === name));
  if (unknown.length === 0 && sets.length > 0) return sets;
  const which = unknown.length === 0 ? 'No set of tools is named' : `${unknown.join(', ').slice(0, 100)} is no set of tools`;
  throw new CompanionError(code, `${which}; there are ${TOOL_SETS.join(', ')}.`);
};

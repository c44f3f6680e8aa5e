/** One line that tells a person about a tool call, from whatever arguments the call has. */
import * as z from 'zod';
import { beginning } from '#protocol/beginning.ts';

const MAX_TITLE = 200;

/** Arguments that say what a call works on, the most telling ones first. */
const TELLING = ['command', 'url', 'file_path', 'filePath', 'path', 'pattern', 'query', 'text', 'selector', 'ref', 'description'];

const Arguments = z.record(z.string(), z.unknown());

/** The tool's name and its most telling argument: `browser_navigate https://example.com`. */
export const toolTitle = (tool: string, input: unknown): string => {
  const told = tellingArgument(input);
  return oneLine(told === undefined ? tool : `${tool} ${told}`);
};

/** The shell command among a call's arguments, if it has one. */
export const commandOf = (input: unknown): string | undefined => {
  const parsed = Arguments.safeParse(input);
  const command = parsed.success ? parsed.data['command'] : undefined;
  if (typeof command === 'string') return command;
  return Array.isArray(command) ? command.join(' ') : undefined;
};

/** Whether an MCP tool is a browser tool, Pilotfish's or one of mcp-chrome, whatever the name of its server. */
export const isBrowserTool = (tool: string): boolean => /^(?:browser|chrome)_/.test(tool);

export const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_TITLE ? line : `${beginning(line, MAX_TITLE - 1)}…`;
};

const tellingArgument = (input: unknown): string | undefined => {
  const parsed = Arguments.safeParse(input);
  if (!parsed.success) return undefined;
  for (const key of TELLING) {
    const value = parsed.data[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
};

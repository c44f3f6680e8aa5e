/** Tool calls of ACP agents as our items: what the tool is, what it did, what it changed. */
import path from 'node:path';
import * as z from 'zod';
import { readBlocks } from '#companion/engines/codecs/mcp-content.ts';
import { commandOf, isBrowserTool, oneLine, toolTitle } from '#companion/engines/codecs/tool-title.ts';
import { unifiedFromTexts } from '#companion/engines/codecs/unified-diff.ts';
import type { FileChange, ItemBody, ItemPatch, PlanEntry, ToolKind } from '#protocol/items.ts';
import { PlanUpdate, readToolContent, type ToolContent, type ToolUpdate } from './schema.ts';

const kinds: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ['read', 'read'],
  ['edit', 'edit'],
  ['delete', 'edit'],
  ['move', 'edit'],
  ['search', 'search'],
  ['execute', 'execute'],
  ['think', 'think'],
  ['fetch', 'fetch'],
]);

export interface ToolName {
  readonly tool: string;
  /** The MCP server that has the tool; absent for a tool of the agent's own. */
  readonly server?: string;
}

/** The name that the agent has for our MCP server; null when the session has no browser tools. */
export type OwnServer = string | null;

/**
 * The tool's name from wherever the agent puts it: a field, its `_meta`, the beginning of the call's id, or nothing but
 * the title. MCP tools are told by `mcp__SERVER__TOOL`, `mcp_SERVER_TOOL`, `SERVER_TOOL` or `TOOL (SERVER MCP Server)`.
 */
export const toolName = (update: ToolUpdate, own: OwnServer): ToolName => {
  const name = update._meta?.toolName ?? update._meta?.claudeCode?.toolName ?? update.name ?? idPrefix(update) ?? nameInTitle(update);
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name ?? '') ?? titledMcp(update);
  if (mcp !== null) return { server: mcp[1] ?? '', tool: mcp[2] ?? '' };
  for (const prefix of own === null ? [] : [`mcp_${own}_`, `${own}_`]) {
    if (name?.startsWith(prefix) === true) return { tool: name.slice(prefix.length), server: own ?? '' };
  }
  return { tool: name ?? update.kind ?? oneLine(update.title ?? 'tool') };
};

/** The kinds whose titles the model words, for instance with a command or a file. No name is read from these. */
const WORDED = new Set(['execute', 'edit', 'delete', 'move']);

const isWorded = (update: ToolUpdate): boolean => WORDED.has(update.kind ?? '') || commandOf(update.rawInput) !== undefined;

/** Gives groups like those of `mcp__SERVER__TOOL`, or null where a better name is known. */
const titledMcp = (update: ToolUpdate): readonly string[] | null => {
  if (isWorded(update) || update._meta?.toolName !== undefined || idPrefix(update) !== undefined) return null;
  const titled = /^(\w+) \(([\w-]+) MCP Server\)$/.exec(update.title ?? '');
  return titled === null ? null : ['', titled[2] ?? '', titled[1] ?? ''];
};

/** Gemini's ids are `TOOL__ID`. */
const idPrefix = (update: ToolUpdate): string | undefined => /^([a-z]\w*?)__/.exec(update.toolCallId)?.[1];

/** In the first update about a call of opencode the title is the name of the tool. */
const nameInTitle = (update: ToolUpdate): string | undefined =>
  (!isWorded(update) || isEmptyCall(update)) && /^[a-z]\w*$/.test(update.title ?? '') ? (update.title ?? undefined) : undefined;

/** When there are no arguments yet, the title was not made from them. */
const isEmptyCall = (update: ToolUpdate): boolean => update.status === 'pending' && commandOf(update.rawInput) === undefined;

/** The call's item when it is first heard of. */
export const toToolItem = (update: ToolUpdate, name: ToolName, cwd: string): ItemBody & { kind: 'tool' } => {
  const { title, toolKind, text = '', ...rest } = toToolPatch(update, name, cwd);
  return {
    kind: 'tool',
    tool: name.tool,
    toolKind: toolKind ?? 'other',
    title: title ?? name.tool,
    text,
    ...(name.server === undefined ? {} : { server: name.server }),
    ...('input' in rest ? { input: rest.input } : {}),
    ...(rest.changes === undefined ? {} : { changes: rest.changes }),
    ...(rest.images === undefined ? {} : { images: rest.images }),
  };
};

/** Some agents put the whole output into a code block of Markdown. */
const FENCED = /^(?<fence>`{3,})\w*\n(?<text>[^]*?)\n?\k<fence>$/;

const McpResponse = z
  .array(z.looseObject({ functionResponse: z.looseObject({ response: z.looseObject({ content: z.array(z.unknown()) }) }) }))
  .min(1);

/** Gemini and qwen tell of a failed MCP call as the JSON of the call and of the result; only the server's own words are for a person. */
const mcpErrorOf = (text: string): string | undefined => {
  if (!/^MCP tool '[^']*' reported /.test(text)) return undefined;
  for (const { index, 0: before } of text.matchAll(/ with response: (?=\[)/g)) {
    try {
      const parsed = McpResponse.safeParse(JSON.parse(text.slice(index + before.length)));
      const words = parsed.success ? readBlocks(parsed.data.flatMap(({ functionResponse }) => functionResponse.response.content)).text : '';
      return words === '' ? undefined : words;
    } catch {
      // These words stood in the arguments: the result comes after.
    }
  }
  return undefined;
};

/** What an update says about the item: absent fields stay as they are. */
export const toToolPatch = (update: ToolUpdate, { tool }: ToolName, cwd: string): ItemPatch => {
  const input = inputOf(update);
  const content = readToolContent(update.content ?? []);
  const shell = readShell(update.rawOutput);
  const { text: written, images } = readBlocks(content.flatMap((part) => (part.type === 'content' ? [part.content] : [])));
  const text = FENCED.exec(written)?.groups?.['text'] ?? mcpErrorOf(written) ?? written;
  const changes = content.flatMap((part): FileChange[] => (part.type === 'diff' ? [toChange(part, cwd)] : []));
  const title = titleOf(update, tool, input);
  const shown = shell.text ?? (text === '' ? undefined : text);
  return {
    ...(title === undefined ? {} : { title }),
    ...(isBrowserTool(tool)
      ? { toolKind: 'browser' }
      : typeof update.kind === 'string'
        ? { toolKind: kinds.get(update.kind) ?? 'other' }
        : {}),
    ...(input === undefined ? {} : { input }),
    // What stands in a call that waits for permission is the agent's remark about it, not what came of it.
    ...(shown === undefined || update.status === 'pending' ? {} : { text: shown }),
    ...(changes.length === 0 ? {} : { changes }),
    ...(images.length === 0 ? {} : { images }),
    ...(shell.exitCode === undefined ? {} : { exitCode: shell.exitCode }),
  };
};

const Todos = z.looseObject({
  todos: z.array(z.looseObject({ content: z.string(), status: PlanUpdate.shape.entries.element.shape.status })),
});

/** The plan in the arguments of an agent's own todo tool, for agents that send no plan updates. */
export const planOf = (update: ToolUpdate): PlanEntry[] | null => {
  const parsed = Todos.safeParse(update.rawInput);
  return parsed.success ? parsed.data.todos.map(({ content, status }) => ({ content, status })) : null;
};

/** Ids of the terminals a call shows. */
export const terminalsOf = (update: ToolUpdate): string[] =>
  readToolContent(update.content ?? []).flatMap((part) => (part.type === 'terminal' ? [part.terminalId] : []));

const isFilled = (input: unknown): boolean => typeof input === 'object' && input !== null && Object.keys(input).length > 0;

/** The arguments; gemini has them only as JSON text in what it shows with a permission. */
const inputOf = (update: ToolUpdate): unknown => {
  if (isFilled(update.rawInput)) return update.rawInput;
  if (update.status !== 'pending') return undefined;
  const { text } = readBlocks(readToolContent(update.content ?? []).flatMap((part) => (part.type === 'content' ? [part.content] : [])));
  try {
    const value: unknown = JSON.parse(text);
    return isFilled(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const titleOf = (update: ToolUpdate, tool: string, input: unknown): string | undefined => {
  const command = update.kind === 'execute' || update.kind === undefined ? commandOf(input) : undefined;
  if (command !== undefined) return oneLine(command);
  if (isBrowserTool(tool)) return input === undefined ? undefined : toolTitle(tool, input);
  return typeof update.title === 'string' ? oneLine(update.title) : undefined;
};

const toChange = (diff: ToolContent & { type: 'diff' }, cwd: string): FileChange => {
  const file = path.resolve(cwd, diff.path);
  // Gemini and opencode give the empty text for a file that is not there yet.
  const isNew = diff._meta?.kind === undefined ? diff.oldText === '' : diff._meta.kind === 'add';
  const before = isNew ? null : (diff.oldText ?? null);
  return { path: file, change: before === null ? 'add' : 'update', unified: unifiedFromTexts(file, before, diff.newText) };
};

const Shell = z.looseObject({
  type: z.string().optional(),
  output: z.string().optional(),
  exitCode: z.number().nullish(),
  metadata: z.looseObject({ exit: z.number().nullish() }).optional(),
});

/** What agents tell of a finished command outside the text, which some of them fill with headings. */
const readShell = (rawOutput: unknown): { text?: string; exitCode?: number } => {
  const parsed = Shell.safeParse(rawOutput);
  if (!parsed.success) return {};
  const { type, output, exitCode, metadata } = parsed.data;
  const code = exitCode ?? metadata?.exit;
  return {
    ...(type === 'shell_result' && output !== undefined ? { text: output } : {}),
    ...(typeof code === 'number' ? { exitCode: code } : {}),
  };
};

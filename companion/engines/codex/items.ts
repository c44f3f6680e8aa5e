/** Thread items of codex as our items. */
import { basename } from 'node:path';
import type { FileChange, ItemBody, ItemPatch, ItemStatus, ToolKind } from '#protocol/items.ts';
import { notice } from '#protocol/notices.ts';
import { readBlocks } from '#companion/engines/codecs/mcp-content.ts';
import { isBrowserTool, oneLine, toolTitle } from '#companion/engines/codecs/tool-title.ts';
import { unifiedFromHunks, unifiedFromTexts } from '#companion/engines/codecs/unified-diff.ts';
import type { FileUpdate, ThreadItem } from './schema.ts';

/** The item as it begins, or null when it is not shown. */
export const toItem = (item: ThreadItem): ItemBody | null => {
  switch (item.type) {
    case 'userMessage':
      return null;
    case 'agentMessage':
    case 'plan':
      return { kind: 'message', role: 'assistant', text: item.text };
    case 'reasoning':
      return { kind: 'thought', text: thoughtText(item) };
    case 'commandExecution':
      return {
        ...tool('shell', commandKind(item.commandActions), oneLine(shellCommand(item))),
        input: { command: shellCommand(item), cwd: item.cwd },
      };
    case 'fileChange':
      return { ...tool('edit', 'edit', editTitle(item.changes)), changes: toChanges(item.changes) };
    case 'mcpToolCall':
      return {
        ...tool(item.tool, isBrowserTool(item.tool) ? 'browser' : 'other', toolTitle(item.tool, item.arguments)),
        server: item.server,
        input: item.arguments,
      };
    case 'webSearch':
      return { ...tool('web_search', 'search', oneLine(item.query)), input: { query: item.query } };
    case 'imageView':
      return { ...tool('view_image', 'read', basename(item.path)), input: { path: item.path } };
    case 'collabAgentToolCall':
      return { ...tool(item.tool, 'task', toolTitle(item.tool, { text: item.prompt })), input: { prompt: item.prompt } };
    case 'contextCompaction':
      return { kind: 'notice', level: 'info', ...notice('shortened') };
  }
};

/** How the item ended, and its final form. */
export const toEnd = (item: ThreadItem): { status: ItemStatus; patch: ItemPatch } => {
  switch (item.type) {
    case 'agentMessage':
    case 'plan':
      return { status: 'completed', patch: { text: item.text } };
    case 'reasoning':
      return { status: 'completed', patch: { text: thoughtText(item) } };
    case 'commandExecution': {
      // Without a final output (a command that printed nothing or too much), the streamed output stays.
      const output = item.aggregatedOutput ?? undefined;
      return {
        status: toStatus(item.status),
        patch: { ...(output === undefined ? {} : { text: output }), exitCode: item.exitCode ?? null },
      };
    }
    case 'fileChange':
      return { status: toStatus(item.status), patch: { changes: toChanges(item.changes) } };
    case 'mcpToolCall': {
      const { text, images } = readBlocks(item.result?.content ?? []);
      return {
        status: item.error?.message.startsWith('user rejected') === true ? 'denied' : toStatus(item.status),
        patch: { text: item.error?.message ?? text, ...(images.length === 0 ? {} : { images }) },
      };
    }
    case 'webSearch':
      return { status: 'completed', patch: { title: oneLine(item.query) } };
    case 'collabAgentToolCall':
      return { status: toStatus(item.status), patch: {} };
    case 'userMessage':
    case 'imageView':
    case 'contextCompaction':
      return { status: 'completed', patch: {} };
  }
};

/** Changed files with whole unified diffs: codex gives bare hunks, and for a new or deleted file its content. */
export const toChanges = (changes: readonly FileUpdate[]): FileChange[] =>
  changes.map(({ path, kind, diff }) => {
    switch (kind.type) {
      case 'add':
        return { path, change: 'add', unified: unifiedFromTexts(path, null, diff) };
      case 'delete':
        return { path, change: 'delete', unified: unifiedFromTexts(path, diff, null) };
      case 'update':
        return typeof kind.move_path === 'string'
          ? { path, change: 'move', unified: unifiedFromHunks(path, withoutTarget(diff, kind.move_path)), movedTo: kind.move_path }
          : { path, change: 'update', unified: unifiedFromHunks(path, diff) };
    }
  });

/** Below the hunks of a moved file codex writes in words where the file went. */
const withoutTarget = (diff: string, movedTo: string): string => {
  const said = `\n\nMoved to: ${movedTo}`;
  return diff.endsWith(said) ? diff.slice(0, -said.length) : diff;
};

const tool = (name: string, toolKind: ToolKind, title: string) => ({ kind: 'tool', tool: name, toolKind, title, text: '' }) as const;

const thoughtText = (item: { summary: readonly string[]; content: readonly string[] }): string =>
  (item.summary.length > 0 ? item.summary : item.content).join('\n\n');

/** The command itself, without the shell that codex wraps it in. */
const shellCommand = (item: { command: string; commandActions: readonly { command: string }[] }): string => {
  const [only] = item.commandActions;
  return only !== undefined && item.commandActions.length === 1 ? only.command : item.command;
};

const commandKind = (actions: readonly { type: string }[]): ToolKind => {
  if (actions.length > 0 && actions.every((action) => action.type === 'read' || action.type === 'listFiles')) return 'read';
  return actions.length > 0 && actions.every((action) => action.type === 'search') ? 'search' : 'execute';
};

const editTitle = (changes: readonly FileUpdate[]): string => {
  const [first] = changes;
  return first !== undefined && changes.length === 1 ? basename(first.path) : `${changes.length} files`;
};

const toStatus = (status: string): ItemStatus => {
  switch (status) {
    case 'completed':
      return 'completed';
    case 'declined':
      return 'denied';
    case 'interrupted':
      return 'cancelled';
    default:
      return 'failed';
  }
};

/** The result of a tool call: text, images, diffs, an exit code, and whether it ran at all. */
import * as z from 'zod';
import type { FileChange, ItemImage, ItemPatch, ItemStatus } from '#protocol/items.ts';
import { unifiedFromHunks, unifiedFromTexts } from '#companion/engines/codecs/unified-diff.ts';
import type { ToolResultBlock, ToolResultMeta } from './frames.ts';

const Text = z.looseObject({ type: z.literal('text'), text: z.string() });
const Image = z.looseObject({
  type: z.literal('image'),
  source: z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
});

/** A subagent's report. What the model gets of it is wrapped in advice, so it is read from here. */
const Report = z.looseObject({ agentId: z.string(), content: z.array(Text) });

const Edited = z.looseObject({
  filePath: z.string(),
  type: z.string().optional(),
  content: z.string().optional(),
  originalFile: z.string().nullish(),
  structuredPatch: z.array(
    z.looseObject({
      oldStart: z.number(),
      oldLines: z.number(),
      newStart: z.number(),
      newLines: z.number(),
      lines: z.array(z.string()),
    }),
  ),
});

/** The end state of a call. With `isInterrupting` the user has asked to stop, so that a failure counts as cancelled. */
export const resultStatus = (block: ToolResultBlock, meta: ToolResultMeta | undefined, isInterrupting: boolean): ItemStatus => {
  if (block.is_error !== true) return 'completed';
  // `non_execution_kind` names the wrong cause for refusals, so it counts only when no decision is given.
  if (meta?.permission_decision?.decision === 'reject') return 'denied';
  if (isInterrupting || meta?.non_execution_kind === 'user-rejected') return 'cancelled';
  return 'failed';
};

/** The final form of a call's item. `structured` is claude's own record of it, whose form depends on the tool. */
export const resultPatch = (tool: string, block: ToolResultBlock, structured: unknown): ItemPatch => {
  const report = Report.safeParse(structured);
  const { text, images } = report.success ? readContent({ ...block, content: report.data.content }) : readContent(block);
  const changes = block.is_error === true ? [] : readChanges(structured);
  const exitCode = tool === 'Bash' ? exitCodeOf(text, block.is_error === true) : undefined;
  return {
    text,
    ...(images.length === 0 ? {} : { images }),
    ...(changes.length === 0 ? {} : { changes }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
};

const readContent = (block: ToolResultBlock): { text: string; images: ItemImage[] } => {
  if (typeof block.content === 'string') return { text: toPersonsText(block.content), images: [] };
  const texts: string[] = [];
  const images: ItemImage[] = [];
  for (const part of block.content ?? []) {
    const text = Text.safeParse(part);
    const image = Image.safeParse(part);
    // Claude saves the images of MCP tools in its own folder and adds a text that says where, which is left out.
    if (text.success && !text.data.text.startsWith('[Image: source:')) texts.push(text.data.text);
    if (image.success) images.push({ mimeType: image.data.source.media_type, dataBase64: image.data.source.data });
  }
  return { text: toPersonsText(texts.join('\n')), images };
};

/** Without what claude adds for its model alone: the tags around a fault of a call, and reminders after the result. */
const toPersonsText = (text: string): string => {
  const fault = /^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/.exec(text)?.[1] ?? text;
  const reminder = fault.lastIndexOf('\n<system-reminder>');
  return reminder >= 0 && fault.trimEnd().endsWith('</system-reminder>') ? fault.slice(0, reminder).trimEnd() : fault;
};

const readChanges = (structured: unknown): FileChange[] => {
  const parsed = Edited.safeParse(structured);
  if (!parsed.success) return [];
  const { filePath: path, type, content, structuredPatch } = parsed.data;
  if (type === 'create') return [{ path, change: 'add', unified: unifiedFromTexts(path, null, content ?? '') }];
  const hunks = structuredPatch.map(
    (hunk) =>
      `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@\n${hunk.lines.map((line) => `${line}\n`).join('')}`,
  );
  return [{ path, change: 'update', unified: unifiedFromHunks(path, hunks.join('')) }];
};

/** The exit code stands only in a text, and only when it is not 0. A command that was refused or interrupted has none. */
const exitCodeOf = (text: string, isError: boolean): number | undefined => {
  if (!isError) return 0;
  const match = /^(?:Error: )?Exit code (\d+)/.exec(text);
  return match?.[1] === undefined ? undefined : Number(match[1]);
};

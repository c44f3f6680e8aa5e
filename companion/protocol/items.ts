/** What a turn is made of: messages, thoughts, tool calls, plans, notices. No vendor's word stands here. */
import * as z from 'zod';
import { AttachmentId } from './ids.ts';
import { SaidValues } from './said-schema.ts';

/** What the user attached to a prompt, as kept in the log: the bytes lie in the store, 0600, under a name that Pilotfish chose. */
export const AttachmentRef = z.object({
  attachmentId: AttachmentId,
  kind: z.enum(['image', 'file', 'screenshot', 'element', 'selection', 'console', 'network', 'page']),
  name: z.string(),
  mimeType: z.string(),
  sizeBytes: z.number(),
});
export type AttachmentRef = z.infer<typeof AttachmentRef>;

/** One changed file of an edit; `unified` is a unified diff, made by the codec when the engine gives old and new text only. */
export const FileChange = z.object({
  path: z.string(),
  change: z.enum(['add', 'update', 'delete', 'move']),
  unified: z.string(),
  movedTo: z.string().optional(),
});
export type FileChange = z.infer<typeof FileChange>;

/** An image a tool returned. */
export const ItemImage = z.object({ mimeType: z.string(), dataBase64: z.string() });
export type ItemImage = z.infer<typeof ItemImage>;

export const PlanEntry = z.object({
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type PlanEntry = z.infer<typeof PlanEntry>;

export const ToolKind = z.enum(['read', 'edit', 'execute', 'search', 'fetch', 'browser', 'task', 'think', 'other']);
export type ToolKind = z.infer<typeof ToolKind>;

const MessageItem = z.object({
  kind: z.literal('message'),
  role: z.enum(['user', 'assistant', 'system']),
  text: z.string(),
  attachments: z.array(AttachmentRef).optional(),
});

const ThoughtItem = z.object({ kind: z.literal('thought'), text: z.string() });

const ToolItem = z.object({
  kind: z.literal('tool'),
  /** The engine's or MCP's name: `Bash`, `browser_snapshot`. */
  tool: z.string(),
  toolKind: ToolKind,
  /** One line for a person: the command, the file, the address. */
  title: z.string(),
  input: z.unknown().optional(),
  /** Text output so far. */
  text: z.string(),
  changes: z.array(FileChange).optional(),
  images: z.array(ItemImage).optional(),
  exitCode: z.number().nullable().optional(),
  /** The MCP server that owns the tool, when it is one of MCP's. */
  server: z.string().optional(),
  /** It goes on after the call has returned, and may outlive its turn; it has a stop of its own. */
  isBackground: z.boolean().optional(),
});

const PlanItem = z.object({ kind: z.literal('plan'), entries: z.array(PlanEntry) });

/** What became of an element that the person had picked, with a picture of it from then and from now where one could be taken. */
export const ProofPair = z.object({
  /** What it is, in the words of its page. */
  element: z.string(),
  isThere: z.boolean(),
  before: AttachmentRef.optional(),
  after: AttachmentRef.optional(),
});
export type ProofPair = z.infer<typeof ProofPair>;

/** How a page of the project's development server has taken the work of a turn. */
export const Proof = z.object({
  url: z.string(),
  /** It was loaded anew, changed while it stayed, or did not change where something was picked. */
  outcome: z.enum(['reloaded', 'updated', 'unchanged']),
  /** What the development server shows above the page because it could not build it: the page's words. */
  buildError: z.string().optional(),
  pairs: z.array(ProofPair),
});
export type Proof = z.infer<typeof Proof>;

/** Which sentence of `NOTICES` it is, and what stands in it. */
const NoticeSaying = z.object({ code: z.string(), values: SaidValues });
export type NoticeSaying = z.infer<typeof NoticeSaying>;

const NoticeItem = z.object({
  kind: z.literal('notice'),
  level: z.enum(['info', 'warning', 'error']),
  text: z.string(),
  /** What `text` says. */
  saying: NoticeSaying.optional(),
  code: z.string().optional(),
  /** It says why its turn failed. Where the end of the turn is drawn, that says it already. */
  endsTurn: z.boolean().optional(),
  /** What was picked in a page, before and after the turn. */
  proof: Proof.optional(),
});

export const ItemBody = z.discriminatedUnion('kind', [MessageItem, ThoughtItem, ToolItem, PlanItem, NoticeItem]);
export type ItemBody = z.infer<typeof ItemBody>;

/** What may change on an item that has started, all in one step; absent fields stay as they are. */
export const ItemPatch = z.object({
  title: z.string().optional(),
  toolKind: ToolKind.optional(),
  input: z.unknown().optional(),
  /** Replaces the text: used to reconcile a stream with its final form. */
  text: z.string().optional(),
  changes: z.array(FileChange).optional(),
  images: z.array(ItemImage).optional(),
  exitCode: z.number().nullable().optional(),
  isBackground: z.boolean().optional(),
  entries: z.array(PlanEntry).optional(),
});
export type ItemPatch = z.infer<typeof ItemPatch>;

export const ItemStatus = z.enum(['running', 'completed', 'failed', 'denied', 'cancelled']);
export type ItemStatus = z.infer<typeof ItemStatus>;

/** What is kept as an attachment beside an item. */
export const attachedTo = (body: ItemBody): readonly AttachmentRef[] => {
  if (body.kind === 'message') return body.attachments ?? [];
  if (body.kind !== 'notice') return [];
  return (body.proof?.pairs ?? []).flatMap(({ before, after }) => [before, after].filter((ref) => ref !== undefined));
};

/** Whether an item is a background task. */
export const isBackgroundTask = (body: ItemBody): boolean => body.kind === 'tool' && body.isBackground === true;

/** Whether an item only repeats, for those who read the items alone, why its turn failed. */
export const isTurnError = (body: ItemBody): boolean => body.kind === 'notice' && body.endsTurn === true;

/** Whether an open item is a background task or part of one: the end of its turn does not end it. `find` gives open items only. */
export const outlivesTurn = <Id extends string>(
  itemId: Id,
  find: (itemId: Id) => { readonly isBackground: boolean; readonly parentItemId: Id | null } | undefined,
): boolean => {
  // A chain that a faulty agent closed to a ring ends too.
  const seen = new Set<Id>();
  for (let id: Id | null = itemId; id !== null && !seen.has(id);) {
    seen.add(id);
    const item = find(id);
    if (item === undefined) return false;
    if (item.isBackground) return true;
    id = item.parentItemId;
  }
  return false;
};

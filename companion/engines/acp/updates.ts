/** `session/update` as events: messages, thoughts, tool calls, the plan. */
import { on, type Handler } from '#companion/engines/codecs/handlers.ts';
import { readBlocks } from '#companion/engines/codecs/mcp-content.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Usage } from '#protocol/events.ts';
import type { PlanEntry } from '#protocol/items.ts';
import type { Effect } from '../engine.ts';
import { SessionUpdate, updates, type TokenCount, type ToolUpdate } from './schema.ts';
import { planOf, terminalsOf, toToolItem, toToolPatch, toolName, type OwnServer } from './tool-call.ts';

export interface UpdatesContext {
  readonly items: OpenItems;
  readonly own: OwnServer;
  readonly cwd: string;
}

export interface Updates {
  /** By kind of update; what only belongs into a turn is dropped outside of one. */
  readonly handlers: Record<string, Handler>;
  /** A turn begins or ends: what comes after it, a replay included, is not of it. */
  setTurn(isOpen: boolean): void;
  /** Shows a call an agent asks permission for before it has told of it. */
  upsert(update: ToolUpdate): Effect[];
  /** Tokens the agent has counted, added to those before. */
  addTokens(count: TokenCount): Effect[];
  /** The call that shows this terminal. */
  itemOfTerminal(terminalId: string): string | undefined;
}

export const createUpdates = ({ items, own, cwd }: UpdatesContext): Updates => {
  /** Calls heard of, ended ones too: what comes late must not begin them again. */
  const seen = new Set<string>();
  const terminals = new Map<string, string>();
  const usage: Usage = {};
  let isInTurn = false;
  let streamed = 0;
  let plans = 0;
  let stream: { itemId: string; kind: 'message' | 'thought'; messageId: string | null } | null = null;

  const endStream = (): Effect[] => {
    const ended = stream === null ? [] : items.complete(stream.itemId, 'completed');
    stream = null;
    return ended;
  };

  const append = (kind: 'message' | 'thought', text: string, messageId: string | null): Effect[] => {
    if (!isInTurn || text === '') return [];
    if (stream !== null && stream.kind === kind && stream.messageId === messageId) return items.append(stream.itemId, text);
    const ended = endStream();
    streamed += 1;
    stream = { itemId: `text-${streamed}`, kind, messageId };
    const item = kind === 'message' ? ({ kind, role: 'assistant', text: '' } as const) : ({ kind, text: '' } as const);
    return [...ended, ...items.start(stream.itemId, item), ...items.append(stream.itemId, text)];
  };

  const showPlan = (entries: PlanEntry[]): Effect[] => {
    const itemId = `plan-${plans}`;
    return items.has(itemId) ? items.update(itemId, { entries }) : items.start(itemId, { kind: 'plan', entries });
  };

  const upsert = (update: ToolUpdate): Effect[] => {
    if (!isInTurn) return [];
    const { toolCallId, status } = update;
    for (const terminalId of terminalsOf(update)) terminals.set(terminalId, toolCallId);
    const entries = TODO_TOOL.test(toolName(update, own).tool) ? planOf(update) : null;
    if (entries !== null) {
      seen.add(toolCallId);
      return showPlan(entries);
    }
    // The first word of a todo call has no entries yet; only one that failed is shown as a call.
    if (!seen.has(toolCallId) && TODO_TOOL.test(toolName(update, own).tool) && status !== 'failed') return [];
    const begun = begin(update);
    if (status === 'completed' || status === 'failed') {
      return [...begun, ...items.complete(toolCallId, status, lastPatch(update))];
    }
    return begun.length > 0 ? begun : items.update(toolCallId, lastPatch(update));
  };

  const begin = (update: ToolUpdate): Effect[] => {
    if (seen.has(update.toolCallId)) return [];
    seen.add(update.toolCallId);
    const parent = update._meta?.claudeCode?.parentToolUseId ?? undefined;
    return [...endStream(), ...items.start(update.toolCallId, toToolItem(update, own, cwd), parent)];
  };

  /** The diff an agent shows with a permission has the whole file; some send only the cut-out later. */
  const lastPatch = (update: ToolUpdate) => {
    const { changes, ...patch } = toToolPatch(update, own, cwd);
    const known = items.find(update.toolCallId);
    return changes === undefined || (known?.kind === 'tool' && known.changes !== undefined) ? patch : { ...patch, changes };
  };

  const addTokens = (count: TokenCount): Effect[] => {
    const { inputTokens = 0, outputTokens = 0, cachedReadTokens = 0, cachedWriteTokens = 0 } = count;
    if (inputTokens + outputTokens + cachedReadTokens === 0) return [];
    usage.inputTokens = (usage.inputTokens ?? 0) + inputTokens;
    usage.outputTokens = (usage.outputTokens ?? 0) + outputTokens;
    if (cachedReadTokens > 0) usage.cacheReadTokens = (usage.cacheReadTokens ?? 0) + cachedReadTokens;
    if (cachedWriteTokens > 0) usage.cacheWriteTokens = (usage.cacheWriteTokens ?? 0) + cachedWriteTokens;
    return [say({ type: 'usage.updated', usage: { ...usage } })];
  };

  const chunk = (kind: 'message' | 'thought'): Handler =>
    on(updates.agent_message_chunk, ({ content, messageId, _meta: meta }) => [
      ...append(kind, readBlocks([content]).text, messageId ?? null),
      ...(isInTurn && meta?.usage !== undefined ? addTokens(meta.usage) : []),
    ]);

  return {
    handlers: {
      agent_message_chunk: chunk('message'),
      agent_thought_chunk: chunk('thought'),
      tool_call: on(updates.tool_call, upsert),
      tool_call_update: on(updates.tool_call_update, upsert),
      plan: on(updates.plan, ({ entries }) => (isInTurn ? showPlan(entries) : [])),
      usage_update: on(updates.usage_update, ({ used, size, cost }) => {
        const costUsd = cost?.currency === 'USD' && cost.amount > 0 ? { costUsd: cost.amount } : {};
        return [say({ type: 'usage.updated', usage: { contextUsed: used, contextWindow: size, ...costUsd } })];
      }),
    },
    setTurn: (isOpen) => {
      isInTurn = isOpen;
      stream = null;
      if (isOpen) plans += 1;
    },
    upsert,
    addTokens,
    itemOfTerminal: (terminalId) => terminals.get(terminalId),
  };
};

/** The todo tool of opencode and qwen. */
const TODO_TOOL = /^todo_?write$/i;

/** The kind of an update and the session it is of; null when it cannot be read. */
export const readUpdate = (params: unknown): { sessionId: string; kind: string; update: unknown } | null => {
  const parsed = SessionUpdate.safeParse(params);
  return parsed.success ? { sessionId: parsed.data.sessionId, kind: parsed.data.update.sessionUpdate, update: parsed.data.update } : null;
};

/** `session/update` as events: messages, thoughts, tool calls, the plan. */
import { isDeepStrictEqual } from 'node:util';
import { on, type Handler, type Handlers } from '#companion/engines/codecs/handlers.ts';
import { readBlocks } from '#companion/engines/codecs/mcp-content.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Usage } from '#protocol/events.ts';
import type { ItemPatch, ItemStatus, PlanEntry } from '#protocol/items.ts';
import type { Effect } from '../engine.ts';
import { SessionUpdate, updates, type TokenCount, type ToolUpdate } from './schema.ts';
import type { AcpTodos } from './spec.ts';
import { planOf, terminalsOf, toToolItem, toToolPatch, toolName, type OwnServer, type ToolName } from './tool-call.ts';

export interface UpdatesContext {
  readonly items: OpenItems;
  readonly own: OwnServer;
  readonly cwd: string;
}

export interface Updates {
  /** By kind of update; what only belongs into a turn is dropped outside of one. */
  readonly handlers: Handlers;
  /** A turn begins, is being cancelled, or is over: what comes outside of one, a replay included, is not shown. */
  setTurn(state: 'open' | 'cancelling' | 'over'): void;
  /** The todo list of an agent that tells of it in a way of its own. */
  showTodos(todos: AcpTodos): Effect[];
  /** Whether anything was shown of the turn. */
  hasShown(): boolean;
  /** Shows a call an agent asks permission for before it has told of it. */
  upsert(update: ToolUpdate): Effect[];
  /** What a call that was told of is called; what the agent names it later may be worded by the model. */
  nameOf(toolCallId: string): ToolName | undefined;
  /** Tokens the agent has counted, added to those before. */
  addTokens(count: TokenCount): Effect[];
  /** The call that shows this terminal. */
  itemOfTerminal(terminalId: string): string | undefined;
}

export const createUpdates = ({ items, own, cwd }: UpdatesContext): Updates => {
  /** Calls heard of, by the name they had first; ended ones too, as what comes late must not begin them again. */
  const names = new Map<string, ToolName>();
  /** Calls that are shown as the plan. */
  const todoCalls = new Set<string>();
  const todos = new Map<string, PlanEntry>();
  const terminals = new Map<string, string>();
  const usage: Usage = {};
  let turn: 'open' | 'cancelling' | 'over' = 'over';
  let streamed = 0;
  let shownBefore = 0;
  let plans = 0;
  let stream: { itemId: string; kind: 'message' | 'thought'; messageId: string | null } | null = null;

  const endStream = (): Effect[] => {
    const ended = stream === null ? [] : items.complete(stream.itemId, 'completed');
    stream = null;
    return ended;
  };

  const append = (kind: 'message' | 'thought', text: string, messageId: string | null): Effect[] => {
    if (turn === 'over' || text === '' || MODE_UPDATE.test(text)) return [];
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
    if (turn === 'over') return [];
    const { toolCallId } = update;
    for (const terminalId of terminalsOf(update)) terminals.set(terminalId, toolCallId);
    const name = names.get(toolCallId) ?? toolName(update, own);
    if (!names.has(toolCallId) && (todoCalls.has(toolCallId) || TODO_TOOL.test(name.tool))) {
      todoCalls.add(toolCallId);
      const entries = planOf(update);
      if (entries !== null) return showPlan(entries);
      // Only one that failed is shown as a call: the first word of the others has no entries yet, the last none any more.
      if (update.status !== 'failed') return [];
    }
    const isNew = !names.has(toolCallId);
    names.set(toolCallId, name);
    const parent = update._meta?.claudeCode?.parentToolUseId ?? undefined;
    const begun = isNew ? [...endStream(), ...items.start(toolCallId, toToolItem(update, name, cwd), parent)] : [];
    const status = endStatus(update.status);
    if (status !== null) return [...begun, ...items.complete(toolCallId, status, change(update, name))];
    return isNew ? begun : changed(toolCallId, change(update, name));
  };

  /** Agents call what a cancel has cut failed or even completed. */
  const endStatus = (status: string | null | undefined): ItemStatus | null => {
    if (status !== 'completed' && status !== 'failed') return null;
    return turn === 'cancelling' ? 'cancelled' : status;
  };

  /** What an update says that was not known before. */
  const change = (update: ToolUpdate, name: ToolName): ItemPatch => {
    const patch = toToolPatch(update, name, cwd);
    const known = items.find(update.toolCallId);
    if (known?.kind !== 'tool') return patch;
    const { title, toolKind, input, changes, ...rest } = patch;
    return {
      ...rest,
      ...(title === undefined || title === known.title ? {} : { title }),
      ...(toolKind === undefined || toolKind === known.toolKind ? {} : { toolKind }),
      ...(input === undefined || isDeepStrictEqual(input, known.input) ? {} : { input }),
      // The diff an agent shows with a permission has the whole file; some send only the cut-out later.
      ...(changes === undefined || known.changes !== undefined ? {} : { changes }),
    };
  };

  /** Output that only grew is sent as what it grew by: some agents repeat all of it with every line. */
  const changed = (itemId: string, { text, ...patch }: ItemPatch): Effect[] => {
    const known = items.find(itemId);
    if (text === undefined || known?.kind !== 'tool' || !text.startsWith(known.text)) {
      return items.update(itemId, text === undefined || (known?.kind === 'tool' && known.text === text) ? patch : { ...patch, text });
    }
    return [...items.update(itemId, patch), ...items.append(itemId, text.slice(known.text.length))];
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
      ...(turn !== 'over' && meta?.usage !== undefined ? addTokens(meta.usage) : []),
    ]);

  return {
    handlers: new Map([
      ['agent_message_chunk', chunk('message')],
      ['agent_thought_chunk', chunk('thought')],
      ['tool_call', on(updates.tool_call, upsert)],
      ['tool_call_update', on(updates.tool_call_update, upsert)],
      ['plan', on(updates.plan, ({ entries }) => (turn === 'over' ? [] : showPlan(entries)))],
      [
        'usage_update',
        on(updates.usage_update, ({ used, size, cost }) => {
          const costUsd = cost?.currency === 'USD' && cost.amount > 0 ? { costUsd: cost.amount } : {};
          return [say({ type: 'usage.updated', usage: { contextUsed: used, contextWindow: size, ...costUsd } })];
        }),
      ],
    ]),
    setTurn: (state) => {
      if (state === 'open') {
        plans += 1;
        shownBefore = streamed + names.size;
      }
      if (state !== 'cancelling') stream = null;
      turn = state;
    },
    showTodos: ({ entries, isMerge }) => {
      if (!isMerge) todos.clear();
      for (const { id, entry } of entries) todos.set(id, entry);
      return turn === 'over' ? [] : showPlan([...todos.values()]);
    },
    hasShown: () => streamed + names.size > shownBefore || items.has(`plan-${plans}`),
    upsert,
    nameOf: (toolCallId) => names.get(toolCallId),
    addTokens,
    itemOfTerminal: (terminalId) => terminals.get(terminalId),
  };
};

/** Gemini says a change of mode as a message of the model. */
const MODE_UPDATE = /^\[MODE_UPDATE\] \S+$/;

/** The todo tool of opencode and qwen. */
const TODO_TOOL = /^todo_?write$/i;

/** The kind of an update and the session it is of; null when it cannot be read. */
export const readUpdate = (params: unknown): { sessionId: string; kind: string; update: unknown } | null => {
  const parsed = SessionUpdate.safeParse(params);
  return parsed.success ? { sessionId: parsed.data.sessionId, kind: parsed.data.update.sessionUpdate, update: parsed.data.update } : null;
};

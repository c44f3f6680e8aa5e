/** Turns `session/update` into events: messages, thoughts, tool calls, the plan. */
import { isDeepStrictEqual } from 'node:util';
import { on, type Handler, type Handlers } from '#companion/engines/codecs/handlers.ts';
import { readBlocks } from '#companion/engines/codecs/mcp-content.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Usage } from '#protocol/events.ts';
import type { ItemPatch, ItemStatus, PlanEntry } from '#protocol/items.ts';
import type { Effect } from '../engine.ts';
import { SessionUpdate, updates, type TokenCount, type ToolUpdate } from './schema.ts';
import type { AcpSpec, AcpTodos } from './spec.ts';
import { planOf, terminalsOf, toToolItem, toToolPatch, toolName, type OwnServer, type ToolName } from './tool-call.ts';

type Kind = 'message' | 'thought';

/** Updates that belong into a turn are dropped when no turn is open. */
export class Updates {
  readonly #items: OpenItems;
  readonly #own: OwnServer;
  readonly #cwd: string;
  readonly #spec: Pick<AcpSpec, 'todoTool' | 'notSaid'>;
  /** The handlers, by kind of update. */
  readonly handlers: Handlers;
  /** The name that each call had first. Calls that have ended stay in it, so that a late update does not begin them again. */
  readonly #names = new Map<string, ToolName>();
  /** Calls that are shown as the plan. */
  readonly #todoCalls = new Set<string>();
  readonly #todos = new Map<string, PlanEntry>();
  readonly #terminals = new Map<string, string>();
  readonly #usage: Usage = {};
  #turn: 'open' | 'cancelling' | 'over' = 'over';
  #streamed = 0;
  #shownBefore = 0;
  #plans = 0;
  #stream: { readonly itemId: string; readonly kind: Kind; readonly messageId: string | null } | null = null;

  constructor(options: {
    readonly items: OpenItems;
    readonly own: OwnServer;
    readonly cwd: string;
    readonly spec: Pick<AcpSpec, 'todoTool' | 'notSaid'>;
  }) {
    this.#items = options.items;
    this.#own = options.own;
    this.#cwd = options.cwd;
    this.#spec = options.spec;
    this.handlers = new Map([
      ['agent_message_chunk', this.#chunk('message')],
      ['agent_thought_chunk', this.#chunk('thought')],
      ['tool_call', on(updates.tool_call, (update) => this.upsert(update))],
      ['tool_call_update', on(updates.tool_call_update, (update) => this.upsert(update))],
      ['plan', on(updates.plan, ({ entries }) => (this.#turn === 'over' ? [] : this.#showPlan(entries)))],
      [
        'usage_update',
        on(updates.usage_update, ({ used, size, cost }) => {
          const costUsd = cost?.currency === 'USD' && cost.amount > 0 ? { costUsd: cost.amount } : {};
          return [say({ type: 'usage.updated', usage: { contextUsed: used, contextWindow: size, ...costUsd } })];
        }),
      ],
    ]);
  }

  /** Says that a turn begins, is being cancelled or is over. Outside of a turn nothing is shown, not even a replay of the conversation. */
  setTurn(state: 'open' | 'cancelling' | 'over'): void {
    if (state === 'open') {
      this.#plans += 1;
      this.#shownBefore = this.#streamed + this.#names.size;
    }
    if (state !== 'cancelling') this.#stream = null;
    this.#turn = state;
  }

  /** Shows the todo list of an agent that has a method of its own for it. */
  showTodos({ entries, isMerge }: AcpTodos): Effect[] {
    if (!isMerge) this.#todos.clear();
    for (const { id, entry } of entries) this.#todos.set(id, entry);
    return this.#turn === 'over' ? [] : this.#showPlan([...this.#todos.values()]);
  }

  /** Whether anything of the turn was shown. */
  hasShown(): boolean {
    return this.#streamed + this.#names.size > this.#shownBefore || this.#items.has(`plan-${this.#plans}`);
  }

  /** The name of a call that was told of before; the names that come later may be the model's words. */
  nameOf(toolCallId: string): ToolName | undefined {
    return this.#names.get(toolCallId);
  }

  /** The call that shows this terminal. */
  itemOfTerminal(terminalId: string): string | undefined {
    return this.#terminals.get(terminalId);
  }

  /** Adds the tokens that the agent has counted to those before. */
  addTokens(count: TokenCount): Effect[] {
    const { inputTokens = 0, outputTokens = 0, cachedReadTokens = 0, cachedWriteTokens = 0 } = count;
    if (inputTokens + outputTokens + cachedReadTokens === 0) return [];
    const usage = this.#usage;
    usage.inputTokens = (usage.inputTokens ?? 0) + inputTokens;
    usage.outputTokens = (usage.outputTokens ?? 0) + outputTokens;
    if (cachedReadTokens > 0) usage.cacheReadTokens = (usage.cacheReadTokens ?? 0) + cachedReadTokens;
    if (cachedWriteTokens > 0) usage.cacheWriteTokens = (usage.cacheWriteTokens ?? 0) + cachedWriteTokens;
    return [say({ type: 'usage.updated', usage: { ...usage }, isOfProcess: true })];
  }

  /** Shows a call, or what has changed about it. An agent may ask permission for a call before it has told of it. */
  upsert(update: ToolUpdate): Effect[] {
    if (this.#turn === 'over') return [];
    const { toolCallId } = update;
    for (const terminalId of terminalsOf(update)) this.#terminals.set(terminalId, toolCallId);
    const isNew = !this.#names.has(toolCallId);
    const name = this.#names.get(toolCallId) ?? toolName(update, this.#own);
    if (isNew && (this.#todoCalls.has(toolCallId) || this.#spec.todoTool?.test(name.tool) === true)) {
      this.#todoCalls.add(toolCallId);
      const entries = planOf(update);
      if (entries !== null) return this.#showPlan(entries);
      // Only a failed one is shown as a call: the first update of the others has no entries yet, and the last has none any more.
      if (update.status !== 'failed') return [];
    }
    this.#names.set(toolCallId, name);
    const parent = update._meta?.claudeCode?.parentToolUseId ?? undefined;
    const item = isNew ? this.#items.start(toolCallId, toToolItem(update, name, this.#cwd), parent) : [];
    const begun = isNew ? [...this.#endStream(), ...item] : [];
    const status = this.#endStatus(update.status);
    if (status !== null) return [...begun, ...this.#items.complete(toolCallId, status, this.#news(update, name))];
    return isNew ? begun : this.#change(toolCallId, this.#news(update, name));
  }

  #chunk(kind: Kind): Handler {
    return on(updates.agent_message_chunk, ({ content, messageId, _meta: meta }) => [
      ...this.#append(kind, readBlocks([content]).text, messageId ?? null),
      ...(this.#turn !== 'over' && meta?.usage !== undefined ? this.addTokens(meta.usage) : []),
    ]);
  }

  #append(kind: Kind, text: string, messageId: string | null): Effect[] {
    if (this.#turn === 'over' || text === '' || this.#spec.notSaid?.test(text) === true) return [];
    if (this.#stream !== null && this.#stream.kind === kind && this.#stream.messageId === messageId) {
      return this.#items.append(this.#stream.itemId, text);
    }
    const ended = this.#endStream();
    this.#streamed += 1;
    const itemId = `text-${this.#streamed}`;
    this.#stream = { itemId, kind, messageId };
    const item = kind === 'message' ? ({ kind, role: 'assistant', text: '' } as const) : ({ kind, text: '' } as const);
    return [...ended, ...this.#items.start(itemId, item), ...this.#items.append(itemId, text)];
  }

  #endStream(): Effect[] {
    const ended = this.#stream === null ? [] : this.#items.complete(this.#stream.itemId, 'completed');
    this.#stream = null;
    return ended;
  }

  #showPlan(entries: PlanEntry[]): Effect[] {
    const itemId = `plan-${this.#plans}`;
    return this.#items.has(itemId) ? this.#items.update(itemId, { entries }) : this.#items.start(itemId, { kind: 'plan', entries });
  }

  /** Agents call a cancelled call failed or even completed. */
  #endStatus(status: string | null | undefined): ItemStatus | null {
    if (status !== 'completed' && status !== 'failed') return null;
    return this.#turn === 'cancelling' ? 'cancelled' : status;
  }

  /** The part of an update that was not known before. */
  #news(update: ToolUpdate, name: ToolName): ItemPatch {
    const patch = toToolPatch(update, name, this.#cwd);
    const known = this.#items.find(update.toolCallId);
    if (known?.kind !== 'tool') return patch;
    const { title, toolKind, input, changes, ...rest } = patch;
    return {
      ...rest,
      ...(title === undefined || title === known.title ? {} : { title }),
      ...(toolKind === undefined || toolKind === known.toolKind ? {} : { toolKind }),
      ...(input === undefined || isDeepStrictEqual(input, known.input) ? {} : { input }),
      // The diff that an agent shows with a permission covers the whole file; some send only an excerpt later.
      ...(changes === undefined || known.changes !== undefined ? {} : { changes }),
    };
  }

  /** When output has only grown, only the new part is sent: some agents repeat all of it with every line. */
  #change(itemId: string, { text, ...patch }: ItemPatch): Effect[] {
    const known = this.#items.find(itemId);
    if (text === undefined || known?.kind !== 'tool' || !text.startsWith(known.text)) {
      const isKnown = text === undefined || (known?.kind === 'tool' && known.text === text);
      return this.#items.update(itemId, isKnown ? patch : { ...patch, text });
    }
    return [...this.#items.update(itemId, patch), ...this.#items.append(itemId, text.slice(known.text.length))];
  }
}

/** The kind of an update and the session it is of; null when it cannot be read. */
export const readUpdate = (params: unknown): { sessionId: string; kind: string; update: unknown } | null => {
  const parsed = SessionUpdate.safeParse(params);
  return parsed.success ? { sessionId: parsed.data.sessionId, kind: parsed.data.update.sessionUpdate, update: parsed.data.update } : null;
};

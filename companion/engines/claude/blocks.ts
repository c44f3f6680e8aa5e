/** The streamed text and thoughts of claude's messages, reconciled with their final form. */
import type { ItemBody } from '#protocol/items.ts';
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { TextBlock, ThinkingBlock, ToolUseBlock, type AssistantFrame, type StreamEventFrame } from './frames.ts';

/** One message of the provider: which of its blocks is open, and which item each block became. */
interface Message {
  /** The call that started the subagent, when a subagent speaks. */
  readonly parent: string | undefined;
  openIndex: number | null;
  nextIndex: number;
  readonly itemIds: Map<number, string>;
}

/** A tool call. It is reported as soon as it begins, and again with all its arguments and `isFinal`. */
type OnToolUse = (block: ToolUseBlock, parentItemId: string | undefined, isFinal: boolean) => Effect[];

export class Blocks {
  readonly #items: OpenItems;
  readonly #onToolUse: OnToolUse;
  readonly #messages = new Map<string, Message>();
  /** Older versions do not repeat the message's id on each event; the newest message of that agent is meant then. */
  readonly #newest = new Map<string | null, string>();

  constructor(items: OpenItems, onToolUse: OnToolUse) {
    this.#items = items;
    this.#onToolUse = onToolUse;
  }

  /** One raw event of the provider's stream. */
  stream(frame: StreamEventFrame): Effect[] {
    const parent = frame.parent_tool_use_id ?? undefined;
    const { event } = frame;
    if (event.message?.id !== undefined) this.#newest.set(parent ?? null, event.message.id);
    const messageId = frame.api_message_id ?? this.#newest.get(parent ?? null);
    if (messageId === undefined) return [];
    const index = event.index ?? 0;
    switch (event.type) {
      case 'content_block_start':
        return this.#begin(messageId, index, event.content_block, parent);
      case 'content_block_delta':
        if (event.delta?.type === 'text_delta') return this.#append(messageId, index, MESSAGE, event.delta.text ?? '', parent);
        if (event.delta?.type === 'thinking_delta') return this.#append(messageId, index, THOUGHT, event.delta.thinking ?? '', parent);
        return [];
      case 'content_block_stop': {
        const message = this.#messageOf(messageId);
        if (message.openIndex === index) message.openIndex = null;
        return [];
      }
      case 'message_stop':
        return frame.abandoned_blocks ? this.#abandon(frame.abandoned_blocks.api_message_id, frame.abandoned_blocks.from_block_index) : [];
      default:
        return [];
    }
  }

  /** Takes finished blocks, which come before the stream says that they have ended. */
  final(frame: AssistantFrame): Effect[] {
    const parent = frame.parent_tool_use_id ?? undefined;
    const message = this.#messageOf(frame.message.id, parent);
    const status = frame.aborted === true ? 'cancelled' : 'completed';
    return frame.message.content.flatMap((block) => {
      // A block that was not streamed (after a cut, or of a subagent) takes the next place.
      const index = message.openIndex ?? message.nextIndex;
      message.openIndex = null;
      message.nextIndex = Math.max(message.nextIndex, index + 1);
      const tool = ToolUseBlock.safeParse(block);
      if (tool.success) return this.#onToolUse(tool.data, parent, true);
      const text = TextBlock.safeParse(block);
      const thinking = ThinkingBlock.safeParse(block);
      const words = text.success ? text.data.text : thinking.success ? thinking.data.thinking : '';
      if (words === '') return [];
      const { itemId, effects } = this.#itemOf(frame.message.id, index, text.success ? MESSAGE : THOUGHT, parent);
      return [...effects, ...this.#items.complete(itemId, status, { text: words })];
    });
  }

  /** Forgets the messages of a turn that has ended; those of background tasks go on. */
  clear(): void {
    const isKept = (parent: string | null | undefined): boolean => typeof parent === 'string' && this.#items.isInBackground(parent);
    for (const [id, { parent }] of this.#messages) if (!isKept(parent)) this.#messages.delete(id);
    for (const parent of this.#newest.keys()) if (!isKept(parent)) this.#newest.delete(parent);
  }

  #begin(messageId: string, index: number, block: unknown, parent: string | undefined): Effect[] {
    const message = this.#messageOf(messageId, parent);
    message.openIndex = index;
    message.nextIndex = index + 1;
    const tool = ToolUseBlock.safeParse(block);
    if (!tool.success) return [];
    message.itemIds.set(index, tool.data.id);
    return this.#onToolUse(tool.data, parent, false);
  }

  #append(messageId: string, index: number, body: ItemBody, text: string, parent: string | undefined): Effect[] {
    if (text === '') return [];
    const { itemId, effects } = this.#itemOf(messageId, index, body, parent);
    return [...effects, ...this.#items.append(itemId, text)];
  }

  /** Takes back what a broken stream had said before the request was repeated; claude does so too. */
  #abandon(messageId: string, fromIndex: number): Effect[] {
    const { itemIds } = this.#messageOf(messageId);
    const dropped = [...itemIds].filter(([index]) => index >= fromIndex);
    return dropped.flatMap(([index, itemId]) => {
      itemIds.delete(index);
      return [...this.#items.complete(itemId, 'cancelled'), say({ type: 'item.dropped', itemId })];
    });
  }

  #messageOf(id: string, parent?: string): Message {
    const known = this.#messages.get(id);
    if (known !== undefined) return known;
    const message: Message = { parent, openIndex: null, nextIndex: 0, itemIds: new Map() };
    this.#messages.set(id, message);
    return message;
  }

  /** The item of a block. It begins with the first words, so that an empty block is never shown. */
  #itemOf(messageId: string, index: number, body: ItemBody, parent: string | undefined): { itemId: string; effects: Effect[] } {
    const { itemIds } = this.#messageOf(messageId, parent);
    const itemId = `${messageId}:${index}`;
    if (itemIds.has(index)) return { itemId, effects: [] };
    itemIds.set(index, itemId);
    return { itemId, effects: this.#items.start(itemId, body, parent) };
  }
}

const MESSAGE: ItemBody = { kind: 'message', role: 'assistant', text: '' };
const THOUGHT: ItemBody = { kind: 'thought', text: '' };

/** The streamed text and thoughts of claude's messages, reconciled with their final form. */
import type { ItemBody } from '#protocol/items.ts';
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { TextBlock, ThinkingBlock, ToolUseBlock, type AssistantFrame, type StreamEventFrame } from './frames.ts';

export interface Blocks {
  /** One raw event of the provider's stream. */
  stream(frame: StreamEventFrame): Effect[];
  /** A finished block, which comes before the stream says that it has ended. */
  final(frame: AssistantFrame): Effect[];
  /** Forgets the messages of a turn that has ended; those of background tasks go on. */
  clear(): void;
}

/** One message of the provider: which of its blocks is open, and which items its blocks became. */
interface Message {
  /** The subagent's call, when it is a subagent that speaks. */
  readonly parent: string | undefined;
  openIndex: number | null;
  nextIndex: number;
  readonly itemIds: Map<number, string>;
}

/** `onToolUse` gets each tool call twice: as soon as it begins, then with all its arguments. */
export const createBlocks = (
  items: OpenItems,
  onToolUse: (block: ToolUseBlock, parentItemId: string | undefined, isFinal: boolean) => Effect[],
): Blocks => {
  const messages = new Map<string, Message>();
  // Older versions do not repeat the message's id on each event; then the newest message of that agent is meant.
  const newest = new Map<string | null, string>();

  const messageOf = (id: string, parent?: string): Message => {
    const known = messages.get(id);
    if (known !== undefined) return known;
    const message: Message = { parent, openIndex: null, nextIndex: 0, itemIds: new Map() };
    messages.set(id, message);
    return message;
  };

  /** The item of a block, begun with its first words: an empty block is never shown. */
  const itemOf = (messageId: string, index: number, body: ItemBody, parent: string | undefined): { itemId: string; effects: Effect[] } => {
    const { itemIds } = messageOf(messageId, parent);
    const itemId = `${messageId}:${index}`;
    if (itemIds.has(index)) return { itemId, effects: [] };
    itemIds.set(index, itemId);
    return { itemId, effects: items.start(itemId, body, parent) };
  };

  const append = (messageId: string, index: number, body: ItemBody, text: string, parent: string | undefined): Effect[] => {
    if (text === '') return [];
    const { itemId, effects } = itemOf(messageId, index, body, parent);
    return [...effects, ...items.append(itemId, text)];
  };

  /** What a cut stream had said before the request was repeated; claude takes it back. */
  const abandon = (messageId: string, fromIndex: number): Effect[] => {
    const dropped = [...messageOf(messageId).itemIds].filter(([index]) => index >= fromIndex);
    return dropped.flatMap(([index, itemId]) => {
      messageOf(messageId).itemIds.delete(index);
      return [...items.complete(itemId, 'cancelled'), say({ type: 'item.dropped', itemId })];
    });
  };

  return {
    stream: (frame) => {
      const parent = frame.parent_tool_use_id ?? undefined;
      const { event } = frame;
      if (event.message?.id !== undefined) newest.set(parent ?? null, event.message.id);
      const messageId = frame.api_message_id ?? newest.get(parent ?? null);
      if (messageId === undefined) return [];
      const index = event.index ?? 0;
      switch (event.type) {
        case 'content_block_start': {
          const message = messageOf(messageId, parent);
          message.openIndex = index;
          message.nextIndex = index + 1;
          const tool = ToolUseBlock.safeParse(event.content_block);
          if (!tool.success) return [];
          message.itemIds.set(index, tool.data.id);
          return onToolUse(tool.data, parent, false);
        }
        case 'content_block_delta':
          if (event.delta?.type === 'text_delta') return append(messageId, index, MESSAGE, event.delta.text ?? '', parent);
          if (event.delta?.type === 'thinking_delta') return append(messageId, index, THOUGHT, event.delta.thinking ?? '', parent);
          return [];
        case 'content_block_stop': {
          const message = messageOf(messageId);
          if (message.openIndex === index) message.openIndex = null;
          return [];
        }
        case 'message_stop':
          return frame.abandoned_blocks ? abandon(frame.abandoned_blocks.api_message_id, frame.abandoned_blocks.from_block_index) : [];
        default:
          return [];
      }
    },
    final: (frame) => {
      const parent = frame.parent_tool_use_id ?? undefined;
      const message = messageOf(frame.message.id, parent);
      const status = frame.aborted === true ? 'cancelled' : 'completed';
      return frame.message.content.flatMap((block) => {
        // A block that was not streamed (after a cut, or of a subagent) takes the next place.
        const index = message.openIndex ?? message.nextIndex;
        message.openIndex = null;
        message.nextIndex = Math.max(message.nextIndex, index + 1);
        const tool = ToolUseBlock.safeParse(block);
        if (tool.success) return onToolUse(tool.data, parent, true);
        const text = TextBlock.safeParse(block);
        const thinking = ThinkingBlock.safeParse(block);
        const words = text.success ? text.data.text : thinking.success ? thinking.data.thinking : '';
        if (words === '') return [];
        const { itemId, effects } = itemOf(frame.message.id, index, text.success ? MESSAGE : THOUGHT, parent);
        return [...effects, ...items.complete(itemId, status, { text: words })];
      });
    },
    clear: () => {
      const isKept = (parent: string | null | undefined): boolean => typeof parent === 'string' && items.isInBackground(parent);
      for (const [id, { parent }] of messages) if (!isKept(parent)) messages.delete(id);
      for (const parent of newest.keys()) if (!isKept(parent)) newest.delete(parent);
    },
  };
};

const MESSAGE: ItemBody = { kind: 'message', role: 'assistant', text: '' };
const THOUGHT: ItemBody = { kind: 'thought', text: '' };

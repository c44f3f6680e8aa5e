/**
 * The entries of a session's document. Each has a place that no other entry is ever given: a tool call has two, one for the call
 * and one for its result, and what an agent took back leaves an empty entry. Pure.
 */
import type { PlainMessage } from '#protocol/api.ts';
import type { ItemBody } from '#protocol/items.ts';
import type { SessionView, ViewItem } from '#protocol/view.ts';
import { toAgentMessage, type AgentMessage } from './realtime.ts';

/** A message with the names of both kinds of existing clients: those that merge by id, and those that look at `type`. */
export type Entry = AgentMessage & {
  readonly type: 'user' | 'assistant' | 'tool_use' | 'tool_result' | 'thinking' | 'error' | 'system';
  /** Unix milliseconds. */
  readonly timestamp: number;
  readonly tool?: string;
  readonly toolUseId?: string;
  readonly input?: unknown;
  readonly output?: string;
  readonly message?: string;
};

/** The entries of an item, in the order of their places. */
export const toEntries = (view: SessionView, item: ViewItem): Entry[] => {
  const isStreaming = item.status === 'running';
  // Both are always there, so that the end of a long text changes two marks and not the whole entry.
  const message = { ...toAgentMessage(view, item), isStreaming, isFinal: !isStreaming };
  const { body, at: timestamp } = item;
  if (body.kind !== 'tool') return [{ ...message, type: typeOf(body), timestamp, ...(isError(body) ? { message: body.text } : {}) }];
  const call = { tool: body.tool, toolUseId: item.itemId, timestamp };
  return [
    { ...message, ...call, type: 'tool_use', messageType: 'tool_use', content: body.title, input: body.input ?? null },
    {
      ...message,
      ...call,
      id: `${item.itemId}:result`,
      type: 'tool_result',
      messageType: 'tool_result',
      content: body.text,
      output: body.text,
    },
  ];
};

/** What stands at the place of something that was taken back. */
export const emptyEntry = ({ sessionId }: SessionView, place: number): Entry => ({
  id: `removed:${place}`,
  sessionId,
  conversationId: sessionId,
  role: 'system',
  content: '',
  messageType: 'status',
  isFinal: true,
  createdAt: new Date(0).toISOString(),
  metadata: { isRemoved: true },
  type: 'system',
  timestamp: 0,
});

/** The history without places: what was taken back is not in it, nor the result of a call that still runs. */
export const toPlainMessages = (view: SessionView): PlainMessage[] =>
  view.items.flatMap((item) => toEntries(view, item).filter(isOver).map(toPlainMessage));

const isOver = ({ type, isStreaming }: Entry): boolean => type !== 'tool_result' || isStreaming !== true;

const toPlainMessage = ({ type, timestamp, content, tool = '', toolUseId = '', input = null }: Entry): PlainMessage => {
  switch (type) {
    case 'tool_use':
      return { type, tool, toolUseId, input, timestamp };
    case 'tool_result':
      return { type, tool, toolUseId, output: content, timestamp };
    case 'error':
      return { type, message: content, timestamp };
    case 'user':
    case 'assistant':
    case 'thinking':
    case 'system':
      return { type, content, timestamp };
  }
};

const isError = (body: ItemBody): body is Extract<ItemBody, { kind: 'notice' }> => body.kind === 'notice' && body.level === 'error';

const typeOf = (body: Exclude<ItemBody, { kind: 'tool' }>): Entry['type'] => {
  switch (body.kind) {
    case 'message':
      return body.role;
    case 'thought':
      return 'thinking';
    case 'plan':
      return 'system';
    case 'notice':
      return isError(body) ? 'error' : 'system';
  }
};

/** Keeps a conversation within what a model can read. Tokens are estimated: no server tells them before it has read them. */
import type { ChatMessage, ChatTool } from './chat.ts';

/** Part of the window that is left for the answer. */
const ANSWER_SHARE = 0.25;
/** Part of the window the tools' descriptions may take. */
const TOOLS_SHARE = 0.4;
/** Part of the window one tool result may take. */
const RESULT_SHARE = 0.2;
/** An image, whatever its size: servers scale it down. */
const IMAGE_TOKENS = 1_000;
const MESSAGE_TOKENS = 4;
const SHORTENED = '[Left out: the conversation would not fit the model otherwise.]';

/** About four characters of English to a token, about one of Chinese. */
export const countTokens = (text: string): number => {
  const plain = text.replaceAll(/[^\u0020-\u007e\s]/g, '').length;
  return Math.ceil(plain / 4) + (text.length - plain);
};

/** As many tools as fit, in their order. */
export const fitTools = (tools: readonly ChatTool[], window: number): ChatTool[] => {
  let left = window * TOOLS_SHARE;
  return tools.filter((tool) => {
    left -= countTokens(JSON.stringify(tool));
    return left >= 0;
  });
};

/** A tool's result, cut where it alone would take too much. */
export const fitResult = (text: string, window: number): string => {
  const limit = window * RESULT_SHARE;
  if (countTokens(text) <= limit) return text;
  const kept = text.slice(0, Math.floor((text.length * limit) / countTokens(text)));
  return `${kept}\n[Cut: ${text.length - kept.length} more characters.]`;
};

/**
 * The messages to send: the system prompt, the earlier conversation as far back as it fits, and the whole running turn;
 * where even that is too much, its older tool results give way first.
 */
export const fitMessages = (
  system: ChatMessage,
  history: readonly ChatMessage[],
  turn: readonly ChatMessage[],
  tools: readonly ChatTool[],
  window: number,
): ChatMessage[] => {
  let left = window * (1 - ANSWER_SHARE) - countTokens(JSON.stringify(tools)) - tokensOf(system);
  const running = [...turn];
  let needed = running.reduce((sum, message) => sum + tokensOf(message), 0);
  const lastAnswer = running.findLastIndex((message) => message.role === 'assistant');
  for (const [index, message] of running.entries()) {
    if (needed <= left || index >= lastAnswer) break;
    if (message.role !== 'tool') continue;
    running[index] = { ...message, content: SHORTENED };
    needed -= tokensOf(message) - countTokens(SHORTENED) - MESSAGE_TOKENS;
  }
  left -= needed;

  const earlier: ChatMessage[] = [];
  for (const message of history.toReversed()) {
    left -= tokensOf(message);
    if (left < 0) break;
    earlier.unshift(message);
  }
  return [system, ...earlier, ...running];
};

const tokensOf = (message: ChatMessage): number => MESSAGE_TOKENS + contentTokens(message) + callTokens(message);

const contentTokens = ({ content }: ChatMessage): number =>
  typeof content === 'string'
    ? countTokens(content)
    : content.reduce((sum, part) => sum + (part.type === 'text' ? countTokens(part.text) : IMAGE_TOKENS), 0);

const callTokens = (message: ChatMessage): number =>
  message.role === 'assistant' ? message.toolCalls.reduce((sum, call) => sum + countTokens(call.name + call.arguments), 0) : 0;

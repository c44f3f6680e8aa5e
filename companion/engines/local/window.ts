/** Keeps a conversation within what a model can read. Tokens are estimated: no server tells them before it has read them. */
import { ENVELOPE_BEGIN } from '#protocol/envelope.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import type { ChatMessage, ChatTool } from './chat.ts';

/** Part of the window that is left for the answer. */
const ANSWER_SHARE = 0.25;
/** Part of the window the tools' descriptions may take. */
const TOOLS_SHARE = 0.4;
/** Part of the window one tool result may take, and all the results of one answer. */
const RESULT_SHARE = 0.2;
const ROUND_SHARE = 0.3;
/** Part of the window that the text attached to a prompt may take. */
const ATTACHED_SHARE = 0.25;
/** An image, whatever its size: servers scale it down. */
const IMAGE_TOKENS = 1_000;
const MESSAGE_TOKENS = 4;
const CHARS_PER_TOKEN = 4;
const SHORTENED = '[Left out: the conversation would not fit the model otherwise.]';

/** About four characters of English to a token, about one of Chinese. */
const countTokens = (text: string): number => {
  const plain = text.replaceAll(/[^\u0020-\u007e\s]/g, '').length;
  return Math.ceil(plain / CHARS_PER_TOKEN) + (text.length - plain);
};

/** What a request takes of the window. */
export const requestTokens = (messages: readonly ChatMessage[], tools: readonly ChatTool[]): number =>
  sum(messages) + countTokens(JSON.stringify(tools));

/** As many tools as fit, in their order. */
export const fitTools = (tools: readonly ChatTool[], window: number): ChatTool[] => {
  let left = window * TOOLS_SHARE;
  return tools.filter((tool) => {
    left -= countTokens(JSON.stringify(tool));
    return left >= 0;
  });
};

/** How many characters of attached text a prompt may carry. */
export const attachedChars = (window: number): number => Math.floor(window * ATTACHED_SHARE * CHARS_PER_TOKEN);

/** A tool's result, one of `count`, cut where it would take too much; what a page said stays inside its envelope. */
export const fitResult = (text: string, window: number, count: number): string => {
  const limit = Math.min(window * RESULT_SHARE, (window * ROUND_SHARE) / count);
  const tokens = countTokens(text);
  if (tokens <= limit) return text;
  const kept = text.slice(0, Math.floor((text.length * limit) / tokens)).replace(/[\uD800-\uDBFF]$/, '');
  const envelope = new RegExp(ENVELOPE_BEGIN).exec(kept)?.groups?.['envelope'];
  const end = envelope === undefined || kept.includes(`</${envelope}>`) ? '' : `\n</${envelope}>`;
  return `${kept}${end}\n[Cut: ${text.length - kept.length} more characters.]`;
};

/**
 * The messages to send: the system prompt, the earlier conversation as far back as it fits, and the whole running turn;
 * where even that is too much, its older tool results give way first. Throws when the turn alone fills the window.
 */
export const fitMessages = (
  system: ChatMessage,
  history: Iterable<readonly ChatMessage[]>,
  turn: readonly ChatMessage[],
  tools: readonly ChatTool[],
  window: number,
): ChatMessage[] => {
  const fixed = countTokens(JSON.stringify(tools)) + tokensOf(system);
  let left = window * (1 - ANSWER_SHARE) - fixed;
  const running = [...turn];
  let needed = sum(running);
  const lastAnswer = running.findLastIndex((message) => message.role === 'assistant');
  for (const [index, message] of running.entries()) {
    if (needed <= left || index >= lastAnswer) break;
    const short = shortened(message, index);
    if (short === message) continue;
    running[index] = short;
    needed -= tokensOf(message) - tokensOf(short);
  }
  if (needed > window - fixed) {
    throw new CompanionError('ENGINE_CONTEXT_FULL', explain('prompt_too_long', { needed, window }), {
      remedy: explain('send_less_or_load'),
    });
  }
  left -= needed;

  const earlier: ChatMessage[] = [];
  for (const exchange of history) {
    left -= sum(exchange);
    if (left < 0) break;
    earlier.unshift(...exchange);
  }
  return merged([system, ...earlier, ...running]);
};

/** What a tool gave, text or pictures, is what can be asked for again. */
const shortened = (message: ChatMessage, index: number): ChatMessage => {
  const isPictures = message.role === 'user' && index > 0;
  if ((message.role !== 'tool' && !isPictures) || contentTokens(message) <= countTokens(SHORTENED)) return message;
  return { ...message, content: SHORTENED };
};

/** Many templates refuse two messages of the user in a row, as an answer that was stopped leaves them. */
const merged = (messages: readonly ChatMessage[]): ChatMessage[] => {
  const result: ChatMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      result[result.length - 1] = { role: 'user', content: [...partsOf(last), ...partsOf(message)] };
    } else result.push(message);
  }
  return result.map((message) => (message.role === 'user' ? { ...message, content: plain(message.content) } : message));
};

type UserMessage = Extract<ChatMessage, { role: 'user' }>;

const partsOf = ({ content }: UserMessage): Exclude<UserMessage['content'], string> =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Text alone goes as a string: some servers take nothing else. */
const plain = (content: UserMessage['content']): UserMessage['content'] =>
  typeof content === 'string' || content.some((part) => part.type !== 'text')
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n');

const sum = (messages: readonly ChatMessage[]): number => messages.reduce((total, message) => total + tokensOf(message), 0);

const tokensOf = (message: ChatMessage): number => MESSAGE_TOKENS + contentTokens(message) + callTokens(message);

const contentTokens = ({ content }: ChatMessage): number =>
  typeof content === 'string'
    ? countTokens(content)
    : content.reduce((total, part) => total + (part.type === 'text' ? countTokens(part.text) : IMAGE_TOKENS), 0);

const callTokens = (message: ChatMessage): number =>
  message.role === 'assistant' ? message.toolCalls.reduce((total, call) => total + countTokens(call.name + call.arguments), 0) : 0;

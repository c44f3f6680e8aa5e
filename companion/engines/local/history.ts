/** The earlier conversation as messages for the model. */
import { promptParts } from '#companion/engines/codecs/prompt.ts';
import type { EnginePrompt, HistoryEntry } from '../engine.ts';
import { toImagePart, type ChatMessage } from './chat.ts';
import { attachedChars, fitResult } from './window.ts';

/** Old results are shortened: this many of them would fill the space that the results of one answer may take. */
const RESULTS_AS_ONE = 20;

/** A prompt with its attachments, as far as the window allows. */
export const toUserMessage = (prompt: Pick<EnginePrompt, 'text' | 'attachments'>, window: number): ChatMessage => {
  const { text, images } = promptParts({ turnId: '', ...prompt }, { readsFiles: false, maxChars: attachedChars(window) });
  if (images.length === 0) return { role: 'user', content: text };
  return { role: 'user', content: [{ type: 'text', text }, ...images.map(toImagePart)] };
};

/**
 * The exchanges of a conversation, each begun by the user. What does not fit the window is left out from the oldest on, and never by
 * half. Each exchange is made once, and only when it is asked for, because its pictures lie in files.
 */
export class History {
  readonly #rest: Iterator<ChatMessage[], undefined>;
  readonly #made: ChatMessage[][] = [];

  constructor(history: readonly HistoryEntry[], window: number) {
    this.#rest = exchangesOf(history, window);
  }

  /** From the newest exchange on. */
  *exchanges(): Iterable<readonly ChatMessage[]> {
    yield* this.#made;
    for (let next = this.#rest.next(); next.done !== true; next = this.#rest.next()) {
      this.#made.push(next.value);
      yield next.value;
    }
  }
}

function* exchangesOf(history: readonly HistoryEntry[], window: number): Generator<ChatMessage[]> {
  let end = history.length;
  for (let start = history.length - 1; start >= 0; start -= 1) {
    const first = history[start];
    if (first?.role !== 'user') continue;
    yield [userMessage(first, window), ...answerMessages(history.slice(start + 1, end), start, window)];
    end = start;
  }
}

const userMessage = ({ text, attachments }: Extract<HistoryEntry, { role: 'user' }>, window: number): ChatMessage =>
  attachments === undefined ? { role: 'user', content: text } : toUserMessage({ text, attachments: attachments() }, window);

/** Each call stands with the words before it, and its result follows. */
const answerMessages = (entries: readonly HistoryEntry[], key: number, window: number): ChatMessage[] => {
  const messages: ChatMessage[] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry.role === 'user') continue;
    if (entry.role === 'assistant') {
      messages.push({ role: 'assistant', content: entry.text, toolCalls: [] });
      continue;
    }
    const call = { id: `call_${key}_${index}`, name: entry.tool, arguments: JSON.stringify(entry.input ?? {}) };
    const last = messages.at(-1);
    if (last?.role === 'assistant' && last.toolCalls.length === 0) messages.pop();
    const words = last?.role === 'assistant' && last.toolCalls.length === 0 ? last.content : '';
    messages.push(
      { role: 'assistant', content: words, toolCalls: [call] },
      { role: 'tool', toolCallId: call.id, content: fitResult(entry.text, window, RESULTS_AS_ONE) },
    );
  }
  return messages;
};

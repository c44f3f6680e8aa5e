/** The earlier conversation as messages for the model. */
import { promptParts } from '#companion/engines/codecs/prompt.ts';
import type { EnginePrompt, HistoryEntry } from '../engine.ts';
import { toImagePart, type ChatMessage } from './chat.ts';
import { attachedChars, fitResult } from './window.ts';

/** Old results are remembered in outline: this many of them would fill what the results of one answer may. */
const RESULTS_AS_ONE = 20;

/** A prompt with what was attached to it, as far as the window allows. */
export const toUserMessage = (prompt: Pick<EnginePrompt, 'text' | 'attachments'>, window: number): ChatMessage => {
  const { text, images } = promptParts({ turnId: '', ...prompt }, { readsFiles: false, maxChars: attachedChars(window) });
  if (images.length === 0) return { role: 'user', content: text };
  return { role: 'user', content: [{ type: 'text', text }, ...images.map(toImagePart)] };
};

/**
 * The exchanges, each begun by the user, from the newest on: what does not fit is left out from the oldest on, and never by
 * half. Each is made once, and only when it is asked for: its pictures lie in files.
 */
export const createHistory = (history: readonly HistoryEntry[], window: number): (() => Iterable<readonly ChatMessage[]>) => {
  const exchanges = exchangesOf(history, window);
  const made: ChatMessage[][] = [];
  return function* () {
    yield* made;
    for (let next = exchanges.next(); next.done !== true; next = exchanges.next()) {
      made.push(next.value);
      yield next.value;
    }
  };
};

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

/** Calls stand with the words before them, each with its result after it. */
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

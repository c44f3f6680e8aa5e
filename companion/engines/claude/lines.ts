/** How claude's lines are read. Nearly all of them are pieces of an answer, and parsing is what a line costs. */
import type { StreamEventFrame } from './frames.ts';

export type Line =
  /** Nothing that is needed. */
  | { readonly type: 'nothing' }
  /** A piece of text or of a thought; checked already. */
  | { readonly type: 'piece'; readonly frame: StreamEventFrame }
  /** Anything else, unchecked. */
  | { readonly type: 'value'; readonly value: unknown };

const NOTHING: Line = { type: 'nothing' };

const START = String.raw`^\{"type":"stream_event","event":\{"type":"content_block_delta","index":(\d+),"delta":\{"type":`;
const TEXT = String.raw`("[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")`;

/**
 * Both are anchored and fit only the form in which claude writes such a line; in any other it is parsed like the rest.
 * The arguments of a call as they are typed come again with the finished call, and the signature of a thought is of no
 * use to us.
 */
const UNREAD = new RegExp(`${START}"(?:input_json|signature)_delta"`);
const PIECE = new RegExp(
  `${START}"(text|thinking)_delta","\\2":${TEXT}\\}\\},"session_id":"[\\w-]*","parent_tool_use_id":(?:null|"([\\w-]*)"),"uuid":"[\\w-]*"(?:,"thinking_display":"[\\w-]*")?(?:,"api_message_id":"([\\w-]*)")?\\}$`,
);

/** What a line says. Throws a SyntaxError when it is not JSON. */
export const readLine = (line: string): Line => {
  const piece = PIECE.exec(line);
  if (piece !== null) return { type: 'piece', frame: toFrame(piece) };
  return UNREAD.test(line) ? NOTHING : { type: 'value', value: JSON.parse(line) };
};

const toFrame = ([, index, kind, quoted = '', parent, messageId]: RegExpExecArray): StreamEventFrame => {
  const text = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  return {
    parent_tool_use_id: parent ?? null,
    api_message_id: messageId ?? null,
    event: {
      type: 'content_block_delta',
      index: Number(index),
      delta: kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text },
    },
  };
};

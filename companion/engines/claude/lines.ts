/** How claude's lines are read. Nearly all of them are pieces of an answer, and parsing is most of the cost of a line. */
import type { StreamEventFrame } from './frames.ts';

export type Line =
  /** A line that is not needed. */
  | { readonly type: 'nothing' }
  /** A piece of text or of a thought, checked already. */
  | { readonly type: 'piece'; readonly frame: StreamEventFrame }
  /** Any other line, not checked yet. */
  | { readonly type: 'value'; readonly value: unknown }
  /** The line is not JSON. */
  | { readonly type: 'malformed' };

const NOTHING: Line = { type: 'nothing' };
const MALFORMED: Line = { type: 'malformed' };

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

/** What a line says; never throws. */
export const readLine = (line: string): Line => {
  const piece = PIECE.exec(line);
  if (piece !== null) return toPiece(piece);
  if (UNREAD.test(line)) return NOTHING;
  const value = parsed(line);
  return value === undefined ? MALFORMED : { type: 'value', value };
};

/** The value, or undefined when the text is not JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const toPiece = ([, index, kind, quoted = '', parent, messageId]: RegExpExecArray): Line => {
  const text = quoted.includes('\\') ? parsed(quoted) : quoted.slice(1, -1);
  if (typeof text !== 'string') return MALFORMED;
  const frame: StreamEventFrame = {
    parent_tool_use_id: parent ?? null,
    api_message_id: messageId ?? null,
    event: {
      type: 'content_block_delta',
      index: Number(index),
      delta: kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text },
    },
  };
  return { type: 'piece', frame };
};

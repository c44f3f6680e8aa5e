/** Reads one answer of `/v1/chat/completions`: server-sent events as servers really send them, or one JSON. */
import * as z from 'zod';
import { LineReader } from '#companion/lib/line-reader.ts';
import { CompanionError } from '#protocol/errors.ts';
import { detailOf } from '../errors.ts';
import { CallPart, createCallList, type ToolCall } from './calls.ts';
import { refusal, type ServerError } from './http.ts';
import { createThinkSplitter } from './think.ts';

/** No model writes this much in one answer; a server that does is out of order. */
const MAX_ANSWER_CHARS = 8 * 1024 * 1024;
const MAX_TOLD_CHARS = 2_000;
/** What may still come after the end of an answer is its usage; some servers never close. */
const AFTER_END_MS = 1000;

export interface Answer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

export interface AnswerSink {
  readonly onText: (text: string) => void;
  readonly onThought: (text: string) => void;
  /** All the text so far was thoughts. */
  readonly onWasThought: () => void;
  readonly onMalformed: (line: string) => void;
}

const Said = z.looseObject({
  content: z.unknown().optional(),
  reasoning_content: z.unknown().optional(),
  reasoning: z.unknown().optional(),
  refusal: z.unknown().optional(),
  tool_calls: z.array(CallPart).nullish().catch(null),
});

const Chunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: Said.nullish(),
        /** The whole answer, of servers that do not stream, or not when tools are called. */
        message: Said.nullish(),
        finish_reason: z.string().nullish().catch(null),
      }),
    )
    .nullish(),
  usage: z.looseObject({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish().catch(null),
  error: z.unknown().optional(),
  object: z.string().nullish().catch(null),
});
type Chunk = z.infer<typeof Chunk>;

/** Reads to the end; what is shown goes to the sink as it comes. Rejects with a CompanionError for an answer that is none or is cut. */
export const readAnswer = async (body: Body, sink: AnswerSink, signal: AbortSignal): Promise<Answer> => {
  const list = createCallList();
  let text = '';
  let sizeChars = 0;
  let finishReason: string | null = null;
  let usage: Answer['usage'] = null;
  let isDone = false;
  let closing: NodeJS.Timeout | undefined;
  let isStream = false;
  /** What is no stream: one JSON, or something else altogether. */
  let whole = '';
  const think = createThinkSplitter({
    onText: (piece) => {
      text += piece;
      sink.onText(piece);
    },
    onThought: sink.onThought,
    onWasThought: () => {
      text = '';
      sink.onWasThought();
    },
  });
  const count = (chars: number): void => {
    sizeChars += chars;
    if (sizeChars > MAX_ANSWER_CHARS) throw new CompanionError('ENGINE_OUTPUT_TRUNCATED', 'The answer has no end; it was cut.');
  };

  const take = (chunk: Chunk): void => {
    const fault = faultIn(chunk);
    if (fault !== null) throw fault;
    const [choice] = chunk.choices ?? [];
    // The last event of some servers repeats the whole answer.
    const said = choice?.delta ?? (sizeChars === 0 ? choice?.message : null);
    if (said !== null && said !== undefined) {
      const thought = textOf(said.reasoning_content) || textOf(said.reasoning);
      const piece = textOf(said.content) || textOf(said.refusal);
      count(thought.length + piece.length);
      if (thought !== '') sink.onThought(thought);
      if (piece !== '') think.push(piece);
      for (const part of said.tool_calls ?? []) count(list.add(part));
    }
    if (typeof chunk.usage?.prompt_tokens === 'number') {
      usage = { inputTokens: chunk.usage.prompt_tokens, outputTokens: chunk.usage.completion_tokens ?? 0 };
    }
    finishReason = choice?.finish_reason ?? finishReason;
    if (finishReason !== null) closing ??= setTimeout(() => body.destroy(), AFTER_END_MS);
  };

  const lines = new LineReader({
    onLine: (line) => {
      if (isDone) return;
      if (!line.startsWith('data:')) {
        // Comments, names and blank lines of a stream have no meaning here.
        if (!isStream && whole.length < MAX_ANSWER_CHARS && !/^(?:$|:|event:|id:|retry:)/.test(line)) whole += `${line}\n`;
        return;
      }
      isStream = true;
      const data = line.slice('data:'.length).trim();
      if (data === '[DONE]') isDone = true;
      else if (data !== '') {
        const chunk = parseChunk(data);
        if (chunk === null) sink.onMalformed(data.slice(0, MAX_TOLD_CHARS));
        else take(chunk);
      }
    },
    onOverflow: (bytes) => sink.onMalformed(`A line of ${bytes} bytes.`),
  });

  try {
    for await (const bytes of body) {
      lines.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(String(bytes)));
      if (isDone) break;
    }
    lines.end();
  } catch (error) {
    if (signal.aborted || error instanceof CompanionError) throw error;
    // What breaks after the end of the answer does not matter.
    if (finishReason === null && !isDone)
      throw new CompanionError('ENGINE_OUTPUT_TRUNCATED', 'The connection to the model server broke.', { cause: error });
  } finally {
    clearTimeout(closing);
  }
  if (!isStream && whole !== '') {
    const chunk = parseChunk(whole);
    if (chunk === null) throw new CompanionError('ENGINE_OUTPUT_MALFORMED', detailOf(whole));
    take(chunk);
  }
  clearTimeout(closing);
  think.end();
  // A stream that just ends was cut.
  if (finishReason === null && !isDone) throw new CompanionError('ENGINE_OUTPUT_TRUNCATED', 'The model server closed the stream.');
  return { text, toolCalls: list.calls(), finishReason, usage };
};

type Body = AsyncIterable<unknown> & { destroy(): unknown };

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() });

/** Text as such, or in blocks among others. */
const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => TextBlock.safeParse(block).data?.text ?? '').join('');
};

/** The server's fault in the midst of a good answer; null when there is none. */
const faultIn = (chunk: Chunk): ServerError | null => {
  const { error, object, choices } = chunk;
  if (error !== undefined && error !== null) return refusal(statusIn(error), JSON.stringify({ error }));
  if (object === 'error') return refusal(statusIn(chunk), JSON.stringify(chunk));
  return choices?.[0]?.finish_reason === 'error' ? refusal(null, 'The answer ended with an error.') : null;
};

const Status = z.looseObject({ code: z.number().int().min(400).max(599) });

const statusIn = (error: unknown): number | null => {
  const found = Status.safeParse(error);
  return found.success ? found.data.code : null;
};

const parseChunk = (data: string): Chunk | null => {
  try {
    const found = Chunk.safeParse(JSON.parse(data));
    return found.success ? found.data : null;
  } catch {
    return null;
  }
};

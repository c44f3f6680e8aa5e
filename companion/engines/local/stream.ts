/** Reads one answer of `/v1/chat/completions`: server-sent events as servers really send them, or one JSON. */
import * as z from 'zod';
import { LineReader } from '#companion/lib/line-reader.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Said } from '#protocol/said.ts';
import { explain } from '#protocol/faults.ts';
import { detailOf } from '../errors.ts';
import { CallPart, CallList, type ToolCall } from './calls.ts';
import { refusal, type ServerError } from './http.ts';
import { ThinkSplitter } from './think.ts';

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

/** Reads to the end; what is shown goes to the sink as it comes. Rejects with a CompanionError for a body that is no answer, and for an answer that is cut. */
export const readAnswer = async (body: Body, sink: AnswerSink, signal: AbortSignal): Promise<Answer> =>
  new AnswerReader(body, sink).read(signal);

/**
 * One answer. Not read by eventsource-parser: some servers put no blank line between events, which it then takes for one, and a
 * body that is no stream at all is read here too.
 */
class AnswerReader {
  readonly #body: Body;
  readonly #sink: AnswerSink;
  readonly #list = new CallList();
  readonly #think: ThinkSplitter;
  readonly #lines: LineReader;
  #text = '';
  #sizeChars = 0;
  #finishReason: string | null = null;
  #usage: Answer['usage'] = null;
  #isDone = false;
  #closing: NodeJS.Timeout | undefined;
  #isStream = false;
  /** What is no stream: one JSON, or something else altogether. */
  #whole = '';

  constructor(body: Body, sink: AnswerSink) {
    this.#body = body;
    this.#sink = sink;
    this.#think = new ThinkSplitter({
      onText: (piece) => {
        this.#text += piece;
        sink.onText(piece);
      },
      onThought: sink.onThought,
      onWasThought: () => {
        this.#text = '';
        sink.onWasThought();
      },
    });
    this.#lines = new LineReader({
      onLine: (line) => this.#line(line),
      onOverflow: (bytes) => sink.onMalformed(`A line of ${bytes} bytes.`),
    });
  }

  async read(signal: AbortSignal): Promise<Answer> {
    try {
      await this.#readLines(signal);
      if (!this.#isStream && this.#whole !== '') {
        const chunk = parseChunk(this.#whole);
        if (chunk === null) throw new CompanionError('ENGINE_OUTPUT_MALFORMED', detailOf(this.#whole));
        this.#take(chunk);
      }
    } finally {
      clearTimeout(this.#closing);
    }
    this.#think.end();
    // A stream that just ends was cut.
    if (this.#finishReason === null && !this.#isDone) {
      throw new CompanionError('ENGINE_OUTPUT_TRUNCATED', explain('stream_closed'));
    }
    return { text: this.#text, toolCalls: this.#list.calls(), finishReason: this.#finishReason, usage: this.#usage };
  }

  async #readLines(signal: AbortSignal): Promise<void> {
    try {
      for await (const bytes of this.#body) {
        this.#lines.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(String(bytes)));
        if (this.#isDone) break;
      }
      this.#lines.end();
    } catch (error) {
      if (signal.aborted || error instanceof CompanionError) throw error;
      // What breaks after the end of the answer does not matter.
      if (this.#finishReason === null && !this.#isDone)
        throw new CompanionError('ENGINE_OUTPUT_TRUNCATED', explain('connection_broke'), { cause: error });
    }
  }

  #line(line: string): void {
    if (this.#isDone) return;
    if (!line.startsWith('data:')) {
      // Comments, names and blank lines of a stream have no meaning here.
      const isPart = !this.#isStream && this.#whole.length < MAX_ANSWER_CHARS && !/^(?:$|:|event:|id:|retry:)/.test(line);
      if (isPart) this.#whole += `${line}\n`;
      return;
    }
    this.#isStream = true;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') this.#isDone = true;
    else if (data !== '') {
      const chunk = parseChunk(data);
      if (chunk === null) this.#sink.onMalformed(data.slice(0, MAX_TOLD_CHARS));
      else this.#take(chunk);
    }
  }

  #take(chunk: Chunk): void {
    const fault = faultIn(chunk);
    if (fault !== null) throw fault;
    const [choice] = chunk.choices ?? [];
    // The last event of some servers repeats the whole answer.
    const said = choice?.delta ?? (this.#sizeChars === 0 ? choice?.message : null);
    if (said !== null && said !== undefined) this.#show(said);
    if (typeof chunk.usage?.prompt_tokens === 'number') {
      this.#usage = { inputTokens: chunk.usage.prompt_tokens, outputTokens: chunk.usage.completion_tokens ?? 0 };
    }
    this.#finishReason = choice?.finish_reason ?? this.#finishReason;
    if (this.#finishReason !== null) this.#closing ??= setTimeout(() => this.#body.destroy(), AFTER_END_MS);
  }

  #show(said: z.infer<typeof Said>): void {
    const thought = textOf(said.reasoning_content) || textOf(said.reasoning);
    const piece = textOf(said.content) || textOf(said.refusal);
    this.#count(thought.length + piece.length);
    if (thought !== '') this.#sink.onThought(thought);
    if (piece !== '') this.#think.push(piece);
    for (const part of said.tool_calls ?? []) this.#count(this.#list.add(part));
  }

  #count(chars: number): void {
    this.#sizeChars += chars;
    if (this.#sizeChars > MAX_ANSWER_CHARS) throw new CompanionError('ENGINE_OUTPUT_TRUNCATED', explain('answer_cut'));
  }
}

type Body = AsyncIterable<unknown> & { destroy(): unknown };

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() });

/** Text as such, or in blocks among others. */
const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => TextBlock.safeParse(block).data?.text ?? '').join('');
};

/** The server's fault in the midst of a good answer; null when the piece says nothing of a fault. */
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

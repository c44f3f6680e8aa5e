/** One streamed answer of `/v1/chat/completions`, piece by piece. */
import * as z from 'zod';
import { CompanionError, fromErrorBody } from '#protocol/errors.ts';
import { apiError } from '../errors.ts';
import { messageIn, post, type Server } from './http.ts';

export type ChatContent =
  | string
  | readonly (
      | { readonly type: 'text'; readonly text: string }
      | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
    )[];

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them: JSON, most of the time. */
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: ChatContent }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
}

export interface ChatAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

const Chunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
            tool_calls: z
              .array(
                z.looseObject({
                  index: z.number().optional(),
                  id: z.string().nullish(),
                  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .optional(),
  usage: z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
  error: z.unknown().optional(),
});

/** Streams an answer: `onText` and `onThought` get the pieces, the result is the whole. */
export const streamChat = async (options: {
  readonly server: Server;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly onText: (text: string) => void;
  readonly onThought: (text: string) => void;
  readonly signal: AbortSignal;
}): Promise<ChatAnswer> => {
  const { server, model, messages, tools, onText, onThought, signal } = options;
  const body = await post(
    server,
    '/v1/chat/completions',
    {
      model,
      messages: messages.map(toWire),
      stream: true,
      stream_options: { include_usage: true },
      ...(tools.length === 0 ? {} : { tools: tools.map(toWireTool) }),
    },
    signal,
  );

  const calls: { id: string; name: string; arguments: string }[] = [];
  let text = '';
  let finishReason: string | null = null;
  let usage: ChatAnswer['usage'] = null;
  for await (const data of eventsOf(body, signal)) {
    if (data === '[DONE]') break;
    const chunk = parseChunk(data);
    if (chunk.error !== undefined && chunk.error !== null)
      throw fromErrorBody(apiError(null, messageIn(JSON.stringify({ error: chunk.error }))));
    if (chunk.usage !== null && chunk.usage !== undefined) {
      usage = { inputTokens: chunk.usage.prompt_tokens, outputTokens: chunk.usage.completion_tokens };
    }
    const [choice] = chunk.choices ?? [];
    const thought = choice?.delta?.reasoning_content ?? choice?.delta?.reasoning ?? '';
    const piece = choice?.delta?.content ?? '';
    if (thought !== '') onThought(thought);
    if (piece !== '') onText(piece);
    text += piece;
    for (const part of choice?.delta?.tool_calls ?? []) addCall(calls, part);
    finishReason = choice?.finish_reason ?? finishReason;
  }
  // A stream that just ends was cut: no server finishes without saying why.
  if (finishReason === null) throw new CompanionError('ENGINE_OUTPUT_TRUNCATED', 'The model server closed the stream.');
  return { text, toolCalls: calls, finishReason, usage };
};

type CallPart = NonNullable<NonNullable<NonNullable<z.infer<typeof Chunk>['choices']>[number]['delta']>['tool_calls']>[number];

/** Pieces of one call share an index; servers that leave it out send each call whole, with an id. */
const addCall = (calls: { id: string; name: string; arguments: string }[], part: CallPart): void => {
  const index = part.index ?? (typeof part.id === 'string' ? calls.length : calls.length - 1);
  const call = (calls[index] ??= { id: part.id ?? `call_${index}`, name: '', arguments: '' });
  call.name += part.function?.name ?? '';
  call.arguments += part.function?.arguments ?? '';
};

const parseChunk = (data: string): z.infer<typeof Chunk> => {
  try {
    return Chunk.parse(JSON.parse(data));
  } catch {
    throw new CompanionError('ENGINE_OUTPUT_MALFORMED', data.slice(0, 200));
  }
};

/** The `data:` of server-sent events; a connection that breaks in between is an answer cut off. */
async function* eventsOf(body: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const bytes of body) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CompanionError('ENGINE_OUTPUT_TRUNCATED', 'The connection to the model server broke.', { cause: error });
  }
  if (rest.startsWith('data:')) yield rest.slice(5).trim();
}

const toWire = (message: ChatMessage): Record<string, unknown> => {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', content: message.content, tool_call_id: message.toolCallId };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(message.toolCalls.length === 0
          ? {}
          : {
              tool_calls: message.toolCalls.map((call) => ({
                id: call.id,
                type: 'function',
                function: { name: call.name, arguments: call.arguments },
              })),
            }),
      };
  }
};

const toWireTool = ({ name, description, inputSchema }: ChatTool): Record<string, unknown> => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
});

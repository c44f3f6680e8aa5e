/** A request to `/v1/chat/completions` and its answer, as the turn sees them. */
import { post, type Server } from './http.ts';
import { readAnswer, type Answer, type AnswerSink } from './stream.ts';

export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface ChatCall {
  readonly id: string;
  readonly name: string;
  /** The JSON of an object; servers refuse a conversation that has anything else here. */
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ChatPart[] }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ChatCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
}

/** Streams an answer into `sink`; resolves with the whole answer. */
export const streamChat = async (options: {
  readonly server: Server;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  /** Asks for the token counts of a stream, which some servers refuse to give. */
  readonly asksUsage: boolean;
  readonly sink: AnswerSink;
  readonly signal: AbortSignal;
}): Promise<Answer> => {
  const { server, model, messages, tools, asksUsage, sink, signal } = options;
  const body = await post(
    server,
    '/chat/completions',
    {
      model,
      messages: messages.map(toWire),
      stream: true,
      ...(asksUsage ? { stream_options: { include_usage: true } } : {}),
      ...(tools.length === 0 ? {} : { tools: tools.map(toWireTool) }),
    },
    signal,
  );
  return readAnswer(body, sink, signal);
};

/** A picture as the content of a message. */
export const toImagePart = ({ mimeType, dataBase64 }: { readonly mimeType: string; readonly dataBase64: string }): ChatPart => ({
  type: 'image_url',
  image_url: { url: `data:${mimeType};base64,${dataBase64}` },
});

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

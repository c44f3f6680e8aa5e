/** Turns of the local engine, against the scripted chat server or one that answers with the very bytes a test writes. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test as base } from 'vitest';
import type { EngineEvent, ToolBridge } from '#companion/engines/engine.ts';
import { local } from '#companion/engines/local.ts';
import { defaultSettings } from '#protocol/events.ts';
import { AttachmentId } from '#protocol/ids.ts';
import { startChatServer, type ChatServerOptions } from '#test/fixtures/chat-server.ts';
import { readJson, type ModelServer } from '#test/fixtures/model-server.ts';
import { promptOf } from './codec-stage.ts';

/** An image that is attached to a prompt. */
export const picture = {
  attachmentId: AttachmentId.parse('a1'),
  kind: 'screenshot',
  name: 'x',
  sizeBytes: 1,
  path: '/run/x',
  mimeType: 'image/png',
  dataBase64: 'AA==',
} as const;

export type TurnOptions = Parameters<typeof local.turn>[0];

export interface RawRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  readonly messages: readonly RawMessage[];
}

export interface RawMessage {
  readonly role: string;
  readonly content: string | readonly { type: string; text?: string; image_url?: { url: string } }[];
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

/** What is answered at a path: JSON of a value, or whatever the function writes. */
export type RawAnswer = object | ((response: ServerResponse, request: RawRequest) => unknown);

export interface RawServer {
  readonly url: string;
  readonly requests: readonly RawRequest[];
  /** Bodies of the requests for an answer. */
  readonly chats: readonly RawRequest[];
  close(): Promise<void>;
}

/** `chat` answers the prompts in turn, its last step again and again; `paths` all else, on top of one model. */
export const startRawServer = async (chat: readonly RawAnswer[], paths: Readonly<Record<string, RawAnswer>> = {}): Promise<RawServer> => {
  const all: Record<string, RawAnswer> = { '/v1/models': { data: [{ id: 'raw' }] }, ...paths };
  const requests: RawRequest[] = [];
  const chats: RawRequest[] = [];
  const server = createServer((incoming, response) => {
    void readJson(incoming).then((body) => {
      const path = incoming.url ?? '';
      const request = { path, headers: incoming.headers, body, messages: (body['messages'] ?? []) as RawMessage[] };
      requests.push(request);
      const isChat = path.endsWith('/chat/completions');
      if (isChat) chats.push(request);
      const answer = isChat ? chat[Math.min(chats.length, chat.length) - 1] : all[path];
      if (answer === undefined) response.writeHead(404).end();
      else if (typeof answer === 'function') answer(response, request);
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    chats,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** The bytes as they are. */
export const raw =
  (...chunks: readonly (string | Buffer)[]): RawAnswer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) response.write(chunk);
    response.end();
  };

/** A stream of these chunks, ended as most servers do. */
export const stream = (...chunks: readonly unknown[]): RawAnswer => raw(...chunks.map(event), 'data: [DONE]\n\n');

export const event = (chunk: unknown): string => `data: ${JSON.stringify(chunk)}\n\n`;

export const delta = (piece: object, finish_reason: string | null = null): object => ({
  choices: [{ index: 0, delta: piece, finish_reason }],
});

export const end = (finish_reason = 'stop'): object => delta({}, finish_reason);

export const says = (content: string): RawAnswer => stream(delta({ content }), end());

export const refuses =
  (status: number, body: unknown, headers: Record<string, string> = {}): RawAnswer =>
  (response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

interface Serving {
  serve: (options?: ChatServerOptions) => Promise<ModelServer>;
  answer: (...args: Parameters<typeof startRawServer>) => Promise<RawServer>;
}

/** What is opened is closed after the test. */
export const test = base.extend<Serving>({
  // oxlint-disable-next-line no-empty-pattern
  serve: async ({}, use) => {
    const servers: ModelServer[] = [];
    await use(async (options) => {
      const server = await startChatServer(options);
      servers.push(server);
      return server;
    });
    await Promise.all(servers.map((server) => server.close()));
  },
  // oxlint-disable-next-line no-empty-pattern
  answer: async ({}, use) => {
    const servers: RawServer[] = [];
    await use(async (...args) => {
      const server = await startRawServer(...args);
      servers.push(server);
      return server;
    });
    await Promise.all(servers.map((server) => server.close()));
  },
});

export const bridgeOf = (call: ToolBridge['call'], count = 1): ToolBridge => ({
  tools: async () =>
    Array.from({ length: count }, (_, index) => ({
      name: index === 0 ? 'browser_snapshot' : `browser_tool_${index}`,
      description: 'Reads the page in the active tab, with everything that can be clicked in it.'.repeat(4),
      inputSchema: { type: 'object', properties: { url: { type: 'string' } } },
    })),
  call,
  close: async () => {},
});

/** A bridge that remembers what was called. */
export const recording = (): { bridge: ToolBridge; called: [string, Record<string, unknown>][] } => {
  const called: [string, Record<string, unknown>][] = [];
  const bridge = bridgeOf(async (name, args) => {
    called.push([name, args]);
    return { content: [{ type: 'text', text: `result ${called.length}` }] };
  });
  return { bridge, called };
};

/** One turn; what it emitted, and what it failed with. */
export const turn = async (server: { readonly url: string }, more: Partial<TurnOptions> = {}) => {
  const events: EngineEvent[] = [];
  const failure = await local
    .turn({
      prompt: promptOf('go'),
      settings: defaultSettings,
      history: [],
      tools: null,
      secrets: {},
      endpoint: server.url,
      emit: (event) => events.push(event),
      signal: new AbortController().signal,
      ...more,
    })
    .then(() => null)
    .catch((error: unknown) => error);
  return { events, failure, text: textOf(events, 'message'), thoughts: textOf(events, 'thought') };
};

/** Text of the items of a kind that are left at the end. */
const textOf = (events: readonly EngineEvent[], kind: string): string => {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'item.started' && event.item.kind === kind) texts.set(event.itemId, texts.get(event.itemId) ?? '');
    if (event.type === 'item.delta' && texts.has(event.itemId)) texts.set(event.itemId, `${texts.get(event.itemId)}${event.text}`);
    if (event.type === 'item.dropped') texts.delete(event.itemId);
  }
  return [...texts.values()].join('');
};

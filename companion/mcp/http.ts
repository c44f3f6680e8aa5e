/**
 * MCP over streamable HTTP, both eras: today's stateless revision, where each request stands alone, and the earlier
 * ones with a session per client. The token says which of Pilotfish's sessions calls; an Mcp-Session-Id only names a
 * transport, and only to the token it was made for.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import type { Socket } from 'node:net';
import {
  classifyInboundRequest,
  createMcpHandler,
  INVALID_PARAMS,
  isInitializeRequest,
  type InboundHttpRequest,
  type Server,
} from '@modelcontextprotocol/server';
import type { ToolInfo, ToolResult } from '#protocol/browser.ts';
import { SessionId } from '#protocol/ids.ts';
import type { Log } from '#companion/lib/log.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { Stop } from '#companion/lib/stop.ts';
import { DEFAULT_SETS, readToolSets, type ToolSet } from '#protocol/tool-sets.ts';
import { OfferedTools } from '#companion/toolsets/offered-tools.ts';
import { inWordsOf, serveSets } from '#companion/toolsets/serve-sets.ts';
import { PausedCalls } from './paused-calls.ts';
import { createBrowserServer, INSTRUCTIONS, type BrowserServerOptions } from './browser-server.ts';
import { asMeant } from './meant-message.ts';
import { answerFault, INVALID_HTTP, NO_SESSION } from './http-faults.ts';
import { HttpTransport } from './http-transport.ts';

export interface McpHttpOptions {
  readonly tools: () => readonly ToolInfo[];
  readonly call: (
    sessionId: SessionId,
    name: string,
    args: Record<string, unknown>,
    options: Parameters<BrowserServerOptions['call']>[2] & { readonly socket: Socket },
  ) => Promise<ToolResult>;
  /** Finds out which program is behind a connection; returns what tells whether it still runs. */
  readonly watchClient: (socket: Socket) => () => boolean;
  /** Called when a client has begun or ceased to listen. */
  readonly onListening?: () => void;
  readonly log: Log;
}

interface Connection {
  readonly sessionId: SessionId;
  readonly server: Server;
  readonly transport: HttpTransport;
}

/** The request that is being served. */
interface ServedRequest {
  readonly socket: Socket;
  /** Aborted when its client disconnects. */
  readonly hangUp: AbortSignal;
  readonly sets: readonly ToolSet[];
}

/** Some clients never close their connection, so the oldest connection of a session makes room for a new one. */
const MAX_CONNECTIONS_PER_SESSION = 16;

const KEEP_ALIVE_MS = 30_000;

export class McpHttp {
  readonly #options: McpHttpOptions;
  readonly #tools: OfferedTools;
  readonly #connections = new Map<string, Connection>();
  readonly #paused = new Map<SessionId, PausedCalls>();
  readonly #served = new AsyncLocalStorage<ServedRequest>();
  readonly #modern: ReturnType<typeof createMcpHandler>;
  readonly #serveModern: ReturnType<typeof toNodeHandler>;

  constructor(options: McpHttpOptions) {
    this.#options = options;
    this.#tools = new OfferedTools(options.tools);
    this.#modern = createMcpHandler(({ authInfo }) => this.#createServer(SessionId.parse(authInfo?.clientId)), {
      legacy: 'reject',
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: this.#onError,
    });
    this.#serveModern = toNodeHandler(this.#modern, { onerror: this.#onError });
  }

  /** `body` is the parsed body of a POST. */
  async handle(request: IncomingMessage, response: ServerResponse, sessionId: SessionId, body: unknown): Promise<void> {
    // The client went away while this was loaded.
    if (response.destroyed) return;
    const hangUp = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) hangUp.abort();
    });
    const sets = setsOf(request);
    if (sets instanceof Error) return answerFault(response, 400, INVALID_PARAMS, sets.message);
    const served = { socket: request.socket, hangUp: hangUp.signal, sets };
    await this.#served.run(served, () => this.#serve(request, response, sessionId, asMeant(body)));
  }

  /** The tools have changed: clients that asked for it are told. */
  toolsChanged(): void {
    this.#modern.notify.toolsChanged();
    for (const { server } of this.#connections.values()) server.sendToolListChanged().catch(this.#onError);
  }

  /** The sessions whose clients listen to what the server says unasked. */
  listening(): SessionId[] {
    return [...this.#connections.values()].filter(({ transport }) => transport.isListenedTo).map(({ sessionId }) => sessionId);
  }

  /** Ends all connections of the session, whose token was revoked. */
  closeSession(sessionId: SessionId): void {
    this.#paused.get(sessionId)?.close();
    this.#paused.delete(sessionId);
    for (const connection of this.#connections.values()) if (connection.sessionId === sessionId) void connection.transport.close();
  }

  async close(): Promise<void> {
    for (const paused of this.#paused.values()) paused.close();
    await Promise.all([this.#modern.close(), ...[...this.#connections.values()].map(({ transport }) => transport.close())]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse, sessionId: SessionId, body: unknown): Promise<void> {
    const outcome = classifyInboundRequest({ httpMethod: request.method ?? '', ...eraHeaders(request.headers), body });
    if (outcome.kind !== 'legacy') return this.#serveModern(toModernRequest(request, sessionId), response, body);
    const id = request.headers['mcp-session-id'];
    if (id === undefined) {
      if (!isInitializeRequest(body)) return answerFault(response, 400, INVALID_HTTP, 'Send initialize first, then its Mcp-Session-Id.');
      const connection = await this.#connect(sessionId);
      return connection.transport.handle(request, response, body);
    }
    const connection = this.#connections.get(String(id));
    if (connection === undefined || connection.sessionId !== sessionId) return answerFault(response, 404, NO_SESSION, 'Session not found');
    return connection.transport.handle(request, response, body);
  }

  #createServer(sessionId: SessionId): Server {
    const { call: callFor } = this.#options;
    // A client keeps to the address it began with.
    const sets = this.#served.getStore()?.sets ?? DEFAULT_SETS;
    const call: BrowserServerOptions['call'] = async (name, args, options) => {
      const served = this.#served.getStore();
      if (served === undefined) throw new Error('a call came without a request');
      using stop = new Stop(options.signal, served.hangUp);
      const result = await callFor(sessionId, name, args, { ...options, signal: stop.signal, socket: served.socket });
      if (this.#tools.learn(result)) this.toolsChanged();
      return result;
    };
    const paused = this.#paused.get(sessionId) ?? new PausedCalls();
    this.#paused.set(sessionId, paused);
    return createBrowserServer({
      ...serveSets(sets, { tools: this.#tools.list, call }),
      instructions: inWordsOf(sets, INSTRUCTIONS),
      paused,
      watchClient: () => {
        const socket = this.#served.getStore()?.socket;
        return socket === undefined ? () => true : this.#options.watchClient(socket);
      },
    });
  }

  async #connect(sessionId: SessionId): Promise<Connection> {
    const own = [...this.#connections.values()].filter((connection) => connection.sessionId === sessionId);
    if (own.length >= MAX_CONNECTIONS_PER_SESSION) await own[0]?.transport.close();
    const transport = new HttpTransport({
      createId: () => randomId('mcp'),
      onBegun: (id) => this.#connections.set(id, connection),
      onListening: () => this.#options.onListening?.(),
      keepAliveMs: KEEP_ALIVE_MS,
    });
    const connection: Connection = { sessionId, transport, server: this.#createServer(sessionId) };
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#connections.delete(transport.sessionId);
    };
    transport.onerror = this.#onError;
    await connection.server.connect(transport);
    return connection;
  }

  readonly #onError = (error: Error): void => this.#options.log.warn('mcp.error', { error: error.message });
}

/** `?tools=default,chrome`. */
const setsOf = ({ url = '' }: IncomingMessage): readonly ToolSet[] | Error => {
  const asked = new URLSearchParams(url.split('?', 2)[1]).get('tools');
  if (asked === null) return DEFAULT_SETS;
  try {
    return readToolSets(asked);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};

const eraHeaders = (headers: IncomingHttpHeaders): Partial<InboundHttpRequest> => {
  const version = headers['mcp-protocol-version'];
  const method = headers['mcp-method'];
  const name = headers['mcp-name'];
  return {
    ...(version === undefined ? {} : { protocolVersionHeader: String(version) }),
    ...(method === undefined ? {} : { mcpMethodHeader: String(method) }),
    ...(name === undefined ? {} : { mcpNameHeader: String(name) }),
  };
};

/** The SDK passes `clientId` on to the maker of the server; nothing behind the gate needs the token itself. */
const toModernRequest = (request: IncomingMessage, sessionId: SessionId): NodeIncomingMessageLike => ({
  method: request.method ?? '',
  url: request.url ?? '',
  headers: request.headers,
  auth: { token: '', clientId: sessionId, scopes: [] },
  [Symbol.asyncIterator]: () => request[Symbol.asyncIterator](),
});

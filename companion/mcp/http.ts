/**
 * MCP over streamable HTTP, both eras: today's stateless revision, where each request stands alone, and the earlier
 * ones with a session per client. The token says which session of ours calls; an Mcp-Session-Id only names a
 * transport, and only to the token it was made for.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import {
  classifyInboundRequest,
  createMcpHandler,
  isInitializeRequest,
  type InboundHttpRequest,
  type Server,
} from '@modelcontextprotocol/server';
import type { ToolInfo, ToolResult } from '#protocol/browser.ts';
import { SessionId } from '#protocol/ids.ts';
import type { Log } from '#companion/lib/log.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { createBrowserServer, INSTRUCTIONS, type BrowserServerOptions } from './browser-server.ts';

export interface McpHttpOptions {
  readonly tools: () => readonly ToolInfo[];
  readonly call: (
    sessionId: SessionId,
    name: string,
    args: Record<string, unknown>,
    options: Parameters<BrowserServerOptions['call']>[2],
  ) => Promise<ToolResult>;
  readonly log: Log;
}

export interface McpHttp {
  /** `body` is the parsed one of a POST. */
  handle(request: IncomingMessage, response: ServerResponse, sessionId: SessionId, body: unknown): Promise<void>;
  /** The tools are others now: who asked to be told is. */
  toolsChanged(): void;
  /** Ends what the session has open; its token is revoked. */
  closeSession(sessionId: SessionId): void;
  close(): Promise<void>;
}

interface Connection {
  readonly sessionId: SessionId;
  readonly server: Server;
  readonly transport: NodeStreamableHTTPServerTransport;
}

/** Clients that never say goodbye: the oldest connection of a session makes room. */
const MAX_CONNECTIONS_PER_SESSION = 16;

export const createMcpHttp = ({ tools, call, log }: McpHttpOptions): McpHttp => {
  const connections = new Map<string, Connection>();
  const createServer = (sessionId: SessionId): Server =>
    createBrowserServer({
      tools,
      instructions: INSTRUCTIONS,
      call: (name, args, options) => call(sessionId, name, args, { ...options, signal: withHangUp(options.signal) }),
    });
  const onerror = (error: Error): void => log.warn('mcp.error', { error: error.message });

  const modern = createMcpHandler(({ authInfo }) => createServer(SessionId.parse(authInfo?.clientId)), {
    legacy: 'reject',
    keepAliveMs: KEEP_ALIVE_MS,
    onerror,
  });
  const serveModern = toNodeHandler(modern, { onerror });

  const connect = async (sessionId: SessionId): Promise<Connection> => {
    const own = [...connections].filter(([, connection]) => connection.sessionId === sessionId);
    if (own.length >= MAX_CONNECTIONS_PER_SESSION) await own[0]?.[1].transport.close();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomId('mcp'),
      keepAliveMs: KEEP_ALIVE_MS,
      onsessioninitialized: (id) => void connections.set(id, connection),
    });
    const connection: Connection = { sessionId, transport, server: createServer(sessionId) };
    transport.onclose = () => {
      if (transport.sessionId !== undefined) connections.delete(transport.sessionId);
    };
    transport.onerror = onerror;
    await connection.server.connect(transport);
    return connection;
  };

  return {
    handle: async (request, response, sessionId, body) => {
      const outcome = classifyInboundRequest({
        httpMethod: request.method ?? '',
        ...eraHeaders(request.headers),
        body,
      });
      if (outcome.kind !== 'legacy') {
        return serveModern(toModernRequest(request, sessionId), response, body);
      }
      const id = request.headers['mcp-session-id'];
      if (id === undefined) {
        if (!isInitializeRequest(body)) return answer(response, 400, -32_000, 'Send initialize first, then its Mcp-Session-Id.');
        const connection = await connect(sessionId);
        return connection.transport.handleRequest(request, response, body);
      }
      const connection = connections.get(String(id));
      if (connection === undefined || connection.sessionId !== sessionId) return answer(response, 404, -32_001, 'Session not found');
      return hangUp.run(whenGone(response), () => connection.transport.handleRequest(request, response, body));
    },
    toolsChanged: () => {
      modern.notify.toolsChanged();
      for (const { server } of connections.values()) server.sendToolListChanged().catch(onerror);
    },
    closeSession: (sessionId) => {
      for (const connection of connections.values()) if (connection.sessionId === sessionId) void connection.transport.close();
    },
    close: async () => {
      await Promise.all([modern.close(), ...[...connections.values()].map(({ transport }) => transport.close())]);
    },
  };
};

/**
 * The signal of the request that carries the call at hand. The earlier revisions let a client hang up and ask again for the
 * answer; nothing is kept for that here, so that a call goes on, and a question stays open, for nobody.
 */
const hangUp = new AsyncLocalStorage<AbortSignal>();

const whenGone = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
};

const withHangUp = (signal: AbortSignal): AbortSignal => {
  const gone = hangUp.getStore();
  return gone === undefined ? signal : AbortSignal.any([signal, gone]);
};

const KEEP_ALIVE_MS = 30_000;

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

/** The SDK hands `clientId` on to whoever makes the server; the token itself is no business of anything behind the gate. */
const toModernRequest = (request: IncomingMessage, sessionId: SessionId): NodeIncomingMessageLike => ({
  method: request.method ?? '',
  url: request.url ?? '',
  headers: request.headers,
  auth: { token: '', clientId: sessionId, scopes: [] },
  [Symbol.asyncIterator]: () => request[Symbol.asyncIterator](),
});

const answer = (response: ServerResponse, status: number, code: number, message: string): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
};

/** MCP: the endpoint for clients over HTTP, and the sessions of clients over stdio, which come by the private socket. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { McpCallInput, McpSessionInput, type McpCallLine } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { CallId, SessionId } from '#protocol/ids.ts';
import { selfCommand } from '#companion/lib/self.ts';
import { toHttpConfig, toStdioConfig } from '#companion/mcp/client-config.ts';
import type { McpHttp } from '#companion/mcp/http.ts';
import type { ServerDeps } from '../deps.ts';
import { entryOf } from '../doors.ts';
import { parse } from '../http-error.ts';
import { mcp, privateOnly } from '../scope.ts';
import { toSse, type SseServer } from '../sse.ts';

const BySession = z.object({ sessionId: SessionId });
const Transport = z.object({ transport: z.enum(['stdio', 'http']).default('stdio') });

export const addMcpRoutes = (
  app: FastifyInstance,
  { sessions, bridge, tokens, caller }: ServerDeps,
  { mcpHttp, port, sse }: { readonly mcpHttp: McpHttp; readonly port: () => number; readonly sse: SseServer },
): void => {
  const createSession = async (name: string): Promise<SessionId> => {
    const { sessionId } = await sessions.dispatch({ type: 'session.create', projectId: null, engine: 'mcp', name, kind: 'client' });
    bridge.sessionStarted(sessionId, name);
    return sessionId;
  };

  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    ...mcp,
    handler: async ({ raw, body }, reply) => {
      const { principal } = entryOf(raw);
      if (principal.type !== 'session') throw new CompanionError('FORBIDDEN');
      reply.hijack();
      await mcpHttp.handle(raw, reply.raw, principal.sessionId, body);
    },
  });

  app.post('/api/mcp-sessions', privateOnly, async ({ body }, reply) => {
    const { clientName, clientVersion } = parse(McpSessionInput, body);
    return reply.code(201).send({ sessionId: await createSession(`${clientName} ${clientVersion}`.trim()) });
  });

  /** Open for as long as the client lives: a client that is killed says no goodbye, and its tab group ends all the same. */
  app.get('/api/mcp-sessions/:sessionId/hold', privateOnly, ({ params }, reply) => {
    const { sessionId } = parse(BySession, params);
    checkIsClient(sessionId);
    bridge.sessionStarted(sessionId, sessions.view(sessionId).name);
    sse.open(reply.raw, { heartbeat }).onClosed(() => bridge.sessionEnded(sessionId));
    reply.hijack();
  });

  app.delete('/api/mcp-sessions/:sessionId', privateOnly, ({ params }, reply) => {
    const { sessionId } = parse(BySession, params);
    checkIsClient(sessionId);
    bridge.sessionEnded(sessionId);
    return reply.code(204).send();
  });

  /** JSON lines: progress as it comes, the result last. A caller that goes away has cancelled. */
  app.post('/api/mcp-sessions/:sessionId/call', privateOnly, async ({ params, body }, reply) => {
    const { sessionId } = parse(BySession, params);
    const { callId, name, arguments: args } = parse(McpCallInput, body);
    checkIsClient(sessionId);
    reply.hijack();
    const response = reply.raw;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    response.writeHead(200, { 'content-type': 'application/jsonl', 'cache-control': 'no-store' });
    response.flushHeaders();
    const result = await caller.call({
      sessionId,
      callId: CallId.parse(callId),
      name,
      args,
      signal: gone.signal,
      onProgress: (progress) => writeLine(response, progress),
    });
    writeLine(response, { result });
    response.end();
  });

  /** The token goes to who may read this user's files only. */
  app.get('/api/mcp-config', privateOnly, async ({ query }) => {
    if (parse(Transport, query).transport === 'stdio') return toStdioConfig({ ...selfCommand(), env: portableEnv() });
    const sessionId = await createSession('MCP client');
    return toHttpConfig({ port: port(), token: tokens.issue({ type: 'session', sessionId }) });
  });

  function checkIsClient(sessionId: SessionId): void {
    if (sessions.view(sessionId).kind !== 'client') throw new CompanionError('SESSION_NOT_FOUND');
  }
};

const heartbeat = (): Buffer => toSse({ name: 'heartbeat', data: { type: 'heartbeat', at: Date.now() } });

const writeLine = (response: ServerResponse, line: McpCallLine): void => {
  if (!response.destroyed) response.write(`${JSON.stringify(line)}\n`);
};

/** A portable home has to be named again, or the client would start another daemon. */
const portableEnv = (): Record<string, string> => {
  const home = process.env['PILOTFISH_HOME'];
  return home === undefined || home === '' ? {} : { PILOTFISH_HOME: home };
};

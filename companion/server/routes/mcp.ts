/** MCP: the endpoint for clients over HTTP, and the sessions of clients over stdio, which come by the private socket. */
import type { ServerResponse } from 'node:http';
import type { McpCallLine } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { routes } from '#protocol/routes.ts';
import { selfCommand } from '#companion/lib/self.ts';
import { toHttpConfig, toStdioConfig } from '#companion/mcp/client-config.ts';
import type { Principal } from '#companion/mcp/tokens.ts';
import type { McpHttp } from '#companion/mcp/http.ts';
import type { ServerDeps } from '../deps.ts';
import type { Context, Handlers } from '../handlers.ts';
import { toSse, type SseServer } from '../sse.ts';

type Names = 'openMcpSession' | 'holdMcpSession' | 'closeMcpSession' | 'callTool' | 'mcpConfig' | 'sendMcp' | 'receiveMcp' | 'closeMcp';

export const mcpHandlers = (
  { sessions, bridge, tokens, caller }: ServerDeps,
  { mcpHttp, port, sse }: { readonly mcpHttp: McpHttp; readonly port: () => number; readonly sse: SseServer },
): Pick<Handlers<typeof routes>, Names> => {
  const createSession = async (name: string): Promise<SessionId> => {
    const { sessionId } = await sessions.dispatch({ type: 'session.create', projectId: null, engine: 'mcp', name, kind: 'client' });
    bridge.sessionStarted(sessionId, name);
    return sessionId;
  };
  /** Which process opened a session: its grants are for that one, and another that names it does not find it. */
  const owners = new Map<SessionId, number | null>();
  /** The newest hold of each session: an older one may be noticed to be gone only after its client is back. */
  const holds = new Map<SessionId, symbol>();
  const checkIsOwn = (sessionId: SessionId, { principal }: Context): void => {
    if (sessions.view(sessionId).kind !== 'client' || owners.get(sessionId) !== processOf(principal)) {
      throw new CompanionError('SESSION_NOT_FOUND');
    }
  };
  const forget = (sessionId: SessionId): void => {
    owners.delete(sessionId);
    holds.delete(sessionId);
  };
  const speakMcp = ({ principal, request, hijack }: Context, body?: unknown): Promise<void> => {
    if (principal.type !== 'session') throw new CompanionError('FORBIDDEN');
    return mcpHttp.handle(request, hijack(), principal.sessionId, body);
  };
  return {
    sendMcp: ({ body }, context) => speakMcp(context, body),
    receiveMcp: (_, context) => speakMcp(context),
    closeMcp: (_, context) => speakMcp(context),

    openMcpSession: async ({ body: { clientName, clientVersion } }, { principal }) => {
      const sessionId = await createSession(`${clientName} ${clientVersion}`.trim());
      owners.set(sessionId, processOf(principal));
      return { sessionId };
    },
    holdMcpSession: ({ params: { sessionId } }, context) => {
      checkIsOwn(sessionId, context);
      bridge.sessionStarted(sessionId, sessions.view(sessionId).name);
      const hold = Symbol(sessionId);
      holds.set(sessionId, hold);
      sse.open(context.hijack(), { heartbeat }).onClosed(() => {
        if (holds.get(sessionId) !== hold) return;
        bridge.sessionEnded(sessionId);
        setTimeout(() => {
          if (holds.get(sessionId) === hold) forget(sessionId);
        }, RETURN_MS).unref();
      });
    },
    closeMcpSession: ({ params: { sessionId } }, context) => {
      checkIsOwn(sessionId, context);
      forget(sessionId);
      bridge.sessionEnded(sessionId);
    },
    callTool: async ({ params: { sessionId }, body: { callId, name, arguments: args } }, context) => {
      checkIsOwn(sessionId, context);
      const signal = context.gone();
      const response = context.hijack();
      response.writeHead(200, { 'content-type': 'application/jsonl', 'cache-control': 'no-store' });
      response.flushHeaders();
      const result = await caller.call({ sessionId, callId, name, args, signal, onProgress: (progress) => writeLine(response, progress) });
      writeLine(response, { result });
      response.end();
    },
    mcpConfig: async ({ query }) => {
      if (query.transport === 'stdio') return toStdioConfig({ ...selfCommand(), env: portableEnv() });
      const sessionId = await createSession('MCP client');
      return toHttpConfig({ port: port(), token: tokens.issue({ type: 'session', sessionId }) });
    },
  };
};

/** A client whose hold was cut comes back within seconds. After this time its process counts as gone, and its number may be another's. */
const RETURN_MS = 60_000;

/** Null where the system does not tell it: then all callers of the private socket are one. */
const processOf = (principal: Principal): number | null => (principal.type === 'local' ? (principal.caller?.pid ?? null) : null);

const heartbeat = (): Buffer => toSse({ name: 'heartbeat', data: { type: 'heartbeat', at: Date.now() } });

const writeLine = (response: ServerResponse, line: McpCallLine): void => {
  if (!response.destroyed) response.write(`${JSON.stringify(line)}\n`);
};

/** A portable home has to be named again, or the client would start another daemon. */
const portableEnv = (): Record<string, string> => {
  const home = process.env['PILOTFISH_HOME'];
  return home === undefined || home === '' ? {} : { PILOTFISH_HOME: home };
};

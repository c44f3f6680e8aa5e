/** MCP: the endpoint for clients over HTTP, and the sessions of clients over stdio, which come by the private socket. */
import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import type { McpCallLine } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { foreignName } from '#protocol/foreign-name.ts';
import { readToolSets, toMcpArgs } from '#protocol/tool-sets.ts';
import type { routes } from '#protocol/routes.ts';
import { selfCommand } from '#companion/lib/self.ts';
import { toHttpConfig, toStdioConfig } from '#companion/mcp/client-config.ts';
import type { McpHttp } from '#companion/mcp/http.ts';
import { newSessionId, processOf, sessionOf, type ClientSessions } from '../client-sessions.ts';
import type { ServerDeps } from '../deps.ts';
import type { Elicitations } from '../elicitations.ts';
import type { Context, Handlers } from '../handlers.ts';
import { heartbeat, type SseServer } from '../sse.ts';
import type { CallTool } from '../tool-calls.ts';

type Names =
  | 'openMcpSession'
  | 'holdMcpSession'
  | 'closeMcpSession'
  | 'callTool'
  | 'mcpCommand'
  | 'tellElicited'
  | 'mcpConfig'
  | 'sendMcp'
  | 'receiveMcp'
  | 'closeMcp';

export interface McpParts {
  readonly mcpHttp: () => Promise<McpHttp>;
  readonly port: () => number;
  readonly sse: SseServer;
  readonly clients: ClientSessions;
  readonly elicitations: Elicitations;
  readonly callTool: CallTool;
}

export const mcpHandlers = (
  { sessions, tokens, comers }: ServerDeps,
  { mcpHttp, port, sse, clients, elicitations, callTool }: McpParts,
): Pick<Handlers<typeof routes>, Names> => {
  const speakMcp = async ({ principal, request, hijack }: Context, body?: unknown): Promise<void> => {
    if (principal.type !== 'session') throw new CompanionError('FORBIDDEN');
    await clients.keepPromise(principal.sessionId, nameIn(body));
    if (sessions.view(principal.sessionId).kind === 'client') void comers.spoke(request.socket);
    const [http, response] = [await mcpHttp(), hijack()];
    return http.handle(request, response, principal.sessionId, body);
  };
  return {
    sendMcp: ({ body }, context) => speakMcp(context, body),
    receiveMcp: (_, context) => speakMcp(context),
    closeMcp: (_, context) => speakMcp(context),

    openMcpSession: async ({ body: { clientName, clientVersion, key, isBack = false } }, { principal }) => ({
      sessionId: await clients.open(key === undefined ? newSessionId() : sessionOf(key), {
        name: foreignName(`${clientName} ${clientVersion}`),
        pid: processOf(principal),
        comer: comers.local(clientName, principal.type === 'local' ? (principal.caller ?? null) : null),
        isBack,
      }),
    }),
    holdMcpSession: ({ params: { sessionId } }, { principal, hijack }) => {
      const letGo = clients.hold(sessionId, processOf(principal));
      sse.open(hijack(), { heartbeat }).onClosed(letGo);
    },
    closeMcpSession: ({ params: { sessionId } }, { principal }) => clients.close(sessionId, processOf(principal)),
    callTool: async ({ params: { sessionId }, body }, context) => {
      const comer = clients.checkOwner(sessionId, processOf(context.principal));
      const signal = context.gone();
      using answer = new CallAnswer(context.hijack());
      answer.end({ result: await callTool({ sessionId, comer, input: body, signal, tell: (line) => answer.write(line) }) });
    },
    mcpCommand: () => {
      const { command, args } = selfCommand();
      const env = portableEnv();
      return { command, args: [...args, ...toMcpArgs([])], ...(Object.keys(env).length === 0 ? {} : { env }) };
    },
    tellElicited: ({ params: { sessionId }, body: { elicitId, optionId } }, { principal }) => {
      clients.checkOwner(sessionId, processOf(principal));
      elicitations.answer(sessionId, elicitId, optionId);
    },
    mcpConfig: async ({ query }) => {
      const sets = query.tools === undefined ? [] : readToolSets(query.tools);
      if (query.transport === 'stdio') return toStdioConfig({ ...selfCommand(), env: portableEnv(), sets });
      return toHttpConfig({ port: port(), token: tokens.issue({ type: 'session', sessionId: clients.promise() }), sets });
    },
  };
};

/** A result that is there by then comes with the head of its answer; what takes longer is begun, so that its client knows that the daemon is there. */
const BEGIN_AFTER_MS = 20;

/** The lines of the answer to a call. */
class CallAnswer implements Disposable {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#timer = setTimeout(() => this.#begin(), BEGIN_AFTER_MS);
  }

  write(line: McpCallLine): void {
    if (this.#isOver) return;
    this.#begin();
    this.#response.write(toText(line));
  }

  /** The last one. */
  end(line: McpCallLine): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const text = toText(line);
    if (!this.#response.headersSent) this.#response.writeHead(200, { ...HEAD, 'content-length': Buffer.byteLength(text) });
    this.#response.end(text);
  }

  /** A call that has thrown has no result. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#begin();
    this.#response.end();
  }

  get #isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    if (this.#response.headersSent || this.#isOver) return;
    this.#response.writeHead(200, HEAD);
    this.#response.flushHeaders();
  }
}

const HEAD = { 'content-type': 'application/jsonl', 'cache-control': 'no-store' };

const toText = (line: McpCallLine): string => `${JSON.stringify(line)}\n`;

const Named = z.object({ name: z.string(), version: z.string() });
/** The first message of a client: an earlier one says who it is when it begins, one of today's revision with each request. */
const First = z.object({
  params: z.object({
    clientInfo: Named.optional(),
    _meta: z.object({ 'io.modelcontextprotocol/clientInfo': Named.optional() }).optional(),
  }),
});

const nameIn = (body: unknown): string => {
  const { clientInfo, _meta } = First.safeParse(body).data?.params ?? {};
  const named = clientInfo ?? _meta?.['io.modelcontextprotocol/clientInfo'];
  return named === undefined ? 'MCP client' : foreignName(`${named.name} ${named.version}`);
};

/** A portable home folder must be named again, or the client would start another daemon. */
const portableEnv = (): Record<string, string> => {
  const home = process.env['PILOTFISH_HOME'];
  return home === undefined || home === '' ? {} : { PILOTFISH_HOME: home };
};

/** MCP: the endpoint for clients over HTTP, and the sessions of clients over stdio, which come by the private socket. */
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import type { McpCallLine } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { foreignName } from '#protocol/foreign-name.ts';
import { SessionId } from '#protocol/ids.ts';
import { readToolSets, toMcpArgs } from '#protocol/tool-sets.ts';
import type { routes } from '#protocol/routes.ts';
import type { Comer } from '#companion/admission/comer.ts';
import type { Progress } from '#companion/browser/routing.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { selfCommand } from '#companion/lib/self.ts';
import { toHttpConfig, toStdioConfig } from '#companion/mcp/client-config.ts';
import type { Principal } from '#companion/mcp/tokens.ts';
import type { Elicit } from '#companion/mcp/elicit.ts';
import type { McpHttp } from '#companion/mcp/http.ts';
import type { ServerDeps } from '../deps.ts';
import type { Context, Handlers } from '../handlers.ts';
import { heartbeat, type SseServer } from '../sse.ts';

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

export const mcpHandlers = (
  { sessions, bridge, tokens, caller, comers }: ServerDeps,
  { mcpHttp, port, sse }: { readonly mcpHttp: () => Promise<McpHttp>; readonly port: () => number; readonly sse: SseServer },
): Pick<Handlers<typeof routes>, Names> => {
  const clients = new ClientSessions(sessions, bridge);
  const elicitations = new Elicitations();
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
    callTool: async ({ params: { sessionId }, body: { callId, name, arguments: args, canElicit = false, wasCut } }, context) => {
      const comer = clients.checkOwner(sessionId, processOf(context.principal));
      const signal = context.gone();
      using answer = new CallAnswer(context.hijack());
      const onProgress = (progress: Progress): void => answer.write(progress);
      const elicit = canElicit ? elicitations.over(sessionId, (line) => answer.write(line)) : undefined;
      const result = await caller.call({ sessionId, callId, name, args, signal, onProgress, comer: () => comer, elicit, wasCut });
      answer.end({ result });
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

/** Questions that go to a client over stdio as lines of its call, and whose answers come by a route. */
class Elicitations {
  readonly #open = new Map<string, { readonly sessionId: SessionId; readonly resolve: (optionId: string | null) => void }>();

  /** For one call; `write` sends a line to its client. */
  over(sessionId: SessionId, write: (line: McpCallLine) => void): Elicit {
    return async (question, signal) => {
      const elicitId = randomId('elicit');
      const { promise, resolve } = Promise.withResolvers<string | null>();
      const end = (): void => resolve(null);
      this.#open.set(elicitId, { sessionId, resolve });
      signal.addEventListener('abort', end, { once: true });
      try {
        write({ elicitId, question });
        return await promise;
      } finally {
        signal.removeEventListener('abort', end);
        this.#open.delete(elicitId);
        write({ elicitId, question: null });
      }
    };
  }

  /** One that is over, or another session's, is passed over: the person has answered elsewhere. */
  answer(sessionId: SessionId, elicitId: string, optionId: string | null): void {
    const open = this.#open.get(elicitId);
    if (open?.sessionId === sessionId) open.resolve(optionId);
  }
}

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

/** A client whose hold was cut comes back within seconds. After this time its process counts as gone, and its number may be another's. */
const RETURN_MS = 60_000;

/** A browser keeps the tabs of no more sessions. */
const MAX_LEFT = 100;

interface Opening {
  readonly name: string;
  readonly pid: number | null;
  readonly comer: Comer;
  /** Whether it is only to be found again. */
  readonly isBack: boolean;
}

/** The sessions of MCP clients, and which process has opened each. */
class ClientSessions {
  readonly #sessions: ServerDeps['sessions'];
  readonly #bridge: ServerDeps['bridge'];
  readonly #promised = new Set<SessionId>();
  /** Those whose clients have come to this daemon. */
  readonly #met = new Set<SessionId>();
  /** The process that opened each session: its grants are for that one, and another that names it does not find it. */
  readonly #owners = new Map<SessionId, { readonly pid: number | null; readonly comer: Comer }>();
  /** The newest hold of each session: an older one may be noticed to be gone only after its client is back. */
  readonly #holds = new Map<SessionId, symbol>();

  constructor(sessions: ServerDeps['sessions'], bridge: ServerDeps['bridge']) {
    this.#sessions = sessions;
    this.#bridge = bridge;
    setTimeout(() => this.#endLeft(), RETURN_MS).unref();
  }

  /** The id of a session that is made when somebody comes with it: a configuration that was only printed is no session. */
  promise(): SessionId {
    const sessionId = newSessionId();
    this.#promised.add(sessionId);
    return sessionId;
  }

  /** Makes the session if it was promised. */
  async keepPromise(sessionId: SessionId, name: string): Promise<void> {
    if (this.#promised.delete(sessionId)) await this.#create(sessionId, name);
  }

  /** Makes a session that only this process finds, or finds it again. One that the person has removed is left alone. */
  async open(wanted: SessionId, { name, pid, comer, isBack }: Opening): Promise<SessionId> {
    const isRemoved = this.#sessions.removed().some(({ session }) => session.id === wanted);
    if (isBack && (isRemoved || !this.#sessions.has(wanted))) throw new CompanionError('SESSION_NOT_FOUND');
    const sessionId = isRemoved ? newSessionId() : wanted;
    await this.#create(sessionId, name);
    this.#owners.set(sessionId, { pid, comer });
    return sessionId;
  }

  /** The program whose session it is, if this process has opened it; throws SESSION_NOT_FOUND. */
  checkOwner(sessionId: SessionId, pid: number | null): Comer {
    const owner = this.#owners.get(sessionId);
    if (owner === undefined || owner.pid !== pid || this.#sessions.view(sessionId).kind !== 'client') {
      throw new CompanionError('SESSION_NOT_FOUND');
    }
    return owner.comer;
  }

  /** Keeps the session's browser until the returned function is called. */
  hold(sessionId: SessionId, pid: number | null): () => void {
    this.checkOwner(sessionId, pid);
    this.#bridge.sessionStarted(sessionId, this.#sessions.view(sessionId).name);
    const hold = Symbol(sessionId);
    this.#holds.set(sessionId, hold);
    const isNewest = (): boolean => this.#holds.get(sessionId) === hold;
    return () => {
      if (!isNewest()) return;
      this.#bridge.sessionEnded(sessionId);
      setTimeout(() => {
        if (isNewest()) this.#forget(sessionId);
      }, RETURN_MS).unref();
    };
  }

  close(sessionId: SessionId, pid: number | null): void {
    this.checkOwner(sessionId, pid);
    this.#forget(sessionId);
    this.#bridge.sessionEnded(sessionId);
  }

  /** A daemon that was killed has told no browser that sessions ended, and their clients may have ended with it. */
  #endLeft(): void {
    const left = this.#sessions.list().filter(({ id, kind }) => kind === 'client' && !this.#met.has(id));
    for (const { id } of left.slice(0, MAX_LEFT)) this.#bridge.sessionEnded(id);
  }

  async #create(sessionId: SessionId, name: string): Promise<void> {
    this.#met.add(sessionId);
    await this.#sessions.dispatch({ type: 'session.create', sessionId, projectId: null, engine: 'mcp', name, kind: 'client' });
    this.#bridge.sessionStarted(sessionId, name);
  }

  #forget(sessionId: SessionId): void {
    this.#owners.delete(sessionId);
    this.#holds.delete(sessionId);
  }
}

const newSessionId = (): SessionId => SessionId.parse(randomId('session'));

/** No daemon has to keep the key: the id that is made of it is found by the one who has it, and tells nobody else what it was. */
const sessionOf = (key: string): SessionId => SessionId.parse(`session_${hash('sha256', key).slice(0, 40)}`);

/** Null when the system does not tell it; then all callers of the private socket count as one. */
const processOf = (principal: Principal): number | null => (principal.type === 'local' ? (principal.caller?.pid ?? null) : null);

/** A portable home folder must be named again, or the client would start another daemon. */
const portableEnv = (): Record<string, string> => {
  const home = process.env['PILOTFISH_HOME'];
  return home === undefined || home === '' ? {} : { PILOTFISH_HOME: home };
};

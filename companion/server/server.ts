/** The doors of the daemon: private socket and loopback port, one gate, one set of routes. */
import type { Server as HttpServer } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ToolInfo } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { CallId, type SessionId } from '#protocol/ids.ts';
import { DEFAULT_PORT } from '#protocol/version.ts';
import { warningText, type Warning } from '#protocol/warnings.ts';
import { explain } from '#protocol/faults.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { McpHttp } from '#companion/mcp/http.ts';
import { CallLines } from './call-lines.ts';
import { ClientSessions } from './client-sessions.ts';
import { OpenWork } from './handlers.ts';
import type { ServerDeps } from './deps.ts';
import { createDoorServer, guard, type DoorListeners } from './doors.ts';
import { Elicitations } from './elicitations.ts';
import { LogStream } from './log-stream.ts';
import { PanelSockets } from './panel-sockets.ts';
import { PatchStream } from './patch-stream.ts';
import { promptOverSocket } from './socket-prompt.ts';
import { RealtimeStream } from './realtime-stream.ts';
import { createRoutes } from './routes.ts';
import { SseServer } from './sse.ts';
import { StateStream } from './state-stream.ts';
import { Threshold } from './threshold.ts';
import { createCallTool } from './tool-calls.ts';
import { createUpgrades } from './upgrades.ts';
import { WrongTokens } from './wrong-tokens.ts';

/** Opens both doors; the private socket is locked already. `onApp` is for tests that list the routes. */
export const startServer = async (deps: ServerDeps, onApp?: (app: FastifyInstance) => void): Promise<Server> => {
  const server = new Server(deps);
  await server.open(onApp);
  return server;
};

export class Server {
  readonly #deps: ServerDeps;
  readonly #loopback = createDoorServer('loopback');
  readonly #countListeners = new Set<() => void>();
  readonly #sse: SseServer;
  readonly #patches: PatchStream;
  readonly #threshold: Threshold;
  readonly #panels = new PanelSockets();
  readonly #state: StateStream;
  /** MCP over HTTP, once a client has used it. */
  #mcpHttp: Promise<McpHttp> | null = null;
  #listening: () => readonly SessionId[] = () => [];
  /** What the user has to know and nobody else says. */
  readonly #notices: Warning[] = [];
  /** The tools. It is the same array for as long as the list is the same, so that MCP makes its wire form once. */
  #tools: readonly ToolInfo[];
  #port = 0;
  readonly #work = new OpenWork();
  #lastRequestAt = performance.now();
  #stops: (() => void)[] = [];
  #app: FastifyInstance | null = null;
  #callLines: CallLines | null = null;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.#threshold = new Threshold(this.#loopback, { port: () => this.#port, log: deps.log });
    this.#sse = new SseServer(this.#onCount);
    this.#patches = new PatchStream(deps.sessions, { onCount: this.#onCount, onPrompt: promptOverSocket(deps) });
    this.#state = new StateStream(deps, this.#sse, this.#warnings);
    this.#tools = deps.bridge.tools();
  }

  /** The loopback port; nobody has to know it beforehand. */
  get port(): number {
    return this.#port;
  }

  get socket(): string {
    return this.#deps.lock.socket;
  }

  /** When the last request came in, on the clock of `performance.now()`. */
  lastRequestAt(): number {
    return this.#lastRequestAt;
  }

  /** Whether a request is being answered, however long that takes. */
  get isAnswering(): boolean {
    return this.#work.count > 0;
  }

  /** Whether a panel or terminal is there that tells the person what happens. */
  hasFrontEnd(): boolean {
    return this.#state.isRead;
  }

  /** How many streams are open now; while there is one, somebody watches, or a program from outside may call. */
  streamCount(): number {
    const { sessions } = this.#deps;
    const programs = this.#listening().filter((sessionId) => sessions.has(sessionId) && sessions.view(sessionId).kind === 'client');
    return this.#sse.count() + this.#patches.count() + programs.length;
  }

  /** Calls `listener` when that number changes. */
  onStreamCount(listener: () => void): () => void {
    this.#countListeners.add(listener);
    return () => this.#countListeners.delete(listener);
  }

  readonly #onCount = (): void => {
    for (const listener of this.#countListeners) listener();
  };

  async open(onApp?: (app: FastifyInstance) => void): Promise<void> {
    const { lock, log, settings } = this.#deps;
    const inside = await this.#createInside(onApp);
    const common = {
      port: () => this.#port,
      tokens: this.#deps.tokens,
      remoteHost: (host: string): 'paired' | 'pairing' | null => {
        if (this.#deps.admissions.takesHost(host)) return 'paired';
        return this.#deps.pairing.takesHost(host) ? 'pairing' : null;
      },
      wrongTokens: new WrongTokens(log, (warning) => this.#tell(warning)),
      log,
      inside,
    };
    const noteRequest = (): void => {
      this.#lastRequestAt = performance.now();
    };
    const threshold = this.#threshold;
    const listeners = guard({
      door: 'loopback',
      onAdmitted: (socket, principal) => {
        // To ask whether a daemon is there neither keeps it alive nor makes room for a connection.
        if (principal.type === 'nobody') return;
        noteRequest();
        threshold.admit(socket);
        this.#panels.note(socket, principal);
      },
      ...common,
    });
    this.#loopback.on('request', listeners.request);
    this.#loopback.on('upgrade', listeners.upgrade);
    this.#port = await listenOnLoopback(this.#loopback, settings.current().port);
    lock.open(guard({ door: 'private', onAdmitted: noteRequest, ...common }));
    log.info('server.started', { port: this.#port, socket: lock.socket });
    this.#watchTools();
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#sse.close();
    this.#patches.close();
    this.#callLines?.close();
    this.#deps.remoteDoor.close();
    await (await this.#mcpHttp)?.close();
    const closed = new Promise((resolve) => this.#loopback.close(resolve));
    this.#loopback.closeAllConnections();
    await closed;
    await this.#deps.lock.release();
    await this.#app?.close();
  }

  /** What is behind the gate. */
  async #createInside(onApp?: (app: FastifyInstance) => void): Promise<DoorListeners> {
    const { sessions, bridge, linkDoor, remoteDoor, admissions, log } = this.#deps;
    const clients = new ClientSessions(sessions, bridge);
    const elicitations = new Elicitations();
    const callTool = createCallTool(this.#deps, elicitations);
    this.#callLines = new CallLines({ clients, callTool, log });
    const app = await createRoutes(
      this.#deps,
      {
        work: this.#work,
        log: new LogStream(sessions, this.#sse),
        realtime: new RealtimeStream(sessions, this.#sse),
        state: this.#state,
        sse: this.#sse,
        mcpHttp: () => (this.#mcpHttp ??= this.#loadMcpHttp()),
        port: () => this.#port,
        warnings: this.#warnings,
        clients,
        elicitations,
        callTool,
      },
      onApp,
    );
    this.#app = app;
    return {
      request: app.routing,
      upgrade: createUpgrades({
        patches: this.#patches,
        callLines: this.#callLines,
        linkDoor,
        remoteDoor,
        admissions,
        onProven: (socket) => this.#threshold.admit(socket),
      }),
    };
  }

  /** The SDK and what Node needs for its web-standard requests take 8 MB, which a daemon that no agent uses can do without. */
  async #loadMcpHttp(): Promise<McpHttp> {
    const { McpHttp: Loaded } = await import('#companion/mcp/http.ts');
    const { caller, comers, log } = this.#deps;
    const loaded = new Loaded({
      tools: () => this.#tools,
      onListening: this.#onCount,
      watchClient: (socket) => comers.watch(socket),
      call: (sessionId, name, args, { client, socket, ...options }) => {
        const comer = () => comers.overLoopback(client?.name ?? 'MCP client', socket);
        return caller.call({ sessionId, callId: CallId.parse(randomId('call')), name, args, comer, ...options });
      },
      log,
    });
    this.#listening = () => loaded.listening();
    return loaded;
  }

  readonly #warnings = (): Warning[] => [...this.#deps.warnings(), ...this.#notices];

  #tell(warning: Warning): void {
    this.#notices.push(warning);
    this.#state.publish({ type: 'log', line: warningText(warning) });
    this.#state.lookAtWarnings();
  }

  #watchTools(): void {
    const { bridge, tokens, admissions } = this.#deps;
    this.#stops = [
      admissions.subscribe((id, wasAllowed) => {
        if (wasAllowed && !admissions.isAllowed(id)) this.#panels.end(id);
      }),
      bridge.subscribe(() => {
        const newest = bridge.tools();
        if (newest.length === this.#tools.length && newest.every((tool, index) => tool === this.#tools[index])) return;
        this.#tools = newest;
        void this.#mcpHttp?.then((http) => http.toolsChanged());
      }),
      tokens.onRevoked((principal) => {
        if (principal.type === 'session') void this.#mcpHttp?.then((http) => http.closeSession(principal.sessionId));
      }),
    ];
  }
}

/** Tries the preferred port, then the usual one, then any: nobody has to know it. */
const listenOnLoopback = async (server: HttpServer, preferred: number): Promise<number> => {
  for (const port of new Set([preferred, DEFAULT_PORT, 0])) {
    const taken = await listen(server, port);
    if (taken !== null) return taken;
  }
  throw new CompanionError('DAEMON_START_FAILED', explain('no_port'));
};

const listen = (server: HttpServer, port: number): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      const code = 'code' in error ? error.code : undefined;
      if (code === 'EADDRINUSE' || code === 'EACCES') resolve(null);
      else reject(new CompanionError('DAEMON_START_FAILED', explain('port_not_opened'), { cause: error }));
    };
    server.once('error', fail);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.off('error', fail);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : null);
    });
  });

/** The doors of the daemon: private socket and loopback port, one gate, one set of routes. */
import type { Server as HttpServer } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { CompanionError } from '#protocol/errors.ts';
import { CallId } from '#protocol/ids.ts';
import { DEFAULT_PORT } from '#protocol/version.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { createMcpHttp } from '#companion/mcp/http.ts';
import type { ServerDeps } from './deps.ts';
import { createDoorServer, guard, type DoorListeners } from './doors.ts';
import { createLogStream } from './log-stream.ts';
import { createPatchStream } from './patch-stream.ts';
import { createRealtimeStream } from './realtime-stream.ts';
import { createRoutes } from './routes.ts';
import { createSseServer } from './sse.ts';
import { createStateStream } from './state-stream.ts';
import { createUpgrades } from './upgrades.ts';
import { createWrongTokens } from './wrong-tokens.ts';

export interface Server {
  readonly port: number;
  readonly socket: string;
  /** Streams that are open now: while there is one, somebody watches. */
  streamCount(): number;
  /** Called when that number changes. */
  onStreamCount(listener: () => void): () => void;
  /** When the last request came in, on the clock of `performance.now()`. */
  lastRequestAt(): number;
  close(): Promise<void>;
}

/** Opens both doors; the private socket is locked already. `onApp` is for tests that list the routes. */
export const startServer = async (deps: ServerDeps, onApp?: (app: FastifyInstance) => void): Promise<Server> => {
  const { lock, log, sessions, tokens, bridge, caller, settings } = deps;
  const countListeners = new Set<() => void>();
  const onCount = (): void => {
    for (const listener of countListeners) listener();
  };
  const notices: string[] = [];
  let port = 0;
  /** One array as long as the list is the same: MCP makes its wire form once. */
  let tools = bridge.tools();
  let lastRequestAt = performance.now();

  const sse = createSseServer(onCount);
  const patches = createPatchStream(sessions, onCount);
  const state = createStateStream(deps, sse);
  const mcpHttp = createMcpHttp({
    tools: () => tools,
    call: (sessionId, name, args, { signal, onProgress }) =>
      caller.call({ sessionId, callId: CallId.parse(randomId('call')), name, args, signal, onProgress }),
    log,
  });
  const { app, listener } = await createRoutes(
    deps,
    {
      log: createLogStream(sessions, sse),
      realtime: createRealtimeStream(sessions, sse),
      state,
      sse,
      mcpHttp,
      port: () => port,
      notices,
    },
    onApp,
  );
  const wrongTokens = createWrongTokens({
    log,
    notify: (text) => {
      notices.push(text);
      state.publish({ type: 'log', line: text });
    },
  });
  const inside: DoorListeners = {
    request: (request, response) => {
      lastRequestAt = performance.now();
      listener(request, response);
    },
    upgrade: createUpgrades({ patches, linkDoor: deps.linkDoor }),
  };
  const common = { port: () => port, tokens, wrongTokens, log, inside };

  const loopback = createDoorServer('loopback');
  const loopbackListeners = guard({ door: 'loopback', ...common });
  loopback.on('request', loopbackListeners.request);
  loopback.on('upgrade', loopbackListeners.upgrade);
  port = await listenOnLoopback(loopback, settings.current().port);
  lock.open(guard({ door: 'private', ...common }));
  log.info('server.started', { port, socket: lock.socket });

  const stops = [
    bridge.subscribe(() => {
      const newest = bridge.tools();
      if (newest.length === tools.length && newest.every((tool, index) => tool === tools[index])) return;
      tools = newest;
      mcpHttp.toolsChanged();
    }),
    tokens.onRevoked((principal) => {
      if (principal.type === 'session') mcpHttp.closeSession(principal.sessionId);
    }),
  ];
  return {
    port,
    socket: lock.socket,
    streamCount: () => sse.count() + patches.count(),
    onStreamCount: (added) => {
      countListeners.add(added);
      return () => countListeners.delete(added);
    },
    lastRequestAt: () => lastRequestAt,
    close: async () => {
      for (const stop of stops) stop();
      sse.close();
      patches.close();
      await mcpHttp.close();
      const closed = new Promise((resolve) => loopback.close(resolve));
      loopback.closeAllConnections();
      await closed;
      await lock.release();
      await app.close();
    },
  };
};

/** The preferred port, else the usual one, else any: nobody has to know it (R09). */
const listenOnLoopback = async (server: HttpServer, preferred: number): Promise<number> => {
  for (const port of new Set([preferred, DEFAULT_PORT, 0])) {
    const taken = await listen(server, port);
    if (taken !== null) return taken;
  }
  throw new CompanionError('DAEMON_START_FAILED', 'No loopback port is free.');
};

const listen = (server: HttpServer, port: number): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      const code = 'code' in error ? error.code : undefined;
      if (code === 'EADDRINUSE' || code === 'EACCES') resolve(null);
      else reject(new CompanionError('DAEMON_START_FAILED', 'The loopback port cannot be opened.', { cause: error }));
    };
    server.once('error', fail);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.off('error', fail);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : null);
    });
  });

/** `pilotfish mcp`: an MCP client's stdio door. It lists the tools by itself and passes each call to the daemon. */
import { MCP_ENV } from '#protocol/environment.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { ToolResult } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';
import { createClient, type Client } from '#companion/client/client.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { runMcpStdio, type McpStdioOptions } from '#companion/mcp/stdio.ts';
import { readTools } from './assets.ts';

/** Serves until the client closes stdin; the exit code. Nothing but the protocol goes to stdout. */
export const runMcp = (env: NodeJS.ProcessEnv): Promise<number> => {
  const { [MCP_ENV.url]: url, [MCP_ENV.token]: token } = env;
  return url === undefined || token === undefined ? runForClient(env) : runForSession({ url, token });
};

/** An agent of a session has started it: its calls belong to that session. */
const runForSession = async (access: { url: string; token: string }): Promise<number> => {
  const { createSessionClient } = await import('#companion/mcp/session-client.ts');
  const session = createSessionClient(access);
  const call: McpStdioOptions['call'] = (...args) => session.call(...args).catch(toResult);
  try {
    await serve(call, new AbortController());
    return 0;
  } finally {
    await session.close();
  }
};

/** A program that the user configured has started it: it gets a session of its own. */
const runForClient = async (env: NodeJS.ProcessEnv): Promise<number> => {
  const client = createClient({ paths: createPaths(env) });
  const ended = new AbortController();
  const session = createSession(client);
  // The list needs no daemon, so the client's start does not wait for one; it comes up meanwhile.
  const connected = client.connect({ start: true, signal: ended.signal });
  connected
    // An open stream tells the daemon that somebody is here.
    .then(() => client.streamState(() => {}, ended.signal))
    .catch(() => {
      // The first call meets the same fault and tells the client.
    });
  try {
    await serve(createCall(client, session), ended);
    return 0;
  } finally {
    ended.abort();
    await session.close();
    await client.close();
  }
};

const serve = async (call: McpStdioOptions['call'], ended: AbortController): Promise<void> => {
  const tools = readTools();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => ended.abort());
  await runMcpStdio({
    tools: () => tools,
    call,
    stdin: process.stdin,
    stdout: process.stdout,
    signal: ended.signal,
    onError: () => {
      // A malformed line was answered already; stderr stays silent.
    },
  });
};

interface Session {
  /** This run's own session, made with the first call. */
  open(input: { clientName: string; clientVersion: string }): Promise<SessionId>;
  /** To be called when the daemon does not know the session any more. */
  forget(): void;
  close(): Promise<void>;
}

const createSession = (client: Client): Session => {
  let opened: Promise<SessionId> | null = null;
  return {
    open: (input) => {
      opened ??= client.openMcpSession(input).catch((error: unknown) => {
        opened = null;
        throw error;
      });
      return opened;
    },
    forget: () => {
      opened = null;
    },
    close: async () => {
      try {
        if (opened !== null) await client.closeMcpSession(await opened);
      } catch {
        // The daemon has gone, and the session's place in the browser with it.
      }
    },
  };
};

const createCall =
  (client: Client, session: Session): McpStdioOptions['call'] =>
  async (name, args, { signal, onProgress, client: identity }) => {
    const attempt = async (): Promise<ToolResult> => {
      await client.connect({ start: true, signal });
      const sessionId = await session.open({ clientName: identity?.name ?? 'MCP client', clientVersion: identity?.version ?? '' });
      return client.callTool(
        sessionId,
        { callId: randomId('call'), name, arguments: args },
        {
          signal,
          onProgress: ({ progress, total, message }) =>
            onProgress({ progress, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) }),
        },
      );
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CompanionError) || error.code !== 'SESSION_NOT_FOUND') return toResult(error);
      session.forget();
      return attempt().catch(toResult);
    }
  };

/** What a model can act on. */
const toResult = (error: unknown): ToolResult => {
  const { code, message, remedy } = toErrorBody(error);
  return { isError: true, content: [{ type: 'text', text: `${code}: ${message} ${remedy}` }] };
};

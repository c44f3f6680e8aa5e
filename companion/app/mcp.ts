/** `pilotfish mcp`: an MCP client's stdio door. It lists the tools by itself and passes each call to the daemon. */
import { setTimeout as pause } from 'node:timers/promises';
import { MCP_ENV } from '#protocol/environment.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { ToolResult } from '#protocol/browser.ts';
import { DEFAULT_SETS, readToolSets, TOOL_SETS, withToolSets, type ToolSet } from '#protocol/tool-sets.ts';
import type { SessionId } from '#protocol/ids.ts';
import { createClient, CutCallError, type Client } from '#companion/client/client.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { runMcpStdio, type McpStdioOptions } from '#companion/mcp/stdio.ts';
import { readTools } from './assets.ts';

/** A client has its list of tools by then, if it asks for one. */
const CONNECT_AFTER_MS = 250;

/** A client whose name is longer is served all the same. */
const MAX_NAME_CHARS = 200;
const MAX_VERSION_CHARS = 100;

/** Serves until the client closes stdin; resolves with the exit code. Only the protocol goes to stdout. */
export const runMcp = (env: NodeJS.ProcessEnv, args: readonly string[]): Promise<number> => {
  const sets = readSets(args);
  const { [MCP_ENV.url]: url, [MCP_ENV.token]: token } = env;
  return url === undefined || token === undefined ? runForClient(env, sets) : runForSession({ url, token }, sets);
};

/** `--tools NAMES` is all it takes. */
const readSets = (args: readonly string[]): readonly ToolSet[] => {
  const [, asked] = /^--tools[= ](.*)$/s.exec(args.join(' ')) ?? [];
  if (asked !== undefined) return readToolSets(asked, 'CLI_USAGE');
  if (args.length === 0) return DEFAULT_SETS;
  throw new CompanionError('CLI_USAGE', `"mcp ${args.join(' ')}" is not known; there are "mcp --tools NAMES" and "mcp config".`);
};

/** For an `mcp` that an agent of a session has started: its calls belong to that session. */
const runForSession = async (access: { url: string; token: string }, sets: readonly ToolSet[]): Promise<number> => {
  const { SessionClient } = await import('#companion/mcp/session-client.ts');
  // What has another name is one of our own tools by then, and may be any of them.
  const session = new SessionClient({ ...access, url: withToolSets(access.url, TOOL_SETS) });
  const call: McpStdioOptions['call'] = (...args) => session.call(...args).catch(toResult);
  try {
    await serve(call, sets, new AbortController());
    return 0;
  } finally {
    await session.close();
  }
};

/** For an `mcp` that a program of the user has started: it gets a session of its own. */
const runForClient = async (env: NodeJS.ProcessEnv, sets: readonly ToolSet[]): Promise<number> => {
  const client = createClient({ paths: createPaths(env) });
  const ended = new AbortController();
  const session = new ClientSession(client);
  // What a client asks first needs no daemon, so the daemon starts after that; a call starts it at once.
  const connected = pause(CONNECT_AFTER_MS, undefined, { signal: ended.signal }).then(() =>
    client.connect({ start: true, signal: ended.signal }),
  );
  connected
    // An open stream tells the daemon that the client is there.
    .then(() => client.streamState(() => {}, ended.signal))
    .catch(() => {
      // The first call fails in the same way and tells the client.
    });
  try {
    await serve(session.call, sets, ended);
    return 0;
  } finally {
    ended.abort();
    await session.close();
    await client.close();
  }
};

const serve = async (call: McpStdioOptions['call'], sets: readonly ToolSet[], ended: AbortController): Promise<void> => {
  const tools = readTools();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => ended.abort());
  await runMcpStdio({
    tools: () => tools,
    call,
    sets,
    stdin: process.stdin,
    stdout: process.stdout,
    signal: ended.signal,
    onError: () => {
      // A malformed line was answered already; stderr stays silent.
    },
  });
};

type Given = Parameters<McpStdioOptions['call']>;

/** The session of one run of `pilotfish mcp`. It is made with the first call, and again when the daemon no longer knows it. */
class ClientSession {
  readonly #client: Client;
  /** With it the next daemon gives it the same session, and with that its tabs and what the person has allowed there. */
  readonly #key = randomId();
  #opened: Promise<SessionId> | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  readonly call: McpStdioOptions['call'] = async (...given) => {
    const callId = randomId('call');
    const attempt = (way: { wasCut: boolean; isAgain: boolean }): Promise<ToolResult> =>
      this.#inSession((sessionId) => this.#send(sessionId, { callId, wasCut: way.wasCut }, given), given, way.isAgain);
    return attempt({ wasCut: false, isAgain: false })
      .catch((error: unknown) => {
        if (error instanceof CutCallError) return attempt({ wasCut: error.wasSent, isAgain: true });
        // It ended before the call was sent, and another one is started.
        if (error instanceof CompanionError && error.code === 'DAEMON_NOT_RUNNING') return attempt({ wasCut: false, isAgain: true });
        throw error;
      })
      .catch(toResult);
  };

  /** Does it again where the daemon is another one, which does not know the session yet. */
  async #inSession(work: (sessionId: SessionId) => Promise<ToolResult>, given: Given, isAgain: boolean): Promise<ToolResult> {
    const opened = this.#opened;
    try {
      return await work((isAgain ? null : await this.#held()) ?? (await this.#connect(given)));
    } catch (error) {
      if (!(error instanceof CompanionError) || error.code !== 'SESSION_NOT_FOUND') throw error;
      // Another call may have opened it again meanwhile.
      if (this.#opened === opened) this.#opened = null;
      return work(await this.#connect(given));
    }
  }

  async close(): Promise<void> {
    try {
      if (this.#opened !== null) await this.#client.closeMcpSession(await this.#opened);
    } catch {
      // The daemon has gone; the next one ends what the session has left in the browser.
    }
  }

  /** The session, where its daemon is known to be there: to ask for that before each call would take as long as a quick call. */
  async #held(): Promise<SessionId | null> {
    const opened = await this.#opened?.catch(() => null);
    return opened != null && this.#client.isMcpSessionHeld(opened) ? opened : null;
  }

  async #connect([, , { signal, client: identity }]: Given): Promise<SessionId> {
    await this.#client.connect({ start: true, signal });
    const { name: clientName = 'MCP client', version: clientVersion = '' } = identity ?? {};
    return this.#open({
      clientName: clientName.slice(0, MAX_NAME_CHARS),
      clientVersion: clientVersion.slice(0, MAX_VERSION_CHARS),
    });
  }

  #send(
    sessionId: SessionId,
    { callId, wasCut }: { callId: string; wasCut: boolean },
    [name, args, { signal, onProgress, elicit }]: Given,
  ): Promise<ToolResult> {
    return this.#client.callTool(
      sessionId,
      { callId, name, arguments: args, ...(wasCut ? { wasCut } : {}) },
      {
        signal,
        elicit,
        onProgress: ({ progress, total, message }) =>
          onProgress({ progress, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) }),
      },
    );
  }

  #open(input: { clientName: string; clientVersion: string }): Promise<SessionId> {
    this.#opened ??= this.#client.openMcpSession({ ...input, key: this.#key }).catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }
}

/** An error as a result, in words that help a model. */
const toResult = (error: unknown): ToolResult => {
  const { code, message, remedy } = toErrorBody(error);
  return { isError: true, content: [{ type: 'text', text: `${code}: ${message} ${remedy}` }] };
};

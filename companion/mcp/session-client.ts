/** An MCP client of our own server with the token of one agent's session: for `pilotfish mcp` and for engines inside the daemon. */
import { Client, INVALID_PARAMS, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { VERSION } from '#protocol/version.ts';
import type { BrowserServerOptions } from './browser-server.ts';

/** A person's answer is part of a call; the daemon ends what takes too long. */
const CALL_LIMIT_MS = 24 * 3_600_000;

export interface SessionClient {
  tools(signal: AbortSignal): Promise<readonly { name: string; description: string; inputSchema: Record<string, unknown> }[]>;
  readonly call: BrowserServerOptions['call'];
  close(): Promise<void>;
}

/** Connects with the first call: an agent that never uses the browser costs nothing. */
export const createSessionClient = ({ url, token }: { url: string; token: string }): SessionClient => {
  const client = new Client({ name: 'pilotfish', version: VERSION });
  let connected: Promise<void> | null = null;
  const connect = (): Promise<void> =>
    (connected ??= client
      .connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
      .catch((error: unknown) => {
        connected = null;
        throw new CompanionError('MCP_UNREACHABLE', error instanceof Error ? error.message : String(error), { cause: error });
      }));
  return {
    tools: async (signal) => {
      await connect();
      const { tools } = await client.listTools(undefined, { signal });
      return tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema: { ...inputSchema } }));
    },
    call: async (name, args, { signal, onProgress }) => {
      await connect();
      const result = await client
        .callTool(
          { name, arguments: args },
          {
            signal,
            timeout: CALL_LIMIT_MS,
            onprogress: ({ progress, total, message }) =>
              onProgress({ progress, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) }),
          },
        )
        .catch(toResult);
      return ToolResult.parse(result);
    },
    close: () => client.close(),
  };
};

/** An unknown tool is an error of the protocol; a model is told of it as of any other. */
const toResult = (error: unknown): ToolResult => {
  if (!(error instanceof ProtocolError) || error.code !== INVALID_PARAMS) throw error;
  return { content: [{ type: 'text', text: error.message }], isError: true };
};

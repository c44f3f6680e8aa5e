/** `pilotfish mcp` on behalf of an agent that speaks stdio only: the calls go on over HTTP with the token of the agent's session. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ToolResult } from '#protocol/browser.ts';
import { VERSION } from '#protocol/version.ts';
import type { BrowserServerOptions } from './browser-server.ts';

/** A person's answer is part of a call; the daemon ends what takes too long. */
const CALL_LIMIT_MS = 24 * 3_600_000;

export interface SessionClient {
  readonly call: BrowserServerOptions['call'];
  close(): Promise<void>;
}

/** Connects with the first call: an agent that never uses the browser costs nothing. */
export const createSessionClient = ({ url, token }: { url: string; token: string }): SessionClient => {
  const client = new Client({ name: 'pilotfish mcp', version: VERSION });
  let connected: Promise<void> | null = null;
  const connect = (): Promise<void> =>
    (connected ??= client
      .connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
      .catch((error: unknown) => {
        connected = null;
        throw error;
      }));
  return {
    call: async (name, args, { signal, onProgress }) => {
      await connect();
      const result = await client.callTool(
        { name, arguments: args },
        {
          signal,
          timeout: CALL_LIMIT_MS,
          onprogress: ({ progress, total, message }) =>
            onProgress({ progress, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) }),
        },
      );
      return ToolResult.parse(result);
    },
    close: () => client.close(),
  };
};

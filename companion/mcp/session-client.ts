/** An MCP client of our own server with the token of one agent's session: for `pilotfish mcp` and for engines inside the daemon. */
import { Client, INVALID_PARAMS, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { VERSION } from '#protocol/version.ts';
import type { BrowserServerOptions } from './browser-server.ts';

/** A person's answer is part of a call, so the limit is long; the daemon has shorter ones. */
const CALL_LIMIT_MS = 24 * 3_600_000;

/** Connects with the first call, so that an agent that never uses the browser costs nothing. */
export class SessionClient {
  readonly #client = new Client({ name: 'pilotfish', version: VERSION });
  readonly #url: string;
  readonly #token: string;
  #connected: Promise<void> | null = null;

  constructor({ url, token }: { url: string; token: string }) {
    this.#url = url;
    this.#token = token;
  }

  async tools(signal: AbortSignal): Promise<readonly { name: string; description: string; inputSchema: Record<string, unknown> }[]> {
    await this.#connect();
    const { tools } = await this.#client.listTools(undefined, { signal });
    return tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema: { ...inputSchema } }));
  }

  readonly call: BrowserServerOptions['call'] = async (name, args, { signal, onProgress }) => {
    await this.#connect();
    const result = await this.#client
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
  };

  async close(): Promise<void> {
    await this.#client.close();
  }

  #connect(): Promise<void> {
    const requestInit = { headers: { Authorization: `Bearer ${this.#token}` } };
    return (this.#connected ??= this.#client
      .connect(new StreamableHTTPClientTransport(new URL(this.#url), { requestInit }))
      .catch((error: unknown) => {
        this.#connected = null;
        throw new CompanionError('MCP_UNREACHABLE', error instanceof Error ? error.message : String(error), { cause: error });
      }));
  }
}

/** The protocol reports an unknown tool as an error; the model gets it as a result, like any other failure. */
const toResult = (error: unknown): ToolResult => {
  if (!(error instanceof ProtocolError) || error.code !== INVALID_PARAMS) throw error;
  return { content: [{ type: 'text', text: error.message }], isError: true };
};

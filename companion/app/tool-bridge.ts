/** The tool bridge: an engine inside the daemon reaches the browser as an MCP client of our own server, like any agent outside it. */
import type { McpAccess, ToolBridge } from '#companion/engines/engine.ts';
import type { SessionClient } from '#companion/mcp/session-client.ts';

export class McpToolBridge implements ToolBridge {
  readonly #connect: () => Pick<McpAccess, 'url' | 'token'>;
  readonly #onClosed: () => void;
  #opened: Promise<SessionClient> | null = null;

  /** `connect` is asked for an address and a token when the bridge is first used; `onClosed` makes that token void. */
  constructor(options: { connect: () => Pick<McpAccess, 'url' | 'token'>; onClosed: () => void }) {
    this.#connect = options.connect;
    this.#onClosed = options.onClosed;
  }

  async tools(signal: AbortSignal): ReturnType<ToolBridge['tools']> {
    return (await this.#client()).tools(signal);
  }

  async call(name: string, args: Record<string, unknown>, signal: AbortSignal): ReturnType<ToolBridge['call']> {
    return (await this.#client()).call(name, args, { signal, onProgress: () => {}, client: null });
  }

  async close(): Promise<void> {
    const used = this.#opened;
    this.#opened = null;
    if (used === null) return;
    await (await used).close();
    this.#onClosed();
  }

  /** The client is large, and only few engines need it, so it is loaded when it is first used. */
  #client(): Promise<SessionClient> {
    return (this.#opened ??= import('#companion/mcp/session-client.ts').then(({ SessionClient }) => new SessionClient(this.#connect())));
  }
}

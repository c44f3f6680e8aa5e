/** The tool bridge: an engine inside the daemon reaches the browser as an MCP client of our own server, like any agent outside it. */
import type { McpAccess, ToolBridge } from '#companion/engines/engine.ts';
import type { SessionClient } from '#companion/mcp/session-client.ts';

/** `connect` is asked for an address and a token when the bridge is first used; `onClosed` makes that token void. */
export const createToolBridge = (options: { connect: () => Pick<McpAccess, 'url' | 'token'>; onClosed: () => void }): ToolBridge => {
  let opened: Promise<SessionClient> | null = null;
  // The client is large, and only few engines need it, so it is loaded when it is first used.
  const client = (): Promise<SessionClient> =>
    (opened ??= import('#companion/mcp/session-client.ts').then(({ createSessionClient }) => createSessionClient(options.connect())));
  return {
    tools: async (signal) => (await client()).tools(signal),
    call: async (name, args, signal) => (await client()).call(name, args, { signal, onProgress: () => {}, client: null }),
    close: async () => {
      const used = opened;
      opened = null;
      if (used === null) return;
      await (await used).close();
      options.onClosed();
    },
  };
};

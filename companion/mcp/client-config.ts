/** What an MCP client of the user's has to be told, in the form that most of them read. */
import { MCP_SERVER_NAME } from '#protocol/version.ts';

export type McpClientConfig = { readonly mcpServers: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

/** `pilotfish mcp config --json`: no secret in it, works as long as the executable stays where it is. */
export const toStdioConfig = ({
  command,
  args,
  env,
}: {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}): McpClientConfig => ({
  mcpServers: {
    [MCP_SERVER_NAME]: { type: 'stdio', command, args: [...args, 'mcp'], ...(Object.keys(env).length === 0 ? {} : { env }) },
  },
});

/** `pilotfish mcp config --http --json`: the token is of one session, and new whenever the daemon starts. */
export const toHttpConfig = ({ port, token }: { port: number; token: string }): McpClientConfig => ({
  mcpServers: {
    [MCP_SERVER_NAME]: {
      type: 'http',
      url: `http://127.0.0.1:${port}/mcp`,
      headers: { Authorization: `Bearer ${token}` },
    },
  },
});

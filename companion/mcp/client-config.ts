/** The configuration for an MCP client of the user, in the form that most clients read. */
import { MCP_SERVER_NAME } from '#protocol/version.ts';

export type McpClientConfig = { readonly mcpServers: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

/** For `pilotfish mcp config --json`: it contains no secret, and works as long as the executable stays where it is. */
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

/** For `pilotfish mcp config --http --json`: the token is for one session, and new whenever the daemon starts. */
export const toHttpConfig = ({ port, token }: { port: number; token: string }): McpClientConfig => ({
  mcpServers: {
    [MCP_SERVER_NAME]: {
      type: 'http',
      url: `http://127.0.0.1:${port}/mcp`,
      headers: { Authorization: `Bearer ${token}` },
    },
  },
});

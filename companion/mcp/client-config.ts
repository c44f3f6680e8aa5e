/** The configuration for an MCP client of the user, in the form that most clients read. */
import { toMcpArgs, withToolSets, type ToolSet } from '#protocol/tool-sets.ts';
import { MCP_PATH, MCP_SERVER_NAME } from '#protocol/version.ts';

export type McpClientConfig = { readonly mcpServers: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

/** For `pilotfish mcp config --json`: it contains no secret, and works as long as the executable stays where it is. */
export const toStdioConfig = ({
  command,
  args,
  env,
  sets = [],
}: {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  sets?: readonly ToolSet[];
}): McpClientConfig => ({
  mcpServers: {
    [MCP_SERVER_NAME]: { type: 'stdio', command, args: [...args, ...toMcpArgs(sets)], ...(Object.keys(env).length === 0 ? {} : { env }) },
  },
});

/** For `pilotfish mcp config --http --json`: the token is for one session, and new whenever the daemon starts. */
export const toHttpConfig = ({ port, token, sets = [] }: { port: number; token: string; sets?: readonly ToolSet[] }): McpClientConfig => ({
  mcpServers: {
    [MCP_SERVER_NAME]: {
      type: 'http',
      url: withToolSets(`http://127.0.0.1:${port}${MCP_PATH}`, sets),
      headers: { Authorization: `Bearer ${token}` },
    },
  },
});

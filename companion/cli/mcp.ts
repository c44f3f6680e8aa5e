import { CompanionError } from '#protocol/errors.ts';
import { readToolSets, toMcpArgs, TOOL_SETS, type ToolSet } from '#protocol/tool-sets.ts';
import { MCP_SERVER_NAME } from '#protocol/version.ts';
import type { Io } from './io.ts';
import type { ServerCommand } from '#display/mcp-config.ts';
import { addToClient, mcpClients, type McpClient } from './mcp-clients.ts';
import { readArgs, type Subcommand, unknownValue } from './subcommand.ts';

/** `pilotfish mcp config`; `pilotfish mcp` alone is a role and does not come here. */
export const mcp: Subcommand = {
  name: 'mcp',
  summary: 'serve the browser tools over stdio; `mcp config` prints what an MCP client needs, or adds it',
  usage: [
    '[--tools SETS] [config [CLIENT [--install]] [--json] [--http] [--tools SETS]]',
    `CLIENT        one of ${mcpClients.map(({ name }) => name).join(', ')}`,
    "--install     write it into the client's own file, beside what is in it; a copy of the file as it was is kept",
    '--http        an address with a token instead of a command; valid while the daemon runs',
    `--tools SETS  which tools it serves: ${TOOL_SETS.join(', ')}; several with commas`,
    '--json        print {mcpServers: …} only, or what was installed',
  ],
  run: async ([action, ...args], io) => {
    if (action !== 'config') throw new CompanionError('CLI_USAGE', `"mcp ${action}" is not known; there is "mcp config".`);
    const { values, positionals } = readArgs(
      args,
      { json: { type: 'boolean' }, http: { type: 'boolean' }, install: { type: 'boolean' }, tools: { type: 'string' } },
      { most: 1 },
    );
    const client = positionals[0] === undefined ? null : findClient(positionals[0]);
    const sets = values.tools === undefined ? [] : readToolSets(values.tools, 'CLI_USAGE');
    const server = serverCommand(io, sets);
    const isJson = values.json === true;
    if (values.install === true) {
      if (client === null || values.http === true) {
        throw new CompanionError(
          'CLI_USAGE',
          '--install needs the name of a client, and no --http: an address does not outlive the daemon.',
        );
      }
      return install(io, client, server, isJson);
    }
    const config = values.http === true ? await httpConfig(io, sets) : { mcpServers: { [MCP_SERVER_NAME]: server } };
    if (isJson) io.json(config);
    else if (client !== null && values.http !== true) for (const line of describeClient(io, client, server)) io.print(line);
    else for (const line of describeConfig(config, values.http === true)) io.print(line);
    return 0;
  },
};

/** The command that any client can start. Making it starts nothing. */
const serverCommand = (io: Io, sets: readonly ToolSet[]): ServerCommand => ({
  command: io.self.command,
  args: [...io.self.args, ...toMcpArgs(sets)],
  // A portable home folder must be named, or the client would start another daemon.
  ...(io.paths.isPortable ? { env: { PILOTFISH_HOME: io.paths.root } } : {}),
});

/** The token in it belongs to the running daemon, so there must be one. */
const httpConfig = async ({ client, signal }: Io, sets: readonly ToolSet[]): Promise<Record<string, unknown>> => {
  await client.connect({ start: true, signal });
  return client.mcpConfig('http', sets);
};

const install = (io: Io, client: McpClient, server: ServerCommand, isJson: boolean): number => {
  const { file, state, backup } = addToClient(client, { env: io.env, platform: process.platform }, server);
  if (isJson) io.json({ client: client.name, file, state, backup });
  else if (state === 'unchanged') io.print(`${client.label} has it already: ${file}`);
  else {
    io.print(`Added to ${file}. Restart ${client.label} when it is running.`);
    if (backup !== null) io.print(`As it was before: ${backup}`);
  }
  return 0;
};

const describeClient = (io: Io, client: McpClient, server: ServerCommand): string[] => [
  `Add to ${client.file({ env: io.env, platform: process.platform })}, or let \`pilotfish mcp config ${client.name} --install\` do it:`,
  '',
  client.write('', server).trimEnd(),
];

const describeConfig = (config: Record<string, unknown>, isHttp: boolean): string[] => [
  "Add to your MCP client's configuration:",
  '',
  JSON.stringify(config, null, 2),
  ...(isHttp ? ['', 'The token is valid until the daemon ends; the stdio form never expires.'] : []),
];

const findClient = (wanted: string): McpClient => {
  // Claude Code is as well known as claude-code.
  const found = mcpClients.find(({ name, label }) => [name, label.toLowerCase().replaceAll(' ', '-')].includes(wanted));
  if (found !== undefined) return found;
  const names = mcpClients.map(({ name }) => name);
  throw unknownValue(`The client ${wanted}`, wanted, names);
};

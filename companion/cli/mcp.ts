import { CompanionError } from '#protocol/errors.ts';
import { readToolSets, toMcpArgs, TOOL_SETS, type ToolSet } from '#protocol/tool-sets.ts';
import { MCP_SERVER_NAME } from '#protocol/version.ts';
import type { Io } from './io.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

const clients = ['claude', 'codex', 'cursor'] as const;
type ClientName = (typeof clients)[number];

/** `pilotfish mcp config`; `pilotfish mcp` alone is a role and does not come here. */
export const mcp: Subcommand = {
  name: 'mcp',
  summary: 'serve the browser tools over stdio; `mcp config` prints what an MCP client needs',
  usage: [
    '[--tools SETS] [config [--json] [--http] [--tools SETS] [--client claude|codex|cursor]]',
    '--http         an address with a token instead of a command; valid while the daemon runs',
    `--tools SETS   which tools it serves: ${TOOL_SETS.join(', ')}; several with commas`,
    '--client NAME  how to add it to one client',
    '--json         print {mcpServers: …} only',
  ],
  run: async ([action, ...args], io) => {
    if (action !== 'config') throw new CompanionError('CLI_USAGE', `"mcp ${action}" is not known; there is "mcp config".`);
    const { values } = readArgs(args, {
      json: { type: 'boolean' },
      http: { type: 'boolean' },
      tools: { type: 'string' },
      client: { type: 'string' },
    });
    const name = readClient(values.client);
    const sets = values.tools === undefined ? [] : readToolSets(values.tools);
    const config = values.http === true ? await httpConfig(io, sets) : stdioConfig(io, sets);
    if (values.json === true) io.json(config);
    else for (const line of describeConfig(io, name, config, { isHttp: values.http === true, sets })) io.print(line);
    return 0;
  },
};

/** The command that any client can start. Making the configuration starts nothing. */
const stdioConfig = (io: Io, sets: readonly ToolSet[]) => ({
  mcpServers: {
    [MCP_SERVER_NAME]: {
      command: io.self.command,
      args: [...io.self.args, ...toMcpArgs(sets)],
      ...(io.paths.isPortable ? { env: { PILOTFISH_HOME: io.paths.root } } : {}),
    },
  },
});

/** The token in it belongs to the running daemon, so there must be one. */
const httpConfig = async ({ client, signal }: Io, sets: readonly ToolSet[]): Promise<Record<string, unknown>> => {
  await client.connect({ start: true, signal });
  return client.mcpConfig('http', sets);
};

const describeConfig = (
  io: Io,
  name: ClientName | null,
  config: Record<string, unknown>,
  { isHttp, sets }: { isHttp: boolean; sets: readonly ToolSet[] },
): string[] => {
  const json = JSON.stringify(config, null, 2);
  const { command } = io.self;
  const args = [...io.self.args, ...toMcpArgs(sets)];
  // A portable home folder must be named, or the client would start another daemon.
  const home = io.paths.isPortable ? [`PILOTFISH_HOME=${io.paths.root}`] : [];
  if (name === 'claude' && !isHttp)
    return [
      'Run:',
      '',
      ['claude', 'mcp', 'add', MCP_SERVER_NAME, ...home.flatMap((value) => ['-e', value]), '--', command, ...args]
        .map(quoteShell)
        .join(' '),
    ];
  if (name === 'codex' && !isHttp) {
    return [
      'Add to ~/.codex/config.toml:',
      '',
      `[mcp_servers.${MCP_SERVER_NAME}]`,
      `command = ${JSON.stringify(command)}`,
      `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
      ...(io.paths.isPortable ? [`env = { PILOTFISH_HOME = ${JSON.stringify(io.paths.root)} }`] : []),
    ];
  }
  const place = name === 'cursor' ? 'Add to ~/.cursor/mcp.json:' : "Add to your MCP client's configuration:";
  return [place, '', json, ...(isHttp ? ['', 'The token is valid until the daemon ends; the stdio form never expires.'] : [])];
};

const readClient = (value: string | undefined): ClientName | null => {
  if (value === undefined) return null;
  const name = clients.find((candidate) => candidate === value);
  if (name === undefined) throw new CompanionError('CLI_USAGE', `--client ${value} is not known; there are ${clients.join(', ')}.`);
  return name;
};

const quoteShell = (word: string): string => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

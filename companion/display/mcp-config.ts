/** What each MCP client wants to be told of our server, in the form of its own file. Pure. */
import { MCP_SERVER_NAME } from '#protocol/version.ts';

/** The command that a client starts. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** How a client keeps its servers. */
export interface ClientForm {
  readonly label: string;
  /** The key under which it keeps its servers; null for TOML. */
  readonly key: string | null;
  readonly extra: Readonly<Record<string, unknown>>;
  /** It wants the command and its arguments in one list, and the variables under another name. */
  readonly isInOneList?: true;
  /** What the person may have set otherwise. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** A call may wait for a person. Codex gives up after five minutes, and Gemini CLI and Qwen Code after ten, whatever progress they are told. */
const PATIENCE_S = 24 * 3_600;

export const clientForms = {
  'claude-desktop': { label: 'Claude Desktop', key: 'mcpServers', extra: {} },
  claude: { label: 'Claude Code', key: 'mcpServers', extra: { type: 'stdio' } },
  cursor: { label: 'Cursor', key: 'mcpServers', extra: {} },
  codex: { label: 'Codex', key: null, extra: {}, defaults: { tool_timeout_sec: PATIENCE_S } },
  gemini: { label: 'Gemini CLI', key: 'mcpServers', extra: {}, defaults: { timeout: PATIENCE_S * 1000 } },
  qwen: { label: 'Qwen Code', key: 'mcpServers', extra: {}, defaults: { timeout: PATIENCE_S * 1000 } },
  opencode: {
    label: 'opencode',
    key: 'mcp',
    extra: { type: 'local' },
    isInOneList: true,
    defaults: { timeout: PATIENCE_S * 1000 },
  },
  vscode: { label: 'VS Code', key: 'servers', extra: { type: 'stdio' } },
  windsurf: { label: 'Windsurf', key: 'mcpServers', extra: {} },
  zed: { label: 'Zed', key: 'context_servers', extra: { source: 'custom' } },
} as const satisfies Record<string, ClientForm>;

export type ClientName = keyof typeof clientForms;

/** Under which name a client keeps the variables of a server. */
export const variablesKey = ({ isInOneList }: ClientForm): 'env' | 'environment' => (isInOneList === true ? 'environment' : 'env');

/** The entry of our server in a client's file, without what the person may have set otherwise. */
export const entryFor = (form: ClientForm, { command, args, env }: ServerCommand): Readonly<Record<string, unknown>> => ({
  ...form.extra,
  ...(form.isInOneList === true ? { command: [command, ...args] } : { command, args }),
  ...(env === undefined ? {} : { [variablesKey(form)]: env }),
});

/** The lines of a table of our own in TOML. */
export const tomlLines = (entry: object): string[] => [`[mcp_servers.${MCP_SERVER_NAME}]`, ...tomlMembers(entry)];

const tomlMembers = (table: object): string[] =>
  Object.entries(table).map(([key, value]) => `${/^[\w-]+$/u.test(key) ? key : JSON.stringify(key)} = ${tomlValue(value)}`);

/** A text, a number and a truth are written as in JSON. */
const tomlValue = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  return typeof value === 'object' && value !== null ? `{ ${tomlMembers(value).join(', ')} }` : JSON.stringify(value);
};

/** A whole file with nothing else in it. */
export const configText = (name: ClientName, server: ServerCommand): string => {
  const form: ClientForm = clientForms[name];
  const { key, defaults } = form;
  const entry = { ...entryFor(form, server), ...defaults };
  if (key === null) return tomlLines(entry).join('\n');
  return JSON.stringify({ [key]: { [MCP_SERVER_NAME]: entry } }, null, 2);
};

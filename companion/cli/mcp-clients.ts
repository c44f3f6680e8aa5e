/** Where each MCP client keeps its servers, and how ours is written there without touching anything else. */
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser';
import { CompanionError } from '#protocol/errors.ts';
import { MCP_SERVER_NAME } from '#protocol/version.ts';

/** The command that a client starts. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The user and the system whose files are meant. */
export interface ClientPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

export interface McpClient {
  readonly name: string;
  readonly label: string;
  readonly file: (place: ClientPlace) => string;
  /** The file with our server in it; what else is in it stays as it is, with its comments. */
  readonly write: (before: string, server: ServerCommand) => string;
}

const home = ({ env }: ClientPlace): string => env['HOME'] ?? env['USERPROFILE'] ?? homedir();

/** Where applications of this system keep what the user set. */
const applicationData = (place: ClientPlace): string => {
  const { env, platform } = place;
  if (platform === 'win32') return env['APPDATA'] ?? path.join(home(place), 'AppData', 'Roaming');
  if (platform === 'darwin') return path.join(home(place), 'Library', 'Application Support');
  return configHome(place);
};

/** The XDG specification says that relative paths are to be ignored. */
const configHome = (place: ClientPlace): string => {
  const configured = place.env['XDG_CONFIG_HOME'];
  return configured !== undefined && path.isAbsolute(configured) ? configured : path.join(home(place), '.config');
};

const inJson =
  (key: string, extra: Readonly<Record<string, unknown>> = {}): McpClient['write'] =>
  (before, server) => {
    const text = before.trim() === '' ? '{}\n' : before;
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    if (errors.length > 0 || typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not valid JSON');
    const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
    return applyEdits(text, modify(text, [key, MCP_SERVER_NAME], { ...extra, ...server }, { formattingOptions }));
  };

/** A table of its own in TOML. An older one of ours is replaced, with the tables below it. */
const inToml: McpClient['write'] = (before, { command, args, env = {} }) => {
  const name = `mcp_servers.${MCP_SERVER_NAME}`;
  const isOurs = (header: string): boolean => header === name || header.startsWith(`${name}.`);
  let isKept = true;
  const kept = before.split('\n').filter((line) => {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]/u.exec(line)?.[1];
    if (header !== undefined) isKept = !isOurs(header);
    return isKept;
  });
  const entries = Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const own = [
    `[${name}]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
    ...(entries.length === 0 ? [] : [`env = { ${entries.join(', ')} }`]),
  ];
  const rest = kept.join('\n').trimEnd();
  return `${rest === '' ? '' : `${rest}\n\n`}${own.join('\n')}\n`;
};

/** Where each keeps them: Claude Code and Codex were tried, the places of the others are known and not tried. */
export const mcpClients: readonly McpClient[] = [
  {
    name: 'claude-desktop',
    label: 'Claude Desktop',
    file: (place) => path.join(applicationData(place), 'Claude', 'claude_desktop_config.json'),
    write: inJson('mcpServers'),
  },
  {
    name: 'claude',
    label: 'Claude Code',
    file: (place) => path.join(home(place), '.claude.json'),
    write: inJson('mcpServers', { type: 'stdio' }),
  },
  {
    name: 'codex',
    label: 'Codex',
    file: (place) => path.join(place.env['CODEX_HOME'] ?? path.join(home(place), '.codex'), 'config.toml'),
    write: inToml,
  },
  { name: 'cursor', label: 'Cursor', file: (place) => path.join(home(place), '.cursor', 'mcp.json'), write: inJson('mcpServers') },
  { name: 'gemini', label: 'Gemini CLI', file: (place) => path.join(home(place), '.gemini', 'settings.json'), write: inJson('mcpServers') },
  {
    name: 'vscode',
    label: 'VS Code',
    file: (place) => path.join(applicationData(place), 'Code', 'User', 'mcp.json'),
    write: inJson('servers', { type: 'stdio' }),
  },
  {
    name: 'windsurf',
    label: 'Windsurf',
    file: (place) => path.join(home(place), '.codeium', 'windsurf', 'mcp_config.json'),
    write: inJson('mcpServers'),
  },
  {
    name: 'zed',
    label: 'Zed',
    file: (place) =>
      path.join(...(place.platform === 'win32' ? [applicationData(place), 'Zed'] : [configHome(place), 'zed']), 'settings.json'),
    write: inJson('context_servers', { source: 'custom' }),
  },
];

/** Writes our server into the client's file, as a whole or not at all; 'unchanged' when it is there already. */
export const addToClient = (
  client: McpClient,
  place: ClientPlace,
  server: ServerCommand,
): { file: string; state: 'written' | 'unchanged' } => {
  const file = followLink(client.file(place));
  const before = readOrNull(file);
  let after: string;
  try {
    after = client.write(before ?? '', server);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CompanionError('INSTALL_FAILED', `${file} was left as it is: ${reason}.`, {
      remedy: `Mend the file, or add by hand what \`pilotfish mcp config ${client.name}\` prints.`,
    });
  }
  if (after === before) return { file, state: 'unchanged' };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.pilotfish-new`;
  const mode = before === null ? 0o600 : statSync(file).mode & 0o777;
  rmSync(draft, { force: true });
  writeFileSync(draft, after, { mode, flag: 'wx', flush: true });
  // The umask may have taken bits away.
  chmodSync(draft, mode);
  renameSync(draft, file);
  return { file, state: 'written' };
};

/** People keep such files as links into a folder of their own: the file is changed, the link stays. */
const followLink = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    // There is none yet.
    return file;
  }
};

const readOrNull = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};

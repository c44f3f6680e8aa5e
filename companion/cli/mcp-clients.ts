/** Where each MCP client keeps its servers, and how Pilotfish's entry is written there without touching anything else. */
import { isUtf8 } from 'node:buffer';
import {
  chmodSync,
  constants,
  copyFileSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { isObject } from '#companion/lib/is-object.ts';
import { makeDir } from '#companion/lib/make-dir.ts';
import {
  clientForms,
  entryFor,
  tomlLines,
  variablesKey,
  type ClientForm,
  type ClientName,
  type ServerCommand,
} from '#display/mcp-config.ts';
import { CompanionError } from '#protocol/errors.ts';
import { MCP_SERVER_NAME } from '#protocol/version.ts';
import { putMember } from './json-member.ts';
import { putTable } from './toml-table.ts';

const BYTE_ORDER_MARK = '\uFEFF';

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

/** The folder that the person has named for one client by a variable of the client's own; otherwise the usual one. */
const ownFolder = (place: ClientPlace, variable: string, usual: string): string => {
  const named = place.env[variable] ?? '';
  return named === '' ? usual : path.resolve(named);
};

const inJson =
  (form: ClientForm, key: string): McpClient['write'] =>
  (before, server) =>
    putMember(before.trim() === '' ? '{}\n' : before, [key, MCP_SERVER_NAME], (older) => beside(older, form, server));

const inToml =
  (form: ClientForm): McpClient['write'] =>
  (before, server) =>
    putTable(before, ['mcp_servers', MCP_SERVER_NAME], (older) => tomlLines(beside(older, form, server)));

/** What an older entry says of the way to the server: the new one says it anew. */
const WAY: ReadonlySet<string> = new Set([
  'type',
  'command',
  'args',
  'url',
  'httpUrl',
  'serverUrl',
  'headers',
  'http_headers',
  'bearer_token_env_var',
]);
/** The variable that we give ourselves; all others are the person's. */
const HOME_VARIABLE = 'PILOTFISH_HOME';

/** Our entry with what the person has added to it. */
const beside = (older: unknown, form: ClientForm, server: ServerCommand): Readonly<Record<string, unknown>> => {
  const { defaults = {} } = form;
  const entry = entryFor(form, server);
  if (!isObject(older)) return { ...entry, ...defaults };
  const key = variablesKey(form);
  const { [key]: olderEnv, ...others } = older;
  const added = Object.entries(others).filter(([name]) => !WAY.has(name) && !Object.hasOwn(entry, name));
  const variables = isObject(olderEnv) ? Object.entries(olderEnv).filter(([name]) => name !== HOME_VARIABLE) : [];
  const env = { ...Object.fromEntries(variables), ...server.env };
  return { ...entry, ...(Object.keys(env).length === 0 ? {} : { [key]: env }), ...defaults, ...Object.fromEntries(added) };
};

const client = (name: ClientName, file: McpClient['file']): McpClient => {
  const form: ClientForm = clientForms[name];
  return { name, label: form.label, file, write: form.key === null ? inToml(form) : inJson(form, form.key) };
};

/** Where each keeps them: Claude Code, Codex, Gemini CLI, Qwen Code and opencode were tried, the places of the others are known and not tried. */
export const mcpClients: readonly McpClient[] = [
  client('claude-desktop', (place) => path.join(applicationData(place), 'Claude', 'claude_desktop_config.json')),
  client('claude', (place) => path.join(ownFolder(place, 'CLAUDE_CONFIG_DIR', home(place)), '.claude.json')),
  client('codex', (place) => path.join(ownFolder(place, 'CODEX_HOME', path.join(home(place), '.codex')), 'config.toml')),
  client('cursor', (place) => path.join(home(place), '.cursor', 'mcp.json')),
  client('gemini', (place) => path.join(ownFolder(place, 'GEMINI_CLI_HOME', home(place)), '.gemini', 'settings.json')),
  client('qwen', (place) => path.join(ownFolder(place, 'QWEN_HOME', path.join(home(place), '.qwen')), 'settings.json')),
  client('opencode', (place) => path.join(configHome(place), 'opencode', 'opencode.json')),
  client('vscode', (place) => path.join(applicationData(place), 'Code', 'User', 'mcp.json')),
  client('windsurf', (place) => path.join(home(place), '.codeium', 'windsurf', 'mcp_config.json')),
  client('zed', (place) =>
    path.join(...(place.platform === 'win32' ? [applicationData(place), 'Zed'] : [configHome(place), 'zed']), 'settings.json'),
  ),
];

export interface Addition {
  readonly file: string;
  readonly state: 'written' | 'unchanged';
  /** The file as it was before; null when nothing was changed, or there was none. */
  readonly backup: string | null;
}

/** Writes our server into the client's file, as a whole or not at all; 'unchanged' when it is there already. */
export const addToClient = (client: McpClient, place: ClientPlace, server: ServerCommand): Addition => {
  const file = followLink(client.file(place));
  try {
    const before = readOrNull(file);
    // Some editors of Windows begin a file with a mark that parsers of JSON do not know.
    const mark = before?.startsWith(BYTE_ORDER_MARK) === true ? BYTE_ORDER_MARK : '';
    const after = `${mark}${client.write((before ?? '').slice(mark.length), server)}`;
    if (after === before) return { file, state: 'unchanged', backup: null };
    return { file, state: 'written', backup: replaceFile(file, after, before !== null) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CompanionError('CONFIG_NOT_CHANGED', `${file} was left as it is: ${reason}.`, {
      remedy: `Mend the file, see that its folder can be written and has room, or add by hand what \`pilotfish mcp config ${client.name}\` prints.`,
      cause: error,
    });
  }
};

/** The name of the copy that is kept of the file as it was; null when there was none. */
const replaceFile = (file: string, text: string, isThere: boolean): string | null => {
  makeDir(path.dirname(file));
  const draft = `${file}.pilotfish-new`;
  const mode = isThere ? statSync(file).mode & 0o777 : 0o600;
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, text, { mode, flag: 'wx', flush: true });
    // The umask may have taken bits away.
    chmodSync(draft, mode);
    const backup = isThere ? keepCopy(file, mode) : null;
    renameSync(draft, file);
    return backup;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
};

/** Copies the file to a name beside it that is free, so that no older copy is lost. */
const keepCopy = (file: string, mode: number): string => {
  for (let number = 1; ; number += 1) {
    const copy = `${file}.before-pilotfish${number === 1 ? '' : `-${number}`}`;
    try {
      copyFileSync(file, copy, constants.COPYFILE_EXCL);
    } catch (error) {
      if (isCode(error, 'EEXIST')) continue;
      throw error;
    }
    chmodSync(copy, mode);
    return copy;
  }
};

/** People keep such files as links into a folder of their own: the file is changed, the link stays, also where it leads to none yet. */
const followLink = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    try {
      return path.resolve(path.dirname(file), readlinkSync(file));
    } catch {
      // There is none yet.
      return file;
    }
  }
};

/** Its text; null when there is none. Throws where it is none that can be changed without spoiling it. */
const readOrNull = (file: string): string | null => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  // A pipe would be waited for.
  if (!stats.isFile()) throw new Error('it is no file');
  if ((stats.mode & 0o222) === 0) throw new Error('it is write-protected');
  const bytes = readFileSync(file);
  // What is written in another encoding would come back with its letters lost.
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
  return bytes.toString('utf8');
};

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;

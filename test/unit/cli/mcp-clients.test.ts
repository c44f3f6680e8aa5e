import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { describe, expect, test as base } from 'vitest';
import { addToClient, mcpClients, type McpClient } from '#companion/cli/mcp-clients.ts';

const test = base.extend<{ home: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixtures a fixture needs from this pattern
  home: async ({}, use) => {
    const home = mkdtempSync(path.join(tmpdir(), 'pf-clients-'));
    await use(home);
    rmSync(home, { recursive: true, force: true });
  },
});

const server = { command: '/opt/my apps/pilotfish', args: ['mcp'], env: { PILOTFISH_HOME: '/data' } };

const clientOf = (name: string): McpClient => {
  const found = mcpClients.find((client) => client.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

describe('the file of a client', () => {
  test.for([
    ['claude-desktop', '.config/Claude/claude_desktop_config.json', { mcpServers: { pilotfish: server } }],
    ['claude', '.claude.json', { mcpServers: { pilotfish: { type: 'stdio', ...server } } }],
    ['cursor', '.cursor/mcp.json', { mcpServers: { pilotfish: server } }],
    ['gemini', '.gemini/settings.json', { mcpServers: { pilotfish: { ...server, timeout: 86_400_000 } } }],
    ['qwen', '.qwen/settings.json', { mcpServers: { pilotfish: { ...server, timeout: 86_400_000 } } }],
    [
      'opencode',
      '.config/opencode/opencode.json',
      { mcp: { pilotfish: { type: 'local', command: [server.command, 'mcp'], environment: server.env, timeout: 86_400_000 } } },
    ],
    ['vscode', '.config/Code/User/mcp.json', { servers: { pilotfish: { type: 'stdio', ...server } } }],
    ['windsurf', '.codeium/windsurf/mcp_config.json', { mcpServers: { pilotfish: server } }],
    ['zed', '.config/zed/settings.json', { context_servers: { pilotfish: { source: 'custom', ...server } } }],
  ] as const)('of %s is made where it is read', ([name, file, content], { home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;

    expect(addToClient(clientOf(name), place, server)).toEqual({ file: path.join(home, file), state: 'written', backup: null });
    expect(JSON.parse(readFileSync(path.join(home, file), 'utf8'))).toEqual(content);
    expect(statSync(path.join(home, file)).mode & 0o777).toBe(0o600);
    expect(addToClient(clientOf(name), place, server)).toEqual({ file: path.join(home, file), state: 'unchanged', backup: null });
  });

  test('is kept as it was before it is changed, and no older copy is lost', ({ home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    const folder = path.join(home, '.cursor');
    const file = path.join(folder, 'mcp.json');
    const first = '{ "mine": "é" }\n';
    mkdirSync(folder);
    writeFileSync(file, first);
    chmodSync(file, 0o640);

    const { backup } = addToClient(clientOf('cursor'), place, server);

    expect(backup).toBe(`${file}.before-pilotfish`);
    expect(readFileSync(`${file}.before-pilotfish`, 'utf8')).toBe(first);
    expect(statSync(`${file}.before-pilotfish`).mode & 0o777).toBe(0o640);

    // Nothing to change, nothing to keep.
    expect(addToClient(clientOf('cursor'), place, server)).toEqual({ file, state: 'unchanged', backup: null });
    expect(readdirSync(folder).toSorted()).toEqual(['mcp.json', 'mcp.json.before-pilotfish']);

    const second = readFileSync(file, 'utf8');
    const moved = addToClient(clientOf('cursor'), place, { ...server, command: '/elsewhere/pilotfish' });

    expect(moved.backup).toBe(`${file}.before-pilotfish-2`);
    expect(readFileSync(`${file}.before-pilotfish-2`, 'utf8')).toBe(second);
    expect(readFileSync(`${file}.before-pilotfish`, 'utf8')).toBe(first);
  });

  test('is left as it was, with nothing beside it, where no copy of it can be kept', ({ home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    mkdirSync(path.join(home, '.cursor'));
    // There is room in a name for the draft, and none for the copy.
    const file = path.join(home, 'm'.repeat(240));
    writeFileSync(file, '{}');
    symlinkSync(file, path.join(home, '.cursor', 'mcp.json'));

    expect(() => addToClient(clientOf('cursor'), place, server)).toThrow('ENAMETOOLONG');

    expect(readdirSync(home)).toEqual(['.cursor', path.basename(file)]);
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  test('is where the system keeps such files', () => {
    const file = (name: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => clientOf(name).file({ env, platform });
    const support = '/Users/me/Library/Application Support';

    expect(file('claude-desktop', { HOME: '/Users/me' }, 'darwin')).toBe(`${support}/Claude/claude_desktop_config.json`);
    expect(file('vscode', { HOME: '/Users/me' }, 'darwin')).toBe(`${support}/Code/User/mcp.json`);
    expect(file('zed', { HOME: '/Users/me' }, 'darwin')).toBe('/Users/me/.config/zed/settings.json');
    expect(file('vscode', { APPDATA: '/Roaming' }, 'win32')).toBe('/Roaming/Code/User/mcp.json');
    expect(file('codex', { HOME: '/home/me', CODEX_HOME: '/codex' }, 'linux')).toBe('/codex/config.toml');
    expect(file('codex', { HOME: '/home/me', CODEX_HOME: '' }, 'linux')).toBe('/home/me/.codex/config.toml');
    expect(file('claude', { HOME: '/home/me', CLAUDE_CONFIG_DIR: '/claude' }, 'linux')).toBe('/claude/.claude.json');
    expect(file('gemini', { HOME: '/home/me', GEMINI_CLI_HOME: '/google' }, 'linux')).toBe('/google/.gemini/settings.json');
    expect(file('qwen', { HOME: '/home/me', QWEN_HOME: '/qwen' }, 'linux')).toBe('/qwen/settings.json');
    expect(file('vscode', { HOME: '/home/me', XDG_CONFIG_HOME: '/conf' }, 'linux')).toBe('/conf/Code/User/mcp.json');
  });

  test('keeps everything that was in it, comments, rights and a link too', ({ home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    const file = path.join(home, '.config/zed/settings.json');
    const real = path.join(home, 'dotfiles', 'zed.json');
    const before = '// mine\n{\n  "theme": "One", // dark\n  "context_servers": {\n    "other": { "command": "x" },\n  },\n}\n';
    for (const folder of [path.dirname(file), path.dirname(real)]) mkdirSync(folder, { recursive: true });
    writeFileSync(real, before);
    chmodSync(real, 0o644);
    symlinkSync(real, file);

    expect(addToClient(clientOf('zed'), place, server).file).toBe(real);

    const after = readFileSync(real, 'utf8');
    expect(after).toContain('// mine');
    expect(after).toContain('"One", // dark');
    expect(parse(after, [], { allowTrailingComma: true })).toEqual({
      theme: 'One',
      context_servers: { other: { command: 'x' }, pilotfish: { source: 'custom', ...server } },
    });
    expect(statSync(real).mode & 0o777).toBe(0o644);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  test.for([
    ['cursor', '{ "mcpServers": ', 'it is not valid JSON'],
    ['cursor', '[]', 'what it holds is no object'],
    ['cursor', Buffer.from('{ "a": "\u00e9" }', 'latin1'), 'it is not UTF-8'],
    ['cursor', Buffer.from('{}', 'utf16le'), 'it is not valid JSON'],
    ['cursor', '{ "mcpServers": { "pilotfish": {}, "pilotfish": {} } }', '"pilotfish" is in it twice'],
    ['cursor', '{ "mcpServers": [] }', '"mcpServers" in it is no object'],
    ['cursor', '{ "mcpServers": { "a": {} }, "mcpServers": {} }', '"mcpServers" is in it twice'],
    ['codex', 'model = [\n', 'it is not valid TOML'],
    ['codex', '[mcp_servers]\npilotfish = { command = "/old" }\n', 'it has mcp_servers.pilotfish in a form that is not changed here'],
    ['codex', 'mcp_servers.pilotfish.command = "/old"\n', 'it has mcp_servers.pilotfish in a form that is not changed here'],
    ['codex', 'mcp_servers = { other = { command = "x" } }\n', 'it has mcp_servers.pilotfish in a form that is not changed here'],
  ] as const)('of %s is left alone when it would not say the same afterwards: %s', ([name, before, reason], { home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    const file = clientOf(name).file(place);
    mkdirSync(path.dirname(file));
    writeFileSync(file, before);

    expect(() => addToClient(clientOf(name), place, server)).toThrow(`${file} was left as it is: ${reason}.`);
    expect(readFileSync(file)).toEqual(Buffer.from(before));
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
  });

  test('is left alone when it is write-protected, or no file', ({ home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    const file = clientOf('cursor').file(place);
    mkdirSync(file, { recursive: true });

    expect(() => addToClient(clientOf('cursor'), place, server)).toThrow(`${file} was left as it is: it is no file.`);
    rmSync(file, { recursive: true });
    writeFileSync(file, '{}', { mode: 0o444 });
    expect(() => addToClient(clientOf('cursor'), place, server)).toThrow(`${file} was left as it is: it is write-protected.`);
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  test('is made where a link leads to that has none yet', ({ home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    const file = clientOf('cursor').file(place);
    mkdirSync(path.dirname(file));
    symlinkSync('../dotfiles/mcp.json', file);

    expect(addToClient(clientOf('cursor'), place, server).file).toBe(path.join(home, 'dotfiles', 'mcp.json'));
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: { pilotfish: server } });
  });

  const table =
    '[mcp_servers.pilotfish]\ncommand = "/opt/my apps/pilotfish"\nargs = ["mcp"]\nenv = { PILOTFISH_HOME = "/data" }\ntool_timeout_sec = 86400\n';
  const inJson = '"pilotfish": {"command": "/opt/my apps/pilotfish", "args": ["mcp"], "env": {"PILOTFISH_HOME": "/data"}}';
  test.for([
    ['a comment above the next table', 'codex', '[mcp_servers."pilotfish"]\ncommand = "/old"\n\n# mine\n[b]\n', `${table}\n# mine\n[b]\n`],
    [
      'a text with such a heading in it',
      'codex',
      'a = """\n[mcp_servers.pilotfish]\nb\n"""\n',
      `a = """\n[mcp_servers.pilotfish]\nb\n"""\n\n${table}`,
    ],
    ['the ends of lines of Windows', 'codex', '[a]\r\n', `[a]\r\n\r\n${table.replaceAll('\n', '\r\n')}`],
    ['the mark at the beginning', 'codex', '\uFEFFa = 1\n', `\uFEFFa = 1\n\n${table}`],
    ['the mark at the beginning', 'cursor', '\uFEFF{"mcpServers":null}', `\uFEFF{"mcpServers":{${inJson}}}`],
  ] as const)('keeps %s: %s', ([, name, before, after], { home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    const file = clientOf(name).file(place);
    mkdirSync(path.dirname(file));
    writeFileSync(file, before);

    addToClient(clientOf(name), place, server);

    const found = readFileSync(file, 'utf8');
    expect(name === 'codex' ? found : found.replaceAll(/\s(?!apps)/gu, '')).toBe(
      name === 'codex' ? after : after.replaceAll(/\s(?!apps)/gu, ''),
    );
    expect(addToClient(clientOf(name), place, server).state).toBe('unchanged');
  });

  test('keeps what the person added to an older entry, and no other way to the server', ({ home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    const file = clientOf('gemini').file(place);
    mkdirSync(path.dirname(file));
    const added = { trust: false, timeout: 9000, excludeTools: ['browser_evaluate'] };
    const env = { HTTPS_PROXY: 'http://proxy:1', PILOTFISH_HOME: '/old' };
    const older = { httpUrl: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer old' }, env, ...added };
    writeFileSync(file, JSON.stringify({ mcpServers: { pilotfish: older } }));

    addToClient(clientOf('gemini'), place, server);

    const entry = { ...server, env: { ...env, ...server.env }, ...added };
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: { pilotfish: entry } });
    // A home that is not named any more is the usual one.
    addToClient(clientOf('gemini'), place, { command: server.command, args: server.args });
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.pilotfish.env).toEqual({ HTTPS_PROXY: env.HTTPS_PROXY });
  });

  test.for([
    ['codex', '.codex/config.toml', '[mcp_servers.pilotfish]\ncommand = "/old"\ntool_timeout_sec = 90\n', /^tool_timeout_sec = 90$/gm],
    ['gemini', '.gemini/settings.json', '{ "mcpServers": { "pilotfish": { "command": "/old", "timeout": 9000 } } }', /"timeout": 9000/g],
  ] as const)('of %s gives a person time to answer, unless they have set another time', ([name, at, before, kept], { home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    const file = path.join(home, at);
    mkdirSync(path.dirname(file));
    writeFileSync(file, before);

    addToClient(clientOf(name), place, server);

    expect(readFileSync(file, 'utf8').match(kept)).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).not.toContain('86400');
  });

  test('of Codex gets a table of its own, and an older one is replaced by one that keeps what was added to it', ({ home }) => {
    const place = { env: { HOME: home }, platform: 'linux' } as const;
    const file = path.join(home, '.codex/config.toml');
    mkdirSync(path.dirname(file));
    writeFileSync(
      file,
      'model = "x" # mine\n\n[mcp_servers.pilotfish]\ncommand = "/old"\nstartup_timeout_sec = 30\n\n[mcp_servers.pilotfish.env]\nA = "1"\n[mcp_servers.pilotfish.tools.browser_click]\n"may ask" = [true]\n\n[mcp_servers.other]\ncommand = "y"\n',
    );

    addToClient(clientOf('codex'), place, server);

    expect(readFileSync(file, 'utf8')).toBe(
      'model = "x" # mine\n\n[mcp_servers.pilotfish]\ncommand = "/opt/my apps/pilotfish"\nargs = ["mcp"]\nenv = { A = "1", PILOTFISH_HOME = "/data" }\ntool_timeout_sec = 86400\nstartup_timeout_sec = 30\ntools = { browser_click = { "may ask" = [true] } }\n\n[mcp_servers.other]\ncommand = "y"\n',
    );
    expect(addToClient(clientOf('codex'), place, server).state).toBe('unchanged');
  });
});

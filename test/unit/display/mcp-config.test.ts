/** What is copied for each client is the form that its own documentation asks for. */
import { describe, expect, test } from 'vitest';
import { clientForms, configText, type ClientName } from '#display/mcp-config.ts';

const command = '/home/sam/.local/bin/pilotfish';
const env = { PILOTFISH_HOME: '/home/sam/"portable"' };
const server = { command, args: ['mcp'] };

const wanted: Readonly<Record<Exclude<ClientName, 'codex'>, object>> = {
  // https://modelcontextprotocol.io/docs/develop/connect-local-servers
  'claude-desktop': { mcpServers: { pilotfish: { command, args: ['mcp'] } } },
  // https://code.claude.com/docs/en/mcp
  claude: { mcpServers: { pilotfish: { type: 'stdio', command, args: ['mcp'] } } },
  // https://cursor.com/docs/context/mcp
  cursor: { mcpServers: { pilotfish: { command, args: ['mcp'] } } },
  // https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
  gemini: { mcpServers: { pilotfish: { command, args: ['mcp'], timeout: 86_400_000 } } },
  // https://qwenlm.github.io/qwen-code-docs/en/developers/tools/mcp-server/
  qwen: { mcpServers: { pilotfish: { command, args: ['mcp'], timeout: 86_400_000 } } },
  // https://opencode.ai/docs/mcp-servers/
  opencode: { mcp: { pilotfish: { type: 'local', command: [command, 'mcp'], timeout: 86_400_000 } } },
  // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
  vscode: { servers: { pilotfish: { type: 'stdio', command, args: ['mcp'] } } },
  // https://docs.windsurf.com/windsurf/cascade/mcp
  windsurf: { mcpServers: { pilotfish: { command, args: ['mcp'] } } },
  // https://zed.dev/docs/ai/mcp
  zed: { context_servers: { pilotfish: { source: 'custom', command, args: ['mcp'] } } },
};

describe('what another program is told of our server', () => {
  for (const [name, config] of Object.entries(wanted)) {
    test(`${name} is told it in its own form`, () => {
      expect(JSON.parse(configText(name as ClientName, server))).toEqual(config);
    });
  }

  // https://developers.openai.com/codex/mcp
  test('codex is told it as a table of TOML', () => {
    expect(configText('codex', server)).toBe(`[mcp_servers.pilotfish]\ncommand = "${command}"\nargs = ["mcp"]\ntool_timeout_sec = 86400`);
  });

  test('every one of them is told of a home folder that is not the usual one', () => {
    for (const name of Object.keys(clientForms) as ClientName[]) {
      const text = configText(name, { ...server, env });

      if (name === 'codex') expect(text).toContain('env = { PILOTFISH_HOME = "/home/sam/\\"portable\\"" }');
      else
        expect(JSON.parse(text)).toMatchObject({
          [clientForms[name].key]: { pilotfish: name === 'opencode' ? { environment: env } : { env } },
        });
    }
  });
});

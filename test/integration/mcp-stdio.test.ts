/** `pilotfish mcp` as an MCP client meets it, with clients of both protocol eras. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect } from 'vitest';
import { connectStdio, textOf } from '#test/fixtures/mcp-client.ts';
import { until } from '#test/fixtures/until.ts';
import { test } from '#test/fixtures/stage.ts';

describe('pilotfish mcp', () => {
  test('lists the browser tools before any browser is there', async ({ companion }) => {
    const client = await connectStdio(companion);
    try {
      const { tools } = await client.listTools();

      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'browser_tabs',
          'browser_navigate',
          'browser_snapshot',
          'browser_click',
          'browser_type',
          'browser_take_screenshot',
        ]),
      );
      for (const tool of tools) {
        expect(tool.description, tool.name).toBeTruthy();
        expect(tool.inputSchema.type, tool.name).toBe('object');
        expect(tool.annotations?.readOnlyHint, tool.name).toBeTypeOf('boolean');
      }
    } finally {
      await client.close();
    }
  });

  test('a call with no browser waits with progress, then says what to do', async ({ companion }) => {
    companion.writeSettings({ waitForBrowserMs: 1_500 });
    const client = await connectStdio(companion);
    try {
      const progress: unknown[] = [];
      const result = await client.callTool({ name: 'browser_snapshot', arguments: {} }, undefined, {
        onprogress: (value) => progress.push(value),
      });

      expect(result.isError).toBe(true);
      const text = textOf(result);
      expect(text).toContain('BROWSER_NOT_CONNECTED');
      expect(text).toContain('Open Chrome with the Pilotfish extension');
      expect(progress.length).toBeGreaterThan(0);
    } finally {
      await client.close();
    }
  });

  test('listing makes no session; the first call makes one of its own', async ({ companion }) => {
    companion.writeSettings({ waitForBrowserMs: 0 });
    const sessions = async (): Promise<unknown[]> =>
      ((await companion.api.send('GET', '/api/status')).json as { sessions: unknown[] }).sessions;
    const client = await connectStdio(companion);
    try {
      await client.listTools();
      await until(async () => (await companion.api.send('GET', '/api/status')).status === 200, { what: 'the daemon' });
      expect(await sessions()).toEqual([]);

      await client.callTool({ name: 'browser_snapshot', arguments: {} });

      expect(await sessions()).toMatchObject([{ kind: 'client', name: 'a client 1.0.0' }]);
    } finally {
      await client.close();
    }
  });

  test('`mcp config --json` is what clients take, and it works as printed', async ({ companion }) => {
    const { code, stdout } = await companion.run(['mcp', 'config', '--json']);
    const config = JSON.parse(stdout) as { mcpServers: { pilotfish: { command: string; args: string[]; env?: Record<string, string> } } };
    const server = config.mcpServers.pilotfish;

    expect(code).toBe(0);
    expect(server.command).toBe(companion.executable);
    const client = new Client({ name: 'a client', version: '1.0.0' });
    // The client's environment is not ours: what the companion's home needs must stand in the configuration.
    await client.connect(new StdioClientTransport({ ...server, env: { ...companion.home.env, ...server.env } }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });

  test('`mcp config --json --http` has an address and a token that work, and another token does not', async ({ companion }) => {
    const { stdout } = await companion.run(['mcp', 'config', '--json', '--http']);
    const { url, headers } = (JSON.parse(stdout) as { mcpServers: { pilotfish: { url: string; headers: Record<string, string> } } })
      .mcpServers.pilotfish;

    const client = new Client({ name: 'a client', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();

    const stranger = new Client({ name: 'a stranger', version: '1.0.0' });
    const wrong = { Authorization: 'Bearer wrong' };
    await expect(stranger.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: wrong } }))).rejects.toThrow();
  });

  test('started by an agent it speaks for the session whose token it was given', async ({ companion }) => {
    companion.writeSettings({ waitForBrowserMs: 0 });
    const { stdout } = await companion.run(['mcp', 'config', '--json', '--http']);
    const { pilotfish } = (JSON.parse(stdout) as { mcpServers: { pilotfish: { url: string; headers: { Authorization: string } } } })
      .mcpServers;
    const token = pilotfish.headers.Authorization.replace('Bearer ', '');
    const sessions = async (): Promise<unknown[]> =>
      ((await companion.api.send('GET', '/api/status')).json as { sessions: unknown[] }).sessions;
    expect(await sessions()).toHaveLength(1);

    const client = await connectStdio(companion, { PILOTFISH_MCP_URL: pilotfish.url, PILOTFISH_MCP_TOKEN: token });
    try {
      expect(textOf(await client.callTool({ name: 'browser_snapshot', arguments: {} }))).toContain('BROWSER_NOT_CONNECTED');
      expect(await sessions()).toHaveLength(1);
    } finally {
      await client.close();
    }
  });

  test('stdout carries the protocol and nothing else, and the end of stdin ends it', async ({ companion, home }) => {
    const { code, stdout, stderr } = await companion.run(['mcp'], {
      input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } })}\n`,
    });

    expect(code).toBe(0);
    expect(stderr).toBe('');
    for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    await home.waitForProcesses((list) => list.every(({ command }) => !command.endsWith(' mcp')));
  });
});

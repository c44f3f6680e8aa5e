/** `pilotfish mcp` as an MCP client meets it, with clients of both protocol eras. */
import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client as TodaysClient, StreamableHTTPClientTransport as TodaysHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as TodaysStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect } from 'vitest';
import type { Admission } from '#protocol/admission.ts';
import type { SessionDetail, Status } from '#protocol/api.ts';
import type { ViewRequest } from '#protocol/view.ts';
import { connectBrowserDouble } from '#test/fixtures/browser-double.ts';
import { cliBinDir } from '#test/fixtures/clis.ts';
import { connectStdio, textOf } from '#test/fixtures/mcp-client.ts';
import { memoryMb } from '#test/fixtures/memory.ts';
import { until } from '#test/fixtures/until.ts';
import { test } from '#test/fixtures/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** A large call takes the processor for a fifth of a second and more. In full they are so many that the daemon cannot hold them and stay small. */
const LARGE_CALLS = isWhole ? 150 : 3;

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

  test(
    `refuses ${LARGE_CALLS} calls with 4 MB of wrong arguments each, and the daemon keeps none of them`,
    { tags: 'whole' },
    async ({ companion, skip }) => {
      skip(process.platform !== 'linux', 'asks /proc');
      const pid = await companion.startDaemon();
      const client = await connectStdio(companion);
      try {
        const args = { target: { selector: 'x'.repeat(4_000_000) } };
        const refuse = async (): Promise<string> => textOf(await client.callTool({ name: 'browser_click', arguments: args }));
        const first = await refuse();
        const before = memoryMb(pid);

        for (let call = 0; call < LARGE_CALLS; call += 1) expect(await refuse()).toBe(first);

        const grownMb = memoryMb(pid) - before;
        console.log(
          `${LARGE_CALLS} calls with 4 MB of wrong arguments: ${Math.round(before)} MB before, ${Math.round(grownMb)} MB more after them`,
        );
        expect(first).toMatch(/^INPUT_TOO_LARGE/);
        expect(first.length).toBeLessThan(2_000);
        // The garbage of some thirty calls waits for its collection, and it does not become more.
        expect(grownMb).toBeLessThan(250);
      } finally {
        await client.close();
      }
    },
  );

  test('serves the sets of tools that it is started with, and says which there are', { tags: 'whole' }, async ({ companion }) => {
    companion.writeSettings({ waitForBrowserMs: 100 });
    const client = await connectStdio(companion, {}, ['--tools', 'chrome']);
    try {
      const { tools } = await client.listTools();
      const result = await client.callTool({ name: 'chrome_read_page', arguments: {} });

      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['get_windows_and_tabs', 'chrome_navigate', 'chrome_computer']));
      expect(tools.every(({ name }) => !name.startsWith('browser_'))).toBe(true);
      expect(textOf(result)).toContain('BROWSER_NOT_CONNECTED');
    } finally {
      await client.close();
    }
    const refused = await companion.run(['mcp', '--tools=crome']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('crome is no set of tools; there are default, chrome') });
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

  test('listing makes no session; the first call makes one of its own', { tags: 'whole' }, async ({ companion }) => {
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
    // The client has an environment of its own: what the companion's home needs must stand in the configuration.
    await client.connect(new StdioClientTransport({ ...server, env: { ...companion.home.env, ...server.env } }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });

  test('`mcp config claude --install` is all that Claude Code needs to connect', { tags: 'whole' }, async ({ home, companion }) => {
    expect(await companion.run(['mcp', 'config', 'claude', '--install'])).toMatchObject({ code: 0 });

    const claude = path.join(cliBinDir('claude'), 'claude');
    const env = { ...home.env, PATH: `${cliBinDir('claude')}:${home.env['PATH']}` };
    const { stdout } = await promisify(execFile)(claude, ['mcp', 'get', 'pilotfish'], { env, cwd: home.dir });
    expect(stdout).toContain('Connected');
    expect(stdout).toContain(companion.executable);
  });

  test(
    '`mcp config --json --http` has an address and a token that work, and another token does not',
    { tags: 'whole' },
    async ({ companion }) => {
      const { stdout } = await companion.run(['mcp', 'config', '--json', '--http']);
      const { url, headers } = (JSON.parse(stdout) as { mcpServers: { pilotfish: { url: string; headers: Record<string, string> } } })
        .mcpServers.pilotfish;
      // Nobody has come yet: what was printed is no session in anybody's list.
      expect(JSON.parse((await companion.run(['sessions', '--json'])).stdout)).toEqual({ sessions: [] });

      const client = new Client({ name: 'a client', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
      expect((await client.listTools()).tools.length).toBeGreaterThan(5);
      await client.close();

      const stranger = new Client({ name: 'a stranger', version: '1.0.0' });
      const wrong = { Authorization: 'Bearer wrong' };
      await expect(
        stranger.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: wrong } })),
      ).rejects.toThrow();
    },
  );

  test(
    'a tool that does not exist is the protocol’s own error at each door, for clients of both eras',
    { tags: 'whole' },
    async ({ companion }) => {
      const { stdout } = await companion.run(['mcp', 'config', '--json', '--http']);
      const { url, headers } = (JSON.parse(stdout) as { mcpServers: { pilotfish: { url: string; headers: Record<string, string> } } })
        .mcpServers.pilotfish;
      const program = { command: companion.executable, args: ['mcp'], env: companion.env, cwd: companion.home.dir };
      const identity = { name: 'a client', version: '1.0.0' };
      const earlier = [new StdioClientTransport(program), new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })];
      const today = [new TodaysStdio(program), new TodaysHttp(new URL(url), { requestInit: { headers } })];
      const expected = { code: -32_602, message: expect.stringContaining('TOOL_UNKNOWN') };

      for (const transport of earlier) {
        const client = new Client(identity);
        await client.connect(transport as Parameters<Client['connect']>[0]);
        await expect(client.callTool({ name: 'browser_fly' })).rejects.toMatchObject(expected);
        await client.close();
      }
      for (const transport of today) {
        const client = new TodaysClient(identity, { versionNegotiation: { mode: 'auto' } });
        await client.connect(transport);
        expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
        await expect(client.callTool({ name: 'browser_fly' })).rejects.toMatchObject(expected);
        await client.close();
      }
    },
  );

  test('started by an agent it speaks for the session whose token it was given', { tags: 'whole' }, async ({ companion }) => {
    companion.writeSettings({ waitForBrowserMs: 0 });
    const { stdout } = await companion.run(['mcp', 'config', '--json', '--http']);
    const { pilotfish } = (JSON.parse(stdout) as { mcpServers: { pilotfish: { url: string; headers: { Authorization: string } } } })
      .mcpServers;
    const token = pilotfish.headers.Authorization.replace('Bearer ', '');
    const sessions = async (): Promise<unknown[]> =>
      ((await companion.api.send('GET', '/api/status')).json as { sessions: unknown[] }).sessions;
    // The session is made when somebody comes with the token.
    expect(await sessions()).toEqual([]);

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

describe('a program from outside that comes for the first time', () => {
  test('lists the tools at once, does nothing before the person lets it in, and is asked for once, over stdio and HTTP alike', async ({
    companion,
    home,
  }) => {
    companion.writeSettings({ waitForBrowserMs: 0 });
    await companion.startDaemon();
    const clients = async (): Promise<Admission[]> =>
      (JSON.parse((await companion.run(['clients', '--json'])).stdout) as { clients: Admission[] }).clients;
    const connect = async (): Promise<Client> => {
      const client = new Client({ name: 'Editor', version: '1.0.0' });
      await client.connect(new StdioClientTransport({ command: companion.executable, args: ['mcp'], env: companion.env, cwd: home.dir }));
      return client;
    };
    const requests = async (): Promise<ViewRequest[]> => {
      const { sessions } = (await companion.api.send('GET', '/api/status')).json as Status;
      const views = sessions.map(async ({ id }) => (await companion.api.send('GET', `/api/agent-sessions/${id}`)).json as SessionDetail);
      return (await Promise.all(views)).flatMap((view) => view.requests);
    };
    const [first, second] = [await connect(), await connect()];
    expect((await first.listTools()).tools.length).toBeGreaterThan(5);
    expect(await clients()).toEqual([]);

    const calls = [first, second].map((client) => client.callTool({ name: 'browser_snapshot', arguments: {} }));
    const [request, more] = await until(async () => {
      const found = await requests();
      return found.length > 0 ? found : null;
    });
    const [waiting] = await clients();

    // The process that has started `pilotfish mcp`, as the kernel knows it, is this one.
    expect(waiting).toMatchObject({
      name: 'Editor',
      state: 'waiting',
      origin: 'program',
      pid: process.pid,
      program: realpathSync(process.execPath),
    });
    expect(request?.request.detail).toContain(`Program: ${waiting?.program}\nProcess: ${process.pid}\nWorking folder: ${process.cwd()}`);
    expect(more).toBeUndefined();
    expect((await companion.run(['clients', 'allow', waiting?.id ?? ''])).code).toBe(0);
    for (const result of await Promise.all(calls)) expect(textOf(result)).toContain('BROWSER_NOT_CONNECTED');
    expect(await requests()).toEqual([]);

    // Another way in, the same program under the same name: nothing to ask.
    const { stdout } = await companion.run(['mcp', 'config', '--json', '--http']);
    const { url, headers } = (JSON.parse(stdout) as { mcpServers: { pilotfish: { url: string; headers: Record<string, string> } } })
      .mcpServers.pilotfish;
    const overHttp = new Client({ name: 'Editor', version: '2.0.0' });
    await overHttp.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    expect(textOf(await overHttp.callTool({ name: 'browser_snapshot', arguments: {} }))).toContain('BROWSER_NOT_CONNECTED');

    // Taken back and turned away: it is told what to do.
    await companion.run(['clients', 'deny', waiting?.id ?? '']);
    for (const client of [first, overHttp]) {
      const refused = textOf(await client.callTool({ name: 'browser_snapshot', arguments: {} }));
      expect(refused).toMatch(/^CLIENT_NOT_ALLOWED: .*`pilotfish clients`/);
    }
    for (const client of [first, second, overHttp]) await client.close();
  });

  test('that can ask its user gets the question too; the first answer counts, and the other question goes away', async ({ companion }) => {
    await companion.startDaemon();
    const browser = await connectBrowserDouble(companion);
    const client = new Client({ name: 'Editor', version: '1.0.0' }, { capabilities: { elicitation: {} } });
    const asked: { message: string; withdrawn: AbortSignal }[] = [];
    const answers: { action: 'accept' | 'decline'; content?: { answer: string } }[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
      asked.push({ message: params.message, withdrawn: signal });
      return answers.shift() ?? new Promise(() => {});
    });
    await client.connect(new StdioClientTransport({ command: companion.executable, args: ['mcp'], env: companion.env }));
    const view = async (): Promise<SessionDetail | null> => {
      const { sessions } = (await companion.api.send('GET', '/api/status')).json as Status;
      return sessions[0] === undefined
        ? null
        : ((await companion.api.send('GET', `/api/agent-sessions/${sessions[0].id}`)).json as SessionDetail);
    };
    const openRequest = () => until(async () => (await view())?.requests[0] ?? null);
    const click = () => client.callTool({ name: 'browser_click', arguments: { target: 'e1' } });

    const first = click();
    await openRequest();
    // No program lets itself in.
    expect(asked).toEqual([]);
    const { admissions } = (await companion.api.send('GET', '/api/admissions')).json as { admissions: Admission[] };
    answers.push({ action: 'accept', content: { answer: 'once' } });
    await companion.run(['clients', 'allow', admissions.find(({ kind }) => kind === 'client')?.id ?? '']);
    expect(textOf(await first)).toContain('browser_click was done');
    answers.push({ action: 'accept', content: { answer: 'always' } }, { action: 'decline' });
    const tooMuch = click();
    const card = await openRequest();
    expect((await until(() => asked[1] ?? null)).message).toContain(card.request.title);
    const sessionId = (await view())?.sessionId ?? '';
    await companion.api.send('POST', `/api/agent-sessions/${sessionId}/requests/${card.requestId}`, { optionId: 'once' });
    expect(textOf(await tooMuch)).toContain('browser_click was done');
    expect(textOf(await click())).toMatch(/^CONSENT_DENIED/);
    const last = click();
    const open = await openRequest();
    await until(() => asked[3] ?? null);
    await companion.api.send('POST', `/api/agent-sessions/${sessionId}/requests/${open.requestId}`, { optionId: 'once' });
    expect(textOf(await last)).toContain('browser_click was done');
    await until(() => asked[3]?.withdrawn.aborted ?? false);
    answers.push({ action: 'accept', content: { answer: 'Blue' } });
    const choice = { message: 'Which one?', options: ['Red', 'Blue'] };
    expect(textOf(await client.callTool({ name: 'browser_ask_human', arguments: choice }))).toContain('The user answered: Blue');

    expect(browser.calls.filter(({ name }) => name === 'browser_click')).toHaveLength(3);
    await client.close();
    browser.close();
  });
});

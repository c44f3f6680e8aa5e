import { PassThrough } from 'node:stream';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { OFFERS_META, TOOL_OFFERED_META, type ToolInfo, type ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { createBrowserServer } from '#companion/mcp/browser-server.ts';
import { toHttpConfig, toStdioConfig } from '#companion/mcp/client-config.ts';
import { PausedCalls } from '#companion/mcp/paused-calls.ts';
import { runMcpStdio } from '#companion/mcp/stdio.ts';
import { aTool } from '#test/unit/server/room-doubles.ts';

const tools = [aTool('browser_snapshot', 'read')];

/** What a client writes and what it reads, line by line. */
const start = (
  call: Parameters<typeof runMcpStdio>[0]['call'] = () => Promise.resolve({ content: [] }),
  listed: readonly ToolInfo[] = tools,
) => {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const abort = new AbortController();
  const lines: unknown[] = [];
  let rest = '';
  stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((line) => JSON.parse(line) as unknown));
  });
  const ended = runMcpStdio({ tools: () => listed, call, stdin, stdout, signal: abort.signal });
  return { abort, ended, lines, stdin, say: (message: unknown) => stdin.write(`${JSON.stringify(message)}\n`) };
};

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'editor', version: '3' } },
};

/** What each request of today's revision carries. */
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'editor', version: '3' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('MCP over stdio', () => {
  test('answers what was said even when the client closes stdin right after', async () => {
    const { ended, lines, stdin, say } = start();

    say(initialize);
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    stdin.end();
    await ended;

    expect(lines).toMatchObject([
      { id: 1, result: { serverInfo: { name: 'pilotfish' } } },
      { id: 2, result: { tools: [{ name: 'browser_snapshot' }] } },
    ]);
  });

  test('takes several messages in one line, and answers each that is one', async () => {
    const { ended, lines, stdin, say } = start();

    say(initialize);
    say([
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
      5,
      { jsonrpc: '2.0', id: 3, method: 'ping' },
    ]);
    say([]);
    stdin.end();
    await ended;

    expect(lines.map((line) => [(line as { id: unknown }).id, 'error' in (line as object)])).toEqual(
      expect.arrayContaining([
        [1, false],
        [2, false],
        [3, false],
        [null, true],
        [null, true],
      ]),
    );
    expect(lines).toHaveLength(5);
  });

  test('a call that is sent again before its answer is made once, and again after a cancellation or with another id', async () => {
    const made: unknown[] = [];
    const { ended, lines, stdin, say } = start((_, args, { signal }) => {
      made.push(args['text']);
      return args['text'] === 'held'
        ? new Promise((resolve) => signal.addEventListener('abort', () => resolve({ content: [] })))
        : Promise.resolve({ content: [] });
    });
    const call = (id: number, text: string): void =>
      void say({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'browser_snapshot', arguments: { text } } });

    say(initialize);
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    for (const text of ['a', 'a', 'b']) call(2, text);
    call(3, 'a');
    for (let time = 0; time < 2; time += 1) {
      call(4, 'held');
      await vi.waitFor(() => expect(made.filter((text) => text === 'held')).toHaveLength(time + 1));
      call(4, 'held');
      say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 4 } });
    }
    call(5, 'end');
    await vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining({ id: 5 })));
    call(5, 'end');
    stdin.end();
    await ended;

    expect(made).toEqual(['a', 'b', 'a', 'held', 'held', 'end', 'end']);
  });

  test('a tool for what pages offer is there from the first page on that does, and the client is told', async () => {
    const pageTool = aTool('browser_page_tool', 'write');
    const offered = { ...pageTool, _meta: { ...pageTool._meta, [TOOL_OFFERED_META]: true } };
    const found = { content: [], _meta: { [OFFERS_META]: ['browser_page_tool', 'browser_fly'] } };
    const { ended, lines, stdin, say } = start(() => Promise.resolve(found), [...tools, offered]);
    const answers = (id: number): Promise<void> => vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining({ id })));

    say(initialize);
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    say({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'browser_page_tool' } });
    await answers(3);
    say({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'browser_snapshot' } });
    say({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'browser_snapshot' } });
    await answers(5);
    say({ jsonrpc: '2.0', id: 6, method: 'tools/list' });
    stdin.end();
    await ended;

    const answer = (id: number): unknown => lines.find((line) => (line as { id?: number }).id === id);
    expect(answer(2)).toMatchObject({ result: { tools: [{ name: 'browser_snapshot' }] } });
    expect(answer(3)).toMatchObject({ error: { message: expect.stringContaining('TOOL_UNKNOWN') } });
    expect(lines.filter((line) => (line as { method?: string }).method === 'notifications/tools/list_changed')).toHaveLength(1);
    expect(answer(6)).toMatchObject({ result: { tools: [{ name: 'browser_snapshot' }, { name: 'browser_page_tool' }] } });
  });

  test('a thousand calls at once are all answered, and not all made at the same moment', async () => {
    let [underWay, most] = [0, 0];
    const { ended, lines, stdin, say } = start(async () => {
      most = Math.max(most, (underWay += 1));
      await new Promise(setImmediate);
      underWay -= 1;
      return { content: [] };
    });
    say(initialize);
    for (let id = 2; id < 1_002; id += 1) say({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'browser_snapshot' } });
    await expect.poll(() => lines.length).toBe(1_001);
    stdin.end();
    await ended;

    expect(most).toBe(50);
  });

  test('a call knows who the client is, and is cancelled when the client goes', async () => {
    const called = Promise.withResolvers<{ client: unknown; signal: AbortSignal }>();
    const { ended, stdin, say } = start(
      (_, __, { client, signal }) =>
        new Promise((resolve) => {
          called.resolve({ client, signal });
          signal.addEventListener('abort', () => resolve({ content: [] }));
        }),
    );
    say(initialize);
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'browser_snapshot' } });

    const { client, signal } = await called.promise;
    stdin.end();
    await ended;

    expect(client).toMatchObject({ name: 'editor', version: '3' });
    expect(signal.aborted).toBe(true);
  });

  test('a client of today’s revision is known by its name, and asked where it takes forms', async () => {
    const calls: Parameters<Parameters<typeof runMcpStdio>[0]['call']>[2][] = [];
    const { ended, stdin, say } = start((_, __, options) => {
      calls.push(options);
      return Promise.resolve({ content: [] });
    });

    for (const [id, elicitation] of [undefined, { form: {} }, { url: {} }].entries()) {
      const capabilities = elicitation === undefined ? {} : { elicitation };
      const _meta = { ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': capabilities };
      say({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'browser_snapshot', arguments: {}, _meta } });
    }
    stdin.end();
    await ended;

    expect(calls.map(({ client, elicit }) => [client?.name, client?.version, elicit !== undefined])).toEqual([
      ['editor', '3', false],
      ['editor', '3', true],
      ['editor', '3', false],
    ]);
  });

  for (const [revision, meta] of [
    ['an earlier revision', undefined],
    ['today’s revision', modernMeta],
  ] as const) {
    test(`a call of a client of ${revision} that has null for its arguments has none, also after a byte order mark`, async () => {
      const given: unknown[] = [];
      const { ended, lines, stdin, say } = start((name, args) => {
        given.push([name, args]);
        return Promise.resolve({ content: [] });
      });

      stdin.write('\uFEFF');
      if (meta === undefined) {
        say(initialize);
        say({ jsonrpc: '2.0', method: 'notifications/initialized' });
      }
      say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'browser_snapshot', arguments: null, _meta: meta } });
      await vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining({ id: 2, result: expect.anything() })));
      stdin.end();
      await ended;

      expect(given).toEqual([['browser_snapshot', {}]]);
    });
  }

  for (const [revision, meta] of [
    ['an earlier revision', undefined],
    ['today’s revision', modernMeta],
  ] as const) {
    test(`an unknown tool is an error of the protocol for a client of ${revision}`, async () => {
      const { ended, lines, stdin, say } = start(() => Promise.reject(new Error('it was called')));

      if (meta === undefined) {
        say(initialize);
        say({ jsonrpc: '2.0', method: 'notifications/initialized' });
      }
      for (const [id, name] of ['browser_fly', '__proto__', 'constructor'].entries())
        say({ jsonrpc: '2.0', id: 10 + id, method: 'tools/call', params: { name, arguments: {}, _meta: meta } });
      stdin.end();
      await ended;

      expect(lines.slice(-3)).toMatchObject(
        [10, 11, 12].map((id) => ({ id, error: { code: -32_602, message: expect.stringContaining('TOOL_UNKNOWN') } })),
      );
    });
  }

  test('what is no JSON is told, what is no JSON-RPC too, and what comes after is served', async () => {
    const { ended, lines, stdin, say } = start();

    for (const line of ['hello', '{', '\u0000', '{"jsonrpc":"2.0","id":5,']) stdin.write(`${line}\n`);
    for (const line of ['[]', 'null', '{"jsonrpc":"2.0"}', '"x"']) stdin.write(`${line}\n`);
    stdin.write('\r\n\n{"jsonrpc":"1.0","id":7,"method":"ping"}\n');
    say(initialize);
    stdin.end();
    await ended;

    expect(lines).toMatchObject([
      ...Array.from({ length: 4 }, () => ({ id: null, error: { code: -32_700 } })),
      ...Array.from({ length: 4 }, () => ({ id: null, error: { code: -32_600 } })),
      { id: 7, error: { code: -32_600 } },
      { id: 1, result: expect.anything() },
    ]);
  });

  test('a message above the limit is refused, and what comes after is served', async () => {
    const { ended, lines, stdin, say } = start();

    for (let count = 0; count < 12; count += 1) stdin.write('x'.repeat(1024 * 1024));
    stdin.write('\n');
    say(initialize);
    stdin.end();
    await ended;

    expect(lines).toMatchObject([
      { id: null, error: { code: -32_600, message: expect.stringContaining('10485760') } },
      { id: 1, result: expect.anything() },
    ]);
  });

  test('a byte order mark before the first message and no newline after the last do no harm', async () => {
    const { ended, lines, stdin } = start();

    stdin.write(`\uFEFF${JSON.stringify(initialize)}\r\n`);
    stdin.end(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' }));
    await ended;

    expect(lines).toMatchObject([
      { id: 1, result: expect.anything() },
      { id: 2, result: {} },
    ]);
  });

  test('ends when it is told to, and lets go of stdin', async () => {
    const { abort, ended, stdin } = start();

    abort.abort();

    await ended;
    expect(stdin.destroyed).toBe(true);
  });
});

describe('progress', () => {
  test('is repeated every 5 s while a person thinks, counting up', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const called = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<ToolResult>();
    const server = createBrowserServer({
      tools: () => tools,
      instructions: '',
      paused: new PausedCalls(),
      unknownTool: () => new CompanionError('TOOL_UNKNOWN'),
      call: (_, __, { onProgress }) => {
        onProgress({ progress: 0, message: 'Waiting for the user.' });
        called.resolve();
        return finish.promise;
      },
    });
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
    await server.connect(serverEnd as never);
    const client = new Client({ name: 'x', version: '1' });
    await client.connect(clientEnd);
    const seen: unknown[] = [];

    const result = client.callTool({ name: 'browser_snapshot' }, undefined, { onprogress: (progress) => seen.push(progress) });
    await called.promise;
    vi.advanceTimersByTime(15_000);
    finish.resolve({ content: [{ type: 'text', text: 'ok' }] });
    await result;
    vi.advanceTimersByTime(60_000);

    expect(seen).toMatchObject([1, 2, 3, 4].map((progress) => ({ progress, message: 'Waiting for the user.' })));
    expect(vi.getTimerCount()).toBe(0);
    await client.close();
  });
});

describe('the configuration of a client', () => {
  test('names the executable for stdio, and holds no secret', () => {
    expect(toStdioConfig({ command: '/opt/pilotfish', args: [], env: { PILOTFISH_HOME: '/x' } })).toEqual({
      mcpServers: { pilotfish: { type: 'stdio', command: '/opt/pilotfish', args: ['mcp'], env: { PILOTFISH_HOME: '/x' } } },
    });
  });

  test('names address and token for HTTP', () => {
    expect(toHttpConfig({ port: 1234, token: 't' })).toEqual({
      mcpServers: { pilotfish: { type: 'http', url: 'http://127.0.0.1:1234/mcp', headers: { Authorization: 'Bearer t' } } },
    });
  });
});

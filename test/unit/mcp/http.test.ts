import { once } from 'node:events';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientV2, type ElicitResult, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished } from 'vitest';
import { OFFERS_META, TOOL_OFFERED_META } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';
import { aTool } from '#test/unit/server/room-doubles.ts';
import { test, type Stage } from '#test/unit/server/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const open = (
  stage: Stage,
  kind: 'agent' | 'client' = 'agent',
): { sessionId: SessionId; token: string; headers: { authorization: string } } => {
  const sessionId = stage.sessions.create({ kind });
  const token = stage.sessionToken(sessionId);
  return { sessionId, token, headers: { authorization: `Bearer ${token}` } };
};

const UNKNOWN_TOOLS = ['browser_fly', '__proto__', 'constructor'];
const INVALID_TOOL = { code: -32_602, message: expect.stringContaining('TOOL_UNKNOWN') };

const identity = { name: 'a client', version: '1.0.0' };

const connectV1 = async (
  stage: Stage,
  headers: Record<string, string>,
  path = '/mcp',
): Promise<{ client: ClientV1; transport: TransportV1 }> => {
  const client = new ClientV1(identity);
  const transport = new TransportV1(new URL(stage.base + path), { requestInit: { headers } });
  // The v1 package's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  onTestFinished(() => client.close());
  return { client, transport };
};

const connectV2 = async (stage: Stage, headers: Record<string, string>, path = '/mcp'): Promise<ClientV2> => {
  const client = new ClientV2(identity, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new TransportV2(new URL(stage.base + path), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
};

/** A client of today's revision whose person is asked. */
const connectAsking = async (
  stage: Stage,
  answer: () => Promise<ElicitResult>,
  named = identity,
): Promise<{ client: ClientV2; asked: unknown[] }> => {
  const asked: unknown[] = [];
  const client = new ClientV2(named, { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params);
    return answer();
  });
  const { headers } = open(stage, 'client');
  await client.connect(new TransportV2(new URL(`${stage.base}/mcp`), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return { client, asked };
};

const post = (stage: Stage, token: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  stage.fetch('/mcp', { method: 'POST', token, body, headers: { accept: 'application/json, text/event-stream', ...headers } });

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: identity },
};

describe('/mcp for a client of the earlier revisions', () => {
  test('lists the tools with no browser there, and says how to use them', async ({ stage }) => {
    const { client } = await connectV1(stage, open(stage).headers);

    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name)).toEqual(['browser_snapshot', 'browser_navigate', 'browser_click']);
    expect(tools[0]).toMatchObject({ description: 'The tool browser_snapshot.', inputSchema: { type: 'object' } });
    expect(client.getInstructions()).toContain('off limits');
    expect(client.getServerVersion()).toMatchObject({ name: 'pilotfish' });
  });

  test('puts the question of a call to the person in the client, where that can ask', async ({ stage }) => {
    const { headers } = open(stage, 'client');
    const client = new ClientV1(identity, { capabilities: { elicitation: {} } });
    const asked: unknown[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      return { action: 'accept', content: { answer: 'once' } };
    });
    const transport = new TransportV1(new URL(`${stage.base}/mcp`), { requestInit: { headers } });
    await client.connect(transport as Parameters<ClientV1['connect']>[0]);
    onTestFinished(() => client.close());
    stage.sessions.onAsk((request, signal, { elsewhere } = {}) => elsewhere?.ask(request, signal) ?? Promise.resolve(null));

    const result = await client.callTool({ name: 'browser_click', arguments: { ref: 'e7' } });

    expect(result).toMatchObject({ content: [{ text: 'done' }] });
    expect(asked).toMatchObject([
      {
        message: expect.stringContaining('on shop.example'),
        requestedSchema: { properties: { answer: { enum: ['once', 'reject'] } } },
      },
    ]);
  });

  test('puts it to the person in a client of today’s revision, too, and makes the call once', async ({ stage }) => {
    const { client, asked } = await connectAsking(stage, () => Promise.resolve({ action: 'accept', content: { answer: 'once' } }));
    stage.sessions.onAsk((request, signal, { elsewhere } = {}) => elsewhere?.ask(request, signal) ?? Promise.resolve(null));

    const result = await client.callTool({ name: 'browser_click', arguments: { ref: 'e7' } });

    expect(result).toMatchObject({ content: [{ text: 'done' }] });
    expect(asked).toMatchObject([
      { message: expect.stringContaining('on shop.example'), requestedSchema: { properties: { answer: { enum: ['once', 'reject'] } } } },
    ]);
    expect(stage.bridge.calls).toHaveLength(1);
  });

  test('which may decline, or leave it to the card elsewhere', async ({ stage }) => {
    const answers = [{ action: 'decline' as const }, { action: 'cancel' as const }];
    const { client } = await connectAsking(stage, () => Promise.resolve(answers.shift() ?? { action: 'cancel' as const }));
    stage.sessions.onAsk(async (request, signal, { elsewhere } = {}) => (await elsewhere?.ask(request, signal)) ?? { optionId: 'once' });

    expect(await client.callTool({ name: 'browser_click', arguments: { ref: 'e7' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('CONSENT_DENIED') }],
    });
    expect(stage.bridge.calls).toHaveLength(0);
    expect(await client.callTool({ name: 'browser_click', arguments: { ref: 'e7' } })).toMatchObject({ content: [{ text: 'done' }] });
    expect(stage.bridge.calls).toHaveLength(1);
  });

  test('and whose refusal at once, which nobody has given there, leaves it to the card elsewhere', async ({ stage }) => {
    const codex = { name: 'codex-mcp-client', version: '1.0.0' };
    const { client, asked } = await connectAsking(stage, () => Promise.resolve({ action: 'decline' }), codex);
    stage.sessions.onAsk(async (request, signal, { elsewhere } = {}) => (await elsewhere?.ask(request, signal)) ?? { optionId: 'once' });

    expect(await client.callTool({ name: 'browser_click', arguments: { ref: 'e7' } })).toMatchObject({ content: [{ text: 'done' }] });
    expect(asked).toHaveLength(1);
  });

  test('and whose answer changes nothing once somebody else has answered', async ({ stage }) => {
    const answered = Promise.withResolvers<void>();
    const { client } = await connectAsking(stage, async () => {
      await answered.promise;
      return { action: 'decline' };
    });
    stage.sessions.onAsk((request, signal, { elsewhere } = {}) => {
      const over = new AbortController();
      void elsewhere?.ask(request, AbortSignal.any([signal, over.signal]));
      return new Promise((resolve) => {
        setImmediate(() => {
          over.abort();
          resolve({ optionId: 'once' });
        });
      });
    });
    stage.bridge.onCall(() => {
      answered.resolve();
      return Promise.resolve({ content: [{ type: 'text', text: 'done' }] });
    });

    expect(await client.callTool({ name: 'browser_click', arguments: { ref: 'e7' } })).toMatchObject({ content: [{ text: 'done' }] });
    expect(stage.bridge.calls).toHaveLength(1);
  });

  test('calls a tool as the session its token was made for', async ({ stage }) => {
    const mine = open(stage);
    const { client } = await connectV1(stage, mine.headers);

    const result = await client.callTool({ name: 'browser_snapshot', arguments: { depth: 2 } });

    expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
    expect(stage.bridge.calls).toMatchObject([{ sessionId: mine.sessionId, name: 'browser_snapshot', args: { depth: 2 } }]);
  });

  test('passes progress on, and keeps the client patient while a person thinks', async ({ stage }) => {
    const { client } = await connectV1(stage, open(stage).headers);
    stage.bridge.onCall((_, { onProgress }) => {
      onProgress?.({ progress: 1, message: 'Waiting for a browser.' });
      onProgress?.({ progress: 2, message: 'Still waiting.' });
      return Promise.resolve({ content: [] });
    });
    const messages: (string | undefined)[] = [];

    await client.callTool({ name: 'browser_snapshot' }, undefined, { onprogress: ({ message }) => messages.push(message) });

    expect(messages).toEqual(['Waiting for a browser.', 'Still waiting.']);
  });

  test('tells a client that its call was taken, however long the answer takes', async ({ stage }) => {
    const { token } = open(stage);
    const session = { 'mcp-session-id': (await post(stage, token, initialize)).headers.get('mcp-session-id') ?? '' };
    const done = Promise.withResolvers<void>();
    stage.bridge.onCall(async () => {
      await done.promise;
      return { content: [{ type: 'text', text: 'done at last' }] };
    });

    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'browser_snapshot', arguments: {} } };
    const response = await post(stage, token, call, session);

    expect(response.status).toBe(200);
    done.resolve();
    expect(await response.text()).toContain('done at last');
  });

  test('answers in one piece what is quick, and in a stream what tells something before its end', async ({ stage }) => {
    const { token } = open(stage);
    const session = { 'mcp-session-id': (await post(stage, token, initialize)).headers.get('mcp-session-id') ?? '' };
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'browser_snapshot', _meta: { progressToken: 7 } } };

    const quick = await post(stage, token, { jsonrpc: '2.0', id: 1, method: 'ping' }, session);
    stage.bridge.onCall((_, { onProgress }) => {
      onProgress?.({ progress: 1, message: 'Half way.' });
      return Promise.resolve({ content: [] });
    });
    const told = await post(stage, token, call, session);

    expect([quick.headers.get('content-type'), await quick.json()]).toEqual(['application/json', { jsonrpc: '2.0', id: 1, result: {} }]);
    expect(told.headers.get('content-type')).toBe('text/event-stream');
    expect([...(await told.text()).matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 7, message: 'Half way.' } },
      { id: 2, result: { content: [] } },
    ]);
  });

  test('hands on the id by which an agent knows its call, where it sends one along', async ({ stage }) => {
    const { client } = await connectV1(stage, open(stage).headers);
    const ids: unknown[] = [];
    stage.sessions.onAsk((_, __, { call } = {}) => {
      ids.push(call?.agentItemId);
      return Promise.resolve({ optionId: 'once' });
    });

    for (const _meta of [{ 'claudecode/toolUseId': 'toolu_1' }, { callId: 'call_1' }, { callId: 7 }, {}])
      await client.callTool({ name: 'browser_click', arguments: { ref: 'e7' }, _meta });

    expect(ids).toEqual(['toolu_1', 'call_1', undefined, undefined]);
  });

  test('answers several messages of one request together', async ({ stage }) => {
    const { token } = open(stage);
    const session = { 'mcp-session-id': (await post(stage, token, initialize)).headers.get('mcp-session-id') ?? '' };
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } };

    const response = await post(stage, token, [ping(3), cancelled, ping(4)], session);

    expect(await response.json()).toMatchObject([
      { id: 3, result: {} },
      { id: 4, result: {} },
    ]);
    expect((await post(stage, token, [cancelled], session)).status).toBe(202);
    expect((await post(stage, token, [], session)).status).toBe(400);
    expect((await post(stage, token, [ping(5), ping(5)], session)).status).toBe(400);
    expect(
      (
        await post(
          stage,
          token,
          Array.from({ length: 101 }, (_, id) => ping(id)),
          session,
        )
      ).status,
    ).toBe(400);
  });

  test('takes null for no arguments', async ({ stage }) => {
    const { token } = open(stage);
    const begun = await post(stage, token, initialize);
    const id = begun.headers.get('mcp-session-id') ?? '';

    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'browser_snapshot', arguments: null } };
    const answer = await post(stage, token, call, { 'mcp-session-id': id });

    expect(await answer.text()).toContain('"content":[');
  });

  test('refuses what cannot be served by its head, and an id that is still open', async ({ stage }) => {
    const { token } = open(stage);
    const session = { 'mcp-session-id': (await post(stage, token, initialize)).headers.get('mcp-session-id') ?? '' };
    const ping = { jsonrpc: '2.0', id: 5, method: 'ping' };
    const listen = { token, headers: { ...session, accept: 'text/event-stream' } };
    const done = Promise.withResolvers<{ content: [] }>();
    const began = Promise.withResolvers<void>();
    stage.bridge.onCall(() => {
      began.resolve();
      return done.promise;
    });

    for (const accept of ['application/json', 'text/event-stream', 'text/html, */*+xml'])
      expect((await post(stage, token, ping, { ...session, accept })).status, accept).toBe(406);
    // Programs that name no type send this by themselves.
    for (const accept of ['*/*', 'text/html, */*; q=0.8', 'Application/JSON, text/*'])
      expect((await post(stage, token, ping, { ...session, accept })).status, accept).toBe(200);
    expect((await post(stage, token, ping, { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect((await post(stage, token, initialize, session)).status).toBe(400);
    expect((await stage.fetch('/mcp', { token, headers: { ...session, accept: 'application/json' } })).status).toBe(406);
    const stream = await stage.fetch('/mcp', listen);
    expect([stream.status, (await stage.fetch('/mcp', listen)).status]).toEqual([200, 409]);
    await stream.body?.cancel();

    const call = post(stage, token, { ...ping, method: 'tools/call', params: { name: 'browser_snapshot' } }, session);
    await began.promise;
    expect((await post(stage, token, ping, session)).status).toBe(400);
    done.resolve({ content: [] });
    expect(await (await call).text()).toContain('"id":5');
    expect((await post(stage, token, ping, session)).status).toBe(200);
  });

  test('a call the client gives up is cancelled in the browser', async ({ stage }) => {
    const { client } = await connectV1(stage, open(stage).headers);
    const cancelled = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    stage.bridge.onCall((_, { signal }) => {
      started.resolve();
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          cancelled.resolve();
          reject(signal.reason as Error);
        });
      });
    });
    const abort = new AbortController();

    const call = client.callTool({ name: 'browser_snapshot' }, undefined, { signal: abort.signal }).catch(() => 'given up');
    await started.promise;
    abort.abort();

    await cancelled.promise;
    expect(await call).toBe('given up');
  });

  test('the stream of a call that was cancelled ends, and its id is free again', async ({ stage }) => {
    const { token } = open(stage);
    const session = { 'mcp-session-id': (await post(stage, token, initialize)).headers.get('mcp-session-id') ?? '' };
    const call = { jsonrpc: '2.0', id: 8, method: 'tools/call', params: { name: 'browser_snapshot', _meta: { progressToken: 1 } } };
    const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } };
    stage.bridge.onCall((_, { onProgress, signal }) => {
      onProgress?.({ progress: 1, message: 'Begun.' });
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    });

    const told = await post(stage, token, call, session);
    expect((await post(stage, token, cancelled, session)).status).toBe(202);
    expect(await told.text()).toContain('Begun.');
    // In one piece with what cancels it, so before anything was said.
    const silent = await post(stage, token, [{ ...call, params: { name: 'browser_snapshot' } }, cancelled], session);
    expect(await silent.text()).toBe('');
    const beside = await post(stage, token, [ping, { ...call, params: { name: 'browser_snapshot' } }, cancelled], session);
    expect(await beside.text()).toContain('"id":9');
    stage.bridge.onCall(() => Promise.resolve({ content: [] }));
    expect(await (await post(stage, token, call, session)).text()).toContain('"id":8');
  });

  test('a client that takes no forms is not sent one', async ({ stage }) => {
    const { token } = open(stage, 'client');
    const asked: unknown[] = [];
    stage.sessions.onAsk((_, __, { elsewhere } = {}) => {
      asked.push(elsewhere);
      return Promise.resolve({ optionId: 'once' });
    });

    for (const elicitation of [{}, { form: {} }, { url: {}, form: {} }, { url: {} }]) {
      const begin = { ...initialize, params: { ...initialize.params, protocolVersion: '2025-11-25', capabilities: { elicitation } } };
      const session = { 'mcp-session-id': (await post(stage, token, begin)).headers.get('mcp-session-id') ?? '' };
      const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'browser_click', arguments: { ref: 'e7' } } };
      await (await post(stage, token, call, session)).text();
    }

    expect(asked.map((elsewhere) => elsewhere !== undefined)).toEqual([true, true, true, false]);
  });

  test('is told when a browser brings other tools', async ({ stage }) => {
    const { client } = await connectV1(stage, open(stage).headers);
    let isTold = false;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (isTold = true));

    // The stream that carries it opens some time after `connect` has resolved, so the browser goes on bringing tools.
    await expect
      .poll(() => {
        stage.bridge.setTools([aTool('browser_new', 'read')]);
        return isTold;
      })
      .toBe(true);

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['browser_new']);
  });

  test('is told of a tool for what pages offer once a page offers it', async ({ stage }) => {
    const { client } = await connectV1(stage, open(stage).headers);
    const pageTool = aTool('browser_page_tool', 'write');
    stage.bridge.setTools([aTool('browser_snapshot', 'read'), { ...pageTool, _meta: { ...pageTool._meta, [TOOL_OFFERED_META]: true } }]);
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(['browser_snapshot']);
    stage.bridge.onCall(() => Promise.resolve({ content: [], _meta: { [OFFERS_META]: ['browser_page_tool'] } }));

    await client.callTool({ name: 'browser_snapshot' });

    expect(await names()).toEqual(['browser_snapshot', 'browser_page_tool']);
    const today = await connectV2(stage, open(stage).headers);
    expect((await today.listTools()).tools).toHaveLength(2);
  });

  test('an unknown tool is an error of the protocol, a failing one is a result a model can read', async ({ stage }) => {
    const { client } = await connectV1(stage, open(stage).headers);
    stage.bridge.onCall(() => Promise.reject(new Error('boom')));

    for (const name of UNKNOWN_TOOLS) await expect(client.callTool({ name })).rejects.toMatchObject(INVALID_TOOL);
    await expect(client.callTool({ name: 'browser_snapshoot' })).rejects.toThrow('browser_snapshot is nearest to it.');
    expect(await client.callTool({ name: 'browser_snapshot' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^INTERNAL: .*boom/) }],
    });
  });

  test('when clients hang up, their calls are cancelled and their questions withdrawn, each of many', async ({ stage }) => {
    const count = isWhole ? 200 : 20;
    let asked = 0;
    let withdrawn = 0;
    const allAsked = Promise.withResolvers<void>();
    const allWithdrawn = Promise.withResolvers<void>();
    stage.sessions.onAsk(async (_, signal) => {
      if ((asked += 1) === count) allAsked.resolve();
      if (!signal.aborted) await once(signal, 'abort');
      if ((withdrawn += 1) === count) allWithdrawn.resolve();
      return null;
    });
    const hangUps = await Promise.all(
      Array.from({ length: count }, async () => {
        const mine = open(stage);
        const opened = await post(stage, mine.token, initialize);
        await opened.text();
        const gone = new AbortController();
        const headers = {
          authorization: `Bearer ${mine.token}`,
          'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'browser_click', arguments: {} } });
        fetch(`${stage.base}/mcp`, { method: 'POST', headers, body, signal: gone.signal }).catch(() => {});
        return gone;
      }),
    );

    await allAsked.promise;
    for (const gone of hangUps) gone.abort();
    await allWithdrawn.promise;

    expect(stage.bridge.calls).toEqual([]);
  });

  test('a transport’s id opens nothing to another token', async ({ stage }) => {
    const { transport } = await connectV1(stage, open(stage).headers);
    const stranger = open(stage);
    const id = { 'mcp-session-id': transport.sessionId ?? '' };
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

    expect((await post(stage, stranger.token, list, id)).status).toBe(404);
    expect(
      (await stage.fetch('/mcp', { token: stranger.token, headers: { ...id, accept: 'text/event-stream', 'last-event-id': '1' } })).status,
    ).toBe(404);
    expect((await stage.fetch('/mcp', { method: 'DELETE', token: stranger.token, headers: id })).status).toBe(404);
    expect((await post(stage, stranger.token, list, { 'mcp-session-id': 'made-up' })).status).toBe(404);
    expect((await post(stage, stranger.token, list)).status).toBe(400);
  });

  test('a revoked token ends what was opened with it', async ({ stage }) => {
    const mine = open(stage);
    const opened = await post(stage, mine.token, initialize);
    const id = opened.headers.get('mcp-session-id') ?? '';
    await opened.text();
    const stream = await stage.fetch('/mcp', { token: mine.token, headers: { 'mcp-session-id': id, accept: 'text/event-stream' } });

    stage.tokens.revoke(mine.token);

    expect(await stream.text()).not.toContain('data:');
    expect((await post(stage, mine.token, { jsonrpc: '2.0', id: 2, method: 'ping' }, { 'mcp-session-id': id })).status).toBe(401);
  });

  test('a program from outside that listens keeps the daemon, and an agent, which has a session that works, does not', async ({
    stage,
  }) => {
    const counted: number[] = [];
    onTestFinished(stage.server.onStreamCount(() => counted.push(stage.server.streamCount())));
    const listen = async (kind: 'agent' | 'client'): Promise<Response> => {
      const { token } = open(stage, kind);
      const session = { 'mcp-session-id': (await post(stage, token, initialize)).headers.get('mcp-session-id') ?? '' };
      return stage.fetch('/mcp', { token, headers: { ...session, accept: 'text/event-stream' } });
    };

    const agent = await listen('agent');
    const program = await listen('client');
    expect(counted).toEqual([0, 1]);
    await program.body?.cancel();

    await expect.poll(() => counted).toEqual([0, 1, 0]);
    // A stream that nothing holds any more is ended by the collector of garbage.
    await agent.body?.cancel();
  });

  test('a token has sixteen transports: the oldest makes room for a new one, and no other token notices', async ({ stage }) => {
    const [mine, other] = [open(stage), open(stage)];
    const begin = async ({ token }: typeof mine): Promise<string> => {
      const opened = await post(stage, token, initialize);
      await opened.text();
      return opened.headers.get('mcp-session-id') ?? '';
    };
    const ping = async ({ token }: typeof mine, id: string): Promise<number> =>
      (await post(stage, token, { jsonrpc: '2.0', id: 2, method: 'ping' }, { 'mcp-session-id': id })).status;
    const others = await begin(other);
    const ids: string[] = [];
    for (let count = 0; count < 17; count += 1) ids.push(await begin(mine));

    expect(await Promise.all(ids.map((id) => ping(mine, id)))).toEqual([404, ...Array.from({ length: 16 }, () => 200)]);
    expect(await ping(other, others)).toBe(200);
  });

  test('DELETE ends the transport, and nothing is left of it', async ({ stage }) => {
    const mine = open(stage);
    const opened = await post(stage, mine.token, initialize);
    const id = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    await opened.text();

    expect((await stage.fetch('/mcp', { method: 'DELETE', token: mine.token, headers: id })).status).toBe(200);
    expect((await post(stage, mine.token, { jsonrpc: '2.0', id: 2, method: 'ping' }, id)).status).toBe(404);
  });

  test('malformed messages are refused and harm nobody', async ({ stage }) => {
    const mine = open(stage);
    for (const body of [
      null,
      1,
      'x',
      [],
      [null],
      {},
      { jsonrpc: '1.0' },
      { jsonrpc: '2.0', method: 1 },
      { jsonrpc: '2.0', id: {}, method: 'x' },
      { id: 1, result: {} },
    ]) {
      const { status } = await post(stage, mine.token, body);
      expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
      expect(status, JSON.stringify(body)).toBeLessThan(500);
    }

    const { client } = await connectV1(stage, mine.headers);
    expect((await client.listTools()).tools).toHaveLength(3);
  });
});

describe('/mcp for a client that asks for sets of tools', () => {
  const CHROME = ['chrome_navigate', 'chrome_read_page', 'chrome_computer', 'chrome_click_element'];

  test('serves another product’s names from the same code, in both eras', async ({ stage }) => {
    const { headers, sessionId } = open(stage);
    const { client: earlier } = await connectV1(stage, headers, '/mcp?tools=chrome');
    const todays = await connectV2(stage, headers, '/mcp?tools=chrome');

    for (const client of [earlier, todays]) {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(CHROME);
      expect(client.getInstructions()).toContain('Look with chrome_read_page');
      expect((await client.callTool({ name: 'chrome_read_page', arguments: { refId: 'e3' } })).content).toEqual([
        { type: 'text', text: 'done' },
      ]);
      await expect(client.callTool({ name: 'browser_snapshot' })).rejects.toMatchObject({ code: -32_602 });
    }
    expect(stage.bridge.calls).toMatchObject([
      { sessionId, name: 'browser_snapshot', args: { target: 'e3' } },
      { sessionId, name: 'browser_snapshot', args: { target: 'e3' } },
    ]);
  });

  test('serves several together, and the default one to who asks for none', async ({ stage }) => {
    const { headers } = open(stage);

    const both = await connectV2(stage, headers, '/mcp?tools=default,chrome');
    const none = await connectV2(stage, headers);

    expect((await both.listTools()).tools.map(({ name }) => name)).toEqual([
      'browser_snapshot',
      'browser_navigate',
      'browser_click',
      ...CHROME,
    ]);
    expect((await none.listTools()).tools.map(({ name }) => name)).toEqual(['browser_snapshot', 'browser_navigate', 'browser_click']);
  });

  test('says which sets there are', async ({ stage }) => {
    const { token } = open(stage);

    const response = await stage.fetch('/mcp?tools=crome', {
      method: 'POST',
      token,
      body: initialize,
      headers: { accept: 'application/json, text/event-stream' },
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('crome is no set of tools; there are default, chrome') },
    });
  });
});

describe('/mcp for a client of today’s revision', () => {
  test('is discovered at once and needs no session', async ({ stage }) => {
    const client = await connectV2(stage, open(stage).headers);

    const { tools } = await client.listTools();

    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(tools.map(({ name }) => name)).toEqual(['browser_snapshot', 'browser_navigate', 'browser_click']);
    expect(client.getInstructions()).toContain('off limits');
  });

  test('an unknown tool is an error of the protocol', async ({ stage }) => {
    const client = await connectV2(stage, open(stage).headers);

    for (const name of UNKNOWN_TOOLS) await expect(client.callTool({ name })).rejects.toMatchObject(INVALID_TOOL);
    expect(stage.bridge.calls).toEqual([]);
  });

  test('calls, with progress', async ({ stage }) => {
    const mine = open(stage);
    const client = await connectV2(stage, mine.headers);
    stage.bridge.onCall((_, { onProgress }) => {
      onProgress?.({ progress: 1, message: 'Half way.' });
      return Promise.resolve({ content: [{ type: 'text', text: 'there' }] });
    });
    const messages: (string | undefined)[] = [];

    const result = await client.callTool({ name: 'browser_snapshot' }, { onprogress: ({ message }) => messages.push(message) });

    expect(result.content).toEqual([{ type: 'text', text: 'there' }]);
    expect(messages).toEqual(['Half way.']);
    expect(stage.bridge.calls).toMatchObject([{ sessionId: mine.sessionId }]);
  });

  test('a call whose connection goes away is cancelled in the browser', async ({ stage }) => {
    const client = await connectV2(stage, open(stage).headers);
    const cancelled = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    stage.bridge.onCall((_, { signal }) => {
      started.resolve();
      return once(signal, 'abort').then(() => {
        cancelled.resolve();
        return { content: [] };
      });
    });
    const abort = new AbortController();

    const call = client.callTool({ name: 'browser_snapshot' }, { signal: abort.signal }).catch(() => 'given up');
    await started.promise;
    abort.abort();

    await cancelled.promise;
    expect(await call).toBe('given up');
  });

  test('an era-switching client that probes first gets its answer without a session', async ({ stage }) => {
    const response = await post(
      stage,
      open(stage).token,
      { jsonrpc: '2.0', id: 'server-discover-probe-1', method: 'server/discover', params: {} },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
    );

    expect(response.status).toBeLessThan(500);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 'server-discover-probe-1' });
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test as plain, vi } from 'vitest';
import type { StateEvent } from '#protocol/api.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { Preparing } from '#protocol/health.ts';
import { CallId, ItemId, RequestId, SessionId } from '#protocol/ids.ts';
import { createClient, type Client, type Resync, type StreamState } from '#companion/client/client.ts';
import type { OnDaemonEnd } from '#companion/reach/reach-daemon.ts';
import { toHealth } from '#companion/server/health.ts';
import { aProject, aTrustedProject, turn } from '#test/unit/server/room-doubles.ts';
import { startStage, test as base } from '#test/unit/server/stage.ts';

const test = base.extend<{ client: Client }>({
  client: async ({ stage }, use) => {
    const client = createClient({ paths: { socket: stage.server.socket, daemonLog: '' }, start: () => {} });
    await use(client);
    await client.close();
  },
});

const unixServer = async (listener: Parameters<typeof createServer>[1]): Promise<{ server: Server; socket: string }> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
  const socket = path.join(folder, 's');
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { server, socket };
};

const clientOf = (socket: string, start: (onEnd: OnDaemonEnd) => void = () => {}): Client => {
  const client = createClient({ paths: { socket, daemonLog: '/x/daemon.log' }, start });
  onTestFinished(() => client.close());
  return client;
};

describe('the client', () => {
  test.for([true, false])('waits for a daemon that is not ready for as long as it says what it does (%s)', async (says) => {
    const told: Preparing[] = [];
    let asked = 0;
    const { socket } = await unixServer((_, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      const preparing = says ? { step: 'read' as const, done: asked, total: 9 } : null;
      response.end(JSON.stringify(toHealth(true, asked === 4 ? 56_889 : null, asked === 4 ? null : preparing)));
    });
    // Each look at the clock is five minutes later.
    let now = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => (now += 300_000));
    onTestFinished(() => void vi.restoreAllMocks());

    const answer = clientOf(socket).connect({ start: true, onPreparing: (preparing) => told.push(preparing) });

    if (says) expect(await answer).toMatchObject({ port: 56_889 });
    else await expect(answer).rejects.toMatchObject({ code: 'DAEMON_START_FAILED' });
    expect(told.map(({ done }) => done)).toEqual(says ? [1, 2, 3] : []);
  });

  test('reaches the daemon by its private socket', async ({ stage, client }) => {
    expect(await client.connect({ start: false })).toMatchObject({ pid: process.pid, port: stage.server.port });
    expect(await client.status()).toMatchObject({ isRunning: true });
    expect(await client.projects.list()).toEqual([aProject]);
    expect(await client.projects.defaultWorkspace()).toBe('/home/somebody/Pilotfish');
    expect(await client.engines.refresh('claude')).toMatchObject([{ name: 'claude' }]);
    expect(await client.roots.add('/srv')).toEqual(['/srv']);
    expect(await client.roots.remove('/srv')).toEqual([]);
    expect(await client.grants.list()).toEqual([]);
    expect(await client.trusted.list()).toEqual([aTrustedProject]);
    expect(await client.trusted.revoke(aTrustedProject.path)).toEqual([]);
  });

  test('makes, prompts, changes, reads, cancels and removes a session', async ({ stage, client }) => {
    const { id } = await client.sessions.create(aProject.id, { engineName: 'claude', name: 'Mine' });
    const { turnId } = await client.startTurn(id, { text: 'Hello' });
    stage.sessions.emit(id, ...turn('x').started().slice(1), turn('x').delta('Hi.'));
    await client.sessions.update(id, { name: 'Yours' });
    await client.answer(id, RequestId.parse('request_1'), { optionId: 'once' });
    await client.cancel(id);
    const read = await client.readTask(id, ItemId.parse('item_1'));
    await client.stopTask(id, ItemId.parse('item_1'));

    expect(read).toEqual({ text: 'so far', totalBytes: 6, isTruncated: false });
    await expect(client.readTask(id, ItemId.parse('other'))).rejects.toMatchObject({ code: 'TASK_NOT_RUNNING' });
    expect(turnId).toBe('turn_1');
    expect(await client.sessions.list()).toMatchObject([{ id, name: 'Yours' }]);
    expect(await client.sessions.read(id)).toMatchObject({ items: [{ body: { text: 'Hi.' } }] });
    await client.sessions.reset(id);
    await client.sessions.remove(id);
    expect(await client.sessions.list()).toEqual([]);
    expect(stage.sessions.commands.map(({ type }) => type)).toEqual([
      'session.create',
      'turn.start',
      'session.update',
      'request.answer',
      'turn.cancel',
      'task.stop',
      'session.reset',
      'session.delete',
    ]);
  });

  test('gives the daemon’s errors as they were thrown there', async ({ client }) => {
    const error: unknown = await client.startTurn(SessionId.parse('session_none'), { text: 'x' }).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: 'CompanionError', code: 'SESSION_NOT_FOUND', remedy: expect.stringContaining('Choose a session') });
  });

  plain('says that no daemon runs', async () => {
    await expect(clientOf('/nowhere/at/all').connect({ start: false })).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
  });

  plain('many calls that miss the daemon start one, and another one where that one ends', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
    const socket = path.join(folder, 's');
    const server = createServer((_, response) => response.end(JSON.stringify(toHealth(true, 7))));
    onTestFinished(() => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    });
    let starts = 0;
    const client = clientOf(socket, (onEnd) => {
      starts += 1;
      if (starts === 1) setTimeout(() => onEnd(false, null), 30);
      else server.listen(socket);
    });

    const all = await Promise.all(Array.from({ length: 20 }, () => client.connect({ start: true })));

    expect(all).toHaveLength(20);
    expect(starts).toBe(2);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await client.connect({ start: true });
    expect(starts).toBe(3);
  });

  plain('starts the daemon once and waits until it answers', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
    const socket = path.join(folder, 's');
    const server = createServer((_, response) => response.end(JSON.stringify(toHealth(true, 7))));
    let starts = 0;
    const client = clientOf(socket, () => {
      starts += 1;
      setTimeout(() => server.listen(socket), 60);
    });

    expect(await client.connect({ start: true })).toMatchObject({ port: 7 });
    expect(starts).toBe(1);

    await new Promise((resolve) => server.close(resolve).closeAllConnections());
    rmSync(folder, { recursive: true, force: true });
  });

  plain('starts another one when the first found the place taken by one that is gone since', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
    const socket = path.join(folder, 's');
    const server = createServer((_, response) => response.end(JSON.stringify(toHealth(true, 7))));
    let starts = 0;
    const client = clientOf(socket, (onEnd) => {
      starts += 1;
      if (starts === 1) onEnd(false, null);
      else server.listen(socket);
    });

    expect(await client.connect({ start: true })).toMatchObject({ port: 7 });
    expect(starts).toBe(2);

    await new Promise((resolve) => server.close(resolve).closeAllConnections());
    rmSync(folder, { recursive: true, force: true });
  });

  plain('gives up waiting when it is told to', async () => {
    const abort = new AbortController();
    const connecting = clientOf('/nowhere/at/all', () => abort.abort(new Error('enough'))).connect({ start: true, signal: abort.signal });

    await expect(connecting).rejects.toThrow('enough');
  });

  plain('refuses a daemon that does not understand it, and says which of the two is too old', async () => {
    const connectTo = async (health: object): Promise<unknown> => {
      const { socket } = await unixServer((_, response) =>
        response.end(JSON.stringify({ ...toHealth(true, 7), version: '9.9', ...health })),
      );
      return clientOf(socket).connect({ start: true });
    };

    await expect(connectTo({ protocol: 0, oldest: undefined })).rejects.toMatchObject({
      code: 'DAEMON_TOO_OLD',
      message: expect.stringContaining('9.9'),
    });
    await expect(connectTo({ protocol: 9, oldest: 9 })).rejects.toMatchObject({
      code: 'PROGRAM_TOO_OLD',
      message: expect.stringContaining('9.9'),
    });
    expect(await connectTo({ protocol: 9, oldest: 1 })).toMatchObject({ version: '9.9' });
  });

  test('calls a tool for a session of its own, with progress', async ({ stage, client }) => {
    stage.bridge.onCall((_, { onProgress }) => {
      onProgress?.({ progress: 1, message: 'Half way.' });
      return Promise.resolve({ content: [{ type: 'text', text: 'ü'.repeat(100_000) }] });
    });
    const messages: (string | undefined)[] = [];

    const sessionId = await client.openMcpSession({ clientName: 'editor', clientVersion: '3' });
    const result = await client.callTool(
      sessionId,
      { callId: CallId.parse('call_1'), name: 'browser_snapshot', arguments: { depth: 1 } },
      { signal: new AbortController().signal, onProgress: ({ message }) => messages.push(message) },
    );

    expect(result.content).toEqual([{ type: 'text', text: 'ü'.repeat(100_000) }]);
    expect(messages).toEqual(['Half way.']);
    await expect.poll(() => stage.server.streamCount()).toBe(1);
    expect(stage.sessions.list()).toMatchObject([{ id: sessionId, kind: 'client', name: 'editor 3' }]);
    expect(stage.bridge.started).toEqual([sessionId]);
    await client.closeMcpSession(sessionId);
    await expect.poll(() => stage.bridge.started).toEqual([]);
  });

  test('a client that dies takes its session along', async ({ stage }) => {
    const mortal = createClient({ paths: { socket: stage.server.socket, daemonLog: '' }, start: () => {} });
    const sessionId = await mortal.openMcpSession({ clientName: 'editor', clientVersion: '3' });
    await expect.poll(() => stage.server.streamCount()).toBe(1);
    expect(stage.bridge.started).toEqual([sessionId]);

    await mortal.close();

    await expect.poll(() => stage.bridge.started).toEqual([]);
  });

  test('a session that is opened again with its key is held once, and let go of', async ({ stage }) => {
    const returning = createClient({ paths: { socket: stage.server.socket, daemonLog: '' }, start: () => {} });
    const open = () => returning.openMcpSession({ clientName: 'editor', clientVersion: '3', key: 'k'.repeat(32) });
    const sessionId = await open();
    await expect.poll(() => stage.server.streamCount()).toBe(1);

    expect(await Promise.all([open(), open()])).toEqual([sessionId, sessionId]);
    await returning.closeMcpSession(sessionId);
    await expect.poll(() => stage.server.streamCount()).toBe(0);
    await returning.close();
  });

  test('a session is held as long as its daemon is there', async ({ stage, client }) => {
    const sessionId = await client.openMcpSession({ clientName: 'editor', clientVersion: '3' });

    await expect.poll(() => client.isMcpSessionHeld(sessionId)).toBe(true);
    expect(client.isMcpSessionHeld(SessionId.parse('session_other'))).toBe(false);
    await stage.server.close();
    await expect.poll(() => client.isMcpSessionHeld(sessionId)).toBe(false);
  });

  test('the answer to a call comes in one piece, and is begun before where that takes longer', async ({ stage, client }) => {
    const sessionId = await client.openMcpSession({ clientName: 'editor', clientVersion: '3' });
    const callWith = async (callId: string): Promise<IncomingMessage> => {
      const sending = request({
        socketPath: stage.server.socket,
        path: `/api/mcp-sessions/${sessionId}/call`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      sending.end(JSON.stringify({ callId, name: 'browser_snapshot', arguments: {} }));
      const [answer] = (await once(sending, 'response')) as [IncomingMessage];
      return answer;
    };

    stage.bridge.onCall(() => Promise.resolve({ content: [] }));
    const quick = await callWith('call_1');
    const whole = await text(quick);
    expect(quick.headers['content-length']).toBe(String(whole.length));
    expect(JSON.parse(whole)).toMatchObject({ result: { content: [] } });

    const { promise, resolve } = Promise.withResolvers<void>();
    stage.bridge.onCall(async () => {
      await promise;
      return { content: [] };
    });
    const slow = await callWith('call_2');
    resolve();
    expect(slow.headers).not.toHaveProperty('content-length');
    expect(JSON.parse(await text(slow))).toMatchObject({ result: { content: [] } });
  });

  test('the calls of a session come on one connection, each with its own answer', async ({ stage, client }) => {
    const held = Promise.withResolvers<void>();
    stage.bridge.onCall(async ({ args }) => {
      if (args['depth'] === 1) await held.promise;
      return { content: [{ type: 'text', text: String(args['depth']) }] };
    });
    const sessionId = await client.openMcpSession({ clientName: 'editor', clientVersion: '3' });
    const call = (depth: number) =>
      client.callTool(
        sessionId,
        { callId: `call_${depth}`, name: 'browser_snapshot', arguments: { depth } },
        { signal: new AbortController().signal },
      );
    const first = call(1);
    const others = await Promise.all([call(2), call(3)]);
    // What the daemon cannot take of one call is told of that one.
    const wrong = client.callTool(
      sessionId,
      { callId: 'call_4', name: 'n'.repeat(201), arguments: {} },
      { signal: new AbortController().signal },
    );
    await expect(wrong).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    held.resolve();

    expect(others.map(({ content }) => content[0]?.['text'])).toEqual(['2', '3']);
    expect((await first).content[0]?.['text']).toBe('1');
    expect(stage.logged.filter(({ event }) => event === 'request').map(({ fields }) => fields['path'])).toEqual(['/api/mcp-sessions']);
  });

  test('a call whose daemon ends is told as cut off', async ({ stage, client }) => {
    const started = Promise.withResolvers<void>();
    stage.bridge.onCall(async (_, { signal }) => {
      started.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { content: [] };
    });
    const sessionId = await client.openMcpSession({ clientName: 'editor', clientVersion: '3' });
    const call = client.callTool(
      sessionId,
      { callId: 'call_1', name: 'browser_snapshot', arguments: {} },
      { signal: new AbortController().signal },
    );
    const outcome = expect(call).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING', wasSent: true });
    await started.promise;
    await stage.server.close();
    await outcome;
  });

  plain('a daemon that knows of no such connection gets each call as a request', async () => {
    const asked: string[] = [];
    const { socket } = await unixServer((incoming, response) => {
      asked.push(`${incoming.method} ${incoming.url}`);
      const isCall = incoming.method === 'POST';
      response.writeHead(isCall ? 200 : 404);
      const answer = isCall ? { result: { content: [] } } : toErrorBody(new CompanionError('ROUTE_NOT_FOUND'));
      response.end(`${JSON.stringify(answer)}\n`);
    });
    const call = { callId: 'call_1', name: 'browser_click', arguments: {} };

    expect(await clientOf(socket).callTool(SessionId.parse('session_1'), call, { signal: new AbortController().signal })).toEqual({
      content: [],
    });
    expect(asked).toEqual(['GET /api/mcp-sessions/session_1/call', 'POST /api/mcp-sessions/session_1/call']);
  });

  plain('of a later daemon a call that is told of in other words has an end, and the one after it its result', async () => {
    const { server, socket } = await unixServer(() => {});
    server.on('upgrade', (_, connection) => {
      connection.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: pilotfish-calls\r\n\r\n');
      connection.on('data', (bytes) => {
        for (const line of String(bytes).trim().split('\n')) {
          const { callId } = JSON.parse(line) as { callId: string };
          const tell = (told: object): void => void connection.write(`${JSON.stringify({ callId, told })}\n`);
          tell({ picture: 'of the page' });
          tell({ result: callId === 'call_1' ? { parts: [] } : { content: [] } });
        }
      });
    });
    const client = clientOf(socket);
    const call = (callId: string) =>
      client.callTool(
        SessionId.parse('session_1'),
        { callId, name: 'browser_click', arguments: {} },
        { signal: new AbortController().signal },
      );

    await expect(call('call_1')).rejects.toMatchObject({ code: 'FRAME_INVALID', remedy: expect.stringContaining('Look at the page') });
    expect(await call('call_2')).toEqual({ content: [] });
  });

  plain('a daemon that takes a call and says nothing hangs', async () => {
    const said = Promise.withResolvers<void>();
    const { server, socket } = await unixServer(() => {});
    server.on('upgrade', (_, connection) => {
      connection.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: pilotfish-calls\r\n\r\n');
      connection.once('data', () => said.resolve());
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const call = { callId: 'call_1', name: 'browser_click', arguments: {} };
    const answer = clientOf(socket).callTool(SessionId.parse('session_1'), call, { signal: new AbortController().signal });
    const outcome = expect(answer).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING', wasSent: true });

    await said.promise;
    vi.advanceTimersByTime(5_000);
    await outcome;
  });

  plain('a client whose daemon was killed is known to the next one before it calls, and ends there', async () => {
    const asked: string[] = [];
    let isKnown = false;
    const { socket } = await unixServer(async (request, response) => {
      const body: Buffer[] = [];
      for await (const chunk of request) body.push(chunk as Buffer);
      const isBack = Buffer.concat(body).toString().includes('"isBack":true');
      asked.push(`${request.method} ${request.url}${isBack ? ' back' : ''}`);
      const isOpening = request.method === 'POST';
      const error = isOpening || isKnown ? null : toErrorBody(new CompanionError('SESSION_NOT_FOUND'));
      isKnown ||= isBack;
      response.writeHead(error === null ? (isOpening ? 201 : 200) : 404, {
        'content-type': request.url?.endsWith('/hold') === true && error === null ? 'text/event-stream' : 'application/json',
      });
      if (error !== null) response.end(JSON.stringify(error));
      else if (isOpening) response.end(JSON.stringify({ sessionId: 'session_1' }));
      else if (request.method === 'DELETE') response.end('{}');
      else response.flushHeaders();
    });
    const client = clientOf(socket);

    const sessionId = await client.openMcpSession({ clientName: 'editor', clientVersion: '3', key: 'k'.repeat(32) });
    await expect.poll(() => asked.length).toBe(4);
    await client.closeMcpSession(sessionId);

    const [post, hold] = ['POST /api/mcp-sessions', 'GET /api/mcp-sessions/session_1/hold'];
    expect(asked).toEqual([post, hold, `${post} back`, hold, 'DELETE /api/mcp-sessions/session_1']);
  });

  test('a session that is not there any more is not made for a client that is only back', async ({ stage, client }) => {
    const back = { clientName: 'editor', clientVersion: '3', key: 'k'.repeat(32), isBack: true };

    await expect(client.openMcpSession(back)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(stage.sessions.list()).toEqual([]);
  });

  plain('what clients have left that did not come back to this daemon ends in the browsers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { stage, stop } = await startStage();
    const [left, agents] = [stage.sessions.create({ kind: 'client' }), stage.sessions.create()];
    for (const id of [left, agents]) stage.bridge.sessionStarted(id);
    const client = clientOf(stage.server.socket);
    const met = await client.openMcpSession({ clientName: 'editor', clientVersion: '3' });

    vi.advanceTimersByTime(60_000);

    expect(stage.bridge.started).toEqual([agents, met]);
    await client.close();
    await stop();
  });

  test('a call that is given up is cancelled in the browser', async ({ stage, client }) => {
    const started = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    stage.bridge.onCall(async (_, { signal }) => {
      started.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      cancelled.resolve();
      return { content: [] };
    });
    const sessionId = await client.openMcpSession({ clientName: 'editor', clientVersion: '3' });
    const abort = new AbortController();
    const call = client.callTool(sessionId, { callId: 'call_1', name: 'browser_snapshot', arguments: {} }, { signal: abort.signal });

    await started.promise;
    abort.abort();

    await expect(call).rejects.toThrow();
    await cancelled.promise;
  });

  plain('a call says whether a daemon may have had it that is gone', async () => {
    const { socket } = await unixServer((request, response) => {
      if (request.method === 'POST') response.destroy();
      else response.end(JSON.stringify(toHealth(true, 7)));
    });
    const call = { callId: CallId.parse('call_1'), name: 'browser_click', arguments: {} };
    const callAt = (path: string) => clientOf(path).callTool(SessionId.parse('session_1'), call, { signal: new AbortController().signal });

    await expect(callAt(socket)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING', wasSent: true });
    await expect(callAt(`${socket}-none`)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING', wasSent: false });
  });

  test('an agent’s session is no door for calls from outside', async ({ stage, client }) => {
    const sessionId = stage.sessions.create();
    const call = { callId: 'call_1', name: 'browser_snapshot', arguments: {} };

    await expect(client.callTool(sessionId, call, { signal: new AbortController().signal })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  test('prints configurations that work', async ({ stage, client }) => {
    const config = (await client.mcpConfig('http')) as { mcpServers: { pilotfish: { url: string; headers: { Authorization: string } } } };
    const { url, headers } = config.mcpServers.pilotfish;
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };

    expect(url).toBe(`${stage.base}/mcp`);
    // A configuration that was only printed is in nobody's list.
    expect(await client.sessions.list()).toEqual([]);
    expect((await stage.fetch('/mcp', { method: 'POST', body, token: headers.Authorization.slice(7) })).status).toBe(400);
    expect(await client.sessions.list()).toMatchObject([{ kind: 'client' }]);
    expect(await client.mcpConfig('stdio')).toMatchObject({ mcpServers: { pilotfish: { type: 'stdio' } } });
  });

  test('names the session of a client over HTTP as it calls itself, whichever revision it speaks', async ({ stage, client }) => {
    const info = { name: 'editor\u202e', version: '3' };
    const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': info };
    const firsts = [
      { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: info } },
      { method: 'tools/list', params: { _meta: { ...modern, 'io.modelcontextprotocol/clientCapabilities': {} } } },
      { method: 'ping' },
    ];

    for (const first of firsts) {
      const { mcpServers } = (await client.mcpConfig('http')) as { mcpServers: { pilotfish: { headers: { Authorization: string } } } };
      const token = mcpServers.pilotfish.headers.Authorization.slice(7);
      await stage.fetch('/mcp', { method: 'POST', body: { jsonrpc: '2.0', id: 1, ...first }, token });
    }

    expect((await client.sessions.list()).map(({ name }) => name).toSorted()).toEqual([
      'MCP client',
      'editor⟨U+202E⟩ 3',
      'editor⟨U+202E⟩ 3',
    ]);
  });
});

describe('a stream that is followed', () => {
  test('goes on after each break with what came after', async ({ stage, client }) => {
    const sessionId = stage.sessions.create();
    const { started, delta } = turn('a');
    stage.sessions.emit(sessionId, ...started());
    const abort = new AbortController();
    const seqs: number[] = [];
    const states: string[] = [];
    let last: string | null = null;

    const following = client.streamSession(
      sessionId,
      'epoch1-1',
      (event, cursor) => {
        seqs.push((event as SessionEvent).seq);
        last = cursor;
        if (seqs.length === 22) abort.abort();
      },
      abort.signal,
      ({ state }) => states.push(state),
    );
    for (let index = 0; index < 20; index += 1) {
      await expect.poll(() => seqs.length).toBe(index + 2);
      stage.sessions.emit(sessionId, delta(String(index)));
    }
    await following;

    expect(seqs).toEqual(Array.from({ length: 22 }, (_, index) => index + 2));
    expect(last).toBe('epoch1-23');
    expect(states).toEqual(['live']);
  });

  plain('resumes from its last id over a server that hangs up after each event, and tells a resync', async () => {
    const cursors: (string | undefined)[] = [];
    const { socket } = await unixServer((request, response) => {
      cursors.push(request.headers['last-event-id']?.toString());
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const seq = cursors.length;
      if (seq === 3) response.end(`id: e2-0\nevent: resync\ndata: ${JSON.stringify({ type: 'resync', reason: 'epoch', epoch: 'e2' })}\n\n`);
      else
        response.end(
          `id: e${seq > 3 ? 2 : 1}-${seq}\ndata: ${JSON.stringify({ type: 'session.reset', sessionId: 's', seq, at: 1 })}\n\nid: lost\ndata: cut`,
        );
    });
    const abort = new AbortController();
    const events: (SessionEvent | Resync)[] = [];
    const states: StreamState[] = [];

    await clientOf(socket).streamSession(
      SessionId.parse('s'),
      null,
      (event) => {
        events.push(event);
        if (events.length === 5) abort.abort();
      },
      abort.signal,
      (state) => states.push(state),
    );

    expect(cursors).toEqual([undefined, 'e1-1', 'e1-2', 'e2-0', 'e2-4']);
    expect(events.map(({ type }) => type)).toEqual(['session.reset', 'session.reset', 'resync', 'session.reset', 'session.reset']);
    expect(states.filter(({ state }) => state === 'waiting')).toHaveLength(4);
  });

  plain('leaves out an event that only a later version knows, and ends with the cause when one cannot be taken', async () => {
    const { socket } = await unixServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const events = [{ type: 'moon.risen' }, { type: 'run.changed', state: 'dreaming' }, { type: 'session.reset' }];
      const lines = events.map(
        (event, seq) => `id: e1-${seq + 1}\ndata: ${JSON.stringify({ ...event, sessionId: 's', seq: seq + 1, at: 1 })}\n\n`,
      );
      response.write(lines.join(''));
    });
    const types: string[] = [];

    const following = clientOf(socket).streamSession(
      SessionId.parse('s'),
      null,
      ({ type }) => {
        types.push(type);
        throw new RangeError('too much');
      },
      new AbortController().signal,
    );

    await expect(following).rejects.toMatchObject({ code: 'FRAME_INVALID', cause: { message: 'too much' } });
    expect(types).toEqual(['session.reset']);
  });

  test('of a session that does not exist says so', async ({ client }) => {
    const following = client.streamSession(SessionId.parse('session_none'), null, () => {}, new AbortController().signal);

    await expect(following).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('of state gives each list', async ({ client }) => {
    const abort = new AbortController();
    const types: StateEvent['type'][] = [];

    await client.streamState((event) => {
      types.push(event.type);
      if (types.length === 4) abort.abort();
    }, abort.signal);

    expect(types).toEqual(['sessions', 'projects', 'engines', 'browsers']);
  });
});

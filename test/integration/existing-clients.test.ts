/** Clients that know our documents only, at the built executable: their addresses, bodies, events and frames, word for word. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { EventSource } from 'undici';
import { describe, expect } from 'vitest';
import { WebSocket } from 'ws';
import * as z from 'zod';
import type { Companion } from '#test/fixtures/companion.ts';
import { createOpenApiClient } from '#test/fixtures/openapi-client.ts';
import { createSocketClient } from '#test/fixtures/socket-client.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';

const AGENT = path.join(import.meta.dirname, '..', 'fixtures', 'echo-agent-double.sh');
const TEXT = Buffer.from('hello').toString('base64');

/** A daemon with two agents that repeat what they are told, and a project. */
const open = async (companion: Companion) => {
  const agent = (name: string) => ({ name, command: '/bin/bash', args: [AGENT, path.join(companion.home.dir, 'notes')], dialect: 'acp' });
  companion.writeSettings({ engines: { byName: {}, custom: [agent('echo'), agent('other')] } });
  await companion.startDaemon();
  const { port } = (await companion.api.send('GET', '/api/status')).json as { port: number };
  const rootPath = path.join(companion.home.dir, 'project');
  mkdirSync(rootPath, { recursive: true });
  return { port, rootPath, ticket: (address: string) => ticketFor(companion, address) };
};

const ticketFor = async (companion: Companion, address: string): Promise<string> =>
  ((await companion.api.send('POST', '/api/tickets', { path: address })).json as { ticket: string }).ticket;

const json = async <T>(companion: Companion, method: string, address: string, body?: unknown): Promise<T> => {
  const answer = await companion.api.send(method, address, body);
  if (answer.status >= 300) throw new Error(`${method} ${address}: ${answer.status} ${answer.text}`);
  return answer.json as T;
};

const Message = z.object({
  id: z.string(),
  sessionId: z.string(),
  conversationId: z.string(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  content: z.string(),
  messageType: z.enum(['chat', 'tool_use', 'tool_result', 'status']),
  cliSource: z.string(),
  requestId: z.string(),
  isStreaming: z.boolean().optional(),
  isFinal: z.boolean().optional(),
  createdAt: z.iso.datetime(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** Beside the document. */
  projectId: z.string(),
});
/** The events of the document; further kinds are left alone by its clients. */
const Realtime = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), data: Message }),
  z.object({
    type: z.literal('status'),
    data: z.object({
      sessionId: z.string(),
      status: z.enum(['starting', 'ready', 'running', 'completed', 'error', 'cancelled']),
      requestId: z.string().optional(),
    }),
  }),
  z.object({ type: z.literal('error'), error: z.string() }),
  z.object({
    type: z.literal('connected'),
    data: z.object({ sessionId: z.string(), transport: z.enum(['sse', 'websocket']), timestamp: z.iso.datetime() }),
  }),
  z.object({ type: z.literal('heartbeat'), data: z.object({ timestamp: z.iso.datetime() }) }),
]);
const KINDS = new Set(['message', 'status', 'error', 'connected', 'heartbeat']);

describe('a client of /agent/chat', () => {
  test('opens a plain EventSource before its first prompt, and has the whole conversation in onmessage', async ({ companion }) => {
    const { port, rootPath, ticket } = await open(companion);
    const { project } = await json<{ project: { id: string } }>(companion, 'POST', '/agent/projects', { name: 'Shop', rootPath });
    const address = '/agent/chat/chat-of-mine/stream';
    const events: z.output<typeof Realtime>[] = [];
    const source = new EventSource(`http://127.0.0.1:${port}${address}?ticket=${await ticket(address)}`);
    source.onmessage = ({ data }) => {
      const event = JSON.parse(String(data)) as { type: string };
      if (KINDS.has(event.type)) events.push(Realtime.parse(event));
    };
    await until(() => events.some(({ type }) => type === 'connected'), { what: 'the stream' });

    const accepted = await json<{ requestId: string }>(companion, 'POST', '/agent/chat/chat-of-mine/act', {
      instruction: 'say hello',
      cliPreference: 'echo',
      projectId: project.id,
      attachments: [{ type: 'file', name: 'a.txt', mimeType: 'text/plain', dataBase64: TEXT }],
    });
    const { requestId } = accepted;
    expect(accepted).toEqual({ requestId: expect.any(String), sessionId: 'chat-of-mine', status: 'accepted' });
    await until(() => events.some((event) => event.type === 'status' && event.data.status === 'completed'), { what: 'the answer' });
    source.close();

    const messages = new Map(events.flatMap((event) => (event.type === 'message' ? [[event.data.id, event.data] as const] : [])));
    expect([...messages.values()]).toMatchObject([
      { role: 'user', content: 'say hello', messageType: 'chat', conversationId: 'chat-of-mine', requestId, isFinal: true },
      { role: 'assistant', content: expect.stringContaining('echo'), cliSource: 'echo', requestId, isFinal: true },
    ]);
    const statuses = events.flatMap((event) => (event.type === 'status' ? [event.data.status] : []));
    expect(statuses.filter((status) => status !== 'ready')).toEqual(expect.arrayContaining(['starting', 'running', 'completed']));
    const history = await json<{ messages: unknown[] }>(companion, 'GET', '/agent/chat/chat-of-mine/history');
    expect(history.messages).toEqual([...messages.values()]);
    const ofProject = await json(companion, 'GET', `/agent/chat/${project.id}/messages?limit=200&offset=0`);
    expect(ofProject).toMatchObject({ success: true, totalCount: 2, pagination: { limit: 200, offset: 0, count: 2, hasMore: false } });

    // Another agent goes on in a session of its own, which has what was attached.
    const again = { instruction: 'say more', cliPreference: 'other', requestId: 'second' };
    const other = await json<{ sessionId: string }>(companion, 'POST', '/agent/chat/chat-of-mine/act', again);
    expect(other).toMatchObject({ requestId: 'second', status: 'accepted', forkedFrom: 'chat-of-mine' });
    expect(await json(companion, 'POST', '/agent/chat/chat-of-mine/act', again)).toEqual(other);
    const copied = await json<{ messages: { metadata?: { attachments?: { attachmentId: string }[] } }[] }>(
      companion,
      'GET',
      `/agent/sessions/${other.sessionId}/history`,
    );
    const [attached] = copied.messages[0]?.metadata?.attachments ?? [];
    await json(companion, 'DELETE', '/api/agent-sessions/chat-of-mine?forever=true');
    const bytes = await companion.api.send('GET', `/api/agent-sessions/${other.sessionId}/attachments/${attached?.attachmentId ?? ''}`);
    expect([bytes.status, bytes.text]).toEqual([200, 'hello']);
  });
});

/** What the document of the second client says a socket sends. */
const Frame = z.union([
  z.object({
    JsonPatch: z.array(z.object({ op: z.enum(['add', 'replace', 'remove']), path: z.string(), value: z.unknown().optional() })),
  }),
  z.object({ Ready: z.literal(true) }),
  z.object({ finished: z.literal(true) }),
  z.object({ error: z.string() }),
]);

describe('a client of /api/agent-sessions', () => {
  test('makes a session, reads patches and writes into one socket, and is told when all is over', async ({ companion }) => {
    const { port, rootPath, ticket } = await open(companion);
    const { project } = await json<{ project: { id: string } }>(companion, 'POST', '/agent/projects', {
      name: 'Shop',
      rootPath,
      preferredCli: 'echo',
    });
    const ofProject = `/api/projects/${project.id}/agent-sessions`;
    const { session } = await json<{ session: { id: string } }>(companion, 'POST', ofProject, {});
    const address = `/api/agent-sessions/${session.id}`;
    const socketAddress = `${address}/stream`;
    const socket = new WebSocket(`ws://127.0.0.1:${port}${socketAddress}?ticket=${await ticket(socketAddress)}`);
    const frames: z.output<typeof Frame>[] = [];
    socket.on('message', (data) => frames.push(Frame.parse(JSON.parse(Buffer.isBuffer(data) ? data.toString() : ''))));
    await until(() => frames.some((frame) => 'Ready' in frame), { what: 'the history' });

    socket.send(JSON.stringify({ content: '' }));
    await until(() => frames.some((frame) => 'error' in frame), { what: 'the refusal' });
    socket.send(JSON.stringify({ type: 'user_message', content: 'steps a 1' }));
    await until(() => frames.some((frame) => 'finished' in frame), { what: 'the end' });

    // What is new is added, what changes is replaced.
    const added = frames
      .flatMap((frame) => ('JsonPatch' in frame ? frame.JsonPatch : []))
      .filter(({ op, path: place }) => op === 'add' && place.startsWith('/entries/'));
    expect(added.map(({ path: place, value }) => [place, (value as { type: string }).type])).toEqual([
      ['/entries/0', 'user'],
      ['/entries/1', 'tool_use'],
      ['/entries/2', 'tool_result'],
      ['/entries/3', 'assistant'],
    ]);
    expect(await json(companion, 'GET', ofProject)).toMatchObject({ sessions: [{ id: session.id, projectId: project.id }] });
    expect(await json(companion, 'POST', `${address}/message`, { content: 'say again' })).toMatchObject({ status: 'accepted' });
    expect(await json(companion, 'GET', address)).toMatchObject({ sessionId: session.id, turns: [{ status: 'completed' }, {}] });
    expect((await companion.api.send('DELETE', address)).status).toBe(204);
    expect((await companion.api.send('GET', address)).status).toBe(404);
  });
});

describe('a client made from openapi.json', () => {
  test('does everything by the document alone, and every answer is what the document says', async ({ companion }) => {
    const { port, rootPath } = await open(companion);
    const loopback = createSocketClient(port);
    expect((await loopback.send('GET', '/health')).json).toEqual({
      name: 'pilotfish',
      version: expect.any(String),
      protocol: expect.any(Number),
    });
    expect((await loopback.send('GET', '/capabilities')).status).toBe(401);
    const { text } = await companion.api.send('GET', '/openapi.json');
    const api = createOpenApiClient(text, companion.api.send);

    expect(await api.call('capabilities')).toMatchObject({ features: expect.arrayContaining(['stream_ticket', 'usage']) });
    const { project } = await api.call<{ project: { id: string } }>('saveProject', { body: { name: 'Shop', rootPath } });
    const { session } = await api.call<{ session: { id: string } }>('createSession', {
      path: { projectId: project.id },
      body: { engineName: 'echo', name: 'By document' },
    });
    const one = { sessionId: session.id };
    await api.call('startTurn', { path: one, body: { text: 'say hello', turnId: 't1' } });
    await until(
      async () => (await api.call<{ turns: { status: string }[] }>('readSession', { path: one })).turns[0]?.status === 'completed',
      { what: 'the answer' },
    );
    for (const operation of [
      'status',
      'listProjects',
      'listSessions',
      'listEngines',
      'listEngineSetups',
      'readPreferences',
      'attachmentStats',
    ])
      await api.call(operation);
    for (const operation of ['readPage', 'compatReadSession', 'sessionHistory', 'sessionEngineInfo'])
      await api.call(operation, { path: one });
    expect(await api.call('readUsage', { query: { by: 'session' } })).toMatchObject({ rows: [{ sessionId: session.id, turns: 1 }] });
    await api.call('updateSession', { path: one, body: { name: null, maxTokens: 1000 } });
    const fork = await api.call<{ session: { id: string } }>('forkSession', { path: one, body: {} });
    await api.call('removeSession', { path: { sessionId: fork.session.id } });
    await expect(api.call('readSession', { path: { sessionId: 'nowhere' } })).rejects.toThrow('404');
    await expect(api.call('startTurn', { path: one, body: { words: 'x' } })).rejects.toThrow('is not what the document says');
  });
});

/** Clients that know our documents only, at the built executable: their addresses, bodies, events and frames, word for word. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EventSource } from 'undici';
import { describe, expect } from 'vitest';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { connectBrowserDouble } from '#test/fixtures/browser-double.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { hasGit, initRepository, writeFiles } from '#test/fixtures/git-repository.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { createOpenApiClient, type OpenApiClient } from '#test/fixtures/openapi-client.ts';
import { PAIR_OFFER, RemoteDown, type RemoteUp, signedText } from '#protocol/remote.ts';
import { EXTENSION_ORIGIN, LINK_PATH, LINK_PROTOCOL } from '#protocol/version.ts';
import { digestOf, makeKeyPair, newNonce, toBrowserKey } from '#extension/shared/remote-key.ts';
import type { compatRoutes } from '#companion/compat/routes.ts';
import type { routes } from '#protocol/routes.ts';
import { createSocketClient } from '#test/fixtures/socket-client.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';

const AGENT = path.join(import.meta.dirname, '..', 'fixtures', 'echo-agent-double.sh');
const TEXT = Buffer.from('hello').toString('base64');
const TEXT_FILE = { kind: 'file', name: 'a.txt', mimeType: 'text/plain', dataBase64: TEXT };

/** A daemon with two agents that repeat what they are told, and a project. */
const open = async (companion: Companion) => {
  const agent = (name: string) => ({ name, command: '/bin/bash', args: [AGENT, path.join(companion.home.dir, 'notes')], dialect: 'acp' });
  companion.writeSettings({ checkpointMs: HANG_MS, waitForBrowserMs: 0, engines: { byName: {}, custom: [agent('echo'), agent('other')] } });
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
    const { project } = await json<{ project: { id: string } }>(companion, 'POST', '/agent/projects', {
      id: 'shop-of-mine',
      name: 'Shop',
      rootPath,
    });
    expect(project.id).toBe('shop-of-mine');
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

/** A message as the document of the second client has it: these fields and no others. */
const HistoryMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['user', 'assistant', 'thinking', 'system']), content: z.string(), timestamp: z.number() }),
  z.strictObject({ type: z.literal('tool_use'), tool: z.string(), input: z.unknown(), toolUseId: z.string(), timestamp: z.number() }),
  z.strictObject({ type: z.literal('tool_result'), tool: z.string(), output: z.string(), toolUseId: z.string(), timestamp: z.number() }),
  z.strictObject({ type: z.literal('error'), message: z.string(), timestamp: z.number() }),
]);

/** What the document of the second client says a socket sends. */
const Frame = z.union([
  z.object({
    JsonPatch: z.array(z.object({ op: z.enum(['add', 'replace', 'remove']), path: z.string(), value: z.unknown().optional() })),
  }),
  z.object({ Ready: z.literal(true) }),
  z.object({ finished: z.literal(true) }),
  z.object({ error: z.string() }),
]);

const framesOf = (socket: WebSocket): z.output<typeof Frame>[] => {
  const frames: z.output<typeof Frame>[] = [];
  socket.on('message', (data) => frames.push(Frame.parse(JSON.parse(Buffer.isBuffer(data) ? data.toString() : ''))));
  return frames;
};

/** The new entries, with their places. */
const addedBy = (frames: readonly z.output<typeof Frame>[]): [string, { type: string; toolUseId?: string }][] =>
  frames
    .flatMap((frame) => ('JsonPatch' in frame ? frame.JsonPatch : []))
    .filter(({ op, path: place }) => op === 'add' && place.startsWith('/entries/'))
    .map(({ path: place, value }) => [place, value as { type: string; toolUseId?: string }]);

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
    const frames = framesOf(socket);
    await until(() => frames.some((frame) => 'Ready' in frame), { what: 'the history' });

    socket.send(JSON.stringify({ content: '' }));
    await until(() => frames.some((frame) => 'error' in frame), { what: 'the refusal' });
    socket.send(JSON.stringify({ type: 'user_message', content: 'steps a 1' }));
    await until(() => frames.some((frame) => 'finished' in frame), { what: 'the end' });

    // What is new is added, what changes is replaced.
    const firstEntries = [
      ['/entries/0', { type: 'user', content: 'steps a 1', timestamp: expect.any(Number) }],
      ['/entries/1', { type: 'tool_use', tool: expect.any(String), toolUseId: expect.any(String), timestamp: expect.any(Number) }],
      ['/entries/2', { type: 'tool_result', tool: expect.any(String), output: expect.any(String), timestamp: expect.any(Number) }],
      ['/entries/3', { type: 'assistant', timestamp: expect.any(Number) }],
    ];
    const added = addedBy(frames);
    expect(added).toMatchObject(firstEntries);
    expect(added[2]?.[1].toolUseId).toBe(added[1]?.[1].toolUseId);
    expect(await json(companion, 'GET', ofProject)).toMatchObject({ sessions: [{ id: session.id, projectId: project.id }] });
    expect(await json(companion, 'POST', `${address}/message`, { content: 'think again' })).toMatchObject({ status: 'accepted' });
    const read = () => json<{ turns: { status: string }[] }>(companion, 'GET', address);
    await until(async () => (await read()).turns[1]?.status === 'completed', { what: 'the second answer' });

    // A client that comes later finds every entry at its place, and is told of what fails.
    const later = new WebSocket(`ws://127.0.0.1:${port}${socketAddress}?ticket=${await ticket(socketAddress)}`);
    const laterFrames = framesOf(later);
    await until(() => laterFrames.some((frame) => 'Ready' in frame), { what: 'the history' });
    later.send(JSON.stringify({ type: 'user_message', content: 'fail b' }));
    await until(() => laterFrames.some((frame) => 'finished' in frame), { what: 'the end' });
    expect(addedBy(laterFrames)).toMatchObject([
      ...firstEntries,
      ['/entries/4', { type: 'user', content: 'think again' }],
      ['/entries/5', { type: 'thinking', content: 'hm', timestamp: expect.any(Number) }],
      ['/entries/6', { type: 'assistant' }],
      ['/entries/7', { type: 'user', content: 'fail b' }],
      ['/entries/8', { type: 'error', message: expect.stringContaining('no model answers'), timestamp: expect.any(Number) }],
    ]);
    expect(laterFrames.filter((frame) => 'error' in frame)).toMatchObject([{ error: expect.stringContaining('no model answers') }]);
    const detail = await json<{ messages: unknown[] }>(companion, 'GET', address);
    expect(detail).toMatchObject({
      sessionId: session.id,
      session: { id: session.id, projectId: project.id, status: 'idle', lastOutcome: 'failed' },
      turns: [{ status: 'completed' }, { status: 'completed' }, { status: 'failed' }],
    });
    const said = z.array(HistoryMessage).parse(detail.messages);
    expect(said.map(({ type }) => type)).toEqual([
      'user',
      'tool_use',
      'tool_result',
      'assistant',
      'user',
      'thinking',
      'assistant',
      'user',
      'error',
    ]);
    // The error is told once where a person reads.
    const markdown = await companion.api.send('GET', `${address}/export`);
    expect(markdown.text.split('no model answers')).toHaveLength(2);
    expect((await companion.api.send('DELETE', address)).status).toBe(204);
    expect((await companion.api.send('GET', address)).status).toBe(404);
  });
});

/** A desktop with an editor, which notes what it is given, and a dialog in which the person chooses the folder "chosen". */
const placeDesktop = (home: string): void => {
  const bin = path.join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(home, '.bash_profile'), `export PATH="$HOME/bin:$PATH" DISPLAY=:nowhere\n`);
  writeFileSync(path.join(bin, 'code'), `#!/bin/sh\nprintf '%s\\n' "$*" >> "$HOME/opened"\n`, { mode: 0o755 });
  writeFileSync(path.join(bin, 'zenity'), `#!/bin/sh\necho "$HOME/chosen"\n`, { mode: 0o755 });
  const window = '#!/bin/sh\nprintf \'%s\\n\' "$*" > "$HOME/window.part"\nmv "$HOME/window.part" "$HOME/window"\n';
  writeFileSync(path.join(bin, 'xdg-terminal-exec'), window, { mode: 0o755 });
};

/** The daemon of the document's client: a project in a repository where git is here, with one agent. */
const openByDocument = async (companion: Companion) => {
  placeDesktop(companion.home.dir);
  const opened = await open(companion);
  if (hasGit) initRepository(companion.home.dir, opened.rootPath);
  const { text } = await companion.api.send('GET', '/openapi.json');
  const api = createOpenApiClient(text, companion.api);
  const { project } = await api.call<{ project: { id: string } }>('saveProject', {
    body: { name: 'Shop', rootPath: opened.rootPath, preferredCli: 'echo' },
  });
  const isDone = (sessionId: string, turns: number) =>
    until(
      async () => {
        const { turns: found } = await api.call<{ turns: { status: string }[] }>('readSession', { path: { sessionId } });
        return found.length === turns && found.every(({ status }) => status === 'completed');
      },
      { what: `${turns} answers` },
    );
  return { ...opened, api, overLoopback: createOpenApiClient(text, createSocketClient(opened.port)), projectId: project.id, isDone };
};

/**
 * How each operation is shown to be what the document says. refused: only a browser has another answer · git: where git is here ·
 * elsewhere: a socket, which a test above reads, and a task in the background, which the tests of claude have.
 * A route that is missing here does not compile: call it below.
 */
const SHOWN: Readonly<Record<keyof typeof routes | keyof typeof compatRoutes, 'called' | 'git' | 'refused' | 'elsewhere'>> = {
  health: 'called',
  capabilities: 'called',
  openApi: 'called',
  status: 'called',
  watchState: 'called',
  makeTicket: 'called',
  listProjects: 'called',
  saveProject: 'called',
  removeProject: 'called',
  listFiles: 'called',
  defaultWorkspace: 'called',
  listFolders: 'called',
  findServed: 'called',
  pickDirectory: 'called',
  openProject: 'called',
  openSession: 'called',
  openFile: 'called',
  listSessions: 'called',
  listProjectSessions: 'called',
  createSession: 'called',
  readSession: 'called',
  updateSession: 'called',
  removeSession: 'called',
  readPage: 'called',
  resetSession: 'called',
  listRemovedSessions: 'called',
  restoreSession: 'called',
  seeSession: 'called',
  forkSession: 'called',
  exportSession: 'called',
  importSession: 'called',
  search: 'called',
  readUsage: 'called',
  watchSession: 'called',
  startTurn: 'called',
  notePicked: 'refused',
  cancelTurns: 'called',
  cancelTurn: 'called',
  stopTask: 'elsewhere',
  readTask: 'elsewhere',
  readAttachment: 'called',
  beginUpload: 'called',
  sendPiece: 'called',
  uploadState: 'called',
  cancelUpload: 'called',
  attachmentStats: 'called',
  projectAttachment: 'called',
  removeProjectAttachments: 'called',
  removeAttachments: 'called',
  answerRequest: 'called',
  readChanges: 'git',
  readPatch: 'git',
  stageFiles: 'git',
  revertFiles: 'git',
  listCheckpoints: 'git',
  goBack: 'git',
  finishWorktree: 'git',
  listEngines: 'called',
  refreshEngines: 'called',
  listEngineSetups: 'called',
  addEngine: 'called',
  removeEngine: 'called',
  readEngineSetup: 'called',
  changeEngineSetup: 'called',
  storeSecret: 'called',
  logInEngine: 'called',
  proposeEngine: 'called',
  awaitProposal: 'called',
  answerProposal: 'called',
  takeErrand: 'called',
  readAudit: 'called',
  listCalls: 'called',
  listGrants: 'called',
  addGrants: 'called',
  removeGrant: 'called',
  listSites: 'called',
  setSite: 'called',
  removeSite: 'called',
  listAdmissions: 'called',
  decideAdmission: 'called',
  removeAdmission: 'called',
  checkBrowser: 'called',
  openPairing: 'called',
  readPairing: 'called',
  answerPairing: 'called',
  listTrust: 'called',
  revokeTrust: 'called',
  readPreferences: 'called',
  changePreferences: 'called',
  listRoots: 'called',
  addRoot: 'called',
  removeRoot: 'called',
  shutDown: 'called',
  openMcpSession: 'called',
  holdMcpSession: 'called',
  closeMcpSession: 'called',
  callTool: 'called',
  mcpCommand: 'called',
  tellElicited: 'called',
  mcpConfig: 'called',
  sendMcp: 'called',
  receiveMcp: 'called',
  closeMcp: 'called',
  ping: 'called',
  compatListEngines: 'called',
  compatListProjects: 'called',
  compatSaveProject: 'called',
  compatRemoveProject: 'called',
  validatePath: 'called',
  createDirectory: 'called',
  compatDefaultWorkspace: 'called',
  defaultRoot: 'called',
  compatListSessions: 'called',
  compatListProjectSessions: 'called',
  compatCreateSession: 'called',
  compatReadSession: 'called',
  compatUpdateSession: 'called',
  compatRemoveSession: 'called',
  compatResetSession: 'called',
  sessionHistory: 'called',
  chatHistory: 'called',
  projectMessages: 'called',
  addMessage: 'called',
  removeMessages: 'called',
  sessionEngineInfo: 'called',
  projectEngineInfo: 'called',
  sessionClaudeInfo: 'called',
  projectClaudeInfo: 'called',
  act: 'called',
  message: 'called',
  cancelChat: 'called',
  cancelAll: 'called',
  cancelOne: 'called',
  realtimeStream: 'called',
  patchStream: 'elsewhere',
};

interface OneSession {
  readonly session: { readonly id: string };
}

describe('a client made from openapi.json', () => {
  test('calls every operation by the document alone, and every answer is what the document says', async ({ companion }) => {
    const { port, rootPath, api, overLoopback, projectId, isDone } = await openByDocument(companion);
    expect(await overLoopback.call('health')).toEqual({
      name: 'pilotfish',
      version: expect.any(String),
      protocol: expect.any(Number),
      oldest: expect.any(Number),
    });
    expect(await overLoopback.refused('capabilities')).toMatchObject({ status: 401 });
    expect(await api.call('capabilities')).toMatchObject({ features: expect.arrayContaining(['stream_ticket', 'usage']) });

    await callForProjects(api, { projectId, rootPath });
    const { session } = await api.call<OneSession>('createSession', {
      path: { projectId },
      body: { engineName: 'echo', name: 'By document' },
    });
    const one = { sessionId: session.id };
    const { uploadId } = await api.call<{ uploadId: string }>('beginUpload', {
      body: { kind: 'file', name: 'b.txt', mimeType: 'text/plain', sizeBytes: 5 },
    });
    await api.call('sendPiece', { path: { uploadId }, body: { offset: 0, dataBase64: TEXT } });
    expect(await api.call('uploadState', { path: { uploadId } })).toEqual({ receivedBytes: 5, sizeBytes: 5, read: null });
    await api.call('startTurn', { path: one, body: { text: 'say hello', turnId: 't1', uploads: [uploadId] } });
    const given = await api.call<{ uploadId: string }>('beginUpload', {
      body: { kind: 'session', name: 'a.json', mimeType: 'application/json', sizeBytes: 5 },
    });
    await api.call('cancelUpload', { path: { uploadId: given.uploadId } });
    await isDone(session.id, 1);
    await callForSession(api, one.sessionId, projectId);
    await callToAct(api, { projectId, isDone });
    await callForFolders(api, projectId, isDone);
    await callForSettings(api, { rootPath, sessionId: session.id });
    await callForMcp(api, overLoopback);
    await callForDesktop(api, { ...one, projectId, rootPath, home: companion.home.dir });
    await callForBrowser(api, companion);
    await callForPairing(api, port);
    await api.call('shutDown');
    await companion.home.waitForProcesses((list) => list.length === 0);

    const isProved = (operation: string): boolean => api.proved.has(operation) || overLoopback.proved.has(operation);
    const left = Object.entries(SHOWN).filter(
      ([operation, how]) => (how === 'called' || (how === 'git' && hasGit)) && !isProved(operation),
    );
    expect(left).toEqual([]);
  });

  test(
    'is told the same of what is not there and of what belongs to another, by every operation',
    { tags: 'whole' },
    async ({ companion }) => {
      const { api, projectId, isDone } = await openByDocument(companion);
      const begin = async (name: string): Promise<string> => {
        const { session } = await api.call<OneSession>('createSession', { path: { projectId }, body: { engineName: 'echo', name } });
        const path = { sessionId: session.id };
        await api.call('startTurn', { path, body: { text: `say ${name}`, turnId: name, attachments: [TEXT_FILE] } });
        await isDone(session.id, 1);
        return session.id;
      };
      const [mine, other] = [await begin('mine'), await begin('other')];
      const { items, turns } = await api.call<{
        items: { itemId: string }[];
        turns: { prompt: { attachments: { attachmentId: string }[] } }[];
      }>('readSession', { path: { sessionId: other } });
      const ofOther: Readonly<Record<string, string | undefined>> = {
        turnId: 'other',
        checkpointId: 'other',
        itemId: items[0]?.itemId,
        attachmentId: turns[0]?.prompt.attachments[0]?.attachmentId,
      };
      const answers: string[] = [];

      for (const [operation, { parameters, bodyExample: body }] of api.operations) {
        const [first, second] = parameters.flatMap(({ name, in: place }) => (place === 'path' ? [name] : []));
        if (first === undefined || MAKES_ITS_SESSION.includes(operation)) continue;
        const query = Object.fromEntries(
          parameters.flatMap(({ name, in: place, required }) => (place === 'query' && required ? [[name, 'a.txt']] : [])),
        );
        const tell = async (ids: Readonly<Record<string, string>>): Promise<string> => {
          const { status, code, message } = await api.refused(operation, { path: ids, query, body });
          return `${status} ${code} ${Object.values(ids).reduce((text, id) => text.replaceAll(id, 'ID'), message)}`;
        };
        const unknown = await tell({ [first]: 'none-such', ...(second === undefined ? {} : { [second]: 'none-such' }) });
        if (!unknown.startsWith('404 ')) answers.push(`${operation}: ${unknown}`);
        const theirs = second === undefined ? undefined : ofOther[second];
        if (first !== 'sessionId' || second === undefined || theirs === undefined || ENDED_IS_NO_ERROR.includes(operation)) continue;
        const [inMine, fromOther] = [
          await tell({ sessionId: mine, [second]: 'none-such' }),
          await tell({ sessionId: mine, [second]: theirs }),
        ];
        if (!inMine.startsWith('404 ') || inMine !== fromOther) answers.push(`${operation}: ${inMine}, ${fromOther}`);
      }

      // An upload or an errand that was there an hour ago is told as one that never was.
      expect(answers.map((answer) => answer.split(' ', 3).join(' ')).toSorted()).toEqual([
        'answerProposal: 410 ERRAND_GONE',
        'awaitProposal: 410 ERRAND_GONE',
        'cancelUpload: 410 ATTACHMENT_GONE',
        'sendPiece: 410 ATTACHMENT_GONE',
        'takeErrand: 410 ERRAND_GONE',
        'uploadState: 410 ATTACHMENT_GONE',
      ]);
      expect(await api.refused('addMessage', { path: { projectId }, body: { content: 'x', conversationId: 'none-such' } })).toMatchObject({
        status: 404,
      });
    },
  );
});

/** A stream may be opened before the first prompt, and the first prompt may make the session where the project is there. */
const MAKES_ITS_SESSION = ['realtimeStream', 'patchStream'];
/** To cancel what is over already is no error. */
const ENDED_IS_NO_ERROR = ['cancelTurn', 'cancelOne'];

const callForProjects = async (api: OpenApiClient, { projectId, rootPath }: { projectId: string; rootPath: string }) => {
  for (const operation of [
    'health',
    'openApi',
    'ping',
    'status',
    'listProjects',
    'compatListProjects',
    'defaultWorkspace',
    'compatDefaultWorkspace',
    'pickDirectory',
    'listSessions',
    'compatListSessions',
    'listEngines',
    'compatListEngines',
    'listEngineSetups',
    'attachmentStats',
  ])
    await api.call(operation);
  await api.call('listFolders', { query: { path: rootPath } });
  await api.call('findServed', { query: { port: '9' } });
  expect(await api.first('watchState')).toMatchObject({ type: expect.any(String) });
  await api.call('validatePath', { body: { rootPath } });
  await api.call('createDirectory', { body: { absolutePath: path.join(rootPath, 'made') } });
  await api.call('defaultRoot', { body: { projectName: 'Shop' } });
  await api.call('listFiles', { path: { projectId } });
  const { project } = await api.call<{ project: { id: string } }>('compatSaveProject', {
    body: { name: 'Made', rootPath: path.join(rootPath, 'made') },
  });
  await api.call('compatRemoveProject', { path: { projectId: project.id } });
  const again = await api.call<{ project: { id: string } }>('saveProject', {
    body: { name: 'Made', rootPath: path.join(rootPath, 'made') },
  });
  await api.call('removeProject', { path: { projectId: again.project.id } });
};

/** What is read of a session that has answered once, and what happens to it as a whole. */
const callForSession = async (api: OpenApiClient, sessionId: string, projectId: string) => {
  const [one, ofProject] = [{ path: { sessionId } }, { path: { projectId } }];
  for (const operation of [
    'readPage',
    'compatReadSession',
    'sessionHistory',
    'chatHistory',
    'sessionEngineInfo',
    'sessionClaudeInfo',
    'seeSession',
    'cancelTurns',
    'cancelChat',
    'cancelAll',
  ])
    await api.call(operation, one);
  for (const operation of ['listProjectSessions', 'compatListProjectSessions', 'projectMessages', 'projectEngineInfo', 'projectClaudeInfo'])
    await api.call(operation, ofProject);
  await api.call('makeTicket', { body: { path: `/agent/chat/${sessionId}/stream` } });
  expect(await api.first('watchSession', one)).toMatchObject({ sessionId, seq: 1, type: 'session.created' });
  expect(await api.first('realtimeStream', one)).toMatchObject({ type: 'connected' });
  expect(await api.call('readUsage', { query: { by: 'session' } })).toMatchObject({ rows: [{ sessionId, turns: 1 }] });
  expect(await api.call('search', { query: { q: 'hello' } })).toMatchObject({ hits: expect.any(Array) });
  await api.call('updateSession', { ...one, body: { name: null, maxTokens: 1000 } });
  await api.call('compatUpdateSession', { ...one, body: { name: 'Again' } });
  await api.call('cancelTurn', { path: { sessionId, turnId: 't1' } });
  await api.call('cancelOne', { path: { sessionId, requestId: 't1' } });

  const { turns } = await api.call<{ turns: { prompt: { attachments: { attachmentId: string }[] } }[] }>('readSession', one);
  const [attached] = turns[0]?.prompt.attachments ?? [];
  const attachmentId = attached?.attachmentId ?? '';
  expect(await api.call('readAttachment', { path: { sessionId, attachmentId } })).toBe('hello');
  expect(await api.call('projectAttachment', { path: { projectId, filename: `${attachmentId}.txt` } })).toBe('hello');

  const document = await api.call('exportSession', { ...one, query: { format: 'json' } });
  const imported = await api.call<OneSession>('importSession', { body: { document, projectId } });
  await api.call('compatRemoveSession', { path: { sessionId: imported.session.id } });
  const fork = await api.call<OneSession>('forkSession', { ...one, body: {} });
  await api.call('removeSession', { path: { sessionId: fork.session.id } });
  await api.call('listRemovedSessions');
  await api.call('restoreSession', { path: { sessionId: fork.session.id } });
  await api.call('resetSession', { path: { sessionId: fork.session.id } });
  await api.call('compatResetSession', { path: { sessionId: fork.session.id } });
  await api.call('removeProjectAttachments', { path: { projectId } });
  await api.call('removeAttachments', { body: {} });
};

interface Talk {
  readonly projectId: string;
  readonly isDone: (sessionId: string, turns: number) => Promise<unknown>;
}

/** What is said in a session by the names of existing clients, and what its agent asks. */
const callToAct = async (api: OpenApiClient, { projectId, isDone }: Talk) => {
  const { session } = await api.call<OneSession>('compatCreateSession', { path: { projectId }, body: { engineName: 'echo' } });
  const one = { path: { sessionId: session.id } };
  await api.call('act', { ...one, body: { instruction: 'ask one' } });
  const asked = await until(async () => (await api.call<{ requests: { requestId: string }[] }>('readSession', one)).requests[0], {
    what: 'the question',
  });
  await api.call('answerRequest', { path: { sessionId: session.id, requestId: asked.requestId }, body: { optionId: 'yes' } });
  await isDone(session.id, 1);
  await api.call('message', { ...one, body: { content: 'say two' } });
  await isDone(session.id, 2);
  await api.call('addMessage', { path: { projectId }, body: { content: 'Deployed.', conversationId: session.id } });
  await api.call('removeMessages', { path: { projectId }, query: { conversationId: session.id } });
  await expect(api.call('readSession', { path: { sessionId: 'nowhere' } })).rejects.toThrow('404');
  await expect(api.call('startTurn', { ...one, body: { words: 'x' } })).rejects.toThrow('is not what the document says');
};

/** What a session has changed in its folder. */
const callForFolders = async (api: OpenApiClient, projectId: string, isDone: Talk['isDone']) => {
  if (!hasGit) return;
  const { session } = await api.call<{ session: { id: string; worktree: { folder: string } } }>('createSession', {
    path: { projectId },
    body: { engineName: 'echo', worktree: 'by-document' },
  });
  const one = { sessionId: session.id };
  await api.call('startTurn', { path: one, body: { text: 'say three', turnId: 't3' } });
  await isDone(session.id, 1);
  writeFiles(session.worktree.folder, { 'a.txt': 'changed\n', 'new.txt': 'new\n' });
  expect(await api.call('readChanges', { path: one })).toMatchObject({ files: [{ path: 'a.txt' }, { path: 'new.txt' }] });
  await api.call('readPatch', { path: one, query: { path: 'a.txt' } });
  await api.call('stageFiles', { path: one, body: { paths: ['a.txt'], isStaged: true } });
  await api.call('revertFiles', { path: one, body: { paths: ['new.txt'] } });
  expect(await api.call('listCheckpoints', { path: one })).toMatchObject({ checkpoints: expect.arrayContaining([expect.anything()]) });
  await api.call('goBack', { path: { ...one, checkpointId: 't3' } });
  expect(await api.call('finishWorktree', { path: one, body: { action: 'discard' } })).toMatchObject({});
};

/** What the person sets. */
const callForSettings = async (api: OpenApiClient, { rootPath, sessionId }: { rootPath: string; sessionId: string }) => {
  for (const operation of [
    'readPreferences',
    'listGrants',
    'listSites',
    'listAdmissions',
    'listTrust',
    'listRoots',
    'readAudit',
    'listCalls',
    'mcpCommand',
  ])
    await api.call(operation);
  expect(await api.call('changePreferences', { body: { keepDays: 90 } })).toMatchObject({ keepDays: 90 });
  await api.call('checkBrowser', { body: {} });
  await api.call('refreshEngines', { body: { name: 'echo' } });
  await api.call('addEngine', { body: { name: 'third', command: '/bin/bash', args: [AGENT] } });
  await api.call('readEngineSetup', { path: { name: 'third' } });
  await api.call('changeEngineSetup', { path: { name: 'third' }, body: { isDisabled: true } });
  await api.call('removeEngine', { path: { name: 'third' } });
  await api.call('storeSecret', { path: { name: 'claude', secretName: 'ANTHROPIC_API_KEY' }, body: { value: null } });
  const { grants } = await api.call<{ grants: { id: string }[] }>('addGrants', { body: { sessionId, origins: ['https://shop.example'] } });
  await api.call('removeGrant', { path: { id: grants[0]?.id ?? '' } });
  await api.call('setSite', { body: { site: 'shop.example', rule: 'never' } });
  await api.call('removeSite', { path: { site: 'shop.example' } });
  await api.call('revokeTrust', { query: { path: rootPath } });
  await api.call('addRoot', { body: { path: rootPath } });
  await api.call('removeRoot', { query: { path: rootPath } });
};

/** What is opened on the person's desktop. */
const callForDesktop = async (
  api: OpenApiClient,
  { sessionId, projectId, rootPath, home }: Readonly<Record<'sessionId' | 'projectId' | 'rootPath' | 'home', string>>,
) => {
  writeFileSync(path.join(rootPath, 'opened.ts'), '');
  await api.call('openProject', { path: { projectId }, body: { target: 'vscode' } });
  await api.call('openSession', { path: { sessionId }, body: { target: 'editor' } });
  await api.call('openFile', { path: { projectId }, body: { filePath: 'opened.ts', line: 3, column: 2 } });
  expect(await api.call('pickDirectory')).toEqual({ success: true, path: path.join(home, 'chosen') });
  await api.call('logInEngine', { path: { name: 'glm' } });
  expect(await takeErrand(api, home)).toMatchObject({ type: 'log_in', name: 'glm', shown: expect.any(String) });
  const proposed = api.call('proposeEngine', {
    path: { name: 'proposed' },
    body: { change: { type: 'add', command: '/bin/bash', args: [AGENT], env: {} }, language: 'en' },
  });
  const { answerId } = await takeErrand<{ answerId: string }>(api, home);
  const awaited = api.call('awaitProposal', { path: { id: answerId } });
  await api.call('answerProposal', { path: { id: answerId }, body: { isAllowed: true } });
  expect(await proposed).toEqual({ outcome: 'done' });
  await awaited;
  await api.call('removeEngine', { path: { name: 'proposed' } });
  const opened = (): string[] => readFileSync(path.join(home, 'opened'), 'utf8').trim().split('\n').toSorted();
  await until(() => existsSync(path.join(home, 'opened')) && opened().length === 3, { what: 'the editor' });
  expect(opened()).toEqual([`--goto ${path.join(rootPath, 'opened.ts')}:3:2`, rootPath, rootPath].toSorted());
};

/** What the newest terminal window was opened for. */
const takeErrand = async <T = Record<string, unknown>>(api: OpenApiClient, home: string): Promise<T> => {
  const window = path.join(home, 'window');
  await until(() => existsSync(window), { what: 'the terminal window' });
  const id = readFileSync(window, 'utf8').trim().split(' ').at(-1) ?? '';
  rmSync(window);
  return api.call<T>('takeErrand', { path: { id } });
};

interface Comers {
  readonly admissions: readonly { readonly id: string; readonly kind: string; readonly state: string }[];
}

/** A browser that is elsewhere comes, and the person says at both ends that they see the same code. */
const callForPairing = async (api: OpenApiClient, port: number) => {
  await api.call('openPairing', { body: {} });
  await api.refused('answerPairing', { body: { code: '000000', isSame: false } });
  const key = await toBrowserKey(await makeKeyPair());
  const browserNonce = newNonce();
  const socket = new WebSocket(`ws://127.0.0.1:${port}${LINK_PATH}`, [LINK_PROTOCOL, PAIR_OFFER], { origin: EXTENSION_ORIGIN });
  const heard: z.output<typeof RemoteDown>[] = [];
  socket.on('message', (data) => heard.push(RemoteDown.parse(JSON.parse(Buffer.isBuffer(data) ? data.toString() : ''))));
  const send = (message: RemoteUp): void => socket.send(JSON.stringify(message));
  await new Promise((resolve) => socket.once('open', resolve));
  send({ type: 'pair', key: key.text, commitment: await digestOf(browserNonce), name: 'Box' });
  const daemon = await until(() => heard.find(({ type }) => type === 'pair_key'), { what: "the daemon's key" });
  if (daemon.type !== 'pair_key') throw new Error('no key');
  send({ type: 'pair_open', nonce: browserNonce });
  const { code = '' } = await until(
    async () => {
      const state = await api.call<{ state: string; code?: string }>('readPairing');
      return state.state === 'asked' ? state : null;
    },
    { what: 'the code' },
  );
  expect(await api.call('answerPairing', { body: { code, isSame: true } })).toMatchObject({ state: 'asked', code, hasAnswered: true });
  const handshake = { browserKey: key.text, daemonKey: daemon.key, browserNonce, daemonNonce: daemon.nonce };
  send({ type: 'pair_confirm', signature: await key.sign(signedText('pair', 'browser', handshake)) });
  await until(() => heard.some(({ type }) => type === 'paired'), { what: 'the end of the pairing' });
  await expect.poll(() => api.call('readPairing')).toMatchObject({ state: 'paired', name: 'Box' });
  socket.close();
};

/** A browser by the frames of the link, and a program that calls its tools: the person lets both in. */
const callForBrowser = async (api: OpenApiClient, companion: Companion) => {
  const letIn = async (): Promise<void> => {
    const waiting = await until(
      async () => (await api.call<Comers>('listAdmissions')).admissions.find(({ state }) => state === 'waiting'),
      { what: 'somebody who waits' },
    );
    await api.call('decideAdmission', { path: { id: waiting.id }, body: { isAllowed: true } });
  };
  const connecting = connectBrowserDouble(companion, { onWelcome: () => {} });
  await letIn();
  const browser = await connecting;
  const { sessionId } = await api.call<{ sessionId: string }>('openMcpSession', { body: { clientName: 'mine', clientVersion: '1' } });
  const answer = api.call('callTool', { path: { sessionId }, body: { callId: 'c1', name: 'browser_snapshot', arguments: {} } });
  await letIn();
  expect(JSON.stringify(await answer)).toContain('browser_snapshot was done');

  const ofKind = (wanted: string) => browser.frames.filter(({ type }) => type === wanted);
  expect(ofKind('mcp_registered')).toContainEqual({ type: 'mcp_registered', server: 'browser', toolCount: expect.any(Number) });
  expect(ofKind('session_start')).toContainEqual(expect.objectContaining({ sessionId }));
  expect(ofKind('mcp_message')).toContainEqual({
    type: 'mcp_message',
    server: 'browser',
    payload: expect.objectContaining({ jsonrpc: '2.0', id: expect.anything(), method: 'tools/call' }),
  });
  browser.unregister();
  await until(() => ofKind('mcp_registered').some((frame) => 'toolCount' in frame && frame.toolCount === 0), { what: 'no tools any more' });
  await api.call('closeMcpSession', { path: { sessionId } });
  await until(() => ofKind('session_end').some((frame) => 'sessionId' in frame && frame.sessionId === sessionId), {
    what: 'the end of the session',
  });
  browser.close();
  const { admissions } = await api.call<Comers>('listAdmissions');
  for (const { id } of admissions) await api.call('removeAdmission', { path: { id } });
};

/** MCP clients: one over the private socket as `pilotfish mcp` is, one over HTTP with a token of its own. */
const callForMcp = async (api: OpenApiClient, overLoopback: OpenApiClient) => {
  const { sessionId } = await api.call<{ sessionId: string }>('openMcpSession', { body: { clientName: 'mine', clientVersion: '1' } });
  const one = { path: { sessionId } };
  const ending = new AbortController();
  await api.hold('holdMcpSession', ending.signal, one);
  await api.call('callTool', { ...one, body: { callId: 'c1', name: 'browser_nothing', arguments: {} } });
  await api.call('tellElicited', { ...one, body: { elicitId: 'none', optionId: null } });
  await api.call('closeMcpSession', one);
  const config = await api.call('mcpConfig', { query: { transport: 'http' } });
  const authorization = /Bearer [\w-]+/.exec(JSON.stringify(config))?.[0] ?? '';
  const headers = { authorization, accept: 'application/json, text/event-stream' };
  let own: Record<string, string> = {};
  await overLoopback.call('sendMcp', {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'mine', version: '1' } },
    },
    headers,
    onHeaders: (answered) => {
      own = { ...headers, 'mcp-session-id': String(answered['mcp-session-id']) };
    },
  });
  await overLoopback.hold('receiveMcp', ending.signal, { headers: own });
  await overLoopback.call('closeMcp', { headers: own });
  ending.abort();
};

import { readFileSync } from 'node:fs';
import { describe, expect, test as plain } from 'vitest';
import * as z from 'zod';
import type { Route, Scope } from '#protocol/contract.ts';
import { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import { toSchema } from '#companion/server/open-api.ts';
import { exampleOf } from '#companion/server/route-examples.ts';
import { compatRoutes } from '#companion/compat/routes.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { overSocket, test } from './stage.ts';

/** Who each route is for. A route that is missing here does not compile: look at what it opens before you add it. */
const SCOPES: Readonly<Record<keyof typeof routes | keyof typeof compatRoutes, Scope>> = {
  health: 'open',
  capabilities: 'api',
  openApi: 'api',
  status: 'api',
  watchState: 'api',
  makeTicket: 'api',
  readChanges: 'api',
  readPatch: 'api',
  stageFiles: 'api',
  revertFiles: 'api',
  listCheckpoints: 'api',
  goBack: 'api',
  finishWorktree: 'api',
  listProjects: 'api',
  saveProject: 'api',
  removeProject: 'api',
  defaultWorkspace: 'api',
  listFolders: 'api',
  findServed: 'api',
  listFiles: 'api',
  listSessions: 'api',
  listProjectSessions: 'api',
  createSession: 'api',
  readSession: 'api',
  readPage: 'api',
  updateSession: 'api',
  resetSession: 'api',
  removeSession: 'api',
  listRemovedSessions: 'api',
  restoreSession: 'api',
  seeSession: 'api',
  forkSession: 'api',
  exportSession: 'api',
  importSession: 'api',
  search: 'api',
  readUsage: 'api',
  watchSession: 'api',
  startTurn: 'api',
  notePicked: 'api',
  cancelTurns: 'api',
  cancelTurn: 'api',
  stopTask: 'api',
  readTask: 'api',
  readAttachment: 'api',
  beginUpload: 'api',
  sendPiece: 'api',
  uploadState: 'api',
  cancelUpload: 'api',
  answerRequest: 'api',
  listEngines: 'api',
  refreshEngines: 'api',
  listEngineSetups: 'api',
  addEngine: 'private',
  removeEngine: 'private',
  readEngineSetup: 'api',
  changeEngineSetup: 'api',
  storeSecret: 'api',
  logInEngine: 'api',
  proposeEngine: 'api',
  awaitProposal: 'private',
  answerProposal: 'private',
  takeErrand: 'private',
  readAudit: 'api',
  listCalls: 'api',
  listSites: 'api',
  setSite: 'api',
  removeSite: 'api',
  listGrants: 'api',
  addGrants: 'api',
  removeGrant: 'api',
  listAdmissions: 'api',
  decideAdmission: 'api',
  removeAdmission: 'api',
  checkBrowser: 'api',
  openPairing: 'private',
  readPairing: 'private',
  answerPairing: 'private',
  listTrust: 'api',
  revokeTrust: 'api',
  readPreferences: 'api',
  changePreferences: 'api',
  listRoots: 'private',
  addRoot: 'private',
  removeRoot: 'private',
  shutDown: 'private',
  openMcpSession: 'private',
  holdMcpSession: 'private',
  closeMcpSession: 'private',
  callTool: 'private',
  mcpCommand: 'api',
  tellElicited: 'private',
  mcpConfig: 'private',
  sendMcp: 'mcp',
  receiveMcp: 'mcp',
  closeMcp: 'mcp',
  attachmentStats: 'api',
  projectAttachment: 'api',
  removeProjectAttachments: 'api',
  removeAttachments: 'api',
  ping: 'api',
  compatListEngines: 'api',
  compatListProjects: 'api',
  compatSaveProject: 'api',
  compatRemoveProject: 'api',
  validatePath: 'api',
  createDirectory: 'api',
  compatDefaultWorkspace: 'api',
  defaultRoot: 'api',
  pickDirectory: 'api',
  openProject: 'api',
  openSession: 'api',
  openFile: 'api',
  compatListSessions: 'api',
  compatListProjectSessions: 'api',
  compatCreateSession: 'api',
  compatReadSession: 'api',
  compatUpdateSession: 'api',
  compatRemoveSession: 'api',
  compatResetSession: 'api',
  sessionHistory: 'api',
  chatHistory: 'api',
  projectMessages: 'api',
  addMessage: 'api',
  removeMessages: 'api',
  sessionEngineInfo: 'api',
  projectEngineInfo: 'api',
  sessionClaudeInfo: 'api',
  projectClaudeInfo: 'api',
  act: 'api',
  message: 'api',
  cancelChat: 'api',
  cancelAll: 'api',
  cancelOne: 'api',
  realtimeStream: 'api',
  patchStream: 'api',
};

const contract = new Map<string, Route>(Object.entries({ ...routes, ...compatRoutes }));

const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
const document = (
  JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Record<string, unknown>>;
  }
).paths;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];

const toPath = (url: string): string => url.replaceAll(/:\w+/g, 'x');

/** Places in a schema where an object would take keys that it does not name. */
const openObjects = (schema: unknown, place = 'body'): string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, properties, additionalProperties } = schema as Record<string, unknown>;
  const isOpen = type === 'object' && properties !== undefined && additionalProperties !== false;
  return [...(isOpen ? [place] : []), ...Object.entries(schema).flatMap(([key, value]) => openObjects(value, `${place}.${key}`))];
};

describe('routes', () => {
  test('the router has exactly the routes of the contract, each for whom this test says', ({ stage }) => {
    const found = stage.routes.map(({ method, url }) => `${method} ${url}`);
    const served = [...contract.values()].filter(({ stream }) => stream !== 'websocket');

    expect(found.toSorted()).toEqual(served.map(({ method, path }) => `${method} ${path}`).toSorted());
    expect(Object.fromEntries([...contract].map(([name, { scope }]) => [name, scope]))).toEqual(SCOPES);
  });

  plain.for([...contract])('the route %s keeps the rules of the contract', ([, route]) => {
    expect(route.summary).toMatch(/^[A-Z][^\n]+\.$/u);
    expect(Object.keys(route.params?.shape ?? {})).toEqual([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
    if (route.body !== undefined && route.stream !== 'mcp') expect(openObjects(z.toJSONSchema(route.body, { io: 'input' }))).toEqual([]);
  });

  plain.for([...contract])('the route %s has an example, which the document and the page show and its schemas take', ([name, route]) => {
    const example = exampleOf(name, route, toSchema);

    for (const part of ['params', 'query', 'body', 'answer'] as const) {
      expect(Object.hasOwn(example, part)).toBe(route[part] !== undefined);
      const checked = route[part]?.safeParse(example[part]);
      expect(checked?.error).toBeUndefined();
    }
    const { method, path } = route;
    const operation = JSON.stringify(document[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]);
    const section = page.split('\n## ').find((text) => text.startsWith(`${method} \`${path}\`\n`)) ?? '';
    for (const shown of [example.body, example.answer].filter((part) => part !== undefined)) {
      expect(operation).toContain(`"example":${JSON.stringify(shown)}`);
      expect(section).toContain(JSON.stringify(shown));
    }
    expect(section).toContain(`\`\`\`\n${method} ${path.split('/:')[0]}`);
    expect(operation).toContain(`"x-scope":"${route.scope}"`);
  });

  test('an unknown key of a body is refused by its name, by every route that takes one or none', async ({ stage }) => {
    const answers: string[] = [];
    for (const [name, route] of contract) {
      if (route.method === 'GET' || route.scope === 'mcp') continue;
      const sent = await overSocket(stage.server.socket, toPath(route.path) + (route.query === undefined ? '' : '?path=%2Fx'), {
        method: route.method,
        body: { surprise: 1 },
      });
      if (sent.status !== 400 || !JSON.stringify(sent.json).includes('surprise')) answers.push(`${name}: ${JSON.stringify(sent)}`);
    }

    expect(answers).toEqual([]);
    expect(stage.sessions.commands).toEqual([]);
  });

  test('the OpenAPI document names every route', async ({ stage }) => {
    const response = await stage.fetch('/openapi.json');
    const { openapi, paths } = (await response.json()) as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string }>>;
    };

    expect(openapi).toBe('3.1.0');
    const operations = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect(operations.toSorted()).toEqual([...contract.keys()].toSorted());
  });

  test('no route answers any method without a good token, nor with one in the query', async ({ stage }) => {
    const expired = stage.sessionToken(SessionId.parse('session_gone'));
    stage.tokens.revoke(expired);
    const urls = [...new Set(stage.routes.map((route) => toPath(route.url)))];
    const own = new Set(stage.routes.map(({ method, url }) => `${method} ${toPath(url)}`));
    const attempts = [
      ...urls.flatMap((url, row) =>
        // In the short form a third of the methods that the path does not have.
        METHODS.filter((method, column) => isWhole || own.has(`${method} ${url}`) || (row + column) % 3 === 0).map((method) => ({
          name: 'none',
          method,
          url,
          token: null,
        })),
      ),
      ...stage.routes.flatMap(({ method, url }) => [
        { name: 'query', method, url: `${toPath(url)}?token=${stage.panelToken}&access_token=${stage.panelToken}`, token: null },
        { name: 'wrong', method, url: toPath(url), token: 'x'.repeat(43) },
        { name: 'expired', method, url: toPath(url), token: expired },
      ]),
    ];
    const answers: string[] = [];

    // Many at once, since each guess after the twentieth in a second is answered a second later.
    while (attempts.length > 0) {
      await Promise.all(
        attempts.splice(0, 200).map(async ({ name, method, url, token }) => {
          const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
          const { status } = await stage.fetch(url, { method, body, token });
          const isOpen = name !== 'wrong' && name !== 'expired' && method === 'GET' && url.split('?')[0] === '/health';
          if (status !== (isOpen ? 200 : 401)) answers.push(`${method} ${url} ${name}: ${status}`);
        }),
      );
    }

    expect(answers).toEqual([]);
    // Only the question whether a daemon is there, without a token and with one where none counts.
    expect(stage.handled()).toBe(2);
  });

  test('a token opens the routes of its scope only', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const sessionToken = stage.sessionToken(sessionId);
    const wrong: string[] = [];

    for (const { method, path: url, scope, stream } of contract.values()) {
      if (stream === 'websocket') continue;
      const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
      const abort = new AbortController();
      for (const [who, token] of [
        ['panel', stage.panelToken],
        ['session', sessionToken],
      ] as const) {
        const isAllowed = scope === 'open' || scope === (who === 'panel' ? 'api' : 'mcp');
        const response = await fetch(stage.base + toPath(url), {
          method,
          headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: '{}' }),
          signal: abort.signal,
        });
        if ((response.status === 403) === isAllowed) wrong.push(`${who} ${method} ${url}: ${response.status}`);
      }
      abort.abort();
    }

    expect(wrong).toEqual([]);
  });

  test('on the private socket the rights of its file stand for the token, but MCP still needs one', async ({ stage }) => {
    const { socket } = stage.server;

    expect((await overSocket(socket, '/api/status')).status).toBe(200);
    expect((await overSocket(socket, '/api/roots')).status).toBe(200);
    expect((await overSocket(socket, '/mcp', { method: 'POST', body: {} })).status).toBe(403);
  });

  test('a browser is refused on the private socket', async ({ stage }) => {
    const { socket } = stage.server;

    expect((await overSocket(socket, '/api/status', { headers: { origin: 'null' } })).status).toBe(403);
    expect((await overSocket(socket, '/api/status', { headers: { 'sec-fetch-mode': 'cors' } })).status).toBe(403);
  });

  test('broken escapes in an address harm nobody', async ({ stage }) => {
    for (const path of ['/agent/sessions/%', '/%zz', '/agent/sessions/%E0%A4%A', '/agent/sessions/%00']) {
      const response = await stage.fetch(path);
      expect(response.status, path).toBeGreaterThanOrEqual(400);
      expect(response.status, path).toBeLessThan(500);
      expect(await response.json()).toMatchObject({ code: expect.any(String), remedy: expect.any(String) });
    }
  });

  test('every error says on the wire its code, what failed and what to do, whoever refuses', async ({ stage }) => {
    const refusals = await Promise.all([
      stage.fetch('/api/nothing'),
      stage.fetch('/api/status', { token: null }),
      stage.fetch('/api/roots'),
      stage.fetch('/agent/sessions/none'),
      stage.fetch('/agent/projects', { method: 'POST', body: {} }),
      stage.fetch('/agent/projects', { method: 'POST', headers: { 'content-type': 'text/plain' } }),
    ]);

    expect(refusals.map(({ status }) => status)).toEqual([404, 401, 403, 404, 400, 415]);
    for (const response of refusals) {
      const body = (await response.json()) as Record<string, unknown>;
      expect(body).toEqual({
        error: body['message'],
        code: expect.any(String),
        message: expect.stringMatching(/\w/u),
        remedy: expect.stringMatching(/\w/u),
      });
    }
  });
});

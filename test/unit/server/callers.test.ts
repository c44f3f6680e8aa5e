import { request } from 'node:http';
import { describe, expect, test as base } from 'vitest';
import { isForPerson } from '#protocol/contract.ts';
import { BrowserId, type SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import { compatRoutes } from '#companion/compat/routes.ts';
import { UNKNOWN_PROCESS, type Caller } from '#companion/lib/peer.ts';
import { comer } from '#test/fixtures/admission.ts';
import { overSocket, startStage, test as serverTest, type Stage } from './stage.ts';

/** What an agent needs for `pilotfish mcp`, whose calls ask policy. Of the rest it may only look. */
const OPEN_TO_AGENTS = [
  'POST /api/mcp-sessions',
  'DELETE /api/mcp-sessions/:sessionId',
  'POST /api/mcp-sessions/:sessionId/call',
  'POST /api/mcp-sessions/:sessionId/elicited',
];

/**
 * What an agent may look at: a new route has to be put here, or be one for the person. None of them tells a token or a code by which somebody
 * would be let in, and none changes anything.
 */
const LOOKS_OF_AGENTS = [
  ...['', '/:sessionId', '/:sessionId/attachments/:attachmentId', '/:sessionId/changes', '/:sessionId/changes/patch'].map(
    (end) => `/api/agent-sessions${end}`,
  ),
  ...['checkpoints', 'events', 'export', 'items/:itemId/output', 'page', 'stream'].map((end) => `/api/agent-sessions/:sessionId/${end}`),
  ...['admissions', 'audit', 'calls', 'engines', 'engines/:name/settings', 'engines/catalogue', 'events', 'grants', 'mcp-command'].map(
    (end) => `/api/${end}`,
  ),
  ...['projects', 'projects/:projectId/agent-sessions', 'projects/:projectId/files', 'projects/default-workspace'].map(
    (end) => `/api/${end}`,
  ),
  ...['folders', 'mcp-sessions/:sessionId/hold', 'projects/served', 'removed-sessions', 'roots', 'settings', 'sites', 'status'].map(
    (end) => `/api/${end}`,
  ),
  ...['trust', 'usage'].map((end) => `/api/${end}`),
  '/capabilities',
  '/health',
  '/openapi.json',
  '/ping',
];

/** Opens to the token of one session alone, from whatever process it comes. */
const MCP = ['DELETE /mcp', 'GET /mcp', 'POST /mcp'];

const ownUid = process.getuid?.() ?? 0;

const test = base.extend<{ who: Partial<Caller>; stage: Stage }>({
  who: {},
  stage: async ({ who }, use) => {
    const { stage, stop } = await startStage({
      caller: () => ({ ...UNKNOWN_PROCESS, pid: 1, uid: ownUid, program: '/bin/sh', actsFor: 'person', ...who }),
    });
    await use(stage);
    await stop();
  },
});

/** Of the routes that only tell something, those that tell a person alone: a token, and the code of a pairing. */
const FOR_PERSON = new Set(['/api/mcp-config', '/api/pairing']);

/** Calls each route that changes something, and those that tell a person alone; the error codes by route. */
const codesOf = async ({ routes, server }: Stage): Promise<Map<string, unknown>> => {
  const codes = new Map<string, unknown>();
  for (const { method, url } of routes) {
    const isAct = (method !== 'GET' || FOR_PERSON.has(url)) && url !== '/mcp';
    if (!isAct) continue;
    const { json } = await overSocket(server.socket, url.replaceAll(/:\w+/g, 'x'), { method });
    codes.set(`${method} ${url}`, (json as { code?: string } | null)?.code);
  }
  return codes;
};

describe('each route', () => {
  test('is for the person, or is named here as what an agent may call', () => {
    const all = [...Object.values(routes), ...Object.values(compatRoutes)];
    const open = all.filter((route) => !isForPerson(route)).map(({ method, path }) => `${method} ${path}`);
    const looks = LOOKS_OF_AGENTS.map((path) => `GET ${path}`);

    expect(open.filter((route) => !route.startsWith('GET /agent/')).toSorted()).toEqual([...looks, ...OPEN_TO_AGENTS, ...MCP].toSorted());
    expect([...FOR_PERSON].filter((path) => open.includes(`GET ${path}`))).toEqual([]);
  });
});

describe.for(['agent', 'unknown'] as const)('a caller that acts for: %s', (actsFor) => {
  test.override({ who: { actsFor } });

  test('is refused on every route that acts for the person, and reaches no handler', async ({ stage }) => {
    const codes = await codesOf(stage);
    const open = [...codes].filter(([, code]) => code !== 'PERSON_ONLY').map(([route]) => route);

    expect(codes.size).toBeGreaterThan(25);
    expect(open.toSorted()).toEqual(OPEN_TO_AGENTS.toSorted());
    expect(stage.handled()).toBe(OPEN_TO_AGENTS.length);
    expect(stage.stopped()).toBe(false);
  });

  test('leaves what it tried in the audit, with its process', async ({ stage }) => {
    await overSocket(stage.server.socket, '/api/roots', { method: 'POST', body: { path: '/usr' } });

    const side = actsFor === 'agent' ? 'a program of an agent' : 'a program that had ended';
    expect(stage.audited).toEqual([{ kind: 'act', by: `${side}, process 1 (/bin/sh)`, what: 'POST /api/roots', result: '403' }]);
  });

  test('may look', async ({ stage }) => {
    expect((await overSocket(stage.server.socket, '/api/status')).status).toBe(200);
  });

  test('brings no browser', async ({ stage }) => {
    expect(await upgradeLink(stage.server.socket)).toBe(403);
  });
});

describe('a caller that is the person', () => {
  test('is refused nowhere for being somebody else', async ({ stage }) => {
    expect([...(await codesOf(stage)).values()]).not.toContain('PERSON_ONLY');
    expect(stage.stopped()).toBe(true);
  });

  test('is in the audit with each act, what was chosen, and no secret', async ({ stage }) => {
    const send = (method: string, path: string, body?: unknown): Promise<unknown> =>
      overSocket(stage.server.socket, path, { method, ...(body === undefined ? {} : { body }) });
    await send('DELETE', '/api/grants/g1');
    await send('PUT', '/api/engines/claude/secrets/KEY', { value: 'sk-secret' });
    await send('POST', '/api/agent-sessions/s1/requests/r1', { optionId: 'allow' });
    await send('DELETE', '/api/roots?path=%2Fsrv');
    await send('GET', '/api/grants');

    const by = 'a terminal, process 1 (/bin/sh)';
    expect(stage.audited).toEqual([
      { kind: 'act', by, what: 'DELETE /api/grants/g1', result: '404' },
      { kind: 'act', by, what: 'PUT /api/engines/claude/secrets/KEY', result: '200' },
      { kind: 'act', by, what: 'POST /api/agent-sessions/s1/requests/r1', result: expect.stringMatching(/^\d+ allow$/) },
      { kind: 'act', by, what: 'DELETE /api/roots?path=%2Fsrv', result: '200' },
    ]);
  });

  test('is not in the audit for what decides nothing, unless it was refused', async ({ stage }) => {
    await overSocket(stage.server.socket, '/api/engines/refresh', { method: 'POST', body: {} });
    await overSocket(stage.server.socket, '/api/tickets', { method: 'POST', body: { path: '/agent/chat/s1/stream' } });
    await overSocket(stage.server.socket, '/api/engines/refresh', { method: 'POST', body: { name: 1 } });

    expect(stage.audited).toEqual([
      { kind: 'act', by: 'a terminal, process 1 (/bin/sh)', what: 'POST /api/engines/refresh', result: '400' },
    ]);
  });

  test('is not who speaks MCP: a request of an agent is no act in the audit, whose calls have entries of their own', async ({ stage }) => {
    const token = stage.tokens.issue({ type: 'session', sessionId: stage.sessions.create() });

    const { status } = await fetch(`http://127.0.0.1:${stage.server.port}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });

    // Before `initialize` it is answered so; the request got as far as MCP.
    expect(status).toBe(400);
    expect(stage.audited).toEqual([]);
  });

  test('brings a browser', async ({ stage }) => {
    expect(await upgradeLink(stage.server.socket)).toBe(101);
  });
});

describe('an MCP session', () => {
  const callAs = async (pid: number): Promise<unknown> => {
    let next = 1;
    const { stage, stop } = await startStage({
      caller: () => ({ ...UNKNOWN_PROCESS, pid: next, uid: ownUid, program: '/bin/sh', actsFor: 'agent' }),
    });
    const opened = await overSocket(stage.server.socket, '/api/mcp-sessions', {
      method: 'POST',
      body: { clientName: 'one', clientVersion: '1' },
    });
    const { sessionId } = opened.json as { sessionId: string };
    next = pid;
    const line = await upgradeLink(stage.server.socket, `/api/mcp-sessions/${sessionId}/call`, 'pilotfish-calls');
    expect(line).toBe(pid === 1 ? 101 : 404);
    const { status, json } = await overSocket(stage.server.socket, `/api/mcp-sessions/${sessionId}`, { method: 'DELETE' });
    await stop();
    return status === 204 ? 'found' : (json as { code: string }).code;
  };

  test('is that of the process that opened it; for another one there is none', async () => {
    expect(await callAs(1)).toBe('found');
    expect(await callAs(2)).toBe('SESSION_NOT_FOUND');
  });

  test('is found again by its key alone, when another daemon has come', async () => {
    const key = 'k'.repeat(32);
    const ids: string[] = [];
    for (const round of [1, 2]) {
      const { stage, stop } = await startStage({
        caller: () => ({ ...UNKNOWN_PROCESS, pid: round, uid: ownUid, program: '/bin/sh', actsFor: 'agent' }),
      });
      const open = async (more: Record<string, unknown>): Promise<string> => {
        const body = { clientName: 'one', clientVersion: '1', ...more };
        const { json } = await overSocket(stage.server.socket, '/api/mcp-sessions', { method: 'POST', body });
        return (json as { sessionId: string }).sessionId;
      };
      if (round === 2) {
        const call = { method: 'POST', body: { callId: 'call_1', name: 'browser_snapshot', arguments: {} } };
        const { json } = await overSocket(stage.server.socket, `/api/mcp-sessions/${ids[0]}/call`, call);
        expect(json).toMatchObject({ code: 'SESSION_NOT_FOUND' });
      }
      ids.push(await open({ key }), await open({ key: 'l'.repeat(32) }), await open({}));
      expect(stage.bridge.started).toContain(ids.at(-3));
      await stop();
    }

    expect(ids[3]).toBe(ids[0]);
    expect(ids[0]).not.toContain(key);
    expect(ids[4]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(4);
  });

  test('has its call in the audit when it has the answer', async ({ stage }) => {
    const opened = await overSocket(stage.server.socket, '/api/mcp-sessions', {
      method: 'POST',
      body: { clientName: 'one', clientVersion: '1' },
    });
    const { sessionId } = opened.json as { sessionId: SessionId };
    const call = { method: 'POST', body: { callId: 'call_1', name: 'browser_snapshot', arguments: {} } };
    const isKept = (): boolean => stage.logged.some(({ event }) => event === 'tool.called' || event === 'tool.failed');

    for (const address of ['/api/audit', '/api/calls']) {
      stage.logged.splice(0);
      await overSocket(stage.server.socket, `/api/mcp-sessions/${sessionId}/call`, call);
      const { status } = await overSocket(stage.server.socket, address);

      expect([address, status, isKept()]).toEqual([address, 200, true]);
    }
  });

  test('goes on when its hold was cut and comes back, also before the cut was noticed', async ({ stage }) => {
    const opened = await overSocket(stage.server.socket, '/api/mcp-sessions', {
      method: 'POST',
      body: { clientName: 'one', clientVersion: '1' },
    });
    const { sessionId } = opened.json as { sessionId: SessionId };

    const first = await hold(stage.server.socket, sessionId);
    first.cut();
    await expect.poll(() => stage.bridge.started).toEqual([]);
    const second = await hold(stage.server.socket, sessionId);
    const third = await hold(stage.server.socket, sessionId);
    second.cut();
    await expect.poll(() => stage.server.streamCount()).toBe(1);

    expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
    expect(stage.bridge.started).toEqual([sessionId]);
    third.cut();
  });
});

describe('a caller of another user', () => {
  test.override({ who: { uid: ownUid + 1 } });

  test('is refused everything', async ({ stage }) => {
    expect(await overSocket(stage.server.socket, '/health')).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
    expect(await upgradeLink(stage.server.socket)).toBe(403);
    expect(stage.handled()).toBe(0);
  });
});

const hold = (socketPath: string, sessionId: SessionId): Promise<{ status: number | undefined; cut: () => void }> =>
  new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: `/api/mcp-sessions/${sessionId}/hold`, agent: false }, (response) => {
      // The cut itself is an error of the response.
      response.on('error', () => {}).resume();
      resolve({ status: response.statusCode, cut: () => sent.destroy() });
    });
    sent.on('error', reject).end();
  });

const upgradeLink = (socketPath: string, path = '/link', upgrade = 'pilotfish-link'): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, agent: false, headers: { connection: 'Upgrade', upgrade } });
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });

describe('the panel of a browser that the person has not let in', () => {
  const arrive = (stage: Stage, origin: 'browser' | 'program' = 'browser') => {
    const { id } = stage.admissions.meet(comer(`new-${origin}`, { origin }));
    return { id, token: stage.tokens.issue({ type: 'panel', browserId: BrowserId.parse('browser_1'), admissionId: id }) };
  };
  const decide = (stage: Stage, id: string, token: string): Promise<Response> =>
    stage.fetch(`/api/admissions/${id}`, { method: 'POST', body: { isAllowed: true }, token });

  serverTest('reads nothing, changes nothing and opens no stream', async ({ stage }) => {
    const { token } = arrive(stage);
    const open = [];
    for (const { method, url } of stage.routes) {
      const { status } = await stage.fetch(url.replaceAll(/:\w+/g, 'x'), { method, token, ...(method === 'GET' ? {} : { body: {} }) });
      if (status !== 403) open.push(`${method} ${url} ${status}`);
    }

    expect(open).toEqual(['POST /api/admissions/:id 400']);
  });

  serverTest('lets its own browser in, and then all is open to it', async ({ stage }) => {
    const { id, token } = arrive(stage);
    expect((await stage.fetch('/api/status', { token })).status).toBe(403);

    const answer = await decide(stage, id, token);

    expect(answer.status).toBe(200);
    expect((await stage.fetch('/api/status', { token })).status).toBe(200);
    expect(stage.audited.map(({ what }) => what)).toContain(`POST /api/admissions/${id}`);
  });

  serverTest('lets in no other, nor itself when no browser has started it, nor when it was turned away', async ({ stage }) => {
    const [own, foreign] = [arrive(stage), arrive(stage, 'program')];
    const refused = [
      await decide(stage, foreign.id, own.token),
      await decide(stage, foreign.id, foreign.token),
      await decide(stage, 'nobody', own.token),
    ];
    stage.admissions.decide(own.id, false);
    refused.push(await decide(stage, own.id, own.token));

    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(stage.admissions.isAllowed(foreign.id)).toBe(false);
    expect((await decide(stage, foreign.id, stage.panelToken)).status).toBe(200);
  });

  serverTest('whose admission is taken back loses the streams that it has open', async ({ stage }) => {
    const { id, token } = arrive(stage);
    await decide(stage, id, token);
    const stream = (await stage.fetch('/api/events', { token })).body?.getReader();
    await stream?.read();

    stage.admissions.remove(id);

    await expect(
      (async () => {
        while ((await stream?.read())?.done === false);
      })(),
    ).rejects.toThrow();
    expect((await stage.fetch('/api/status', { token })).status).toBe(403);
  });
});

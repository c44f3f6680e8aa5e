import { describe, expect } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { overSocket, test } from './stage.ts';

/** Every route with what it is for. A route that is missing here fails the build: look at what it opens before you add it (S05). */
const ROUTES: Readonly<Record<string, 'api' | 'private' | 'mcp'>> = {
  'GET /agent/projects': 'api',
  'POST /agent/projects': 'api',
  'DELETE /agent/projects/:projectId': 'api',
  'POST /agent/projects/validate-path': 'api',
  'POST /agent/projects/create-directory': 'api',
  'GET /agent/projects/default-workspace': 'api',
  'POST /agent/projects/default-root': 'api',
  'GET /agent/sessions': 'api',
  'GET /agent/projects/:projectId/sessions': 'api',
  'POST /agent/projects/:projectId/sessions': 'api',
  'GET /api/projects/:projectId/agent-sessions': 'api',
  'POST /api/projects/:projectId/agent-sessions': 'api',
  'GET /agent/sessions/:sessionId': 'api',
  'PATCH /agent/sessions/:sessionId': 'api',
  'DELETE /agent/sessions/:sessionId': 'api',
  'GET /api/agent-sessions/:sessionId': 'api',
  'DELETE /api/agent-sessions/:sessionId': 'api',
  'GET /agent/sessions/:sessionId/history': 'api',
  'GET /agent/chat/:sessionId/history': 'api',
  'POST /agent/sessions/:sessionId/reset': 'api',
  'GET /api/agent-sessions/:sessionId/attachments/:attachmentId': 'api',
  'POST /agent/chat/:sessionId/act': 'api',
  'POST /api/agent-sessions/:sessionId/message': 'api',
  'DELETE /agent/chat/:sessionId': 'api',
  'DELETE /agent/chat/:sessionId/cancel': 'api',
  'DELETE /agent/chat/:sessionId/cancel/:requestId': 'api',
  'DELETE /api/agent-sessions/:sessionId/tasks/:itemId': 'api',
  'GET /api/agent-sessions/:sessionId/items/:itemId/output': 'api',
  'GET /agent/chat/:projectId/messages': 'api',
  'GET /agent/chat/:sessionId/stream': 'api',
  'GET /api/agent-sessions/:sessionId/events': 'api',
  'POST /api/agent-sessions/:sessionId/requests/:requestId': 'api',
  'GET /agent/engines': 'api',
  'POST /api/engines/refresh': 'api',
  'GET /api/engines': 'api',
  'POST /api/engines': 'private',
  'DELETE /api/engines/:name': 'private',
  'GET /api/engines/:name/settings': 'api',
  'PUT /api/engines/:name/settings': 'api',
  'PUT /api/engines/:name/secrets/:secretName': 'api',
  'GET /health': 'api',
  'GET /ping': 'api',
  'GET /api/status': 'api',
  'GET /api/events': 'api',
  'POST /api/tickets': 'api',
  'GET /mcp': 'mcp',
  'POST /mcp': 'mcp',
  'DELETE /mcp': 'mcp',
  'POST /api/mcp-sessions': 'private',
  'GET /api/mcp-sessions/:sessionId/hold': 'private',
  'DELETE /api/mcp-sessions/:sessionId': 'private',
  'POST /api/mcp-sessions/:sessionId/call': 'private',
  'GET /api/mcp-config': 'private',
  'GET /api/grants': 'api',
  'DELETE /api/grants/:id': 'api',
  'GET /api/trust': 'api',
  'DELETE /api/trust': 'api',
  'GET /api/roots': 'private',
  'POST /api/roots': 'private',
  'DELETE /api/roots': 'private',
  'POST /api/shutdown': 'private',
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];

const toPath = (url: string): string => url.replaceAll(/:\w+/g, 'x');

describe('routes', () => {
  test('S05: the router has exactly the routes that this test knows', ({ stage }) => {
    const found = stage.routes.map(({ method, url }) => `${method} ${url}`);

    expect(found.toSorted()).toEqual(Object.keys(ROUTES).toSorted());
  });

  test('S05: no route answers any method without a good token, nor with one in the query', async ({ stage }) => {
    const expired = stage.sessionToken(SessionId.parse('session_gone'));
    stage.tokens.revoke(expired);
    const attempts = [...new Set(stage.routes.map((route) => toPath(route.url)))].flatMap((url) =>
      METHODS.flatMap((method) => [
        { name: 'none', method, url, token: null },
        { name: 'wrong', method, url, token: 'x'.repeat(43) },
        { name: 'expired', method, url, token: expired },
        { name: 'query', method, url: `${url}?token=${stage.panelToken}&access_token=${stage.panelToken}`, token: null },
      ]),
    );
    const answers: string[] = [];

    // Many at once, since each guess after the twentieth in a second is answered a second later.
    while (attempts.length > 0) {
      await Promise.all(
        attempts.splice(0, 200).map(async ({ name, method, url, token }) => {
          const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
          const { status } = await stage.fetch(url, { method, body, token });
          if (status !== 401) answers.push(`${method} ${url} ${name}: ${status}`);
        }),
      );
    }

    expect(answers).toEqual([]);
    expect(stage.handled()).toBe(0);
  }, 60_000);

  test('S10: a token opens the routes of its scope only', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const sessionToken = stage.sessionToken(sessionId);
    const wrong: string[] = [];

    for (const [route, scope] of Object.entries(ROUTES)) {
      const [method = '', url = ''] = route.split(' ');
      const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
      const abort = new AbortController();
      for (const [who, token] of [
        ['panel', stage.panelToken],
        ['session', sessionToken],
      ] as const) {
        const isAllowed = scope === (who === 'panel' ? 'api' : 'mcp');
        const response = await fetch(stage.base + toPath(url), {
          method,
          headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: '{}' }),
          signal: abort.signal,
        });
        if ((response.status === 403) === isAllowed) wrong.push(`${who} ${route}: ${response.status}`);
      }
      abort.abort();
    }

    expect(wrong).toEqual([]);
  });

  test('S10: on the private socket the rights of its file stand for the token, but MCP still needs one', async ({ stage }) => {
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

import { describe, expect, test as plain, vi } from 'vitest';
import { BrowserId } from '#protocol/ids.ts';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import { Tokens } from '#companion/mcp/tokens.ts';
import { guard } from '#companion/server/doors.ts';
import { checkRequest, type GateHeaders } from '#companion/server/gate.ts';
import { isTooDeep } from '#companion/server/json-body.ts';
import { test } from './stage.ts';

const PORT = 56_889;
const tokens = new Tokens();
const panel = { type: 'panel', browserId: BrowserId.parse('browser_1'), admissionId: 'admission_1' } as const;
const good = { host: [`127.0.0.1:${PORT}`], authorization: [`Bearer ${tokens.issue(panel)}`] };

const statusOf = (headers: GateHeaders, over: { url?: string; method?: string; door?: 'private' } = {}): number => {
  const { door = 'loopback', url = '/api/status', method = 'GET' } = over;
  const answer = checkRequest({ door, port: PORT, method, url, headers, tokens });
  return 'refuse' in answer ? answer.refuse.status : 200;
};

describe('the gate', () => {
  plain('lets in a program with a token', () => {
    expect(checkRequest({ door: 'loopback', port: PORT, method: 'GET', url: '/api/status', headers: good, tokens })).toEqual({
      principal: panel,
    });
    expect(statusOf({ ...good, host: [`localhost:${PORT}`] })).toBe(200);
  });

  plain('lets in our extension, with and without host permission', () => {
    const withPermission = { 'sec-fetch-site': ['none'], 'sec-fetch-mode': ['cors'], 'sec-fetch-dest': ['empty'] };
    const without = { ...withPermission, 'sec-fetch-site': ['cross-site'], origin: [EXTENSION_ORIGIN] };

    expect(statusOf({ ...good, ...withPermission })).toBe(200);
    expect(statusOf({ ...good, ...without })).toBe(200);
  });

  plain.for([
    [['evil.com']],
    [[`rebind.evil.com:${PORT}`]],
    [[`127.0.0.1.evil.com:${PORT}`]],
    [[`0.0.0.0:${PORT}`]],
    [[`[::ffff:127.0.0.1]:${PORT}`]],
    [[`[::1]:${PORT}`]],
    [[`LOCALHOST:${PORT}`]],
    [[`127.1:${PORT}`]],
    [[`127.0.0.1:${PORT + 1}`]],
    [['127.0.0.1']],
    [[` 127.0.0.1:${PORT}`]],
    [['']],
    [[]],
    [[`127.0.0.1:${PORT}`, `127.0.0.1:${PORT}`]],
    [[`127.0.0.1:${PORT}`, 'evil.com']],
  ])('refuses the Host %j', ([host]) => {
    expect(statusOf({ ...good, host })).toBe(403);
  });

  plain('lets a browser that is elsewhere come to the link only, by our extension only, and to a place that was named', () => {
    const ask = (headers: GateHeaders, url = '/link', remote: 'paired' | 'pairing' | null = 'pairing'): number | string => {
      const answer = checkRequest({
        door: 'loopback',
        port: PORT,
        method: 'GET',
        url,
        headers,
        tokens,
        remoteHost: (host) => (host === '127.0.0.1:7777' ? remote : null),
      });
      return 'refuse' in answer ? answer.refuse.status : answer.principal.type;
    };
    const link = { host: ['127.0.0.1:7777'], origin: [EXTENSION_ORIGIN], upgrade: ['websocket'] };

    expect(ask(link)).toBe('nobody');
    // Neither of these is behind the key that is proven there.
    expect(ask(link, '/api/status')).toBe(403);
    expect(ask(link, '/link/x')).toBe(403);
    expect(ask({ ...link, upgrade: undefined })).toBe(403);
    expect(ask({ ...link, origin: undefined })).toBe(403);
    expect(ask({ ...link, origin: ['http://127.0.0.1:7777'] })).toBe(403);
    expect(ask({ ...link, host: ['evil.com'] })).toBe(403);
    expect(ask({ ...link, host: ['127.0.0.1:7777', 'evil.com'] })).toBe(403);
    // Its panel comes with the token that it gets over the link, once it is paired.
    expect(ask({ ...good, host: ['127.0.0.1:7777'] }, '/api/status')).toBe(403);
    expect(ask({ ...good, host: ['127.0.0.1:7777'] }, '/api/status', 'paired')).toBe('panel');
    expect(ask({ host: ['127.0.0.1:7777'], origin: [EXTENSION_ORIGIN] }, '/api/status', 'paired')).toBe(401);
    // While nobody has paired or is pairing anything there is no such door.
    expect(ask(link, '/link', null)).toBe(403);
    expect(ask({ ...link, host: good.host })).toBe(401);
  });

  plain.for([
    'null',
    'http://localhost',
    `http://localhost:${PORT}`,
    `http://127.0.0.1:${PORT}`,
    'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    `${EXTENSION_ORIGIN}/`,
    `${EXTENSION_ORIGIN}.evil.com`,
    EXTENSION_ORIGIN.toUpperCase(),
    'https://evil.example',
    '',
  ])('refuses the Origin %j', (origin) => {
    expect(statusOf({ ...good, origin: [origin] })).toBe(403);
    expect(statusOf({ ...good, origin: [EXTENSION_ORIGIN, origin] })).toBe(403);
  });

  plain.for([
    { 'sec-fetch-mode': ['navigate'] },
    { 'sec-fetch-mode': ['no-cors'] },
    { 'sec-fetch-mode': ['same-origin'] },
    { 'sec-fetch-dest': ['document'] },
    { 'sec-fetch-dest': ['iframe'] },
    { 'sec-fetch-dest': ['image'] },
    { 'sec-fetch-dest': ['script'] },
    { 'sec-fetch-dest': ['style'] },
    { 'sec-fetch-site': ['same-site'] },
    { 'sec-fetch-site': ['same-origin'] },
    { 'sec-fetch-site': ['cross-site'] },
  ])('refuses what a page makes a browser fetch: %j', (headers) => {
    expect(statusOf({ ...good, ...headers })).toBe(403);
  });

  plain('refuses a missing, malformed, unknown, doubled or revoked token', () => {
    const revoked = tokens.issue(panel);
    tokens.revoke(revoked);
    const { authorization } = good;

    expect(statusOf({ host: good.host })).toBe(401);
    for (const value of [
      '',
      'Bearer',
      'Bearer ',
      'Bearer x',
      `Basic ${authorization[0]?.slice(7)}`,
      authorization[0]?.slice(7) ?? '',
      `Bearer ${revoked}`,
    ]) {
      expect(statusOf({ ...good, authorization: [value] }), value).toBe(401);
    }
    expect(statusOf({ ...good, authorization: [...authorization, ...authorization] })).toBe(401);
  });

  plain('a token in the address is none', () => {
    expect(statusOf({ host: good.host }, { url: `/api/status?token=${authorizationToken()}` })).toBe(401);
  });

  plain.for([
    { 'content-type': ['text/plain'], 'content-length': ['2'] },
    { 'content-type': ['application/x-www-form-urlencoded'], 'content-length': ['2'] },
    { 'content-type': ['multipart/form-data; boundary=x'], 'content-length': ['2'] },
    { 'content-type': ['application/json, text/plain'], 'content-length': ['2'] },
    { 'content-type': ['application/json', 'application/json'], 'content-length': ['2'] },
    { 'content-type': ['application/json; charset=utf-16'], 'content-length': ['2'] },
    { 'content-type': ['application/jsonp'], 'content-length': ['2'] },
    { 'content-length': ['2'] },
    { 'transfer-encoding': ['chunked'] },
    { 'content-type': ['text/plain'] },
    { 'content-type': ['application/json'], 'content-length': ['2'], 'content-encoding': ['gzip'] },
    { 'content-type': ['application/json'], 'transfer-encoding': ['gzip, chunked'] },
  ])('takes JSON in the open only, not %j', (headers) => {
    expect(statusOf({ ...good, ...headers }, { method: 'POST' })).toBe(415);
    expect(statusOf(headers, { method: 'POST', door: 'private' })).toBe(415);
  });

  plain('refuses a body above the limit by its announced length', () => {
    const json = { ...good, 'content-type': ['application/json; charset=utf-8'] };

    expect(statusOf({ ...json, 'content-length': [String(8 * 1024 * 1024)] }, { method: 'POST' })).toBe(200);
    expect(statusOf({ ...json, 'content-length': [String(8 * 1024 * 1024 + 1)] }, { method: 'POST' })).toBe(413);
  });

  plain('refuses a target that is no path, and methods that make proxies', () => {
    expect(statusOf(good, { url: 'http://127.0.0.1/api/status' })).toBe(400);
    expect(statusOf(good, { url: '*' })).toBe(400);
    expect(statusOf(good, { method: 'TRACE' })).toBe(400);
  });

  plain('requests and upgrades pass the same function', () => {
    const passed: string[] = [];
    const watched = {
      redeemTicket: (ticket: string, path: string) => tokens.redeemTicket(ticket, path),
      check: (token: string) => {
        passed.push(token);
        return tokens.check(token);
      },
    };
    const listeners = guard({
      door: 'loopback',
      port: () => PORT,
      tokens: watched,
      wrongTokens: { seen: () => Promise.resolve() },
      log: { info: () => {}, warn: () => {}, error: () => {}, close: () => {} },
      inside: { request: () => passed.push('request'), upgrade: () => passed.push('upgrade') },
    });
    const message = { method: 'GET', url: '/x', headersDistinct: { ...good } } as never;

    listeners.request(message, {} as never);
    listeners.upgrade(message, { on: () => {} } as never, Buffer.alloc(0));

    expect(passed).toEqual([authorizationToken(), 'request', authorizationToken(), 'upgrade']);
  });

  plain('tokens have 256 bits and are never the same', () => {
    const made = new Set(Array.from({ length: 1000 }, () => new Tokens().issue(panel)));

    expect(made.size).toBe(1000);
    for (const token of made) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });

  plain('a ticket opens the one stream that it was made for, once, and nothing else', () => {
    const url = '/agent/chat/s/stream';
    const { host } = good;
    const webSocket = (ticket: string) => ({ host, upgrade: ['websocket'], 'sec-websocket-protocol': [`pilotfish.v1, ticket.${ticket}`] });
    const [one, two, three, four] = Array.from({ length: 4 }, () => tokens.issueTicket(panel, url));
    const inQuery = (ticket = ''): string => `${url}?after=1&ticket=${ticket}`;

    expect([1, 2].map(() => statusOf(webSocket(one ?? ''), { url }))).toEqual([200, 401]);
    expect([1, 2].map(() => statusOf({ host }, { url: inQuery(two) }))).toEqual([200, 401]);
    expect(statusOf({ host }, { url: inQuery(three).replace('/s/', '/other/') })).toBe(401);
    expect(statusOf({ host }, { url: inQuery(four), method: 'POST' })).toBe(401);
    expect(statusOf({ host, origin: ['https://evil.example'] }, { url: inQuery(four) })).toBe(403);
    expect(statusOf({ host, 'sec-fetch-site': ['cross-site'] }, { url: inQuery(four) })).toBe(403);
    expect(statusOf({ host }, { url: inQuery(four) })).toBe(200);
  });

  plain('without a token only the question is answered whether a daemon is there, and never to a web page', () => {
    const { host } = good;

    expect(statusOf({ host }, { url: '/health' })).toBe(200);
    expect(statusOf({ host }, { url: '/health?x=1' })).toBe(200);
    expect(statusOf({ host }, { url: '/health/' })).toBe(401);
    expect(statusOf({ host }, { url: '/health', method: 'POST' })).toBe(401);
    expect(statusOf({ host, upgrade: ['websocket'] }, { url: '/health' })).toBe(401);
    expect(statusOf({ host, authorization: ['Bearer wrong'] }, { url: '/health' })).toBe(401);
    expect(statusOf({ host, origin: ['https://evil.example'] }, { url: '/health' })).toBe(403);
    expect(statusOf({ host, 'sec-fetch-site': ['cross-site'] }, { url: '/health' })).toBe(403);
    expect(statusOf({ host, 'sec-fetch-mode': ['no-cors'] }, { url: '/health' })).toBe(403);
  });

  plain('a ticket is stale after half a minute', () => {
    let now = 0;
    const clocked = new Tokens(() => now);
    const ticket = clocked.issueTicket(panel, '/x');

    now = 30_000;

    expect(clocked.redeemTicket(ticket, '/x')).toBeNull();
  });

  plain('a ticket lives half a minute also when the clock jumps eight hours ahead or one back', () => {
    vi.useFakeTimers();
    try {
      const made = new Tokens();
      const [first, second] = [made.issueTicket(panel, '/x'), made.issueTicket(panel, '/x')];

      vi.setSystemTime(Date.now() + 8 * 3_600_000);
      expect(made.redeemTicket(first, '/x')).toEqual(panel);
      vi.setSystemTime(Date.now() - 9 * 3_600_000);
      vi.advanceTimersByTime(30_000);
      expect(made.redeemTicket(second, '/x')).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the depth of JSON', () => {
  plain('counts brackets, and none inside strings', () => {
    expect(isTooDeep('['.repeat(64) + ']'.repeat(64))).toBe(false);
    expect(isTooDeep('['.repeat(65) + ']'.repeat(65))).toBe(true);
    expect(isTooDeep('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toBe(true);
    expect(isTooDeep(JSON.stringify({ a: '['.repeat(1000), b: '\\"[[[', c: '"\\' }))).toBe(false);
    expect(isTooDeep('[],'.repeat(1000))).toBe(false);
    expect(isTooDeep(`"${'\\'.repeat(9)}"${'['.repeat(65)}`)).toBe(false);
    expect(isTooDeep(`"${'\\'.repeat(8)}"${'['.repeat(65)}`)).toBe(true);
  });

  test('is refused before anything is built from it', async ({ stage }) => {
    const deep = (depth: number): string => `{"name":"x","rootPath":"/x","description":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const post = async (body: string): Promise<unknown> => {
      const response = await fetch(`${stage.base}/agent/projects`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stage.panelToken}`, 'content-type': 'application/json' },
        body,
      });
      return { status: response.status, text: await response.text() };
    };

    expect(await post(deep(65))).toMatchObject({ status: 400, text: expect.stringContaining('levels deep') });
    expect(await post(deep(3))).toMatchObject({ status: 400, text: expect.stringContaining('description') });
    expect(await post('['.repeat(4_000_000))).toMatchObject({ status: 400 });
    expect(await post('{"name":')).toMatchObject({ status: 400 });
  });

  test('names that reach prototypes are inert', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const response = await fetch(`${stage.base}/agent/sessions/${sessionId}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${stage.panelToken}`, 'content-type': 'application/json' },
      body: '{"name":"n","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"allowedTools":[]}',
    });

    expect(response.status).toBe(200);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(stage.sessions.commands).toEqual([{ type: 'session.update', sessionId, name: 'n', settings: { allowedTools: [] } }]);
  });
});

const authorizationToken = (): string => good.authorization[0]?.slice(7) ?? '';

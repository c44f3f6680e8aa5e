import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { sendRaw, test, type Stage } from './stage.ts';

const head = (stage: Stage, lines: string[] = [], path = '/api/status', method = 'GET'): string =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${stage.server.port}`,
    `Authorization: Bearer ${stage.panelToken}`,
    ...lines,
    '',
    '',
  ].join('\r\n');

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

describe('the wire', () => {
  test('nothing listens but 127.0.0.1', async ({ stage }) => {
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address !== undefined && address.address !== '127.0.0.1')
      .map((address) => address?.address ?? '');

    for (const address of [...others, '::1', '127.0.0.2']) {
      const code = await new Promise((resolve) => {
        const socket = connect({ port: stage.server.port, host: address }, () => resolve('connected'));
        socket.on('error', (error) => resolve('code' in error ? error.code : error.message));
      });
      expect(['ECONNREFUSED', 'EADDRNOTAVAIL', 'ENETUNREACH', 'EINVAL'], address).toContain(code);
    }
  });

  test('a Host that is missing, doubled or spread out reaches no handler', async ({ stage }) => {
    const { port } = stage.server;
    const token = `Authorization: Bearer ${stage.panelToken}`;
    const good = `Host: 127.0.0.1:${port}`;
    for (const lines of [
      [token],
      [good, good, token],
      [good, 'Host: evil.com', token],
      ['Host: evil.com', good, token],
      [`Host: rebind.evil.com:${port}`, token],
      [`Host: 0.0.0.0:${port}`, token],
      [`Host: 127.0.0.1:${port}.evil.com`, token],
      [`Host : 127.0.0.1:${port}`, token],
      [`Host: 127.0.0.1`, ` :${port}`, token],
    ]) {
      const answer = await sendRaw(port, ['GET /api/status HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n'));
      expect([400, 403], `${lines.join(' | ')}\n${answer}`).toContain(statusOf(answer));
    }
    expect(
      statusOf(await sendRaw(port, `GET http://evil.com/api/status HTTP/1.1\r\n${good}\r\n${token}\r\nConnection: close\r\n\r\n`)),
    ).toBe(400);
    expect(statusOf(await sendRaw(port, `GET /api/status HTTP/1.0\r\n${token}\r\n\r\n`))).toBe(403);
    expect(stage.handled()).toBe(0);
  });

  test('no answer names an origin that may read it', async ({ stage }) => {
    const origin = { origin: 'https://evil.example' };
    for (const route of stage.routes) {
      const url = route.url.replaceAll(/:\w+/g, 'x');
      for (const method of ['OPTIONS', route.method]) {
        const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
        const preflight = { 'access-control-request-method': 'POST', 'access-control-request-private-network': 'true' };
        const response = await stage.fetch(url, { method, body, headers: { ...origin, ...(method === 'OPTIONS' ? preflight : {}) } });
        expect(response.status, `${method} ${url}`).toBe(403);
        expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
        await response.arrayBuffer();
      }
    }
    expect(stage.handled()).toBe(0);
  });

  test('smuggling by two lengths, bare newlines and obsolete folding ends the connection', async ({ stage }) => {
    const { port } = stage.server;
    const json = 'Content-Type: application/json';
    const smuggled = `GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${stage.panelToken}\r\n\r\n`;
    for (const request of [
      head(stage, [json, 'Content-Length: 2', 'Transfer-Encoding: chunked'], '/agent/projects', 'POST') + `0\r\n\r\n${smuggled}`,
      head(stage, [json, 'Transfer-Encoding: chunked', 'Content-Length: 2'], '/agent/projects', 'POST') + `0\r\n\r\n${smuggled}`,
      head(stage, [json, 'Content-Length: 2', 'Content-Length: 3'], '/agent/projects', 'POST') + '{}',
      head(stage, [json, 'Transfer-Encoding: xchunked'], '/agent/projects', 'POST') + `0\r\n\r\n${smuggled}`,
      head(stage, [json, 'Transfer-Encoding : chunked'], '/agent/projects', 'POST') + `0\r\n\r\n${smuggled}`,
      head(stage).replaceAll('\r\n', '\n'),
      head(stage, ['X: a\nY: b']),
      head(stage, ['X: a\0b']),
      head(stage, ['X:a', ' folded: b']),
    ]) {
      const answer = await sendRaw(port, request);
      expect([400, 403, 415], answer).toContain(statusOf(answer));
      expect(answer.match(/HTTP\/1\.1/g), answer).toHaveLength(1);
    }
    expect(stage.handled()).toBe(0);
  });

  test('who waits to be told to send a body is told so only behind the gate', async ({ stage }) => {
    const body = JSON.stringify({ path: '/api/agent-sessions/s/stream' });
    const post = (token: string, ...lines: string[]): Promise<string> =>
      sendRaw(
        stage.server.port,
        [
          'POST /api/tickets HTTP/1.1',
          `Host: 127.0.0.1:${stage.server.port}`,
          `Authorization: Bearer ${token}`,
          `Content-Length: ${body.length}`,
          'Connection: close',
          ...lines,
          '',
          body,
        ].join('\r\n'),
      );
    const json = 'Content-Type: application/json';

    const refused = [
      await post('wrong', json, 'Expect: 100-continue'),
      await post('wrong', json, 'Expect: something'),
      await post(stage.panelToken, 'Content-Type: text/plain', 'Expect: 100-continue'),
    ];
    const taken = await post(stage.panelToken, json, 'Expect: 100-continue');

    expect(refused.map(statusOf)).toEqual([401, 401, 415]);
    expect(taken).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    expect(statusOf(await post(stage.panelToken, json, 'Expect: something'))).toBe(200);
  });

  test('an address that takes other methods names them', async ({ stage }) => {
    const ask = async (method: string, url: string) => {
      const response = await stage.fetch(url, { method });
      const body = await response.text();
      return [response.status, response.headers.get('allow'), body === '' ? '' : (JSON.parse(body) as { code: string }).code];
    };

    expect(await ask('PUT', '/agent/sessions/none')).toEqual([405, 'GET, PATCH, DELETE', 'METHOD_WRONG']);
    expect(await ask('GET', '/agent/chat/none/act')).toEqual([405, 'POST', 'METHOD_WRONG']);
    expect(await ask('OPTIONS', '/agent/projects')).toEqual([405, 'GET, POST', 'METHOD_WRONG']);
    expect(await ask('HEAD', '/health')).toEqual([405, 'GET', '']);
    expect(await ask('PUT', '/agent/nothing')).toEqual([404, null, 'ROUTE_NOT_FOUND']);
    for (const url of ['/api/projects/', '/agent/sessions/', '/agent/sessions//history', '/agent/chat/none/act/', '//health'])
      for (const method of ['GET', 'DELETE']) expect(await ask(method, url), `${method} ${url}`).toEqual([404, null, 'ROUTE_NOT_FOUND']);
  });

  test('a header of 200 KB is refused', async ({ stage }) => {
    expect(statusOf(await sendRaw(stage.server.port, head(stage, [`X: ${'x'.repeat(200_000)}`])))).toBe(431);
  });

  test(
    'with 200 connections that never finish their headers, a good request is answered before any of them ends',
    { tags: 'whole' },
    async ({ stage }) => {
      const { port } = stage.server;
      await stage.fetch('/ping');
      const slow = await Promise.all(
        Array.from(
          { length: 200 },
          () =>
            new Promise<{ ended: Promise<void> }>((resolve) => {
              const socket = connect(port, '127.0.0.1', () => {
                socket.write('GET /api/status HTTP/1.1\r\nHost:');
                resolve({ ended });
              });
              const ended = new Promise<void>((done) => socket.once('close', () => done()));
              socket.on('error', () => {});
              socket.resume();
            }),
        ),
      );

      let endedCount = 0;
      for (const { ended } of slow) void ended.then(() => (endedCount += 1));
      const response = await stage.fetch('/api/status');
      const endedBefore = endedCount;
      await Promise.all(slow.map(({ ended }) => ended));

      expect(response.status).toBe(200);
      expect(endedBefore).toBe(0);
    },
  );

  test('not more than 256 connections are held', async ({ stage }) => {
    let refused = 0;
    const surplus = Promise.withResolvers<void>();
    const sockets = Array.from({ length: 300 }, () =>
      connect(stage.server.port, '127.0.0.1')
        .on('error', () => {})
        .resume()
        .once('close', () => {
          refused += 1;
          if (refused === 300 - 256) surplus.resolve();
        }),
    );

    await surplus.promise;
    const closed = sockets.map(
      (socket) => new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve()))),
    );
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);

    expect((await stage.fetch('/ping')).status).toBe(200);
  });

  test('a body of 64 MiB is refused and not kept in memory', async ({ stage }) => {
    const { port } = stage.server;
    const handled = stage.handled() + 1;
    const mebibyte = Buffer.alloc(1024 * 1024, 0x20);
    await stage.fetch('/ping');
    const send = (lines: string[], chunked: boolean): Promise<number> =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1');
        let answer = '';
        socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
        socket.on('error', () => {});
        socket.on('close', () => resolve(statusOf(answer)));
        socket.write(head(stage, ['Content-Type: application/json', ...lines], '/agent/projects', 'POST'));
        const push = (left: number): void => {
          if (left === 0 || socket.destroyed || !socket.writable) return;
          if (chunked) socket.write('100000\r\n');
          socket.write(mebibyte, () => push(left - 1));
          if (chunked) socket.write('\r\n');
        };
        push(64);
      });

    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let highest = before;
    const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 1);
    const statuses = [await send([`Content-Length: ${64 * 1024 * 1024}`], false), await send(['Transfer-Encoding: chunked'], true)];
    clearInterval(watch);

    expect(statuses).toEqual([413, 413]);
    // Half of one of the two bodies: what is read and thrown away waits for the collector.
    expect((highest - before) / 1024 / 1024).toBeLessThan(32);
    expect(stage.handled()).toBe(handled);
  });

  test('a client that goes on sending its body after the refusal can still read why', async ({ stage }) => {
    // How long it is listened to is in the hand of the test: a busy machine may take longer over the sending.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const json = ['Content-Type: application/json', `Content-Length: ${64 * 1024 * 1024}`];
    const socket = connect(stage.server.port, '127.0.0.1').pause();
    const failed: Error[] = [];
    socket.on('error', (error) => failed.push(error));
    socket.write(head(stage, json, '/agent/projects', 'POST'));
    await expect.poll(() => stage.logged.some(({ event, fields }) => event === 'gate.refused' && fields['status'] === 413)).toBe(true);

    for (let sent = 0; sent < 8; sent += 1) await new Promise((resolve) => socket.write(Buffer.alloc(1024 * 1024, 0x20), resolve));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).resume();
    await new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())));

    expect(failed).toEqual([]);
    expect(statusOf(answer)).toBe(413);
  });

  test('what follows a refusal on the same connection is never taken for a request', async ({ stage }) => {
    const handled = stage.handled();
    const refused = head(stage, ['Content-Type: text/plain', 'Content-Length: 2'], '/agent/projects', 'POST');

    const answer = await sendRaw(stage.server.port, `${refused}{}${head(stage, ['Connection: close'])}`);

    expect(answer.match(/HTTP\/1\.1/g), answer).toHaveLength(1);
    expect(statusOf(answer)).toBe(415);
    expect(stage.handled()).toBe(handled);
  });

  test('no token is logged', async ({ stage }) => {
    const session = stage.sessionToken(stage.sessions.create());
    await stage.fetch('/api/status', { token: 'a-wrong-token' });
    await stage.fetch(`/nothing?token=${stage.panelToken}`);
    await stage.fetch('/mcp', { method: 'POST', body: {}, token: session });

    const log = JSON.stringify(stage.logged);
    for (const secret of [stage.panelToken, session, 'a-wrong-token']) expect(log).not.toContain(secret);
  });

  test('a client that offers h2c is answered in HTTP/1.1', async ({ stage }) => {
    const answer = await sendRaw(
      stage.server.port,
      head(stage, ['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']),
    );

    expect(statusOf(answer)).toBe(200);
  });
});

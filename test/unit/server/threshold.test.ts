import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished } from 'vitest';
import { nullLog } from '#companion/lib/log.ts';
import { Threshold } from '#companion/server/threshold.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { test, type Stage } from './stage.ts';

const NOBODY = 65_534;
const EACH = 334;

/** As a browser or a program has it: a connection of its own, and the time until the answer. */
const timeOfGoodClient = ({ server, panelToken }: Stage): Promise<{ status: number | undefined; ms: number }> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const headers = { authorization: `Bearer ${panelToken}` };
    request({ host: '127.0.0.1', port: server.port, path: '/api/status', agent: false, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, ms: performance.now() - startedAt }));
    })
      .on('error', reject)
      .end();
  });

/** Opens connections that say `text` and then keep still; they never end by themselves. */
const crowd = async (port: number, count: number, text: string): Promise<Socket[]> => {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {}).resume();
    if (text !== '') socket.write(text);
    return socket;
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))));
  return sockets;
};

const isOut = (socket: Socket): boolean => socket.readableEnded || socket.closed;

const closed = (sockets: readonly Socket[]): Promise<unknown> =>
  Promise.all(
    sockets.map((socket) => new Promise((resolve) => (isOut(socket) ? resolve(null) : socket.once('end', resolve).once('close', resolve)))),
  );

const refused = (port: number): string => `GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
const guess = (port: number): string => `GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer wrong\r\n\r\n`;
const upgrade = (port: number): string =>
  `GET /link HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;

describe('the loopback port', () => {
  test('serves a good new client within a second under 1,000 idle, slow and refused connections', { tags: 'whole' }, async ({ stage }) => {
    const { port } = stage.server;
    await crowd(port, EACH, '');
    await crowd(port, EACH, 'GET /api/status HTTP/1.1\r\nHost:');
    await crowd(port, EACH, refused(port));

    // A machine that is busy with others is slow in one round or the next; a client that is shut out is so in each.
    let ms = Infinity;
    for (let round = 0; round < 5 && ms > 1000 + SLACK_MS; round += 1) {
      const good = await Promise.all(Array.from({ length: 10 }, () => timeOfGoodClient(stage)));
      expect(good.map(({ status }) => status)).toEqual(good.map(() => 200));
      ms = Math.max(...good.map((client) => client.ms));
    }
    expect(ms).toBeLessThan(1000 + SLACK_MS);
  });

  test.for([
    ['without a token', refused],
    ['with a wrong token', guess],
    ['that would be a WebSocket', upgrade],
  ] as const)('closes a refused connection %s, and its place is free', async ([, text], { stage }) => {
    const sockets = await crowd(stage.server.port, 300, text(stage.server.port));

    await closed(sockets);

    expect((await timeOfGoodClient(stage)).status).toBe(200);
  });

  test('leaves 256 connections to those who have shown no token, and puts no client out that has shown its own', async ({ stage }) => {
    const { port } = stage.server;
    let answers = 0;
    let hasEnded = false;
    const good = `GET /ping HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${stage.panelToken}\r\n\r\n`;
    const heard = Promise.withResolvers<void>();
    const again = Promise.withResolvers<void>();
    const client = connect(port, '127.0.0.1', () => client.write(good));
    client.on('data', () => ((answers += 1) === 1 ? heard.resolve() : again.resolve())).on('close', () => (hasEnded = true));
    onTestFinished(() => void client.destroy());
    await heard.promise;

    const idle = await crowd(port, 3 * EACH, '');
    client.write(good);
    await again.promise;

    await expect.poll(() => idle.filter(isOut).length).toBe(idle.length - 256);
    expect(hasEnded).toBe(false);
  });
});

test('connections with a good token have a limit as well, which Node keeps: file descriptors are left for everything else', () => {
  const server = createServer();

  new Threshold(server, { port: () => 0, log: nullLog });

  expect(server.maxConnections).toBe(1_280);
});

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('connections of another user', () => {
  const PROGRAM = `
    const { connect } = require('node:net');
    let open = 0, ended = 0;
    for (let index = 0; index < 256; index += 1) {
      const socket = connect(Number(process.argv[1]), '127.0.0.1', () => (open += 1) === 256 && console.log('open'));
      socket.on('error', () => {}).resume().on('close', () => (ended += 1) === 256 && console.log('ended'));
    }
  `;

  test('are dropped, and keep nobody out', async ({ stage }) => {
    const other = spawn(process.execPath, ['-e', PROGRAM, String(stage.server.port)], {
      uid: NOBODY,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void other.kill());
    const lines: string[] = [];
    const ended = new Promise<void>((resolve) => {
      createInterface({ input: other.stdout }).on('line', (line) => {
        lines.push(line);
        if (line === 'ended') resolve();
      });
    });

    await ended;

    expect(lines.at(-1)).toBe('ended');
    expect((await timeOfGoodClient(stage)).ms).toBeLessThan(1000 + SLACK_MS);
    expect(stage.logged.map(({ event }) => event)).toContain('gate.other_user');
  });
});

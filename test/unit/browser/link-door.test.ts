import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { Readable, type Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { Bridge } from '#companion/browser/bridge.ts';
import { LinkDoor } from '#companion/browser/link-door.ts';
import { FrameReader, encodeFrame } from '#companion/lib/framing.ts';
import { LINK_HEADERS, createNonce, isProof, prove } from '#companion/reach/link-proof.ts';
import { nullLog } from '#companion/lib/log.ts';
import { openReception } from '#test/fixtures/admission.ts';
import { heldMb } from '#test/fixtures/collected.ts';
import { SessionId } from '#protocol/ids.ts';
import { LINK_PATH, LINK_PROTOCOL, PROTOCOL } from '#protocol/version.ts';

interface Door {
  readonly bridge: Bridge;
  readonly key: Buffer;
  /** The opened link, or the status of the refusal. */
  knock(headers: Record<string, string>, method?: string): Promise<{ socket: Duplex; proof: unknown } | { status: number }>;
}

const test = base.extend<{ door: Door }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  door: async ({}, use) => {
    const dir = mkdtempSync(path.join(tmpdir(), 'pf-door-'));
    const socketPath = path.join(dir, 's');
    const key = randomBytes(32);
    const bridge = new Bridge({ tools: [], log: nullLog });
    const door = new LinkDoor({ bridge, key, log: nullLog, receive: () => openReception(1, 't') });
    const server = createServer();
    server.on('upgrade', (req, socket, head) => door.handleUpgrade(req, socket, head, null));
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    const opened: Duplex[] = [];
    await use({
      bridge,
      key,
      knock: (headers, method = 'GET') =>
        new Promise((resolve, reject) => {
          const req = request({
            socketPath,
            method,
            path: LINK_PATH,
            agent: false,
            headers: { connection: 'Upgrade', upgrade: LINK_PROTOCOL, ...headers },
          });
          req.on('upgrade', (response, socket, head) => {
            socket.unshift(head);
            opened.push(socket);
            resolve({ socket, proof: response.headers[LINK_HEADERS.proof] });
          });
          req.on('response', (response) => {
            response.resume();
            resolve({ status: response.statusCode ?? 0 });
          });
          req.on('error', reject);
          req.end();
        }),
    });
    for (const socket of opened) socket.destroy();
    server.close();
    server.closeAllConnections();
    rmSync(dir, { recursive: true, force: true });
  },
});

const proven = (key: Buffer, nonce = createNonce()): Record<string, string> => ({
  [LINK_HEADERS.nonce]: nonce,
  [LINK_HEADERS.proof]: prove(key, 'host', nonce),
});

const open = async (door: Door): Promise<Duplex> => {
  const answer = await door.knock(proven(door.key));
  if (!('socket' in answer)) throw new Error(`refused with ${answer.status}`);
  return answer.socket;
};

const nextFrame = (socket: Duplex): Promise<unknown> =>
  new Promise((resolve) => {
    const reader = new FrameReader({ maxBytes: 1e8, onFrame: (body) => resolve(JSON.parse(body.toString())), onTooLarge: () => {} });
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
  });

const HALF_BYTES = 20 * 1024 * 1024;

/** 20 MiB of a message of 60: of eight links together more than is kept. */
function* halfOf(kind: 'one frame that never ends' | 'chunks whose last never comes'): Generator<Buffer> {
  const part = Buffer.alloc(1024 * 1024, 0x20);
  if (kind === 'one frame that never ends') {
    const header = Buffer.alloc(4);
    header.writeUInt32LE(60 * 1024 * 1024);
    yield header;
    for (let sent = 0; sent < HALF_BYTES; sent += part.length) yield part;
    return;
  }
  const data = 'x'.repeat(300_000);
  for (let index = 0; index * data.length < HALF_BYTES; index += 1)
    yield encodeFrame(JSON.stringify({ type: 'chunk', id: 'm', index, count: 200, data }));
}

const hello = JSON.stringify({
  type: 'hello',
  protocol: PROTOCOL,
  extensionVersion: '0.1.0',
  extensionId: 'x',
  browserId: 'b',
  browserName: 'Chromium',
  label: 'B',
});

describe('the link door', () => {
  test('opens for a host that holds the key, and proves itself in turn', async ({ door }) => {
    const nonce = createNonce();

    const answer = await door.knock(proven(door.key, nonce));

    if (!('socket' in answer)) throw new Error('it must open');
    expect(isProof(door.key, 'daemon', nonce, answer.proof)).toBe(true);
    answer.socket.write(encodeFrame(hello));
    expect(await nextFrame(answer.socket)).toMatchObject({ type: 'welcome', port: 1, token: 't' });
    expect(door.bridge.browsers()).toHaveLength(1);
  });

  test('stays closed to a wrong, a missing, an echoed and a malformed proof', async ({ door }) => {
    const nonce = createNonce();
    const wrong: Record<string, string>[] = [
      proven(randomBytes(32)),
      { [LINK_HEADERS.nonce]: nonce },
      { [LINK_HEADERS.nonce]: nonce, [LINK_HEADERS.proof]: prove(door.key, 'daemon', nonce) },
      { [LINK_HEADERS.nonce]: createNonce(), [LINK_HEADERS.proof]: prove(door.key, 'host', nonce) },
      { [LINK_HEADERS.nonce]: nonce, [LINK_HEADERS.proof]: '' },
    ];

    for (const headers of wrong) expect(await door.knock(headers)).toEqual({ status: 403 });
    expect(await door.knock({ [LINK_HEADERS.nonce]: 'short', [LINK_HEADERS.proof]: prove(door.key, 'host', 'short') })).toEqual({
      status: 400,
    });
    expect(await door.knock({ ...proven(door.key), upgrade: 'websocket' })).toEqual({ status: 400 });
    expect(await door.knock(proven(door.key), 'POST')).toEqual({ status: 400 });
  });

  test('drops a frame that is not JSON and goes on', async ({ door }) => {
    const socket = await open(door);

    socket.write(Buffer.concat([encodeFrame('{{{'), encodeFrame(''), encodeFrame('[]'), encodeFrame(hello)]));

    expect(await nextFrame(socket)).toMatchObject({ type: 'welcome' });
  });

  test('closes a link that announces more than 64 MiB', async ({ door }) => {
    const socket = await open(door);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const header = Buffer.alloc(4);
    header.writeUInt32LE(2 ** 31);

    socket.resume().write(header);

    await closed;
    expect(door.bridge.browsers()).toEqual([]);
  });

  test.for(['one frame that never ends', 'chunks whose last never comes'] as const)(
    'keeps bounded memory under eight links that send %s, and another link goes on',
    async (kind, { door }) => {
      const good = await open(door);
      const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
      const links = await Promise.all(Array.from({ length: 8 }, () => open(door)));
      const isEnded = links.map(() => false);
      await Promise.all(
        links.map(
          (socket, index) =>
            new Promise<void>((resolve) => {
              socket.resume().on('error', () => {});
              socket.on('close', () => {
                isEnded[index] = true;
                resolve();
              });
              const source = Readable.from(halfOf(kind));
              // All is sent when the last of it has been taken, since the other end reads on.
              source.on('end', () => resolve()).pipe(socket, { end: false });
            }),
        ),
      );
      const held = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - before;

      expect(isEnded.filter(Boolean).length).toBeGreaterThanOrEqual(1);
      expect(held).toBeLessThan(400 * 1024 * 1024);
      const welcomed = nextFrame(good);
      good.write(encodeFrame(hello));
      expect(await welcomed).toMatchObject({ type: 'welcome' });
    },
  );

  test('tells the bridge when the host has gone', async ({ door }) => {
    const socket = await open(door);
    socket.write(encodeFrame(hello));
    await nextFrame(socket);
    const gone = new Promise<void>((resolve) => {
      door.bridge.subscribe(() => {
        if (door.bridge.browsers().length === 0) resolve();
      });
    });

    socket.destroy();

    await gone;
  });

  test('drops a host that stops reading before much waits for it', async ({ door }) => {
    const socket = await open(door);
    socket.write(encodeFrame(hello));
    await nextFrame(socket);
    socket.pause();
    expect(door.bridge.browsers()).toHaveLength(1);

    const before = heldMb();
    let most = before;
    for (let megabytes = 0; megabytes < 120; megabytes += 1) {
      // Each is another text, as what a session says is.
      door.bridge.sessionStarted(SessionId.parse('session_1'), `${megabytes}`.padEnd(1024 * 1024, 'n'));
      if (megabytes % 10 === 0) most = Math.max(most, heldMb());
    }

    await expect.poll(() => door.bridge.browsers().length).toBe(0);
    expect(most - before).toBeLessThan(64);
    // What waited for the host goes when its socket has been closed.
    await expect.poll(() => heldMb() - before).toBeLessThan(16);
  });
});

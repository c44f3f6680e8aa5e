import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { describe, expect, onTestFinished, test as base } from 'vitest';
import { FrameReader, encodeFrame } from '#companion/lib/framing.ts';
import { ensurePrivateDir } from '#companion/lib/paths.ts';
import { countResting } from '#companion/lib/resting.ts';
import { readLinkKey } from '#companion/reach/link-key.ts';
import { LINK_HEADERS } from '#companion/reach/link-proof.ts';
import { LINK_PROTOCOL, MAX_HOST_FRAME_BYTES, RESTING_FRAME, VERSION } from '#protocol/version.ts';
import { type HostHome, createHostHome, listenAsDaemon, startHost } from './stage.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const test = base.extend<{ home: HostHome }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  home: async ({}, use) => {
    const home = createHostHome();
    await use(home);
    home.remove();
  },
});

const NOBODY = 65_534;
/** A daemon that proves itself as the real one does. Its own home is closed to that user, so it has nothing of our code. */
const ANSWERS = `
  const [socket, key, protocol, nonce, proof] = process.argv.slice(1);
  require('node:http').createServer().on('upgrade', (request, far) => {
    const proven = require('node:crypto').createHmac('sha256', Buffer.from(key, 'hex')).update('daemon:' + request.headers[nonce]).digest('hex');
    far.on('error', () => {});
    // A host that takes it for the real one sends what its browser says.
    far.on('data', () => console.log());
    far.write(['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: ' + protocol, proof + ': ' + proven, '', ''].join('\\r\\n'));
  }).listen(socket, () => {
    require('node:fs').chmodSync(socket, 0o666);
    console.log();
  });`;

describe('the host', () => {
  test('says nothing to any other extension', async ({ home }) => {
    for (const args of [[`chrome-extension://${'a'.repeat(32)}/`], ['chrome-extension://'], ['chrome-extension://evil/', 'x']]) {
      const host = startHost(home.env, args);
      host.child.stdin?.end();

      expect(await host.exited).not.toBe(0);
      expect(host.stdoutBytes()).toBe(0);
    }
  });

  test('answers before it has reached the daemon, then copies frames both ways', async ({ home }) => {
    const daemon = await listenAsDaemon(home.paths, (socket, head) => {
      const reader = new FrameReader({
        maxBytes: 1e8,
        onFrame: (body) => socket.write(encodeFrame(body.toString())),
        onTooLarge: () => {},
      });
      reader.push(head);
      socket.on('data', (chunk: Buffer) => reader.push(chunk));
    });
    const host = startHost(home.env);

    expect(await host.frame()).toEqual({ type: 'host', version: VERSION, pid: host.child.pid });
    host.write('{"type":"ping","at":1}');
    expect(await host.frame()).toEqual({ type: 'ping', at: 1 });

    host.child.stdin?.end();
    expect(await host.exited).toBe(0);
    await daemon.close();
  });

  test('copies what is as large as Chrome allows byte for byte, in both directions', async ({ home }) => {
    const up = JSON.stringify({ data: randomBytes(6_000_000).toString('base64') });
    const down = JSON.stringify({ data: 'x'.repeat(MAX_HOST_FRAME_BYTES - 11) });
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    let received = '';
    const daemon = await listenAsDaemon(home.paths, (socket, head) => {
      const reader = new FrameReader({
        maxBytes: 1e8,
        onFrame: (body) => {
          received = hash(body.toString());
          socket.write(encodeFrame(down));
        },
        onTooLarge: () => {},
      });
      reader.push(head);
      socket.on('data', (chunk: Buffer) => reader.push(chunk));
    });
    const host = startHost(home.env);
    await host.frame();

    host.write(up);
    const answer = await host.frame();

    expect(received).toBe(hash(up));
    expect(Buffer.byteLength(down)).toBe(MAX_HOST_FRAME_BYTES);
    expect(hash(JSON.stringify(answer))).toBe(hash(down));
    host.child.stdin?.end();
    await host.exited;
    await daemon.close();
  });

  test('never hands Chrome a frame above 1 MiB: it says so and ends', async ({ home }) => {
    const daemon = await listenAsDaemon(home.paths, (socket) => void socket.write(encodeFrame('x'.repeat(MAX_HOST_FRAME_BYTES + 1))));
    const host = startHost(home.env);
    await host.frame();

    expect(await host.frame()).toMatchObject({ type: 'host_failed', error: { code: 'FRAME_TOO_LARGE' } });
    expect(await host.exited).toBe(1);
    await daemon.close();
  });

  test('refuses a daemon that does not know the key', async ({ home }) => {
    let links = 0;
    const daemon = await listenAsDaemon(
      home.paths,
      () => {
        links += 1;
      },
      () => '0'.repeat(64),
    );
    const host = startHost(home.env);
    await host.frame();

    expect(await host.frame()).toMatchObject({ type: 'host_failed', error: { code: 'SOCKET_FOREIGN' } });
    expect(await host.exited).toBe(1);
    expect(links).toBe(1);
    await daemon.close();
  });

  test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'refuses a daemon of another user, also one that knows the key',
    async ({ home }) => {
      const { root, socketDir, socket } = home.paths;
      ensurePrivateDir(root);
      ensurePrivateDir(socketDir);
      const key = readLinkKey(home.paths).toString('hex');
      // Into folders that are open for a moment.
      const ways = new Set([path.dirname(root), root, socketDir]);
      for (const folder of ways) chmodSync(folder, 0o777);
      const other = spawn(process.execPath, ['-e', ANSWERS, socket, key, LINK_PROTOCOL, LINK_HEADERS.nonce, LINK_HEADERS.proof], {
        uid: NOBODY,
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await new Promise((resolve) => other.stdout.once('data', resolve));
      for (const folder of ways) chmodSync(folder, 0o700);
      const host = startHost(home.env);
      onTestFinished(() => {
        host.child.kill();
        other.kill();
      });
      host.write('{}');
      await host.frame();
      other.stdout.once('data', () => host.child.kill());

      expect(await host.frame()).toMatchObject({ type: 'host_failed', error: { code: 'SOCKET_FOREIGN' } });
      expect(await host.exited).toBe(1);
    },
  );

  test('tells the true cause when its own files cannot be used', async ({ home }) => {
    const loop = path.join(path.dirname(home.paths.root), 'round-and-round');
    symlinkSync('round-and-round', loop);
    const host = startHost({ ...home.env, PILOTFISH_HOME: path.join(loop, 'home') });
    await host.frame();

    expect(await host.frame()).toMatchObject({
      type: 'host_failed',
      error: {
        code: 'DAEMON_START_FAILED',
        message: expect.stringContaining('is not what it should be'),
        remedy: expect.stringContaining('Move what stands there'),
      },
    });
    host.child.stdin?.end();
  });

  test('refuses a socket folder that is a link', async ({ home }) => {
    mkdirSync(home.paths.root, { recursive: true, mode: 0o700 });
    const elsewhere = path.join(home.paths.root, 'elsewhere');
    mkdirSync(elsewhere);
    chmodSync(elsewhere, 0o777);
    symlinkSync(elsewhere, home.paths.socketDir);
    const host = startHost(home.env);
    await host.frame();

    expect(await host.frame()).toMatchObject({ type: 'host_failed', error: { code: 'SOCKET_FOREIGN' } });
    expect(await host.exited).toBe(1);
  });

  describe('whose daemon rests', () => {
    const rest = encodeFrame(RESTING_FRAME);
    /** A daemon that says its name, and then does what it is told. */
    const listen = (home: HostHome, name: string): Promise<{ socket: Promise<Duplex>; heard: () => string; close(): Promise<void> }> => {
      const linked = Promise.withResolvers<Duplex>();
      let heard = '';
      return listenAsDaemon(home.paths, (socket, head) => {
        heard += head.toString();
        socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
        socket.write(encodeFrame(JSON.stringify({ type: name })));
        linked.resolve(socket);
      }).then((daemon) => ({ ...daemon, socket: linked.promise, heard: () => heard }));
    };

    test('stays, and begins anew with the next daemon that comes', async ({ home }) => {
      const first = await listen(home, 'first');
      const host = startHost(home.env);
      await host.frame();
      expect(await host.frame()).toEqual({ type: 'first' });
      // Also in pieces.
      const socket = await first.socket;
      socket.write(rest.subarray(0, 7));
      await new Promise((resolve) => socket.end(rest.subarray(7), () => resolve(null)));
      expect(await host.frame()).toEqual({ type: 'resting' });
      await until(() => countResting(home.paths.restingDir) === 1);
      await first.close();

      const second = await listen(home, 'second');

      expect(await host.frame()).toEqual({ type: 'host', version: VERSION, pid: host.child.pid });
      expect(await host.frame()).toEqual({ type: 'second' });
      expect(countResting(home.paths.restingDir)).toBe(0);
      host.write('{"type":"hello"}');
      await until(() => second.heard().includes('hello'));
      host.child.stdin?.end();
      expect(await host.exited).toBe(0);
      await second.close();
    });

    test('hears at once that the next one is needed, also before the daemon that rests has closed its end', async ({ home }) => {
      const first = await listen(home, 'first');
      const host = startHost(home.env);
      await host.frame();
      await host.frame();
      (await first.socket).write(rest);
      expect(await host.frame()).toEqual({ type: 'resting' });

      host.write('{"type":"wake"}');

      expect(await host.frame()).toEqual({ type: 'host', version: VERSION, pid: host.child.pid });
      expect(await host.frame()).toEqual({ type: 'first' });
      host.child.stdin?.end();
      expect(await host.exited).toBe(0);
      await first.close();
    });

    test('ends with Chrome', async ({ home }) => {
      const first = await listen(home, 'first');
      const host = startHost(home.env);
      await host.frame();
      await host.frame();
      (await first.socket).end(rest);
      expect(await host.frame()).toEqual({ type: 'resting' });

      host.child.stdin?.end();

      expect(await host.exited).toBe(0);
      expect(countResting(home.paths.restingDir)).toBe(0);
      await first.close();
    });
  });

  test('ends when the daemon ends', async ({ home }) => {
    const daemon = await listenAsDaemon(home.paths, (socket) => void socket.write(encodeFrame('{"type":"pong","at":1}')));
    const host = startHost(home.env);
    await host.frame();
    await host.frame();

    await daemon.close();

    expect(await host.exited).toBe(0);
  });

  test.runIf(process.platform !== 'win32')(
    'ends when another daemon has the place of its own, which is suspended and closes nothing',
    async ({ home }) => {
      const listen = (): ReturnType<typeof listenAsDaemon> =>
        listenAsDaemon(home.paths, (socket) => void socket.write(encodeFrame('{"type":"pong","at":1}')));
      const suspended = await listen();
      const host = startHost(home.env);
      await host.frame();
      await host.frame();
      const { socket } = home.paths;
      // It is asked whether it lives, and is back in its place.
      renameSync(socket, `${socket}.aside`);
      linkSync(`${socket}.aside`, socket);
      rmSync(`${socket}.aside`);
      const first = startHost(home.env);
      await first.frame();
      await first.frame();
      expect(host.child.exitCode).toBeNull();

      renameSync(socket, `${socket}.aside`);
      const next = await listen();

      expect(await Promise.all([host.exited, first.exited])).toEqual([0, 0]);
      await next.close();
      renameSync(`${socket}.aside`, socket);
      await suspended.close();
    },
  );

  test('survives a stream of noise from Chrome: it ends, and the next one works', async ({ home }) => {
    const random = createRandom(18);
    const daemon = await listenAsDaemon(home.paths, (socket, head) => {
      const reader = new FrameReader({
        maxBytes: 67_108_864,
        onFrame: () => socket.write(encodeFrame('{"type":"pong","at":1}')),
        onTooLarge: () => socket.destroy(),
      });
      reader.push(head);
      socket.on('data', (chunk: Buffer) => reader.push(chunk));
    });
    for (let round = 0; round < (isWhole ? 8 : 3); round += 1) {
      const host = startHost(home.env);
      await host.frame();
      host.write(Buffer.from(Array.from({ length: 4 + random(2000) }, () => random(256))));
      host.child.stdin?.end();
      await host.exited;
    }
    const host = startHost(home.env);
    await host.frame();
    host.write('{"good":true}');

    expect(await host.frame()).toEqual({ type: 'pong', at: 1 });
    host.child.stdin?.end();
    await host.exited;
    await daemon.close();
  });
});

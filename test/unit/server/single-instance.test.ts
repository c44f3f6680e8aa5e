import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test as base } from 'vitest';
import { nullLog } from '#companion/lib/log.ts';
import { identityOf } from '#companion/server/contender.ts';
import { askHealth } from '#companion/server/health.ts';
import { lockSocket, type SocketLock } from '#companion/server/single-instance.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { NO_LOSS, tellFigure, times } from '#test/fixtures/figures.ts';
import { overSocket, startStage } from './stage.ts';

const test = base.extend<{ socket: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  socket: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
    await use(path.join(folder, 'run', 'pilotfish.sock'));
    rmSync(folder, { recursive: true, force: true });
  },
});

const lock = async (socket: string): Promise<SocketLock | null> => {
  const taken = await lockSocket({ socket, log: nullLog });
  if (taken !== null) onTestFinished(() => taken.release());
  return taken;
};

const listen = async (file: string): Promise<Server> => {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(file, resolve));
  return server;
};

/** How many start at once: each is a Node of its own. */
const PROCESSES = isWhole ? 8 : 4;

/** What a killed daemon leaves: a socket that nobody listens on. */
const leaveDeadSocket = async (socket: string): Promise<void> => {
  const server = await listen(`${socket}x`);
  linkSync(`${socket}x`, socket);
  await new Promise((resolve) => server.close(resolve));
};

interface Obstacle {
  readonly what: string;
  readonly needsRoot?: boolean;
  /** Puts it there; gives the path by which the daemon comes when that is another one. */
  put(socket: string): void | string | Promise<void>;
  /** Without it the place is taken. */
  readonly refusal?: { readonly code: string; readonly message: unknown };
}

const makeFolder = (socket: string): void => void mkdirSync(path.dirname(socket), { recursive: true, mode: 0o700 });
const refused = (code: string, why: string) => ({ code, message: expect.stringContaining(why) });

/** What may lie where the socket should. */
const OBSTACLES: readonly Obstacle[] = [
  { what: 'nothing, nor its folder', put: () => {} },
  { what: 'the socket of a dead daemon', put: (socket) => leaveDeadSocket(socket) },
  {
    what: 'a listener that never answers',
    put: async (socket) => {
      const hung = await listen(`${socket}x`);
      linkSync(`${socket}x`, socket);
      hung.on('connection', (connection) => connection.on('error', () => {}));
      onTestFinished(() => void hung.close());
    },
  },
  {
    what: 'a file',
    put: (socket) => {
      makeFolder(socket);
      writeFileSync(socket, 'mine');
    },
    refusal: refused('DAEMON_START_FAILED', ' is a file'),
  },
  {
    what: 'a folder',
    put: (socket) => {
      makeFolder(socket);
      mkdirSync(socket);
    },
    refusal: refused('DAEMON_START_FAILED', ' is a folder'),
  },
  {
    what: 'a link',
    put: (socket) => {
      makeFolder(socket);
      symlinkSync('/tmp/elsewhere', socket);
    },
    refusal: refused('SOCKET_FOREIGN', 'symbolic link'),
  },
  {
    what: 'a folder into which others may write',
    put: (socket) => {
      makeFolder(socket);
      chmodSync(path.dirname(socket), 0o777);
    },
  },
  {
    what: 'a link to a folder',
    put: (socket) => {
      makeFolder(socket);
      const link = `${path.dirname(socket)}-link`;
      symlinkSync(path.dirname(socket), link);
      return path.join(link, path.basename(socket));
    },
    refusal: refused('SOCKET_FOREIGN', ''),
  },
  {
    what: "another user's socket",
    needsRoot: true,
    put: async (socket) => {
      await leaveDeadSocket(socket);
      chownSync(socket, 65_534, 65_534);
    },
    refusal: refused('SOCKET_FOREIGN', 'belongs to another user'),
  },
  {
    what: "another user's folder",
    needsRoot: true,
    put: (socket) => {
      makeFolder(socket);
      chownSync(path.dirname(socket), 65_534, 65_534);
    },
    refusal: refused('SOCKET_FOREIGN', ''),
  },
];

describe('the private socket', () => {
  test('is 0600 in a folder of 0700, and our umask is as before', async ({ socket }) => {
    const umask = process.umask();

    await lock(socket);

    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(socket)).mode & 0o777).toBe(0o700);
    expect(process.umask()).toBe(umask);
  });

  test('admits one daemon: the second is told that there is one', async ({ socket }) => {
    expect(await lock(socket)).not.toBeNull();

    expect(await lock(socket)).toBeNull();
  });

  test('leaves nothing behind when it is released, and can be taken again', async ({ socket }) => {
    const first = await lockSocket({ socket, log: nullLog });
    await first?.release();

    expect(readdirSync(path.dirname(socket))).toEqual([]);
    expect(await lock(socket)).not.toBeNull();
  });

  test('of 100 that start at once, one wins', async ({ socket }) => {
    const locks = await Promise.all(Array.from({ length: 100 }, () => lock(socket)));

    expect(locks.filter((one) => one !== null)).toHaveLength(1);
    expect(await askHealth(socket)).toMatchObject({ state: 'alive', health: { isOwner: true } });
    expect(readdirSync(path.dirname(socket))).toHaveLength(2);
  });

  test('an answer counts also when the one who asks had no time to read it', async ({ socket }) => {
    await lock(socket);

    const asked = askHealth(socket);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200);

    expect(await asked).toMatchObject({ state: 'alive', health: { isOwner: true } });
  });

  test('of 20 that start at once over a dead socket, one wins, each time', async ({ socket }) => {
    for (let round = 0; round < (isWhole ? 40 : 4); round += 1) {
      await leaveDeadSocket(socket);

      const locks = await Promise.all(Array.from({ length: 20 }, () => lockSocket({ socket, log: nullLog })));
      const won = locks.filter((one) => one !== null);
      const health = await askHealth(socket);
      await Promise.all(won.map((one) => one.release()));

      expect(won, `round ${round}`).toHaveLength(1);
      expect(health).toMatchObject({ state: 'alive', health: { isOwner: true } });
    }
  });

  test(`of ${PROCESSES} processes that start at once over a dead socket, one wins and the others see it`, async ({ socket }) => {
    await leaveDeadSocket(socket);
    const program = fileURLToPath(new URL('./lock-process.ts', import.meta.url));
    const children = Array.from({ length: PROCESSES }, () =>
      spawn(process.execPath, [program, socket], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );

    const words = await Promise.all(
      children.map(async ({ stdout }) => {
        for await (const line of createInterface({ input: stdout })) return line;
        return 'died';
      }),
    );
    for (const { stdin } of children) stdin.end();
    await Promise.all(
      children.map((child) => new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(null)))),
    );

    expect(words.filter((word) => word === 'won')).toHaveLength(1);
    expect(words.filter((word) => word === 'lost')).toHaveLength(PROCESSES - 1);
  });

  test.runIf(process.platform === 'linux')(
    'is not taken from a process that is silent because it is at work',
    { tags: 'whole' },
    async ({ socket }) => {
      const program = fileURLToPath(new URL('./lock-process.ts', import.meta.url));
      const released = `${socket}.released`;
      const child = spawn(process.execPath, [program, socket, released], { stdio: ['pipe', 'pipe', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      await new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
      const told: string[] = [];
      const info = (event: string): void => {
        told.push(event);
        writeFileSync(released, '');
      };
      const log = { ...nullLog, info };

      expect(await lockSocket({ socket, log })).toBeNull();

      expect(told).toEqual(['socket.busy']);
    },
  );

  test('is taken where it can be, and refused by name where what lies there is not ours', async ({ socket }) => {
    const startedAt = performance.now();
    const found = OBSTACLES.filter(({ needsRoot }) => needsRoot !== true || process.getuid?.() === 0);

    for (const [index, { what, put, refusal }] of found.entries()) {
      const place = path.join(path.dirname(socket), '..', `run-${index}`, path.basename(socket));
      const reached = (await put(place)) ?? place;
      const before = identityOf(reached);
      const outcome = await lockSocket({ socket: reached, log: nullLog }).catch((error: unknown) => error);
      if (refusal === undefined) {
        expect(outcome, what).toMatchObject({ socket: reached });
        expect(statSync(path.dirname(reached)).mode & 0o777, what).toBe(0o700);
        await (outcome as SocketLock).release();
      } else {
        expect(outcome, what).toMatchObject(refusal);
        expect(identityOf(reached), what).toBe(before);
      }
    }

    tellFigure({
      fault: "Something lies in the place of the daemon's socket, or of its folder",
      count: `${found.length} things: ${found.map(({ what }) => what).join(', ')}`,
      ...NO_LOSS,
      ms: performance.now() - startedAt,
    });
  });

  test('comes back when a cleaner of temporary files removes it', async ({ socket }) => {
    await lock(socket);

    rmSync(socket);
    await expect.poll(() => existsSync(socket)).toBe(true);

    expect(await askHealth(socket)).toMatchObject({ state: 'alive', health: { isOwner: true } });
  });

  test('an owner that lost its place is told, and knows it before that when it looks', async ({ socket }) => {
    const owner = await lock(socket);
    expect(owner?.isLost).toBe(false);
    const lost = new Promise<void>((resolve) => owner?.onLost(resolve));

    const other = await listen(`${socket}x`);
    rmSync(socket);
    linkSync(`${socket}x`, socket);
    onTestFinished(() => void other.close());

    expect(owner?.isLost).toBe(true);
    await lost;
  });

  test('whoever knocks while the daemon starts waits and is answered', async ({ socket }) => {
    const owner = await lock(socket);
    const early = overSocket(socket, '/api/status');

    expect(await askHealth(socket)).toMatchObject({ state: 'alive', health: { isOwner: true, port: null } });
    owner?.open({ request: (_, response) => response.end('"late but here"'), upgrade: () => {} });

    expect(await early).toEqual({ status: 200, json: 'late but here' });
  });
});

describe('the loopback port', () => {
  base('when the preferred one is taken, any free one is', async () => {
    const thief = createServer();
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const address = thief.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;

    const startedAt = performance.now();
    const rounds = times(1, 100);
    for (let round = 0; round < rounds; round += 1) {
      const { stage, stop } = await startStage({ port });
      const response = await stage.fetch('/ping');
      await stop();

      expect(stage.server.port).not.toBe(port);
      expect(response.status).toBe(200);
    }
    thief.close();
    tellFigure({
      fault: 'The port that a daemon would have is taken',
      count: `${rounds} starts, each on another port`,
      ...NO_LOSS,
      ms: performance.now() - startedAt,
    });
  });
});

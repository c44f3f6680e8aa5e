/** One daemon per user, by whatever it is started and however often. */
import type { ChildProcess } from 'node:child_process';
import { connect, createServer, type AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { VERSION } from '#protocol/version.ts';
import { isDaemon } from '#test/fixtures/companion.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';
import { NO_LOSS, tellFigure, times } from '#test/fixtures/figures.ts';

/** Each is two programs. */
const STARTS = times(4, 100);

describe('one daemon', () => {
  test('`status --json` tells what there is and starts nothing', async ({ companion, home }) => {
    const { code, stdout, stderr } = await companion.run(['status', '--json']);

    const status = JSON.parse(stdout) as Record<string, unknown>;
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(status).toMatchObject({ version: VERSION, isRunning: false, pid: null, port: null, socket: companion.paths.socket });
    for (const key of ['browsers', 'engines', 'sessions']) expect(status[key]).toBeInstanceOf(Array);
    await home.waitForProcesses((list) => list.length === 0);
  });

  test('`status --json` of a running daemon has its pid and port', { tags: 'whole' }, async ({ companion }) => {
    const pid = await companion.startDaemon();

    const { stdout } = await companion.run(['status', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({ isRunning: true, pid, port: expect.any(Number) });
  });

  test(`${STARTS} starts at once make one daemon`, async ({ companion, home }) => {
    const startedAt = performance.now();
    const clients = Array.from({ length: STARTS }, () => companion.start(['mcp']));
    try {
      await until(async () => (await companion.api.send('GET', '/api/status')).status === 200, { what: 'a daemon' });
      const answers = await Promise.all(clients.map((client) => firstAnswer(client)));

      expect(answers.every((answer) => answer.includes('"serverInfo"'))).toBe(true);
      // Losers of the race end by themselves.
      await home.waitForProcesses((list) => list.filter(isDaemon).length === 1);
    } finally {
      for (const client of clients) client.stdin?.end();
    }
    await home.waitForProcesses((list) => list.length === 1);
    tellFigure({
      fault: 'Clients are started at once where no daemon is',
      count: `${STARTS} clients, one daemon`,
      ...NO_LOSS,
      ms: performance.now() - startedAt,
    });
  });

  test('the socket a dead daemon left is replaced', async ({ companion, home }) => {
    const first = await companion.startDaemon();
    process.kill(first, 'SIGKILL');
    await home.waitForProcesses((list) => list.every(({ pid }) => pid !== first));
    expect(existsSync(companion.paths.socket)).toBe(true);

    const second = await companion.startDaemon();

    expect(second).not.toBe(first);
  });

  test('a busy port is no obstacle: another is taken and told', async ({ companion }) => {
    // Not the usual port: that of another test's daemon may be free again in the next moment.
    const squatter = createServer();
    await new Promise<void>((resolve, reject) => squatter.once('error', reject).listen(0, '127.0.0.1', resolve));
    const { port: busy } = squatter.address() as AddressInfo;
    mkdirSync(path.dirname(companion.paths.settingsFile), { recursive: true, mode: 0o700 });
    writeFileSync(companion.paths.settingsFile, JSON.stringify({ port: busy }), { mode: 0o600 });
    try {
      await companion.startDaemon();

      const { json } = await companion.api.send('GET', '/api/status');
      const { port } = json as { port: number };
      expect(port).not.toBe(busy);
      expect(port).toBeGreaterThan(0);
      await new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.destroy())
          .on('close', () => resolve())
          .on('error', reject);
      });
    } finally {
      await new Promise((resolve) => squatter.close(resolve));
    }
  });

  test('a socket folder that is a link is refused by name', { tags: 'whole' }, async ({ companion, home }) => {
    const elsewhere = path.join(home.dir, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(path.dirname(companion.paths.socketDir), { recursive: true });
    symlinkSync(elsewhere, companion.paths.socketDir);

    const { code, stderr } = await companion.run(['daemon']);

    expect(code).not.toBe(0);
    expect(stderr).toContain(companion.paths.socketDir);
    expect(stderr).toContain('PILOTFISH_HOME');
  });

  test('folder and socket are closed to other users', async ({ companion }) => {
    await companion.startDaemon();

    expect(statSync(companion.paths.socketDir).mode & 0o777).toBe(0o700);
    expect(statSync(companion.paths.socket).mode & 0o777).toBe(0o600);
  });

  test('it holds nothing of whoever started it, and its last words go to its log', { tags: 'whole' }, async ({ companion }) => {
    const pid = await companion.startDaemon();

    const ends = [0, 1, 2].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    expect(ends).toEqual(['/dev/null', '/dev/null', companion.paths.daemonLog]);
  });

  test('a daemon nobody uses ends by itself', async ({ companion, home }) => {
    companion.writeSettings({ idleExitMs: 300 });
    // Nobody asks it for anything: it may be gone before anybody could.
    const daemon = companion.start(['daemon']);

    expect(await new Promise((resolve) => daemon.on('exit', resolve))).toBe(0);

    await home.waitForProcesses((list) => list.length === 0);
    expect(existsSync(companion.paths.socket)).toBe(false);
    expect(readFileSync(companion.paths.daemonLog, 'utf8')).toMatch(/"server\.started"[^]*"daemon\.ending".*"reason":"idle"/);
  });

  test('`daemon --keep-alive` stays', { tags: 'whole' }, async ({ companion }) => {
    companion.writeSettings({ idleExitMs: 50 });
    const daemon = companion.start(['daemon', '--keep-alive']);
    const status = async (): Promise<number> => (await companion.api.send('GET', '/api/status')).status;
    await until(async () => (await status()) === 200);

    // Ten idle times later, counted by the daemon's own clock.
    const startedAt = performance.now();
    await until(async () => performance.now() - startedAt > 500 && (await status()) === 200);

    expect(daemon.exitCode).toBe(null);
  });

  test('SIGTERM ends it cleanly: exit 0, no socket left, nothing on stderr', async ({ companion }) => {
    const daemon = companion.start(['daemon', '--keep-alive']);
    const exited = new Promise<number | null>((resolve) => daemon.on('exit', resolve));
    let stderr = '';
    daemon.stderr?.on('data', (chunk) => (stderr += String(chunk)));
    await until(async () => (await companion.api.send('GET', '/api/status')).status === 200);

    daemon.kill('SIGTERM');

    expect(await exited).toBe(0);
    expect(existsSync(companion.paths.socket)).toBe(false);
    expect(stderr).toBe('');
  });
});

/** What an MCP client gets to see first. */
const firstAnswer = (client: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    client.on('error', reject);
    client.on('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)));
    client.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text);
    });
    client.stdin?.write(
      `${JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      })}\n`,
    );
  });

/** A daemon that cannot start: the program that wanted it hears why and what to do, at once, and nothing is left of it. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import { FrameReader } from '#companion/lib/framing.ts';
import { test } from '#test/fixtures/stage.ts';

/** A history that this version cannot read. */
const writeLaterHistory = (dbFile: string): void => {
  mkdirSync(path.dirname(dbFile), { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(dbFile);
  db.exec('CREATE TABLE later (x); PRAGMA user_version = 99');
  db.close();
};

describe('a daemon that has the place and fails', () => {
  test('tells its starter why, gives the place back and ends', { tags: 'whole' }, async ({ companion, home }) => {
    writeLaterHistory(companion.paths.dbFile);

    const { code, stderr } = await companion.run(['roots']);

    expect(code).toBe(1);
    expect(stderr).toContain('was written by a later pilotfish');
    expect(stderr).toContain('Update pilotfish.');
    await home.waitForProcesses((list) => list.length === 0);
    expect(readdirSync(companion.paths.socketDir)).toEqual([]);
    expect((await companion.run(['status'])).stdout).toContain('is not running');
  });

  test('tells the side panel through the host, and an MCP client with its first call', async ({ companion }) => {
    writeLaterHistory(companion.paths.dbFile);
    const host = companion.start([`${EXTENSION_ORIGIN}/`]);
    const failed = Promise.withResolvers<unknown>();
    const reader = new FrameReader({
      maxBytes: 1e6,
      onTooLarge: () => {},
      onFrame: (body) => {
        const frame: unknown = JSON.parse(body.toString());
        if (JSON.stringify(frame).includes('host_failed')) failed.resolve(frame);
      },
    });
    host.stdout?.on('data', (chunk: Buffer) => reader.push(chunk));

    expect(await failed.promise).toMatchObject({
      error: { code: 'DAEMON_START_FAILED', message: expect.stringContaining('later pilotfish'), remedy: 'Update pilotfish.' },
    });

    const client = companion.start(['mcp']);
    const answer = new Promise<string>((resolve) => client.stdout?.once('data', (chunk) => resolve(String(chunk))));
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'browser_tabs', arguments: { action: 'list' } } };
    client.stdin?.write(`${JSON.stringify(call)}\n`);
    expect(await answer).toContain('DAEMON_START_FAILED');
    client.stdin?.end();
  });

  test('a home that is a file is named', { tags: 'whole' }, async ({ companion, home }) => {
    const file = path.join(home.dir, 'file');
    writeFileSync(file, '');

    const { code, stderr } = await companion.run([], { env: { PILOTFISH_HOME: file } });

    expect(code).toBe(1);
    expect(stderr).toContain(`${file}/logs is not what it should be: a file stands where a folder is needed`);
    expect(stderr).toContain('PILOTFISH_HOME');
  });
});

describe('the way to the daemon', () => {
  test('somebody who hangs on the socket is replaced', { tags: 'whole' }, async ({ companion }) => {
    mkdirSync(companion.paths.socketDir, { recursive: true, mode: 0o700 });
    // A process of its own: this one works meanwhile, and one that works is not taken for one that hangs.
    const code = `require('node:net').createServer(() => {}).listen(${JSON.stringify(companion.paths.socket)}, () => console.log('here'))`;
    const hung = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => hung.once('exit', resolve));
    try {
      await new Promise((resolve) => hung.stdout.once('data', resolve));

      expect(await companion.run(['roots'])).toMatchObject({ code: 0, stderr: '' });
    } finally {
      hung.kill('SIGKILL');
      await ended;
    }
  });

  test('a relative PILOTFISH_HOME leads everybody to the same place', { tags: 'whole' }, async ({ companion, home }) => {
    const started = await companion.run(['roots'], { env: { PILOTFISH_HOME: 'portable' } });
    const status = await companion.run(['status', '--json'], { env: { PILOTFISH_HOME: path.join(home.dir, 'portable') } });
    const config = await companion.run(['mcp', 'config', '--json'], { env: { PILOTFISH_HOME: 'portable' } });

    expect(started.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({ isRunning: true });
    expect(JSON.parse(config.stdout)).toMatchObject({
      mcpServers: { pilotfish: { env: { PILOTFISH_HOME: path.join(home.dir, 'portable') } } },
    });
  });
});

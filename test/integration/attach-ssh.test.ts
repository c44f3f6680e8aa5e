/** `pilotfish attach ssh://host`. A double of ssh stands for the other machine, which is another home here. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Status } from '#protocol/api.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { createHome } from '#test/fixtures/home.ts';
import { signal } from '#test/fixtures/signal.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';

/** Runs the command in the other home as a login there would, and forwards a port as `ssh -L` does. */
const SSH_DOUBLE = `
const { spawn } = require('node:child_process');
const net = require('node:net');
const args = process.argv.slice(2);
const at = args.indexOf('-L');
if (at >= 0) {
  const [host, near, , far] = args[at + 1].split(':');
  net.createServer((here) => {
    const there = net.connect(Number(far), '127.0.0.1');
    here.pipe(there).pipe(here);
    for (const [one, other] of [[here, there], [there, here]]) one.on('error', () => other.destroy()).on('close', () => other.destroy());
  }).on('error', () => process.exit(255)).listen(Number(near), host);
}
const shell = spawn('/bin/sh', ['-c', args.at(-1)], { stdio: 'inherit', env: JSON.parse(process.env.SSH_DOUBLE_ENV), cwd: '/' });
shell.on('exit', (code) => process.exit(code ?? 255));
process.on('SIGTERM', () => shell.kill());
`;

const health = (port: number, host: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/health', agent: false, headers: { host: `127.0.0.1:${host}` } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });

describe('attach ssh://', () => {
  test('starts the daemon of the other machine, leads to it, and is there again when the tunnel breaks', async ({ companion, home }) => {
    const otherHome = createHome();
    const other = createCompanion(otherHome, { isPortable: false });
    const bin = path.join(home.dir, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'ssh.cjs'), SSH_DOUBLE);
    writeFileSync(path.join(bin, 'ssh'), `#!/bin/sh\nexec "${process.execPath}" "${path.join(bin, 'ssh.cjs')}" "$@"\n`);
    chmodSync(path.join(bin, 'ssh'), 0o755);
    mkdirSync(path.join(otherHome.dir, '.local', 'bin'), { recursive: true });
    symlinkSync(other.executable, path.join(otherHome.dir, '.local', 'bin', 'pilotfish'));
    const env = { PATH: `${bin}:${companion.env['PATH'] ?? ''}`, SSH_DOUBLE_ENV: JSON.stringify(otherHome.env) };

    const attach = companion.start(['attach', 'ssh://me@box:2222'], env);
    let said = '';
    for (const stream of [attach.stdout, attach.stderr]) stream?.on('data', (chunk) => (said += String(chunk)));
    const ended = new Promise<number | null>((resolve) => attach.on('exit', resolve));
    try {
      const [, text = ''] = await until(() => /me@box: its Pilotfish is at ws:\/\/127\.0\.0\.1:(\d+)/.exec(said), { what: 'the address' });
      const near = Number(text);
      // Without a terminal nobody could compare a code.
      await until(() => said.includes(`pilotfish browsers pair --address ws://127.0.0.1:${near}`));
      const { port: far } = (await other.api.send('GET', '/api/status')).json as Status;
      await until(async () => (await health(near, far ?? 0)) === 200, { what: 'the daemon at the end of the tunnel' });
      expect(companion.daemons()).toEqual([]);

      const tunnel = await until(() => home.processes().find(({ command }) => command.includes(' -L ')), { what: 'the tunnel' });
      signal(tunnel.pid, 'SIGTERM');

      await until(() => said.includes('it is opened again'), { what: 'the tunnel to end' });
      await until(async () => (await health(near, far ?? 0)) === 200, { what: 'the tunnel to be back' });
    } finally {
      attach.kill('SIGINT');
      await ended;
      await other.stopDaemon();
      await otherHome.remove();
    }
    await home.waitForProcesses((list) => list.length === 0);
  });

  test.for(['ssh://-oProxyCommand=x', 'ssh://host;id'])('%s is no machine', async (address, { companion }) => {
    const { code, stderr } = await companion.run(['attach', address]);

    expect(code).toBe(2);
    expect(stderr).toContain('is no address of a machine');
  });
});

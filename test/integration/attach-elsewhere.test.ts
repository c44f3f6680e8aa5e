/** `pilotfish attach ssh://host` and `docker://container`. A double of the program stands for the other machine, which is another home here. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
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

/** Runs the command in the other home as a login or `docker exec` would, and forwards a port as `ssh -L` does. */
const DOUBLE = `
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
const { enter, env } = JSON.parse(process.env.DOUBLE_OF);
const [program, ...rest] = [...enter, '/bin/sh', '-c', args.at(-1)];
const shell = spawn(program, rest, { stdio: 'inherit', env, cwd: '/' });
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

const UNSHARE = '/usr/bin/unshare';

/** Not every machine lets a user have a network of their own; there the container has the same one. */
const isIsolated = spawnSync(UNSHARE, ['-Urn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;

/** A network of its own, as a container has; how a command is run in it. */
const openNetwork = async (): Promise<{ enter: readonly string[]; holder: ChildProcess | null }> => {
  if (!isIsolated) return { enter: [], holder: null };
  const holder = spawn(UNSHARE, ['-Urn', 'sh', '-c', 'ip link set lo up && echo up && exec sleep infinity'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise((resolve, reject) => {
    holder.stdout.once('data', resolve);
    holder.once('exit', reject);
  });
  return { enter: ['/usr/bin/nsenter', '--target', String(holder.pid), '--user', '--net', '--preserve-credentials'], holder };
};

describe('attach', () => {
  test.for([
    ['ssh', 'ssh://me@box:2222', 'me@box'],
    ['docker', 'docker://box', 'box'],
  ] as const)(
    '%s:// starts the daemon there, leads to it, and is there again when the tunnel breaks',
    { tags: 'whole' },
    async ([program, address, name], { companion, home }) => {
      const otherHome = createHome();
      const other = createCompanion(otherHome, { isPortable: false });
      const bin = path.join(home.dir, 'bin');
      mkdirSync(bin);
      writeFileSync(path.join(bin, 'double.cjs'), DOUBLE);
      writeFileSync(path.join(bin, program), `#!/bin/sh\nexec "${process.execPath}" "${path.join(bin, 'double.cjs')}" "$@"\n`);
      chmodSync(path.join(bin, program), 0o755);
      mkdirSync(path.join(otherHome.dir, '.local', 'bin'), { recursive: true });
      symlinkSync(other.executable, path.join(otherHome.dir, '.local', 'bin', 'pilotfish'));
      const { enter, holder } = program === 'docker' ? await openNetwork() : { enter: [], holder: null };
      const env = { PATH: `${bin}:${companion.env['PATH'] ?? ''}`, DOUBLE_OF: JSON.stringify({ enter, env: otherHome.env }) };

      const attach = companion.start(['attach', address], env);
      let said = '';
      for (const stream of [attach.stdout, attach.stderr]) stream?.on('data', (chunk) => (said += String(chunk)));
      const ended = new Promise<number | null>((resolve) => attach.on('exit', resolve));
      try {
        const [, text = ''] = await until(() => new RegExp(`${name}: its Pilotfish is at ws://127\\.0\\.0\\.1:(\\d+)`).exec(said), {
          what: 'the address',
        });
        const near = Number(text);
        // Without a terminal nobody could compare a code.
        await until(() => said.includes(`pilotfish browsers pair --address ws://127.0.0.1:${near}`));
        const { port: far } = (await other.api.send('GET', '/api/status')).json as Status;
        await until(async () => (await health(near, far ?? 0)) === 200, { what: 'the daemon at the end of the tunnel' });
        expect(companion.daemons()).toEqual([]);

        const isTunnel = ({ command }: { command: string }): boolean => command.includes('double.cjs') && command.endsWith('pilotfish mcp');
        const tunnel = await until(() => home.processes().find(isTunnel), { what: 'the tunnel' });
        signal(tunnel.pid, 'SIGTERM');

        await until(() => said.includes('it is opened again'), { what: 'the tunnel to end' });
        await until(async () => (await health(near, far ?? 0)) === 200, { what: 'the tunnel to be back' });
      } finally {
        attach.kill('SIGINT');
        await ended;
        await other.stopDaemon();
        await otherHome.remove();
        holder?.kill();
      }
      await home.waitForProcesses((list) => list.length === 0);
    },
  );

  test.for(['ssh://-oProxyCommand=x', 'ssh://host;id', 'docker://--privileged', 'docker://box/other', 'podman://me@box'])(
    '%s is no machine',
    { tags: 'whole' },
    async (address, { companion }) => {
      const { code, stderr } = await companion.run(['attach', address]);

      expect(code).toBe(2);
      expect(stderr).toContain('is no address of a machine');
    },
  );
});

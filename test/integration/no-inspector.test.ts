/** Node opens its inspector, which runs any code for anyone who connects, when a process gets SIGUSR1: the executable never does. */
import { once } from 'node:events';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import { test } from '#test/fixtures/stage.ts';
import { openTerminal } from '#test/fixtures/terminal.ts';
import { until } from '#test/fixtures/until.ts';

const SIGUSR1_BIT = 1n << 9n;

/** Whether the process has a handler for SIGUSR1, as the kernel says. */
const catchesSigusr1 = (pid: number): boolean => {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & SIGUSR1_BIT) !== 0n;
};

/** Loopback ports that the process listens on. */
const listeningPorts = (pid: number): number[] => {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        // It was closed meanwhile.
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((family) =>
    readFileSync(`/proc/${pid}/net/${family}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      // 0A is the state LISTEN.
      .filter((fields) => fields[3] === '0A' && sockets.has(fields[9] ?? ''))
      .map((fields) => Number.parseInt(fields[1]?.split(':')[1] ?? '', 16)),
  );
};

describe.runIf(process.platform === 'linux')('SIGUSR1', () => {
  test('opens no inspector in any role, and the process lives on', async ({ companion, home }) => {
    const daemon = await companion.startDaemon();
    const { port } = (await companion.api.send('GET', '/api/status')).json as { port: number };
    const host = companion.start([`${EXTENSION_ORIGIN}/`]);
    const mcp = companion.start(['mcp']);
    const logs = companion.start(['logs', '--follow']);
    using terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir });
    const isTui = ({ command }: { command: string }): boolean => command === companion.executable;
    const tui = await until(() => home.processes().find(isTui)?.pid ?? null, { what: 'the terminal UI' });
    // Where something is to be set up, the guide soon takes the place of everything else.
    await terminal.waitFor(/● live/u);
    // What each says first shows that it has come past its start.
    const answered = Promise.all(
      [host, mcp, logs].map((child) => until(() => child.stdout?.readableLength !== 0, { what: 'a first word' })),
    );
    mcp.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    await answered;

    for (const pid of [daemon, host.pid ?? 0, mcp.pid ?? 0, logs.pid ?? 0, tui]) {
      process.kill(pid, 'SIGUSR1');

      expect(catchesSigusr1(pid), `process ${pid}`).toBe(false);
      expect(listeningPorts(pid)).toEqual(pid === daemon ? [port] : []);
    }

    expect((await companion.api.send('GET', '/api/status')).status).toBe(200);
    expect([host.exitCode, mcp.exitCode, logs.exitCode]).toEqual([null, null, null]);
    expect(home.processes().filter(isTui)).toHaveLength(1);
    // One that outlives the daemon starts another, which stays for a minute.
    const ended = Promise.all([host, mcp, logs].map((child) => once(child, 'exit')));
    host.stdin?.end();
    mcp.stdin?.end();
    logs.kill();
    await ended;
  });
});

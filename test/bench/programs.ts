/** Start times, memory, sizes. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { readBuiltExtension } from '#installer/build-extension.ts';
import { extensionDir } from '#installer/build.ts';
import { loadedLazily, zippedBytes } from '#installer/extension-sizes.ts';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import type { Row } from './bench.ts';
import { buildMinimal, copyProgram, ECHO_HOST, HELLO, installPlaywrightMcp, writeNoopServer } from './peers.ts';
import { footprint, idleActivity, startServer, timeToExit, timeToFirstByte, timeToTools, type Command } from './processes.ts';
import { interleave, type Figures } from './stats.ts';

const IDLE_SECONDS = 10;

export const benchPrograms = async (companion: Companion, report: (line: string) => void): Promise<Row[]> => {
  const { env, home } = companion;
  const command = (file: string, ...args: string[]): Command => ({ file, args, env, cwd: home.dir });
  const ours = (...args: string[]): Command => command(companion.executable, ...args);
  const hello = buildMinimal('hello', HELLO);
  const echo = buildMinimal('echo-host', ECHO_HOST);
  const playwright = command(process.execPath, installPlaywrightMcp(), '--headless');
  const noop = command(process.execPath, path.join(writeNoopServer()));

  report('start of the executable');
  const version = await interleave({ ours: () => timeToExit(ours('--version')), hello: () => timeToExit(command(hello)) }, 30);

  await companion.startDaemon();
  report('first reply of the native messaging host');
  const host = await interleave(
    {
      ours: () => timeToFirstByte(ours(`${EXTENSION_ORIGIN}/`)),
      echo: () => timeToFirstByte(command(echo, `${EXTENSION_ORIGIN}/`)),
    },
    30,
  );

  report('MCP server over stdio, spawn to tools/list');
  const warm = await interleave(
    { ours: () => timeToTools(ours('mcp')), playwright: () => timeToTools(playwright), noop: () => timeToTools(noop) },
    10,
  );
  await companion.stopDaemon();
  const cold = await interleave(
    {
      ours: async () => {
        const elapsed = await timeToTools(ours('mcp'));
        // It was asked for its tools only, which starts none yet.
        await companion.stopDaemon();
        return elapsed;
      },
      playwright: () => timeToTools(playwright),
    },
    5,
  );

  report('idle memory and activity');
  const pid = await companion.startDaemon({ executable: copyProgram(companion.executable) });
  const peer = await startServer({ ...playwright, file: copyProgram(process.execPath) });
  const [activity] = await Promise.all([idleActivity(pid, IDLE_SECONDS), idleActivity(peer.pid, IDLE_SECONDS)]);
  const daemon = footprint(pid);
  const peerMemory = footprint(peer.pid);
  await peer.close();
  // It runs from a copy of the program: the host of another file is no host of its own, and its browser would have to be let in.
  await companion.stopDaemon();

  return [
    row('start', '`pilotfish --version`, spawn to exit', version.ours, 'hello in a bare executable', version.hello, 1.15),
    row('start', 'native messaging host, spawn to first reply', host.ours, 'minimal host in a bare executable', host.echo, 1.3),
    row('start of MCP', '`pilotfish mcp`, spawn to `tools/list`', warm.ours, '@playwright/mcp 0.0.83', warm.playwright, 0.5),
    row('start of MCP', '`pilotfish mcp`, spawn to `tools/list`', warm.ours, 'no-op server of the MCP SDK', warm.noop, 1),
    row('start of MCP', 'the same with no daemon running', cold.ours, '@playwright/mcp 0.0.83', cold.playwright, 0.5),
    amount('idle', 'idle daemon, PSS', daemon.pssMb, 'MB', '@playwright/mcp 0.0.83', peerMemory.pssMb, 0.75),
    amount('idle', 'idle daemon, anonymous memory', daemon.anonymousMb, 'MB', 'the limit', 45, 1),
    amount('idle', 'idle daemon, processor', activity.cpuPercent, '%', 'the limit', 0.05, 1),
    amount('idle', 'idle daemon, wake-ups of its main thread', activity.wakeupsPerSecond, '/s', 'the limit', 1, 1),
    amount(
      'size',
      'the executable',
      megabytes(companion.executable),
      'MB',
      'its Node, as that is distributed',
      megabytes(process.execPath),
      1.05,
    ),
    await extensionSize(),
  ];
};

const megabytes = (file: string): number => statSync(file).size / 1e6;

/** As it is downloaded. What no page loads before it needs it has no limit, so the whole is told beside it. */
const extensionSize = async (): Promise<Row> => {
  const extension = await readBuiltExtension(extensionDir);
  const lazily = loadedLazily(extension);
  const [first, whole] = [zippedBytes(extension, (name) => !lazily.has(name)) / 1e6, zippedBytes(extension) / 1e6];
  return amount(
    'size',
    `the extension, packed, but for what is loaded lazily (whole: ${whole.toFixed(2)} MB)`,
    first,
    'MB',
    'the limit',
    1.5,
    1,
  );
};

const row = (area: string, what: string, ours: Figures, name: string, reference: Figures, goal: number): Row => ({
  area,
  what,
  ours: `${ours.p50.toFixed(0)} ms`,
  reference: `${name}: ${reference.p50.toFixed(0)} ms`,
  ratio: ours.p50 / reference.p50,
  goal,
});

const amount = (area: string, what: string, ours: number, unit: string, name: string, reference: number, goal: number): Row => ({
  area,
  what,
  ours: `${ours.toFixed(2)} ${unit}`,
  reference: `${name}: ${reference.toFixed(2)} ${unit}`,
  ratio: ours / reference,
  goal,
});

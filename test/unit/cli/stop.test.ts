import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Client } from '#companion/client/client.ts';
import { stopDaemon } from '#companion/cli/stop.ts';

test('a daemon has been stopped when its process has ended, not when its connections are closed', async () => {
  const order: string[] = [];
  const daemon = spawn(process.execPath, ['-e', 'process.stdin.resume().on("end", () => process.exit())'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  daemon.on('exit', () => order.push('its process has ended'));
  const closed = Promise.withResolvers<void>();
  // Its API, of which nothing is left once it was told to end.
  const client = {
    connect: () => Promise.resolve({ pid: daemon.pid }),
    streamState: (_onEvent: unknown, _signal: unknown, onState: (state: { state: 'live' }) => void) => {
      onState({ state: 'live' });
      return closed.promise;
    },
    shutdown: () => {
      closed.resolve();
      daemon.stdin.end();
      return Promise.resolve();
    },
  } as unknown as Client;

  expect(await stopDaemon({ client, signal: new AbortController().signal })).toBe(true);
  order.push('it was stopped');

  expect(order).toEqual(['its process has ended', 'it was stopped']);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Comers } from '#companion/app/reception.ts';
import { UNKNOWN_PROCESS, type Caller } from '#companion/lib/peer.ts';

const caller: Caller = { ...UNKNOWN_PROCESS, pid: 7, actsFor: 'person' };

describe('the program behind a connection over loopback', () => {
  test('is looked for once, also by calls that come together, and is looked at first behind the next connection', async () => {
    const asked: (number | null)[] = [];
    const comers = new Comers({
      identifyLoopback: async (_, likely) => {
        asked.push(likely);
        return caller;
      },
    });
    const first = new Socket();

    const together = await Promise.all([comers.overLoopback('Editor', first), comers.overLoopback('Editor', first)]);
    const later = await comers.overLoopback('Editor', new Socket());

    expect(asked).toEqual([null, 7]);
    expect(together.map(({ pid }) => pid)).toEqual([7, 7]);
    expect(later.pid).toBe(7);
  });

  test('is expected back for as long as its process runs', async () => {
    const program = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    onTestFinished(() => void program.kill('SIGKILL'));
    const comers = new Comers({ identifyLoopback: async () => ({ ...caller, pid: program.pid ?? null }) });
    expect(comers.areExpected).toBe(false);

    const socket = new Socket();
    const runs = comers.watch(socket);
    await new Promise((resolve) => setImmediate(resolve));
    // An agent of Pilotfish's own is watched, too, and needs no daemon between its turns.
    expect([comers.areExpected, runs()]).toEqual([false, true]);
    await comers.spoke(socket);
    expect([comers.areExpected, runs()]).toEqual([true, true]);

    const ended = once(program, 'exit');
    program.stdin.end();
    await ended;
    expect([comers.areExpected, runs()]).toEqual([false, false]);
  });

  test('is expected back for some hours where the system does not tell it', async () => {
    const comers = new Comers({ identifyLoopback: async () => ({ ...caller, pid: null }) });

    await comers.spoke(new Socket());

    expect(comers.areExpected).toBe(true);
  });
});

/** Too little of everything and too much to do: file descriptors, memory, readers that do not read. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { SessionId } from '#protocol/ids.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { countsOf, quantile, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict } from '#test/fixtures/ledger.ts';
import type { LedgerClient } from '#test/fixtures/ledger-client.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { memoryMb } from '#test/fixtures/memory.ts';
import { test } from '#test/fixtures/stage.ts';

/** Where Linux bounds the memory of groups of processes, and whether this user may make one. */
const GROUPS = '/sys/fs/cgroup/memory';
const mayMakeGroups = existsSync(GROUPS) && spawnSync('test', ['-w', GROUPS]).status === 0;

interface MemoryLimit extends Disposable {
  readonly words: string;
  /** For the shell that starts the daemon. */
  readonly limits: string;
}

/** 256 MB of memory for daemon and agents together. Where no group can be made: of data, of which the program reserves more than it uses. */
const limitMemory = (): MemoryLimit => {
  if (!mayMakeGroups) return { words: '720 MB of data', limits: `ulimit -d ${720 * 1024}`, [Symbol.dispose]: () => {} };
  const group = path.join(GROUPS, `pilotfish-test-${process.pid}`);
  mkdirSync(group);
  writeFileSync(path.join(group, 'memory.limit_in_bytes'), String(256 * 2 ** 20));
  return {
    words: '256 MB, its agents included',
    limits: `echo $$ > ${group}/cgroup.procs`,
    [Symbol.dispose]: () => rmdirSync(group),
  };
};

/** A daemon that is started by a shell after `limits`. */
const startLimited = (companion: Companion, limits: string): Promise<number> => {
  const file = path.join(companion.home.dir, 'limited');
  writeFileSync(file, `#!/bin/sh\n${limits}\nexec '${companion.executable}' daemon\n`);
  chmodSync(file, 0o755);
  return companion.startDaemon({ executable: file });
};

describe.runIf(process.platform === 'linux')('with too little of', () => {
  test('file descriptors, new clients wait or are refused, and all goes on when there are some again', async ({ companion }) => {
    const startedAt = performance.now();
    const stage = new LedgerStage(companion);
    const pid = await startLimited(companion, 'ulimit -n 64');
    await stage.open(2);
    const rounds = times(1, 10);
    for (let round = 0; round < rounds; round += 1) {
      const held: Socket[] = Array.from({ length: 100 }, () => connect(companion.paths.socket).on('error', () => {}));
      const working = stage.converse(3);
      await pause(500);
      for (const socket of held) socket.destroy();
      await working;
    }
    const survived = companion.daemons();
    const verdict = await stage.finish();

    tellFigure({
      fault: 'The daemon has 64 file descriptors, and a hundred connections hold them',
      count: `${rounds} times, ${stage.promised()}`,
      ...countsOf(verdict),
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(survived).toEqual([pid]);
  });

  test('memory, a flood of text is taken, or the next daemon has what was promised', async ({ companion }) => {
    const startedAt = performance.now();
    const stage = new LedgerStage(companion);
    using limit = limitMemory();
    let pid = await startLimited(companion, limit.limits);
    await stage.open(4);
    let died = 0;
    let peakMb = 0;
    const watching = setInterval(() => {
      if (companion.daemons().includes(pid)) peakMb = Math.max(peakMb, memoryMb(pid));
    }, 200);
    const rounds = times(1, 10);
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(stage.clients.map((client) => client.send('count', String(times(3_000, 20_000)))));
      const working = stage.converse(2);
      const isDone = await Promise.race([working.then(() => true), gone(companion, pid).then(() => false)]);
      if (!isDone) {
        died += 1;
        pid = await startLimited(companion, limit.limits);
        await working;
      }
    }
    clearInterval(watching);
    const verdict = await stage.finish();

    tellFigure({
      fault: `The daemon may have ${limit.words}, and four agents pour out text`,
      count: `${rounds} times, ${stage.promised()}`,
      ...countsOf(verdict),
      measured: `${died} daemons died of it, at most ${Math.round(peakMb)} MB resident`,
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(died).toBe(0);
  });
});

describe.runIf(process.platform === 'linux')('with much to do', () => {
  test('readers that stop or read a kilobyte a second cost bounded memory, and hold up nobody', async ({ companion }) => {
    const startedAt = performance.now();
    const stage = new LedgerStage(companion);
    const pieces = times(20_000, 150_000);
    // Its highest peaks say when garbage was collected; what readers hold is there all the time.
    const memoryInFloods = async (pid: number, clients: readonly LedgerClient[]): Promise<{ usualMb: number; peakMb: number }> => {
      const samples = [memoryMb(pid)];
      const watching = setInterval(() => samples.push(memoryMb(pid)), 50);
      for (let flood = 0; flood < 2; flood += 1)
        await Promise.all(clients.map(async (client) => client.ended(await client.send('count', String(pieces)))));
      clearInterval(watching);
      return { usualMb: quantile(samples, 0.5), peakMb: Math.max(...samples) };
    };
    // Two daemons that do the same, for one daemon keeps the memory that it once had.
    const alone = await companion.startDaemon();
    await stage.open(2);
    const without = await memoryInFloods(alone, stage.clients);
    await companion.stopDaemon();
    const watched = await companion.startDaemon();
    await stage.open(2);
    const clients = stage.clients.slice(2);
    const readers = clients.flatMap(({ sessionId }) =>
      Array.from({ length: 10 }, (_, index) => readSlowly(companion, sessionId, index % 2 === 0 ? 0 : 1_024)),
    );
    const withReaders = await memoryInFloods(watched, clients);
    const droppedCount = readers.filter(({ isDropped }) => isDropped()).length;
    for (const { end } of readers) end();
    const verdict = await stage.finish();

    tellFigure({
      fault: 'Ten readers stop, and ten read a kilobyte a second, while two agents pour out text',
      count: `${4 * pieces} pieces of text, ${stage.promised()}`,
      ...countsOf(verdict),
      measured: `mostly ${Math.round(withReaders.usualMb)} MB resident, at most ${Math.round(withReaders.peakMb)} MB; without these readers ${Math.round(without.usualMb)} MB, at most ${Math.round(without.peakMb)} MB; ${droppedCount} of them were dropped`,
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(withReaders.usualMb - without.usualMb).toBeLessThan(32);
  });
});

/** Asks for the whole stream of a session, and then reads `bytesPerSecond` of it. */
const readSlowly = (companion: Companion, sessionId: SessionId, bytesPerSecond: number): { isDropped(): boolean; end(): void } => {
  let isDropped = false;
  const socket = connect(companion.paths.socket);
  socket.on('error', () => {});
  socket.on('close', () => (isDropped = true));
  socket.pause();
  socket.write(`GET /api/agent-sessions/${sessionId}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`);
  const timer = setInterval(() => socket.read(bytesPerSecond === 0 ? 0 : Math.min(bytesPerSecond, socket.readableLength)), 1_000);
  return {
    isDropped: () => isDropped || socket.destroyed,
    end: () => {
      clearInterval(timer);
      isDropped = true;
      socket.destroy();
    },
  };
};

/** Resolves when the process has ended. */
const gone = async (companion: Companion, pid: number): Promise<void> => {
  while (companion.daemons().includes(pid)) await pause(50);
};

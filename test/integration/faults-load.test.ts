/** Too little of everything and too much to do: file descriptors, memory, processor; many sessions at once, and many days of use. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { SessionId } from '#protocol/ids.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { countsOf, quantile, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict } from '#test/fixtures/ledger.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { test } from '#test/fixtures/stage.ts';

const WHOLE_MS = 2_400_000;
const VERBS = ['say', 'ask', 'count'] as const;

/** Every client has `turns` turns, one after the other, `pauseMs` apart. */
const converse = async (stage: LedgerStage, turns: number, pauseMs = 0): Promise<void> => {
  await Promise.all(
    stage.clients.map(async (client, index) => {
      // Not all at one instant.
      await pause((pauseMs * index) / stage.clients.length);
      for (let turn = 0; turn < turns; turn += 1) {
        const startedAt = performance.now();
        await client.ended(await client.send(VERBS[turn % VERBS.length] ?? 'say', '20'));
        await pause(Math.max(0, pauseMs - (performance.now() - startedAt)));
      }
    }),
  );
};

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

const memoryMb = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

describe.runIf(process.platform === 'linux')('with too little of', () => {
  test(
    'file descriptors, new clients wait or are refused, and all goes on when there are some again',
    { timeout: WHOLE_MS },
    async ({ companion }) => {
      const startedAt = performance.now();
      const stage = new LedgerStage(companion);
      const pid = await startLimited(companion, 'ulimit -n 64');
      await stage.open(2);
      const rounds = times(1, 10);
      for (let round = 0; round < rounds; round += 1) {
        const held: Socket[] = Array.from({ length: 100 }, () => connect(companion.paths.socket).on('error', () => {}));
        const working = converse(stage, 3);
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
    },
  );

  test('memory, a flood of text is taken, or the next daemon has what was promised', { timeout: WHOLE_MS }, async ({ companion }) => {
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
      await Promise.all(stage.clients.map((client) => client.send('count', String(times(3_000, 50_000)))));
      const working = converse(stage, 2);
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

  test('processor time, beside four endless loops, all is only slower', { timeout: WHOLE_MS }, async ({ companion }) => {
    const startedAt = performance.now();
    const stage = new LedgerStage(companion);
    const pid = await companion.startDaemon();
    await stage.open(2);
    const loops: ChildProcess[] = Array.from({ length: 4 }, () => spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
    try {
      await converse(stage, times(3, 100));
    } finally {
      for (const loop of loops) loop.kill('SIGKILL');
    }
    const survived = companion.daemons();
    const verdict = await stage.finish();
    const delays = stage.clients.flatMap(({ delaysMs }) => delaysMs);

    tellFigure({
      fault: 'Four endless loops take the processor',
      count: stage.promised(),
      ...countsOf(verdict),
      measured: `agent to client p99 ${Math.round(quantile(delays, 0.99))} ms`,
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(survived).toEqual([pid]);
  });
});

describe.runIf(process.platform === 'linux')('with much to do', () => {
  test(
    'a hundred sessions at once: each event comes to its own client, soon, and memory is bounded',
    { timeout: WHOLE_MS },
    async ({ companion }) => {
      const startedAt = performance.now();
      const stage = new LedgerStage(companion, { warm: { maxProcesses: 64, idleStopMs: 1_800_000 } });
      const pid = await companion.startDaemon();
      const sessions = times(20, 100);
      const turns = times(2, 100);
      await stage.open(sessions);
      await converse(stage, turns, times(300, 1_000));
      const residentMb = memoryMb(pid);
      const verdict = await stage.finish();
      const delays = stage.clients.flatMap(({ delaysMs }) => delaysMs);

      tellFigure({
        fault: 'A hundred sessions work at once, with a stream each',
        count: `${sessions} sessions, ${stage.promised()}`,
        ...countsOf(verdict),
        measured: `agent to client p50 ${Math.round(quantile(delays, 0.5))} ms, p99 ${Math.round(quantile(delays, 0.99))} ms; ${Math.round(residentMb)} MB resident`,
        ms: performance.now() - startedAt,
      });
      expect(verdict).toEqual(emptyVerdict());
      expect(residentMb).toBeLessThan(300);
      expect(quantile(delays, 0.99)).toBeLessThan(50 + SLACK_MS);
    },
  );

  test(
    'readers that stop or read a kilobyte a second cost bounded memory, and hold up nobody',
    { timeout: WHOLE_MS },
    async ({ companion }) => {
      const startedAt = performance.now();
      const stage = new LedgerStage(companion);
      const pid = await companion.startDaemon();
      await stage.open(2);
      const pieces = times(20_000, 400_000);
      const peakOfFlood = async (): Promise<number> => {
        let peakMb = memoryMb(pid);
        const watching = setInterval(() => (peakMb = Math.max(peakMb, memoryMb(pid))), 50);
        await Promise.all(stage.clients.map(async (client) => client.ended(await client.send('count', String(pieces)))));
        clearInterval(watching);
        return peakMb;
      };
      await peakOfFlood();
      const peakMb = await peakOfFlood();
      const readers = stage.clients.flatMap(({ sessionId }) =>
        Array.from({ length: 10 }, (_, index) => readSlowly(companion, sessionId, index % 2 === 0 ? 0 : 1_024)),
      );
      const withReadersMb = await peakOfFlood();
      const droppedCount = readers.filter(({ isDropped }) => isDropped()).length;
      for (const { end } of readers) end();
      const verdict = await stage.finish();

      tellFigure({
        fault: 'Ten readers stop, and ten read a kilobyte a second, while two agents pour out text',
        count: `${2 * pieces} pieces of text, ${stage.promised()}`,
        ...countsOf(verdict),
        measured: `at most ${Math.round(withReadersMb)} MB resident, without these readers ${Math.round(peakMb)} MB; ${droppedCount} of them were dropped`,
        ms: performance.now() - startedAt,
      });
      expect(verdict).toEqual(emptyVerdict());
      expect(withReadersMb - peakMb).toBeLessThan(32);
    },
  );

  test(
    'a day of use in a few minutes: memory, descriptors, log and database stay within bounds',
    { timeout: WHOLE_MS },
    async ({ companion }) => {
      const startedAt = performance.now();
      const stage = new LedgerStage(companion);
      const pid = await companion.startDaemon();
      const generations = times(1, 100);
      const turns = times(6, 20);
      const samples: { turns: number; mb: number; fds: number }[] = [];
      let done = 0;
      for (let generation = 0; generation < generations; generation += 1) {
        const before = stage.clients.length;
        await stage.open(5, (connection) => (connection === 'stream' ? 20_000 : null));
        const present = stage.clients.slice(before);
        await Promise.all(
          present.map(async (client) => {
            for (let turn = 0; turn < turns; turn += 1) await client.ended(await client.send('steps', String(times(10, 48))));
            await client.close();
          }),
        );
        done += 5 * turns;
        samples.push({ turns: done, mb: memoryMb(pid), fds: readdirSync(`/proc/${pid}/fd`).length });
      }
      const cuts = stage.clients.reduce((sum, { cutCount }) => sum + cutCount, 0);
      await companion.stopDaemon();
      const verdict = stage.judge();
      const events = stage.clients.reduce((sum, { ledger }) => sum + ledger.seenCount, 0);
      const { size: logBytes } = statSync(companion.paths.daemonLog);
      // The first half is warming up.
      const late = samples.slice(Math.floor(samples.length / 2));
      const [first, last] = [late[0], late.at(-1)];
      if (first === undefined || last === undefined) throw new Error('there are samples');
      const growthMb = last.mb - first.mb;

      tellFigure({
        fault: 'Days of use, one session after the other',
        count: `${done} turns, ${events} events, ${cuts} connections that were cut`,
        ...countsOf(verdict),
        measured: `from turn ${first.turns} to ${last.turns} ${growthMb.toFixed(1)} MB more, at the end ${Math.round(last.mb)} MB; ${first.fds} and ${last.fds} descriptors; log ${Math.round(logBytes / 1024)} KB`,
        ms: performance.now() - startedAt,
      });
      expect(verdict).toEqual(emptyVerdict());
      expect(growthMb).toBeLessThan(24);
      expect(Math.abs(last.fds - first.fds)).toBeLessThan(10);
      expect(logBytes).toBeLessThan(4.1 * 1024 * 1024);
    },
  );
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

/** Faults after which a time is promised, or that take the whole machine: they are measured with nothing else beside them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { countsOf, faultSeed, promised, quantile, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict } from '#test/fixtures/ledger.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { memoryMb } from '#test/fixtures/memory.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { test } from '#test/fixtures/stage.ts';

describe.runIf(process.platform === 'linux')('what was acknowledged is kept, once and in order, when', () => {
  test('the daemon is killed at random instants while four clients write', async ({ companion }) => {
    const random = createRandom(faultSeed);
    const rounds = times(4, 200);
    const stage = new LedgerStage(companion);
    await companion.startDaemon();
    await stage.open(4);
    const startedAt = performance.now();
    const load = new MachineLoad();
    let isOver = false;
    const sending = Promise.all(stage.clients.map((client) => client.keepSending(100, () => isOver)));

    const backMs: number[] = [];
    const warnings: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await pause(random(500));
      backMs.push(await stage.replaceDaemon());
      warnings.push(...(await stage.warnings()).filter((warning) => warning.includes('damaged')));
    }
    isOver = true;
    await sending;
    const verdict = await stage.finish();

    tellFigure({
      fault: 'The daemon is killed (SIGKILL) at random instants, under up to 40 prompts a second',
      count: `${rounds} kills, ${stage.promised()}`,
      ...countsOf(verdict),
      measured: `usable again: ${Math.round(quantile(backMs, 0.5))} ms, p95 ${Math.round(quantile(backMs, 0.95))} ms${load.words()}`,
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(warnings).toEqual([]);
    expect(quantile(backMs, 0.95)).toBeLessThan(promised(1_500, load));
  });

  test('a hundred sessions work at once: each event comes to its own client, soon, and memory is bounded', async ({ companion }) => {
    const startedAt = performance.now();
    const stage = new LedgerStage(companion, { warm: { maxProcesses: 128, idleStopMs: 1_800_000 } });
    const pid = await companion.startDaemon();
    const sessions = times(20, 100);
    const turns = times(2, 100);
    await stage.open(sessions);
    const load = new MachineLoad();
    await stage.converse(turns, times(300, 1_500));
    const residentMb = memoryMb(pid);
    const verdict = await stage.finish();
    const delays = stage.clients.flatMap(({ delaysMs }) => delaysMs);

    tellFigure({
      fault: 'A hundred sessions work at once, with a stream each',
      count: `${sessions} sessions, ${stage.promised()}`,
      ...countsOf(verdict),
      measured: `agent to client p50 ${Math.round(quantile(delays, 0.5))} ms, p99 ${Math.round(quantile(delays, 0.99))} ms; ${Math.round(residentMb)} MB resident${load.words()}`,
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(residentMb).toBeLessThan(300);
    expect(quantile(delays, 0.99)).toBeLessThan(promised(50, load));
  });

  test('four endless loops take the processor: all is only slower', async ({ companion }) => {
    const startedAt = performance.now();
    const stage = new LedgerStage(companion);
    const pid = await companion.startDaemon();
    await stage.open(2);
    const loops: ChildProcess[] = Array.from({ length: 4 }, () => spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
    try {
      await stage.converse(times(3, 100));
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

/** Many days of use within minutes. */
import { readdirSync, statSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { countsOf, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict } from '#test/fixtures/ledger.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { memoryMb } from '#test/fixtures/memory.ts';
import { test } from '#test/fixtures/stage.ts';

describe.runIf(process.platform === 'linux')('with much to do', () => {
  test('a day of use in a few minutes: memory, descriptors, log and database stay within bounds', async ({ companion }) => {
    const startedAt = performance.now();
    const stage = new LedgerStage(companion);
    const pid = await companion.startDaemon();
    const generations = times(1, 100);
    const turns = times(6, 20);
    const samples: { turns: number; mb: number; fds: number }[] = [];
    let done = 0;
    for (let generation = 0; generation < generations; generation += 1) {
      const before = stage.clients.length;
      await stage.open(5, (connection) => (connection === 'stream' ? 120_000 : null));
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
  });
});

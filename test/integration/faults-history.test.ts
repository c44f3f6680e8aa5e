/** Faults around the built daemon, and one judge of them all: what its clients were promised is in the history, once and in order. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { createRandom } from '#test/fixtures/random.ts';
import { countsOf, faultSeed, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict } from '#test/fixtures/ledger.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { WHOLE_MS } from '#test/fixtures/limits.ts';
import { SetClock } from '#test/fixtures/set-clock.ts';
import { signal } from '#test/fixtures/signal.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const HOUR = 3_600;
/** How far the clock is ahead, one after the other; the last two lie on both sides of the last second that 32 bits can hold. */
const AHEAD_SECONDS = [
  8 * HOUR,
  7 * HOUR,
  -HOUR,
  0,
  -20 * 365 * 24 * HOUR,
  2 ** 31 - 1 - Math.floor(Date.now() / 1000),
  2 ** 31 - Math.floor(Date.now() / 1000),
];

describe.runIf(process.platform === 'linux')('what was acknowledged is kept, once and in order, when', () => {
  test('connections are cut at random bytes, and the daemon is killed between', async ({ companion }) => {
    const random = createRandom(faultSeed);
    const cuts = times(50, 1_000);
    const stage = new LedgerStage(companion);
    await companion.startDaemon();
    // The answer's first event lies beyond some of these bytes: then the next cut comes before anything new was seen.
    await stage.open(4, (connection) => (connection === 'stream' || random(2) === 0 ? random(3_000) : null));
    const startedAt = performance.now();
    const cutCount = (): number => stage.clients.reduce((sum, client) => sum + client.cutCount, 0);
    const sending = stage.clients.map((client) => client.keepSending(5, () => cutCount() >= cuts));

    const kills = times(1, 5);
    for (let kill = 1; kill <= kills; kill += 1) {
      await until(() => cutCount() > (cuts * kill) / (kills + 1), { timeoutMs: WHOLE_MS, what: 'more cuts' });
      await stage.replaceDaemon();
    }
    await Promise.all(sending);
    const verdict = await stage.finish();

    tellFigure({
      fault: 'Connections are cut at random bytes of requests, answers and streams, and the daemon is killed between',
      count: `${cutCount()} cuts, ${kills} kills, ${stage.promised()}`,
      ...countsOf(verdict),
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(stage.clients.map(({ resyncCount }) => resyncCount)).toEqual([0, 0, 0, 0]);
  });

  test('daemon and agents are suspended, for longer than an agent may be silent', { tags: 'whole' }, async ({ companion, home }) => {
    const random = createRandom(faultSeed);
    const rounds = times(3, 30);
    // A busy machine is silent for a while as well.
    const hangMs = 6_000;
    const stage = new LedgerStage(companion, { hangMs });
    await companion.startDaemon();
    await stage.open(3);
    const [silent, ...writers] = stage.clients;
    if (silent === undefined) throw new Error('there are three clients');
    const startedAt = performance.now();
    let isOver = false;
    const sending = Promise.all(writers.map((client) => client.keepSending(20, () => isOver)));
    const held = await silent.send('hold');
    await until(() => silent.ledger.saw('item.delta'), { what: 'the first words of the turn that stays silent' });

    let longestMs = 0;
    for (let round = 0; round < rounds; round += 1) {
      await pause(random(200));
      const suspended = home.processes();
      const suspendMs = round === 0 ? times(7_000, 60_000) : random(500);
      for (const { pid } of suspended) signal(pid, 'SIGSTOP');
      await pause(suspendMs);
      for (const { pid } of suspended) signal(pid, 'SIGCONT');
      longestMs = Math.max(longestMs, suspendMs);
      if (round === 0) await silent.cancel(held);
    }
    isOver = true;
    await sending;
    await silent.ended(held);
    await until(() => writers.every(({ ledger }) => ledger.saw('turn.completed')), { what: 'the first answers' });
    const outcomes = stage.clients.map(({ ledger }) => Object.keys(ledger.outcomes()));
    const verdict = await stage.finish();

    tellFigure({
      fault: 'Daemon and agents are suspended (SIGSTOP) and go on',
      count: `${rounds} times, up to ${longestMs / 1000} s where an agent may be silent for ${hangMs / 1000} s, ${stage.promised()}`,
      ...countsOf(verdict),
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(outcomes).toEqual([['cancelled'], ['completed'], ['completed']]);
  });

  test('the clock of the machine jumps by hours and years, back too, and over the year 2038', async ({ companion, home, skip }) => {
    skip(!isWhole, 'sessions have a test with a double of the clock: npm run test:whole');
    using clock = SetClock.make(home.dir);
    if (clock === null) return skip('there is no C compiler');
    const stage = new LedgerStage(companion);
    const pid = await companion.startDaemon({ env: clock.env });
    await stage.open(4);
    const startedAt = performance.now();
    let isOver = false;
    const sending = Promise.all(stage.clients.map((client) => client.keepSending(20, () => isOver)));
    const jumps = times(14, 140);
    for (let jump = 0; jump < jumps; jump += 1) {
      clock.set(AHEAD_SECONDS[jump % AHEAD_SECONDS.length] ?? 0);
      await pause(100);
    }
    isOver = true;
    await sending;
    const survived = companion.daemons();
    const verdict = await stage.finish();

    tellFigure({
      fault: 'The clock of the machine jumps by hours and years, back too, and over the year 2038, under the built daemon and its agents',
      count: `${jumps} jumps, ${stage.promised()}`,
      ...countsOf(verdict),
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(survived).toEqual([pid]);
  });

  test('agents pour out text and clients pour in prompts', { tags: 'whole' }, async ({ companion }) => {
    const stage = new LedgerStage(companion);
    await companion.startDaemon();
    await stage.open(4);
    const startedAt = performance.now();
    const prompts = times(15, 500);
    const pieces = times(3_000, 40_000);

    await Promise.all(
      stage.clients.map(async (client) => {
        await client.send('count', String(pieces));
        for (let count = 0; count < prompts; count += 1) await client.send('say');
      }),
    );
    const verdict = await stage.finish();

    tellFigure({
      fault: 'Four agents pour out text while their clients send prompts without waiting',
      count: `${4 * pieces} pieces of text, ${stage.promised()}`,
      ...countsOf(verdict),
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
  });
});

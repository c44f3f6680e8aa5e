/** A fault at a system call: the system refuses it, once or for good. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect } from 'vitest';
import type { Companion } from '#test/fixtures/companion.ts';
import { countsOf, faultSeed, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict } from '#test/fixtures/ledger.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { test } from '#test/fixtures/stage.ts';
import { hasStrace } from '#test/fixtures/system-packages.ts';
import { TracedDaemon } from '#test/fixtures/traced-daemon.ts';

/** What a system refuses when it has no room, no memory or no file descriptors left, or when its disk fails. */
const REFUSALS = [
  'pwrite64:error=ENOSPC',
  'pwrite64:error=EIO',
  'openat:error=EROFS',
  'fdatasync:error=EIO',
  'ftruncate:error=EIO',
  'openat:error=EMFILE',
  'openat:error=ENOSPC',
  'rename:error=ENOSPC',
  'clone:error=EAGAIN',
  'clone3:error=EAGAIN',
  'pipe2:error=EMFILE',
  'socketpair:error=EMFILE',
  'accept4:error=EMFILE',
] as const;

/** Node waits for ever for the second of its own threads. */
const FIRST_NTH = new Map([['clone3', 3]]);

/** Of what a daemon that cannot start must have told: the runtime has no words when it is given no threads, and ends by a signal. */
const START_FAILED = '"daemon.failed"';

describe('a system call', () => {
  beforeEach(({ skip }) => skip(!hasStrace(), 'strace is not installed'));

  test('that makes a thread is refused: the daemon ends at once, before anybody relies on it', async ({ companion }) => {
    const daemon = new TracedDaemon(companion, ['-o', '/dev/null', '-e', 'trace=clone3', '-e', 'inject=clone3:error=EAGAIN:when=5+']);

    expect(await daemon.answers()).toBe(false);
    expect(await daemon.ended).toBe('SIGABRT');
  });

  test('that the system refuses ends no daemon: what was accepted is kept', { tags: 'whole' }, async ({ companion }) => {
    const startedAt = performance.now();
    const random = createRandom(faultSeed);
    const stage = new LedgerStage(companion);
    await companion.startDaemon();
    await stage.open(2);
    const rounds = times(2, 60);

    let died = 0;
    let refusedStart = 0;
    const unsaid: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await companion.stopDaemon();
      const refusal = REFUSALS[round % REFUSALS.length] ?? '';
      const [call = ''] = refusal.split(':');
      // Once, or for good from there on.
      const when = `${Math.max(FIRST_NTH.get(call) ?? 1, 1 + random(60))}${round % 3 === 2 ? '+' : ''}`;
      const toldBefore = toldFailures(companion);
      const daemon = new TracedDaemon(companion, ['-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${refusal}:when=${when}`]);
      if (!(await daemon.answers())) {
        // It cannot start like this, and has said so; the next one can.
        refusedStart += 1;
        // Where it cannot open its log, its starter finds that out.
        const isSilent = (await daemon.ended) === null && toldFailures(companion) === toldBefore;
        if (isSilent && call !== 'openat') unsaid.push(`${refusal}:when=${when}`);
        await companion.startDaemon();
        await stage.converse(3);
        continue;
      }
      const working = stage.converse(3);
      await Promise.race([working, daemon.ended, pause(when.endsWith('+') ? 500 : 5_000)]);
      if (companion.daemons().length === 0) died += 1;
      await daemon.end();
      await companion.startDaemon();
      await working;
    }
    const verdict = await stage.finish();

    tellFigure({
      fault: 'The system refuses a call: no room, a failing disk, no file descriptors, no processes',
      count: `${rounds} refusals, once or for good, ${stage.promised()}`,
      ...countsOf(verdict),
      measured: `${died} daemons died of it, ${refusedStart} could not start and said so`,
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(died).toBe(0);
    expect(unsaid).toEqual([]);
  });
});

const toldFailures = ({ paths }: Companion): number => readFileSync(paths.daemonLog, 'utf8').split(START_FAILED).length;

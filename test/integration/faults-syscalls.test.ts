/** The daemon is killed before each system call that others can see the effect of. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { countsOf, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict, mergeVerdicts, type Verdict } from '#test/fixtures/ledger.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { test } from '#test/fixtures/stage.ts';
import { hasStrace } from '#test/fixtures/system-packages.ts';
import { type CallPlace, readPlaces, TracedDaemon } from '#test/fixtures/traced-daemon.ts';

/** What a daemon does that another process, the disk or the person can see afterwards. */
const EFFECTS = ['pwrite64', 'write', 'writev', 'fdatasync', 'fsync', 'ftruncate', 'unlink', 'rename', 'link', 'clone', 'clone3', 'vfork'];
/** Of these, what a first start leaves on the disk. */
const TRACES = ['pwrite64', 'fdatasync', 'fsync', 'ftruncate', 'unlink', 'rename', 'link'];

/** `count` of them, spread over all, in the order in which they are. */
const spread = <T>(all: readonly T[], count: number): T[] =>
  all.filter((_, index) => Math.floor(((index + 1) * count) / all.length) !== Math.floor((index * count) / all.length));

describe('a fault at a system call', () => {
  beforeEach(({ skip }) => skip(!hasStrace(), 'strace is not installed'));

  test('the daemon’s socket and folders are its owner’s alone from the first moment', async ({ companion }) => {
    const file = path.join(companion.home.dir, 'calls');
    const daemon = new TracedDaemon(companion, ['-o', file, '-e', 'trace=umask,bind,chmod,fchmod,fchmodat,mkdir,mkdirat']);
    await daemon.answers();
    await daemon.end();

    const calls = readFileSync(file, 'utf8').split('\n');
    const binding = calls.findIndex((call) => /^(?:\d+ +)?bind\(.*AF_UNIX/.test(call));
    const umasks = calls.slice(0, binding).filter((call) => call.includes('umask('));
    const done = calls.filter((call) => call.includes(companion.home.dir) && call.endsWith('= 0'));
    const made = done.filter((call) => /^(?:\d+ +)?(?:f?chmod|fchmodat|mkdir|mkdirat)\(/.test(call));

    expect(binding).toBeGreaterThan(0);
    expect(umasks.at(-1)).toContain('umask(0177)');
    expect(made).not.toEqual([]);
    expect(made.filter((call) => !/, 0?[67]00\)/.test(call))).toEqual([]);
  });

  test(
    'the daemon is killed before each that writes, syncs, names, answers or starts something',
    { tags: 'whole' },
    async ({ companion }) => {
      const startedAt = performance.now();
      const stage = new LedgerStage(companion);
      await companion.startDaemon();
      await stage.open(2);
      await companion.stopDaemon();
      const file = path.join(companion.home.dir, 'calls');
      const reference = new TracedDaemon(companion, ['-o', file, '-e', `trace=${EFFECTS.join()}`]);
      await stage.converse(3);
      await reference.end('SIGTERM');
      const all = readPlaces(file);
      const places = spread(all, times(3, all.length));

      let killed = 0;
      let working: Promise<void> | null = null;
      for (const place of places) {
        const daemon = new TracedDaemon(companion, killBefore(place));
        working ??= stage.converse(3).finally(() => (working = null));
        await Promise.race([working, daemon.ended]);
        // It may come to that call only while it ends.
        if ((await daemon.end('SIGTERM')) === 'SIGKILL') killed += 1;
      }
      await companion.startDaemon();
      await working;
      const warnings = (await stage.warnings()).filter((warning) => warning.includes('damaged'));
      const verdict = await stage.finish();

      tellFigure({
        fault: 'The daemon is killed before a system call that writes, syncs, names, answers or starts something',
        count: `${killed} kills at ${places.length} of ${all.length} calls, ${stage.promised()}`,
        ...countsOf(verdict),
        ms: performance.now() - startedAt,
      });
      expect(verdict).toEqual(emptyVerdict());
      expect(warnings).toEqual([]);
      // The work differs a little from one time to the next: the last calls of the reference may not come again.
      expect(killed).toBeGreaterThanOrEqual(Math.floor(places.length / 3));
    },
  );

  test(
    'a first start is killed before each call that writes, syncs or names: the next one is as new',
    { tags: 'whole' },
    async ({ companion }) => {
      const startedAt = performance.now();
      const file = path.join(companion.home.dir, 'calls');
      const stages: LedgerStage[] = [];
      const start = async (options: readonly string[]): Promise<NodeJS.Signals | null> => {
        rmSync(companion.paths.root, { recursive: true, force: true });
        stages.push(new LedgerStage(companion));
        const daemon = new TracedDaemon(companion, options);
        await daemon.answers();
        return daemon.end();
      };
      await start(['-o', file, '-e', `trace=${TRACES.join()}`]);
      const all = readPlaces(file);
      const places = spread(all, times(1, all.length));
      const verdicts: Verdict[] = [];
      const warnings: string[] = [];
      for (const place of places) {
        await start(killBefore(place));
        const stage = stages.at(-1);
        await companion.startDaemon();
        await stage?.open(1);
        warnings.push(...((await stage?.warnings()) ?? []).filter((warning) => /damaged|history|audit/i.test(warning)));
        verdicts.push((await stage?.finish()) ?? emptyVerdict());
      }
      const verdict = mergeVerdicts(verdicts);

      tellFigure({
        fault: 'The first start of all is killed before a call that writes, syncs or names; the next start is used',
        count: `${places.length} of ${all.length} calls`,
        ...countsOf(verdict),
        ms: performance.now() - startedAt,
      });
      expect(verdict).toEqual(emptyVerdict());
      expect(warnings).toEqual([]);
    },
  );
});

const killBefore = ({ call, nth }: CallPlace): string[] => [
  '-o',
  '/dev/null',
  '-e',
  `trace=${call}`,
  '-e',
  `inject=${call}:signal=KILL:when=${nth}`,
];

/** Many days of use within minutes. */
import { readdirSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import { countsOf, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict } from '#test/fixtures/ledger.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { WHOLE_MS } from '#test/fixtures/limits.ts';
import { memoryMb } from '#test/fixtures/memory.ts';
import { test } from '#test/fixtures/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** Ten thousand turns are work, which takes as long as there is no time for it. */
const limit = isWhole ? { timeout: 4 * WHOLE_MS } : {};

describe.runIf(process.platform === 'linux')('with much to do', limit, () => {
  test(
    'a day of use in a few minutes: memory, descriptors, log and database stay within bounds',
    { tags: 'whole' },
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
      const { size: dbBytes } = statSync(companion.paths.dbFile);
      const fill = dbBytes / contentBytes(companion.paths.dbFile);
      // The first half is warming up. What waits for the garbage collector comes and goes, a hundred megabytes of it; what is held stays after it.
      const late = samples.slice(Math.floor(samples.length / 2));
      const [first, last] = [late[0], late.at(-1)];
      if (first === undefined || last === undefined) throw new Error('there are samples');
      const middle = Math.ceil(late.length / 2);
      const leastMb = (part: typeof samples): number => Math.min(...part.map(({ mb }) => mb));
      const [thirdMb, lastMb] = [leastMb(late.slice(0, middle)), leastMb(late.slice(-middle))];
      const mostMb = Math.max(...late.map(({ mb }) => mb));

      tellFigure({
        fault: 'Days of use, one session after the other',
        count: `${done} turns, ${events} events, ${cuts} connections that were cut`,
        ...countsOf(verdict),
        measured: `at least ${Math.round(thirdMb)} MB in the third quarter and ${Math.round(lastMb)} MB in the last, at most ${Math.round(mostMb)} MB; ${first.fds} and ${last.fds} descriptors; log ${Math.round(logBytes / 1024)} KB; database ${Math.round(dbBytes / 2 ** 20)} MB, ${fill.toFixed(2)} times its content`,
        ms: performance.now() - startedAt,
      });
      expect(verdict).toEqual(emptyVerdict());
      expect(lastMb - thirdMb).toBeLessThan(12);
      expect(Math.abs(last.fds - first.fds)).toBeLessThan(10);
      expect(logBytes).toBeLessThan(4.1 * 1024 * 1024);
      // An empty one has some pages as well.
      expect(fill).toBeLessThan(1.3 + 2 ** 19 / dbBytes);
    },
  );
});

/** The bytes of all values in all tables of a database that nobody has open. */
const contentBytes = (file: string): number => {
  using db = new DatabaseSync(file, { readOnly: true });
  const columns = db
    .prepare(
      "SELECT m.name AS name, group_concat('COALESCE(SUM(OCTET_LENGTH(\"' || c.name || '\")), 0)', ' + ') AS sums FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name",
    )
    .all();
  return columns.reduce(
    (sum, { name, sums }) => sum + Number(db.prepare(`SELECT ${String(sums)} AS bytes FROM "${String(name)}"`).get()?.['bytes']),
    0,
  );
};

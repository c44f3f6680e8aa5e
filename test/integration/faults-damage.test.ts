/** The files of a killed daemon are damaged: what can be read is brought over, and nothing is missing that the person is not told of. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { nullLog } from '#companion/lib/log.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { Store } from '#companion/store/store.ts';
import { countsOf, faultSeed, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict, mergeVerdicts, type Verdict } from '#test/fixtures/ledger.ts';
import type { LedgerClient } from '#test/fixtures/ledger-client.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { signal } from '#test/fixtures/signal.ts';
import { test } from '#test/fixtures/stage.ts';

type Damage = (bytes: Buffer, random: ReturnType<typeof createRandom>) => Buffer | null;

const DAMAGES: readonly Damage[] = [
  // A bit is flipped.
  (bytes, random) => {
    const at = random(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return bytes;
  },
  // The end is cut off.
  (bytes, random) => bytes.subarray(0, random(bytes.length)),
  // A page is overwritten.
  (bytes, random) => bytes.fill(random(256), 4096 * random(bytes.length / 4096)).subarray(0, bytes.length),
  // The file is gone.
  () => null,
];

describe.runIf(process.platform === 'linux')('a damaged history', () => {
  test('database or write-ahead log, at random places: nothing is lost unsaid, nothing is doubled or moved', async ({
    companion,
    home,
  }) => {
    const startedAt = performance.now();
    const random = createRandom(faultSeed);
    const stage = new LedgerStage(companion);
    await companion.startDaemon();
    await stage.open(2);
    // A part lies in the database by now, and a part still in the log beside it.
    for (const verb of ['count', 'say', 'ask', 'count', 'say']) {
      await Promise.all(stage.clients.map(async (client) => client.ended(await client.send(verb, '200'))));
    }
    for (const pid of companion.daemons()) signal(pid, 'SIGKILL');
    await home.waitForProcesses((list) => list.length === 0);
    await Promise.all(stage.clients.map((client) => client.close()));

    const states = times(8, 500);
    const verdicts: Verdict[] = [];
    let told = 0;
    for (let state = 0; state < states; state += 1) {
      const damage = DAMAGES[random(DAMAGES.length)] ?? (() => null);
      const found = judgeDamaged(
        companion.paths.root,
        state % 2 === 0 ? 'pilotfish.db' : 'pilotfish.db-wal',
        (bytes) => damage(bytes, random),
        stage.clients,
      );
      if (found.isTold) told += 1;
      verdicts.push({ ...found.verdict, lost: found.isTold ? [] : found.verdict.lost, leftRunning: [] });
    }
    const verdict = mergeVerdicts(verdicts);

    tellFigure({
      fault: 'The database or its write-ahead log is damaged at random: a bit, a page, its end, all of it',
      count: `${states} states`,
      ...countsOf(verdict),
      measured: `told of in ${told}; in the others all is there`,
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(told).toBeGreaterThan(states / 4);
  });
});

/** Opens a damaged copy as the next daemon would. */
const judgeDamaged = (
  root: string,
  name: string,
  damage: (bytes: Buffer) => Buffer | null,
  clients: readonly LedgerClient[],
): { verdict: Verdict; isTold: boolean } => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
  try {
    for (const file of ['pilotfish.db', 'pilotfish.db-wal', 'history.json']) cpSync(path.join(root, file), path.join(folder, file));
    const file = path.join(folder, name);
    const damaged = damage(readFileSync(file));
    if (damaged === null) rmSync(file);
    else writeFileSync(file, damaged);
    const store = new Store(createPaths({ PILOTFISH_HOME: folder }), nullLog);
    const verdict = mergeVerdicts(
      clients.map(({ sessionId, ledger }) =>
        ledger.judge({ sessionId, events: store.events.read(sessionId, 0, 1_000_000), agentNotes: [] }),
      ),
    );
    const isTold = store.warnings.length > 0;
    store.close();
    return { verdict, isTold };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

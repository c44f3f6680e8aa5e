/** The power goes: every write that was not synced may be gone, and what was acknowledged must not be. */
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, describe, expect } from 'vitest';
import { type SessionId, TurnId } from '#protocol/ids.ts';
import { warningText } from '#protocol/warnings.ts';
import { nullLog } from '#companion/lib/log.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { Store } from '#companion/store/store.ts';
import { DISK_TRACE, readCall, TracedDisk, type TracedCall } from '#test/fixtures/disk-trace.ts';
import { countsOf, faultSeed, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict, Ledger, mergeVerdicts, type Verdict } from '#test/fixtures/ledger.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { test } from '#test/fixtures/stage.ts';
import { TracedDaemon } from '#test/fixtures/traced-daemon.ts';
import { hasStrace } from '#test/fixtures/system-packages.ts';

/** What goes over a socket to a client when its prompt or its answer is acknowledged. */
const PROMPT_TAKEN = /\{"turnId":"(turn_[^"]+)","sessionId"/;
const ANSWER_TAKEN = '{"success":true}';

describe('the power goes', () => {
  beforeEach(({ skip }) => skip(!hasStrace(), 'strace is not installed'));

  test('at random instants, with what was not synced lost or torn: no acknowledged prompt or answer is', async ({ companion, home }) => {
    const startedAt = performance.now();
    const random = createRandom(faultSeed);
    const stage = new LedgerStage(companion);
    const trace = path.join(home.dir, 'trace');
    const daemon = new TracedDaemon(companion, [...DISK_TRACE, '-o', trace]);
    expect(await daemon.answers()).toBe(true);
    await stage.open(1);
    const [client] = stage.clients;
    if (client === undefined) throw new Error('there is a client');
    const prompts = times(8, 120);
    for (let count = 0; count < prompts; count += 1)
      await client.ended(await client.send(count % 4 === 1 ? 'ask' : count % 4 === 2 ? 'count' : 'say', '20'));
    expect(await stage.finish()).toEqual(emptyVerdict());

    const calls = await readTrace(trace);
    const states = times(10, 1_000);
    const instants = new Map<number, number>();
    for (let state = 0; state < states; state += 1) {
      const at = random(calls.length);
      instants.set(at, (instants.get(at) ?? 0) + 1);
    }
    const disk = new TracedDisk(companion.paths.root);
    const deaf = new TracedDisk(companion.paths.root);
    const ledger = new Ledger();
    const verdicts: Verdict[] = [];
    let unsynced = 0;
    let damaged = 0;
    for (const [at, call] of calls.entries()) {
      disk.apply(call);
      if (!call.name.endsWith('sync')) deaf.apply(call);
      acknowledge(call, ledger, client.ledger);
      for (let left = instants.get(at) ?? 0; left > 0; left -= 1) {
        unsynced = Math.max(unsynced, disk.unsynced);
        // Half of the states lose everything that was not synced, the others some of it.
        const { verdict, isDamaged } = judgeState(disk, random(2) === 0 ? null : random, client.sessionId, ledger);
        verdicts.push(verdict);
        damaged += isDamaged ? 1 : 0;
      }
    }
    const verdict = mergeVerdicts(verdicts);
    tellFigure({
      fault: 'The power goes: what was not synced is lost, kept or torn at random',
      count: `${states} states of the disk between ${calls.length} system calls, ${ledger.turns.length} prompts, ${ledger.answered.length} answers`,
      ...countsOf(verdict),
      measured: `up to ${unsynced} writes not synced; ${damaged} times damage was told`,
      ms: performance.now() - startedAt,
    });
    expect(ledger.turns).toEqual(client.ledger.turns);
    expect(ledger.answered).toEqual(client.ledger.answered);
    expect(verdict).toEqual(emptyVerdict());
    expect(damaged).toBe(0);
    // The same on a disk that nobody synced: a loss would have been found.
    expect(judgeState(deaf, null, client.sessionId, ledger).verdict.lost).toHaveLength(ledger.turns.length + ledger.answered.length);
  });
});

const readTrace = async (file: string): Promise<TracedCall[]> => {
  const calls: TracedCall[] = [];
  for await (const line of createInterface({ input: createReadStream(file, 'latin1') })) {
    const call = readCall(line);
    if (call !== null) calls.push(call);
  }
  return calls;
};

/** Notes what a call tells a client, as the client noted it. */
const acknowledge = ({ path: to, bytes }: TracedCall, ledger: Ledger, client: Ledger): void => {
  if (to.startsWith('/') || bytes.length === 0) return;
  const text = bytes.toString('latin1');
  const turnId = PROMPT_TAKEN.exec(text)?.[1];
  if (turnId !== undefined) ledger.acknowledgeTurn(TurnId.parse(turnId));
  const requestId = client.answered[ledger.answered.length];
  if (text.endsWith(ANSWER_TAKEN) && requestId !== undefined) ledger.acknowledgeAnswer(requestId, 'yes');
};

/** Opens what the power's end left, as the next daemon would, and judges it by what was acknowledged until then. */
const judgeState = (
  disk: TracedDisk,
  random: ReturnType<typeof createRandom> | null,
  sessionId: SessionId,
  ledger: Ledger,
): { verdict: Verdict; isDamaged: boolean } => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
  try {
    disk.leave(folder, random);
    const store = new Store(createPaths({ PILOTFISH_HOME: folder }), nullLog);
    const events = store.events.read(sessionId, 0, 1_000_000);
    const isDamaged = store.warnings.some((warning) => warningText(warning).includes('damaged'));
    store.close();
    return { verdict: ledger.judge({ sessionId, events, agentNotes: [] }, 'power'), isDamaged };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

import { describe, expect, vi } from 'vitest';
import { TurnId } from '#protocol/ids.ts';
import { countsOf, faultSeed, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict, Ledger } from '#test/fixtures/ledger.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { isIdle, test } from './stage.ts';

const HOUR_MS = 3_600_000;
/** Sleep, summer time and its end, a wrong clock set right, and the last second that 32 bits can hold. */
const JUMPS_MS = [8 * HOUR_MS, -HOUR_MS, HOUR_MS, -20 * 365 * 24 * HOUR_MS, 20 * 365 * 24 * HOUR_MS];
const END_OF_32_BITS_MS = 2 ** 31 * 1000;

describe('a session whose clock jumps', () => {
  test('keeps everything once and in order, with durations of its own', async ({ stage }) => {
    const startedAt = performance.now();
    const random = createRandom(faultSeed);
    const sessionId = await stage.create();
    const ledger = new Ledger();
    const turns = times(20, 500);
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      for (let turn = 0; turn < turns; turn += 1) {
        vi.setSystemTime(turn % 7 === 6 ? END_OF_32_BITS_MS - 1 : Date.now() + (JUMPS_MS[random(JUMPS_MS.length)] ?? 0));
        const turnId = TurnId.parse(`turn_${turn}`);
        await stage.send(sessionId, `say echo ${turnId};`, { turnId });
        ledger.acknowledgeTurn(turnId);
        // It works on by now.
        vi.setSystemTime(Date.now() + (JUMPS_MS[random(JUMPS_MS.length)] ?? 0));
        await stage.until(sessionId, isIdle);
        if (turn % 10 === 9) await stage.restart();
      }
    } finally {
      vi.useRealTimers();
    }
    const verdict = ledger.judge({
      sessionId,
      events: stage.events(sessionId),
      agentNotes: stage.trace().filter((note) => note.startsWith('prompt')),
    });

    tellFigure({
      fault: 'The clock jumps by hours and years, back too, and over the year 2038 (the clock is a double)',
      count: `${turns} jumps, ${turns} prompts`,
      ...countsOf(verdict),
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(
      stage.sessions.view(sessionId).turns.filter(({ durationMs }) => durationMs === null || durationMs < 0 || durationMs > 60_000),
    ).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { waitedMs, withoutWaiting } from '#display/waiting.ts';
import { RequestId, TurnId } from '#protocol/ids.ts';
import type { AnsweredRequest, ViewTurn } from '#protocol/view.ts';

const span = { from: 100, to: 1000 };

describe('the time that waited for the person', () => {
  test('is that of each request, and of several at once only once', () => {
    expect(waitedMs([{ at: 200, answeredAt: 300 }], span)).toBe(100);
    expect(
      waitedMs(
        [
          { at: 600, answeredAt: 700 },
          { at: 200, answeredAt: 400 },
          { at: 300, answeredAt: 350 },
        ],
        span,
      ),
    ).toBe(300);
  });

  test('goes on while a request is open, and counts nothing beyond the span', () => {
    expect(waitedMs([{ at: 900 }], span)).toBe(100);
    expect(waitedMs([{ at: 0, answeredAt: 150 }, { at: 990, answeredAt: 2000 }, { at: 5000 }], span)).toBe(60);
    expect(waitedMs([], span)).toBe(0);
  });

  test('is not the time that a turn took', () => {
    const [turnId, other] = [TurnId.parse('t'), TurnId.parse('o')];
    const prompt = { text: 'x', attachments: [] };
    const turn: ViewTurn = { turnId, status: 'completed', prompt, startedAt: 1000, durationMs: 9000, error: null };
    const answer = (id: TurnId, at: number, answeredAt: number): AnsweredRequest => ({
      requestId: RequestId.parse(`r${at}`),
      turnId: id,
      itemId: null,
      afterItemId: null,
      at,
      answeredAt,
      request: { kind: 'permission', title: 'x', options: [] },
      outcome: 'allowed',
      optionId: 'a',
      text: null,
      answers: null,
      by: 'panel',
    });

    expect(withoutWaiting(turn, { answered: [answer(turnId, 2000, 8000), answer(other, 3000, 9000)] })).toEqual({
      ...turn,
      durationMs: 3000,
    });
    expect(withoutWaiting({ ...turn }, { answered: [] })).toEqual(turn);
  });
});

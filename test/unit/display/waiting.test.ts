import { describe, expect, test } from 'vitest';
import { waitedMs } from '#display/waiting.ts';

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
});

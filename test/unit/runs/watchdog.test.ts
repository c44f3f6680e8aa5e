import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Watchdog } from '#companion/runs/watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the watchdog', () => {
  const setUp = (limits: { maxSilenceMs?: number; maxTurnMs?: number } = {}) => {
    const owner = {
      limits: () => ({ maxSilenceMs: 60_000, maxTurnMs: 0, ...limits }),
      isAsking: vi.fn(() => false),
      noticeQuiet: vi.fn(),
      noticeHung: vi.fn(),
      noticeOvertime: vi.fn(),
    };
    const watchdog = new Watchdog(owner);
    watchdog.start();
    return { watchdog, owner };
  };

  test('tells of the whole silence, and not when fed', () => {
    const { watchdog, owner } = setUp();

    vi.advanceTimersByTime(59_000);
    watchdog.feed();
    vi.advanceTimersByTime(59_000);
    const early = owner.noticeHung.mock.calls.length;
    vi.advanceTimersByTime(1000);
    watchdog.stop();

    expect(early).toBe(0);
    expect(owner.noticeHung).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('says once for each silence, after ten seconds, that nothing comes', () => {
    const { watchdog, owner } = setUp();

    vi.advanceTimersByTime(9000);
    const early = owner.noticeQuiet.mock.calls.length;
    vi.advanceTimersByTime(9000);
    watchdog.feed();
    vi.advanceTimersByTime(10_000);

    expect(early).toBe(0);
    expect(owner.noticeQuiet.mock.calls).toEqual([[10_000], [10_000]]);
  });

  test('does not count the time in which the user is asked', () => {
    const { owner } = setUp({ maxTurnMs: 60_000 });
    owner.isAsking.mockReturnValue(true);

    vi.advanceTimersByTime(600_000);

    expect([owner.noticeQuiet, owner.noticeHung, owner.noticeOvertime].map((notice) => notice.mock.calls.length)).toEqual([0, 0, 0]);
  });

  test('tells of a turn that takes too long however much comes from it', () => {
    const { watchdog, owner } = setUp({ maxTurnMs: 30_000 });

    for (let second = 0; second < 29; second += 1) {
      vi.advanceTimersByTime(1000);
      watchdog.feed();
    }
    const early = owner.noticeOvertime.mock.calls.length;
    vi.advanceTimersByTime(1000);

    expect(early).toBe(0);
    expect(owner.noticeOvertime).toHaveBeenCalledWith(30_000);
  });

  test('keeps what it has counted when the limits change', () => {
    const { watchdog, owner } = setUp({ maxTurnMs: 30_000 });
    vi.advanceTimersByTime(5000);

    owner.limits = () => ({ maxSilenceMs: 60_000, maxTurnMs: 6000 });
    watchdog.renew();
    vi.advanceTimersByTime(1200);

    expect(owner.noticeOvertime).toHaveBeenCalledWith(6000);
  });
});

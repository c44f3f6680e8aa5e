import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCostMeter } from '#companion/runs/cost.ts';
import { createWatchdog } from '#companion/runs/watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the watchdog', () => {
  const setUp = (isExcused = () => false) => {
    const onHung = vi.fn();
    const onQuiet = vi.fn();
    const watchdog = createWatchdog({ silenceMs: () => 20_000, isExcused, onQuiet, onHung });
    watchdog.start();
    return { watchdog, onQuiet, onHung };
  };

  test('barks once after the silence, and not when fed', () => {
    const { watchdog, onHung } = setUp();

    vi.advanceTimersByTime(19_000);
    watchdog.feed();
    vi.advanceTimersByTime(19_000);
    const early = onHung.mock.calls.length;
    vi.advanceTimersByTime(60_000);

    expect(early).toBe(0);
    expect(onHung).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('says once for each silence that nothing comes, long before it barks', () => {
    const { watchdog, onQuiet, onHung } = setUp();

    vi.advanceTimersByTime(10_000);
    watchdog.feed();
    vi.advanceTimersByTime(3_000);

    expect(onQuiet).toHaveBeenCalledTimes(2);
    expect(onHung).not.toHaveBeenCalled();
  });

  test('waits as long as there is a reason for silence', () => {
    let isExcused = true;
    const { onHung } = setUp(() => isExcused);

    vi.advanceTimersByTime(600_000);
    const during = onHung.mock.calls.length;
    isExcused = false;
    vi.advanceTimersByTime(21_000);

    expect(during).toBe(0);
    expect(onHung).toHaveBeenCalledTimes(1);
  });
});

describe('the cost meter', () => {
  test('adds up engines that count per process', () => {
    const meter = createCostMeter(1);

    expect([meter.read(0.2), meter.read(0.5)]).toEqual([1.2, 1.5]);
  });

  test('takes over engines that count per conversation', () => {
    const meter = createCostMeter(1);

    expect([meter.read(1.25), meter.read(1.5)]).toEqual([1.25, 1.5]);
  });
});

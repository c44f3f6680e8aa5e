import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { IdleExit } from '#companion/app/idle-exit.ts';

describe('the idle exit', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const start = (options: { idleMs?: number; isBusy?: () => boolean; lastBusyAt?: () => number } = {}) => {
    const onIdle = vi.fn<() => void>();
    const idle = new IdleExit({
      idleMs: () => options.idleMs ?? 60_000,
      isBusy: options.isBusy ?? (() => false),
      lastBusyAt: options.lastBusyAt ?? (() => 0),
      onIdle,
    });
    return { idle, onIdle };
  };

  test('comes when nothing has been there for the whole time', () => {
    const { onIdle } = start();

    vi.advanceTimersByTime(59_999);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);

    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('begins anew when something busy has ended', () => {
    let isBusy = true;
    const { idle, onIdle } = start({ isBusy: () => isBusy });
    vi.advanceTimersByTime(600_000);
    expect(onIdle).not.toHaveBeenCalled();

    isBusy = false;
    idle.check();
    vi.advanceTimersByTime(59_000);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(61_000);

    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('counts from soon after the end of what was busy, when that came without a word', () => {
    let isBusy = true;
    const { onIdle } = start({ isBusy: () => isBusy });
    vi.advanceTimersByTime(59_000);
    isBusy = false;

    vi.advanceTimersByTime(54_000);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(6_000);

    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('a request in between counts, although nobody told', () => {
    let lastBusyAt = 0;
    const { onIdle } = start({ lastBusyAt: () => lastBusyAt });
    vi.advanceTimersByTime(50_000);
    lastBusyAt = performance.now();

    vi.advanceTimersByTime(59_000);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);

    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('is not moved by a clock that jumps eight hours ahead or one back', () => {
    const { idle, onIdle } = start();
    vi.advanceTimersByTime(30_000);

    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    idle.check();
    vi.advanceTimersByTime(20_000);
    expect(onIdle).not.toHaveBeenCalled();
    vi.setSystemTime(Date.now() - 9 * 3_600_000);
    idle.check();
    vi.advanceTimersByTime(10_000);

    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('never comes when it is switched off, or after close', () => {
    const off = start({ idleMs: 0 });
    const closed = start();
    closed.idle.close();

    vi.advanceTimersByTime(10_000_000);

    expect(off.onIdle).not.toHaveBeenCalled();
    expect(closed.onIdle).not.toHaveBeenCalled();
  });
});

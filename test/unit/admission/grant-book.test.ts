import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Grant } from '#protocol/browser.ts';
import { createGrantBook } from '#test/fixtures/admission.ts';

const HOUR_MS = 3_600_000;

const grant = (id: string, expiresAt: number | null): Grant => ({
  id,
  origin: 'https://shop.example',
  toolClass: 'write',
  tool: null,
  sessionId: null,
  client: { id: 'agent claude', name: 'claude' },
  createdAt: 0,
  expiresAt,
});

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the permissions that last', () => {
  test('are told to hold until they are taken back or their time is over, each in its time, however far away', () => {
    const book = createGrantBook();
    const told: string[][] = [];
    book.subscribe(() => told.push(book.holding()));

    book.add(grant('days', 2 * 24 * HOUR_MS));
    book.add(grant('hour', HOUR_MS));
    book.add(grant('always', null));
    expect(told.at(-1)).toEqual(['days', 'hour', 'always']);
    vi.advanceTimersByTime(HOUR_MS);
    expect(told.at(-1)).toEqual(['days', 'always']);
    book.remove('always');
    expect(told.at(-1)).toEqual(['days']);
    vi.advanceTimersByTime(2 * 24 * HOUR_MS);

    expect(told.at(-1)).toEqual([]);
    book.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that were kept by an earlier daemon end in their time as well', () => {
    const book = createGrantBook(new Map([['hour', grant('hour', HOUR_MS)]]));
    const told: string[][] = [];
    book.subscribe(() => told.push(book.holding()));

    vi.advanceTimersByTime(HOUR_MS);

    expect(told).toEqual([[]]);
  });

  test('end in their time also where the clock is set back meanwhile, and are kept no longer', () => {
    vi.setSystemTime(10 * HOUR_MS);
    const kept = new Map([['earlier', { ...grant('earlier', 11 * HOUR_MS), createdAt: 10 * HOUR_MS }]]);
    const book = createGrantBook(kept);
    book.add({ ...grant('hour', 11 * HOUR_MS), createdAt: 10 * HOUR_MS });

    vi.setSystemTime(HOUR_MS);
    vi.advanceTimersByTime(HOUR_MS - 1);
    expect(book.holding()).toEqual(['earlier', 'hour']);
    vi.advanceTimersByTime(1);

    expect(book.holding()).toEqual([]);
    expect([...kept]).toEqual([]);
  });

  test('do not hold again for a daemon that starts with a clock that was set back', () => {
    const kept = new Map([['hour', grant('hour', HOUR_MS)]]);
    createGrantBook(kept).close();
    vi.setSystemTime(2 * HOUR_MS);
    createGrantBook(kept).close();
    vi.setSystemTime(HOUR_MS / 2);

    expect(createGrantBook(kept).list()).toEqual([]);
  });

  test('that were given by a clock in the future last no longer than they were given for', () => {
    const book = createGrantBook(new Map([['hour', { ...grant('hour', 1001 * HOUR_MS), createdAt: 1000 * HOUR_MS }]]));

    vi.advanceTimersByTime(HOUR_MS);

    expect(book.list()).toEqual([]);
  });

  describe('by a clock that was set back a day while no daemon ran', () => {
    const START = 100 * 24 * HOUR_MS;
    const hour = { ...grant('hour', START + HOUR_MS), createdAt: START };
    const setBack = (): unknown => vi.setSystemTime(Date.now() - 24 * HOUR_MS);

    test('last as long as was left of them, less the time that the machine was up', () => {
      vi.setSystemTime(START);
      const kept = new Map([['hour', hour]]);
      const first = createGrantBook(kept);
      vi.advanceTimersByTime(HOUR_MS / 4);
      first.close();
      vi.advanceTimersByTime(HOUR_MS / 4);
      setBack();

      const book = createGrantBook(kept);

      vi.advanceTimersByTime(HOUR_MS / 2 - 1);
      expect(book.holding()).toEqual(['hour']);
      vi.advanceTimersByTime(1);
      expect(book.holding()).toEqual([]);
    });

    test('last as long as was left of them, less what a machine that was started anew has been up', () => {
      vi.setSystemTime(START);
      const kept = new Map([['hour', hour]]);
      const first = createGrantBook(kept, Date.now, () => performance.now() + HOUR_MS);
      vi.advanceTimersByTime(HOUR_MS / 4);
      first.close();
      setBack();
      const startedAt = performance.now();
      vi.advanceTimersByTime(HOUR_MS / 2);

      const book = createGrantBook(kept, Date.now, () => performance.now() - startedAt);

      vi.advanceTimersByTime(HOUR_MS / 4 - 1);
      expect(book.holding()).toEqual(['hour']);
      vi.advanceTimersByTime(1);
      expect(book.holding()).toEqual([]);
    });

    test('last a minute longer at most after a daemon that was killed, however often that happens', () => {
      vi.setSystemTime(START);
      const kept = new Map([['hour', hour]]);
      for (let kill = 0; kill < 6; kill += 1) {
        createGrantBook(kept, Date.now, () => 0);
        vi.advanceTimersByTime(HOUR_MS / 6 - 1);
        vi.clearAllTimers();
        setBack();
      }

      vi.setSystemTime(START - 6 * 24 * HOUR_MS);
      const book = createGrantBook(kept);
      vi.advanceTimersByTime(6 * 60_000 + 6);

      expect(book.holding()).toEqual([]);
    });

    test('tell nobody what was noted for that', () => {
      vi.setSystemTime(START);
      const book = createGrantBook();

      book.add(hour);

      expect(book.list()).toEqual([hour]);
    });
  });

  test('hold no longer where the disk takes no changes, and end nothing by that', () => {
    const kept = new Map([['hour', grant('hour', HOUR_MS)]]);
    const book = createGrantBook(kept);
    kept.delete = () => {
      throw new Error('No space is left.');
    };

    vi.advanceTimersByTime(HOUR_MS);

    expect(book.list()).toEqual([]);
    expect(kept.size).toBe(1);
  });
});

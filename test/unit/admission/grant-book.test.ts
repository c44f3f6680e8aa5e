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

    book.add(grant('days', 40 * 24 * HOUR_MS));
    book.add(grant('hour', HOUR_MS));
    book.add(grant('always', null));
    expect(told.at(-1)).toEqual(['days', 'hour', 'always']);
    vi.advanceTimersByTime(HOUR_MS);
    expect(told.at(-1)).toEqual(['days', 'always']);
    book.remove('always');
    expect(told.at(-1)).toEqual(['days']);
    vi.advanceTimersByTime(40 * 24 * HOUR_MS);

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

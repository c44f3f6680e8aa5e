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
});

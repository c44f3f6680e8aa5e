import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Pointing } from '#extension/background/pointing.ts';
import { never } from '#extension/background/queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What came of it by now. */
const watch = (wait: Promise<void>): { told: string } => {
  const seen = { told: 'waits' };
  wait.then(
    () => (seen.told = 'over'),
    (error: unknown) => (seen.told = String(error)),
  );
  return seen;
};

describe('real input in a tab', () => {
  test('waits until the person has pointed there, or no longer does, and for nobody who points elsewhere', async () => {
    const pointing = new Pointing();
    const { promise, reject } = Promise.withResolvers<null>();
    const point = pointing.during(7, () => promise);
    point.catch(() => null);
    const [here, elsewhere] = [watch(pointing.over(7, never)), watch(pointing.over(8, never))];
    await vi.advanceTimersByTimeAsync(1_000);
    const meanwhile = [here.told, elsewhere.told];

    reject(new Error('the page has gone'));
    await vi.advanceTimersByTimeAsync(1_000);

    expect(meanwhile).toEqual(['waits', 'over']);
    expect(here.told).toBe('over');
    await pointing.over(7, never);
  });

  test('is refused where the person takes their time, and given up with its call', async () => {
    const pointing = new Pointing();
    void pointing.during(7, () => new Promise(() => {}));
    const stop = new AbortController();
    const [long, stopped] = [watch(pointing.over(7, never)), watch(pointing.over(7, stop.signal))];
    stop.abort(new Error('stopped'));

    await vi.advanceTimersByTimeAsync(20_000);

    expect(long.told).toContain('The user is pointing at something in this tab, and nothing was pressed.');
    expect(stopped.told).toBe('Error: stopped');
  });
});

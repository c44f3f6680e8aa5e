import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Afterwards } from '#companion/lib/afterwards.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const stage = () => {
  const afterwards = new Afterwards();
  const done: number[] = [];
  const add = (count: number): void => {
    for (let index = 0; index < count; index += 1) afterwards.add(() => void done.push(done.length));
  };
  return { done, add };
};

test('work is done in its order a moment later', () => {
  const { done, add } = stage();
  add(3);
  expect(done).toEqual([]);

  vi.advanceTimersByTime(50);

  expect(done).toEqual([0, 1, 2]);
});

test('what is added all the time is done all the same', () => {
  const { done, add } = stage();
  for (let ms = 0; ms < 200; ms += 5) {
    add(1);
    vi.advanceTimersByTime(5);
  }

  expect(done.length).toBeGreaterThan(20);
});

test('much of it leaves room for others in between, and who needs it has all of it at once', () => {
  vi.useRealTimers();
  const { promise, resolve } = Promise.withResolvers<void>();
  const afterwards = new Afterwards();
  const order: string[] = [];
  const work = (name: string) => () => {
    const end = performance.now() + 3;
    while (performance.now() < end);
    order.push(name);
    if (order.length === 1) setImmediate(() => order.push('another')).unref();
    if (order.length === 3) {
      afterwards.flush();
      order.push('flushed');
      resolve();
    }
  };
  for (const name of ['1', '2', '3', '4']) afterwards.add(work(name));

  return promise.then(() => {
    expect(order).toEqual(['1', 'another', '2', '3', '4', 'flushed']);
  });
});

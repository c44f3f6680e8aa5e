import { describe, expect, test } from 'vitest';
import { Turnstile } from '#companion/lib/turnstile.ts';

const never = new AbortController().signal;

/** Work that ends when it is told to, and a list of what has begun. */
const createDesk = (most: number) => {
  const turnstile = new Turnstile(most);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const come = (name: string, signal = never): Promise<string> =>
    turnstile.pass(() => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    }, signal);
  return { begun, come, end: (name: string) => ends.get(name)?.() };
};

describe('a turnstile', () => {
  test('lets so many work at once, and the others in their order', async () => {
    const { begun, come, end } = createDesk(2);
    const all = ['a', 'b', 'c', 'd'].map((name) => come(name));
    await Promise.resolve();
    expect(begun).toEqual(['a', 'b']);

    end('b');
    expect(await all[1]).toBe('b');
    await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c']) end(name);
    await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd']);
    end('d');

    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('lets the next one in after work that failed, and not one that has left', async () => {
    const turnstile = new Turnstile(1);
    const gone = new AbortController();
    const failing = Promise.withResolvers<never>();
    const failed = turnstile.pass(() => failing.promise, never);
    const left = turnstile.pass(() => Promise.resolve('left'), gone.signal);
    const next = turnstile.pass(() => Promise.resolve('next'), never);

    gone.abort(new Error('no more'));
    failing.reject(new Error('it failed'));

    await expect(failed).rejects.toThrow('it failed');
    await expect(left).rejects.toThrow('no more');
    expect(await next).toBe('next');
    expect(await turnstile.pass(() => Promise.resolve('later'), never)).toBe('later');
    await expect(turnstile.pass(() => Promise.resolve('too late'), gone.signal)).rejects.toThrow('no more');
  });
});

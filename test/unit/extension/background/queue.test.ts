import { describe, expect, it } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import { KeyedQueue, orAborted, withinLimit } from '#extension/background/queue.ts';

const never = (): AbortSignal => new AbortController().signal;
const gate = (): { open(): void; passed: Promise<void> } => {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
};

describe('the queue of a tab', () => {
  it('runs one after the other, and other tabs beside it', async () => {
    const queue = new KeyedQueue();
    const order: string[] = [];
    const stuck = gate();
    const first = queue.run('tab 1', never(), async () => {
      order.push('first begins');
      await stuck.passed;
      order.push('first ends');
    });
    const second = queue.run('tab 1', never(), async () => void order.push('second'));

    await queue.run('tab 2', never(), async () => void order.push('other tab'));
    stuck.open();
    await Promise.all([first, second]);

    expect(order).toEqual(['first begins', 'other tab', 'first ends', 'second']);
  });

  it('lets a waiting task go when it is stopped, without letting the next one overtake', async () => {
    const queue = new KeyedQueue();
    const order: string[] = [];
    const stuck = gate();
    const stop = new AbortController();
    const first = queue.run('tab', never(), () => stuck.passed.then(() => void order.push('first')));
    const second = queue.run('tab', stop.signal, async () => void order.push('second'));
    const third = queue.run('tab', never(), async () => void order.push('third'));

    stop.abort(new Error('stopped'));

    await expect(second).rejects.toThrow('stopped');
    stuck.open();
    await Promise.all([first, third]);
    expect(order).toEqual(['first', 'third']);
  });

  it('goes on after a task that failed', async () => {
    const queue = new KeyedQueue();

    await expect(queue.run('tab', never(), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');

    expect(await queue.run('tab', never(), () => Promise.resolve('next'))).toBe('next');
  });
});

describe('work with a limit', () => {
  it('is given up with a code when the limit is reached, and says which work it was', async () => {
    const stuck = gate();

    const work = withinLimit('The look', 5, never(), (signal) => orAborted(stuck.passed, signal));

    await expect(work).rejects.toMatchObject({ code: 'TOOL_TIMEOUT', message: expect.stringContaining('The look ran for 0.005 s.') });
  });

  it('ends with the reason of its caller, and gives what it found when it is in time', async () => {
    const stop = new AbortController();
    const stopped = withinLimit('The look', 60_000, stop.signal, (signal) => orAborted(gate().passed, signal));
    stop.abort(new CompanionError('CONSENT_DENIED'));

    await expect(stopped).rejects.toMatchObject({ code: 'CONSENT_DENIED' });
    expect(await withinLimit('The look', 60_000, never(), () => Promise.resolve(7))).toBe(7);
  });
});

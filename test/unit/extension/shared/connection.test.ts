import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Admission } from '#protocol/admission.ts';
import { ConnectionWatch } from '#extension/shared/connection.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';

const missing: ConnectionState = {
  state: 'host_missing',
  error: { code: 'INSTALL_FAILED', message: 'It is not registered.', remedy: 'Register it.' },
  attempt: 1,
};

const admission: Admission = {
  id: 'a',
  kind: 'browser',
  name: 'Chrome',
  program: null,
  pid: null,
  folder: null,
  origin: 'browser',
  state: 'waiting',
  since: 0,
};

/** A double of the worker: it answers with its state, and keeps what it was asked. */
const createWorker = () => {
  const listeners = new Set<(message: unknown, sender: { id: string }) => void>();
  const asked: string[] = [];
  let state: ConnectionState = missing;
  vi.stubGlobal('chrome', {
    runtime: {
      id: 'me',
      onMessage: {
        addListener: (listener: never) => listeners.add(listener),
        removeListener: (listener: never) => listeners.delete(listener),
      },
      sendMessage: async ({ type }: { type: string }) => {
        asked.push(type);
        // An attempt that fails is told too.
        if (type === 'connection.retry') worker.tell(state);
        return type === 'connection.get' ? state : undefined;
      },
    },
    storage: { onChanged: { addListener: () => {}, removeListener: () => {} } },
  });
  const worker = {
    asked,
    tell: (next: ConnectionState): void => {
      state = next;
      for (const listener of listeners) listener({ type: 'connection.changed', state: next }, { id: 'me' });
    },
  };
  return worker;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a page that follows the connection', () => {
  test('asks each second for what a person mends outside the browser, and only for that', async () => {
    const worker = createWorker();
    const states: string[] = [];
    const watch = new ConnectionWatch(({ state }) => states.push(state));

    await vi.advanceTimersByTimeAsync(3_500);
    expect(worker.asked).toEqual(['connection.get', 'connection.retry', 'connection.retry', 'connection.retry']);

    worker.tell({ state: 'connected', port: 1, token: 't', companionVersion: '0.1.0' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(worker.asked).toHaveLength(4);
    expect(states.at(-1)).toBe('connected');

    worker.tell(missing);
    watch.close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(worker.asked).toHaveLength(4);
  });

  test('keeps the question whether this browser is let in while the companion rests, and wakes it for the answer', async () => {
    const worker = createWorker();
    const newcomer: ConnectionState = { state: 'newcomer', port: 1, token: 't', admission };
    const states: ConnectionState[] = [];
    const watch = new ConnectionWatch((state) => states.push(state));
    await vi.advanceTimersByTimeAsync(0);
    worker.tell(newcomer);
    const [asked, told] = [worker.asked.length, states.length];
    await watch.wake();

    worker.tell({ state: 'resting' });
    await vi.advanceTimersByTimeAsync(120_000);
    expect([worker.asked.length, states.length]).toEqual([asked, told]);

    let isAwake = false;
    const waking = watch.wake().then(() => void (isAwake = true));
    await vi.advanceTimersByTimeAsync(0);
    worker.tell({ state: 'starting' });
    await vi.advanceTimersByTimeAsync(0);
    expect([worker.asked.at(-1), states.length, isAwake]).toEqual(['connection.retry', told, false]);
    worker.tell({ ...newcomer, token: 'next' });
    await waking;
    expect(states.slice(told)).toEqual([{ ...newcomer, token: 'next' }]);

    // Decided in the terminal meanwhile.
    worker.tell({ state: 'resting' });
    worker.tell({ state: 'connected', port: 2, token: 'u', companionVersion: '0.1.0' });
    expect(states.slice(told + 1).map(({ state }) => state)).toEqual(['connected']);
    watch.close();
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConnectionWatch } from '#extension/shared/connection.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';

const missing: ConnectionState = {
  state: 'host_missing',
  error: { code: 'INSTALL_FAILED', message: 'It is not registered.', remedy: 'Register it.' },
  attempt: 1,
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
});

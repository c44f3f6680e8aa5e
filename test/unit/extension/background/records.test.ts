import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { Debuggers } from '#extension/background/debugger.ts';
import { type Allowance, Recordings } from '#extension/background/recordings.ts';
import { Traces } from '#extension/background/traces.ts';

const TAB = 7;
const SITE = { origin: 'https://shop.example', grant: { id: 'grant_1', expiresAt: null } };
const BANK = { origin: 'https://bank.example', grant: null };
const one = SessionId.parse('one');
const two = SessionId.parse('two');

describe('a recording of a tab', () => {
  const begin = async (): Promise<Recordings> => {
    const recordings = new Recordings(() => ({
      capture: () => Promise.resolve({ picture: { data: '', mimeType: 'image/jpeg' }, undrawn: [], url: `${SITE.origin}/cart` }),
    }));
    recordings.of(one, TAB, SITE).start({ fps: null, maxFrames: 5, maxMs: 60_000, delayMs: 150 });
    onTestFinished(() => recordings.forget(TAB));
    await recordings.of(one, TAB, SITE).capture();
    return recordings;
  };

  test('is known in every call of the session that began it', async () => {
    const recordings = await begin();

    expect(recordings.of(one, TAB, BANK).state()).toMatchObject({ frames: 1 });
  });

  test('does not exist for another session, and is not replaced by one of its', async () => {
    const recordings = await begin();
    const other = recordings.of(two, TAB, BANK);

    expect(other.state()).toBeNull();
    expect(() => other.stop()).toThrow('This tab is not recorded.');
    other.start({ fps: null, maxFrames: 5, maxMs: 60_000, delayMs: 150 });
    other.clear();
    expect(recordings.of(one, TAB, SITE).state()).toMatchObject({ isRunning: true, frames: 1 });
  });

  test('ends with its session, also in a tab of the person', async () => {
    const recordings = await begin();
    const { capture, state } = recordings.of(one, TAB, SITE);
    recordings.endSession(one);

    expect(state()).toBeNull();
    await expect(async () => capture()).rejects.toThrow('This tab is not recorded.');
  });

  test('takes no further picture once its permission has ended', async () => {
    const recordings = await begin();
    recordings.endWhere(({ grant }) => grant?.id === 'grant_2');
    await recordings.of(one, TAB, BANK).capture();
    expect(recordings.of(one, TAB, BANK).state()).toMatchObject({ isRunning: true, frames: 2 });

    recordings.endWhere(({ grant }) => grant?.id === 'grant_1');
    await recordings.of(one, TAB, BANK).capture();
    expect(recordings.of(one, TAB, BANK).state()).toMatchObject({ isRunning: false, frames: 2 });
  });
});

type Listener = (source: { tabId: number }, method: string, params: unknown) => void;

/** Chrome's debugger, which ends a trace when it is told to. */
const beginTrace = async (): Promise<{ traces: Traces; sent: string[]; tell: (method: string, params: unknown) => void }> => {
  const listeners: Listener[] = [];
  const sent: string[] = [];
  const tell = (method: string, params: unknown): void => listeners.forEach((listener) => listener({ tabId: TAB }, method, params));
  vi.stubGlobal('chrome', {
    storage: { session: { get: () => Promise.resolve({}), set: () => Promise.resolve() } },
    debugger: {
      onEvent: { addListener: (listener: Listener) => listeners.push(listener) },
      onDetach: { addListener: () => {} },
      attach: () => Promise.resolve(),
      detach: () => Promise.resolve(),
      sendCommand: (_: unknown, method: string) => {
        sent.push(method);
        if (method === 'Tracing.end') queueMicrotask(() => tell('Tracing.tracingComplete', {}));
        return Promise.resolve({});
      },
    },
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const debuggers = new Debuggers(() => {});
  onTestFinished(() => debuggers.release(TAB));
  const traces = new Traces(debuggers);
  onTestFinished(() => traces.forget(TAB));
  await traces.of(call(one, SITE)).start();
  return { traces, sent, tell };
};

const call = (sessionId: SessionId, allowance: Allowance): Parameters<Traces['of']>[0] => ({
  sessionId,
  tabId: TAB,
  allowance,
  signal: new AbortController().signal,
});

const moved = (url: string, more: object = {}): object => ({ frame: { id: 'A', url, ...more } });

describe('a trace of a tab', () => {
  test('is read by the session that recorded it, while the tab shows that site', async () => {
    const { traces } = await beginTrace();
    await traces.of(call(one, SITE)).stop();

    expect(traces.of(call(one, SITE)).last(SITE.origin)).toEqual([]);
    expect(traces.of(call(one, BANK)).last(BANK.origin)).toBeNull();
    expect(traces.of(call(two, SITE)).last(SITE.origin)).toBeNull();
  });

  test('is ended by no other session', async () => {
    const { traces } = await beginTrace();
    const other = traces.of(call(two, SITE));

    expect(other.isRunning()).toBe(false);
    await expect(other.stop()).rejects.toThrow('No trace of this tab is running.');
    expect(traces.of(call(one, SITE)).isRunning()).toBe(true);
  });

  test('ends when the tab shows another site, and not with a frame of one', async () => {
    const { sent, tell } = await beginTrace();
    tell('Page.frameNavigated', moved(`${SITE.origin}/next`));
    tell('Page.frameNavigated', moved(BANK.origin, { parentId: 'A' }));
    // All that follows in the fake happens before the next task.
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).not.toContain('Tracing.end');
    tell('Page.frameNavigated', moved(BANK.origin));

    await vi.waitFor(() => expect(sent).toContain('Tracing.end'), { timeout: 30_000 });
  });

  test('ends with its session, also in a tab of the person', async () => {
    const { traces } = await beginTrace();
    traces.endSession(one);

    expect(traces.of(call(one, SITE)).isRunning()).toBe(false);
  });

  test('is given up once its permission has ended', async () => {
    const { traces } = await beginTrace();
    traces.endWhere(({ origin }) => origin === BANK.origin);
    expect(traces.of(call(one, SITE)).isRunning()).toBe(true);

    traces.endWhere(({ grant }) => grant?.id === 'grant_1');
    expect(traces.of(call(one, SITE)).isRunning()).toBe(false);
  });
});

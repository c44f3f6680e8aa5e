import { describe, expect, test as base, vi } from 'vitest';
import { Debuggers } from '#extension/background/debugger.ts';

type Listener = (source: { tabId: number }, what: unknown, params?: unknown) => void;

/** Chrome's debugger as far as it is there without an attachment of this worker's. */
interface Browser {
  readonly sent: unknown[][];
  tell(method: string, params: unknown): void;
  detach(reason: string): void;
}

const TAB = 7;
const ROUTES = [
  { pattern: '*/pay', way: { type: 'block' } },
  { pattern: '*/users', way: { type: 'answer', status: 200, body: '[]', headers: {} } },
];

const test = base.extend<{ browser: Browser }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  browser: async ({}, use) => {
    const storage = new Map<string, unknown>([['emulated', { [TAB]: { routes: { patterns: [], routes: ROUTES } } }]]);
    const sent: unknown[][] = [];
    const listeners: { event: Listener[]; detach: Listener[] } = { event: [], detach: [] };
    vi.stubGlobal('chrome', {
      storage: {
        session: {
          get: (key: string) => Promise.resolve({ [key]: structuredClone(storage.get(key)) }),
          set: (values: Record<string, unknown>) => {
            for (const [key, value] of Object.entries(values)) storage.set(key, structuredClone(value));
            return Promise.resolve();
          },
        },
      },
      debugger: {
        onEvent: { addListener: (listener: Listener) => listeners.event.push(listener) },
        onDetach: { addListener: (listener: Listener) => listeners.detach.push(listener) },
        sendCommand: (...command: unknown[]) => Promise.resolve(void sent.push(command)),
      },
    });
    await use({
      sent,
      tell: (method, params) => listeners.event.forEach((listener) => listener({ tabId: TAB }, method, params)),
      detach: (reason) => listeners.detach.forEach((listener) => listener({ tabId: TAB }, reason)),
    });
    vi.unstubAllGlobals();
  },
});

const request = (requestId: string, path: string): unknown => ({
  requestId,
  request: { url: `https://shop.example/${path}`, headers: {} },
});

describe('requests that wait at the attachment of a worker that was stopped', () => {
  test('are blocked, answered or sent on by the next one, and held by nobody', async ({ browser }) => {
    void new Debuggers(() => {});
    browser.tell('Fetch.requestPaused', request('1', 'pay'));
    browser.tell('Fetch.requestPaused', request('2', 'users'));
    browser.tell('Fetch.requestPaused', request('3', 'other'));

    await vi.waitFor(() => expect(browser.sent).toHaveLength(3), { timeout: 30_000 });
    expect(browser.sent).toMatchObject([
      [{ tabId: TAB }, 'Fetch.failRequest', { requestId: '1' }],
      [{ tabId: TAB }, 'Fetch.fulfillRequest', { requestId: '2', responseCode: 200 }],
      [{ tabId: TAB }, 'Fetch.continueRequest', { requestId: '3' }],
    ]);
  });
});

describe('a tab whose bar the person closes', () => {
  test('pretends nothing any more, which is told', async ({ browser }) => {
    const refused: number[] = [];
    const debuggers = new Debuggers((tabId) => refused.push(tabId));
    expect(await debuggers.emulated(TAB)).toHaveProperty('routes');
    browser.detach('canceled_by_user');

    await vi.waitFor(() => expect(refused).toEqual([TAB]), { timeout: 30_000 });
    expect(await debuggers.emulated(TAB)).toEqual({});
  });
});

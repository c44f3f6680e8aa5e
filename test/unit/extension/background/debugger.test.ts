import { describe, expect, test as base, vi } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { Debuggers } from '#extension/background/debugger.ts';

type Listener = (source: { tabId: number }, what: unknown, params?: unknown) => void;

/** Chrome's debugger as far as it is there without an attachment of this worker's. */
interface Browser {
  readonly sent: unknown[][];
  readonly detached: unknown[];
  /** The tabs that it was attached to, one after the other. */
  readonly attached: number[];
  /** The origin of the page, and the addresses of its frames, by their ids. */
  frames: Record<string, string>;
  /** What the tab pretends. */
  keep(routes: readonly unknown[]): void;
  tell(method: string, params: unknown): void;
  detach(reason: string): void;
  /** From now on this is how it answers this. */
  answerWith(method: string, answer: () => Promise<unknown>): void;
}

const TAB = 7;
const SESSION = SessionId.parse('session_1');
const origin = 'https://shop.example';
const ROUTES = [
  { pattern: '*/pay', way: { type: 'block' }, origin },
  { pattern: '*/users', way: { type: 'answer', status: 200, body: '[]', headers: {} }, origin },
];

const pretending = (routes: readonly unknown[]): object => ({
  [TAB]: { site: null, layers: [{ by: SESSION, name: 'routes', params: { patterns: [], routes } }] },
});

const test = base.extend<{ browser: Browser }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  browser: async ({}, use) => {
    const storage = new Map<string, unknown>([['emulated', pretending(ROUTES)]]);
    const sent: unknown[][] = [];
    const answers = new Map<unknown, () => Promise<unknown>>();
    const detached: unknown[] = [];
    const attached: number[] = [];
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
        attach: ({ tabId }: { tabId: number }) => Promise.resolve(void attached.push(tabId)),
        sendCommand: (...command: unknown[]) => {
          if (command[1] === 'Page.getFrameTree') return Promise.resolve(treeOf(browser.frames));
          sent.push(command);
          return answers.get(command[1])?.() ?? Promise.resolve();
        },
        detach: (target: unknown) => Promise.resolve(void detached.push(target)),
      },
    });
    const browser: Browser = {
      sent,
      detached,
      attached,
      keep: (routes) => storage.set('emulated', routes.length === 0 ? {} : pretending(routes)),
      frames: { top: origin, made: 'about:srcdoc', data: 'data:text/html,' },
      tell: (method, params) => listeners.event.forEach((listener) => listener({ tabId: TAB }, method, params)),
      detach: (reason) => listeners.detach.forEach((listener) => listener({ tabId: TAB }, reason)),
      answerWith: (method, answer) => void answers.set(method, answer),
    };
    await use(browser);
    // Else an attachment that nobody uses any more would be let go while another test runs.
    for (const tabId of attached) for (const listener of listeners.detach) listener({ tabId }, 'target_closed');
    vi.unstubAllGlobals();
  },
});

const treeOf = ({ top, ...below }: Record<string, string>): unknown => ({
  frameTree: {
    frame: { id: 'top', url: `${top}/`, securityOrigin: top },
    childFrames: Object.entries(below).map(([id, url]) => ({ frame: { id, url, securityOrigin: '://' } })),
  },
});

const request = (
  requestId: string,
  url: string,
  headers: Record<string, string> = {},
  resourceType = 'Fetch',
  frameId = 'top',
): unknown => ({
  requestId,
  frameId,
  resourceType,
  request: { url: new URL(url, origin).href, headers },
});

describe('requests that wait at the attachment of a worker that was stopped', () => {
  test('are blocked, answered or sent on by the next one, and held by nobody', async ({ browser }) => {
    void new Debuggers(() => {});
    browser.tell('Fetch.requestPaused', request('1', 'pay'));
    browser.tell('Fetch.requestPaused', request('2', 'users'));
    browser.tell('Fetch.requestPaused', request('3', 'other'));

    await vi.waitFor(() => expect(browser.sent).toHaveLength(3), { timeout: 30_000 });
    expect(Object.fromEntries(browser.sent.map(([, method, params]) => [method, params]))).toMatchObject({
      'Fetch.failRequest': { requestId: '1' },
      'Fetch.fulfillRequest': { requestId: '2', responseCode: 200 },
      'Fetch.continueRequest': { requestId: '3' },
    });
  });
});

describe('routes that an agent was allowed for one site', () => {
  test('are for pages of that site alone, whatever the tab shows later', async ({ browser }) => {
    void new Debuggers(() => {});
    const bank = 'https://bank.example';
    browser.tell('Fetch.requestPaused', request('own page', '/users', {}, 'Document'));
    browser.tell('Fetch.requestPaused', request('other page', `${bank}/users`, {}, 'Document'));
    browser.tell('Fetch.requestPaused', request('of another', `${bank}/users`, { Referer: `${bank}/` }));
    browser.tell('Fetch.requestPaused', request('of a frame', '/users', { Origin: bank }));
    browser.tell('Fetch.requestPaused', request('elsewhere', 'https://api.example/users', { Origin: origin }));
    await vi.waitFor(() => expect(browser.sent).toHaveLength(5), { timeout: 30_000 });
    browser.tell('Fetch.requestPaused', request('unnamed', '/users'));
    browser.tell('Fetch.requestPaused', request('of a made frame', '/users', {}, 'Fetch', 'made'));
    browser.tell('Fetch.requestPaused', request('of a sandbox', '/users', { Origin: 'null', Referer: origin }, 'Fetch', 'made'));
    browser.tell('Fetch.requestPaused', request('of data', '/users', {}, 'Fetch', 'data'));
    browser.tell('Fetch.requestPaused', request('of a frame that has gone', '/users', {}, 'Fetch', 'gone'));
    await vi.waitFor(() => expect(browser.sent).toHaveLength(10), { timeout: 30_000 });
    browser.frames = { top: bank };
    browser.tell('Fetch.requestPaused', request('unnamed there', `${bank}/users`));

    await vi.waitFor(() => expect(browser.sent).toHaveLength(11), { timeout: 30_000 });
    const answered = browser.sent.filter(([, method]) => method === 'Fetch.fulfillRequest').map(([, , params]) => params);
    expect(answered.map((params) => (params as { requestId: string }).requestId).toSorted()).toEqual([
      'elsewhere',
      'of a made frame',
      'own page',
      'unnamed',
    ]);
  });

  test('end with the permission that they were made by, and answer nothing once its time is over', async ({ browser }) => {
    const debuggers = new Debuggers(() => {});
    browser.keep([
      { ...ROUTES[0], grant: { id: 'over', expiresAt: Date.now() - 1 } },
      { ...ROUTES[1], grant: { id: 'held', expiresAt: null } },
    ]);
    browser.tell('Fetch.requestPaused', request('too late', 'pay'));
    await vi.waitFor(() => expect(browser.sent).toMatchObject([[{ tabId: TAB }, 'Fetch.continueRequest', { requestId: 'too late' }]]));

    expect(await debuggers.endRoutes(({ grant }) => grant?.id === 'over')).toEqual([TAB]);
    expect(await debuggers.emulated(TAB)).toMatchObject({ routes: { routes: [{ pattern: '*/users' }] } });
    expect(await debuggers.endRoutes(() => false)).toEqual([]);
    expect(await debuggers.endRoutes(() => true)).toEqual([TAB]);

    expect(await debuggers.emulated(TAB)).toEqual({});
    expect(browser.sent.at(-1)).toEqual([{ tabId: TAB }, 'Fetch.disable', {}]);
  });

  test('end one session after the other, where several have set something in a tab', async ({ browser }) => {
    const [one, other] = [SESSION, SessionId.parse('session_2')];
    browser.answerWith('Page.getLayoutMetrics', () => Promise.resolve({ cssLayoutViewport: { clientWidth: 1, clientHeight: 1 } }));
    const debuggers = new Debuggers(() => {});
    const set = (by: SessionId, emulation: object): Promise<unknown> =>
      debuggers.emulate(TAB, emulation, { by, site: origin, signal: AbortSignal.timeout(30_000) });
    const told = (method: string): unknown => browser.sent.findLast(([, sent]) => sent === method)?.[2];
    const dark = { name: 'prefers-color-scheme', value: 'dark' };
    const still = { name: 'prefers-reduced-motion', value: 'reduce' };
    await set(one, { timezone: { timezoneId: 'Asia/Tokyo' }, media: { media: '', features: [dark] } });
    const route = { ...ROUTES[0], pattern: '*/other', grant: null };
    await set(other, { timezone: { timezoneId: 'Europe/Berlin' }, media: { media: '', features: [still] } });
    await set(other, { routes: { patterns: [], routes: [route] } });

    expect(told('Emulation.setTimezoneOverride')).toEqual({ timezoneId: 'Europe/Berlin' });
    expect(told('Emulation.setEmulatedMedia')).toEqual({ media: '', features: [dark, still] });
    expect(told('Fetch.enable')).toMatchObject({ patterns: ['*/pay', '*/users', '*/other'].map((urlPattern) => ({ urlPattern })) });
    expect(await debuggers.emulated(TAB, one)).toMatchObject({ routes: { routes: ROUTES }, timezone: { timezoneId: 'Asia/Tokyo' } });

    await debuggers.endSession(other);
    expect(told('Emulation.setTimezoneOverride')).toEqual({ timezoneId: 'Asia/Tokyo' });
    expect(told('Emulation.setEmulatedMedia')).toEqual({ media: '', features: [dark] });
    expect(told('Fetch.enable')).toMatchObject({ patterns: ['*/pay', '*/users'].map((urlPattern) => ({ urlPattern })) });
    expect(browser.detached).toEqual([]);
    await debuggers.endSession(one);
    expect(browser.detached).toEqual([{ tabId: TAB }]);
  });

  test('end with the session that set them, also after the worker was started anew, and not with another', async ({ browser }) => {
    const debuggers = new Debuggers(() => {});
    await debuggers.endSession(SessionId.parse('session_2'));
    expect(browser.detached).toEqual([]);
    expect(await debuggers.emulated(TAB)).toHaveProperty('routes');

    await debuggers.endSession(SESSION);

    expect(browser.detached).toEqual([{ tabId: TAB }]);
    expect(await debuggers.emulated(TAB)).toEqual({});
  });
});

/** With a double of chrome.debugger: only a person's own press closes Chrome's bar. */
describe('a tab whose bar the person closes, as a double of chrome.debugger tells it', () => {
  const signal = new AbortController().signal;
  const nothing = (): Promise<string> => Promise.resolve('done');

  test('pretends nothing any more, which is told', async ({ browser }) => {
    const refused: unknown[] = [];
    const debuggers = new Debuggers((...told) => refused.push(told));
    expect(await debuggers.emulated(TAB)).toHaveProperty('routes');
    browser.detach('canceled_by_user');

    await vi.waitFor(() => expect(refused).toEqual([[TAB, { hadPretence: true }]]), { timeout: 30_000 });
    expect(await debuggers.emulated(TAB)).toEqual({});
  });

  test('is told of, too, where it was only made to behave as one that is seen', async ({ browser }) => {
    browser.keep([]);
    const refused: unknown[] = [];
    const debuggers = new Debuggers((...told) => refused.push(told));
    await debuggers.whileSeen(TAB, nothing);
    browser.detach('canceled_by_user');

    await vi.waitFor(() => expect(refused).toEqual([[TAB, { hadPretence: false }]]));
  });

  test('is not attached to again by any call, also by the next worker: what needs that says so, and the rest goes on', async ({
    browser,
  }) => {
    browser.keep([]);
    const debuggers = new Debuggers(() => {});
    await debuggers.whileSeen(TAB, nothing);
    browser.detach('canceled_by_user');

    for (const worker of [debuggers, new Debuggers(() => {})]) {
      expect(await worker.whileSeen(TAB, nothing)).toBe('done');
      await expect(worker.with(TAB, signal, nothing)).rejects.toMatchObject({
        code: 'TOOL_FAILED',
        message: expect.stringContaining('The user has closed its bar in this tab.'),
        remedy: expect.stringContaining('hand the tab over'),
      });
      await worker.release(TAB);
      await worker.endSession(SESSION);
      await expect(worker.with(TAB, signal, nothing)).rejects.toThrow('closed its bar');
      expect(await worker.whileSeen(TAB + 1, nothing)).toBe('done');
    }
    expect(browser.attached.filter((tabId) => tabId === TAB)).toEqual([TAB]);
  });

  test('is attached to again when the person hands it over anew, which is told', async ({ browser }) => {
    browser.keep([]);
    const told: unknown[] = [];
    const debuggers = new Debuggers((_, refusal) => told.push(refusal));
    await debuggers.whileSeen(TAB, nothing);
    browser.detach('canceled_by_user');
    await debuggers.allow(TAB);

    expect(await debuggers.with(TAB, signal, nothing)).toBe('done');
    expect(told.at(-1)).toBeNull();
    expect(browser.attached).toEqual([TAB, TAB]);
  });

  test('may be attached to after the browser itself has let go of it', async ({ browser }) => {
    browser.keep([]);
    const debuggers = new Debuggers(() => {});
    await debuggers.whileSeen(TAB, nothing);
    browser.detach('target_closed');

    expect(await debuggers.with(TAB, signal, nothing)).toBe('done');
  });
});

describe('why a tab is debugged', () => {
  const signal = new AbortController().signal;

  test('is known by what the last call in it does there, and by what the tab pretends', async ({ browser }) => {
    browser.keep([]);
    const debuggers = new Debuggers(() => {});
    expect(debuggers.reasonsFor(TAB)).toEqual([]);

    await debuggers.whileSeen(TAB, () => debuggers.with(TAB, signal, (attached) => attached.send('Input.dispatchKeyEvent', {})));
    expect(debuggers.reasonsFor(TAB)).toEqual(['seen', 'input']);
    await debuggers.with(TAB, signal, (attached) => attached.send('Page.captureScreenshot', {}));
    expect(debuggers.reasonsFor(TAB)).toEqual(['picture']);
    await debuggers.with(TAB, signal, (attached) => attached.send('Runtime.evaluate', { uniqueContextId: '1' }));
    expect(debuggers.reasonsFor(TAB)).toEqual(['code']);
    await debuggers.with(TAB, signal, (attached) => attached.send('Log.enable', {}));
    expect(debuggers.reasonsFor(TAB)).toEqual(['records']);
    await debuggers.emulate(TAB, { cpu: { rate: 4 } }, { by: SESSION, site: null, signal }).catch(() => null);
    expect(debuggers.reasonsFor(TAB)).toContain('pretence');

    browser.detach('target_closed');
    expect(debuggers.reasonsFor(TAB)).toEqual([]);
  });
});

describe('what a tab pretends', () => {
  const media = { media: '', features: [{ name: 'prefers-color-scheme', value: 'dark' }] };
  const signal = new AbortController().signal;
  const pretend = async (site: string | null): Promise<Debuggers> => {
    const debuggers = new Debuggers(() => {});
    await debuggers.with(TAB, signal, (attached) => attached.send('Page.enable', {}));
    await debuggers.emulate(TAB, { media }, { by: SESSION, site, signal }).catch(() => null);
    return debuggers;
  };

  test('for a site in a tab of the person’s ends when the tab comes to another one', async ({ browser }) => {
    browser.keep([]);
    const debuggers = await pretend(origin);
    expect(await debuggers.emulated(TAB)).toMatchObject({ media });

    expect(await debuggers.arrived(TAB, origin)).toBe(false);
    expect(await debuggers.arrived(TAB, 'https://bank.example')).toBe(true);

    expect(await debuggers.emulated(TAB)).toEqual({});
    expect(browser.sent.at(-1)).toEqual([{ tabId: TAB }, 'Emulation.setEmulatedMedia', { media: '', features: [] }]);
    expect(await debuggers.arrived(TAB, 'https://bank.example')).toBe(false);
  });

  test('in a tab of the session’s own holds for each page that comes', async ({ browser }) => {
    browser.keep([]);
    const debuggers = await pretend(null);

    expect(await debuggers.arrived(TAB, 'https://bank.example')).toBe(false);

    expect(await debuggers.emulated(TAB)).toMatchObject({ media });
  });
});

describe('a dialog', () => {
  const opens = (browser: Browser, type: string): void =>
    browser.tell('Page.javascriptDialogOpening', { type, message: 'Leave? What you wrote is lost.', url: origin });
  const answersOf = (browser: Browser): unknown[] =>
    browser.sent.flatMap(([, method, params]) => (method === 'Page.handleJavaScriptDialog' ? [params] : []));
  const signal = new AbortController().signal;

  test.for(['beforeunload', 'alert'])('in a tab that a call only looks at is the person’s: %s', async (type, { browser }) => {
    const debuggers = new Debuggers(() => {});
    const looked = debuggers.whileOnlyRead(TAB, () =>
      debuggers.with(TAB, signal, async (attached) => {
        opens(browser, type);
        await attached.send('Page.captureScreenshot', {});
      }),
    );

    await expect(looked).rejects.toMatchObject({ code: 'DIALOG_OPEN' });

    expect(answersOf(browser)).toEqual([]);
    expect(debuggers.openDialog(TAB)?.type).toBe(type);
    // Nor does a later look end one that waits for the person.
    await debuggers.whileOnlyRead(TAB, () => debuggers.with(TAB, signal, () => Promise.resolve()));
    expect(answersOf(browser)).toEqual([]);
  });

  test('of a page that a call leaves is answered, so that the page is left', async ({ browser }) => {
    const debuggers = new Debuggers(() => {});

    await debuggers.with(TAB, signal, () => Promise.resolve(opens(browser, 'beforeunload')));

    expect(answersOf(browser)).toEqual([{ accept: true }]);
  });

  test('that is answered at once is told of with what the page does next, before Chrome says that it is answered', async ({ browser }) => {
    const debuggers = new Debuggers(() => {});
    browser.answerWith('Page.handleJavaScriptDialog', () => new Promise(() => {}));

    await debuggers.with(TAB, signal, () => Promise.resolve(opens(browser, 'alert')));

    expect(debuggers.takeDialogs(TAB)).toMatchObject([{ type: 'alert', answer: 'accepted' }]);
  });

  test('that somebody else was quicker to answer is told of by their answer', async ({ browser }) => {
    const debuggers = new Debuggers(() => {});
    browser.answerWith('Page.handleJavaScriptDialog', () => {
      browser.tell('Page.javascriptDialogClosed', { result: false });
      return Promise.reject(new Error('No dialog is showing'));
    });

    await debuggers.with(TAB, signal, async () => {
      opens(browser, 'alert');
      opens(browser, 'confirm');
      browser.tell('Page.javascriptDialogClosed', { result: true });
    });

    expect(debuggers.takeDialogs(TAB)).toMatchObject([
      { type: 'alert', answer: 'dismissed' },
      { type: 'confirm', answer: 'accepted' },
    ]);
  });

  test('is answered itself, and not the one that has come in its place', async ({ browser }) => {
    const debuggers = new Debuggers(() => {});
    await debuggers.with(TAB, signal, async () => {
      opens(browser, 'confirm');
      const first = debuggers.openDialog(TAB);
      browser.tell('Page.javascriptDialogClosed', { result: false });
      opens(browser, 'confirm');
      if (first === null) throw new Error('a dialog is open');

      await debuggers.answer(TAB, first, true, undefined);
    });

    expect(answersOf(browser)).toEqual([]);
  });
});

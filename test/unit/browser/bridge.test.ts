import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Admission } from '#protocol/admission.ts';
import type { BrowserInfo } from '#protocol/browser.ts';
import { CallId, SessionId, type BrowserId } from '#protocol/ids.ts';
import { PROTOCOL } from '#protocol/version.ts';
import { warningText } from '#protocol/warnings.ts';
import { Bridge, type CallInput, type FileInBrowser } from '#companion/browser/bridge.ts';
import { nullLog } from '#companion/lib/log.ts';
import { admission } from '#test/fixtures/admission.ts';
import { NO_LOSS, tellFigure } from '#test/fixtures/figures.ts';
import { TOOLS, browserId, createExtensionDouble, text, textOf, tool, type ExtensionDouble } from './extension-double.ts';

const create = (waitForBrowserMs = 15_000, usualBrowser = (): BrowserId | null => null): Bridge =>
  new Bridge({ tools: TOOLS, log: nullLog, waitForBrowserMs, usualBrowser });
const sessionId = SessionId.parse('session_1');
const other = SessionId.parse('session_2');

let lastCall = 0;
const input = (name: string, more: Partial<CallInput> = {}): CallInput => ({
  sessionId,
  callId: CallId.parse(`call_${(lastCall += 1)}`),
  name,
  args: {},
  ...more,
});
const HELLO = JSON.stringify({
  type: 'hello',
  protocol: PROTOCOL,
  extensionVersion: '0.1.0',
  extensionId: 'x',
  browserName: 'Chromium',
  label: 'Broken',
});
const never = (): AbortSignal => new AbortController().signal;

describe('signs of life', () => {
  it('on the same link cancel none of a hundred calls that take a minute, though each is asked for every five seconds', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const startedAt = process.hrtime.bigint();
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.onPing = () => extension.send({ type: 'pong', at: 0 });
    extension.onRequest = (request) => void setTimeout(() => extension.answer(request, text('done')), 60_000);
    extension.hello();

    const calls = Array.from({ length: 100 }, () => bridge.call(input('press'), { signal: never() }));
    for (let second = 0; second < 60; second += 5) {
      // The other end asks too, and a second connection of the same browser makes the bridge ask whether this one lives.
      extension.send({ type: 'ping', at: second });
      createExtensionDouble(bridge).hello();
      await vi.advanceTimersByTimeAsync(5_000);
    }
    const results = await Promise.all(calls);

    expect(results.map(textOf)).toEqual(calls.map(() => 'done'));
    expect(extension.frames.filter(({ type }) => type === 'pong')).toHaveLength(12);
    expect(extension.cancelled).toEqual([]);
    tellFigure({
      fault: 'Both ends of the link ask for a sign of life every five seconds while calls take a minute (the clock is a double)',
      count: `${calls.length} calls, 12 questions`,
      ...NO_LOSS,
      ms: Number((process.hrtime.bigint() - startedAt) / 1_000_000n),
    });
  });
});

describe('a connection', () => {
  it('is welcomed with port and token, and its sessions and questions are told to it', async () => {
    const bridge = create();
    bridge.sessionStarted(sessionId, 'Fix the form');
    bridge.setAttention(2);
    const extension = createExtensionDouble(bridge);

    extension.hello();
    extension.send({ type: 'mcp_register', server: 'browser', tools: [...TOOLS, tool('newer', 'read')] });

    await expect
      .poll(() => extension.frames.map(({ type }) => type))
      .toEqual(['welcome', 'session_start', 'sites', 'attention', 'mcp_registered']);
    expect(extension.frames[0]).toMatchObject({ port: 56_889, token: 'token-b1' });
    expect(extension.frames[1]).toMatchObject({ sessionId, name: 'Fix the form' });
    expect(extension.frames[2]).toMatchObject({ rules: {} });
    expect(extension.frames[3]).toMatchObject({ count: 2 });
    expect(bridge.browsers()).toMatchObject([{ browserId: 'b1', label: 'Label b1', toolCount: 3 }]);
  });

  it('hears of the sessions that have ended while it was away, and of none that goes on', async () => {
    const bridge = create();
    bridge.sessionStarted(sessionId, 'One');
    bridge.sessionStarted(other, 'Two');
    for (const id of [sessionId, other]) bridge.sessionEnded(id);
    bridge.sessionStarted(other, 'Two');

    const extension = createExtensionDouble(bridge);
    extension.hello();

    await expect
      .poll(() => extension.frames.filter(({ type }) => type.startsWith('session_')))
      .toMatchObject([
        { type: 'session_end', sessionId, closesTabs: true },
        { type: 'session_start', sessionId: other },
      ]);
  });

  it('hears which permissions hold when it comes, and when that changes', async () => {
    let holding = ['grant_1', 'grant_2'];
    const bridge = new Bridge({ tools: TOOLS, log: nullLog, grants: () => holding });
    const extension = createExtensionDouble(bridge);
    extension.hello();

    holding = ['grant_2'];
    bridge.grantsChanged();

    await expect
      .poll(() => extension.frames.flatMap((frame) => (frame.type === 'grants' ? [frame['ids']] : [])))
      .toEqual([['grant_1', 'grant_2'], ['grant_2']]);
  });

  it('hears of the number of questions when it changes, not with each look at it', async () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.hello();

    for (const count of [0, 1, 1, 1, 0, 0]) bridge.setAttention(count);

    await expect.poll(() => extension.frames.flatMap((frame) => (frame.type === 'attention' ? [frame['count']] : []))).toEqual([0, 1, 0]);
  });

  it('brings its own tools, which stay when it has gone', () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.hello();
    const later = { ...tool('later', 'read'), _meta: { 'pilotfish/class': 'of a later version', 'pilotfish/set': 'moon' } };
    extension.send({ type: 'mcp_register', server: 'browser', tools: [tool('newer', 'read'), later] });
    expect(bridge.browsers()).toMatchObject([{ toolCount: 2 }]);

    extension.drop();

    expect(bridge.tools().map(({ name }) => name)).toEqual(['look', 'press', 'newer', 'later']);
    expect(bridge.browsers()).toEqual([]);
  });

  it('of an extension that is too new is refused by name, as is one of an extension that is too old, and a call that misses a browser is told so', async () => {
    const bridge = create(0);
    const newer = createExtensionDouble(bridge, 'newer');
    const older = createExtensionDouble(bridge, 'older');

    newer.hello({ protocol: { current: 9, oldest: 8 }, extensionVersion: '9.0.0' });
    older.hello({ protocol: { current: 0, oldest: 0 }, extensionVersion: '0.0.1' });

    await expect.poll(() => [newer.frames.length, older.frames.length]).toEqual([1, 1]);
    expect(newer.frames[0]).toMatchObject({ type: 'refused', error: { code: 'COMPANION_TOO_OLD' } });
    expect(older.frames[0]).toMatchObject({ type: 'refused', error: { code: 'EXTENSION_TOO_OLD' } });
    const look = (): Promise<unknown> => bridge.call(input('look'), { signal: never() });
    await expect(look()).rejects.toMatchObject({
      code: 'BROWSER_NOT_CONNECTED',
      message: expect.stringContaining('The extension is older'),
      remedy: expect.stringContaining('pilotfish install'),
    });
    expect(bridge.warnings.map(warningText)).toEqual([expect.stringContaining('is newer'), expect.stringContaining('is older')]);

    const updated = createExtensionDouble(bridge, 'older');
    updated.hello();
    updated.drop();
    await expect(look()).rejects.toMatchObject({ message: expect.stringContaining('is newer') });
    expect(bridge.warnings).toHaveLength(1);
    expect(JSON.stringify(older.frames[0])).toContain('0.0.1');
    expect([newer.isClosed, older.isClosed, bridge.browsers().length]).toEqual([true, true, 0]);
  });

  it('with a newer protocol that still speaks ours is served', () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);

    extension.hello({ protocol: { current: 7, oldest: 1 } });

    expect(bridge.browsers()).toHaveLength(1);
  });

  it('outlives 10,000 malformed messages', async () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.hello();
    extension.onRequest = (request) => extension.answer(request, text('still here'));
    const wrong = [
      null,
      7,
      'x',
      [],
      {},
      { type: 'nothing' },
      { type: 'mcp_message' },
      { type: 'mcp_message', server: 'browser', payload: {} },
      { type: 'mcp_message', server: 'browser', payload: { jsonrpc: '2.0', id: 'unknown', result: 1 } },
      {
        type: 'mcp_message',
        server: 'browser',
        payload: { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: {}, progress: 'x' } },
      },
      { type: 'hello' },
      { type: 'chunk', id: 1 },
      { type: 'chunk', id: 'a', index: 3, count: 4, data: '' },
      { type: 'mcp_register', server: 'x', tools: [{ name: 1 }] },
    ];

    for (let round = 0; round < 10_000; round += 1) extension.send(wrong[round % wrong.length]);

    expect(textOf(await bridge.call(input('look'), { signal: never() }))).toBe('still here');
  });
});

describe('a file that a browser offers', () => {
  const offer = { type: 'file_offered', fileId: 'file-1', sessionId, name: 'a.csv', sizeBytes: 3, sha256: 'a'.repeat(64) };
  const offered = (isElsewhere: boolean): { extension: ExtensionDouble; files: FileInBrowser[] } => {
    const bridge = create();
    const files: FileInBrowser[] = [];
    bridge.onFile((file) => void files.push(file));
    const extension = createExtensionDouble(bridge, 'b1', undefined, isElsewhere);
    extension.hello();
    extension.send(offer);
    return { extension, files };
  };

  it('on another machine is read from it part by part, and the browser is told where it went', async () => {
    const { extension, files } = offered(true);
    extension.onRequest = (request) =>
      extension.answer(
        request,
        request.method === 'pilotfish/read_file' ? { dataBase64: btoa(`at ${String(request.params['offset'])}`) } : {},
      );
    const [file] = files;

    expect(file).toMatchObject({ name: 'a.csv', sessionId, from: 'Label b1' });
    expect(String(await file?.read(7, never()))).toBe('at 7');
    await file?.tell({ path: '/there/a.csv', problem: null });
    expect(extension.requests.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: 'pilotfish/read_file', params: { fileId: 'file-1', offset: 7 } },
      { method: 'pilotfish/file_taken', params: { fileId: 'file-1', path: '/there/a.csv', problem: null } },
    ]);
    expect(extension.frames.find(({ type }) => type === 'welcome')).toMatchObject({ takesFiles: true });
  });

  it('on this machine is not taken: it lies here already, and its extension was not asked for it', async () => {
    const { extension, files } = offered(false);

    expect(files).toEqual([]);
    await vi.waitFor(() => expect(extension.frames.find(({ type }) => type === 'welcome')).toBeDefined());
    expect(extension.frames.find(({ type }) => type === 'welcome')).not.toHaveProperty('takesFiles');
  });
});

describe('what a session has saved', () => {
  const file = { path: '/there/a.csv', name: 'a.csv', sizeBytes: 3, savedAt: 1, origin: 'https://a.example' };
  const saved = (isElsewhere: boolean, result: unknown) => {
    const bridge = create();
    const extension = createExtensionDouble(bridge, 'b1', undefined, isElsewhere);
    extension.onRequest = (request) => extension.answer(request, result);
    extension.hello();
    extension.send({ type: 'mcp_register', server: 'browser', tools: TOOLS });
    return { extension, files: bridge.savedFiles(sessionId, never()) };
  };

  it('is told by its browser', async () => {
    expect(await saved(false, { files: [file] }).files).toEqual([file]);
  });

  it('is nothing here where its browser is on another machine, which is not asked, or cannot tell', async () => {
    const { extension, files } = saved(true, { files: [file] });

    expect(await files).toEqual([]);
    expect(extension.requests).toEqual([]);
    expect(await saved(false, {}).files).toEqual([]);
  });
});

describe('a connection whose far end says what nobody should', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

  it('may use the names of object prototypes for anything', async () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.hello();
    extension.onRequest = (request) => extension.answer(request, text('still here'));

    for (const name of NAMES) {
      const message = (payload: object) => extension.send({ type: 'mcp_message', server: name, payload: { jsonrpc: '2.0', ...payload } });
      message({ id: name, result: {} });
      message({ method: name, params: JSON.parse(`{"${name}":{"${name}":1}}`) });
      extension.send({ type: 'mcp_message', server: 'browser', payload: { jsonrpc: '2.0', id: name, error: { code: 1, message: name } } });
      extension.send({ type: 'mcp_register', server: name, tools: [tool(name, 'read')] });
      extension.send({ type: name });
    }

    expect(bridge.tools()).toEqual(TOOLS);
    expect(NAMES.map((name) => bridge.tool(name))).toEqual([undefined, undefined, undefined, undefined]);
    expect(textOf(await bridge.call(input('look', { args: JSON.parse('{"__proto__":{"x":1}}') }), { signal: never() }))).toBe('still here');
  });

  it('and brings about a fault is ended, with the stack in the log; the others stay', async () => {
    const faults: unknown[] = [];
    const bridge = new Bridge({ tools: TOOLS, log: { ...nullLog, error: (_, fields) => faults.push(fields?.['error']) } });
    const other = createExtensionDouble(bridge, 'other');
    other.hello();
    other.onRequest = (request) => other.answer(request, text('other'));
    let isClosed = false;
    const fail = (): never => {
      throw new Error('a fault of ours');
    };
    const broken = bridge.attach({ canRest: true, send: () => {}, close: () => (isClosed = true) }, { meet: fail, welcome: fail });

    broken.receive({ ...JSON.parse(HELLO), browserId: 'broken' });

    expect(isClosed).toBe(true);
    expect(faults).toEqual([expect.stringMatching(/a fault of ours\n\s+at /)]);
    expect(textOf(await bridge.call(input('look'), { signal: never() }))).toBe('other');
  });
});

describe('a call', () => {
  it('goes out as tools/call with its ids and target, and comes back by its id', async () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.hello();
    const target = {
      tabId: 5,
      frameId: 0,
      documentId: 'document-1',
      url: 'https://example.com/',
      title: 'Example',
      origin: 'https://example.com',
      owner: 'session' as const,
    };
    const call = input('press', { args: { target: 'e1' }, target });

    const first = bridge.call(call, { signal: never() });
    const second = bridge.call(input('look'), { signal: never() });
    await expect.poll(() => extension.requests).toHaveLength(2);
    const [one, two] = extension.requests;
    if (one === undefined || two === undefined) throw new Error('two requests are there');
    extension.answer(two, text('second'));
    extension.answer(one, text('first'));

    expect([textOf(await first), textOf(await second)]).toEqual(['first', 'second']);
    expect(one).toMatchObject({
      method: 'tools/call',
      params: { name: 'press', arguments: { target: 'e1' }, _meta: { callId: call.callId, sessionId, target } },
    });
  });

  it('on a site where it is allowed is one request, whose answer has its result', async () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.onRequest = (request) => extension.answer(request, { target: null, lines: [], result: text('pressed') });
    extension.hello();
    const grant = { id: 'grant_1', expiresAt: 5 };
    const call = input('press', { grant, actor: 'Editor' });

    const account = await bridge.callOn('https://example.com', call, { signal: never() });

    expect(account.result === undefined ? '' : textOf(account.result)).toBe('pressed');
    expect(extension.requests).toMatchObject([
      {
        method: 'pilotfish/describe_call',
        params: {
          tool: 'press',
          allowed: { origin: 'https://example.com', _meta: { callId: call.callId, sessionId, grant, actor: 'Editor' } },
        },
      },
    ]);
  });

  it('on a site where it is allowed is only described by an extension that knows no better', async () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.onRequest = (request) => extension.answer(request, { target: null, lines: [] });
    extension.hello();

    expect(await bridge.callOn('https://example.com', input('press'), { signal: never() })).toEqual({ target: null, lines: [] });
  });

  it('on a site where it is allowed goes to the next connection of its journal with its id, and to no other', async () => {
    const bridge = create();
    const first = createExtensionDouble(bridge);
    first.hello();
    const call = input('press');
    const answer = bridge.callOn('https://example.com', call, { signal: never() });
    await expect.poll(() => first.requests).toHaveLength(1);

    first.drop();
    const second = createExtensionDouble(bridge);
    second.hello();
    await expect.poll(() => second.requests).toHaveLength(1);
    second.drop();
    const third = createExtensionDouble(bridge);
    third.hello({ journalId: 'journal-2' });

    await expect(answer).rejects.toMatchObject({ code: 'WORKER_RESTARTED' });
    expect(second.requests).toMatchObject([{ params: { allowed: { _meta: { callId: call.callId } } } }]);
    expect(third.requests).toEqual([]);
  });

  it('with no browser waits, says so each second, and goes to the browser that comes', async () => {
    const bridge = create();
    const heard: string[] = [];
    const call = bridge.call(input('look'), { signal: never(), onProgress: ({ message }) => heard.push(message ?? '') });
    await expect.poll(() => heard.length).toBeGreaterThanOrEqual(2);

    const extension = createExtensionDouble(bridge);
    extension.onRequest = (request) => extension.answer(request, text('here now'));
    extension.hello();

    expect(textOf(await call)).toBe('here now');
    expect(heard[0]).toContain('Waiting for a browser');
  });

  it('with no browser fails in words when none comes', async () => {
    const bridge = create(30);

    await expect(bridge.call(input('look'), { signal: never() })).rejects.toMatchObject({ code: 'BROWSER_NOT_CONNECTED' });
    await expect(bridge.describe(input('look'), { signal: never() })).rejects.toMatchObject({ code: 'BROWSER_NOT_CONNECTED' });
  });

  it('whose browser has gone and does not come back says what to do when that browser is still open', async () => {
    const bridge = create(30);
    const extension = createExtensionDouble(bridge);
    extension.hello();
    const first = bridge.call(input('look'), { signal: never() });
    await expect.poll(() => extension.requests).toHaveLength(1);
    if (extension.requests[0] !== undefined) extension.answer(extension.requests[0], text('seen'));
    await first;

    extension.drop();

    await expect(bridge.call(input('look'), { signal: never() })).rejects.toMatchObject({
      code: 'BROWSER_NOT_CONNECTED',
      remedy: expect.stringContaining('chrome://extensions'),
    });
  });

  it('that is cancelled while it waits for a browser ends at once', async () => {
    const bridge = create();
    const abort = new AbortController();
    const call = bridge.call(input('look'), { signal: abort.signal });

    abort.abort();

    await expect(call).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  });

  it('that is cancelled is cancelled in the extension, and ends within 200 ms even if that says nothing', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.hello();
    const abort = new AbortController();
    const call = bridge.call(input('press'), { signal: abort.signal });
    await vi.waitFor(() => expect(extension.requests).toHaveLength(1));

    const ended = expect(call).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    abort.abort();
    await vi.advanceTimersByTimeAsync(200);

    await ended;
    expect(extension.cancelled).toEqual([extension.requests[0]?.id]);
  });

  it('whose result is none fails typed', async () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.hello();
    extension.onRequest = (request) => extension.answer(request, { content: 'nothing' });

    await expect(bridge.call(input('look'), { signal: never() })).rejects.toMatchObject({ code: 'FRAME_INVALID' });
  });
});

describe('when the carrier ends during a call', () => {
  it('the same call id is asked again on the next connection, and its answer is the call’s', async () => {
    const bridge = create();
    const first = createExtensionDouble(bridge);
    first.hello();
    const call = input('press');
    const answer = bridge.call(call, { signal: never() });
    await expect.poll(() => first.requests).toHaveLength(1);

    first.drop();
    const second = createExtensionDouble(bridge);
    second.onRequest = (request) => second.answer(request, text('it ran once'));
    second.hello();

    expect(textOf(await answer)).toBe('it ran once');
    expect(second.requests[0]?.params._meta?.['callId']).toBe(call.callId);
  });

  it('a hello of a browser whose old connection does not answer any more replaces that one', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const bridge = create();
    const first = createExtensionDouble(bridge);
    first.hello();
    const answer = bridge.call(input('look'), { signal: never() });
    await vi.waitFor(() => expect(first.requests).toHaveLength(1));

    const second = createExtensionDouble(bridge);
    second.onRequest = (request) => second.answer(request, text('from the new worker'));
    second.hello();
    await vi.advanceTimersByTimeAsync(1_000);

    expect(textOf(await answer)).toBe('from the new worker');
    expect(first.isClosed).toBe(true);
    expect(bridge.browsers()).toHaveLength(1);
  });

  it('what changes a page is not asked again when the journal is another one', async () => {
    const bridge = create();
    const first = createExtensionDouble(bridge);
    first.hello();
    const write = bridge.call(input('press'), { signal: never() });
    const read = bridge.call(input('look'), { signal: never() });
    await expect.poll(() => first.requests).toHaveLength(2);

    first.drop();
    const second = createExtensionDouble(bridge);
    second.onRequest = (request) => second.answer(request, text('again'));
    second.hello({ journalId: 'journal-2' });

    await expect(write).rejects.toMatchObject({ code: 'BROWSER_DISCONNECTED', remedy: expect.stringContaining('It is back') });
    expect(textOf(await read)).toBe('again');
    expect(second.requests.map(({ params }) => params.name)).toEqual(['look']);
  });

  for (const [state, words] of [
    [{ state: 'new' }, 'press, which was cut off before, was not begun'],
    [{ state: 'begun' }, 'press, which was cut off before, had begun, and whether it was done is not known'],
    [
      { state: 'ended', result: text('Pressed.\nWords of a page') },
      'press, which was cut off before, has ended, do not repeat it: Pressed.\nseen',
    ],
  ] as const) {
    it(`and the browser is back too late, the next call tells what became of it (${state.state}), and it is not made again`, async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const bridge = create();
      const first = createExtensionDouble(bridge);
      first.hello();
      const press = bridge.call(input('press'), { signal: never() });
      await vi.waitFor(() => expect(first.requests).toHaveLength(1));
      first.drop();
      const failing = expect(press).rejects.toMatchObject({ code: 'BROWSER_DISCONNECTED' });
      await vi.advanceTimersByTimeAsync(3_000);
      await failing;

      const second = createExtensionDouble(bridge);
      second.onRequest = (request) => second.answer(request, request.method === 'pilotfish/call_outcome' ? state : text('seen'));
      second.hello();

      expect(textOf(await bridge.call(input('look'), { signal: never() }))).toContain(words);
      expect(textOf(await bridge.call(input('look'), { signal: never() }))).toBe('seen');
      expect(second.requests.map(({ params }) => params.name)).not.toContain('press');
    });
  }

  it('and two were cut off together, the next call tells what became of each, once', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const bridge = create();
    const first = createExtensionDouble(bridge);
    first.hello();
    const presses = [1, 2].map(() => bridge.call(input('press'), { signal: never() }));
    await vi.waitFor(() => expect(first.requests).toHaveLength(2));
    const [began] = first.requests.map(({ params }) => params._meta?.['callId']);
    first.drop();
    const failing = Promise.all(presses.map((press) => expect(press).rejects.toMatchObject({ code: 'BROWSER_DISCONNECTED' })));
    await vi.advanceTimersByTimeAsync(3_000);
    await failing;

    const second = createExtensionDouble(bridge);
    const stateOf = (callId: unknown): object => (callId === began ? { state: 'ended', result: text('Pressed.') } : { state: 'new' });
    second.onRequest = (request) =>
      second.answer(request, request.method === 'pilotfish/call_outcome' ? stateOf(request.params['callId']) : text('seen'));
    second.hello();

    const looks = await Promise.all([1, 2].map(() => bridge.call(input('look'), { signal: never() })));
    expect(looks.flatMap((look) => textOf(look).split('\n')).toSorted()).toEqual([
      expect.stringContaining('press, which was cut off before, has ended'),
      expect.stringContaining('press, which was cut off before, was not begun'),
      'seen',
      'seen',
    ]);
  });

  it('that another daemon has sent is answered by the browser that had it, and not made again', async () => {
    const bridge = create();
    const [first, second] = [createExtensionDouble(bridge, 'b1'), createExtensionDouble(bridge, 'b2')];
    let state: unknown = { state: 'ended', result: text('Pressed.') };
    first.onRequest = (request) => first.answer(request, state);
    second.onRequest = (request) => second.answer(request, { state: 'new' });
    first.hello();
    second.hello();

    expect(await bridge.recall(input('press'), { signal: never() })).toEqual(text('Pressed.'));
    state = { state: 'begun' };
    expect(await bridge.recall(input('press'), { signal: never() })).toBeNull();
    state = { state: 'new' };
    expect(await bridge.recall(input('press'), { signal: never() })).toBe('new');
    expect(first.requests.map(({ method }) => method)).toEqual(Array(3).fill('pilotfish/call_outcome'));
  });

  it('of an extension that says nothing for two minutes is given up: what happened is asked, and it is not made again', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.onRequest = (request) => {
      if (request.method === 'pilotfish/call_outcome') extension.answer(request, { state: 'ended', result: text('Pressed.') });
    };
    extension.hello();
    const press = bridge.call(input('press'), { signal: never() });
    await vi.advanceTimersByTimeAsync(121_000);

    expect(textOf(await press)).toBe('Pressed.');
    expect(extension.requests.map(({ method }) => method)).toEqual(['tools/call', 'pilotfish/call_outcome']);
  });

  it('and nobody comes back, it fails typed within 3 s', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.hello();
    const write = bridge.call(input('press'), { signal: never() });
    const read = bridge.call(input('look'), { signal: never() });
    await vi.waitFor(() => expect(extension.requests).toHaveLength(2));
    const ended = Promise.all([
      expect(write).rejects.toMatchObject({ code: 'BROWSER_DISCONNECTED', message: expect.stringContaining('is not known') }),
      expect(read).rejects.toMatchObject({ code: 'BROWSER_DISCONNECTED' }),
    ]);

    extension.drop();
    await vi.advanceTimersByTimeAsync(3_000);

    await ended;
  });
});

describe('a browser that the person has not let in', () => {
  const arrive = () => {
    const bridge = create(30);
    let state: Admission['state'] = 'waiting';
    const extension = createExtensionDouble(bridge, 'b1', {
      meet: () => admission('a1', { state }),
      welcome: () => ({ port: 1, token: 't' }),
    });
    extension.onRequest = (request) => extension.answer(request, text('here'));
    extension.hello();
    extension.send({ type: 'mcp_register', server: 'browser', tools: [tool('steal', 'read')] });
    const decide = (now: Admission['state']): void => {
      state = now;
      bridge.readmit('a1');
    };
    return { bridge, extension, decide };
  };
  const welcomes = ({ frames }: ExtensionDouble) => frames.filter(({ type }) => type === 'welcome').map((frame) => frame['admission']);

  it('lends no tools, teaches none, hears of no session and is told how it stands', async () => {
    const { bridge, extension } = arrive();
    bridge.sessionStarted(sessionId, 'Secret plans');
    bridge.setAttention(3);

    await expect(bridge.call(input('look'), { signal: never() })).rejects.toMatchObject({ code: 'BROWSER_NOT_CONNECTED' });

    expect(bridge.browsers()).toEqual([]);
    expect(bridge.tools()).toEqual(TOOLS);
    expect(extension.requests).toEqual([]);
    expect(extension.frames.map(({ type }) => type)).toEqual(['welcome', 'mcp_registered']);
    expect(welcomes(extension)).toEqual([expect.objectContaining({ id: 'a1', state: 'waiting' })]);
  });

  it('stops no session and asks for no download, also when it was turned away', async () => {
    const { bridge, extension, decide } = arrive();
    const heard: string[] = [];
    bridge.onStop(() => heard.push('stop'));
    bridge.onDownloads(() => heard.push('download'));
    const download = {
      downloadId: 1,
      name: 'a',
      sizeBytes: 1,
      mimeType: 'text/plain',
      url: 'https://a.example/a',
      origin: 'https://a.example',
    };
    const speak = (): void => {
      extension.send({ type: 'session_stop', sessionId });
      extension.send({ type: 'downloads_held', sessionId, downloads: [download] });
    };

    speak();
    expect(heard).toEqual([]);
    decide('denied');
    speak();
    expect(heard).toEqual([]);
    decide('allowed');
    speak();

    expect(heard).toEqual(['stop', 'download']);
  });

  it('works on the same link once it is let in, and no longer when that is taken back', async () => {
    const { bridge, extension, decide } = arrive();

    decide('allowed');
    const allowed = await bridge.call(input('look'), { signal: never() });
    decide('denied');

    expect(textOf(allowed)).toBe('here');
    await expect(bridge.call(input('look'), { signal: never() })).rejects.toMatchObject({ code: 'BROWSER_NOT_CONNECTED' });
    expect(bridge.browsers()).toEqual([]);
    expect(welcomes(extension)).toEqual([
      expect.objectContaining({ state: 'waiting' }),
      undefined,
      expect.objectContaining({ state: 'denied' }),
    ]);
  });
});

describe('two copies of one profile', () => {
  it('the second is told to take an identity of its own, and both stay', async () => {
    const bridge = create();
    const [first, second] = [createExtensionDouble(bridge, 'b1'), createExtensionDouble(bridge, 'b1')];
    for (const extension of [first, second]) extension.onRequest = (request) => extension.answer(request, text('here'));
    first.onPing = () => first.send({ type: 'pong', at: 0 });
    first.hello();

    second.hello();
    await expect.poll(() => second.frames.map(({ type }) => type)).toEqual(['new_identity']);
    second.hello({ browserId: 'b1-copy' });

    expect(bridge.browsers().map((browser) => browser.browserId)).toEqual(['b1-copy', 'b1']);
    expect([first.isClosed, second.isClosed]).toEqual([false, false]);
    expect(first.frames.filter(({ type }) => type === 'welcome')).toHaveLength(1);
  });
});

describe('several browsers', () => {
  const two = (waitForBrowserMs?: number, usualBrowser?: () => BrowserId | null) => {
    const bridge = create(waitForBrowserMs, usualBrowser);
    const [one, second] = ['b1', 'b2'].map((name) => {
      const extension = createExtensionDouble(bridge, name);
      extension.onRequest = (request) => extension.answer(request, text(name));
      extension.hello();
      return extension;
    });
    if (one === undefined || second === undefined) throw new Error('two extensions are there');
    return { bridge, one, second };
  };
  const where = async (bridge: Bridge, call: CallInput): Promise<string> => textOf(await bridge.call(call, { signal: never() }));

  it('a session begins in the one used last and stays there; each goes its own way', async () => {
    const { bridge, one } = two();

    expect(await where(bridge, input('look'))).toBe('b2');
    one.send({ type: 'focus' });
    expect(await where(bridge, input('look', { sessionId: other }))).toBe('b1');
    for (let round = 0; round < 500; round += 1) {
      expect(await where(bridge, input('look'))).toBe('b2');
      expect(await where(bridge, input('look', { sessionId: other }))).toBe('b1');
    }
  });

  it('can be named, and the others are told to the tool that is called', async () => {
    const { bridge, one } = two();

    expect(await where(bridge, input('look', { browserId: browserId('b2') }))).toBe('b2');
    expect(await where(bridge, input('look', { browserId: browserId('b1') }))).toBe('b1');

    expect(one.requests[0]?.params._meta?.['otherBrowsers']).toEqual([{ browserId: 'b2', name: 'Chromium', label: 'Label b2' }]);
  });

  it('of which another than the session’s own is used only when the person lets it', async () => {
    const { bridge, one } = two(30);
    const named = { browserId: browserId('b1') };

    expect(bridge.foreignBrowser(sessionId, undefined)).toBeNull();
    expect(bridge.foreignBrowser(sessionId, named.browserId)).toMatchObject({ label: 'Label b1' });
    // Used once, a session stays where it was.
    expect(await where(bridge, input('look', named))).toBe('b1');
    expect(await where(bridge, input('look'))).toBe('b2');
    expect(bridge.foreignBrowser(sessionId, named.browserId)).not.toBeNull();

    bridge.allowBrowser(sessionId, { ...bridge.browsers()[1], ...named } as BrowserInfo);

    expect(bridge.foreignBrowser(sessionId, named.browserId)).toBeNull();
    expect(await where(bridge, input('look', named))).toBe('b1');
    expect(await where(bridge, input('look'))).toBe('b1');
    one.drop();
    await expect(where(bridge, input('look'))).rejects.toMatchObject({ code: 'BROWSER_NOT_CONNECTED' });
  });

  it('a session begins in the one that the person chose for that while it is connected', async () => {
    const chosen = { browserId: browserId('b1') };
    const { bridge, one } = two(30, () => chosen.browserId);

    expect(bridge.foreignBrowser(sessionId, browserId('b2'))).toMatchObject({ label: 'Label b2' });
    expect(await where(bridge, input('look'))).toBe('b1');
    chosen.browserId = browserId('b2');
    expect(await where(bridge, input('look'))).toBe('b1');
    expect(await where(bridge, input('look', { sessionId: other }))).toBe('b2');
    chosen.browserId = browserId('b1');
    one.drop();
    expect(await where(bridge, input('look', { sessionId: SessionId.parse('session_3') }))).toBe('b2');
  });

  it('one that never was there is not waited for, and the error names those that are', async () => {
    const { bridge } = two();

    await expect(where(bridge, input('look', { browserId: browserId('b9') }))).rejects.toMatchObject({
      code: 'BROWSER_UNKNOWN',
      message: expect.stringContaining('Label b1'),
    });
  });

  it('when a session’s own one is closed, that is said before another is used', async () => {
    const { bridge, second } = two(30);
    expect(await where(bridge, input('look'))).toBe('b2');

    second.drop();

    await expect(where(bridge, input('look'))).rejects.toMatchObject({
      code: 'BROWSER_NOT_CONNECTED',
      message: expect.stringContaining('Label b2'),
    });
    expect(bridge.foreignBrowser(sessionId, undefined)).toMatchObject({ label: 'Label b1' });
    expect(await where(bridge, input('look'))).toBe('b1');
  });

  it('one that takes its tools back gets no call until it brings them again, and still hears of its sessions', async () => {
    const { bridge, one, second } = two(30);
    const offer = (type: 'mcp_register' | 'mcp_unregister'): void =>
      second.send({ type, server: 'browser', ...(type === 'mcp_register' ? { tools: TOOLS } : {}) });
    bridge.sessionStarted(sessionId, 'Fix the form');
    expect(await where(bridge, input('look'))).toBe('b2');
    const count = second.requests.length;

    offer('mcp_unregister');

    expect(bridge.browsers()).toMatchObject([{ browserId: 'b1' }]);
    expect(await where(bridge, input('look', { sessionId: other }))).toBe('b1');
    await expect(where(bridge, input('look', { browserId: browserId('b2') }))).rejects.toMatchObject({ code: 'BROWSER_UNKNOWN' });
    await expect(where(bridge, input('look'))).rejects.toMatchObject({
      code: 'BROWSER_NOT_CONNECTED',
      message: expect.stringContaining('Label b2'),
      remedy: expect.stringContaining('Label b1'),
    });
    await expect(bridge.reach(browserId('b2'), never())).rejects.toMatchObject({ code: 'BROWSER_UNKNOWN' });
    one.drop();
    await expect(where(bridge, input('look', { sessionId: other }))).rejects.toMatchObject({ code: 'BROWSER_NOT_CONNECTED' });
    expect(second.requests).toHaveLength(count);

    offer('mcp_register');

    expect(await where(bridge, input('look'))).toBe('b2');
    offer('mcp_unregister');
    bridge.sessionEnded(sessionId);
    await expect.poll(() => second.frames.map(({ type }) => type)).toContain('session_end');
  });

  it('a call that waits for one goes to the browser that brings its tools again', async () => {
    const bridge = create();
    const extension = createExtensionDouble(bridge);
    extension.onRequest = (request) => extension.answer(request, text('b1'));
    extension.hello();
    extension.send({ type: 'mcp_unregister', server: 'browser' });
    const call = where(bridge, input('look'));

    extension.send({ type: 'mcp_register', server: 'browser', tools: TOOLS });

    expect(await call).toBe('b1');
  });
});

import { describe, expect, test as base } from 'vitest';
import type { ToolResult } from '#protocol/browser.ts';
import { TurnId, type SessionId } from '#protocol/ids.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { nullLog } from '#companion/lib/log.ts';
import { createToolCaller, type CallOptions } from '#companion/mcp/caller.ts';
import { isOwnAddress } from '#companion/mcp/own-address.ts';
import { aCallId, aTab, aTool, createMemoryBridge, createMemoryGrants, createMemorySessions } from '#test/unit/server/memory-rooms.ts';

const PORT = 56_889;

const createWorld = () => {
  const bridge = createMemoryBridge();
  bridge.setTools([
    aTool('browser_snapshot', 'read'),
    aTool('browser_navigate', 'navigate'),
    aTool('browser_click', 'write'),
    aTool('browser_evaluate', 'sensitive'),
    aTool('browser_cookies', 'sensitive'),
  ]);
  const sessions = createMemorySessions();
  const grants = createMemoryGrants();
  const caller = createToolCaller({ bridge, sessions, grants, port: () => PORT, log: nullLog, now: () => 1000 });
  const sessionId = sessions.create();
  const asked: RequestBody[] = [];
  const answers: (RequestAnswer | null)[] = [];
  sessions.onAsk((request) => {
    asked.push(request);
    return Promise.resolve(answers.shift() ?? null);
  });
  const progress: (string | undefined)[] = [];
  const call = (name: string, args: Record<string, unknown> = {}, over: Partial<CallOptions> = {}): Promise<ToolResult> =>
    caller.call({
      sessionId,
      callId: aCallId,
      name,
      args,
      signal: new AbortController().signal,
      onProgress: ({ message }) => progress.push(message),
      ...over,
    });
  return { bridge, sessions, grants, sessionId, asked, answers, progress, call };
};

const test = base.extend<{ world: ReturnType<typeof createWorld> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  world: async ({}, use) => use(createWorld()),
});

const textOf = (result: ToolResult): string => String(result.content[0]?.['text']);

describe('a tool call', () => {
  test('that looks or navigates runs without a question', async ({ world }) => {
    await world.call('browser_snapshot');
    await world.call('browser_navigate', { url: 'https://shop.example/' });

    expect(world.asked).toEqual([]);
    expect(world.bridge.calls.map(({ name, target }) => ({ name, target }))).toEqual([
      { name: 'browser_snapshot', target: undefined },
      { name: 'browser_navigate', target: undefined },
    ]);
  });

  test('that changes a page asks what and where, and runs on that page only', async ({ world }) => {
    world.answers.push({ optionId: 'once' });

    const result = await world.call('browser_click', { ref: 'e7' });

    expect(result.isError).toBeUndefined();
    expect(world.asked).toMatchObject([{ kind: 'consent', title: 'browser_click on https://shop.example', where: 'https://shop.example' }]);
    expect(world.asked[0]?.detail).toContain('https://shop.example/cart');
    expect(world.asked[0]?.detail).toContain('"ref": "e7"');
    expect(world.bridge.calls).toMatchObject([{ target: { tabId: aTab.tabId, origin: aTab.origin } }]);
    expect(world.progress).toEqual(['Waiting for the user to allow this.']);
  });

  test('allowed once asks again the next time', async ({ world }) => {
    world.answers.push({ optionId: 'once' }, { optionId: 'once' });

    await world.call('browser_click');
    await world.call('browser_click');

    expect(world.asked).toHaveLength(2);
    expect(world.grants.list()).toEqual([]);
  });

  test('allowed for the session is not asked again in it, but is in another', async ({ world }) => {
    world.answers.push({ optionId: 'session' }, { optionId: 'reject' });

    await world.call('browser_click');
    await world.call('browser_click');
    await world.call('browser_click', {}, { sessionId: world.sessions.create() });

    expect(world.asked).toHaveLength(2);
    expect(world.grants.list()).toMatchObject([
      { origin: 'https://shop.example', toolClass: 'write', tool: null, sessionId: world.sessionId },
    ]);
  });

  test('allowed always holds for that origin only', async ({ world }) => {
    world.answers.push({ optionId: 'always' }, { optionId: 'reject' });

    await world.call('browser_click');
    world.bridge.setTab({ ...aTab, origin: 'https://shop.example.evil.com', url: 'https://shop.example.evil.com/' });
    const elsewhere = await world.call('browser_click');

    expect(elsewhere.isError).toBe(true);
    expect(world.asked.map(({ where }) => where)).toEqual(['https://shop.example', 'https://shop.example.evil.com']);
  });

  test('S34: a write grant opens no sensitive tool, and one sensitive tool no other', async ({ world }) => {
    world.answers.push({ optionId: 'always' }, { optionId: 'always' }, { optionId: 'reject' });

    await world.call('browser_click');
    await world.call('browser_evaluate');
    await world.call('browser_evaluate');
    const cookies = await world.call('browser_cookies');

    expect(world.asked).toHaveLength(3);
    expect(textOf(cookies)).toMatch(/^CONSENT_DENIED: /);
  });

  test('declined says so to the model, with the user’s words', async ({ world }) => {
    world.answers.push({ optionId: 'reject', text: 'not this shop' });

    const result = await world.call('browser_click');

    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toMatch(/^CONSENT_DENIED: .*not this shop.* Do not retry/);
    expect(world.bridge.calls).toEqual([]);
  });

  test('ends when the turn is stopped, though the agent has not cancelled it (S37)', async ({ world }) => {
    const asked = new Promise<void>((resolve) => {
      world.sessions.onAsk(
        (_, signal) => new Promise((answer) => (resolve(), signal.addEventListener('abort', () => answer(null), { once: true }))),
      );
    });
    const call = world.call('browser_click', { target: 'e7' });
    await asked;

    world.sessions.emit(world.sessionId, { type: 'turn.cancelling', turnId: TurnId.parse('turn_1') });

    expect(textOf(await call)).toMatch(/^CALL_CANCELLED/);
    expect(world.bridge.calls).toEqual([]);
  });

  test('whose question is withdrawn is cancelled', async ({ world }) => {
    expect(textOf(await world.call('browser_click'))).toMatch(/^CALL_CANCELLED: /);
  });

  test('is asked anew when the page went elsewhere while the user thought', async ({ world }) => {
    world.sessions.onAsk((request) => {
      world.asked.push(request);
      if (world.asked.length === 1) world.bridge.setTab({ ...aTab, origin: 'https://bank.example', url: 'https://bank.example/' });
      return Promise.resolve({ optionId: 'once' });
    });

    await world.call('browser_click');

    expect(world.asked.map(({ where }) => where)).toEqual(['https://shop.example', 'https://bank.example']);
    expect(world.bridge.calls).toMatchObject([{ target: { origin: 'https://bank.example' } }]);
  });

  test('on a page that changes each time is denied in the end', async ({ world }) => {
    world.sessions.onAsk((request) => {
      world.asked.push(request);
      world.bridge.setTab({ ...aTab, origin: `https://${world.asked.length}.example` });
      return Promise.resolve({ optionId: 'once' });
    });

    expect(textOf(await world.call('browser_click'))).toMatch(/^CONSENT_DENIED: /);
    expect(world.bridge.calls).toEqual([]);
  });

  test('waits for the same question that is open already, and takes its answer', async ({ world }) => {
    const answer = Promise.withResolvers<RequestAnswer>();
    world.sessions.onAsk((request) => {
      world.asked.push(request);
      return answer.promise;
    });

    const calls = [world.call('browser_click'), world.call('browser_click'), world.call('browser_click')];
    await expect.poll(() => world.asked.length).toBe(1);
    answer.resolve({ optionId: 'session' });
    await Promise.all(calls);

    expect(world.asked).toHaveLength(1);
    expect(world.bridge.calls).toHaveLength(3);
  });

  test('to Pilotfish itself is refused, whatever its name', async ({ world }) => {
    const result = await world.call('browser_navigate', { url: `http://localhost:${PORT}/api/status` });

    expect(textOf(result)).toMatch(/^URL_NOT_ALLOWED: /);
    expect(world.bridge.calls).toEqual([]);
  });

  test('S33: to anything but http and https is denied by name of the rule', async ({ world }) => {
    for (const url of [
      'file:///etc/passwd',
      'chrome://settings',
      'javascript:alert(1)',
      'view-source:https://a.example',
      'data:text/html,x',
    ]) {
      expect(textOf(await world.call('browser_navigate', { url })), url).toMatch(/^URL_NOT_ALLOWED: .*only http and https/);
    }
  });

  test('to an address without a scheme is opened as the browser would', async ({ world }) => {
    for (const url of ['shop.example', 'localhost:3000', ' https://shop.example/ ', 'about:blank']) {
      expect((await world.call('browser_navigate', { url })).isError, url).toBeUndefined();
    }
  });

  test('is written down in the session of a client from outside, and only there', async ({ world }) => {
    const client: SessionId = world.sessions.create({ kind: 'client' });
    await world.call('browser_snapshot', {}, { sessionId: client });
    await world.call('browser_fly', {}, { sessionId: client });
    await world.call('browser_snapshot');

    // Written after the answer: the caller does not wait for the disk.
    await expect
      .poll(() => world.sessions.recorded)
      .toMatchObject([
        { name: 'browser_snapshot', outcome: { content: [{ text: 'done' }] } },
        { name: 'browser_fly', outcome: { code: 'TOOL_UNKNOWN' } },
      ]);
  });
});

describe('the address of Pilotfish', () => {
  base.for([
    `http://127.0.0.1:${PORT}`,
    `http://localhost:${PORT}/x`,
    `http://LOCALHOST.:${PORT}/`,
    `http://a.localhost:${PORT}/`,
    `https://127.0.0.1:${PORT}`,
    `ws://127.0.0.1:${PORT}/`,
    `http://127.1:${PORT}`,
    `http://0x7f.1:${PORT}`,
    `http://2130706433:${PORT}`,
    `http://0177.0.0.1:${PORT}`,
    `http://0:${PORT}`,
    `http://0.0.0.0:${PORT}`,
    `http://[::1]:${PORT}`,
    `http://[::]:${PORT}`,
    `http://[::ffff:127.0.0.1]:${PORT}`,
    `http://[0:0:0:0:0:ffff:7f00:0001]:${PORT}`,
    `http://user:pass@127.9.9.9:${PORT}/`,
    `http:127.0.0.1:${PORT}`,
    ` http://127.0.0.1:${PORT}`,
    `http://127.0.0.1\t:${PORT}`,
    `127.0.0.1:${PORT}`,
    `localhost:${PORT}`,
  ])('is %j', (url) => {
    expect(isOwnAddress(url, PORT)).toBe(true);
  });

  base.for([
    `http://127.0.0.1:${PORT + 1}`,
    'http://localhost/',
    `http://example.com:${PORT}`,
    `http://localhost.evil.com:${PORT}`,
    'about:blank',
    '',
  ])('is not %j', (url) => {
    expect(isOwnAddress(url, PORT)).toBe(false);
  });
});

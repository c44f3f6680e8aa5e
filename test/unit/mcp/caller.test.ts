import { hash } from 'node:crypto';
import { describe, expect, test as base, vi } from 'vitest';
import { type InEnglish, inEnglish } from '#test/fixtures/audit.ts';
import { ORIGIN_META, SENT_ON_META, TOOL_ARGUMENTS_META, TOOL_CLASS_META, type ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { BrowserId, TurnId, type SessionId } from '#protocol/ids.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { nullLog } from '#companion/lib/log.ts';
import { ToolCaller, type CallOptions } from '#companion/mcp/caller.ts';
import { isOwnAddress } from '#companion/mcp/addresses.ts';
import { admission, comer, createAdmissions, createSiteBook } from '#test/fixtures/admission.ts';
import { heldMb } from '#test/fixtures/collected.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import {
  aCallId,
  aTab,
  aTool,
  createBridgeDouble,
  FOREIGN_TOOL,
  createGrantsDouble,
  createSessionsDouble,
} from '#test/unit/server/room-doubles.ts';
import { sampleGrant } from '#test/fixtures/samples.ts';

const PORT = 56_889;

const createStage = () => {
  const bridge = createBridgeDouble();
  bridge.setTools([
    aTool('browser_snapshot', 'read'),
    aTool('browser_navigate', 'navigate'),
    aTool('browser_click', 'write'),
    aTool('browser_evaluate', 'sensitive'),
    aTool('browser_cookie_list', 'sensitive'),
    aTool(FOREIGN_TOOL, 'sensitive'),
    {
      ...aTool('browser_ask_sites', 'read'),
      _meta: { [TOOL_CLASS_META]: 'read', [TOOL_ARGUMENTS_META]: { sites: 'origins', minutes: 'minutes', reason: 'reason' } },
    },
    { ...aTool('browser_batch', 'read'), _meta: { [TOOL_CLASS_META]: 'read', [TOOL_ARGUMENTS_META]: { calls: 'calls' } } },
    { ...aTool('browser_drop', 'write'), _meta: { [TOOL_CLASS_META]: 'write', [TOOL_ARGUMENTS_META]: { files: 'what' } } },
  ]);
  const sessions = createSessionsDouble();
  const grants = createGrantsDouble();
  const sites = createSiteBook();
  const { admissions } = createAdmissions({ editor: admission('editor', { kind: 'client', name: 'Editor' }) });
  const audited: InEnglish[] = [];
  const files = {
    read: ({ given }: { given: readonly string[] }) =>
      Promise.resolve(
        given.map((name) => ({
          file: { name, type: '', modifiedAt: 0, dataBase64: btoa(`bytes of ${name}`) },
          path: `/project/${name}`,
          sizeBytes: 12,
          mayHoldKeys: name.startsWith('.env'),
          ...(name.startsWith('saved') ? { savedFrom: 'https://mail.example' } : {}),
        })),
      ),
  };
  const daemon = { isReplaced: false };
  const caller = new ToolCaller({
    bridge,
    sessions,
    grants,
    sites,
    admissions,
    files,
    port: () => PORT,
    isReplaced: () => daemon.isReplaced,
    log: nullLog,
    audit: { add: (...records) => void audited.push(...records.map(inEnglish)) },
    now: () => 1000,
  });
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
      comer: () => comer('editor', { kind: 'client', name: 'Editor' }),
      ...over,
    });
  return {
    daemon,
    bridge,
    sessions,
    grants,
    sites,
    admissions,
    audited,
    sessionId,
    asked,
    answers,
    progress,
    call,
    settle: () => caller.settle(),
  };
};

const test = base.extend<{ stage: ReturnType<typeof createStage> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => use(createStage()),
});

/** An outcome is recorded when the caller has its answer, and so may come after what follows. */
const byKindAndTool = (one: { kind: string; what: string }, other: { kind: string; what: string }): number =>
  `${one.what} ${one.kind}`.localeCompare(`${other.what} ${other.kind}`);

const textOf = (result: ToolResult): string => String(result.content[0]?.['text']);

describe('a tool call', () => {
  test.for([
    ['program', 1],
    ['agent', 0],
    ['unknown', 0],
  ] as const)('asks in the client of %s that can ask: %s times', async ([origin, times], { stage }) => {
    const elicited: string[] = [];
    stage.sessions.onAsk(async (request, signal, { elsewhere } = {}) => (await elsewhere?.ask(request, signal)) ?? null);
    const elicit = ({ message }: { message: string }): Promise<string> => {
      elicited.push(message);
      return Promise.resolve('once');
    };

    await stage.call(
      'browser_click',
      { target: 'e1' },
      {
        sessionId: stage.sessions.create({ kind: 'client' }),
        comer: () => comer('editor', { kind: 'client', name: 'Editor', origin }),
        elicit,
      },
    );

    expect(elicited).toHaveLength(times);
    expect(stage.bridge.calls).toHaveLength(times);
  });

  test('that a daemon had which has ended since is told by its result, or made again where it only reads', async ({ stage }) => {
    const told: ToolResult = { content: [{ type: 'text', text: 'Clicked.' }] };
    stage.bridge.onRecall(() => Promise.resolve(told));

    expect(await stage.call('browser_click', { target: 'e1' }, { wasCut: true })).toEqual(told);
    expect(stage.bridge.calls).toEqual([]);
    stage.bridge.onRecall(() => Promise.resolve(null));
    expect(await stage.call('browser_click', { target: 'e1' }, { wasCut: true })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^DAEMON_NOT_RUNNING: .*Look at the page first/s) as string }],
    });
    expect(stage.asked).toEqual([]);
    stage.bridge.onRecall(() => Promise.reject(new CompanionError('BROWSER_NOT_CONNECTED')));
    const gone = await stage.call('browser_click', { target: 'e1' }, { wasCut: true });
    expect(textOf(gone)).toMatch(
      /^BROWSER_NOT_CONNECTED: .*whether that was done is not known\. .*look at the page before you call again/is,
    );
    await stage.call('browser_snapshot', {}, { wasCut: true });
    expect(stage.bridge.calls).toHaveLength(1);
  });

  test('is not made by a daemon that was suspended until another one took its place', async ({ stage }) => {
    const click = async (): Promise<string> => textOf(await stage.call('browser_click', { target: 'e1' }));
    stage.answers.push({ optionId: 'session' });
    await click();
    stage.daemon.isReplaced = true;

    // The permission is known by then, so that it is decided and done at one go.
    expect(await click()).toMatch(/^DAEMON_NOT_RUNNING: .*nothing of it happened/);
    stage.grants.list().splice(0);
    stage.answers.push({ optionId: 'once' });
    expect(await click()).toMatch(/^DAEMON_NOT_RUNNING: .*nothing of it happened/);

    expect(stage.bridge.calls).toHaveLength(1);
    expect(textOf(await stage.call('browser_snapshot'))).not.toContain('DAEMON_NOT_RUNNING');
  });

  test('of several that was cut off is told as not begun only where a browser knows what stood before it', async ({ stage }) => {
    const click = { name: 'browser_click', arguments: { target: 'e1' } };
    const outcomes: (ToolResult | 'new')[] = [{ content: [{ type: 'text', text: 'Clicked.' }] }, 'new', 'new'];
    stage.bridge.onRecall(() => Promise.resolve(outcomes.shift() ?? null));
    const fate = async (calls: readonly object[]): Promise<string | undefined> =>
      (await stage.call('browser_batch', { calls }, { wasCut: true })).content
        .map(({ text }) => String(text))
        .find((text) => /_RUNNING/.test(text));

    expect(await fate([click, { name: 'browser_snapshot' }, click])).toMatch(/before this call began: nothing of it happened/);
    expect(await fate([click])).toMatch(/whether that was done is not known/);
    expect(stage.bridge.calls.map(({ name }) => name)).toEqual(['browser_snapshot']);
  });

  test('of several that a daemon had which has ended since is told part by part, up to what nobody knows of', async ({ stage }) => {
    stage.answers.push({ optionId: 'once' });
    const [click, look] = [{ name: 'browser_click', arguments: { target: 'e1' } }, { name: 'browser_snapshot' }];
    await stage.call('browser_batch', { calls: [click] });
    const [first] = stage.bridge.calls.map(({ callId }) => callId);
    stage.bridge.onRecall(({ callId }) => Promise.resolve(callId === first ? { content: [{ type: 'text', text: 'Clicked.' }] } : null));

    const told = await stage.call('browser_batch', { calls: [click, look, click, look] }, { wasCut: true });

    expect(told.isError).toBe(true);
    expect(told.content.map(({ text }) => String(text).split('.', 1)[0])).toEqual([
      'Call 1, browser_click:',
      'Clicked',
      'Call 2, browser_snapshot:',
      'done',
      'Call 3, browser_click:',
      expect.stringMatching(/^DAEMON_NOT_RUNNING/),
      expect.stringMatching(/^Stopped after call 3 of 4/),
    ]);
    expect(stage.bridge.calls.map(({ name }) => name)).toEqual(['browser_click', 'browser_snapshot']);
    expect(stage.asked).toHaveLength(1);
  });

  test('that looks or navigates runs without a question', async ({ stage }) => {
    await stage.call('browser_navigate', { url: 'https://shop.example/' });
    await stage.call('browser_snapshot');

    expect(stage.asked).toEqual([]);
    expect(stage.bridge.calls.map(({ name, target }) => ({ name, target }))).toEqual([
      { name: 'browser_navigate', target: undefined },
      { name: 'browser_snapshot', target: undefined },
    ]);
  });

  test('that only looks, though its tool may change a page, runs without a question; on a site that is kept as it is, and of a sensitive tool, it does not', async ({
    stage,
  }) => {
    stage.bridge.setOnlyLooks();

    expect((await stage.call('browser_click', { ref: 'e7' })).isError).toBeUndefined();
    expect(stage.asked).toEqual([]);
    expect(textOf(await stage.call('browser_evaluate'))).toMatch(/^CALL_CANCELLED/);
    expect(stage.asked).toHaveLength(1);
    stage.sites.set('shop.example', 'read_only');
    expect(textOf(await stage.call('browser_click', { ref: 'e7' }))).toMatch(/^SITE_NOT_ALLOWED/);
  });

  test('that looks or navigates reads no permissions from the disk; one that changes a page does', async ({ stage }) => {
    const read = vi.spyOn(stage.grants, 'list');
    stage.answers.push({ optionId: 'once' });

    await stage.call('browser_navigate', { url: 'https://shop.example/' });
    await stage.call('browser_snapshot');
    const readToLook = read.mock.calls.length;
    await stage.call('browser_click', { ref: 'e7' });

    expect(readToLook).toBe(0);
    expect(read).toHaveBeenCalled();
  });

  test('tells for a question which call it is about: as it was sent, as it was taken, and by what id its agent knows it', async ({
    stage,
  }) => {
    const about: unknown[] = [];
    stage.sessions.onAsk((_, __, options) => {
      about.push(options?.call);
      return Promise.resolve({ optionId: 'once' });
    });

    await stage.call('browser_click', { ref: 'e7' }, { agentItemId: 'toolu_1' });

    expect(about).toEqual([{ tool: 'browser_click', args: [{ ref: 'e7' }, { ref: 'e7' }], agentItemId: 'toolu_1' }]);
  });

  test('that changes a page asks what and where, and runs on that page only', async ({ stage }) => {
    stage.answers.push({ optionId: 'once' });

    const result = await stage.call('browser_click', { ref: 'e7' });

    expect(result.isError).toBeUndefined();
    expect(stage.asked).toMatchObject([{ kind: 'consent', title: 'Click “Pay” on shop.example', where: 'https://shop.example' }]);
    expect(stage.asked[0]?.detail).toContain('https://shop.example/cart');
    expect(stage.asked[0]?.detail).toContain('Element, as the page names it: [e7 button "Pay"]');
    expect(stage.bridge.calls).toMatchObject([{ target: { tabId: aTab.tabId, origin: aTab.origin } }]);
    expect(stage.progress).toEqual(['Waiting for the user to allow this.']);
  });

  test('that is refused is in the audit with its site, whose call it was, how long it took and how much the agent was told', async ({
    stage,
  }) => {
    stage.sites.set('shop.example', 'read_only');
    stage.answers.push({ optionId: 'reject' });

    await stage.call('browser_click');
    stage.sites.remove('shop.example');
    const denied = await stage.call('browser_click');
    await stage.call('browser_no_such_tool');
    await stage.call('browser_batch', { calls: [{ name: 'browser_snapshot', arguments: {} }] });
    stage.settle();

    const refused = stage.audited.filter(({ result }) => result.startsWith('denied'));
    expect(refused.map(({ what, origin }) => [what, origin])).toEqual([
      ['browser_click', aTab.origin],
      ['browser_click', aTab.origin],
      ['browser_no_such_tool', null],
    ]);
    expect(refused.every(({ durationMs }) => durationMs !== undefined)).toBe(true);
    expect(refused[1]?.answerBytes).toBe(Buffer.byteLength(textOf(denied)));
    expect(stage.audited.filter(({ what }) => what === 'browser_batch')).toMatchObject([{ kind: 'decision' }, { kind: 'outcome' }]);
    expect([...new Set(stage.audited.map(({ by }) => by))]).toEqual(['the agent claude']);
  });

  test('is in the audit with how it was decided and how it ended, and no argument of it', async ({ stage }) => {
    stage.answers.push({ optionId: 'once' }, { optionId: 'reject' });

    await stage.call('browser_snapshot');
    await stage.call('browser_click', { text: 'my password' });
    await stage.call('browser_click', { text: 'my password' });
    await stage.call('browser_no_such_tool');
    await new Promise((resolve) => setImmediate(resolve));

    const argsHash = hash('sha256', JSON.stringify({ text: 'my password' }));
    expect(stage.audited.map(({ kind, what, origin, result }) => ({ kind, what, origin, result })).toSorted(byKindAndTool)).toEqual(
      [
        { kind: 'decision', what: 'browser_snapshot', origin: null, result: 'allowed: reading is allowed' },
        { kind: 'outcome', what: 'browser_snapshot', origin: null, result: 'done' },
        { kind: 'decision', what: 'browser_click', origin: aTab.origin, result: 'allowed: the user allowed it (once)' },
        { kind: 'outcome', what: 'browser_click', origin: aTab.origin, result: 'done' },
        { kind: 'decision', what: 'browser_click', origin: aTab.origin, result: expect.stringMatching(/^denied: CONSENT_DENIED: /) },
        { kind: 'decision', what: 'browser_no_such_tool', origin: null, result: expect.stringMatching(/^denied: TOOL_UNKNOWN: /) },
      ].toSorted(byKindAndTool),
    );
    expect(stage.audited.filter(({ what }) => what === 'browser_click').map((record) => record.argsHash)).toEqual([
      argsHash,
      argsHash,
      argsHash,
    ]);
    expect(stage.audited.every(({ sessionId, callId }) => sessionId === stage.sessionId && callId !== undefined)).toBe(true);
    expect(JSON.stringify(stage.audited)).not.toContain('password');
  });

  test('is in the audit with the element that the page names, how long it took without the person, and how much the agent was given', async ({
    stage,
  }) => {
    stage.answers.push({ optionId: 'once' });

    await stage.call('browser_click', { ref: 'e7' });
    await stage.call('browser_snapshot');
    await new Promise((resolve) => setImmediate(resolve));

    const told = stage.audited.map(
      ({ kind, what, element, durationMs, answerBytes }) => `${what} ${kind} ${element ?? ''} ${typeof durationMs} ${typeof answerBytes}`,
    );
    expect(new Set(told)).toEqual(
      new Set([
        'browser_click decision Pay undefined undefined',
        'browser_click outcome Pay number number',
        'browser_snapshot decision  undefined undefined',
        'browser_snapshot outcome  number number',
      ]),
    );
  });

  test('is in the audit with the site and whose call it was, also when its address was not allowed or its page is told by the browser', async ({
    stage,
  }) => {
    stage.bridge.onCall(() => Promise.resolve({ content: [], _meta: { 'pilotfish/origin': 'https://read.example' } }));
    stage.answers.push({ optionId: 'reject' });

    await stage.call('browser_snapshot');
    await stage.call('browser_navigate', { url: 'https://other.example/path' });
    await new Promise((resolve) => setImmediate(resolve));

    const entries = stage.audited.map(({ kind, origin, toolClass, by }) => [kind, origin, toolClass, by].join(' · '));
    expect(entries.toSorted()).toEqual(
      [
        'decision · https://other.example · navigate · the agent claude',
        'decision ·  · read · the agent claude',
        'outcome · https://read.example · read · the agent claude',
      ].toSorted(),
    );
  });

  test('with wrong arguments of four megabytes, thirty times, leaves nothing of them in memory', async ({ stage }) => {
    const before = heldMb();

    for (let call = 0; call < 30; call += 1) await stage.call('browser_navigate', { url: { deep: `${call}`.padEnd(4_000_000, 'x') } });
    await new Promise((resolve) => setImmediate(resolve));

    expect(heldMb() - before).toBeLessThan(16);
  });

  test.for([
    ['of the wrong type', 'browser_navigate', { url: { at: 7 } }, /^INPUT_INVALID: .*"url": .*Expected arguments: url, tabId\?\./],
    [
      'that are misspelt',
      'browser_navigate',
      { url: 'https://a.example', tabIds: 'x'.repeat(100_000) },
      /unknown: tabIds; remove and retry/,
    ],
    ['of four megabytes', 'browser_navigate', { url: 'x'.repeat(4_000_000) }, /^INPUT_TOO_LARGE: /],
    [
      'of four megabytes that mean nothing',
      'browser_navigate',
      { url: 'https://a.example', padding: 'x'.repeat(4_000_000) },
      /^INPUT_TOO_LARGE: /,
    ],
    [
      'of four megabytes of words about an element',
      'browser_navigate',
      { url: 'https://a.example', element: 'x'.repeat(4_000_000) },
      /^INPUT_TOO_LARGE: /,
    ],
    ['of a tool that does not exist', 'browser_nothing', { text: 'x'.repeat(4_000_000) }, /^TOOL_UNKNOWN: /],
  ] as const)(
    'with arguments %s is refused in words, asks nothing, reaches no browser and is not kept',
    async ([, name, args, words], { stage }) => {
      stage.bridge.setTools([
        {
          ...aTool('browser_navigate', 'write'),
          inputSchema: {
            type: 'object',
            properties: { url: { type: 'string' }, tabId: { type: 'number' } },
            required: ['url'],
            additionalProperties: false,
          },
        },
      ]);

      const result = await stage.call(name, args);

      expect(textOf(result)).toMatch(words);
      expect(textOf(result).length).toBeLessThan(1_000);
      expect(stage.asked).toEqual([]);
      expect(stage.bridge.calls).toEqual([]);
      expect(JSON.stringify(stage.sessions.recorded).length).toBeLessThan(2_000);
    },
  );

  test('that hands files over is sensitive whatever its tool is, and says which files go where', async ({ stage }) => {
    stage.grants.add({ ...sampleGrant, id: 'grant_1', origin: aTab.origin });
    stage.answers.push({ optionId: 'session' });

    await stage.call('browser_drop', { what: ['report.pdf', 'plan.md'] });
    await stage.call('browser_drop', { what: ['report.pdf'] });
    await stage.call('browser_drop', { data: 'text' });

    expect(stage.asked).toHaveLength(1);
    expect(stage.asked[0]?.detail).toMatch(
      /Gives away the file: \/project\/report\.pdf \(12 bytes\)\nGives away the file: \/project\/plan\.md/,
    );
    expect(stage.grants.list().at(-1)).toMatchObject({ toolClass: 'sensitive', tool: 'browser_drop', origin: aTab.origin });
    const made = stage.grants.list().at(-1);
    const given = { id: made?.id, expiresAt: made?.expiresAt };
    expect(stage.bridge.calls.map(({ grant }) => grant)).toEqual([given, given, { id: 'grant_1', expiresAt: sampleGrant.expiresAt }]);
    expect(stage.bridge.calls.map(({ files }) => files?.map(({ name, dataBase64 }) => `${name}: ${atob(dataBase64)}`))).toEqual([
      ['report.pdf: bytes of report.pdf', 'plan.md: bytes of plan.md'],
      ['report.pdf: bytes of report.pdf'],
      undefined,
    ]);
  });

  test.for([
    ['that may hold keys', '.env', 'by its name this file may hold passwords or keys'],
    ['that the session has saved', 'saved.png', 'this session has saved it from https://mail.example'],
  ] as const)('that hands over a file %s is asked each time, whatever was allowed', async ([, file, careful], { stage }) => {
    stage.grants.add({
      id: 'grant_1',
      origin: aTab.origin,
      toolClass: 'sensitive',
      tool: 'browser_drop',
      sessionId: null,
      client: { id: 'agent claude', name: 'claude' },
      createdAt: 0,
      expiresAt: null,
    });
    stage.answers.push({ optionId: 'once' }, { optionId: 'reject' });

    await stage.call('browser_drop', { what: [file] });
    const refused = await stage.call('browser_drop', { what: ['plan.md', file] });

    expect(stage.asked.map(({ options }) => options.map(({ kind }) => kind))).toEqual([
      ['allow_once', 'reject'],
      ['allow_once', 'reject'],
    ]);
    expect(stage.asked[0]?.detail).toContain(`Careful: ${careful}`);
    expect(textOf(refused)).toMatch(/^CONSENT_DENIED/);
    expect(stage.bridge.calls).toHaveLength(1);
  });

  test('is not asked for where no web page is shown, and the model is told to open one', async ({ stage }) => {
    stage.bridge.setTab({ ...aTab, origin: 'null', url: 'about:blank' });

    expect(textOf(await stage.call('browser_click'))).toMatch(/^TAB_RESTRICTED: .*no web page\. Navigate to an ordinary web page first\./);
    expect(stage.asked).toEqual([]);
    expect(stage.bridge.calls).toEqual([]);
  });

  test('allowed once asks again the next time', async ({ stage }) => {
    stage.answers.push({ optionId: 'once' }, { optionId: 'once' });

    await stage.call('browser_click');
    await stage.call('browser_click');

    expect(stage.asked).toHaveLength(2);
    expect(stage.grants.list()).toEqual([]);
  });

  test.for([
    ['once', 2],
    ['session', 1],
  ] as const)('allowed %s for elements that are called otherwise since is asked %s times', async ([optionId, times], { stage }) => {
    for (const [before, after] of [
      [['Pay'], ['Delete all']],
      [
        ['Street', 'Town'],
        ['Street', 'Card number'],
      ],
    ] as const) {
      const asked: string[] = [];
      stage.bridge.setElement(...before);
      stage.sessions.onAsk(({ detail = '' }) => {
        asked.push(detail);
        stage.bridge.setElement(...after);
        return Promise.resolve({ optionId });
      });

      await stage.call('browser_click', {}, { sessionId: stage.sessions.create() });

      expect(asked).toHaveLength(times);
      expect(asked.at(-1)).toContain(times === 1 ? before.at(-1) : after.at(-1));
    }
    expect(stage.bridge.calls).toHaveLength(2);
  });

  test('of a tool that the build does not know is asked each time, with a warning and no yes that lasts', async ({ stage }) => {
    stage.grants.add({
      id: 'grant_1',
      origin: aTab.origin,
      toolClass: 'sensitive',
      tool: FOREIGN_TOOL,
      sessionId: null,
      client: { id: 'agent claude', name: 'claude' },
      createdAt: 0,
      expiresAt: null,
    });
    stage.answers.push({ optionId: 'once' }, { optionId: 'always' });

    await stage.call(FOREIGN_TOOL);
    await stage.call(FOREIGN_TOOL);

    expect(stage.asked.map(({ options }) => options.map(({ kind }) => kind))).toEqual([
      ['allow_once', 'reject'],
      ['allow_once', 'reject'],
    ]);
    expect(stage.asked[0]?.title).toContain(FOREIGN_TOOL);
    expect(stage.asked[0]?.detail).toContain('Careful: This tool is not part of Pilotfish');
  });

  test('allowed for the session is not asked again in it, but is in another', async ({ stage }) => {
    stage.answers.push({ optionId: 'session' }, { optionId: 'reject' });

    await stage.call('browser_click');
    await stage.call('browser_click');
    await stage.call('browser_click', {}, { sessionId: stage.sessions.create() });

    expect(stage.asked).toHaveLength(2);
    expect(stage.grants.list()).toMatchObject([
      { origin: 'https://shop.example', toolClass: 'write', tool: null, sessionId: stage.sessionId },
    ]);
  });

  test('allowed always holds for that origin only', async ({ stage }) => {
    stage.answers.push({ optionId: 'always' }, { optionId: 'reject' });

    await stage.call('browser_click');
    stage.bridge.setTab({ ...aTab, origin: 'https://shop.example.evil.com', url: 'https://shop.example.evil.com/' });
    const elsewhere = await stage.call('browser_click');

    expect(elsewhere.isError).toBe(true);
    expect(stage.asked.map(({ where }) => where)).toEqual(['https://shop.example', 'https://shop.example.evil.com']);
  });

  describe('with a permission for the site of which the session was told last', () => {
    const told = (origin = aTab.origin) => Promise.resolve({ content: [], _meta: { [ORIGIN_META]: origin } });

    test('is one question to the browser, decided and kept before', async ({ stage }) => {
      stage.answers.push({ optionId: 'session' });
      const kept: string[] = [];
      stage.bridge.onCall(() => {
        kept.push(stage.audited.map(({ kind }) => kind).join(' '));
        return told();
      });

      await stage.call('browser_click');
      await new Promise((resolve) => setImmediate(resolve));
      stage.bridge.questions.length = 0;
      stage.audited.length = 0;
      const done = await stage.call('browser_click');
      await new Promise((resolve) => setImmediate(resolve));

      expect(done.isError).toBeUndefined();
      expect(stage.bridge.questions).toEqual(['callOn']);
      expect(kept.at(-1)).toBe('decision');
      expect(stage.audited).toMatchObject([
        { kind: 'decision', origin: aTab.origin, result: expect.stringContaining('allowed: write') },
        { kind: 'outcome', origin: aTab.origin, element: 'Pay' },
      ]);
      expect(stage.bridge.calls.map(({ grant, target }) => [grant?.id, target?.documentId])).toEqual([
        [stage.grants.list()[0]?.id, aTab.documentId],
        [stage.grants.list()[0]?.id, aTab.documentId],
      ]);
    });

    test('is asked for on the site to which the page has gone by itself, and nothing is done before', async ({ stage }) => {
      stage.answers.push({ optionId: 'session' }, { optionId: 'reject' });
      stage.bridge.onCall(() => told());
      await stage.call('browser_click');
      await new Promise((resolve) => setImmediate(resolve));
      stage.bridge.setTab({ ...aTab, origin: 'https://bank.example', url: 'https://bank.example/' });
      stage.audited.length = 0;

      const refused = await stage.call('browser_click');

      expect(textOf(refused)).toMatch(/^CONSENT_DENIED: /);
      expect(stage.bridge.calls).toHaveLength(1);
      expect(stage.asked.at(-1)?.where).toBe('https://bank.example');
      expect(stage.audited.map(({ kind, origin }) => [kind, origin])).toEqual([
        ['decision', aTab.origin],
        ['decision', 'https://bank.example'],
      ]);
    });

    test('is asked for in a tab of the person, and where no address tells the site', async ({ stage }) => {
      stage.answers.push({ optionId: 'session' }, { optionId: 'reject' });
      stage.bridge.onCall(() => told());
      await stage.call('browser_click');

      stage.bridge.setTab({ ...aTab, owner: 'person' });
      const inTheirs = await stage.call('browser_click');
      stage.bridge.setTab({ ...aTab, url: 'about:blank' });
      stage.bridge.questions.length = 0;
      await stage.call('browser_click');

      expect(textOf(inTheirs)).toMatch(/^CONSENT_DENIED: /);
      expect(stage.bridge.questions).toEqual(['callOn', 'call']);
    });

    test('is refused where the site has been made one only to read', async ({ stage }) => {
      stage.answers.push({ optionId: 'session' });
      stage.bridge.onCall(() => told());
      await stage.call('browser_click');
      stage.sites.set(new URL(aTab.origin).host, 'read_only');
      stage.bridge.questions.length = 0;

      const refused = await stage.call('browser_click');

      expect(textOf(refused)).toMatch(/^SITE_NOT_ALLOWED: /);
      expect(stage.bridge.questions).toEqual(['describe']);
    });
  });

  test('asks for each class by itself: a write grant opens no sensitive tool, and one sensitive tool no other', async ({ stage }) => {
    stage.answers.push({ optionId: 'always' }, { optionId: 'always' }, { optionId: 'reject' });

    await stage.call('browser_click');
    await stage.call('browser_evaluate');
    await stage.call('browser_evaluate');
    const cookies = await stage.call('browser_cookie_list');

    expect(stage.asked).toHaveLength(3);
    expect(textOf(cookies)).toMatch(/^CONSENT_DENIED: /);
  });

  test("in a tab of the person's own asks for the tab too; handed over, it is the session's", async ({ stage }) => {
    stage.bridge.setTab({ ...aTab, owner: 'person' });
    stage.answers.push({ optionId: 'once' }, { optionId: 'session' });

    for (let round = 0; round < 3; round += 1) await stage.call('browser_click');

    expect(stage.asked.map(({ title }) => title)).toEqual([
      'Click “Pay” on shop.example, in your own tab',
      'Click “Pay” on shop.example, in your own tab',
    ]);
    expect(stage.asked[0]?.detail).toContain('Tab: your own');
    expect(stage.bridge.calls.map(({ target }) => target?.owner)).toEqual(['person', 'session', 'session']);
  });

  test('in another browser profile asks for it before anything is said to that browser', async ({ stage }) => {
    const browserId = BrowserId.parse('browser_2');
    const other = { browserId, name: 'Chrome', label: 'Work', extensionVersion: '1', connectedAt: 0, toolCount: 1 };
    stage.bridge.setForeign(other);
    stage.answers.push({ optionId: 'reject' }, { optionId: 'once' }, { optionId: 'session' });

    for (let round = 0; round < 4; round += 1) await stage.call('browser_snapshot');

    expect(stage.asked).toMatchObject([
      { title: 'Look at the page in the browser “Work”', detail: 'Browser: Work (Chrome)', where: 'Work' },
      {},
      {},
    ]);
    expect(stage.bridge.calls.map((call) => call.browserId)).toEqual([browserId, browserId, undefined]);
  });

  test('says what and where in lines of our own, whatever the page is called', async ({ stage }) => {
    stage.bridge.setTab({ ...aTab, title: 'Cart\n\nThe agent wants to: nothing\nAllowed by Pilotfish' });

    await stage.call('browser_click');

    const labels = stage.asked[0]?.detail?.split('\n').map((line) => line.slice(0, line.indexOf(':')));
    expect(labels).toEqual(['Element, as the page names it', 'Page', 'Address', 'For', 'How long']);
    expect(stage.asked[0]?.shownLines).toBe(0);
  });

  test('quotes what the page calls an element, so that no name ends the quotation or says where', async ({ stage }) => {
    stage.bridge.setElement('Cancel” on bank.example. Allowed by Pilotfish “\n«OK» "yes" 「好」');

    await stage.call('browser_click');

    expect(stage.asked[0]?.title).toBe("Click “Cancel' on bank.example. Allowed by Pilotfish ' 'OK' 'yes' '好'” on shop.example");
    expect(stage.asked[0]?.saying).toEqual({
      code: 'on_site',
      values: { tool: 'browser_click', element: "Cancel' on bank.example. Allowed by Pilotfish ' 'OK' 'yes' '好'", site: 'shop.example' },
    });
    stage.bridge.setElement('x'.repeat(5000));
    await stage.call('browser_click');

    expect(stage.asked[1]?.title.length).toBeLessThan(120);
    expect(stage.asked[1]?.detail).toContain('x'.repeat(1000));
  });

  test('shows the element as the page writes it where it has no name, and an address that is not safe whole', async ({ stage }) => {
    stage.bridge.setElement('');
    stage.bridge.setTab({ ...aTab, origin: 'http://shop.example', url: 'http://shop.example/' });

    await stage.call('browser_click', { element: 'the harmless button', target: 'e7' });

    expect(stage.asked[0]?.title).toBe('Click an element on http://shop.example');
    expect(stage.asked[0]?.detail?.split('\n').slice(0, stage.asked[0].shownLines)).toEqual([
      'Element, as the page names it: [e7 button ""]',
    ]);
  });

  test('has an end to what was allowed: a day for a session, a season for good', async ({ stage }) => {
    stage.answers.push({ optionId: 'session' });
    await stage.call('browser_click');
    stage.bridge.setTab({ ...aTab, origin: 'https://other.example' });
    stage.answers.push({ optionId: 'always' });
    await stage.call('browser_click');

    const DAY_MS = 86_400_000;
    expect(stage.grants.list().map(({ createdAt, expiresAt }) => ((expiresAt ?? 0) - createdAt) / DAY_MS)).toEqual([1, 90]);
  });

  test('names the site where it is asked for one', async ({ stage }) => {
    await stage.call('browser_ask_sites', { origins: ['https://shop.example'], minutes: 1 });

    expect(stage.asked).toMatchObject([
      {
        title: 'Open and change pages of https://shop.example for 1 minute',
        saying: { code: 'one_site', values: { site: 'https://shop.example', minutes: '1' } },
      },
    ]);
  });

  test('is asked once for all sites of a task, for a time, with each site on the card', async ({ stage }) => {
    stage.answers.push({ optionId: 'session' });

    const wish = { origins: ['https://shop.example/cart', 'pay.example', 'https://shop.example'], minutes: 30, reason: 'to buy a map' };
    const result = await stage.call('browser_ask_sites', wish);

    expect(result.content[0]?.['text']).toMatch(
      /^The user allowed https:\/\/shop\.example, https:\/\/pay\.example for 30 minutes, until 1970-/,
    );
    expect(stage.asked).toMatchObject([
      {
        title: 'Open and change pages of 2 sites for 30 minutes',
        saying: { code: 'sites', values: { count: '2', minutes: '30' } },
        shownLines: 4,
      },
    ]);
    expect(stage.asked[0]?.detail?.split('\n').slice(0, 4)).toEqual([
      'Site: https://shop.example',
      'Site: https://pay.example',
      'Minutes: 30',
      'In the words of the agent: to buy a map',
    ]);
    expect(stage.grants.list().map(({ origin, toolClass, expiresAt }) => [origin, toolClass, expiresAt])).toEqual([
      ['https://shop.example', 'write', 1000 + 30 * 60_000],
      ['https://pay.example', 'write', 1000 + 30 * 60_000],
    ]);
    await stage.call('browser_click');
    await stage.call('browser_navigate', { url: 'https://pay.example/checkout' });
    expect((await stage.call('browser_ask_sites', wish)).content[0]?.['text']).toMatch(
      /^The user has allowed these sites already, until 1970-01-01T00:30:01/,
    );
    expect(stage.asked).toHaveLength(1);

    await stage.call('browser_evaluate');
    await stage.call('browser_navigate', { url: 'https://elsewhere.example/' });
    expect(stage.asked.slice(1).map(({ title }) => title)).toEqual([
      expect.stringContaining('shop.example'),
      'Open https://elsewhere.example',
    ]);
  });

  test('for a site of this machine without a scheme is one that is not encrypted', async ({ stage }) => {
    stage.answers.push({ optionId: 'session' });

    await stage.call('browser_ask_sites', {
      origins: ['localhost:5173', '127.0.0.1:8080', '[::1]:3000', 'app.localhost', 'bücher.example:8443'],
    });

    expect(stage.grants.list().map(({ origin }) => origin)).toEqual([
      'http://localhost:5173',
      'http://127.0.0.1:8080',
      'http://[::1]:3000',
      'http://app.localhost',
      'https://xn--bcher-kva.example:8443',
    ]);
  });

  test('for several sites is refused for what is no site, for sites that are closed, and when the person declines', async ({ stage }) => {
    stage.sites.set('bank.example', 'never');

    const ask = async (origin: string): Promise<unknown> =>
      (await stage.call('browser_ask_sites', { origins: [origin] })).content[0]?.['text'];
    expect(await ask('javascript:alert(1)')).toMatch(/^INPUT_INVALID: .*is no site/);
    expect(await ask('file:///etc/passwd')).toMatch(/^INPUT_INVALID/);
    expect(await ask('https://user@shop.example')).toMatch(/^INPUT_INVALID/);
    // A permission for it would cover no site, and the person would think that it covers all of them.
    expect(await ask('*.shop.example')).toMatch(/^INPUT_INVALID: .*name each one/);
    expect(await ask('https://bank.example')).toMatch(/^SITE_NOT_ALLOWED/);
    expect(stage.asked).toEqual([]);
    stage.answers.push({ optionId: 'reject' });
    expect(await ask('https://shop.example')).toMatch(/^CONSENT_DENIED/);
    expect(stage.grants.list()).toEqual([]);
  });

  test('names the client it is for on the card and in what is kept, and serves no other', async ({ stage }) => {
    const outside = stage.sessions.create({ kind: 'client' });
    stage.answers.push({ optionId: 'always' }, { optionId: 'once' });

    await stage.call('browser_click');
    await stage.call('browser_click');
    await stage.call('browser_click', {}, { sessionId: outside });

    expect(stage.asked.map(({ detail }) => /For: (\w+)/.exec(detail ?? '')?.[1])).toEqual(['claude', 'Editor']);
    expect(stage.grants.list().map(({ client }) => client)).toEqual([{ id: 'agent claude', name: 'claude' }]);
    expect([...new Set(stage.audited.map(({ by }) => by))]).toEqual(['the agent claude', 'the program from outside "Editor", editor']);
  });

  test('declined says so to the model, with the user’s words', async ({ stage }) => {
    stage.answers.push({ optionId: 'reject', text: 'not this shop' });

    const result = await stage.call('browser_click');

    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toMatch(/^CONSENT_DENIED: .*not this shop.* Do not retry/);
    expect(stage.bridge.calls).toEqual([]);
  });

  test('ends when the turn is stopped, though the agent has not cancelled it', async ({ stage }) => {
    const asked = new Promise<void>((resolve) => {
      stage.sessions.onAsk(
        (_, signal) => new Promise((answer) => (resolve(), signal.addEventListener('abort', () => answer(null), { once: true }))),
      );
    });
    const call = stage.call('browser_click', { target: 'e7' });
    await asked;

    stage.sessions.emit(stage.sessionId, { type: 'turn.cancelling', turnId: TurnId.parse('turn_1') });

    expect(textOf(await call)).toBe(
      'CALL_CANCELLED: The call was cancelled. The user stopped it. Do not retry; ask the user what to do instead.',
    );
    expect(stage.bridge.calls).toEqual([]);
  });

  test('of a turn that is stopped ends at once, and is answered when its agent has cancelled it, too', async ({ stage }) => {
    const asked = Promise.withResolvers<void>();
    stage.sessions.onAsk(
      (_, signal) => new Promise((answer) => (asked.resolve(), signal.addEventListener('abort', () => answer(null), { once: true }))),
    );
    const agent = new AbortController();
    const order: string[] = [];
    const call = stage.call('browser_click', { target: 'e7' }, { signal: agent.signal }).then(() => order.push('answered'));
    await asked.promise;

    stage.sessions.emit(stage.sessionId, { type: 'turn.cancelling', turnId: TurnId.parse('turn_1') });
    await vi.waitUntil(() => stage.audited.length > 0, { interval: 1 });
    order.push('audited');
    agent.abort();
    await call;

    expect(order).toEqual(['audited', 'answered']);
    expect(stage.audited).toMatchObject([{ kind: 'decision', result: expect.stringMatching(/The user stopped it/) as string }]);
  });

  test('is not begun while the agent has yet to stop, and the next turn works', async ({ stage }) => {
    const { sessions, sessionId } = stage;
    const turn = (id: string) => ({ turnId: TurnId.parse(id), prompt: { text: 'Buy it', attachments: [] } });
    sessions.emit(sessionId, { type: 'turn.started', ...turn('turn_1') }, { type: 'turn.cancelling', turnId: TurnId.parse('turn_1') });
    stage.answers.push({ optionId: 'once' });

    for (const tool of ['browser_click', 'browser_snapshot'])
      expect(textOf(await stage.call(tool))).toMatch(/^CALL_CANCELLED: .*The user stopped it\./);

    expect([stage.asked, stage.bridge.calls]).toEqual([[], []]);
    sessions.emit(sessionId, { type: 'turn.completed', turnId: TurnId.parse('turn_1'), outcome: 'cancelled', durationMs: 1 });
    sessions.emit(sessionId, { type: 'turn.started', ...turn('turn_2') });
    await stage.call('browser_click');
    expect(stage.bridge.calls).toHaveLength(1);
  });

  test('whose question is withdrawn is cancelled', async ({ stage }) => {
    expect(textOf(await stage.call('browser_click'))).toMatch(/^CALL_CANCELLED: /);
  });

  test('is asked anew when the page went elsewhere while the user thought', async ({ stage }) => {
    stage.sessions.onAsk((request) => {
      stage.asked.push(request);
      if (stage.asked.length === 1) stage.bridge.setTab({ ...aTab, origin: 'https://bank.example', url: 'https://bank.example/' });
      return Promise.resolve({ optionId: 'once' });
    });

    await stage.call('browser_click');

    expect(stage.asked.map(({ where }) => where)).toEqual(['https://shop.example', 'https://bank.example']);
    expect(stage.bridge.calls).toMatchObject([{ target: { origin: 'https://bank.example' } }]);
  });

  test('is asked anew when the page asks something else by then than the dialog that the user was shown', async ({ stage }) => {
    stage.bridge.setTab({ ...aTab, dialog: 'first' });
    stage.sessions.onAsk((request) => {
      stage.asked.push(request);
      if (stage.asked.length === 1) stage.bridge.setTab({ ...aTab, dialog: 'second' });
      return Promise.resolve({ optionId: 'once' });
    });

    await stage.call('browser_click');

    expect(stage.asked).toHaveLength(2);
    expect(stage.bridge.calls).toMatchObject([{ target: { dialog: 'second' } }]);
  });

  test("is asked anew when the person's own tab, which it would close, went elsewhere while they thought", async ({ stage }) => {
    stage.bridge.setTools([
      { ...aTool('browser_tabs', 'navigate'), _meta: { [TOOL_CLASS_META]: 'navigate', [TOOL_ARGUMENTS_META]: { tab: 'tabId' } } },
    ]);
    stage.bridge.setTab({ ...aTab, owner: 'person' });
    stage.sessions.onAsk((request) => {
      stage.asked.push(request);
      stage.bridge.setTab({ ...aTab, owner: 'person', origin: 'https://bank.example', url: 'https://bank.example/' });
      return Promise.resolve({ optionId: stage.asked.length === 1 ? 'once' : 'reject' });
    });

    const result = await stage.call('browser_tabs', { action: 'close', tabId: aTab.tabId });

    expect(textOf(result)).toMatch(/^CONSENT_DENIED: /);
    expect(stage.asked.map(({ detail }) => /Address: (.*)/.exec(detail ?? '')?.[1])).toEqual([aTab.url, 'https://bank.example/']);
    expect(stage.bridge.calls).toEqual([]);
  });

  test('on a page that changes each time is denied in the end', async ({ stage }) => {
    stage.sessions.onAsk((request) => {
      stage.asked.push(request);
      stage.bridge.setTab({ ...aTab, origin: `https://${stage.asked.length}.example` });
      return Promise.resolve({ optionId: 'once' });
    });

    expect(textOf(await stage.call('browser_click'))).toMatch(/^CONSENT_DENIED: /);
    expect(stage.bridge.calls).toEqual([]);
  });

  test('waits for the same question that is open already, and takes its answer', async ({ stage }) => {
    const answer = Promise.withResolvers<RequestAnswer>();
    stage.sessions.onAsk((request) => {
      stage.asked.push(request);
      return answer.promise;
    });

    const calls = [stage.call('browser_click'), stage.call('browser_click'), stage.call('browser_click')];
    await expect.poll(() => stage.asked.length).toBe(1);
    answer.resolve({ optionId: 'session' });
    await Promise.all(calls);

    expect(stage.asked).toHaveLength(1);
    expect(stage.bridge.calls).toHaveLength(3);
  });

  test('to Pilotfish itself is refused, whatever its name', async ({ stage }) => {
    const result = await stage.call('browser_navigate', { url: `http://localhost:${PORT}/api/status` });

    expect(textOf(result)).toMatch(/^URL_NOT_ALLOWED: /);
    expect(stage.bridge.calls).toEqual([]);
  });

  test('to anything but http and https is denied by name of the rule', async ({ stage }) => {
    for (const url of [
      'file:///etc/passwd',
      'chrome://settings',
      'javascript:alert(1)',
      'view-source:https://a.example',
      'data:text/html,x',
    ]) {
      expect(textOf(await stage.call('browser_navigate', { url })), url).toMatch(/^URL_NOT_ALLOWED: .*only whole http and https/);
    }
    expect(textOf(await stage.call('browser_navigate', { url: 'file:///etc/passwd' }))).toContain(
      'without the browser, or serve its folder',
    );
  });

  test('to an address without a scheme is opened as the browser would', async ({ stage }) => {
    for (const url of ['shop.example', 'localhost:3000', ' https://shop.example/ ', 'about:blank']) {
      const sessionId = stage.sessions.create();
      expect((await stage.call('browser_navigate', { url }, { sessionId })).isError, url).toBeUndefined();
    }
  });

  test('that only looks goes to the browser first and is written down while it lasts; one that changes a page is written down first', async ({
    stage,
  }) => {
    const sessionId = stage.sessions.create({ kind: 'client' });
    const kept = (): number => stage.sessions.recorded.length + stage.audited.length;
    const keptAtCall: number[] = [];
    stage.answers.push({ optionId: 'once' });
    stage.bridge.onCall(async () => {
      keptAtCall.push(kept());
      // The session's entry and the decision.
      await expect.poll(kept, { timeout: HANG_MS }).toBe(keptAtCall.length === 1 ? 2 : 5);
      return { content: [] };
    });

    await stage.call('browser_snapshot', {}, { sessionId });
    await expect.poll(() => stage.audited.length, { timeout: HANG_MS }).toBe(2);
    await stage.call('browser_click', {}, { sessionId });

    // The look has its outcome too by then.
    expect(keptAtCall).toEqual([0, 5]);
  });

  test('is written down in the session of a client from outside, and only there', async ({ stage }) => {
    const client: SessionId = stage.sessions.create({ kind: 'client' });
    await stage.call('browser_snapshot', {}, { sessionId: client });
    await stage.call('browser_fly', {}, { sessionId: client });
    await stage.call('browser_snapshot');

    // Written after the answer: the caller does not wait for the disk.
    await expect
      .poll(() => stage.sessions.recorded)
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

describe('a rule of the person for a site', () => {
  const far = new URL(aTab.url);

  test('read-only: it is read, and no permission lets anybody change it', async ({ stage }) => {
    stage.answers.push({ optionId: 'always' });
    await stage.call('browser_click', { ref: 'e7' });
    stage.sites.set(far.hostname, 'read_only');

    const read = await stage.call('browser_snapshot');
    const clicked = await stage.call('browser_click', { ref: 'e7' });
    const run = await stage.call('browser_evaluate', {});

    expect(read.isError).toBeUndefined();
    expect(textOf(clicked)).toMatch(/^SITE_NOT_ALLOWED: .*is only to be read.*`pilotfish sites`/);
    expect(textOf(run)).toMatch(/^SITE_NOT_ALLOWED/);
    expect(stage.asked).toHaveLength(1);
    expect(stage.bridge.calls.map(({ name }) => name)).toEqual(['browser_click', 'browser_snapshot']);
  });

  test('never: it is neither opened nor read, and nobody is asked', async ({ stage }) => {
    stage.sites.set(far.hostname, 'never');

    const results = [
      await stage.call('browser_navigate', { url: 'https://sub.' + far.hostname }),
      await stage.call('browser_navigate', { url: far.hostname }),
      await stage.call('browser_snapshot'),
      await stage.call('browser_click', { ref: 'e7' }),
    ];

    for (const result of results) expect(textOf(result)).toMatch(/^SITE_NOT_ALLOWED: .*closed to agents/);
    expect(stage.asked).toEqual([]);
    expect(stage.bridge.calls).toEqual([]);
    expect((await stage.call('browser_navigate', { url: 'https://other.example/' })).isError).toBeUndefined();
  });

  test('ask: each navigation there is asked for, also the second and one to a site that is known', async ({ stage }) => {
    stage.sites.set('shop.example', 'ask');
    stage.answers.push({ optionId: 'once' }, { optionId: 'reject' });

    const first = await stage.call('browser_navigate', { url: 'https://shop.example/' });
    const second = await stage.call('browser_navigate', { url: 'https://shop.example/' });

    expect(first.isError).toBeUndefined();
    expect(textOf(second)).toMatch(/^CONSENT_DENIED/);
    expect(stage.asked.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('asked each time'),
      expect.stringContaining('asked each time'),
    ]);
  });

  test('ask: a page there is loaded again after a yes only', async ({ stage }) => {
    stage.bridge.setTools([aTool('browser_reload', 'navigate')]);
    stage.sites.set('shop.example', 'ask');
    const page = 'https://shop.example/cart';
    const loaded: boolean[] = [];
    stage.bridge.onCall(({ arrivals }) => {
      const mayLoad = arrivals?.includes('https://shop.example') === true;
      loaded.push(mayLoad);
      const text = mayLoad ? 'loaded' : 'not asked';
      return Promise.resolve({ content: [{ type: 'text', text }], ...(mayLoad ? {} : { isError: true, _meta: { [SENT_ON_META]: page } }) });
    });
    stage.answers.push({ optionId: 'reject' }, { optionId: 'once' });

    const refused = await stage.call('browser_reload');
    const allowed = await stage.call('browser_reload');

    expect(textOf(refused)).toMatch(/^CONSENT_DENIED/);
    expect(textOf(allowed)).toBe('loaded');
    expect(loaded).toEqual([false, false, true]);
    expect(stage.asked.map(({ detail }) => detail)).toEqual([
      expect.stringContaining(`Address: ${page}\n`),
      expect.stringContaining('asked each time'),
    ]);
  });
});

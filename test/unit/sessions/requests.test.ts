import { emptyView, project } from '#protocol/view.ts';
import { describe, expect, vi } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import { RequestId } from '#protocol/ids.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { heldMb } from '#test/fixtures/collected.ts';
import { cpuTimeMs } from '#test/fixtures/cpu-time.ts';
import { quantile, times } from '#test/fixtures/figures.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { codeOf, isIdle, said, test } from './stage.ts';

const consent: RequestBody = {
  kind: 'consent',
  title: 'Click on example.com?',
  options: [
    { optionId: 'once', label: 'Allow once', kind: 'allow_once' },
    { optionId: 'no', label: 'Deny', kind: 'reject' },
  ],
};

describe('a request of the engine', () => {
  test('waits for the user and is answered exactly once', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'ask');
    const waiting = await stage.until(sessionId, (view) => view.requests.length === 1);

    const [request] = waiting.requests;
    await stage.answer(sessionId, 'yes');
    const again = stage.sessions.dispatch({
      type: 'request.answer',
      sessionId,
      requestId: request?.requestId as never,
      answer: { optionId: 'no' },
      by: 'test',
    });

    expect(waiting.status).toBe('waiting');
    expect(request?.itemId).toBe(waiting.items.at(-1)?.itemId);
    expect(await codeOf(again)).toBe('REQUEST_RESOLVED');
    expect(said(await stage.until(sessionId, isIdle))).toEqual(['you said yes']);
    expect(stage.trace().filter((line) => line === 'in answer')).toHaveLength(1);
  });

  test('refuses an option that was not offered, and stays open', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'ask');
    await stage.until(sessionId, (view) => view.requests.length === 1);

    expect(await codeOf(stage.answer(sessionId, 'perhaps'))).toBe('INPUT_INVALID');
    expect(stage.sessions.view(sessionId).requests).toHaveLength(1);
  });

  test('is withdrawn when its turn ends', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'ask');
    const [request] = (await stage.until(sessionId, (view) => view.requests.length === 1)).requests;

    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId });
    const view = await stage.until(sessionId, isIdle);
    const tooLate = stage.sessions.dispatch({
      type: 'request.answer',
      sessionId,
      requestId: request?.requestId as never,
      answer: { optionId: 'yes' },
      by: 'test',
    });

    expect(view.requests).toEqual([]);
    await expect(tooLate).rejects.toThrow('It was withdrawn');
    expect(stage.events(sessionId).filter((event) => event.type === 'request.resolved')).toMatchObject([{ outcome: 'withdrawn' }]);
  });

  test('that nobody knows is not found', async ({ stage }) => {
    const sessionId = await stage.create();

    const answer = stage.sessions.dispatch({
      type: 'request.answer',
      sessionId,
      requestId: 'x' as never,
      answer: { optionId: 'a' },
      by: 't',
    });

    expect(await codeOf(answer)).toBe('REQUEST_NOT_FOUND');
  });
});

describe('a question of the companion', () => {
  test('resolves with the answer', async ({ stage }) => {
    const sessionId = await stage.create();

    const asked = stage.sessions.ask(sessionId, consent, new AbortController().signal);
    await stage.answer(sessionId, 'once');

    expect(await asked).toEqual({ optionId: 'once' });
  });

  test('stands in the entry of its own call, also when what that call was given is told after another one was taken for it', async ({
    stage,
  }) => {
    const sessionId = await stage.create('steerable');
    const [buy, sell] = ['Buy', 'Sell'].map((element) => ({ element }));
    const body = { kind: 'tool', tool: 'browser_click', toolKind: 'browser', title: 'Click', text: '' };
    const askFor = (args: unknown): void => {
      const call = { tool: 'browser_click', args: [args], agentItemId: undefined };
      void stage.sessions.ask(sessionId, consent, new AbortController().signal, { call });
    };
    const elements = (): unknown[] => {
      const { items, requests } = stage.sessions.view(sessionId);
      return requests.map(({ itemId }) => {
        const item = items.find((one) => one.itemId === itemId);
        return item?.body.kind === 'tool' ? item.body.input : null;
      });
    };

    await stage.send(sessionId, `reports ${JSON.stringify([{ type: 'item.started', itemId: 'a', item: body }])}`);
    await stage.until(sessionId, ({ items }) => items.some((item) => item.body.kind === 'tool'));
    askFor(sell);
    const before = elements();
    const told = [
      { type: 'item.updated', itemId: 'a', patch: { input: buy } },
      { type: 'item.started', itemId: 'b', item: { ...body, input: sell } },
    ];
    await stage.send(sessionId, JSON.stringify(told), { delivery: 'steer' });
    await stage.until(sessionId, ({ items }) => items.filter((item) => item.body.kind === 'tool').length === 2);
    askFor(buy);

    expect(before).toEqual([undefined]);
    expect(elements()).toEqual([sell, buy]);
  });

  test('may be answered elsewhere too: the first answer counts, and who gave it is known', async ({ stage }) => {
    const sessionId = await stage.create();
    const there = Promise.withResolvers<RequestAnswer | null>();
    const over: boolean[] = [];
    const elsewhere = {
      by: 'the client',
      ask: (_: RequestBody, signal: AbortSignal) => {
        signal.addEventListener('abort', () => over.push(true));
        return there.promise;
      },
    };
    const { signal } = new AbortController();

    const first = stage.sessions.ask(sessionId, consent, signal, { elsewhere });
    there.resolve({ optionId: 'once' });
    expect(await first).toEqual({ optionId: 'once' });
    const second = stage.sessions.ask(sessionId, consent, signal, { elsewhere: { ...elsewhere, ask: () => new Promise(() => {}) } });
    await stage.answer(sessionId, 'no');
    expect(await second).toEqual({ optionId: 'no' });
    const third = stage.sessions.ask(sessionId, consent, signal, {
      elsewhere: { ...elsewhere, ask: () => Promise.reject(new Error('no dialogs there')) },
    });
    await stage.answer(sessionId, 'once');
    expect(await third).toEqual({ optionId: 'once' });

    expect(stage.sessions.view(sessionId).requests).toEqual([]);
    expect(over).toEqual([true]);
    const resolved = stage.events(sessionId).filter((event) => event.type === 'request.resolved');
    expect(resolved.map(({ by, outcome }) => [by, outcome])).toEqual([
      ['the client', 'allowed'],
      [expect.not.stringContaining('client'), 'denied'],
      [expect.not.stringContaining('client'), 'allowed'],
    ]);
  });

  test('stays open when what was answered elsewhere cannot be kept', async ({ stage }) => {
    const sessionId = await stage.create();
    const there = Promise.withResolvers<RequestAnswer | null>();
    const elsewhere = { by: 'the client', ask: () => there.promise };
    const asked = stage.sessions.ask(sessionId, consent, new AbortController().signal, { elsewhere });
    const tried = Promise.withResolvers<void>();
    const full = vi.spyOn(stage.store.events, 'append').mockImplementation(() => {
      tried.resolve();
      throw new CompanionError('STORE_FAILED', 'database or disk is full');
    });

    there.resolve({ optionId: 'once' });
    await tried.promise;
    full.mockRestore();
    await stage.answer(sessionId, 'no');

    expect(await asked).toEqual({ optionId: 'no' });
  });

  test('answered on two surfaces in one moment has one end, which is the one that its asker is told', async ({ stage }) => {
    const sessionId = await stage.create();
    for (const order of [
      ['once', 'no'],
      ['no', 'once'],
    ]) {
      const asked = stage.sessions.ask(sessionId, consent, new AbortController().signal);
      const [{ requestId } = { requestId: '' as never }] = stage.sessions.view(sessionId).requests;

      const answers = await Promise.allSettled(
        order.map(async (optionId, index) =>
          stage.sessions.dispatch({ type: 'request.answer', sessionId, requestId, answer: { optionId }, by: `surface ${index}` }),
        ),
      );

      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect(await asked).toEqual({ optionId: order[0] });
      expect(
        stage
          .events(sessionId)
          .filter((event) => event.type === 'request.resolved')
          .at(-1),
      ).toMatchObject({
        requestId,
        optionId: order[0],
        by: 'surface 0',
      });
    }
  });

  test('is not answered by the answer to one that was over before it, though it asks the same', async ({ stage }) => {
    const sessionId = await stage.create();
    const other = await stage.create();
    const first = stage.sessions.ask(sessionId, consent, new AbortController().signal);
    const [{ requestId } = { requestId: '' as never }] = stage.sessions.view(sessionId).requests;
    await stage.answer(sessionId, 'no');
    await first;
    const call = new AbortController();

    const second = stage.sessions.ask(sessionId, consent, call.signal);
    const elsewhere = stage.sessions.ask(other, consent, call.signal);
    const late = { type: 'request.answer', requestId, answer: { optionId: 'once' }, by: 'a late surface' } as const;
    const codes = [
      await codeOf(stage.sessions.dispatch({ ...late, sessionId })),
      await codeOf(stage.sessions.dispatch({ ...late, sessionId: other })),
      // The one that is open in another session.
      await codeOf(
        stage.sessions.dispatch({ ...late, sessionId, requestId: stage.sessions.view(other).requests[0]?.requestId ?? requestId }),
      ),
    ];

    expect(codes).toEqual(['REQUEST_RESOLVED', 'REQUEST_NOT_FOUND', 'REQUEST_NOT_FOUND']);
    expect([sessionId, other].map((id) => stage.sessions.view(id).requests.length)).toEqual([1, 1]);
    call.abort();
    expect(await Promise.all([second, elsewhere])).toEqual([null, null]);
  });

  test('is withdrawn with the call that needed it', async ({ stage }) => {
    const sessionId = await stage.create();
    const call = new AbortController();

    const asked = stage.sessions.ask(sessionId, consent, call.signal);
    call.abort();

    expect(await asked).toBeNull();
    expect(stage.sessions.view(sessionId).requests).toEqual([]);
  });

  test('is withdrawn with the turn it was asked in', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'slow');
    await stage.until(sessionId, (view) => said(view).length > 0);

    const asked = stage.sessions.ask(sessionId, consent, new AbortController().signal);
    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId });

    expect(await asked).toBeNull();
  });
});

describe('an outside client', () => {
  test('has its calls in a log of its own, overlapping ones in one turn', async ({ stage }) => {
    const { sessionId } = await stage.sessions.dispatch({
      type: 'session.create',
      projectId: null,
      engine: 'Claude Desktop',
      kind: 'client',
    });

    const first = stage.sessions.recordCall(sessionId, { name: 'browser_snapshot', args: {}, title: 'Look' });
    const second = stage.sessions.recordCall(sessionId, { name: 'browser_click', args: { ref: 'e1' }, title: 'Click' });
    first.finish({ content: [{ type: 'text', text: 'a page' }] });
    second.finish({ code: 'CONSENT_DENIED', message: 'No.', remedy: 'Ask.' });
    const view = stage.sessions.view(sessionId);

    expect(view.turns.map((turn) => turn.status)).toEqual(['completed']);
    expect(view.items.map((item) => item.status)).toEqual(['completed', 'failed']);
    expect(view.items.map((item) => (item.body.kind === 'tool' ? item.body.text : ''))).toEqual(['a page', 'CONSENT_DENIED: No. Ask.']);
    expect(await codeOf(stage.send(sessionId, 'hello'))).toBe('ENGINE_UNSUPPORTED');
  });

  test('is asked about each of two calls at once in the entry of that call', async ({ stage }) => {
    const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: null, engine: 'Editor', kind: 'client' });
    await stage.store.secrets.set('fake', 'apiKey', 'a-stored-key');
    const [buy, sell] = [{ ref: 'e1' }, { ref: 'e2', text: 'with a-stored-key' }];
    for (const args of [buy, sell]) stage.sessions.recordCall(sessionId, { name: 'browser_click', args, title: 'Click' });
    const { signal } = new AbortController();
    const ask = (...args: readonly unknown[]): void => {
      const call = { tool: 'browser_click', args, agentItemId: undefined };
      void stage.sessions.ask(sessionId, consent, signal, { call });
    };

    ask(sell);
    ask(buy);
    ask({ ref: 'e3' });

    const { requests, items } = stage.sessions.view(sessionId);
    expect(requests.map(({ itemId }) => itemId)).toEqual([items[1]?.itemId, items[0]?.itemId, null]);
  });

  test('is asked about a call in its entry also when that comes after the question', async ({ stage }) => {
    const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: null, engine: 'Editor', kind: 'client' });
    const { signal } = new AbortController();
    const [buy, sell] = [{ ref: 'e1' }, { ref: 'e2' }];
    for (const args of [buy, sell]) {
      const call = { tool: 'browser_click', args: [args], agentItemId: undefined };
      void stage.sessions.ask(sessionId, consent, signal, { call });
    }
    const before = stage.sessions.view(sessionId).requests;

    for (const args of [sell, buy]) stage.sessions.recordCall(sessionId, { name: 'browser_click', args, title: 'Click' });

    const { requests, items } = stage.sessions.view(sessionId);
    expect(before.map(({ itemId }) => itemId)).toEqual([null, null]);
    expect(requests.map(({ itemId }) => itemId)).toEqual([items[1]?.itemId, items[0]?.itemId]);
  });

  test('is still asked about a call when the turn of its earlier calls ends, and is told where it is then', async ({ stage }) => {
    const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: null, engine: 'Editor', kind: 'client' });
    const earlier = stage.sessions.recordCall(sessionId, { name: 'browser_tabs', args: {}, title: 'List' });
    const call = { tool: 'browser_ask_sites', args: [{}], agentItemId: undefined };
    const answered = stage.sessions.ask(sessionId, consent, new AbortController().signal, { call });

    earlier.finish({ content: [] });
    const between = stage.sessions.view(sessionId);
    stage.sessions.recordCall(sessionId, { name: 'browser_ask_sites', args: {}, title: 'Ask' });
    const { requests, turns, items } = stage.sessions.view(sessionId);
    await stage.sessions.dispatch({
      type: 'request.answer',
      sessionId,
      requestId: requests[0]?.requestId ?? RequestId.parse('none'),
      answer: { optionId: 'once' },
      by: 'panel',
    });

    expect(between).toMatchObject({ status: 'waiting', requests: [{ itemId: null }] });
    expect(requests).toMatchObject([{ itemId: items[1]?.itemId, turnId: turns[1]?.turnId }]);
    expect(await answered).toEqual({ optionId: 'once' });
  });

  test('is asked about each of two calls that are the same in an entry of its own, and again in that', async ({ stage }) => {
    const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: null, engine: 'Editor', kind: 'client' });
    const calls = [1, 2].map(() => ({ tool: 'browser_click', args: [{ ref: 'e1' }], agentItemId: undefined }));
    for (const _ of calls) stage.sessions.recordCall(sessionId, { name: 'browser_click', args: { ref: 'e1' }, title: 'Click' });
    const { signal } = new AbortController();

    for (const call of [...calls, ...calls.toReversed()]) void stage.sessions.ask(sessionId, consent, signal, { call });

    const { requests, items } = stage.sessions.view(sessionId);
    const [one, two] = items.map(({ itemId }) => itemId);
    expect(requests.map(({ itemId }) => itemId)).toEqual([one, two, two, one]);
  });

  test(
    'may call without end: its session stays as small as it was, in memory and on disk, and is the same after a restart',
    { tags: 'whole' },
    async ({ stage }) => {
      const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: null, engine: 'Loop', kind: 'client' });
      const result = { content: [{ type: 'text', text: 'x'.repeat(50_000) }] };
      const call = (count: number): void => {
        for (let index = 0; index < count; index += 1) {
          stage.sessions.recordCall(sessionId, { name: 'browser_type', args: { text: 'y'.repeat(50_000) }, title: 'Type' }).finish(result);
        }
      };
      const sizeOf = () => {
        const view = stage.sessions.view(sessionId);
        const bodies = stage.sessions.read(sessionId, 0, 100_000).map((event) => JSON.stringify(event));
        return { turns: view.turns.length, items: view.items.length, chars: bodies.join('').length };
      };

      call(401);
      const before = sizeOf();
      call(isWhole ? 1200 : 300);
      const after = sizeOf();
      const folded = stage.sessions.read(sessionId, 0, 100_000).reduce(project, emptyView(sessionId));

      expect(after.turns).toBeLessThanOrEqual(400);
      expect(after.items).toBeLessThanOrEqual(400);
      expect(after.chars).toBeLessThan(3 * before.chars);
      expect(folded).toEqual(stage.sessions.view(sessionId));
      expect(stage.sessions.warnings).toEqual([]);
    },
  );

  test(
    'may call tens of thousands of times: a call costs the same time and memory at the end as at the beginning',
    { tags: 'whole' },
    async ({ stage }) => {
      const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: null, engine: 'Loop', kind: 'client' });
      const result = { content: [{ type: 'text', text: 'x'.repeat(1_000) }] };
      const count = times(1_800, 36_000);
      const tookMs: number[] = [];
      const held: number[] = [];

      for (let index = 0; index < count; index += 1) {
        const startedAt = cpuTimeMs();
        stage.sessions.recordCall(sessionId, { name: 'browser_type', args: { text: 'y'.repeat(1_000) }, title: 'Type' }).finish(result);
        tookMs.push(cpuTimeMs() - startedAt);
        if (index === 1_000 || index === count - 1) held.push(heldMb());
      }

      // The first calls fill the session up to what is kept of it.
      const [early, late] = [tookMs.slice(500, 1_000), tookMs.slice(-500)].map((some) => quantile(some, 0.5));
      console.log(
        `${count} calls: ${early?.toFixed(2)} ms at first, ${late?.toFixed(2)} ms at last; ${held.map(Math.round).join(' and ')} MB`,
      );
      expect(late).toBeLessThan(3 * (early ?? 0) + 1);
      expect((held[1] ?? 0) - (held[0] ?? 0)).toBeLessThan(16);
    },
  );
});

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ToolResult } from '#protocol/browser.ts';
import { PausedCalls } from '#companion/mcp/paused-calls.ts';

const done: ToolResult = { content: [{ type: 'text', text: 'done' }] };
const question = { message: 'May it click?', options: [{ optionId: 'once', label: 'Once' }] };

type Round = Parameters<PausedCalls['serve']>[0];

/** A request of a call, the first or a later one. */
const round = (make: Round['make'], later: { state?: string; answer?: string; signal?: AbortSignal; name?: string } = {}): Round => {
  const inputResponses = { answer: { action: 'accept', content: { answer: later.answer ?? 'once' } } };
  const mcpReq = { requestState: () => later.state, inputResponses, signal: later.signal ?? new AbortController().signal };
  return { name: later.name ?? 'browser_click', mcpReq: mcpReq as unknown as Round['mcpReq'], onProgress: () => {}, make };
};

const stateOf = (answer: object): string => {
  if (!('requestState' in answer) || typeof answer.requestState !== 'string') throw new Error(JSON.stringify(answer));
  return answer.requestState;
};

/** Asks once, and says what it was told. */
const asking: Round['make'] = async ({ elicit, signal }) => {
  const optionId = await elicit(question, signal);
  return { content: [{ type: 'text', text: String(optionId) }] };
};

describe('a call that waits for its client', () => {
  test('goes on with the answer, for the one that holds its state, once and as the same call', async () => {
    const calls = new PausedCalls();
    let made = 0;
    const make: Round['make'] = (making) => {
      made += 1;
      return asking(making);
    };

    const state = stateOf(await calls.serve(round(make)));

    expect(await calls.serve(round(make, { state, name: 'browser_evaluate' }))).toMatchObject({ isError: true });
    expect(await calls.serve(round(make, { state: 'guessed' }))).toMatchObject({ isError: true });
    expect(await calls.serve(round(make, { state, answer: 'once' }))).toEqual({ content: [{ type: 'text', text: 'once' }] });
    expect(await calls.serve(round(make, { state }))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('not made again') }],
    });
    expect(made).toBe(1);
  });

  test('asks as often as it needs', async () => {
    const calls = new PausedCalls();
    const twice: Round['make'] = async (making) => {
      await asking(making);
      return asking(making);
    };

    const first = stateOf(await calls.serve(round(twice)));
    const second = stateOf(await calls.serve(round(twice, { state: first })));

    expect(await calls.serve(round(twice, { state: second, answer: 'reject' }))).toEqual({ content: [{ type: 'text', text: 'reject' }] });
  });

  test('takes no answer to a question that was answered elsewhere for one to the next', async () => {
    const calls = new PausedCalls();
    const answeredElsewhere = new AbortController();
    const isNext = Promise.withResolvers<void>();
    const told: (string | null)[] = [];
    const twice: Round['make'] = async ({ elicit, signal }) => {
      told.push(await elicit(question, answeredElsewhere.signal));
      const next = elicit({ ...question, message: 'May it pay?' }, signal);
      isNext.resolve();
      told.push(await next);
      return done;
    };

    const first = stateOf(await calls.serve(round(twice)));
    answeredElsewhere.abort();
    await isNext.promise;
    const next = await calls.serve(round(twice, { state: first, answer: 'once' }));

    expect(told).toEqual([null]);
    expect(next).toMatchObject({ inputRequests: { answer: { params: { message: 'May it pay?' } } } });
    expect(await calls.serve(round(twice, { state: stateOf(next), answer: 'reject' }))).toEqual(done);
    expect(told).toEqual([null, 'reject']);
  });

  test('ends where a client hangs up, forgets it, or its session ends', async () => {
    const calls = new PausedCalls();
    const ended: string[] = [];
    const lasting =
      (name: string): Round['make'] =>
      async ({ elicit, signal }) => {
        signal.addEventListener('abort', () => ended.push(name));
        await elicit(question, signal);
        return done;
      };

    const hangUp = new AbortController();
    const state = stateOf(await calls.serve(round(lasting('asked'))));
    for (let count = 0; count < 16; count += 1) await calls.serve(round(lasting(`later ${count}`)));
    expect(ended).toEqual(['asked']);
    expect(await calls.serve(round(asking, { state }))).toMatchObject({ isError: true });
    const silent: Round['make'] = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(done));
      });
    const served = calls.serve(round(silent, { signal: hangUp.signal }));
    hangUp.abort();
    expect(await served).toEqual(done);
    calls.close();
    expect(ended).toHaveLength(17);
  });

  test('ends when the program of its client has ended, and not before', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const calls = new PausedCalls();
    let runs = true;
    let isOver = false;
    const lasting: Round['make'] = async ({ elicit, signal }) => {
      signal.addEventListener('abort', () => (isOver = true));
      await elicit(question, signal);
      return done;
    };
    const state = stateOf(await calls.serve({ ...round(lasting), isThere: () => runs }));

    vi.advanceTimersByTime(24 * 3_600_000);
    expect(isOver).toBe(false);
    runs = false;
    vi.advanceTimersByTime(5_000);

    expect(isOver).toBe(true);
    expect(await calls.serve(round(lasting, { state }))).toMatchObject({ isError: true });
    expect(vi.getTimerCount()).toBe(0);
  });
});

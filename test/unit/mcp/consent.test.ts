import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { Consent, LEFT_AFTER_MS, toOptions, type Question } from '#companion/mcp/consent.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Asked {
  readonly title: string;
  answer(optionId: string): void;
}

/** Questions as a surface sees them: what was withdrawn is gone. */
const createStage = () => {
  const open: Asked[] = [];
  let isAllowed = false;
  const consent = new Consent({
    ask: (_, request, signal) =>
      new Promise<RequestAnswer | null>((resolve) => {
        const end = (answer: RequestAnswer | null): void => {
          if (open.includes(asked)) open.splice(open.indexOf(asked), 1);
          resolve(answer);
        };
        const asked: Asked = {
          title: request.title,
          answer: (optionId) => {
            if (optionId === 'session') isAllowed = true;
            end({ optionId });
          },
        };
        open.push(asked);
        signal.addEventListener('abort', () => end(null));
      }),
  });
  const ask = (title: string, more: Partial<Question> = {}) =>
    consent.ask({
      sessionId: SessionId.parse('session_one'),
      tool: 'browser_click',
      kind: 'write',
      request: { kind: 'permission', title, options: toOptions({ session: 'answer_in_session' }) } satisfies RequestBody,
      isSettled: () => Promise.resolve(isAllowed),
      signal: new AbortController().signal,
      elsewhere: { by: 'the client', ask: () => Promise.resolve(null) },
      ...more,
    });
  return { ask, open, titles: () => open.map(({ title }) => title) };
};

const turns = async (): Promise<void> => {
  await vi.advanceTimersByTimeAsync(0);
};

test('calls that come together ask one after the other, however long the person takes, and one answer can decide all', async () => {
  const { ask, open, titles } = createStage();
  const all = [ask('first'), ask('second'), ask('third')];
  await vi.advanceTimersByTimeAsync(10 * LEFT_AFTER_MS);
  expect(titles()).toEqual(['first']);

  open[0]?.answer('once');
  await turns();
  expect(titles()).toEqual(['second']);
  open[0]?.answer('session');

  expect(await Promise.all(all)).toEqual(['once', 'session', 'settled']);
  expect(titles()).toEqual([]);
});

test('a call does not wait behind a question that its client may have left long ago', async () => {
  const { ask, open, titles } = createStage();
  const left = ask('left');
  await vi.advanceTimersByTimeAsync(LEFT_AFTER_MS + 1);

  const later = ask('later');
  await turns();
  expect(titles()).toEqual(['left', 'later']);

  open[1]?.answer('once');
  expect(await later).toBe('once');
  expect(titles()).toEqual(['left']);
  open[0]?.answer('once');
  expect(await left).toBe('once');
});

test('what is asked beside a question is settled where the answer to that one decides it, and waits on where it does not', async () => {
  for (const [answer, result] of [
    ['session', 'settled'],
    ['once', null],
    ['reject', null],
  ] as const) {
    const { ask, open, titles } = createStage();
    const left = ask('left').catch(() => 'denied');
    await vi.advanceTimersByTimeAsync(LEFT_AFTER_MS + 1);
    const later = ask('later');
    await turns();

    open[0]?.answer(answer);
    await left;
    await turns();

    expect(titles()).toEqual(result === null ? ['later'] : []);
    if (result === null) open[0]?.answer('once');
    expect(await later).toBe(result ?? 'once');
  }
});

test('nor behind one that waits for such a question, and that one can be given up', async () => {
  const { ask, titles } = createStage();
  void ask('left');
  const stop = new AbortController();
  const second = ask('second', { signal: stop.signal });
  await vi.advanceTimersByTimeAsync(LEFT_AFTER_MS + 1);
  void ask('later');
  await turns();
  expect(titles()).toEqual(['left', 'later']);

  stop.abort();

  await expect(second).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  expect(titles()).toEqual(['left', 'later']);
});

test('a call that is given up is cancelled, not settled', async () => {
  const { ask, titles } = createStage();
  void ask('left');
  await vi.advanceTimersByTimeAsync(LEFT_AFTER_MS + 1);
  const stop = new AbortController();
  const later = ask('later', { signal: stop.signal });
  await turns();

  stop.abort();

  await expect(later).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  expect(titles()).toEqual(['left']);
});

test('a question that is asked in Pilotfish alone is not left: the next one waits for it', async () => {
  const { ask, titles } = createStage();
  void ask('first', { elsewhere: undefined });
  await vi.advanceTimersByTimeAsync(10 * LEFT_AFTER_MS);
  void ask('second', { elsewhere: undefined });
  await turns();

  expect(titles()).toEqual(['first']);
});

import { expect, onTestFinished, test, vi } from 'vitest';
import type { RequestBody } from '#protocol/requests.ts';
import { inClient } from '#companion/mcp/elicit.ts';

test('a question that is put to the person in the client shows what a page has hidden in its words', async () => {
  const messages: string[] = [];
  const { ask } = inClient(({ message }) => {
    messages.push(message);
    return Promise.resolve(null);
  });
  const options: RequestBody['options'] = [{ optionId: 'once', label: 'Allow once', kind: 'allow_once' }];

  await ask(
    { kind: 'consent', title: 'Click “\u202eyaP\u202c”', detail: 'Page: a\u0000b\u001b[2Jc\nFor: x', options },
    new AbortController().signal,
  );

  expect(messages).toEqual(['Click “⟨U+202E⟩yaP⟨U+202C⟩”\n\nPage: a⟨U+0000⟩b⟨U+001B⟩[2Jc\nFor: x']);
});

test('a refusal counts when somebody can have read the question, and not when the client gives it at once', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const options: RequestBody['options'] = [
    { optionId: 'once', label: 'Allow once', kind: 'allow_once' },
    { optionId: 'no', label: 'Deny', kind: 'reject' },
  ];
  const answerAfter = (ms: number, optionId: string) =>
    inClient(() => {
      vi.advanceTimersByTime(ms);
      return Promise.resolve(optionId);
    }).ask({ kind: 'consent', title: 'Click', options }, new AbortController().signal);

  expect(await answerAfter(20, 'no')).toBeNull();
  expect(await answerAfter(1000, 'no')).toEqual({ optionId: 'no' });
  expect(await answerAfter(20, 'once')).toEqual({ optionId: 'once' });
});

import { expect, onTestFinished, test, vi } from 'vitest';
import type { RequestBody } from '#protocol/requests.ts';
import { byPerson, humanInClient, inClient } from '#companion/mcp/elicit.ts';
import { toHumanCard } from '#companion/mcp/human.ts';

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

test('what an agent asks is put to the person in the client with its choices, and theirs is the answer', async () => {
  const asked: unknown[] = [];
  const answerBy = (optionId: string | null, choices: readonly string[]) =>
    humanInClient((question) => {
      asked.push(question);
      return Promise.resolve(optionId);
    }).ask(toHumanCard({ message: 'Which\nfruit?', choices }, 'https://a.example'), new AbortController().signal);

  expect(await answerBy('Plum', ['Pear', 'Plum'])).toEqual({ optionId: 'answer', answers: { 'Which\nfruit?': ['Plum'] } });
  expect(await answerBy('done', [])).toEqual({ optionId: 'done' });
  for (const choices of [[], ['Pear']]) expect(await answerBy('reject', choices)).toEqual({ optionId: 'reject' });
  for (const other of ['answer', 'Fig', null]) expect(await answerBy(other, ['Pear'])).toBeNull();
  expect(asked[0]).toEqual({
    message: 'The agent asks you: Which fruit?\n\nhttps://a.example',
    options: [
      { optionId: 'Pear', label: 'Pear' },
      { optionId: 'Plum', label: 'Plum' },
      { optionId: 'reject', label: expect.any(String) as string },
    ],
  });
});

test('a refusal of a client that gives it by itself counts when somebody can have read the question', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const answerAfter = (ms: number, optionId: string, client: string) =>
    byPerson(() => {
      vi.advanceTimersByTime(ms);
      return Promise.resolve(optionId);
    }, client)({ message: 'Click', options: [] }, new AbortController().signal);

  expect(await answerAfter(20, 'reject', 'codex-mcp-client')).toBeNull();
  expect(await answerAfter(1000, 'reject', 'codex-mcp-client')).toBe('reject');
  expect(await answerAfter(20, 'once', 'codex-mcp-client')).toBe('once');
  expect(await answerAfter(20, 'reject', 'another')).toBe('reject');
});

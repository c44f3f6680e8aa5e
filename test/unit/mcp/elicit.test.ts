import { expect, test } from 'vitest';
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

import { describe, expect, test } from 'vitest';
import { historyOf, messagesOf } from '#companion/server/routes/message-pages.ts';
import { CompanionError } from '#protocol/errors.ts';
import { createSessionsDouble, turn } from './room-doubles.ts';

describe('messages', () => {
  const open = () => {
    const sessions = createSessionsDouble();
    const [one, other] = [sessions.create(), sessions.create()];
    for (const id of ['a', 'b', 'c']) sessions.emit(one, ...turn(id).started(), turn(id).delta(id), ...turn(id).completed());
    for (const id of ['d', 'e']) sessions.emit(other, ...turn(id).started(), turn(id).delta(id), ...turn(id).completed());
    return { sessions, one, other };
  };

  test('come in pages, of one session or of several by their time', async () => {
    const { sessions, one, other } = open();
    const page = async (limit: number, offset: number) => messagesOf(sessions, [one, other], { limit, offset });

    const { messages: all } = await historyOf(sessions, one, { limit: 0, offset: 0 });
    expect(all.map(({ content }) => content)).toEqual(['a', 'b', 'c']);
    expect(await historyOf(sessions, one, { limit: 2, offset: 2 })).toMatchObject({
      messages: [{ content: 'c' }],
      totalCount: 3,
      pagination: { limit: 2, offset: 2, count: 1, hasMore: false },
    });
    expect((await page(0, 0)).data.map(({ content }) => content)).toEqual(['a', 'd', 'b', 'e', 'c']);
    expect(await page(2, 1)).toMatchObject({
      data: [
        { content: 'd', sessionId: other },
        { content: 'b', sessionId: one },
      ],
      totalCount: 5,
      pagination: { limit: 2, offset: 1, count: 2, hasMore: true },
    });
    expect(await page(2, 9)).toMatchObject({ data: [], pagination: { count: 0, hasMore: false } });
  });

  test('are those of the others when a session is removed meanwhile', async () => {
    const { sessions, one, other } = open();
    const [before, after] = [sessions.inParts(one), sessions.inParts(other)];
    const answers = [before, after, Promise.reject(new CompanionError('SESSION_NOT_FOUND'))];
    const conversations = (order: readonly number[]) => {
      const left = [...order];
      return { inParts: () => answers[left.shift() ?? 2] ?? after };
    };
    const whole = { limit: 0, offset: 0 };
    const said = async (order: readonly number[]) =>
      (await messagesOf(conversations(order), [one, other], whole)).data.map(({ content }) => content);

    expect(await said([2, 1, 1])).toEqual(['d', 'e']);
    expect(await said([0, 1, 2, 1])).toEqual(['d', 'e']);
  });

  test('come all at once, however many there are', async () => {
    const count = 200_000;
    const { sessions, one } = open();
    const { head, parts } = await sessions.inParts(one);
    const [item] = sessions.view(one).items;
    if (item === undefined) throw new Error('nothing was said');
    const long = async function* (): ReturnType<typeof parts> {
      for await (const part of parts()) yield { ...part, items: part.items.length === 0 ? [] : Array.from({ length: count }, () => item) };
    };
    const conversation = { inParts: () => Promise.resolve({ head, parts: long }) };
    const whole = { limit: 0, offset: 0 };

    expect((await historyOf(conversation, one, whole)).messages).toHaveLength(count);
    expect((await messagesOf(conversation, [one], whole)).data).toHaveLength(count);
  });
});

import { describe, expect, it } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { askHuman, withAnswer } from '#companion/mcp/human.ts';

const sessionId = SessionId.parse('session_1');
const signal = new AbortController().signal;
const call = { tool: 'browser_ask_human', args: [], agentItemId: undefined };

const ask = async (choices: readonly string[], answer: RequestAnswer | null): Promise<{ text: string; asked: RequestBody[] }> => {
  const asked: RequestBody[] = [];
  const sessions = {
    ask: (_: SessionId, request: RequestBody) => {
      asked.push(request);
      return Promise.resolve(answer);
    },
  };
  const text = await askHuman(sessions, {
    sessionId,
    question: { message: 'Which\nfruit?', choices },
    where: 'https://a.example',
    call,
    signal,
  });
  return { text, asked };
};

describe('the person is asked', () => {
  it('to choose, and may answer in their own words', async () => {
    const { text, asked } = await ask(['Pear', 'Plum'], { optionId: 'answer', answers: { 'Which\nfruit?': ['Plum'] } });

    expect(text).toBe('The user answered: Plum');
    expect(asked).toMatchObject([
      {
        kind: 'question',
        title: 'The agent asks you: Which fruit?',
        where: 'https://a.example',
        questions: [{ isOpen: true, isMultiple: false }],
      },
    ]);
  });

  it('to do something, and says when it is done', async () => {
    const { text, asked } = await ask([], { optionId: 'done' });

    expect(text).toBe('The user says that it is done.');
    expect(asked[0]?.questions).toBeUndefined();
  });

  it('and may say no, with a reason; a question that is withdrawn is a cancelled call', async () => {
    await expect(ask([], { optionId: 'reject', text: 'no phone here' })).rejects.toMatchObject({
      code: 'CONSENT_DENIED',
      message: expect.stringContaining('They wrote: no phone here'),
    });
    await expect(ask([], null)).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  });

  it('once: their answer is told though the page has gone meanwhile', () => {
    const gone = { isError: true, content: [{ type: 'text', text: 'TAB_NOT_FOUND' }] };

    expect(withAnswer('The user says that it is done.', gone)).toEqual({
      content: [{ type: 'text', text: 'The user says that it is done.' }],
    });
    expect(withAnswer(null, gone)).toBe(gone);
  });
});

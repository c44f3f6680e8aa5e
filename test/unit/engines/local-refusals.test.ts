/** What a model server refuses, and what is tried without it. */
import { describe, expect } from 'vitest';
import { recording, refuses, says, test, turn } from './local-stage.ts';

describe('a refusal', () => {
  test.for<[number, unknown, string, string]>([
    [401, { error: { message: 'bad key' } }, 'ENGINE_NOT_LOGGED_IN', 'bad key'],
    [403, 'Forbidden', 'ENGINE_NOT_LOGGED_IN', 'Forbidden'],
    [404, { error: { message: 'model "x" not found, try pulling it first' } }, 'ENGINE_MODEL_UNKNOWN', 'try pulling'],
    [413, '', 'ENGINE_CONTEXT_FULL', 'Status 413'],
    [429, { detail: 'Too many' }, 'ENGINE_RATE_LIMITED', 'Too many'],
    [500, { error: 'runner crashed' }, 'ENGINE_API_ERROR', 'runner crashed'],
    [502, '<html>Bad gateway', 'ENGINE_API_ERROR', 'Bad gateway'],
    [503, { error: { code: 503, message: 'Loading model' } }, 'ENGINE_OVERLOADED', 'Loading model'],
    [400, 'x'.repeat(10_000_000), 'ENGINE_API_ERROR', 'xxx'],
  ])('%s', async ([status, body, code, words], { answer }) => {
    const { failure } = await turn(await answer([refuses(status, body)]));

    expect(failure).toMatchObject({ code, message: expect.stringContaining(words) as string });
    expect((failure as Error).message.length).toBeLessThan(800);
  });

  test('says when to come back, in seconds or by a date', async ({ answer }) => {
    const at = Math.ceil(Date.now() / 1000) * 1000 + 90_000;
    const byDate = await turn(await answer([refuses(429, '', { 'retry-after': new Date(at).toUTCString() })]));
    const before = Date.now();
    const bySeconds = await turn(await answer([refuses(429, '', { 'retry-after': '30' })]));

    // What is said in seconds from now is counted from when it is read.
    expect((byDate.failure as { retryAt: number }).retryAt).toBeGreaterThanOrEqual(at - 1000);
    expect((byDate.failure as { retryAt: number }).retryAt).toBeLessThanOrEqual(at + 1000);
    expect((bySeconds.failure as { retryAt: number }).retryAt).toBeGreaterThanOrEqual(before + 30_000);
    expect((bySeconds.failure as { retryAt: number }).retryAt).toBeLessThanOrEqual(Date.now() + 30_000);
  });

  test('that never ends is told all the same', async ({ answer }) => {
    const server = await answer([(response) => response.writeHead(400).write('{"error":"no')]);

    expect((await turn(server)).failure).toMatchObject({ code: 'ENGINE_API_ERROR' });
  });

  test('a redirect is not followed, and the key goes nowhere else', async ({ answer }) => {
    const elsewhere = await answer([says('Caught.')]);
    const server = await answer([refuses(307, '', { location: `${elsewhere.url}/v1/chat/completions` })]);

    const { failure } = await turn(server, { secrets: { LOCAL_API_KEY: 'sk-mine' } });

    expect(failure).toMatchObject({ code: 'ENGINE_API_ERROR', message: expect.stringContaining(elsewhere.url) as string });
    expect(server.chats[0]?.headers.authorization).toBe('Bearer sk-mine');
    expect(elsewhere.requests).toEqual([]);
  });

  test.for([
    'registry.ollama.ai/library/gemma:2b does not support tools',
    'tools param requires --jinja flag',
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  ])('of tools (%s): once more without them, told once', async (message, { answer }) => {
    const server = await answer([refuses(400, { error: { message } }), says('Hello.')]);

    const { failure, text, events } = await turn(server, { tools: recording().bridge });

    expect(failure).toBeNull();
    expect(text).toBe('Hello.');
    expect(server.chats.map(({ body }) => 'tools' in body)).toEqual([true, false]);
    expect(events.filter(({ type }) => type === 'notice')).toHaveLength(1);
  });

  test('of stream_options: once more without them, silently', async ({ answer }) => {
    const server = await answer([refuses(422, { detail: 'extra_forbidden: stream_options' }), says('Hello.')]);

    const { text, events } = await turn(server);

    expect(text).toBe('Hello.');
    expect(events.some(({ type }) => type === 'notice')).toBe(false);
  });

  const history = Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text: `${index} ${'word '.repeat(60)}`,
  }));

  test.for([
    [
      { error: { code: 400, message: 'the request exceeds the available context size', type: 'exceed_context_size_error', n_ctx: 2048 } },
      2048,
    ],
    [
      { object: 'error', message: "This model's maximum context length is 3000 tokens. However, you requested 3500 tokens.", code: 400 },
      3000,
    ],
    [
      {
        error:
          'Trying to keep the first 5000 tokens when context the overflows. The model is loaded with context length of only 2500 tokens',
      },
      2500,
    ],
    [{ error: { code: 'context_length_exceeded', message: 'Too long.' } }, 8192],
  ] as const)('of the length (%j): once more with less', async ([body, window], { answer }) => {
    const server = await answer([refuses(400, body), says('Hello.')]);

    const { failure, text, events } = await turn(server, { history, tools: recording().bridge });

    const [first, second] = server.chats.map((chat) => JSON.stringify(chat.body).length / 4);
    expect(failure).toBeNull();
    expect(text).toBe('Hello.');
    expect(second).toBeLessThan(first ?? 0);
    expect(second).toBeLessThan(window * 0.6);
    expect(server.chats[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'go' });
    // The newest of what was said stays.
    expect(server.chats[1]?.messages.at(-2)?.content).toMatch(/^39 /);
    expect(events[0]).toMatchObject({ type: 'notice', text: expect.stringContaining('too long') as string });
  });

  test('of the length, twice: the context is full', async ({ answer }) => {
    const server = await answer([refuses(400, { error: { message: 'prompt is too long' } })]);

    const { failure } = await turn(server, { history });

    expect(failure).toMatchObject({ code: 'ENGINE_CONTEXT_FULL' });
    expect(server.chats).toHaveLength(2);
  });
});

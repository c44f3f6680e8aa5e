/** Answers as real model servers send them, whatever the specification says. */
import { describe, expect } from 'vitest';
import { createGate } from '#test/fixtures/gate.ts';
import { bridgeOf, delta, end, event, raw, recording, says, stream, test, turn, type RawAnswer, type RawServer } from './local-stage.ts';

const piece = (index: number | null, id: string | null, name: string | null, args?: unknown): object => ({
  ...(index === null ? {} : { index }),
  ...(id === null ? {} : { id }),
  type: 'function',
  function: { ...(name === null ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});
const calls = (...pieces: readonly object[]): object => delta({ tool_calls: pieces });
const whole = (message: object, finish_reason = 'stop'): object => ({ choices: [{ index: 0, message, finish_reason }], usage: null });

/** The calls that come of an answer, and what the model is told of them. */
const called = async (answer: (chat: RawAnswer[]) => Promise<RawServer>, first: RawAnswer) => {
  const server = await answer([first, says('Done.')]);
  const { bridge, called: list } = recording();
  return { ...(await turn(server, { tools: bridge })), list, server };
};

const a = ['browser_a', { n: 1 }];
const b = ['browser_b', { n: 2 }];

describe('tool calls', () => {
  test.for<[string, RawAnswer, unknown[]]>([
    [
      'arguments over many pieces, of two calls in turns',
      stream(
        calls(piece(0, 'x', 'browser_a', '')),
        calls(piece(1, 'y', 'browser_b', '{"n"')),
        ...['{', '"n"', ':', '1'].map((text) => calls(piece(0, null, null, text))),
        calls(piece(1, null, null, ':2}')),
        calls(piece(0, null, null, '}')),
        end('tool_calls'),
      ),
      [a, b],
    ],
    [
      'no index, each whole (Ollama)',
      stream(calls(piece(null, 'x', 'browser_a', '{"n":1}'), piece(null, 'y', 'browser_b', '{"n":2}')), end()),
      [a, b],
    ],
    [
      'no index and no id',
      stream(calls(piece(null, null, 'browser_a', '{"n":1}')), calls(piece(null, null, 'browser_b', '{"n":2}')), end()),
      [a, b],
    ],
    ['no index, in pieces', stream(calls(piece(null, 'x', 'browser_a', '{"n"')), calls(piece(null, null, null, ':1}')), end()), [a]],
    ['index 0 for all', stream(calls(piece(0, 'x', 'browser_a', '{"n":1}')), calls(piece(0, 'y', 'browser_b', '{"n":2}')), end()), [a, b]],
    [
      'one id for all, no index',
      stream(calls(piece(null, 'x', 'browser_a', '{"n":1}'), piece(null, 'x', 'browser_a', '{"n":1}')), end()),
      [a, a],
    ],
    ['one id for all', stream(calls(piece(0, 'x', 'browser_a', '{"n":1}'), piece(1, 'x', 'browser_b', '{"n":2}')), end()), [a, b]],
    ['a new id with each piece', stream(calls(piece(0, 'x', 'browser_a', '{"n"')), calls(piece(0, 'y', null, ':1}')), end()), [a]],
    ['the name with each piece', stream(calls(piece(0, 'x', 'browser_a', '{"n"')), calls(piece(0, 'x', 'browser_a', ':1}')), end()), [a]],
    [
      'an index out of all bounds',
      stream(calls(piece(4_000_000_000, 'x', 'browser_a', '{"n":1}'), piece(-1, 'y', 'browser_b', '{"n":2}')), end()),
      [a, b],
    ],
    ['arguments as an object', stream(calls(piece(0, 'x', 'browser_a', { n: 1 })), end('tool_calls')), [a]],
    ['arguments as JSON in JSON', stream(calls(piece(0, 'x', 'browser_a', '"{\\"n\\":1}"')), end()), [a]],
    ['no arguments', stream(calls(piece(0, 'x', 'browser_a')), end()), [['browser_a', {}]]],
    ['empty arguments', stream(calls(piece(0, 'x', 'browser_a', '')), end()), [['browser_a', {}]]],
    [
      'arguments null',
      stream(calls(piece(0, 'x', 'browser_a', null)), calls(piece(1, 'y', 'browser_b', 'null')), end()),
      [
        ['browser_a', {}],
        ['browser_b', {}],
      ],
    ],
    [
      'ids and names of other types',
      stream(delta({ tool_calls: [{ index: '0', id: 7, function: { name: 'browser_a', arguments: '{"n":1}' } }] }), end()),
      [a],
    ],
    ['finish_reason stop', stream(calls(piece(0, 'x', 'browser_a', '{"n":1}')), end('stop')), [a]],
    ['the old form, not streamed', whole({ content: null, tool_calls: [piece(0, 'x', 'browser_a', '{"n":1}')] }, 'tool_calls'), [a]],
    ['a message in place of a delta', stream(whole({ content: '', tool_calls: [piece(null, 'x', 'browser_a', { n: 1 })] })), [a]],
    [
      'the whole answer again at the end',
      stream(calls(piece(0, 'x', 'browser_a', '{"n":1}')), whole({ tool_calls: [piece(0, 'x', 'browser_a', '{"n":1}')] })),
      [a],
    ],
  ])('%s', async ([, first, expected], { answer }) => {
    const { list, failure, text, server } = await called(answer, first);

    expect(failure).toBeNull();
    expect(list).toEqual(expected);
    expect(text).toBe('Done.');
    const [, , assistant, ...results] = server.chats[1]?.messages ?? [];
    const ids = assistant?.tool_calls?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(expected.length);
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(ids);
  });

  test.for(['{"n":', '[1]', '7', '{"n":1}{"n":2}', "{'n': 1}", '\u0000'])(
    'arguments %j are told to the model as a fault',
    async (args, { answer }) => {
      const { list, failure, events, server } = await called(answer, stream(calls(piece(0, 'x', 'browser_a', args)), end('tool_calls')));

      expect(failure).toBeNull();
      expect(list).toEqual([]);
      const [assistant, result] = server.chats[1]?.messages.slice(2) ?? [];
      expect(result?.content).toContain(`not a JSON object; correct them and retry. They were: ${args}`);
      // Servers refuse a conversation whose calls are no JSON.
      expect(assistant?.tool_calls?.[0]?.function).toEqual({ name: 'browser_a', arguments: '{}' });
      expect(events).toContainEqual(expect.objectContaining({ type: 'item.completed', status: 'failed' }));
    },
  );

  test('fifty at once are all made at once', async ({ answer }) => {
    const pieces = Array.from({ length: 50 }, (_, n) => piece(n, `id${n}`, 'browser_a', `{"n":${n}}`));
    const server = await answer([stream(calls(...pieces), end('tool_calls')), says('Done.')], {
      '/v1/models': { data: [{ id: 'm', max_model_len: 8192 }] },
    });
    const gate = createGate();
    let open = 0;
    const { failure } = await turn(server, {
      tools: bridgeOf(async () => {
        open += 1;
        if (open === 50) gate.open();
        await gate.pass(new Promise(() => {}));
        return { content: [{ type: 'text', text: 'long '.repeat(10_000) }] };
      }),
    });

    expect(failure).toBeNull();
    const results = server.chats[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results).toHaveLength(50);
    for (const { content } of results) expect(content).toMatch(/Cut: \d+ more characters/);
    expect(JSON.stringify(server.chats[1]?.body).length / 4).toBeLessThan(8192);
  });

  test('a call that is cut by the longest length is not made', async ({ answer }) => {
    const { list, failure } = await called(answer, stream(calls(piece(0, 'x', 'browser_a', '{"n":1')), end('length')));

    expect(list).toEqual([]);
    expect(failure).toMatchObject({ code: 'ENGINE_OUTPUT_TRUNCATED' });
  });
});

describe('text and thoughts', () => {
  const pieces = (text: string, length: number): object[] =>
    Array.from({ length: Math.ceil(text.length / length) }, (_, at) => delta({ content: text.slice(at * length, (at + 1) * length) }));

  test.for<[string, string, string, string]>([
    ['in tags', '<think>Hm, 1 < 2.</think>\n\nYes.', 'Hm, 1 < 2.', 'Yes.'],
    ['in tags after a blank line', '\n<think>\nHm.\n</think>Yes.', 'Hm.\n', 'Yes.'],
    ['none between the tags', '<think>\n\n</think>\n\nYes.', '', 'Yes.'],
    ['begun by the template', 'Hm.\nSo it is.\n</think>\n\nYes.', 'Hm.\nSo it is.', 'Yes.'],
    ['begun by the template, and none', '</think>\n\nYes.', '', 'Yes.'],
    ['tags that are spoken of', 'Write <think> and </think> around it.', '', 'Write <think> and </think> around it.'],
    ['never closed', '<think>Hm', 'Hm', ''],
    ['a tag at the very end', 'So: <', '', 'So: <'],
    ['almost a tag', '<thin', '', '<thin'],
  ])('thoughts %s', async ([, content, thoughts, text], { answer }) => {
    for (const length of [1, 2, 3, 7, content.length]) {
      const server = await answer([stream(...pieces(content, length), end())]);
      expect(await turn(server)).toMatchObject({ failure: null, text, thoughts });
    }
  });

  test.for(['reasoning_content', 'reasoning'])('%s is a thought, and is not sent back', async (name, { answer }) => {
    const first = stream(delta({ [name]: 'Secret plan.' }), delta({ content: 'I look.' }), calls(piece(0, 'x', 'browser_a', '{}')), end());
    const { thoughts, server } = await called(answer, first);

    expect(thoughts).toBe('Secret plan.');
    expect(JSON.stringify(server.chats[1]?.body)).not.toContain('Secret plan');
    expect(server.chats[1]?.messages[2]).toMatchObject({ role: 'assistant', content: 'I look.' });
  });

  test('thoughts in tags are not sent back either, and content may come in blocks', async ({ answer }) => {
    const blocks = [
      { type: 'thinking', thinking: 'no' },
      { type: 'text', text: '<think>Secret plan.</think>I ' },
      { type: 'text', text: 'look.' },
    ];
    const { thoughts, server } = await called(answer, stream(delta({ content: blocks }), calls(piece(0, 'x', 'browser_a', '{}')), end()));

    expect(thoughts).toBe('Secret plan.');
    expect(JSON.stringify(server.chats[1]?.body)).not.toContain('Secret plan');
    expect(server.chats[1]?.messages[2]).toMatchObject({ content: 'I look.' });
  });
});

describe('the stream', () => {
  const hello = event(delta({ content: 'Grüße, 世界 🐟' }));
  const stop = event(end());

  test.for<[string, string]>([
    [
      'comments, names and keep-alives',
      `: OPENROUTER PROCESSING\n\nevent: message\nid: 3\nretry: 10\n${hello}:\n\n: keep-alive\n\n${stop}data: [DONE]\n\n`,
    ],
    ['CRLF', `${hello}${stop}data: [DONE]\n\n`.replaceAll('\n', '\r\n')],
    ['no space after the colon, and none between events', `${hello}${stop}`.replaceAll('data: ', 'data:').replaceAll('\n\n', '\n')],
    ['a byte order mark', `\uFEFF${hello}${stop}`],
    ['no [DONE]', hello + stop],
    ['no newline at its end', `${hello}${stop}`.trimEnd()],
    ['[DONE] and no finish_reason', `${hello}data: [DONE]\n\n`],
    ['what follows [DONE]', `${hello}${stop}data: [DONE]\n\n${hello}`],
    ['choices of null and of none', `${event({ choices: null })}${event({ choices: [] })}${hello}${stop}`],
    ['the whole answer, not streamed', JSON.stringify(whole({ content: 'Grüße, 世界 🐟' }), null, 2)],
  ])('%s', async ([, bytes], { answer }) => {
    expect(await turn(await answer([raw(bytes)]))).toMatchObject({ failure: null, text: 'Grüße, 世界 🐟' });
  });

  test('is read the same, cut at whichever byte', async ({ answer }) => {
    const bytes = Buffer.from(hello + stop);
    for (let at = 1; at < bytes.length; at += 1) {
      const server = await answer([raw(bytes.subarray(0, at), bytes.subarray(at))]);
      expect(await turn(server)).toMatchObject({ failure: null, text: 'Grüße, 世界 🐟' });
      await server.close();
    }
  });

  test('a line that is no JSON is passed over and told', async ({ answer }) => {
    const { failure, text, events } = await turn(await answer([raw('data: {"choi\n\n', hello, 'data: 7\n\n', stop)]));

    expect(failure).toBeNull();
    expect(text).toBe('Grüße, 世界 🐟');
    expect(events.flatMap((each) => (each.type === 'malformed' ? [each.line] : []))).toEqual(['{"choi', '7']);
  });

  test('ten thousand of them are passed over too', async ({ answer }) => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `data: ${'{["\\u0000'.repeat((at % 7) + 1)}\n`).join('');

    const { failure, text, events } = await turn(await answer([raw(lines, hello, stop)]));

    expect(failure).toBeNull();
    expect(text).toBe('Grüße, 世界 🐟');
    expect(events.filter(({ type }) => type === 'malformed')).toHaveLength(10_000);
  });

  test.for<[string, object | null, unknown]>([
    ['with its end', { ...end(), usage: { prompt_tokens: 7, completion_tokens: 3 } }, { inputTokens: 7, outputTokens: 3 }],
    ['after it', { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }, { inputTokens: 7, outputTokens: 3 }],
    ['by half', { choices: [], usage: { prompt_tokens: 7 } }, { inputTokens: 7, outputTokens: 0 }],
    ['as null', { choices: [], usage: null }, null],
    ['of another shape', { choices: [], usage: { total: 'many' } }, null],
    ['never', null, null],
  ])('usage comes %s', async ([, last, expected], { answer }) => {
    const { failure, events } = await turn(await answer([raw(hello, stop, last === null ? '' : event(last))]));

    const told = events.flatMap((each) => (each.type === 'usage.updated' ? [each.usage] : []));
    expect(failure).toBeNull();
    if (expected === null) expect(told).toEqual([]);
    else expect(told).toEqual([expect.objectContaining(expected)]);
  });

  test('one that is never closed ends soon after its answer', async ({ answer }) => {
    const server = await answer([(response) => response.writeHead(200).write(hello + stop)]);

    expect(await turn(server)).toMatchObject({ failure: null, text: 'Grüße, 世界 🐟' });
  });

  test.for<[string, RawAnswer, string]>([
    ['an error amid it', stream(delta({ content: 'Half' }), { error: { message: 'CUDA out of memory' } }), 'ENGINE_API_ERROR'],
    ['an error with its status', stream({ error: { code: 429, message: 'Slow down' }, choices: [] }), 'ENGINE_RATE_LIMITED'],
    ['an error in another form', stream({ object: 'error', message: 'no', code: 401 }), 'ENGINE_NOT_LOGGED_IN'],
    ['an error as a word', stream({ error: 'model runner has crashed' }), 'ENGINE_API_ERROR'],
    ['an error event', raw('event: error\ndata: {"error":{"message":"Overloaded"}}\n\n'), 'ENGINE_OVERLOADED'],
    ['finish_reason error', stream(delta({ content: 'Half' }), end('error')), 'ENGINE_API_ERROR'],
    ['finish_reason content_filter', stream(end('content_filter')), 'ENGINE_REFUSED'],
    ['finish_reason length', stream(delta({ content: 'Half' }), end('length')), 'ENGINE_OUTPUT_TRUNCATED'],
    ['no end', raw(hello), 'ENGINE_OUTPUT_TRUNCATED'],
    ['nothing at all', raw(''), 'ENGINE_OUTPUT_TRUNCATED'],
    ['a page', raw('<!doctype html>\n<p>Sign in'), 'ENGINE_OUTPUT_MALFORMED'],
    ['a connection that breaks', (response) => response.writeHead(200).write(hello, () => response.destroy()), 'ENGINE_OUTPUT_TRUNCATED'],
    ['a connection that breaks at once', (response) => response.destroy(), 'ENGINE_SERVER_NOT_FOUND'],
  ])('%s fails the turn and leaves nothing open', async ([, first, code], { answer }) => {
    const { failure, events } = await turn(await answer([first]));

    expect(failure).toMatchObject({ code });
    const started = events.filter(({ type }) => type === 'item.started').length;
    expect(events.filter(({ type }) => type === 'item.completed')).toHaveLength(started);
  });

  test('an answer of 100 MB is cut, one line of 100 MB passed over', { tags: 'whole' }, async ({ answer }) => {
    const flood = event(delta({ content: 'x'.repeat(1024 * 1024) }));
    const endless = await answer([
      (response) => {
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write(flood));
        };
        response.on('drain', more);
        more();
      },
    ]);
    const line = await answer([raw('data: "', ...Array.from({ length: 100 }, () => Buffer.alloc(1024 * 1024, 'x')), '"\n\n', hello, stop)]);

    const cut = await turn(endless);
    const passed = await turn(line);

    expect(cut.failure).toMatchObject({ code: 'ENGINE_OUTPUT_TRUNCATED' });
    expect(cut.text.length).toBeLessThan(9 * 1024 * 1024);
    expect(passed).toMatchObject({ failure: null, text: 'Grüße, 世界 🐟' });
  });

  test('a stop ends a silent server, and one in the midst of its answer', async ({ answer }) => {
    for (const begin of ['', hello]) {
      const stopping = new AbortController();
      const server = await answer([
        (response) => {
          response.writeHead(200).flushHeaders();
          if (begin === '') stopping.abort();
          else response.write(begin);
        },
      ]);
      const { failure, events } = await turn(server, { signal: stopping.signal, emit: () => stopping.abort() });
      expect(failure).not.toBeNull();
      expect(events).toEqual([]);
    }
  });
});

/** Which servers are asked, what they say of their models, and who gets the key. */
import { describe, expect } from 'vitest';
import { findServers } from '#companion/engines/local/servers.ts';
import { local } from '#companion/engines/local.ts';
import { defaultSettings } from '#protocol/events.ts';
import { bridgeOf, delta, end, picture, refuses, says, stream, test, turn, type RawAnswer } from './local-stage.ts';
import { promptOf } from './codec-stage.ts';

const probe = (endpoint: string | null, secrets: Record<string, string> = {}) =>
  local.probe({ secrets, endpoint, signal: new AbortController().signal }).catch((error: unknown) => error);

describe('the list of models', () => {
  test.for<[string, RawAnswer, string[]]>([
    ['of null, as Ollama without a model has it', { object: 'list', data: null }, []],
    ['empty', { data: [] }, []],
    ['with entries of another shape', { data: [null, 7, {}, { id: 'a', max_model_len: 'much', architecture: 'x' }] }, ['a']],
    [
      'with models one cannot talk with',
      { data: ['nomic-embed-text', 'bge-reranker', 'whisper-1', 'qwen3'].map((id) => ({ id })) },
      ['qwen3'],
    ],
    ['that is not there', refuses(404, ''), []],
  ])('%s', async ([, models, expected], { answer }) => {
    const server = await answer([], { '/v1/models': models });

    expect(await probe(server.url)).toMatchObject({ models: expected.map((modelId) => ({ modelId })) });
    if (expected.length === 0)
      expect((await turn(server)).failure).toMatchObject({ code: 'ENGINE_MODEL_UNKNOWN', remedy: expect.stringMatching(/\S/) as string });
  });

  test('a server that has no list takes the model that the session names', async ({ answer }) => {
    const server = await answer([says('Yes.')], { '/v1/models': refuses(405, '') });

    const { failure } = await turn(server, { settings: { ...defaultSettings, model: 'mine' } });

    expect(failure).toBeNull();
    expect(server.chats[0]?.body['model']).toBe('mine');
  });

  test('that never comes does not hold up a stop', async ({ answer }) => {
    const stopping = new AbortController();
    const server = await answer([], { '/v1/models': () => stopping.abort() });

    const { failure } = await turn(server, { signal: stopping.signal });

    expect(failure).toMatchObject({ code: 'CALL_CANCELLED' });
  });

  test('that floods is given up', async ({ answer }) => {
    const flood = Buffer.alloc(1024 * 1024, ' ');
    const server = await answer([], {
      '/v1/models': (response) => {
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write(flood));
        };
        response.on('drain', more);
        more();
      },
    });

    expect(await probe(server.url)).toMatchObject({ code: 'ENGINE_SERVER_NOT_FOUND' });
  });
});

describe('where it is asked', () => {
  test.for([
    ['', '/v1/models'],
    ['/', '/v1/models'],
    ['/v1', '/v1/models'],
    ['/v1/chat/completions', '/v1/models'],
    ['/openai/v1/', '/openai/v1/models'],
    ['/api/paas/v4', '/api/paas/v4/models'],
    ['/v1beta/openai', '/v1beta/openai/models'],
  ] as const)('the address %j', async ([given, path], { answer }) => {
    const server = await answer([], { [path]: { data: [{ id: 'm' }] } });

    expect(await probe(server.url + given)).toMatchObject({ models: [{ modelId: 'm' }] });
    expect(server.requests.map((request) => request.path)).toEqual([path]);
  });

  test.for(['not an address', 'file:///etc/passwd', 'ftp://127.0.0.1'])('%j is no model server', async (endpoint) => {
    expect(await probe(endpoint, { LOCAL_API_KEY: 'sk-mine' })).toMatchObject({ code: 'ENGINE_SERVER_NOT_FOUND' });
  });

  test('without an address: loopback only, and nobody there gets the key', async () => {
    const found = await findServers(null, 'sk-mine', null, new AbortController().signal).catch((error: unknown) => error);

    // A model server that somebody runs on this machine meanwhile is found, too.
    const places = Array.isArray(found) ? found.map(({ url, apiKey }: { url: string; apiKey: unknown }) => [url, apiKey]) : [];
    for (const [url, apiKey] of places) {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(apiKey).toBeNull();
    }
    if (found instanceof Error) {
      expect(found.message).toMatch(/^No model server answers\. .*Ollama \(\S+:11434\).*LM Studio \(\S+:1234\).*llama\.cpp \(\S+:8080\)/);
      expect(found).toMatchObject({ remedy: expect.stringMatching(/^Start Ollama, LM Studio or llama\.cpp/) as string });
    }
  });

  test('a list that is moved elsewhere is not fetched there, with or without the key', async ({ answer }) => {
    const elsewhere = await answer([]);
    const server = await answer([], { '/v1/models': refuses(302, '', { location: `${elsewhere.url}/v1/models` }) });

    expect(await probe(server.url, { LOCAL_API_KEY: 'sk-mine' })).toMatchObject({
      code: 'ENGINE_SERVER_NOT_FOUND',
      message: expect.stringContaining('not followed') as string,
    });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-mine');
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('what the model can take', () => {
  const windowOf = async (server: { url: string }): Promise<number | undefined> => {
    const { events, failure } = await turn(server);
    expect(failure).toBeNull();
    const usage = events.find((event) => event.type === 'usage.updated');
    return usage?.type === 'usage.updated' ? usage.usage.contextWindow : undefined;
  };
  const yes = stream(delta({ content: 'Yes.' }), { ...end(), usage: { prompt_tokens: 1, completion_tokens: 1 } });
  const model = { '/v1/models': { data: [{ id: 'm' }] } };

  test.for<[string, Record<string, RawAnswer>, number]>([
    ['vLLM', { '/v1/models': { data: [{ id: 'm', max_model_len: 40_960 }] } }, 40_960],
    ['OpenRouter', { '/v1/models': { data: [{ id: 'm', context_length: 131_072 }] } }, 131_072],
    ['Groq', { '/v1/models': { data: [{ id: 'm', context_window: 32_768 }] } }, 32_768],
    ['llama.cpp', { ...model, '/props': { default_generation_settings: { n_ctx: 16_384 } } }, 16_384],
    [
      'LM Studio',
      { ...model, '/api/v0/models': { data: [{ id: 'm', loaded_context_length: 12_000, max_context_length: 100_000 }] } },
      12_000,
    ],
    ['LM Studio, not loaded yet', { ...model, '/api/v0/models': { data: [{ id: 'm', max_context_length: 100_000 }] } }, 8_192],
    ['LM Studio, a small one', { ...model, '/api/v0/models': { data: [{ id: 'm', max_context_length: 2_048 }] } }, 2_048],
    [
      'Ollama',
      {
        ...model,
        '/api/ps': {
          models: [
            { name: 'other', context_length: 1 },
            { name: 'm:latest', context_length: 24_000 },
          ],
        },
      },
      24_000,
    ],
    [
      'Ollama of old',
      { ...model, '/api/ps': { models: [] }, '/api/show': { parameters: 'stop "x"\nnum_ctx                        6000' } },
      6_000,
    ],
    ['Ollama that tells nothing', { ...model, '/api/ps': { models: [] } }, 4_096],
    ['nobody', model, 8_192],
  ])('%s', async ([, paths, expected], { answer }) => {
    expect(await windowOf(await answer([yes], paths))).toBe(expected);
  });

  test('Ollama loads the model first, and only then says how much it reads', async ({ answer }) => {
    let isLoaded = false;
    const server = await answer([yes], {
      ...model,
      '/api/ps': (response) => response.end(JSON.stringify({ models: isLoaded ? [{ name: 'm', context_length: 30_000 }] : [] })),
      '/api/generate': (response) => {
        isLoaded = true;
        response.end('{"done":true}');
      },
    });

    expect(await windowOf(server)).toBe(30_000);
    expect(server.requests.find(({ path }) => path === '/api/generate')?.body).toEqual({ model: 'm', stream: false });
  });

  test.for<[string, Record<string, RawAnswer>]>([
    ['llama.cpp', { ...model, '/props': { default_generation_settings: { n_ctx: 9000 }, modalities: { vision: false } } }],
    ['LM Studio', { ...model, '/api/v0/models': { data: [{ id: 'm', type: 'llm' }] } }],
    [
      'Ollama',
      { ...model, '/api/ps': { models: [{ name: 'm', context_length: 9000 }] }, '/api/show': { capabilities: ['completion', 'tools'] } },
    ],
    ['OpenRouter', { '/v1/models': { data: [{ id: 'm', context_length: 9000, architecture: { input_modalities: ['text'] } }] } }],
  ])('no image goes to a model of %s that sees none, and the user is told', async ([, paths], { answer }) => {
    const server = await answer([says('Yes.')], paths);

    const { events, failure } = await turn(server, { prompt: promptOf('go', [picture]) });

    expect(failure).toBeNull();
    expect(server.chats).toHaveLength(1);
    expect(server.chats[0]?.messages.at(-1)?.content).toContain('An image is left out here');
    expect(events.filter(({ type }) => type === 'notice')).toHaveLength(1);
  });

  test('where nobody says, an image is tried, and left out when it is refused', async ({ answer }) => {
    const server = await answer([
      refuses(500, { error: { message: 'image input is not supported - hint: provide the mmproj' } }),
      says('Yes.'),
    ]);

    const { events, failure } = await turn(server, { prompt: promptOf('go', [picture]) });

    expect(failure).toBeNull();
    expect(server.chats.map(({ messages }) => typeof messages.at(-1)?.content)).toEqual(['object', 'string']);
    expect(events[0]).toMatchObject({ type: 'notice', text: expect.stringContaining('cannot see images') as string });
  });

  test('the image of a tool goes to a model that sees, and gives way when it is old', async ({ answer }) => {
    const call = stream(delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'browser_shot', arguments: '{}' } }] }), end());
    const server = await answer([call, call, call, says('Seen.')], { '/v1/models': { data: [{ id: 'm', max_model_len: 4000 }] } });

    const { failure } = await turn(server, {
      tools: bridgeOf(async () => ({ content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] })),
    });

    expect(failure).toBeNull();
    const pictures = server.chats.at(-1)?.messages.filter(({ role }) => role === 'user') ?? [];
    expect(pictures.map(({ content }) => (typeof content === 'string' ? content.slice(0, 9) : content.length))).toEqual([
      'go',
      '[Left out',
      2,
      2,
    ]);
  });
});

/** One table of errors for all engines: whatever fails, it comes as one of its codes, with a message and what to do. */
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { rpcFailure } from '#companion/engines/acp/errors.ts';
import { failureToError } from '#companion/engines/codex/errors.ts';
import type { Codec, Effect, ProcessEngine } from '#companion/engines/engine.ts';
import { apiError, withLogin } from '#companion/engines/errors.ts';
import { engines } from '#companion/engines/index.ts';
import { local } from '#companion/engines/local.ts';
import { CompanionError, ErrorBody, ERRORS, type ErrorCode, isErrorCode, toErrorBody } from '#protocol/errors.ts';
import { defaultSettings } from '#protocol/events.ts';
import { launchOptions, linesOf, replay, scenariosOf } from './replay.ts';
import { launchedFor } from './transcripts.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';

const processEngines = engines.filter((engine) => engine.type === 'process');
const recorded = processEngines.flatMap((engine) => scenariosOf(engine.name).map((scenario) => [engine.name, scenario, engine] as const));

/** Errors in what a codec does: of turns, of stops, and the codes notices carry. */
const errorsIn = (effects: readonly Effect[]): { bodies: unknown[]; codes: string[] } => ({
  bodies: effects.flatMap((effect) => {
    if (effect.type === 'stop') return effect.error === undefined ? [] : [effect.error];
    return effect.type === 'event' && effect.event.type === 'turn.completed' && effect.event.error !== undefined
      ? [effect.event.error]
      : [];
  }),
  codes: effects.flatMap((effect) =>
    effect.type === 'event' && effect.event.type === 'notice' && effect.event.code !== undefined ? [effect.event.code] : [],
  ),
});

/** The engine with everything its codec does kept in `effects`. */
const overheard = (engine: ProcessEngine, effects: Effect[]): ProcessEngine => ({
  ...engine,
  codec: (options): Codec => {
    const codec = engine.codec(options);
    const keep = (made: Effect[]): Effect[] => {
      effects.push(...made);
      return made;
    };
    return {
      start: () => keep(codec.start()),
      line: (line) => keep(codec.line(line)),
      prompt: (prompt) => keep(codec.prompt(prompt)),
      steer: (prompt) => keep(codec.steer(prompt)),
      answer: (requestId, answer) => keep(codec.answer(requestId, answer)),
      interrupt: () => keep(codec.interrupt()),
      stopTask: (itemId) => keep(codec.stopTask(itemId)),
      configure: (settings) => keep(codec.configure(settings)),
      reply: (callId, reply) => keep(codec.reply(callId, reply)),
      exit: (exit) => keep(codec.exit(exit)),
    };
  },
});

/** A body that a person can act on: one of our errors, with nothing else in it, in the words that the table has for it. */
const expectOurs = (body: unknown): void => {
  const parsed: z.infer<typeof ErrorBody> = ErrorBody.parse(body);
  expect(body).toEqual(parsed);
  expect(isErrorCode(parsed.code)).toBe(true);
  expect(parsed.message.startsWith(ERRORS[parsed.code].message)).toBe(true);
  expect(parsed.remedy.trim()).not.toBe('');
};

describe('errors of engines', () => {
  test.for(recorded)('%s, %s: every error is one of ours', ([name, scenario, engine]) => {
    const effects: Effect[] = [];
    replay(overheard(name === 'claude' ? engine : launchedFor(engine, scenario), effects), scenario);

    const { bodies, codes } = errorsIn(effects);

    for (const body of bodies) expectOurs(body);
    expect(codes.filter((code) => !isErrorCode(code))).toEqual([]);
  });

  test('the recordings of failures do end in errors', () => {
    const failed = recorded.filter(([name, scenario, engine]) => {
      const effects: Effect[] = [];
      replay(overheard(name === 'claude' ? engine : launchedFor(engine, scenario), effects), scenario);
      return errorsIn(effects).bodies.length > 0;
    });

    expect(new Set(failed.map(([name]) => name))).toEqual(new Set(recorded.map(([name]) => name)));
    expect(failed.map(([, scenario]) => scenario)).toEqual(expect.arrayContaining(['error-401', 'context-full', 'crash', 'model-unknown']));
  });

  test.for(processEngines.map((engine) => [engine.name, engine] as const))(
    '%s: however its process ends, before it is ready or in a turn, it is told in the same form',
    ([name, engine]) => {
      const exits = [
        { code: 0, signal: null, stderr: '' },
        { code: 1, signal: null, stderr: 'Not logged in · Please run /login' },
        { code: 41, signal: null, stderr: 'x'.repeat(100_000) },
        { code: null, signal: 'SIGKILL', stderr: '\u0000\u001b[31m' },
      ];
      const answer = scenariosOf(name).includes('answer') ? linesOf('answer', name) : [];
      const opening = answer.slice(0, Math.floor(answer.length / 2));

      for (const exit of exits) {
        for (const lines of [[], opening]) {
          const effects: Effect[] = [];
          const codec = overheard(engine, effects).codec(launchOptions());
          codec.start();
          codec.prompt({ turnId: 'turn-1', text: 'hello', attachments: [] });
          for (const line of lines) codec.line(line);
          codec.exit(exit);

          for (const body of errorsIn(effects).bodies) expectOurs(body);
          expect(errorsIn(effects).bodies.length).toBeGreaterThan(0);
        }
      }
    },
  );

  test('what a provider answers becomes one of our errors, whatever its status and its words', () => {
    const words = ['', 'Overloaded', 'prompt is too long: 2 tokens > 1 maximum', 'x'.repeat(10_000), 'invalid x-api-key', '{"error":{}}'];
    for (const status of [null, 0, 400, 401, 403, 404, 408, 413, 418, 429, 500, 502, 503, 529, 599]) {
      for (const text of words) expectOurs(apiError(status, text, 1000));
    }
  });

  test.for([
    [null, 'invalid x-api-key', 'ENGINE_NOT_LOGGED_IN'],
    [null, 'Invalid API-key provided', 'ENGINE_NOT_LOGGED_IN'],
    [null, 'Too many requests: rate limit', 'ENGINE_RATE_LIMITED'],
    [400, 'the context window is exceeded', 'ENGINE_CONTEXT_FULL'],
    [400, 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).', 'ENGINE_CONTEXT_FULL'],
    [null, 'The input token count exceeds the maximum number of tokens allowed 1048576.', 'ENGINE_CONTEXT_FULL'],
    [529, '', 'ENGINE_OVERLOADED'],
    [418, 'teapot', 'ENGINE_API_ERROR'],
    [402, 'Insufficient Balance', 'ENGINE_RATE_LIMITED'],
    [400, 'The model `gpt-9` does not exist or you do not have access to it.', 'ENGINE_MODEL_UNKNOWN'],
    [400, "The 'gpt-9' model is not supported when using Codex with a ChatGPT account.", 'ENGINE_MODEL_UNKNOWN'],
    [null, 'model_not_found', 'ENGINE_MODEL_UNKNOWN'],
    [400, 'the tool is not supported', 'ENGINE_API_ERROR'],
    [500, 'model not found', 'ENGINE_API_ERROR'],
  ] as const)('%s %s is %s', ([status, text, code]) => {
    expect(apiError(status, text).code).toBe(code);
  });

  test.for([
    ['Rate limit reached for gpt-5. Please try again in 6m0s. Visit the site.', 360_000],
    ['Rate limit reached: please try again in 1.898s.', 1_898],
    ['Please retry in 34.074824224s.', 34_075],
    ["You've hit your usage limit. Try again in 3 hours 42 minutes.", 13_320_000],
    ['rate limit: try again in 2 days, 1 hour and 5 minutes', 176_700_000],
    ['429 retry after 30 seconds', 30_000],
    ['rate limited, retry-after: 250ms', 250],
    ['rate limit of 30 requests per 5 minutes', undefined],
    ['rate limit: try again in a while', undefined],
    ['rate limit: try again in 999999999999999999999999999999999999999999 mangos', undefined],
  ] as const)('the time a limit resets, from "%s"', ([text, waitMs]) => {
    const before = Date.now();
    const { code, retryAt } = apiError(429, text);

    expect(code).toBe('ENGINE_RATE_LIMITED');
    if (waitMs === undefined) expect(retryAt).toBeUndefined();
    else {
      expect(retryAt).toBeGreaterThanOrEqual(before + waitMs - 1);
      expect(retryAt).toBeLessThanOrEqual(Date.now() + waitMs + 1);
    }
  });

  test('what the provider says in a header beats its words, and only what passes has a time', () => {
    expect((apiError(429, 'try again in 6m0s', 5_000).retryAt ?? 0) - Date.now()).toBeLessThan(6_000);
    expect(apiError(401, 'try again in 6m0s').retryAt).toBeUndefined();
  });

  test('every failure codex has a name for becomes one of our errors, and so does one it has none for', () => {
    const named = [
      'contextWindowExceeded',
      'usageLimitExceeded',
      'serverOverloaded',
      'unauthorized',
      'modelNotFound',
      'badRequest',
      'sandboxError',
    ];
    const infos = [...named, 'of tomorrow', null, undefined, 7, { httpConnectionFailed: { httpStatusCode: 401 } }, { ofTomorrow: {} }];

    for (const codexErrorInfo of infos) expectOurs(failureToError({ message: 'It failed.', codexErrorInfo } as never));
    expectOurs(failureToError(null));
  });

  test('every error answer of an ACP agent becomes one of our errors', () => {
    for (const code of [-32_000, -32_002, -32_601, -32_603, 0, 401, 429, 500]) {
      for (const data of [
        undefined,
        null,
        'text',
        7,
        { details: '[API Error: 401]' },
        { errorName: 'APIError' },
        { errorName: 'ContextOverflowError' },
      ]) {
        expectOurs(rpcFailure({ code, message: 'Internal error: it failed', data } as never, {}));
      }
    }
  });

  test('a local model that is not there is one of our errors', async () => {
    const turn = local.turn({
      prompt: { turnId: 'turn-1', text: 'hello', attachments: [] },
      settings: defaultSettings,
      history: [],
      tools: null,
      secrets: {},
      endpoint: 'http://127.0.0.1:1',
      emit: () => {},
      signal: AbortSignal.timeout(HANG_MS),
    });

    const error = toErrorBody(await turn.catch((thrown: unknown) => thrown));

    expectOurs({ ...error, message: ERRORS[error.code].message });
    expect(error.code).toBe('ENGINE_SERVER_NOT_FOUND');
  });

  test('the table has what can stand between a person and an agent, each with what to do', () => {
    const codes: readonly ErrorCode[] = [
      'ENGINE_NOT_FOUND',
      'ENGINE_SERVER_NOT_FOUND',
      'ENGINE_TOO_OLD',
      'ENGINE_NOT_LOGGED_IN',
      'ENGINE_RATE_LIMITED',
      'ENGINE_OVERLOADED',
      'ENGINE_CONTEXT_FULL',
      'ENGINE_MODEL_UNKNOWN',
      'ENGINE_OUTPUT_MALFORMED',
      'ENGINE_HUNG',
      'ENGINE_CRASHED',
      'ENGINE_BUDGET_REACHED',
      'WORKSPACE_NOT_FOUND',
      'WORKSPACE_OUTSIDE_ROOTS',
      'MCP_UNREACHABLE',
    ];
    for (const code of codes)
      expect(ERRORS[code]).toMatchObject({ message: expect.stringMatching(/\S/), remedy: expect.stringMatching(/\S/) });
  });
});

describe('an agent in which nobody is signed in', () => {
  const remedyOf = (error: CompanionError, command: string): string => withLogin(error.toBody(), command).remedy;

  test('is told with the command that signs in, unless the error says another way, or there is none', () => {
    const { remedy } = new CompanionError('ENGINE_NOT_LOGGED_IN');

    expect(remedyOf(new CompanionError('ENGINE_NOT_LOGGED_IN', 'of z'), 'z login')).toBe('Run `z login` in a terminal, then send again.');
    expect(remedyOf(new CompanionError('ENGINE_NOT_LOGGED_IN', '', { remedy: 'Store a key.' }), 'z login')).toBe('Store a key.');
    expect(remedyOf(new CompanionError('ENGINE_NOT_LOGGED_IN'), '')).toBe(remedy);
    expect(remedyOf(new CompanionError('ENGINE_CRASHED'), 'z login')).not.toContain('z login');
  });
});

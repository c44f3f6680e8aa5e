import { describe, expect, test } from 'vitest';
import type { LaunchOptions } from '#companion/engines/engine.ts';
import { glm } from '#companion/engines/glm.ts';
import { eventsOf, launchOptions } from './replay.ts';

const introduction = JSON.stringify({
  type: 'control_response',
  response: {
    subtype: 'success',
    request_id: 'pilotfish-1',
    response: { account: { tokenSource: 'ANTHROPIC_AUTH_TOKEN' }, models: [{ value: 'opus' }] },
  },
});

describe('glm', () => {
  const providerOf = (options: Partial<LaunchOptions>): Record<string, string> => {
    const { files } = glm.launch({ ...launchOptions({ model: 'glm-4.7' }), ...options });
    return JSON.parse(files.find(({ name }) => name === 'provider.json')?.content ?? '{}').env;
  };

  test('is claude at another address, with its own key and model behind the alias sonnet', () => {
    const launch = glm.launch({ ...launchOptions({ model: 'glm-4.7' }), secrets: { GLM_API_KEY: 'the-key' } });

    expect(launch.args).toContain('--model=sonnet');
    expect(launch.args.at(-1)).toBe(`--settings=${launchOptions().runDir}/provider.json`);
    expect(providerOf({ secrets: { GLM_API_KEY: 'the-key' } })).toMatchObject({
      ANTHROPIC_BASE_URL: 'https://api.z.ai/api/anthropic',
      ANTHROPIC_AUTH_TOKEN: 'the-key',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'glm-4.7',
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      ENABLE_TOOL_SEARCH: 'false',
    });
    expect(JSON.stringify([launch.args, launch.env])).not.toContain('the-key');
  });

  test('is not ready without its key, whoever claude is logged in as', () => {
    const codec = glm.codec(launchOptions());
    codec.start();

    const effects = codec.line(introduction);

    expect(JSON.stringify(effects)).toContain('ENGINE_NOT_LOGGED_IN');
    expect(JSON.stringify(effects)).not.toContain('"ready"');
  });

  test("the user's variables for it win", () => {
    expect(providerOf({ userEnv: { ANTHROPIC_BASE_URL: 'https://open.example/anthropic' } })['ANTHROPIC_BASE_URL']).toBe(
      'https://open.example/anthropic',
    );
  });

  test("the user's Anthropic key is not sent to another provider", () => {
    expect(glm.envAllow).toEqual([]);
    // Nor the one in the settings of the user's own claude, which would beat the environment.
    expect(providerOf({ secrets: { GLM_API_KEY: 'the-key' } })['ANTHROPIC_API_KEY']).toBe('');
  });

  test('offers its own models, whatever claude lists', () => {
    const codec = glm.codec({ ...launchOptions(), secrets: { GLM_API_KEY: 'the-key' } });
    codec.start();

    const events = eventsOf(codec.line(introduction));

    expect(events).toMatchObject([{ type: 'ready', models: [{ modelId: 'glm-5' }, { modelId: 'glm-4.7' }, { modelId: 'glm-4.5-air' }] }]);
  });
});

import { describe, expect, test } from 'vitest';
import { glm } from '#companion/engines/glm.ts';
import { eventsOf, launchOptions } from './replay.ts';

describe('glm', () => {
  test('is claude at another address, with its own key and model behind the alias sonnet', () => {
    const launch = glm.launch({ ...launchOptions({ model: 'glm-4.7' }), secrets: { GLM_API_KEY: 'the-key' } });

    expect(launch.args).toContain('--model=sonnet');
    expect(launch.env).toMatchObject({
      ANTHROPIC_BASE_URL: 'https://api.z.ai/api/anthropic',
      ANTHROPIC_AUTH_TOKEN: 'the-key',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'glm-4.7',
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      ENABLE_TOOL_SEARCH: 'false',
    });
    expect(launch.env).not.toHaveProperty('GLM_API_KEY');
    expect(JSON.stringify(launch.args)).not.toContain('the-key');
  });

  test("the user's Anthropic key is not sent to another provider", () => {
    expect(glm.envAllow).toEqual([]);
  });

  test('offers its own models, whatever claude lists', () => {
    const codec = glm.codec(launchOptions());
    codec.start();

    const events = eventsOf(
      codec.line(
        JSON.stringify({
          type: 'control_response',
          response: {
            subtype: 'success',
            request_id: 'pilotfish-1',
            response: { account: { tokenSource: 'ANTHROPIC_AUTH_TOKEN' }, models: [{ value: 'opus' }] },
          },
        }),
      ),
    );

    expect(events).toMatchObject([{ type: 'ready', models: [{ modelId: 'glm-5' }, { modelId: 'glm-4.7' }, { modelId: 'glm-4.5-air' }] }]);
  });
});

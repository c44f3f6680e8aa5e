/** GLM with the real Claude Code, in a home whose own claude settings name another provider and key. */
import { describe, expect } from 'vitest';
import { answerOf, startConversation } from '#test/fixtures/conversation.ts';
import { startMessagesServer } from '#test/fixtures/messages-server.ts';
import { test } from '#test/fixtures/stage.ts';

describe('a turn with GLM', () => {
  test(
    "goes to GLM's provider with GLM's key only, and is not ready without the key",
    { tags: 'whole' },
    async ({ companion, home, model }) => {
      home.installClaude(model.url);
      const provider = await startMessagesServer();
      provider.script('hello', { parts: [{ text: 'Hello from GLM.' }] });
      await companion.startDaemon();
      const statusOf = async (): Promise<string | undefined> => {
        const { json } = await companion.api.send('POST', '/api/engines/refresh', { name: 'glm' });
        return (json as { engines: { name: string; status: string }[] }).engines.find(({ name }) => name === 'glm')?.status;
      };
      const before = await statusOf();
      await companion.api.send('PUT', '/api/engines/glm/settings', { env: { ANTHROPIC_BASE_URL: provider.url } });
      const stored = await companion.api.send('PUT', '/api/engines/glm/secrets/GLM_API_KEY', { value: 'glm-key' });
      const after = await statusOf();
      const conversation = await startConversation(companion, { engine: 'glm' });

      await conversation.act('hello');
      const view = await conversation.waitFor(({ turns, status }) => turns.length > 0 && status === 'idle');

      expect({ before, stored: stored.status < 300, after }).toEqual({ before: 'not_logged_in', stored: true, after: 'ready' });
      expect(answerOf(view)).toBe('Hello from GLM.');
      expect(new Set(provider.requests.map(({ apiKey }) => apiKey))).toEqual(new Set(['glm-key']));
      expect(provider.requests[0]?.model).toMatch(/^glm-/);
      expect(model.requests).toEqual([]);
      conversation.close();
      await provider.close();
    },
  );
});

/** The local engine in the built daemon: its tools, its memory, and who hears of its key. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { startChatServer } from '#test/fixtures/chat-server.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { answerOf, lastTurn, turnsDone } from '#test/fixtures/conversation.ts';
import type { ModelRequest } from '#test/fixtures/model-server.ts';
import { connectBrowserDouble, DOUBLE_PAGE } from '#test/fixtures/browser-double.ts';
import { subjects, test as base, type Subject } from './engine-stage.ts';

const test = base.extend<{ subject: Subject }>({
  // oxlint-disable-next-line no-empty-pattern
  subject: async ({}, use) => {
    const found = subjects.find(({ name }) => name === 'local');
    if (found === undefined) throw new Error('there is no local engine');
    await use({
      ...found,
      startModel: () =>
        startChatServer({
          models: [
            { id: 'big', max_model_len: 100_000 },
            { id: 'small', max_model_len: 4000 },
          ],
        }),
    });
  },
});

const messagesOf = (request: ModelRequest | undefined): { role: string; content: unknown }[] =>
  (request?.body['messages'] ?? []) as { role: string; content: unknown }[];

describe('a local model', () => {
  test(
    'twenty calls in one answer all reach the browser, and each result the model',
    { tags: 'whole' },
    async ({ companion, setUp, subject }) => {
      const { model, converse } = await setUp(subject);
      const calls = Array.from({ length: 20 }, () => subject.browserTool('browser_snapshot', {}));
      model.script('look everywhere', { parts: calls }, { parts: [{ text: 'Seen.' }] });
      const browser = await connectBrowserDouble(companion);
      const conversation = await converse();

      await conversation.act('look everywhere');
      const view = await turnsDone(conversation, 1);
      browser.close();

      expect(lastTurn(view)?.status).toBe('completed');
      expect(browser.calls).toHaveLength(20);
      const results = messagesOf(model.requests.at(-1)).filter(({ role }) => role === 'tool');
      expect(results).toHaveLength(20);
      for (const { content } of results) expect(content).toContain(DOUBLE_PAGE.title);
    },
  );

  test(
    'remembers after the daemon was killed what was said, attached and seen, with another model too',
    { tags: 'whole' },
    async ({ companion, home, setUp, subject }) => {
      const { model, converse, daemon } = await setUp(subject);
      model.script('look at it', { parts: [subject.browserTool('browser_snapshot', {})] }, { parts: [{ text: 'I have seen it.' }] });
      model.script('and now', { parts: [{ text: 'As I said.' }] });
      const browser = await connectBrowserDouble(companion);
      const conversation = await converse();
      const attachments = [
        { type: 'selection', name: 's', mimeType: 'text/plain', dataBase64: Buffer.from('an albatross').toString('base64') },
      ];
      await conversation.act('look at it', { attachments });
      await turnsDone(conversation, 1);
      browser.close();

      process.kill(daemon, 'SIGKILL');
      await home.waitForProcesses((list) => list.every(({ pid }) => pid !== daemon));
      await companion.startDaemon();
      conversation.reconnect();
      await companion.api.send('PATCH', `/agent/sessions/${conversation.sessionId}`, { model: 'small' });
      await conversation.act('and now');
      const view = await turnsDone(conversation, 2);

      expect(answerOf(view)).toContain('As I said.');
      const request = model.requests.at(-1);
      expect(request?.model).toBe('small');
      const messages = messagesOf(request);
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
      expect(messages[1]?.content).toContain('an albatross');
      expect(messages[3]?.content).toContain(DOUBLE_PAGE.title);
      expect(messages[4]?.content).toBe('I have seen it.');
    },
  );

  test('the panel is told that it has no shell', { tags: 'whole' }, async ({ companion, setUp, subject }) => {
    await setUp(subject);

    const { json } = await companion.api.send('POST', '/api/engines/refresh', { name: 'local' });

    const { engines } = json as { engines: { name: string; capabilities: { hasShell: boolean } }[] };
    expect(engines.find(({ name }) => name === 'local')?.capabilities.hasShell).toBe(false);
  });
});

describe('the key of a model server', () => {
  const setEndpoint = (companion: Companion, endpoint: string) => companion.api.send('PUT', '/api/engines/local/settings', { endpoint });

  test('goes to the server it was stored for and to no other, named or sent on to', async ({ companion, setUp, subject }) => {
    const heard: unknown[] = [];
    const elsewhere = createServer(({ headers }, response) => {
      heard.push(headers.authorization);
      response.end('{"data":[{"id":"m"}]}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const { model, converse } = await setUp(subject);
    model.script('hello', { parts: [{ text: 'Hello.' }] });
    await companion.api.send('PUT', '/api/engines/local/secrets/LOCAL_API_KEY', { value: 'sk-mine' });

    const refused = await setEndpoint(companion, url);
    const conversation = await converse();
    await conversation.act('hello');
    await turnsDone(conversation, 1);
    elsewhere.close();

    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ code: 'INPUT_INVALID', remedy: expect.stringContaining('--remove') as string });
    expect(model.requests.at(-1)?.apiKey).toBe('sk-mine');
    expect(heard).toEqual([]);
  });
});

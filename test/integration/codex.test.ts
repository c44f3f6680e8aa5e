/** What codex can, with the real program against a scripted model, through the built executable. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { agents } from '#test/fixtures/agents.ts';
import { answerNext, answerOf, lastTurn, turnsDone } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { codex, modes, patch, toolsOf } from './codex-stage.ts';
import { test } from './engine-stage.ts';

const { tools } = agents.codex;

describe('a turn of codex', () => {
  test('reasoning and text come in pieces while the model speaks, and its tokens are counted', { tags: 'whole' }, async ({ setUp }) => {
    const { model, converse } = await setUp(codex);
    const gate = createGate();
    const parts = [{ thinking: 'Let me count.' }, { text: 'One two three', pieceLength: 4 }, { gate }, { text: ' four.' }];
    model.script('count', { parts });
    const conversation = await converse();

    await conversation.act('count');
    const during = await conversation.waitFor((view) => answerOf(view).includes('three'));
    gate.open();
    const view = await turnsDone(conversation, 1);

    expect(during.status).toBe('running');
    expect(view.items.flatMap(({ body }) => ('text' in body && body.kind !== 'notice' ? [[body.kind, body.text]] : []))).toEqual([
      ['message', 'count'],
      ['thought', 'Let me count.'],
      ['message', 'One two three'],
      ['message', ' four.'],
    ]);
    expect(view.usage).toMatchObject({ inputTokens: 90, cacheReadTokens: 10, outputTokens: 20, contextUsed: 120 });
    expect(view.usage.contextWindow).toBeGreaterThan(100_000);
  });

  test(
    'a prompt that begins with a command calls a skill of the user, or compacts; the commands are told with the agent',
    { tags: 'whole' },
    async ({ setUp, home, companion }) => {
      const folder = path.join(home.dir, '.codex/skills/tide');
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        path.join(folder, 'SKILL.md'),
        '---\nname: tide\ndescription: Reads tide tables\n---\nSay that high water is at noon.\n',
      );
      const { model, converse } = await setUp(codex);
      model.script('of Brest', { parts: [{ text: 'At noon.' }] });
      model.script('only the tests', { parts: [{ text: 'There is nothing amiss.' }] });
      model.script('Compact', { parts: [{ text: 'They spoke of tides.' }] });
      const conversation = await converse();
      const { json } = await companion.api.send('POST', '/api/engines/refresh', { name: 'codex' });
      const { engines } = json as { engines: { name: string; commands?: { name: string }[] }[] };
      const commands = engines.find(({ name }) => name === 'codex')?.commands ?? [];

      await conversation.act('/tide of Brest');
      await turnsDone(conversation, 1);
      await conversation.act('/compact');
      const compacted = await turnsDone(conversation, 2);
      await conversation.act('/review only the tests');
      const reviewed = await turnsDone(conversation, 3);

      expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['compact', 'review', 'tide']));
      expect(JSON.stringify(model.requests[0])).toContain('Say that high water is at noon.');
      expect(answerOf(reviewed)).toContain('nothing amiss');
      expect(compacted.turns.map(({ status }) => status)).toEqual(['completed', 'completed']);
      expect(compacted.items.at(-1)?.body).toMatchObject({ kind: 'notice', saying: { code: 'shortened' } });
    },
  );

  test('a command shows its output while it runs, and its exit code', { tags: 'whole' }, async ({ setUp }) => {
    const { model, converse } = await setUp(codex);
    model.script(
      'run it',
      { parts: [tools.shell('until [ -e go ]; do echo tick; sleep 0.05; done; echo last; exit 3')] },
      ({ toolText }) => ({
        parts: [{ text: toolText }],
      }),
    );
    const conversation = await converse(modes.everything);

    await conversation.act('run it');
    const during = await conversation.waitFor((view) => toolsOf(view)[0]?.text.includes('tick') === true);
    writeFileSync(path.join(conversation.rootPath, 'go'), '');
    const view = await turnsDone(conversation, 1);

    expect(toolsOf(during)).toMatchObject([{ status: 'running', toolKind: 'execute' }]);
    // Until codex has noted what the login shell sets up, it runs commands in that shell, whose profile prints a banner.
    const output = expect.stringMatching(/^(?:Welcome back\n)?(?:tick\n)+last\n$/) as string;
    expect(toolsOf(view)).toMatchObject([{ status: 'failed', exitCode: 3, text: output }]);
    expect(answerOf(view)).toContain('last');
  });

  test('changed files are whole unified diffs', async ({ setUp, skip }) => {
    skip(!isWhole, 'the recordings have it, and one that is asked about is in codex-requests.test.ts: npm run test:whole');
    const { model, converse } = await setUp(codex);
    model.script(
      'change them',
      { parts: [patch('*** Add File: a.txt', '+one', '+two')] },
      { parts: [patch('*** Update File: a.txt', '*** Move to: b.txt', '@@', ' one', '-two', '+2')] },
      { parts: [patch('*** Delete File: b.txt')] },
      { parts: [{ text: 'Done.' }] },
    );
    const conversation = await converse(modes.project);

    await conversation.act('change them');
    const view = await turnsDone(conversation, 1);

    const [a, b] = ['a.txt', 'b.txt'].map((name) => path.join(conversation.rootPath, name));
    expect(toolsOf(view).map(({ status, toolKind, changes }) => ({ status, toolKind, changes }))).toEqual([
      {
        status: 'completed',
        toolKind: 'edit',
        changes: [{ path: a, change: 'add', unified: `--- /dev/null\n+++ ${a}\n@@ -0,0 +1,2 @@\n+one\n+two\n` }],
      },
      {
        status: 'completed',
        toolKind: 'edit',
        changes: [{ path: a, change: 'move', movedTo: b, unified: `--- ${a}\n+++ ${a}\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n` }],
      },
      {
        status: 'completed',
        toolKind: 'edit',
        changes: [{ path: b, change: 'delete', unified: `--- ${b}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-2\n` }],
      },
    ]);
    expect(existsSync(String(b))).toBe(false);
  });

  test('its plan is one item that follows its steps', async ({ setUp, skip }) => {
    skip(!isWhole, 'the recordings have it: npm run test:whole');
    const { model, converse } = await setUp(codex);
    const plan = (first: string, second: string) => ({
      parts: [
        {
          tool: 'update_plan',
          input: {
            plan: [
              { step: 'Look', status: first },
              { step: 'Tell', status: second },
            ],
          },
        },
      ],
    });
    const gate = createGate();
    model.script(
      'plan it',
      plan('in_progress', 'pending'),
      { parts: [{ gate }, ...plan('completed', 'completed').parts] },
      { parts: [{ text: 'Told.' }] },
    );
    const conversation = await converse();
    const entries = (view: Parameters<typeof answerOf>[0]) =>
      view.items.flatMap(({ body }) => (body.kind === 'plan' ? [body.entries] : []));

    await conversation.act('plan it');
    const during = await conversation.waitFor((view) => entries(view).length > 0);
    gate.open();
    const view = await turnsDone(conversation, 1);

    expect(entries(during)).toEqual([
      [
        { content: 'Look', status: 'in_progress' },
        { content: 'Tell', status: 'pending' },
      ],
    ]);
    expect(entries(view).map((list) => list.map(({ status }) => status))).toEqual([['completed', 'completed']]);
  });

  test('a message into the running turn reaches the model in it', async ({ setUp }) => {
    const { model, converse } = await setUp(codex);
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }] });
    model.script('make it short', { parts: [{ text: 'The end.' }] });
    const conversation = await converse();

    await conversation.act('a long story');
    await conversation.waitFor((view) => answerOf(view).includes('Once upon'));
    await conversation.act('make it short', { delivery: 'steer' });
    await model.waitForRequest(({ body }) => JSON.stringify(body).includes('make it short'));
    gate.open();
    const view = await turnsDone(conversation, 1);

    expect(answerOf(view)).toBe('Once upon a time\nThe end.');
    expect(lastTurn(view)?.status).toBe('completed');
  });
});

describe("codex and the user's machine", () => {
  test('its models are listed with their efforts, and the chosen ones reach the model, from the next turn on', async ({
    companion,
    setUp,
    skip,
  }) => {
    skip(!isWhole, 'the recordings have it: npm run test:whole');
    const { model, converse } = await setUp(codex);
    model.script('hello', { parts: [{ text: 'Hello.' }] });
    const { json } = await companion.api.send('POST', '/api/engines/refresh', { name: 'codex' });
    const { engines } = json as { engines: { name: string; models?: { modelId: string; efforts?: string[] }[] }[] };
    const models = engines.find(({ name }) => name === 'codex')?.models ?? [];
    const [first, second] = models.filter(({ efforts }) => efforts?.includes('high') === true && efforts.includes('low'));
    const conversation = await converse({ model: first?.modelId, effort: 'low' });

    await conversation.act('hello');
    await turnsDone(conversation, 1);
    await companion.api.send('PATCH', `/agent/sessions/${conversation.sessionId}`, { model: second?.modelId, effort: 'high' });
    await conversation.act('hello again');
    await turnsDone(conversation, 2);

    expect(second).toBeDefined();
    const used = model.requests.map(({ body }) => `${String(body['model'])} ${(body['reasoning'] as { effort: string }).effort}`);
    // It may send a request again.
    expect([...new Set(used)]).toEqual([`${first?.modelId} low`, `${second?.modelId} high`]);
  });

  test('it reaches for nothing on the network but the model', { tags: 'whole' }, async ({ companion, home, setUp }) => {
    const reached: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      reached.push(String(request.url));
      socket.destroy();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { model, converse } = await setUp(codex, { env: { HTTPS_PROXY: url, https_proxy: url, NO_PROXY: '127.0.0.1' } });
    model.script('hello', { parts: [{ text: 'Hello.' }] });
    const conversation = await converse();

    await conversation.act('hello');
    await turnsDone(conversation, 1);
    await companion.stopDaemon();
    proxy.close();

    expect(reached).toEqual([]);
    expect(existsSync(path.join(home.dir, '.codex/.tmp'))).toBe(false);
  });

  test("the user's settings and login are as they were, byte for byte", async ({ companion, home, setUp, skip }) => {
    skip(!isWhole, 'engines.test.ts looks at every file of the user: npm run test:whole');
    const { model, converse } = await setUp(codex);
    const files = ['config.toml', 'auth.json'].map((name) => path.join(home.dir, '.codex', name));
    const [config, auth] = files;
    appendFileSync(String(config), '# a comment of mine\n\n  [projects."/elsewhere"]\ntrust_level   =   "untrusted"\n');
    writeFileSync(String(auth), '{ "OPENAI_API_KEY": "sk-mine",  "tokens": null, "last_refresh": null }', { mode: 0o600 });
    const look = () => files.map((file) => [readFileSync(file, 'utf8'), statSync(file).mode, statSync(file).mtimeMs]);
    const before = look();
    const gate = createGate();
    model.script('write', { parts: [tools.shell('touch made.txt')] }, { parts: [{ text: 'Made.' }, { gate }] });
    model.script('hello', { parts: [{ text: 'Hello.' }] });
    await companion.api.send('POST', '/api/engines/refresh', { name: 'codex' });
    const conversation = await converse();

    await conversation.act('write');
    await answerNext(companion, conversation, 'allow_session');
    await conversation.waitFor((view) => answerOf(view).includes('Made.'));
    await companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);
    await turnsDone(conversation, 1);
    gate.open();
    await companion.api.send('PATCH', `/agent/sessions/${conversation.sessionId}`, {
      permissionMode: 'full-access',
      systemPrompt: 'Be brief.',
    });
    await conversation.act('hello');
    const view = await turnsDone(conversation, 2);
    await companion.stopDaemon();

    expect(answerOf(view)).toContain('Hello.');
    expect(conversation.events().filter((event) => event.type === 'run.changed' && event.state === 'starting')).toHaveLength(2);
    expect(look()).toEqual(before);
  });
});

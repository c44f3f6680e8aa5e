/** Turns with the real Claude Code against a scripted model, through the daemon's HTTP API. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { EngineInfo } from '#protocol/engines.ts';
import { createCompanion, type Companion } from '#test/fixtures/companion.ts';
import { answerNext, answerOf, isDone, lastTurn, startConversation } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { createHome, type Home } from '#test/fixtures/home.ts';
import { startMessagesServer } from '#test/fixtures/messages-server.ts';
import { waitForTranscript } from '#test/fixtures/installed-agent.ts';
import { apiErrors, type ModelServer } from '#test/fixtures/model-server.ts';
import { signal } from '#test/fixtures/signal.ts';
import { test as base } from '#test/fixtures/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** One home with claude and one daemon, for the tests that leave both as they were. */
const test = base.extend<{ shared: { home: Home; model: ModelServer; companion: Companion } }>({
  shared: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
    async ({}, use) => {
      const home = createHome();
      const model = await startMessagesServer();
      home.installClaude(model.url);
      const companion = createCompanion(home);
      await companion.startDaemon();
      await use({ home, model, companion });
      await companion.stopDaemon();
      await model.close();
      await home.remove();
    },
    { scope: 'file' },
  ],
});

describe('a turn with claude', () => {
  test('streams thoughts and text in pieces, and the log has no gap', async ({ shared: { companion, model } }) => {
    model.script('tell me', { parts: [{ thinking: 'Let me think.' }, { text: 'One two three four five.', pieceLength: 5 }] });
    const conversation = await startConversation(companion);

    await conversation.act('tell me');
    const view = await conversation.waitFor(isDone);

    expect(lastTurn(view)?.status).toBe('completed');
    expect(answerOf(view)).toBe('One two three four five.');
    expect(view.items.map(({ body }) => body.kind)).toEqual(expect.arrayContaining(['message', 'thought']));
    expect(conversation.events().filter(({ type }) => type === 'item.delta').length).toBeGreaterThan(1);
    expect(conversation.events().map(({ seq }) => seq)).toEqual(conversation.events().map((_, index) => index + 1));
    conversation.close();
  });

  test('a command asks first; allowed, it runs and its output reaches the model', async ({ shared: { companion, model }, skip }) => {
    skip(!isWhole, 'as in engines.test.ts: npm run test:whole');
    model.script(
      'make a file',
      { parts: [{ tool: 'Bash', input: { command: 'echo made > made.txt && cat made.txt', description: 'Make a file' } }] },
      (request) => ({
        parts: [{ text: `The output was: ${request.toolText.trim()}` }],
      }),
    );
    const conversation = await startConversation(companion);

    await conversation.act('make a file');
    await conversation.waitFor((view) => view.requests.length > 0);
    expect(conversation.view().status).toBe('waiting');
    expect(existsSync(path.join(conversation.rootPath, 'made.txt'))).toBe(false);
    await answerNext(companion, conversation, 'allow_once');
    const view = await conversation.waitFor(isDone);

    expect(readFileSync(path.join(conversation.rootPath, 'made.txt'), 'utf8')).toBe('made\n');
    expect(answerOf(view)).toContain('The output was: made');
    conversation.close();
  });

  test(
    'tells its commands, and which of them are skills that were added to it',
    { tags: 'whole' },
    async ({ shared: { companion, home } }) => {
      const folder = path.join(home.dir, '.claude/skills/tide');
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        path.join(folder, 'SKILL.md'),
        '---\nname: tide\ndescription: Reads tide tables\n---\nSay that high water is at noon.\n',
      );

      const { json } = await companion.api.send('POST', '/api/engines/refresh', { name: 'claude' });
      rmSync(folder, { recursive: true });

      const { engines } = json as { engines: EngineInfo[] };
      const commands = engines.find(({ name }) => name === 'claude')?.commands ?? [];
      expect(commands.filter(({ isSkill }) => isSkill === true)).toEqual([
        { name: 'tide', description: expect.stringContaining('Reads tide tables'), isSkill: true },
      ]);
      expect(commands.map(({ name }) => name)).toContain('compact');
    },
  );

  test('a stop also takes back what was said into the running turn', async ({ shared: { companion, model } }) => {
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }, { text: ' there was an end.' }] });
    model.script('make it shorter', { parts: [{ text: 'Nobody asked for this any more.' }] });
    model.script('a short one', { parts: [{ text: 'The end.' }] });
    const conversation = await startConversation(companion);
    await conversation.act('a long story');
    await conversation.waitFor((view) => answerOf(view).includes('Once upon a time'));

    await conversation.act('make it shorter', { delivery: 'steer' });
    await companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);
    await conversation.waitFor(isDone);
    gate.open();
    await conversation.act('a short one');
    const view = await conversation.waitFor((next) => answerOf(next).includes('The end.') && isDone(next));

    expect(view.turns.map(({ status }) => status)).toEqual(['cancelled', 'completed']);
    expect(answerOf(view)).not.toContain('Nobody asked');
    conversation.close();
  });

  test('the agent killed mid-turn: a typed error, and the next turn resumes', async ({ companion, home, model, skip }) => {
    skip(!isWhole, 'as while a command of it runs, in faults-kill.test.ts: npm run test:whole');
    home.installClaude(model.url);
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }] });
    model.script('go on', { parts: [{ text: 'Here I am again.' }] });
    await companion.startDaemon();
    const conversation = await startConversation(companion);
    await conversation.act('a long story');
    await conversation.waitFor((view) => answerOf(view).includes('Once upon a time'));
    await waitForTranscript(home, 'a long story');

    for (const { pid, command } of home.processes()) if (command.includes('--input-format')) signal(pid, 'SIGKILL');
    const view = await conversation.waitFor(isDone);
    gate.open();

    expect(lastTurn(view)).toMatchObject({ status: 'failed', error: { code: 'ENGINE_CRASHED', remedy: expect.any(String) } });
    expect(view.items.every(({ status }) => status !== 'running')).toBe(true);
    await conversation.act('go on');
    expect(answerOf(await conversation.waitFor((next) => next.turns.length === 2 && isDone(next)))).toContain('Here I am again.');
    conversation.close();
  });

  test.for([
    ['rateLimited', 'ENGINE_RATE_LIMITED'],
    ['overloaded', 'ENGINE_OVERLOADED'],
    ['contextFull', 'ENGINE_CONTEXT_FULL'],
  ] as const)(
    'the provider answers %s: the turn fails with %s and a remedy',
    async ([kind, code], { shared: { companion, model }, skip }) => {
      skip(
        !isWhole && kind !== 'rateLimited',
        'the recordings have it, and panel-cards.spec.ts what a full context leads to: npm run test:whole',
      );
      model.script(kind, apiErrors[kind]);
      const conversation = await startConversation(companion);

      await conversation.act(kind);
      const view = await conversation.waitFor(isDone);

      expect(lastTurn(view)).toMatchObject({ status: 'failed', error: { code, remedy: expect.stringMatching(/\S/) } });
      conversation.close();
    },
  );

  test('no secret is in an argument, and nothing of the run is left on disk', { tags: 'whole' }, async ({ companion, home, model }) => {
    home.installClaude(model.url);
    const gate = createGate();
    model.script('hello', { parts: [{ gate }, { text: 'Hi.' }] });
    await companion.startDaemon();
    const settings = path.join(home.dir, '.claude', 'settings.json');
    const before = readFileSync(settings, 'utf8');
    const conversation = await startConversation(companion);
    await conversation.act('hello');
    await gate.reached;

    const commands = home.processes().map(({ command }) => command);
    expect(commands.join('\n')).not.toMatch(/Bearer|sk-test|hello/);
    gate.open();
    await conversation.waitFor(isDone);
    conversation.close();
    await companion.stopDaemon();

    expect(existsSync(companion.paths.runsDir) ? readdirSync(companion.paths.runsDir) : []).toEqual([]);
    expect(readFileSync(settings, 'utf8')).toBe(before);
    expect(readdirSync(conversation.rootPath)).toEqual([]);
  });
});

describe('what stands in the way of a turn', () => {
  test('no claude on the machine: the engine says so and how to install it', { tags: 'whole' }, async ({ companion }) => {
    await companion.startDaemon();
    const conversation = await startConversation(companion);

    await conversation.act('hello');
    const view = await conversation.waitFor(isDone);

    expect(lastTurn(view)).toMatchObject({ status: 'failed', error: { code: 'ENGINE_NOT_FOUND' } });
    expect(JSON.stringify(lastTurn(view)?.error)).toContain('npm install -g @anthropic-ai/claude-code');
    conversation.close();
  });

  test.for([
    ['a folder that does not exist', (home: string) => path.join(home, 'nowhere'), 'WORKSPACE_NOT_FOUND'],
    ['a file', (home: string) => path.join(home, '.bash_profile'), 'WORKSPACE_NOT_A_DIRECTORY'],
    ['a folder of the system', () => '/etc', 'WORKSPACE_OUTSIDE_ROOTS'],
    ['a way out of the home', (home: string) => `${home}/../../etc`, 'WORKSPACE_OUTSIDE_ROOTS'],
  ] as const)('a project root that is %s is refused', async ([, root, code], { shared: { companion, home } }) => {
    const { status, json } = await companion.api.send('POST', '/agent/projects', { name: 'Bad', rootPath: root(home.dir) });

    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(json)).toContain(code);
  });
});

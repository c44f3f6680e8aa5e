/** Turns with the real Claude Code against a scripted model, through the daemon's HTTP API. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { SessionView } from '#protocol/view.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { answerOf, startConversation, type Conversation } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { apiErrors } from '#test/fixtures/model-server.ts';
import { test } from '#test/fixtures/stage.ts';

const isDone = (view: SessionView): boolean =>
  view.turns.length > 0 && view.status === 'idle' && view.turns.every((turn) => turn.durationMs !== null);
const lastTurn = (view: SessionView): SessionView['turns'][number] | undefined => view.turns.at(-1);

const answerRequest = async (companion: Companion, conversation: Conversation, kind: string): Promise<number> => {
  const [request] = conversation.view().requests;
  const option = request?.request.options.find((candidate) => candidate.kind === kind);
  if (request === undefined || option === undefined) throw new Error(`no request with an option ${kind}`);
  const url = `/api/agent-sessions/${conversation.sessionId}/requests/${request.requestId}`;
  return (await companion.api.send('POST', url, { optionId: option.optionId })).status;
};

describe('a turn with claude', () => {
  test('streams thoughts and text in pieces, and the log has no gap', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    model.script('tell me', { parts: [{ thinking: 'Let me think.' }, { text: 'One two three four five.', pieceLength: 5 }] });
    await companion.startDaemon();
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

  test('a command asks first; allowed, it runs and its output reaches the model', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    model.script(
      'make a file',
      { parts: [{ tool: 'Bash', input: { command: 'echo made > made.txt && cat made.txt', description: 'Make a file' } }] },
      (request) => ({
        parts: [{ text: `The output was: ${request.toolText.trim()}` }],
      }),
    );
    await companion.startDaemon();
    const conversation = await startConversation(companion);

    await conversation.act('make a file');
    await conversation.waitFor((view) => view.requests.length > 0);
    expect(conversation.view().status).toBe('waiting');
    expect(existsSync(path.join(conversation.rootPath, 'made.txt'))).toBe(false);
    expect(await answerRequest(companion, conversation, 'allow_once')).toBeLessThan(300);
    const view = await conversation.waitFor(isDone);

    expect(readFileSync(path.join(conversation.rootPath, 'made.txt'), 'utf8')).toBe('made\n');
    expect(answerOf(view)).toContain('The output was: made');
    conversation.close();
  });

  test('denied, it does not run and the turn goes on', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    model.script(
      'make a file',
      { parts: [{ tool: 'Bash', input: { command: 'touch made.txt', description: 'Make a file' } }] },
      { parts: [{ text: 'Then not.' }] },
    );
    await companion.startDaemon();
    const conversation = await startConversation(companion);

    await conversation.act('make a file');
    await conversation.waitFor((view) => view.requests.length > 0);
    await answerRequest(companion, conversation, 'reject');
    const view = await conversation.waitFor(isDone);

    expect(existsSync(path.join(conversation.rootPath, 'made.txt'))).toBe(false);
    expect(answerOf(view)).toContain('Then not.');
    expect(view.items.find(({ body }) => body.kind === 'tool')?.status).toBe('denied');
    conversation.close();
  });

  test('an interrupt keeps the partial text and the next turn works', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }, { text: ' there was an end.' }] });
    model.script('a short one', { parts: [{ text: 'The end.' }] });
    await companion.startDaemon();
    const conversation = await startConversation(companion);

    await conversation.act('a long story');
    await conversation.waitFor((view) => answerOf(view).includes('Once upon a time'));
    await companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);
    const view = await conversation.waitFor(isDone);
    gate.open();
    expect(lastTurn(view)?.status).toBe('cancelled');
    expect(answerOf(view)).toContain('Once upon a time');

    await conversation.act('a short one');
    expect(answerOf(await conversation.waitFor((next) => next.turns.length === 2 && isDone(next)))).toContain('The end.');
    conversation.close();
  });

  test('a stop also takes back what was said into the running turn', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }, { text: ' there was an end.' }] });
    model.script('make it shorter', { parts: [{ text: 'Nobody asked for this any more.' }] });
    model.script('a short one', { parts: [{ text: 'The end.' }] });
    await companion.startDaemon();
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

  test('the daemon killed mid-turn: interrupted, partial text kept, no agent left, and the conversation resumes', async ({
    companion,
    home,
    model,
  }) => {
    home.installClaude(model.url);
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }, { text: ' there was an end.' }] });
    model.script('go on', (request) => ({
      parts: [{ text: JSON.stringify(request.messages).includes('a long story') ? 'I remember.' : 'Who are you?' }],
    }));
    const first = await companion.startDaemon();
    const conversation = await startConversation(companion);
    const turnId = await conversation.act('a long story');
    await conversation.waitFor((view) => answerOf(view).includes('Once upon a time'));

    process.kill(first, 'SIGKILL');
    await home.waitForProcesses((list) => list.every(({ pid }) => pid !== first));
    gate.open();
    const second = await companion.startDaemon();
    expect(second).not.toBe(first);
    conversation.reconnect();
    const view = await conversation.waitFor(isDone);

    expect(view.turns.find((turn) => turn.turnId === turnId)?.status).toBe('interrupted');
    expect(answerOf(view)).toContain('Once upon a time');
    await home.waitForProcesses((list) => list.every(({ command }) => !command.includes('claude')));
    await conversation.act('go on');
    expect(answerOf(await conversation.waitFor((next) => next.turns.length === 2 && isDone(next)))).toContain('I remember.');
    conversation.close();
  });

  test('the agent killed mid-turn: a typed error, and the next turn resumes', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }] });
    model.script('go on', { parts: [{ text: 'Here I am again.' }] });
    await companion.startDaemon();
    const conversation = await startConversation(companion);
    await conversation.act('a long story');
    await conversation.waitFor((view) => answerOf(view).includes('Once upon a time'));

    for (const { pid, command } of home.processes()) if (command.includes('--input-format')) process.kill(pid, 'SIGKILL');
    const view = await conversation.waitFor(isDone);
    gate.open();

    expect(lastTurn(view)).toMatchObject({ status: 'failed', error: { code: 'ENGINE_CRASHED', remedy: expect.any(String) } });
    expect(view.items.every(({ status }) => status !== 'running')).toBe(true);
    await conversation.act('go on');
    expect(answerOf(await conversation.waitFor((next) => next.turns.length === 2 && isDone(next)))).toContain('Here I am again.');
    conversation.close();
  });

  test.for([
    ['unauthorized', 'ENGINE_NOT_LOGGED_IN'],
    ['rateLimited', 'ENGINE_RATE_LIMITED'],
    ['overloaded', 'ENGINE_OVERLOADED'],
    ['contextFull', 'ENGINE_CONTEXT_FULL'],
  ] as const)('the provider answers %s: the turn fails with %s and a remedy', async ([kind, code], { companion, home, model }) => {
    home.installClaude(model.url);
    model.script('hello', apiErrors[kind]);
    await companion.startDaemon();
    const conversation = await startConversation(companion);

    await conversation.act('hello');
    const view = await conversation.waitFor(isDone);

    expect(lastTurn(view)).toMatchObject({ status: 'failed', error: { code, remedy: expect.stringMatching(/\S/) } });
    conversation.close();
  });

  test('no secret is in an argument, and nothing of the run is left on disk', async ({ companion, home, model }) => {
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
  test('no claude on the machine: the engine says so and how to install it', async ({ companion }) => {
    await companion.startDaemon();
    const conversation = await startConversation(companion);

    await conversation.act('hello');
    const view = await conversation.waitFor(isDone);

    expect(lastTurn(view)).toMatchObject({ status: 'failed', error: { code: 'ENGINE_NOT_FOUND' } });
    expect(JSON.stringify(lastTurn(view)?.error)).toContain('npm install -g @anthropic-ai/claude-code');
    conversation.close();
  });

  test('claude is found through the login shell, and its version told', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    await companion.startDaemon();

    const { json } = await companion.api.send('POST', '/api/engines/refresh', { name: 'claude' });

    const { engines } = json as { engines: { name: string }[] };
    expect(engines.find(({ name }) => name === 'claude')).toMatchObject({ status: 'ready', version: '2.1.329' });
  });

  test.for([
    ['a folder that does not exist', (home: string) => path.join(home, 'nowhere'), 'WORKSPACE_NOT_FOUND'],
    ['a file', (home: string) => path.join(home, '.bash_profile'), 'WORKSPACE_NOT_A_DIRECTORY'],
    ['a folder of the system', () => '/etc', 'WORKSPACE_OUTSIDE_ROOTS'],
    ['a way out of the home', (home: string) => `${home}/../../etc`, 'WORKSPACE_OUTSIDE_ROOTS'],
  ] as const)('a project root that is %s is refused', async ([, root, code], { companion, home, model }) => {
    home.installClaude(model.url);
    await companion.startDaemon();

    const { status, json } = await companion.api.send('POST', '/agent/projects', { name: 'Bad', rootPath: root(home.dir) });

    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(json)).toContain(code);
  });
});

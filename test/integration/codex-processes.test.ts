/** What the real codex starts, keeps and leaves: its commands, and its own processes beyond the number that is kept. */
import { describe, expect } from 'vitest';
import type { SessionView } from '#protocol/view.ts';
import { agents } from '#test/fixtures/agents.ts';
import { isDaemon, type Companion } from '#test/fixtures/companion.ts';
import { answerOf, lastTurn, turnsDone, type Conversation } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import type { Home } from '#test/fixtures/home.ts';
import type { ModelServer, ScriptStep } from '#test/fixtures/model-server.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { codex, codexProcesses, modes } from './codex-stage.ts';
import { test } from './engine-stage.ts';

const { tools } = agents.codex;
const keep = (maxProcesses: number) => ({ settings: { warm: { maxProcesses } } });
const starts = (conversation: Conversation): number =>
  conversation.events().filter((event) => event.type === 'run.changed' && event.state === 'starting').length;
const sleeps = (home: Home) => home.processes().filter(({ command }) => command.startsWith('sleep 36'));

const command = 'sleep 3600 & nohup sleep 3601 & sleep 3602';
const awaited = [{ parts: [tools.shell(command)] }, { parts: [{ text: 'It has ended.' }] }];
const leftRunning = [
  { parts: [{ tool: 'exec_command', input: { cmd: command, yield_time_ms: 250 } }] },
  { parts: [{ text: 'It runs.' }, { gate: createGate() }] },
];
const begin = async (model: ModelServer, home: Home, conversation: Conversation, steps: readonly ScriptStep[]): Promise<void> => {
  model.script('wait', ...steps);
  await conversation.act('wait');
  await until(() => sleeps(home).length === 3, { what: 'the command' });
};
const hasLeftIt = (view: SessionView): boolean => answerOf(view).includes('It runs.');

describe('a command of codex', () => {
  const moments: readonly [string, readonly ScriptStep[], (view: SessionView) => boolean][] = [
    ['waits for it', awaited, () => true],
    ['has left it running', leftRunning, hasLeftIt],
  ];
  test.for(moments)(
    'ends with all it started when a turn is stopped that %s, and the conversation goes on',
    async ([, steps, isThere], { companion, home, setUp, skip }) => {
      skip(!isWhole && steps === awaited, 'as in engines.test.ts: npm run test:whole');
      const { model, converse } = await setUp(codex);
      const conversation = await converse(modes.everything);
      await begin(model, home, conversation, steps);
      await conversation.waitFor(isThere);
      model.script('go on', { parts: [{ text: 'Gladly.' }] });

      await companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);
      const view = await turnsDone(conversation, 1);
      await home.waitForProcesses(() => sleeps(home).length === 0);
      await conversation.act('go on');
      const next = await turnsDone(conversation, 2);

      expect(lastTurn(view)?.status).toBe('cancelled');
      expect(view.items.every(({ status }) => status !== 'running')).toBe(true);
      expect(answerOf(next)).toContain('Gladly.');
      expect(starts(conversation)).toBe(1);
    },
  );

  const ways: readonly [string, (companion: Companion, conversation: Conversation) => Promise<unknown>][] = [
    ['its conversation is deleted', (companion, { sessionId }) => companion.api.send('DELETE', `/api/agent-sessions/${sessionId}`)],
    ['the daemon ends', (companion) => companion.stopDaemon()],
  ];
  test.for(ways)('ends with all it started when %s', { tags: 'whole' }, async ([, end], { companion, home, setUp }) => {
    const { model, converse } = await setUp(codex);
    const conversation = await converse(modes.everything);
    await begin(model, home, conversation, leftRunning);
    await conversation.waitFor(hasLeftIt);

    await end(companion, conversation);

    await home.waitForProcesses((list) => list.every(isDaemon));
  });
});

/** Which of them sleeps, and when, is the same for all agents. */
const POOLED = 'as the agents of the unit tests do, and codex is started many times for it: npm run test:whole';

describe('more conversations than processes of codex are kept', () => {
  test('the longest unused one sleeps, and goes on with its memory', { tags: 'whole' }, async ({ home, setUp }) => {
    const { model, converse } = await setUp(codex, keep(2));
    for (const marker of ['remember', 'hello']) model.script(marker, { parts: [{ text: 'I will.' }] });
    const [first, second, third] = [await converse(), await converse(), await converse()];
    await first.act('remember the word albatross');
    await turnsDone(first, 1);
    await second.act('hello');
    await turnsDone(second, 1);

    await third.act('hello');
    await turnsDone(third, 1);
    await first.waitFor((view) => view.run.state === 'stopped');
    await home.waitForProcesses(() => codexProcesses(home).length === 2);
    const before = model.requests.length;
    await first.act('hello, what was the word?');
    const view = await turnsDone(first, 2);

    expect([first, second, third].map(starts)).toEqual([2, 1, 1]);
    await second.waitFor(({ run }) => run.state === 'stopped');
    expect(lastTurn(view)?.status).toBe('completed');
    expect(view.items.some(({ body }) => body.kind === 'notice')).toBe(false);
    expect(JSON.stringify(model.requests[before]?.messages)).toContain('albatross');
  });

  test('one with a turn or a command that runs on is never put to sleep', { tags: 'whole' }, async ({ home, setUp }) => {
    const { model, converse } = await setUp(codex, keep(1));
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }, { text: ' there was an end.' }] });
    model.script(
      'serve it',
      { parts: [{ tool: 'exec_command', input: { cmd: 'sleep 3600', yield_time_ms: 250 } }] },
      { parts: [{ text: 'It runs.' }] },
    );
    model.script('hello', { parts: [{ text: 'Hello.' }] });
    const [telling, serving, other] = [await converse(), await converse(modes.everything), await converse()];
    await telling.act('a long story');
    await telling.waitFor((view) => answerOf(view).includes('Once upon'));
    await serving.act('serve it');
    await turnsDone(serving, 1);

    await other.act('hello');
    await turnsDone(other, 1);
    await home.waitForProcesses(() => codexProcesses(home).length === 2);
    gate.open();
    const view = await turnsDone(telling, 1);

    expect(lastTurn(view)?.status).toBe('completed');
    expect(answerOf(view)).toContain('there was an end.');
    expect(serving.view().run.state).toBe('ready');
    expect(sleeps(home)).toHaveLength(1);
  });

  test('one that sleeps as soon as its turn has ended forgets nothing of it', async ({ skip, home, setUp }) => {
    skip(!isWhole, POOLED);
    const { model, converse } = await setUp(codex, keep(1));
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }] });
    model.script('remember', { parts: [{ text: 'The word is noted.' }] });
    model.script('what was it', { parts: [{ text: 'Albatross.' }] });
    const [telling, other] = [await converse(), await converse()];
    await telling.act('a long story');
    await telling.waitFor((view) => answerOf(view).includes('Once upon'));

    await other.act('remember the word albatross');
    const asleep = await other.waitFor((view) => view.turns[0]?.status === 'completed' && view.run.state === 'stopped');
    await home.waitForProcesses(() => codexProcesses(home).length === 1);
    const before = model.requests.length;
    await other.act('what was it?');
    await turnsDone(other, 2);
    gate.open();
    await turnsDone(telling, 1);

    const remembered = JSON.stringify(model.requests[before]?.messages);
    expect(remembered).toContain('albatross');
    expect(remembered).toContain('The word is noted.');
    expect(asleep.usage).toMatchObject({ outputTokens: 20 });
  });

  test('one that sleeps as soon as it was stopped leaves nothing of its command', async ({ companion, home, setUp, skip }) => {
    skip(!isWhole, 'as one that is used least: npm run test:whole');
    const { model, converse } = await setUp(codex, keep(1));
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }] });
    const [telling, other] = [await converse(), await converse(modes.everything)];
    await telling.act('a long story');
    await telling.waitFor((view) => answerOf(view).includes('Once upon'));
    await begin(model, home, other, leftRunning);
    await other.waitFor(hasLeftIt);

    await companion.api.send('DELETE', `/agent/chat/${other.sessionId}/cancel`);
    const view = await other.waitFor(({ run }) => run.state === 'stopped');
    await home.waitForProcesses(() => sleeps(home).length === 0 && codexProcesses(home).length === 1);
    gate.open();
    await turnsDone(telling, 1);

    expect(lastTurn(view)?.status).toBe('cancelled');
  });

  test('many at once leave as many as are kept, and none when the daemon ends', async ({ skip, companion, home, setUp }) => {
    skip(!isWhole, POOLED);
    const { model, converse } = await setUp(codex, keep(2));
    const gate = createGate();
    model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }, { text: ' there was an end.' }] });
    const conversations = await Promise.all(Array.from({ length: 8 }, () => converse()));
    await Promise.all(conversations.map((conversation) => conversation.act('a long story')));
    await Promise.all(conversations.map((conversation) => conversation.waitFor((view) => answerOf(view).includes('Once upon'))));
    await home.waitForProcesses(() => codexProcesses(home).length === 8);

    gate.open();
    const views = await Promise.all(conversations.map((conversation) => turnsDone(conversation, 1)));
    await home.waitForProcesses(() => codexProcesses(home).length === 2);
    await companion.stopDaemon();

    expect(views.map((view) => lastTurn(view)?.status)).toEqual(Array.from({ length: 8 }, () => 'completed'));
    await home.waitForProcesses((list) => list.length === 0);
  });
});

import { join } from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { cursor } from '#companion/engines/cursor.ts';
import type { Effect, EngineEvent } from '#companion/engines/engine.ts';
import { startChild } from '#companion/process/child.ts';
import { compileCache } from '#test/fixtures/compile-cache.ts';
import { until } from '#test/fixtures/until.ts';
import { launchOptions } from './replay.ts';
import { promptOf } from './codec-stage.ts';

const DOUBLE = join(import.meta.dirname, '../../fixtures/cursor-double.ts');

/** A conversation with the double, which is a process of its own. */
const start = (resumed: string | null, env: Record<string, string> = {}) => {
  const codec = cursor.codec({ ...launchOptions(), cwd: '/project', engineSessionId: resumed });
  const events: EngineEvent[] = [];
  const effects: Effect[] = [];
  const apply = (given: readonly Effect[]): void => {
    effects.push(...given);
    for (const effect of given) {
      if (effect.type === 'write') child.write(effect.line);
      if (effect.type === 'event') events.push(effect.event);
    }
  };
  const child = startChild({
    command: process.execPath,
    args: [DOUBLE, ...cursor.launch(launchOptions()).args],
    cwd: import.meta.dirname,
    env: { ...compileCache, PATH: process.env['PATH'] ?? '', ...env },
    onLine: (line) => apply(codec.line(line)),
    onOverflow: () => {},
  });
  apply(codec.start());
  const waitFor = async <T extends EngineEvent['type']>(type: T) =>
    until(() => events.find((event): event is Extract<EngineEvent, { type: T }> => event.type === type), { what: type });
  return {
    events,
    effects,
    waitFor,
    stop: () => child.stop({ graceMs: 0 }),
    say: async (text: string) => {
      await waitFor('ready');
      apply(codec.prompt(promptOf(text)));
    },
    answer: async (optionId: string, more: { answers?: Record<string, string[]>; text?: string } = {}) => {
      const { requestId } = await waitFor('request.opened');
      apply(codec.answer(requestId, { optionId, ...more }));
    },
    interrupt: () => apply(codec.interrupt()),
    text: () => events.map((event) => (event.type === 'item.delta' ? event.text : '')).join(''),
  };
};

type Conversation = ReturnType<typeof start>;

const test = base.extend<{ open: (resumed?: string, env?: Record<string, string>) => Conversation }>({
  // oxlint-disable-next-line no-empty-pattern
  open: async ({}, use) => {
    const opened: Conversation[] = [];
    await use((resumed, env) => {
      const conversation = start(resumed ?? null, env);
      opened.push(conversation);
      return conversation;
    });
    await Promise.all(opened.map((conversation) => conversation.stop()));
  },
});

describe('cursor, by the double of its documented protocol', () => {
  test('answers, in the modes it names', async ({ open }) => {
    const conversation = open();

    await conversation.say('hello');
    await conversation.waitFor('turn.completed');

    expect(conversation.text()).toBe('Hello from the double.');
    expect((await conversation.waitFor('ready')).modes?.map(({ modeId }) => modeId)).toEqual(['agent', 'plan', 'ask']);
  });

  test('asks before a command', async ({ open }) => {
    const conversation = open();

    await conversation.say('shell');
    await conversation.answer('allow-once');
    await conversation.waitFor('turn.completed');

    expect(conversation.events).toContainEqual({ type: 'item.completed', itemId: 'tool_1', status: 'completed', patch: { exitCode: 0 } });
    expect(conversation.text()).toBe('The tests pass.');
  });

  test('its questions are asked and answered by choice', async ({ open }) => {
    const conversation = open();

    await conversation.say('ask');
    await conversation.answer('answer', { answers: { 'Which tab?': ['Second'] } });
    await conversation.waitFor('turn.completed');

    expect(JSON.parse(conversation.text())).toEqual({
      outcome: { outcome: 'answered', answers: [{ questionId: 'q1', selectedOptionIds: ['b'] }] },
    });
  });

  test('its plan waits for the user, and a refusal carries the reason', async ({ open }) => {
    const conversation = open();

    await conversation.say('plan');
    const { request } = await conversation.waitFor('request.opened');
    await conversation.answer('reject', { text: 'Too long.' });
    await conversation.waitFor('turn.completed');

    expect(request).toMatchObject({ kind: 'plan', title: 'The plan', detail: 'In two steps\n\n1. Open it' });
    expect(JSON.parse(conversation.text())).toEqual({ outcome: { outcome: 'rejected', reason: 'Too long.' } });
  });

  test('its todo list is the plan, changes merged into it', async ({ open }) => {
    const conversation = open();

    await conversation.say('todos');
    await conversation.waitFor('turn.completed');

    expect(await conversation.waitFor('item.updated')).toMatchObject({
      patch: {
        entries: [
          { content: 'Read', status: 'completed' },
          { content: 'Write', status: 'pending' },
        ],
      },
    });
  });

  test('tasks and images that are done are lines in the conversation, and nothing waits for us', async ({ open }) => {
    const conversation = open();

    await conversation.say('news');
    await conversation.waitFor('turn.completed');

    expect(conversation.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))).toEqual([
      'explore: Look around (2 s)',
      'Made an image: a diagram: /project/diagram.png',
    ]);
    expect(conversation.text()).toBe('{}');
  });

  test('stops when told to', async ({ open }) => {
    const conversation = open();
    await conversation.say('wait');
    await conversation.waitFor('item.delta');

    conversation.interrupt();

    expect(await conversation.waitFor('turn.completed')).toEqual({ type: 'turn.completed', outcome: 'cancelled' });
  });

  test('a resumed conversation is not shown again', async ({ open }) => {
    const conversation = open('cursor-session-1');

    await conversation.waitFor('ready');

    expect(conversation.events.map(({ type }) => type)).toEqual(['bound', 'ready']);
  });

  test('without a login it says so at once', async ({ open }) => {
    const conversation = open(undefined, { CURSOR_DOUBLE: 'logged-out' });

    const stop = await until(() => conversation.effects.find(({ type }) => type === 'stop'));

    expect(stop).toMatchObject({ error: { code: 'ENGINE_NOT_LOGGED_IN' } });
  });

  test("is never the stranger's package of the same name", () => {
    expect(cursor.finding.installCommand).toBe('curl https://cursor.com/install -fsS | bash');
    expect(JSON.stringify(cursor.finding)).not.toContain('npm');
  });
});

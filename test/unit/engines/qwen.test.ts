import { describe, expect, test } from 'vitest';
import type { EngineAttachment } from '#companion/engines/engine.ts';
import { qwen } from '#companion/engines/qwen.ts';
import { defaultSettings } from '#protocol/events.ts';
import { AttachmentId } from '#protocol/ids.ts';
import { greet, MODES, permission, said, SESSION } from './acp-stage.ts';
import { launchOptions } from './replay.ts';
import { promptOf, startSession, type CodecSession } from './codec-stage.ts';

const working = (): CodecSession => {
  const session = startSession(qwen);
  greet(session);
  session.answers('session/new', { result: { sessionId: SESSION, modes: MODES } });
  session.take(session.codec.prompt(promptOf('hello')));
  return session;
};

const drain = { id: 9, method: 'craft/drainMidTurnQueue', params: { sessionId: SESSION, todoStopGuardWatchQueuedPrompt: true } };

const questions = [
  { question: 'Which tab?', header: 'Tab', multiSelect: false, options: [{ label: 'First' }, { label: 'Second' }] },
  { question: 'Which colours?', header: 'Colours', multiSelect: true, options: [{ label: 'Red' }, { label: 'Blue' }] },
];

const asking = permission({
  title: 'Ask user 2 questions',
  kind: 'think',
  rawInput: { questions },
  _meta: { toolName: 'ask_user_question', qwenQuestions: questions },
});

describe('a launch of qwen', () => {
  test('limits how often it repeats a failed request, by a file of the run', () => {
    const { env, files } = qwen.launch({ ...launchOptions(), runDir: '/run/1' });

    const [file] = files;
    expect(env['QWEN_CODE_SYSTEM_DEFAULTS_PATH']).toBe(`/run/1/${file?.name}`);
    expect(JSON.parse(file?.content ?? '')).toEqual({ model: { generationConfig: { maxRetries: 0 } } });
  });

  test('chooses the model as an option of the session, which leaves the settings of the user alone', () => {
    const session = startSession(qwen, { settings: { ...defaultSettings, model: 'b' } });
    const models = { currentModelId: 'a', availableModels: ['a', 'b'].map((modelId) => ({ modelId, name: modelId })) };
    const option = { id: 'model', category: 'model', currentValue: 'a', options: ['a', 'b'].map((value) => ({ value, name: value })) };
    greet(session);

    session.answers('session/new', { result: { sessionId: SESSION, modes: MODES, models, configOptions: [option] } });

    expect(session.sent.at(-1)).toMatchObject({
      method: 'session/set_config_option',
      params: { sessionId: SESSION, configId: 'model', value: 'b' },
    });
  });
});

describe('a question of qwen', () => {
  test('is shown as one, and its answers go back by number', () => {
    const session = working();

    const events = session.says(asking);
    session.take(
      session.codec.answer('0', { optionId: 'answer', answers: { 'Which colours?': ['Red', 'Blue'], 'Which tab?': ['Second'] } }),
    );

    expect(events.at(-1)).toMatchObject({
      type: 'request.opened',
      itemId: 'call-1',
      request: {
        kind: 'question',
        title: '2 questions',
        saying: { code: 'questions', values: { count: '2' } },
        questions: [
          { question: 'Which tab?', header: 'Tab', isMultiple: false },
          { question: 'Which colours?', isMultiple: true },
        ],
      },
    });
    expect(session.sent.at(-1)).toMatchObject({
      id: 0,
      result: { outcome: { outcome: 'selected', optionId: 'once' }, answers: { 0: 'Second', 1: 'Red, Blue' } },
    });
  });

  test('that the user does not answer is a call that did not happen', () => {
    const session = working();
    session.says(asking);

    const events = session.take(session.codec.answer('0', { optionId: 'reject' }));

    expect(session.sent.at(-1)).toMatchObject({ id: 0, result: { outcome: { outcome: 'selected', optionId: 'no' } } });
    expect(events).toEqual([{ type: 'item.completed', itemId: 'call-1', status: 'denied' }]);
  });

  test('is withdrawn when the turn is stopped', () => {
    const session = working();
    session.says(asking);

    const events = session.take(session.codec.interrupt());

    expect(session.sent.at(-1)).toMatchObject({ id: 0, result: { outcome: { outcome: 'cancelled' } } });
    expect(events).toContainEqual({ type: 'request.withdrawn', requestId: '0' });
  });

  test('in a form that is not known is a permission like any other', () => {
    const session = working();

    const events = session.says(permission({ _meta: { toolName: 'ask_user_question', qwenQuestions: 'Which?' } }));

    expect(events.at(-1)).toMatchObject({ type: 'request.opened', request: { kind: 'permission' } });
  });
});

test('a plan of qwen is shown as one, with its own ways to go on', () => {
  const session = working();

  const events = session.says(permission({ title: 'Plan:', kind: 'switch_mode', rawInput: { plan: '1. Look' } }));

  expect(events.at(-1)).toMatchObject({
    type: 'request.opened',
    request: { kind: 'plan', title: 'Carry out this plan?', detail: '1. Look', options: [{ label: 'Always' }, {}, {}, { kind: 'reject' }] },
  });
});

describe('what the user adds to a running turn of qwen', () => {
  const attached = (more: Partial<EngineAttachment>): EngineAttachment[] => [
    {
      attachmentId: AttachmentId.parse('attachment_1'),
      name: 'a.png',
      mimeType: 'image/png',
      kind: 'image',
      sizeBytes: 3,
      dataBase64: 'AAAA',
      path: '/kept/a.png',
      ...more,
    },
  ];

  test('is given when it asks between two steps, once, and with its images', () => {
    const session = working();
    session.take(session.codec.steer(promptOf('and the footer', attached({}))));

    session.says(drain);
    const first = session.sent.at(-1);
    session.says({ ...drain, id: 10 });

    expect(first?.result).toEqual({
      items: [
        {
          content: [
            { type: 'text', text: 'and the footer' },
            { type: 'image', mimeType: 'image/png', data: 'AAAA' },
          ],
        },
      ],
      hasQueuedPrompt: false,
    });
    expect(session.sent.at(-1)?.result).toEqual({ items: [], hasQueuedPrompt: false });
  });

  test('names files in words, as links are not read there', () => {
    const session = working();
    const file = attached({ kind: 'file', name: 'a b.zip', mimeType: 'application/zip', path: '/kept/a b.zip' });
    session.take(session.codec.steer(promptOf('unpack it', file)));

    session.says(drain);

    expect(JSON.stringify(session.sent.at(-1)?.result)).toContain('The attached file \\"a b.zip\\" is at /kept/a b.zip');
  });

  test('too late to be fetched, the same turn goes on with it', () => {
    const session = working();
    session.says(said('Done.'));
    session.take(session.codec.steer(promptOf('and the footer')));

    const between = session.answers('session/prompt', { result: { stopReason: 'end_turn' } });
    const next = session.lastOf('session/prompt');
    session.says(said('That too.'));
    const after = session.answers('session/prompt', { result: { stopReason: 'end_turn' } });

    expect(between).toEqual([]);
    expect(next?.params?.['prompt']).toEqual([{ type: 'text', text: 'and the footer' }]);
    expect(after.at(-1)).toEqual({ type: 'turn.completed', outcome: 'completed' });
  });

  test('is not said any more once the turn is stopped', () => {
    const session = working();
    session.take(session.codec.steer(promptOf('and the footer')));
    session.take(session.codec.interrupt());

    session.says(drain);
    const events = session.answers('session/prompt', { result: { stopReason: 'end_turn' } });

    expect(session.sent.at(-1)?.result).toEqual({ items: [], hasQueuedPrompt: false });
    expect(events).toEqual([{ type: 'turn.completed', outcome: 'cancelled' }]);
  });
});

describe('a turn that qwen begins by itself', () => {
  const begin = { id: 7, method: '_qwencode/start_turn', params: { sessionId: SESSION, source: 'background_notification' } };
  const end = { method: '_qwencode/end_turn', params: { sessionId: SESSION, reason: 'end_turn' } };
  const news = said('Background agent "look around" completed.', { _meta: { source: 'background_task_completed' } });
  const answer = said('There is nothing.', { _meta: { source: 'background_notification_response' } });

  const idle = (): CodecSession => {
    const session = working();
    session.says(said('It looks around.'));
    session.answers('session/prompt', { result: { stopReason: 'end_turn' } });
    return session;
  };

  test('is one of its own, with the news as its reason and what it says of them as its answer', () => {
    const session = idle();

    const before = session.says(news);
    const events = [begin, answer, end].flatMap((message) => session.says(message));

    expect(before).toEqual([]);
    expect(session.sent.at(-1)).toMatchObject({ id: 7, result: { accepted: true } });
    expect(events.filter(({ type }) => type !== 'item.started')).toEqual([
      { type: 'turn.started', reason: 'Background agent "look around" completed.' },
      { type: 'item.delta', itemId: 'text-2', text: 'There is nothing.' },
      { type: 'item.completed', itemId: 'text-2', status: 'completed' },
      { type: 'turn.completed', outcome: 'completed' },
    ]);
  });

  test('waits while the user has the word', () => {
    const session = working();

    const events = [news, begin, end].flatMap((message) => session.says(message));

    expect(session.sent.at(-1)).toMatchObject({ id: 7, result: { accepted: false } });
    expect(events).toEqual([]);
  });

  test('can be stopped', () => {
    const session = idle();
    session.says(begin);

    session.take(session.codec.interrupt());
    const events = session.says(end);

    expect(session.lastOf('session/cancel')).toBeDefined();
    expect(events).toEqual([{ type: 'turn.completed', outcome: 'cancelled' }]);
  });

  test('goes over into the turn of a prompt that comes meanwhile', () => {
    const session = idle();
    session.says(begin);

    session.take(session.codec.prompt(promptOf('stop looking')));
    const atItsEnd = session.says(end);
    const events = session.answers('session/prompt', { result: { stopReason: 'end_turn' } });

    expect(atItsEnd).toEqual([]);
    expect(events.at(-1)).toEqual({ type: 'turn.completed', outcome: 'completed' });
  });
});

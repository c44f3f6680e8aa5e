/** What is Qwen Code's own, with the real program: its questions, words for a running turn, failed requests, the choice of a model. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { answerOf, isDone, lastTurn } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { agents } from '#test/fixtures/agents.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { subjects, test, type Subject } from './engine-stage.ts';

/** Why some of this is left to the whole form. */
const COSTLY = 'it costs much of the processor at each start: npm run test:whole';

const qwen: Subject | undefined = subjects.find(({ name }) => name === 'qwen');
if (qwen === undefined) throw new Error('qwen is not among the subjects');
const free: Subject = { ...qwen, session: { permissionMode: 'yolo' } };

describe('qwen', () => {
  test(
    'asks the user, and the model gets the answer; it says that it is limited instead of trying in silence for ever',
    { tags: 'whole' },
    async ({ companion, setUp }) => {
      const { model, converse } = await setUp(qwen);
      const ask = agents.qwen.tools.ask?.('Which one?', ['First', 'Second']);
      if (ask === undefined) throw new Error('it has no way to ask');
      model.script('choose', { parts: [ask] }, ({ toolText }) => ({ parts: [{ text: `It said: ${toolText}` }] }));
      model.script('hello', { status: 429, error: 'rate_limit_error', message: 'Slow down.', headers: { 'retry-after': '1' } });
      const conversation = await converse();

      await conversation.act('choose');
      const { requests } = await conversation.waitFor((view) => view.requests.length > 0);
      const [open] = requests;
      await companion.api.send('POST', `/api/agent-sessions/${conversation.sessionId}/requests/${open?.requestId}`, {
        optionId: 'answer',
        answers: { 'Which one?': ['Second'] },
      });
      const view = await conversation.waitFor(isDone);

      expect(open?.request).toMatchObject({ kind: 'question', title: 'Which one?' });
      expect(answerOf(view)).toContain('**Choice**: Second');

      await conversation.act('hello');
      const limited = await conversation.waitFor((next) => next.turns.length === 2 && isDone(next));

      expect(lastTurn(limited)).toMatchObject({ status: 'failed', error: { code: 'ENGINE_RATE_LIMITED' } });
    },
  );

  test('hears what the user adds while it works, with its next step', async ({ setUp, skip }) => {
    skip(!isWhole, COSTLY);
    const { model, converse } = await setUp(free);
    const gate = createGate();
    model.script(
      'list the files',
      { parts: [{ text: 'I will.' }, { gate }, qwen.shell('echo listed')] },
      { parts: [{ text: 'Both done.' }] },
    );
    const conversation = await converse();

    await conversation.act('list the files');
    await conversation.waitFor((view) => answerOf(view).includes('I will.'));
    await conversation.act('and count the albatrosses', { delivery: 'steer' });
    gate.open();
    const view = await conversation.waitFor(isDone);

    expect(view.turns).toHaveLength(1);
    expect(answerOf(view)).toContain('Both done.');
    const step = model.requests.find(({ toolText }) => toolText.includes('listed'));
    expect(JSON.stringify(step?.messages.slice(-2))).toContain('and count the albatrosses');
  });

  test('goes on by itself when a helper in the background is done', async ({ setUp, skip }) => {
    skip(!isWhole, COSTLY);
    const { model, converse } = await setUp(free);
    const helper = { tool: 'agent', input: { description: 'look around', prompt: 'find the albatross', subagent_type: 'general-purpose' } };
    const gate = createGate();
    model.script('<task-notification>', { parts: [{ text: 'It has found none.' }] });
    model.script('find the albatross', { parts: [{ gate }, { text: 'There is none.' }] });
    model.script('send somebody', { parts: [helper] }, { parts: [{ text: 'Somebody is on the way.' }] });
    const conversation = await converse();

    await conversation.act('send somebody');
    const asked = await conversation.waitFor(isDone);
    gate.open();
    const view = await conversation.waitFor((next) => next.turns.length === 2 && isDone(next));

    expect(answerOf(asked)).toContain('Somebody is on the way.');
    expect(lastTurn(view)).toMatchObject({ status: 'completed' });
    expect(answerOf(view)).toContain('It has found none.');
  });

  test("runs the model that was chosen, and the user's own choice stays", async ({ companion, home, setUp, skip }) => {
    skip(!isWhole, COSTLY);
    const file = path.join(home.dir, '.qwen/settings.json');
    const { model, converse } = await setUp({ ...qwen, session: { model: 'other(openai)' } });
    model.script('hello', { parts: [{ text: 'Here I am.' }] });
    const provider = { baseUrl: `${model.url}/v1`, envKey: 'OPENAI_API_KEY' };
    const models = ['usual', 'other'].map((id) => ({ id, name: id, ...provider }));
    const settings = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...settings, model: { name: 'usual' }, modelProviders: { openai: models } }));
    const conversation = await converse();

    await conversation.act('hello');
    await conversation.waitFor(isDone);
    await companion.stopDaemon();

    expect(model.requests.map((request) => request.model)).toContain('other');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ model: { name: 'usual' } });
  });
});

/** Names that every object has by nature, in the places where an agent chooses a name: none of them reaches a function. */
import { describe, expect, test } from 'vitest';
import { askQuestion } from '#companion/engines/cursor/extensions.ts';
import { defaultSettings } from '#protocol/events.ts';
import { promptOf } from './codec-stage.ts';
import * as acp from './acp-stage.ts';
import { prompted } from './claude-stage.ts';
import * as codex from './codex-stage.ts';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

describe.for(NAMES)('the name %s', (name) => {
  test('as a method of codex is passed over, and as a request refused', () => {
    const session = codex.running();

    expect(session.says({ method: name, params: {} })).toEqual([]);
    expect(session.says({ id: 7, method: name, params: {} })).toEqual([]);

    expect(session.sent.at(-1)).toMatchObject({ id: 7, error: { code: -32_601 } });
  });

  test('as the failure of a turn of codex is an ordinary failure', () => {
    const session = codex.running();

    const failure = { message: 'no luck', codexErrorInfo: name };

    expect(session.says(codex.turnCompleted('failed', failure)).at(-1)).toMatchObject({ error: { code: 'ENGINE_API_ERROR' } });
  });

  test('as a mode of codex gives the rights of the default', () => {
    const session = codex.ready();
    session.take(session.codec.configure({ ...defaultSettings, mode: name }));

    session.take(session.codec.prompt(promptOf('hello')));

    expect(session.lastOf('turn/start')?.params).toMatchObject({ approvalPolicy: 'on-request' });
  });

  test('as the field of a form of codex is answered as any other', () => {
    const session = codex.running();
    const requestedSchema = { type: 'object', properties: JSON.parse(`{"a":{"type":"string"},"${name}":{"type":"string"}}`) as unknown };
    session.says({
      id: 9,
      method: 'mcpServer/elicitation/request',
      params: { serverName: 's', mode: 'form', message: 'm', requestedSchema },
    });

    session.take(session.codec.answer('9', { optionId: 'accept', answers: { a: ['1'] } }));

    expect(session.sent.at(-1)).toMatchObject({ id: 9, result: { action: 'accept', content: { a: '1' } } });
  });

  test('as a kind of update of an ACP agent is passed over', () => {
    const session = acp.running();

    expect(session.says(acp.update(name, {}))).toEqual([]);
  });

  test('as the kind of a call, of an option and of a setting of an ACP agent is of no known kind', () => {
    const session = acp.running({ allowingModes: new Map() });
    const options = [{ optionId: 'o', name: 'Yes', kind: name }];
    const configOptions = [{ id: 'x', category: name, currentValue: 'y' }];

    const shown = session.says(acp.update('tool_call', { toolCallId: 'c', title: 't', kind: name }));
    const params = { sessionId: acp.SESSION, toolCall: { toolCallId: 'c' }, options };
    const asked = session.says({ id: 3, method: 'session/request_permission', params });

    expect(shown).toMatchObject([{ type: 'item.started', item: { toolKind: 'other' } }]);
    expect(asked).toMatchObject([{ type: 'request.opened', request: { options: [{ optionId: 'o', kind: 'choice' }] } }]);
    expect(session.says(acp.update('config_option_update', { configOptions }))).toEqual([]);
  });

  test('as the failure of an ACP turn is an ordinary failure', () => {
    const session = acp.running();

    const error = { code: -32_603, message: 'no luck', data: { errorName: name } };

    expect(session.answers('session/prompt', { error }).at(-1)).toMatchObject({ error: { code: 'ENGINE_API_ERROR' } });
  });

  test('as a question of Cursor has no answer when the person gave none', () => {
    const question = askQuestion({ questions: [{ id: 'q', prompt: name, options: [{ id: 'o', label: 'l' }] }] });

    expect(question?.reply({ optionId: 'answer', answers: {} })).toEqual({
      outcome: { outcome: 'answered', answers: [{ questionId: 'q', selectedOptionIds: [] }] },
    });
  });

  test('as a tool, a task and a failure of claude is of no known kind', () => {
    const run = prompted();
    run.says({ type: name });
    run.says({ type: 'system', subtype: name });
    const block = { type: 'tool_use', id: 'tool', name, input: {} };
    run.says({ type: 'assistant', message: { id: 'm', content: [block] } });
    run.says({ type: 'system', subtype: 'task_started', task_id: 't', tool_use_id: 'tool' });
    run.says({ type: 'system', subtype: 'task_updated', task_id: 't', patch: { status: name } });
    run.says({ type: 'system', subtype: 'task_notification', task_id: 't', status: name });
    run.says({ type: 'assistant', message: { id: 'n', content: [] }, error: name });

    run.says({ type: 'result', subtype: 'success', is_error: true, result: 'no luck' });

    expect(run.events).toMatchObject([
      { type: 'item.started', item: { toolKind: 'other' } },
      { type: 'usage.updated' },
      { type: 'item.completed', status: 'cancelled' },
      { type: 'turn.completed', outcome: 'failed', error: { code: 'ENGINE_API_ERROR' } },
    ]);
  });
});

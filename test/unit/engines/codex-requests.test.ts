import { describe, expect, test } from 'vitest';
import { command, itemStarted, running, THREAD, TURN, turnCompleted } from './codex-stage.ts';
import type { CodecSession } from './codec-stage.ts';

const place = { threadId: THREAD, turnId: TURN };

const asks = (session: CodecSession, method: string, params: object, id = 0) => {
  const [event] = session.says({ id, method, params: { ...place, ...params } });
  if (event?.type !== 'request.opened') throw new Error(`${method} opened no request`);
  return event;
};

const lastResult = (session: CodecSession): unknown => session.sent.at(-1)?.result;

describe('a command codex wants to run', () => {
  const approval = {
    itemId: 'call-1',
    command: "/bin/bash -lc 'npm test'",
    cwd: '/p',
    commandActions: [{ command: 'npm test' }],
    reason: 'to check',
  };

  test('is shown as the command itself, with what the user may answer', () => {
    const session = running();
    session.says(itemStarted(command()));

    const { itemId, request } = asks(session, 'item/commandExecution/requestApproval', approval);

    expect(itemId).toBe('call-1');
    expect(request).toMatchObject({ kind: 'permission', title: 'Run a command', detail: 'npm test\n\nto check', where: '/p' });
    expect(request.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ['accept', 'allow_once'],
      ['acceptForSession', 'allow_session'],
      ['decline', 'reject'],
      ['cancel', 'reject'],
    ]);
  });

  test.for(['accept', 'acceptForSession', 'decline', 'cancel'])('answered %s is answered so', (optionId) => {
    const session = running();
    const { requestId } = asks(session, 'item/commandExecution/requestApproval', approval);

    session.take(session.codec.answer(requestId, { optionId }));

    expect(session.sent.at(-1)).toEqual({ id: 0, result: { decision: optionId } });
  });

  test('the reason of a refusal reaches the model as words inside the turn', () => {
    const session = running();
    const { requestId } = asks(session, 'item/commandExecution/requestApproval', approval);

    session.take(session.codec.answer(requestId, { optionId: 'decline', text: 'Not on Friday.' }));

    expect(session.lastOf('turn/steer')?.params?.['input']).toEqual([{ type: 'text', text: 'Not on Friday.', text_elements: [] }]);
  });

  test("codex's own ids begin at 0 as ours do, and neither is taken for the other", () => {
    const session = running();
    const ours = session.lastOf('turn/start')?.id;

    const { requestId } = asks(session, 'item/commandExecution/requestApproval', approval, Number(ours));
    session.take(session.codec.answer(requestId, { optionId: 'accept' }));

    expect(session.sent.at(-1)).toEqual({ id: ours, result: { decision: 'accept' } });
  });

  test('what codex no longer waits for is withdrawn, by its word or with the turn', () => {
    const session = running();
    asks(session, 'item/commandExecution/requestApproval', approval, 0);
    asks(session, 'item/commandExecution/requestApproval', approval, 1);

    const resolved = session.says({ method: 'serverRequest/resolved', params: { threadId: THREAD, requestId: 0 } });
    const ended = session.says(turnCompleted('interrupted'));

    expect(resolved).toEqual([{ type: 'request.withdrawn', requestId: '0' }]);
    expect(ended).toContainEqual({ type: 'request.withdrawn', requestId: '1' });
    expect(session.codec.answer('1', { optionId: 'accept' })).toEqual([]);
  });
});

describe('other requests of codex', () => {
  test('a change of files shows its diff', () => {
    const session = running();
    const changes = [{ path: '/p/a', kind: { type: 'update', move_path: null }, diff: '@@ -1 +1 @@\n-x\n+y\n' }];
    session.says(itemStarted({ type: 'fileChange', id: 'f1', changes, status: 'inProgress' }));

    const { request } = asks(session, 'item/fileChange/requestApproval', { itemId: 'f1', reason: null, grantRoot: null });

    expect(request.detail).toContain('-x\n+y');
  });

  test("another server's tool is a permission", () => {
    const session = running();
    const meta = { codex_approval_kind: 'mcp_tool_call', tool_name: 'screenshot', tool_params: { full: true } };
    const params = {
      serverName: 'other',
      mode: 'form',
      _meta: meta,
      message: 'Allow it?',
      requestedSchema: { type: 'object', properties: {} },
    };

    const { requestId, request } = asks(session, 'mcpServer/elicitation/request', params);
    session.take(session.codec.answer(requestId, { optionId: 'accept' }));

    expect(request).toMatchObject({ kind: 'permission', title: 'Allow it?', where: 'other' });
    expect(request.detail).toContain('full: true');
    expect(lastResult(session)).toEqual({ action: 'accept', content: {}, _meta: null });
  });

  test('a form is asked as questions and answered in the types it wants', () => {
    const session = running();
    const requestedSchema = {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Your name' },
        age: { type: 'integer', title: 'Age' },
        sure: { type: 'boolean' },
        colour: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
        left: { type: 'string' },
      },
    };
    const { requestId, request } = asks(session, 'mcpServer/elicitation/request', {
      serverName: 's',
      mode: 'form',
      message: 'Tell',
      requestedSchema,
    });

    const answers = { 'Your name': ['Ann'], Age: ['42'], sure: ['Yes'], colour: ['Red'], tags: ['a', 'b'] };
    session.take(session.codec.answer(requestId, { optionId: 'accept', answers }));

    expect(request.questions?.map(({ question, isOpen, isMultiple }) => [question, isOpen, isMultiple])).toEqual([
      ['Your name', true, false],
      ['Age', true, false],
      ['sure', false, false],
      ['colour', false, false],
      ['tags', false, true],
      ['left', true, false],
    ]);
    expect(lastResult(session)).toEqual({
      action: 'accept',
      content: { name: 'Ann', age: 42, sure: true, colour: 'r', tags: ['a', 'b'] },
      _meta: null,
    });
  });

  test('questions of the model are asked, but never for a secret', () => {
    const session = running();
    const question = { header: 'Tab', isOther: true, isSecret: false, options: [{ label: 'First', description: 'the first' }] };
    const questions = [
      { ...question, id: 'q1', question: 'Which tab?' },
      { ...question, id: 'q2', question: 'Your password?', isSecret: true, options: null },
    ];

    const { requestId, request } = asks(session, 'item/tool/requestUserInput', { itemId: 'i', questions });
    session.take(session.codec.answer(requestId, { optionId: 'accept', answers: { 'Which tab?': ['First'] } }));

    expect(request.questions).toHaveLength(1);
    expect(lastResult(session)).toEqual({ answers: { q1: { answers: ['First'] } } });
  });

  test('more rights are given for the turn, for the session, or not at all', () => {
    const permissions = { network: { enabled: true }, fileSystem: null };
    const results = ['accept', 'acceptForSession', 'decline'].map((optionId) => {
      const session = running();
      const { requestId } = asks(session, 'item/permissions/requestApproval', { itemId: 'i', cwd: '/p', reason: null, permissions });
      session.take(session.codec.answer(requestId, { optionId }));
      return lastResult(session);
    });

    expect(results).toEqual([
      { permissions, scope: 'turn' },
      { permissions, scope: 'session' },
      { permissions: {}, scope: 'turn' },
    ]);
  });

  test('what nobody here knows is answered at once', () => {
    const session = running();

    session.says({ id: 7, method: 'attestation/generate', params: {} });
    session.says({ id: 8, method: 'item/commandExecution/requestApproval', params: { nothing: true } });

    expect(session.sent.slice(-2)).toMatchObject([
      { id: 7, error: { code: -32601 } },
      { id: 8, error: { code: -32602 } },
    ]);
  });
});

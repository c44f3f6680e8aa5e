import { describe, expect, test } from 'vitest';
import { toOption } from '#protocol/answers.ts';
import { defaultSettings } from '#protocol/events.ts';
import { permission, ready, running, SESSION, update } from './acp-stage.ts';

describe('a permission an ACP agent asks for', () => {
  test('shows the call even when the agent has not told of it before', () => {
    const session = running();

    const events = session.says(permission({}));

    expect(events).toMatchObject([
      { type: 'item.started', itemId: 'call-1', item: { toolKind: 'execute', title: 'npm test' } },
      {
        type: 'request.opened',
        requestId: '0',
        itemId: 'call-1',
        request: { kind: 'permission', title: 'Run a command', detail: 'npm test', where: '/project' },
      },
    ]);
    expect(events[1]).toHaveProperty('request.options', [
      { optionId: 'always', label: 'Always', kind: 'allow_always' },
      { optionId: 'once', label: 'Yes', kind: 'allow_once' },
      { optionId: 'once-more', label: 'Yes, and switch', kind: 'allow_once' },
      { optionId: 'no', label: 'No', kind: 'reject' },
    ]);
  });

  test('has the plain words of an answer by their code, and all others as the agent chose them', () => {
    const options = [
      { optionId: 'a', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'b', name: 'Always Allow for user: touch *', kind: 'allow_always' },
      { optionId: 'c', name: 'Reject', kind: 'reject_once' },
    ];

    const events = running().says(permission({}, 0, options));

    expect(events[1]).toHaveProperty('request.options', [
      toOption('a', 'allow_once', 'answer_once'),
      { optionId: 'b', label: 'Always Allow for user: touch *', kind: 'allow_always' },
      toOption('c', 'reject', 'answer_reject'),
    ]);
  });

  test('allowed, the agent is told which option, and the call goes on', () => {
    const session = running();
    session.says(permission({}));

    const events = session.take(session.codec.answer('0', { optionId: 'once' }));

    expect(session.sent.at(-1)).toMatchObject({ id: 0, result: { outcome: { outcome: 'selected', optionId: 'once' } } });
    expect(events).toEqual([]);
  });

  test('refused, the call is denied although the agent says nothing more of it, and the reason goes with the next prompt', () => {
    const session = running();
    session.says(permission({}));

    const events = session.take(session.codec.answer('0', { optionId: 'no', text: 'Not on Friday.' }));
    const late = session.says(update('tool_call_update', { toolCallId: 'call-1', status: 'failed' }));
    session.answers('session/prompt', { result: { stopReason: 'end_turn' } });
    session.take(session.codec.prompt({ turnId: 't2', text: 'go on', attachments: [] }));

    expect(events).toEqual([{ type: 'item.completed', itemId: 'call-1', status: 'denied' }]);
    expect(late).toEqual([]);
    expect(session.lastOf('session/prompt')?.params?.['prompt']).toMatchObject([
      { text: expect.stringContaining('Not on Friday.') as string },
      { text: 'go on' },
    ]);
  });

  test.for([
    { _meta: { toolName: 'mcp__lab__browser_click' } },
    { toolCallId: 'mcp_lab_browser_click__fc_1' },
    { title: 'browser_click (lab MCP Server)' },
    { title: 'lab_browser_click' },
  ])('for the browser tools is given at once, as Pilotfish asks for consent itself: %j', (call) => {
    const session = running();

    const events = session.says(permission({ kind: 'other', rawInput: {}, ...call }));

    expect(events.map(({ type }) => type)).toEqual(['item.started']);
    expect(events[0]).toMatchObject({ item: { tool: 'browser_click', toolKind: 'browser', server: 'lab' } });
    expect(session.sent.at(-1)).toMatchObject({ result: { outcome: { optionId: 'once' } } });
  });

  test.for([
    { title: 'browser_click (other MCP Server)' },
    { _meta: { toolName: 'mcp__lab__delete_all' } },
    { title: 'browser_click (lab MCP Server); rm -rf ~' },
    { title: 'browser_click (lab MCP Server)', kind: 'execute' },
    { title: 'lab_browser_click', kind: 'execute', rawInput: { command: 'lab_browser_click' } },
    { title: 'lab_browser_click', kind: 'other', rawInput: { command: 'lab_browser_click' } },
    { toolCallId: 'run_shell_command__1', title: 'lab_browser_click', kind: 'execute', rawInput: undefined },
    { title: 'rm -rf lab_browser_click', kind: 'execute', rawInput: { command: 'rm -rf lab_browser_click' } },
  ])('for anything else is asked: %j', (call) => {
    const session = running();

    expect(session.says(permission({ kind: 'other', rawInput: {}, ...call })).at(-1)?.type).toBe('request.opened');
  });

  test('in a mode that asks nothing is given at once', () => {
    const allowingModes = new Map([['free', { base: 'default' }]]);
    const session = running({ allowingModes }, { settings: { ...defaultSettings, mode: 'free' } });

    const events = session.says(permission({}));

    expect(events.map(({ type }) => type)).toEqual(['item.started']);
  });

  test('is nobody to answer when the turn is over, or is being stopped', () => {
    const stopped = running();
    stopped.take(stopped.codec.interrupt());
    const over = running();
    over.answers('session/prompt', { result: { stopReason: 'end_turn' } });

    for (const session of [stopped, over]) {
      expect(session.says(permission({}, 7)).some(({ type }) => type === 'request.opened')).toBe(false);
      expect(session.sent.at(-1)).toMatchObject({ id: 7, result: { outcome: { outcome: 'cancelled' } } });
    }
  });

  test('before the first turn is a question about the session: asked, but not in a health check', () => {
    const question = permission({ toolCallId: 'index', title: 'Index the project?', kind: undefined, rawInput: undefined });
    const session = ready();
    const check = ready({}, { isProbe: true });

    expect(session.says(question)).toMatchObject([
      { type: 'request.opened', request: { title: 'Index the project?', detail: '', where: '/project' } },
    ]);
    expect(check.says(question)).toEqual([]);
    session.take(session.codec.answer('0', { optionId: 'once' }));
    expect(session.sent.at(-1)).toMatchObject({ id: 0, result: { outcome: { optionId: 'once' } } });
    expect(check.sent.at(-1)).toMatchObject({ id: 0, result: { outcome: { outcome: 'cancelled' } } });
  });
});

describe('other requests of ACP agents', () => {
  test.for(['craft/drainMidTurnQueue', 'constructor', 'toString', '__proto__', ''])('what is unknown is answered at once: %j', (method) => {
    const session = running({ questions: new Map(), notes: new Map() });

    const events = session.says({ id: 1, method, params: { sessionId: SESSION } });

    expect(session.sent.at(-1)).toMatchObject({ id: 1, error: { code: -32601 } });
    expect(events).toEqual([]);
  });
});

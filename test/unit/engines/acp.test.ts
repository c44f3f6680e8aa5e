import { describe, expect, test } from 'vitest';
import { customEngine } from '#companion/engines/acp.ts';
import { auggie } from '#companion/engines/auggie.ts';
import { opencode } from '#companion/engines/opencode.ts';
import { permission, ready, running, said, SESSION, update } from './acp-stage.ts';
import { malformedLines } from './fuzz.ts';
import { launchOptions, linesOf } from './replay.ts';
import { promptOf } from './codec-stage.ts';

describe('a turn of an ACP agent', () => {
  test('thoughts, words and calls are items of their own, and empty pieces are none', () => {
    const session = running();

    session.says(update('agent_thought_chunk', { content: { type: 'text', text: 'Hm.' } }));
    session.says(said('Hel'));
    session.says(said('lo'));
    session.says(said(''));
    session.says(update('tool_call', { toolCallId: 'c', title: 'Read a.ts', kind: 'read', status: 'pending', rawInput: { path: 'a.ts' } }));
    session.says(
      update('tool_call_update', {
        toolCallId: 'c',
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: 'x' } }],
      }),
    );
    session.says(said('Done.'));
    session.answers('session/prompt', { result: { stopReason: 'end_turn' } });

    expect(session.events.slice(2).map((event) => ('itemId' in event ? `${event.type} ${event.itemId}` : event.type))).toEqual([
      'item.started text-1',
      'item.delta text-1',
      'item.completed text-1',
      'item.started text-2',
      'item.delta text-2',
      'item.delta text-2',
      'item.completed text-2',
      'item.started c',
      'item.completed c',
      'item.started text-3',
      'item.delta text-3',
      'item.completed text-3',
      'turn.completed',
    ]);
  });

  test('output that grows is sent as what it grew by', () => {
    const session = running();
    const output = (text: string): object =>
      update('tool_call_update', {
        toolCallId: 'c',
        status: 'in_progress',
        title: 'x',
        content: [{ type: 'content', content: { type: 'text', text } }],
      });
    session.says(update('tool_call', { toolCallId: 'c', title: 'x', kind: 'execute', status: 'in_progress' }));

    const events = [...session.says(output('one\n')), ...session.says(output('one\ntwo\n')), ...session.says(output('other'))];

    expect(events).toEqual([
      { type: 'item.delta', itemId: 'c', text: 'one\n' },
      { type: 'item.delta', itemId: 'c', text: 'two\n' },
      { type: 'item.updated', itemId: 'c', patch: { text: 'other' } },
    ]);
  });

  test('the plan is one item per turn', () => {
    const session = running();
    const plan = (status: string): object => update('plan', { entries: [{ content: 'Read', status, priority: 'high' }] });

    const events = [...session.says(plan('in_progress')), ...session.says(plan('completed'))];

    expect(events).toEqual([
      { type: 'item.started', itemId: 'plan-1', item: { kind: 'plan', entries: [{ content: 'Read', status: 'in_progress' }] } },
      { type: 'item.updated', itemId: 'plan-1', patch: { entries: [{ content: 'Read', status: 'completed' }] } },
    ]);
  });

  test('context and cost are shown, tokens add up over the turns', () => {
    const session = running();
    session.says(update('usage_update', { used: 10, size: 100, cost: { amount: 0.5, currency: 'USD' } }));
    const usage = { inputTokens: 5, outputTokens: 2 };
    session.answers('session/prompt', { result: { stopReason: 'end_turn', usage } });
    session.take(session.codec.prompt(promptOf('more')));
    session.answers('session/prompt', {
      result: { stopReason: 'end_turn', _meta: { quota: { token_count: { input_tokens: 5, output_tokens: 2 } } } },
    });

    expect(session.events.filter(({ type }) => type === 'usage.updated')).toMatchObject([
      { usage: { contextUsed: 10, contextWindow: 100, costUsd: 0.5 } },
      { usage: { inputTokens: 5, outputTokens: 2 }, isOfProcess: true },
      { usage: { inputTokens: 10, outputTokens: 4 }, isOfProcess: true },
    ]);
  });

  test('a change of mode the agent makes by itself is told; the echo of ours is not', () => {
    const session = ready();

    const ours = session.says(update('current_mode_update', { currentModeId: 'default' }));
    const theirs = session.says(update('current_mode_update', { currentModeId: 'yolo' }));

    expect(ours).toEqual([]);
    expect(theirs).toEqual([{ type: 'settings.changed', settings: { mode: 'yolo' } }]);
  });

  test.for([
    ['end_turn', 'completed', undefined],
    ['cancelled', 'cancelled', undefined],
    ['refusal', 'failed', 'ENGINE_REFUSED'],
    ['max_tokens', 'failed', 'ENGINE_OUTPUT_TRUNCATED'],
    ['max_turn_requests', 'failed', 'ENGINE_BUDGET_REACHED'],
    ['something_new', 'completed', undefined],
  ])('it stops with %s', ([stopReason, outcome, code]) => {
    const session = running();

    const events = session.answers('session/prompt', { result: { stopReason } });

    expect(events.at(-1)).toMatchObject({ type: 'turn.completed', outcome, ...(code === undefined ? {} : { error: { code } }) });
  });

  test.for([
    [{ code: -32000, message: 'Authentication required' }, 'ENGINE_NOT_LOGGED_IN'],
    [{ code: 401, message: 'bad key' }, 'ENGINE_NOT_LOGGED_IN'],
    [{ code: -32603, message: 'Internal error', data: { details: '429 Too many requests' } }, 'ENGINE_RATE_LIMITED'],
    [{ code: -32603, message: 'Internal error', data: { details: '529 status code' } }, 'ENGINE_OVERLOADED'],
    [{ code: -32603, message: 'Internal error: too large', data: { errorName: 'ContextOverflowError' } }, 'ENGINE_CONTEXT_FULL'],
    [{ code: 400, message: '{"error":{"message":"maximum context length is 5"}}' }, 'ENGINE_CONTEXT_FULL'],
    [{ code: 500, message: 'models/x is not found for API version v1' }, 'ENGINE_MODEL_UNKNOWN'],
    [{ code: -32603, message: 'Internal error: it broke after 500 tokens' }, 'ENGINE_API_ERROR'],
  ] as const)('%j is %s', ([error, code]) => {
    const failureNames = new Map([['ContextOverflowError', 'ENGINE_CONTEXT_FULL'] as const]);

    const events = running({ failureNames }).answers('session/prompt', { error });

    expect(events.at(-1)).toMatchObject({ type: 'turn.completed', outcome: 'failed', error: { code } });
  });

  test('a turn that ends without a word is pointed out', () => {
    const events = running().answers('session/prompt', { result: { stopReason: 'end_turn' } });

    expect(events).toMatchObject([
      { type: 'notice', level: 'warning' },
      { type: 'turn.completed', outcome: 'completed' },
    ]);
  });

  test('cancelled is cancelled, however the agent words it', () => {
    const session = running();
    session.says(update('tool_call', { toolCallId: 'c', title: 'x', kind: 'execute', status: 'in_progress' }));

    session.take(session.codec.interrupt());
    const late = session.says(update('tool_call_update', { toolCallId: 'c', status: 'failed' }));
    const end = session.answers('session/prompt', { error: { code: -32603, message: 'aborted' } });

    expect(session.lastOf('session/cancel')?.params).toEqual({ sessionId: SESSION });
    expect(late).toEqual([{ type: 'item.completed', itemId: 'c', status: 'cancelled' }]);
    expect(end).toEqual([{ type: 'turn.completed', outcome: 'cancelled' }]);
  });

  test('what comes after a turn belongs to none', () => {
    const session = running();
    session.says(update('tool_call', { toolCallId: 'c', title: 'x', kind: 'execute', status: 'in_progress' }));
    session.answers('session/prompt', { result: { stopReason: 'end_turn' } });

    const between = session.says(said('Too late.'));
    session.take(session.codec.prompt(promptOf('next')));
    const after = session.says(update('tool_call_update', { toolCallId: 'c', status: 'completed' }));

    expect(between).toEqual([]);
    expect(after).toEqual([]);
  });
});

describe('engines the user adds', () => {
  test('run the program as it was named, and ask for what they may', () => {
    const engine = customEngine('mine', ['/opt/agent', '--acp']);

    expect(engine).toMatchObject({ name: 'mine', command: ['/opt/agent', '--acp'], finding: { commands: ['/opt/agent'] } });
    expect(engine.launch(launchOptions()).args).toEqual([]);
    // One that never answers is given up.
    expect(engine.startTimeoutMs).toBeLessThanOrEqual(60_000);
  });
});

describe('opencode', () => {
  test('asks before shell and edits, although its own default is not to', () => {
    const { env, fixedEnv } = opencode.launch(launchOptions());

    expect(JSON.parse(fixedEnv?.['OPENCODE_PERMISSION'] ?? '')).toEqual({ bash: 'ask', edit: 'ask' });
    expect(JSON.stringify(env)).not.toContain('token');
  });
});

describe('auggie', () => {
  test('asks before shell and edits, although its own default is not to, and logs into the folder of its run', () => {
    const { args, env } = auggie.launch({ ...launchOptions(), runDir: '/runs/1' });

    for (const tool of ['launch-process', 'save-file', 'str-replace-editor', 'apply_patch', 'remove-files'])
      expect(args).toContain(`${tool}:ask-user`);
    expect(args).toContain('--log-file=/runs/1/auggie.log');
    expect(JSON.stringify({ args, env })).not.toContain('token');
  });
});

describe('ACP robustness', () => {
  test.for(['qwen', 'gemini', 'opencode'])('ten thousand malformed lines of %s do no harm, and a good turn works after them', (name) => {
    const session = running();
    const good = linesOf('mcp', name);
    const methods = ['session/update', 'session/request_permission', 'fs/read_text_file', 'terminal/create', 'craft/drainMidTurnQueue'];

    for (const line of malformedLines(good, methods, 10_000)) session.take(session.codec.line(line));
    // A piece may have been the very answer that ends the turn.
    session.take(session.codec.prompt(promptOf('again')));
    expect(session.says(update('brand_new', {}))).toEqual([]);
    session.says(said('Still here.'));
    session.answers('session/prompt', { result: { stopReason: 'end_turn' } });

    expect(session.events.filter((event) => event.type === 'malformed').length).toBeGreaterThan(1_000);
    expect(session.events.at(-1)).toEqual({ type: 'turn.completed', outcome: 'completed' });
  });

  test('its slash commands are told to a health check, and to no session', () => {
    const line = linesOf('edit', 'gemini').find((text) => text.includes('available_commands_update')) ?? '';
    const sessionId = /"sessionId":"([^"]+)"/.exec(line)?.[1] ?? '';
    const check = ready({}, { isProbe: true });
    const session = running();

    const [told] = check.take(check.codec.line(line.replaceAll(sessionId, SESSION)));

    expect(told).toMatchObject({
      type: 'commands.told',
      commands: expect.arrayContaining([{ name: 'memory', description: expect.stringContaining('memory') }]),
    });
    expect(session.take(session.codec.line(line.replaceAll(sessionId, SESSION)))).toEqual([]);
  });

  test('a line of half a megabyte is one line like the others', () => {
    const session = running();
    const availableCommands = Array.from({ length: 600 }, (_, index) => ({ name: `skill-${index}`, description: 'x'.repeat(1_000) }));

    const events = session.says(update('available_commands_update', { availableCommands }));
    session.says(said('Still here.'));

    expect(events).toEqual([]);
    expect(session.events.some(({ type }) => type === 'malformed')).toBe(false);
    expect(session.events.at(-1)).toMatchObject({ type: 'item.delta', text: 'Still here.' });
  });

  test('a permission without options is still answered', () => {
    const session = running();

    session.says({
      id: 5,
      method: 'session/request_permission',
      params: { ...(permission({}) as { params: object }).params, options: [] },
    });
    const events = session.take(session.codec.interrupt());

    expect(events).toEqual([{ type: 'request.withdrawn', requestId: '5' }]);
    expect(session.sent.at(-1)).toMatchObject({ id: 5, result: { outcome: { outcome: 'cancelled' } } });
  });
});

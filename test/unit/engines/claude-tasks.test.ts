import { describe, expect, test } from 'vitest';
import type { Effect, EngineEvent } from '#companion/engines/engine.ts';
import { prompted, result, start, type Run } from './claude-stage.ts';

const use = (id: string, name: string, input: object, parent: string | null = null): object => ({
  type: 'assistant',
  parent_tool_use_id: parent,
  message: { id: `msg-${id}`, content: [{ type: 'tool_use', id, name, input }] },
});
const returned = (id: string, structured?: unknown, parent: string | null = null): object => ({
  type: 'user',
  parent_tool_use_id: parent,
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'It runs.' }] },
  tool_use_result: structured,
});
const task = (subtype: string, taskId: string, more: object): object => ({ type: 'system', subtype, task_id: taskId, ...more });
const requesting = { type: 'system', subtype: 'status', status: 'requesting' };
const says = (text: string, parent: string | null = null): object => ({
  type: 'assistant',
  parent_tool_use_id: parent,
  message: { id: `msg-${text}`, content: [{ type: 'text', text }] },
});
const news = { origin: { kind: 'task-notification' } };
const lastRequest = (run: Run): { requestId: string; request: Record<string, unknown> } => {
  const found = run.written.findLast(({ type }) => type === 'control_request');
  return { requestId: String((found as unknown as { request_id: string }).request_id), request: found?.request ?? {} };
};
const answer = (run: Run, response: object): EngineEvent[] =>
  run.says({ type: 'control_response', response: { subtype: 'success', request_id: lastRequest(run).requestId, response } });

/** A turn that has left a command running in the background. */
const withShell = (): Run => {
  const run = prompted();
  run.says(use('c1', 'Bash', { command: 'serve', run_in_background: true }));
  run.says(task('task_started', 't1', { tool_use_id: 'c1', description: 'Serve', is_backgrounded: true, task_type: 'local_bash' }));
  run.says(returned('c1', { backgroundTaskId: 't1' }));
  run.says(result());
  return run;
};
/** The same with a subagent. */
const withAgent = (): Run => {
  const run = prompted();
  run.says(use('a1', 'Agent', { description: 'Look', prompt: 'Look.' }));
  run.says(task('task_started', 'agent1', { tool_use_id: 'a1', description: 'Look', is_backgrounded: true, task_type: 'local_agent' }));
  run.says(returned('a1', { isAsync: true, agentId: 'agent1' }));
  run.says(result());
  return run;
};

describe('background tasks of claude', () => {
  test('a command goes on after its call has returned, and ends with its output and exit code', () => {
    const run = withShell();
    expect(run.events.filter(({ type }) => type === 'item.completed')).toEqual([]);

    const ending = run.says(
      task('task_notification', 't1', { status: 'failed', summary: 'Background command "Serve" failed with exit code 3' }),
    );
    expect(ending).toEqual([]);
    expect(lastRequest(run).request).toEqual({ subtype: 'get_task_output', task_id: 't1' });

    expect(answer(run, { output: 'one\n', total_bytes: 4, truncated: false })).toEqual([
      { type: 'item.completed', itemId: 'c1', status: 'failed', patch: { text: 'one\n', exitCode: 3 } },
    ]);
  });

  test('an older claude that cannot tell the output, nor that the task is in the background, is understood too', () => {
    const run = prompted();
    run.says(use('c1', 'Bash', { command: 'serve', run_in_background: true }));
    run.says(task('task_started', 't1', { tool_use_id: 'c1', description: 'Serve', task_type: 'local_bash' }));
    expect(run.says(returned('c1', { backgroundTaskId: 't1' }))).toEqual([
      { type: 'item.updated', itemId: 'c1', patch: { isBackground: true } },
    ]);

    // Its end is told by this line only when a turn runs meanwhile.
    run.says(task('task_updated', 't1', { patch: { status: 'completed' } }));
    expect(run.says(result())).toContainEqual({ type: 'item.completed', itemId: 'c1', status: 'completed' });
  });

  test('a task is stopped by its own request, and one that is none by nothing', () => {
    const run = withShell();

    run.take(run.codec.stopTask('c1'));
    expect(lastRequest(run).request).toEqual({ subtype: 'stop_task', task_id: 't1' });
    expect(run.codec.stopTask('nothing')).toEqual([]);
    expect(
      run.says({ type: 'control_response', response: { subtype: 'error', request_id: lastRequest(run).requestId, error: 'gone' } }),
    ).toMatchObject([{ type: 'notice', level: 'warning' }]);
  });

  test('what a command has written is read while it runs, its end only where it is long', () => {
    const run = withShell();
    const answered = (response: object): readonly Effect[] => {
      run.take(run.codec.readTask?.('c1') ?? []);
      const { requestId, request } = lastRequest(run);
      expect(request).toEqual({ subtype: 'get_task_output', task_id: 't1' });
      return run.codec.line(JSON.stringify({ type: 'control_response', response: { ...response, request_id: requestId } }));
    };
    const long = `${'x'.repeat(100_000)}end`;

    expect(answered({ subtype: 'success', response: { output: 'one\n', total_bytes: 4, truncated: false } })).toEqual([
      { type: 'task.output', itemId: 'c1', output: { text: 'one\n', totalBytes: 4, isTruncated: false } },
    ]);
    expect(answered({ subtype: 'success', response: { output: long } })).toMatchObject([
      { output: { text: long.slice(-65_536), totalBytes: 100_003, isTruncated: true } },
    ]);
    expect(answered({ subtype: 'success', response: { other: 1 } })).toEqual([{ type: 'task.output', itemId: 'c1', output: null }]);
    expect(answered({ subtype: 'error', error: 'no such task' })).toEqual([{ type: 'task.output', itemId: 'c1', output: null }]);
  });

  test('nothing is asked about what is no running command', () => {
    expect(withShell().codec.readTask?.('other')).toEqual([]);
    expect(withAgent().codec.readTask?.('a1')).toEqual([]);
  });

  test('what a subagent does in the background stands inside its call, and ends with it', () => {
    const run = withAgent();

    expect(run.says(use('c2', 'Bash', { command: 'ls' }, 'a1'))).toMatchObject([
      { type: 'item.started', itemId: 'c2', parentItemId: 'a1' },
    ]);
    const end = run.says(task('task_notification', 'agent1', { status: 'stopped', summary: 'Look' }));

    expect(end).toEqual([
      { type: 'item.completed', itemId: 'c2', status: 'cancelled' },
      { type: 'item.completed', itemId: 'a1', status: 'cancelled' },
    ]);
  });

  test('a command that a subagent left running outlives the subagent', () => {
    const run = withAgent();
    run.says(use('c2', 'Bash', { command: 'serve', run_in_background: true }, 'a1'));
    run.says(task('task_started', 't2', { tool_use_id: 'c2', description: 'Serve', is_backgrounded: true, task_type: 'local_bash' }));

    const end = run.says(task('task_notification', 'agent1', { status: 'completed', summary: 'All done.', summary_is_report: true }));

    expect(end).toEqual([{ type: 'item.completed', itemId: 'a1', status: 'completed', patch: { text: 'All done.' } }]);
  });

  test('a subagent that is taken up again is a task of its own, with what it does inside', () => {
    const run = withAgent();
    run.says(task('task_notification', 'agent1', { status: 'completed', summary: 'Waiting.' }));

    const again = run.says(
      task('task_started', 'agent1', {
        run_id: 'r2',
        tool_use_id: 'a1',
        description: 'Look',
        is_backgrounded: true,
        task_type: 'local_agent',
      }),
    );
    const [inside] = run.says(says('More.', 'a1'));

    expect(again).toMatchObject([{ type: 'item.started', item: { kind: 'tool', toolKind: 'task', title: 'Look', isBackground: true } }]);
    expect(inside).toMatchObject({ type: 'item.started', parentItemId: 'agent1:r2' });
    expect(run.says(task('task_notification', 'agent1', { status: 'completed', summary: 'Done.', summary_is_report: true }))).toEqual([
      { type: 'item.completed', itemId: 'agent1:r2', status: 'completed', patch: { text: 'Done.' } },
    ]);
  });

  test('a subagent in the foreground ends with its call', () => {
    const run = prompted();
    run.says(use('a1', 'Agent', { description: 'Look', prompt: 'Look.' }));
    run.says(task('task_started', 'agent1', { tool_use_id: 'a1', description: 'Look', is_backgrounded: false, task_type: 'local_agent' }));

    expect(run.says(task('task_notification', 'agent1', { status: 'completed', summary: 'Done.' }))).toEqual([]);
    expect(run.says(returned('a1'))).toMatchObject([{ type: 'item.completed', itemId: 'a1', status: 'completed' }]);
  });

  test('an MCP server cannot make its call look like a background task', () => {
    const run = prompted();
    run.says(use('m1', 'mcp__lab__tool', {}));

    expect(run.says(returned('m1', { backgroundTaskId: 't9' }))).toMatchObject([{ type: 'item.completed', itemId: 'm1' }]);
  });

  test('what a task in the background asks is not withdrawn with the turn, and all of it is when the process ends', () => {
    const run = prompted();
    run.says(use('a1', 'Agent', { description: 'Look', prompt: 'Look.' }));
    run.says(task('task_started', 'agent1', { tool_use_id: 'a1', is_backgrounded: true, task_type: 'local_agent' }));
    run.says(use('c2', 'Bash', { command: 'touch a' }, 'a1'));
    const ask = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'touch a' }, tool_use_id: 'c2', agent_id: 'agent1' };
    run.says({ type: 'control_request', request_id: 'ask1', request: ask });

    expect(run.says(result()).map(({ type }) => type)).not.toContain('request.withdrawn');
    expect(
      run.take(run.codec.exit({ code: 0, signal: null, stderr: '' })).map((effect) => effect.type === 'event' && effect.event),
    ).toEqual([
      { type: 'item.completed', itemId: 'a1', status: 'cancelled' },
      { type: 'item.completed', itemId: 'c2', status: 'cancelled' },
      { type: 'request.withdrawn', requestId: 'ask1' },
    ]);
  });

  test('housekeeping of claude is not shown', () => {
    const run = start();

    expect(run.says(task('task_started', 't1', { description: 'Tidy up', is_backgrounded: true, ambient: true }))).toEqual([]);
  });

  test('a task that nobody called for is shown as well', () => {
    const run = start();

    expect(
      run.says(task('task_started', 't1', { run_id: 'r', description: 'Watch', is_backgrounded: true, task_type: 'local_bash' })),
    ).toMatchObject([{ type: 'item.started', itemId: 't1:r', item: { toolKind: 'execute', title: 'Watch', isBackground: true } }]);
  });
});

describe('a turn that claude begins by itself', () => {
  test('says why, and ends like any other', () => {
    const run = withAgent();
    run.says(task('task_notification', 'agent1', { status: 'completed', summary: 'Done.' }));

    expect(run.says(requesting)).toEqual([{ type: 'turn.started', reason: 'Background task finished: Look' }]);
    expect(run.says(requesting)).toEqual([]);
    run.says(says('I see.'));
    expect(run.says(result(news)).at(-1)).toEqual({ type: 'turn.completed', outcome: 'completed' });
  });

  test('begins with its first words when nothing announces it, but not with a subagent’s', () => {
    const run = withAgent();

    expect(run.says(says('Looking.', 'a1')).map(({ type }) => type)).not.toContain('turn.started');
    expect(run.says(says('News.'))[0]).toEqual({ type: 'turn.started', reason: 'News of a background task' });
  });

  test('can be interrupted', () => {
    const run = withAgent();
    run.says(requesting);

    run.take(run.codec.interrupt());

    expect(lastRequest(run).request).toEqual({ subtype: 'interrupt' });
    expect(run.says(result({ ...news, is_error: true, terminal_reason: 'aborted_streaming' })).at(-1)).toEqual({
      type: 'turn.completed',
      outcome: 'cancelled',
    });
  });

  test('does not end a prompt that came in the same moment; the prompt’s own result does', () => {
    const run = withAgent();
    run.says(requesting);
    run.take(run.codec.prompt({ turnId: 't2', text: 'and now?', attachments: [] }));
    const { uuid } = run.written.findLast(({ type }) => type === 'user') ?? {};

    run.says(says('I see.'));
    expect(run.says(result(news)).map(({ type }) => type)).toEqual(['usage.updated']);
    run.says(says('Now this.'));
    expect(run.says(result({ user_message_uuids: [uuid] })).at(-1)).toEqual({ type: 'turn.completed', outcome: 'completed' });
  });

  test('that took the prompt in with it ends the prompt', () => {
    const run = withAgent();
    run.says(requesting);
    run.take(run.codec.prompt({ turnId: 't2', text: 'and now?', attachments: [] }));
    const { uuid } = run.written.findLast(({ type }) => type === 'user') ?? {};

    expect(run.says(result({ ...news, user_message_uuids: [uuid] })).at(-1)).toEqual({ type: 'turn.completed', outcome: 'completed' });
  });

  test('never begins in a process that is to be stopped', () => {
    const run = prompted();
    run.says({ type: 'system', subtype: 'api_retry', error_status: 401, attempt: 1, max_retries: 10 });

    expect(run.says(requesting)).toEqual([]);
  });
});

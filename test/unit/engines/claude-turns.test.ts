import { describe, expect, test } from 'vitest';
import { prompted, result, start } from './claude-stage.ts';
import { eventsOf, launchOptions } from './replay.ts';

describe('claude turns', () => {
  test('an interrupt is sent once a turn runs, and the turn ends as cancelled whatever claude calls it', () => {
    const run = start();
    expect(run.codec.interrupt()).toEqual([]);
    run.take(run.codec.prompt({ turnId: 't', text: 'x', attachments: [] }));

    run.take(run.codec.interrupt());

    expect(run.written.at(-1)).toMatchObject({ request: { subtype: 'interrupt' } });
    expect(run.says(result({ is_error: true, subtype: 'error_during_execution' })).at(-1)).toEqual({
      type: 'turn.completed',
      outcome: 'cancelled',
    });
  });

  test('a refused key ends the turn at the first repetition, and the process with it', () => {
    const run = prompted();

    const effects = run.codec.line(
      JSON.stringify({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, retry_delay_ms: 500, error_status: 401 }),
    );

    expect(effects).toMatchObject([
      { type: 'event', event: { type: 'turn.completed', outcome: 'failed', error: { code: 'ENGINE_NOT_LOGGED_IN' } } },
      { type: 'stop', error: { code: 'ENGINE_NOT_LOGGED_IN' } },
    ]);
  });

  test('other repetitions are a state with the time of the next one', () => {
    const run = start({}, 1_000);

    expect(
      run.says({
        type: 'system',
        subtype: 'api_retry',
        attempt: 2,
        max_retries: 10,
        retry_delay_ms: 500.4,
        error_status: 529,
        error: 'overloaded',
      }),
    ).toEqual([{ type: 'retrying', text: 'The provider answered 529 (overloaded); attempt 2 of 10.', retryAt: 1_500 }]);
  });

  test('a usage limit tells when it resets', () => {
    const run = prompted();
    run.says({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1_800_000_000 } });
    run.says({ type: 'assistant', error: 'rate_limit', message: { id: 'x', content: [{ type: 'text', text: 'Limit reached' }] } });

    expect(run.says(result({ is_error: true, terminal_reason: 'api_error', result: 'Limit reached' })).at(-1)).toMatchObject({
      outcome: 'failed',
      error: { code: 'ENGINE_RATE_LIMITED', retryAt: 1_800_000_000_000 },
    });
  });

  test('a refusal of the model is told as one', () => {
    expect(
      prompted()
        .says(result({ is_error: true, stop_reason: 'refusal', result: 'I cannot' }))
        .at(-1),
    ).toMatchObject({ error: { code: 'ENGINE_REFUSED' } });
  });

  test('a process that ends in a turn: killed is a crash with its last words, code 0 is a truncated answer', () => {
    const end = (exit: { code: number | null; signal: string | null; stderr: string }) => eventsOf(prompted().codec.exit(exit)).at(-1);

    expect(end({ code: null, signal: 'SIGKILL', stderr: 'out of memory' })).toMatchObject({
      outcome: 'failed',
      error: { code: 'ENGINE_CRASHED', message: expect.stringContaining('out of memory') },
    });
    expect(end({ code: 0, signal: null, stderr: '' })).toMatchObject({ error: { code: 'ENGINE_OUTPUT_TRUNCATED' } });
  });

  test('a conversation that is gone is let go of, and the next process begins anew', () => {
    const run = prompted({ engineSessionId: 'gone' });

    const effects = run.codec.line(
      JSON.stringify({
        type: 'result',
        subtype: 'error_during_execution',
        is_error: true,
        errors: ['No conversation found with session ID: gone'],
      }),
    );

    expect(effects).toMatchObject([
      { type: 'event', event: { type: 'notice', level: 'warning' } },
      { type: 'event', event: { type: 'bound', engineSessionId: null } },
      { type: 'stop', error: { code: 'ENGINE_START_FAILED' } },
    ]);
  });

  test('words sent into a running turn keep it open until claude has answered them too', () => {
    const run = prompted();
    run.says({ type: 'system', subtype: 'init', session_id: 's', capabilities: ['msg_lifecycle_v1'] });

    run.take(run.codec.steer({ turnId: 't1', text: 'and this', attachments: [] }));
    const uuid = run.written.at(-1)?.uuid;
    run.says({ type: 'command_lifecycle', command_uuid: uuid, state: 'queued' });

    expect(run.says(result()).map(({ type }) => type)).toEqual(['usage.updated']);
    run.says({ type: 'command_lifecycle', command_uuid: uuid, state: 'started' });
    expect(run.says(result()).at(-1)).toEqual({ type: 'turn.completed', outcome: 'completed' });
  });

  test('a stop takes back the words that claude has not begun with', () => {
    const run = prompted();
    run.says({ type: 'system', subtype: 'init', session_id: 's', capabilities: ['msg_lifecycle_v1'] });
    run.take(run.codec.steer({ turnId: 't1', text: 'and this', attachments: [] }));
    const uuid = run.written.at(-1)?.uuid;

    run.take(run.codec.interrupt());
    const { request, request_id: requestId } = run.written.at(-1) ?? {};

    expect(request).toEqual({ subtype: 'interrupt', cancel_queued: true });
    // An older claude does not know the field, and says what is left.
    run.says({
      type: 'control_response',
      response: { subtype: 'success', request_id: requestId, response: { still_queued: [uuid, 'of another'] } },
    });
    expect(run.written.at(-1)?.request).toEqual({ subtype: 'cancel_async_message', message_uuid: uuid });
    expect(run.says(result({ is_error: true, terminal_reason: 'aborted_streaming' })).at(-1)).toEqual({
      type: 'turn.completed',
      outcome: 'cancelled',
    });
  });

  test('a claude that does not tell what becomes of such words does not get them', () => {
    const run = prompted();

    run.take(run.codec.steer({ turnId: 't1', text: 'and this', attachments: [] }));

    expect(run.written).toHaveLength(1);
    const text =
      'This version of Claude Code takes no further words into a running turn, so they were not sent. Update it, or send them again.';
    const saying = { code: 'cannot_steer', values: { program: 'Claude Code' } };
    expect(run.events.at(-1)).toEqual({ type: 'notice', level: 'warning', text, saying });
  });

  test('changed settings go over the control channel, and only those that changed', () => {
    const run = start();

    run.take(run.codec.configure({ ...launchOptions().settings, model: 'haiku', mode: 'plan', effort: 'low' }));
    run.take(run.codec.configure({ ...launchOptions().settings, model: 'haiku', mode: null, effort: 'low' }));

    expect(run.written.map(({ request }) => request)).toEqual([
      { subtype: 'set_model', model: 'haiku' },
      { subtype: 'set_permission_mode', mode: 'plan' },
      { subtype: 'apply_flag_settings', settings: { effortLevel: 'low' } },
      { subtype: 'set_permission_mode', mode: 'default' },
    ]);
  });

  test('a setting claude refuses is told, and a mode it takes by itself is noted', () => {
    const run = start();
    run.take(run.codec.configure({ ...launchOptions().settings, mode: 'bypassPermissions' }));

    expect(
      run.says({ type: 'control_response', response: { subtype: 'error', request_id: 'pilotfish-1', error: 'not launched so' } }),
    ).toMatchObject([{ type: 'notice', level: 'warning', text: 'The mode could not be changed: not launched so' }]);
    expect(run.says({ type: 'system', subtype: 'status', permissionMode: 'default' })).toEqual([
      { type: 'settings.changed', settings: { mode: 'default' } },
    ]);
  });
});

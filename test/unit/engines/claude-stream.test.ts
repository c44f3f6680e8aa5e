import { describe, expect, test } from 'vitest';
import { prompted, result, start } from './claude-stage.ts';
import { linesOf } from './replay.ts';

describe('claude handshake', () => {
  const introduction = (account: object) => ({
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: 'pilotfish-1',
      response: {
        account,
        models: [{ value: 'opus', displayName: 'Opus', supportedEffortLevels: ['low', 'high'] }],
        claude_code_version: '2.1.329',
      },
    },
  });

  test('asks to initialize, and is ready with account, models and version', () => {
    const run = start();

    run.take(run.codec.start());

    expect(run.written).toEqual([
      { type: 'control_request', request_id: 'pilotfish-1', request: { subtype: 'initialize', hooks: {}, forwardSubagentText: true } },
    ]);
    expect(run.says(introduction({ tokenSource: 'none', apiKeySource: 'ANTHROPIC_API_KEY', apiProvider: 'firstParty' }))).toEqual([
      {
        type: 'ready',
        account: 'ANTHROPIC_API_KEY',
        version: '2.1.329',
        models: [{ modelId: 'opus', label: 'Opus', efforts: ['low', 'high'] }],
      },
    ]);
  });

  test('the real answer of a recording is understood', () => {
    const run = start();
    run.take(run.codec.start());

    const [line = ''] = linesOf('two-turns', 'claude');
    run.take(run.codec.line(line.replace('"init-1"', '"pilotfish-1"')));

    expect(run.events).toMatchObject([
      {
        type: 'ready',
        account: 'ANTHROPIC_API_KEY',
        version: '2.1.329',
        models: Array.from({ length: 4 }, () => ({ modelId: expect.not.stringMatching(/^default$/) })),
        commands: expect.arrayContaining([{ name: 'deep-research', description: expect.stringContaining('Deep research') }]),
      },
    ]);
  });

  test('names the person where claude does, and the cloud provider where that is the login', () => {
    const account = (value: object) => {
      const run = start();
      run.take(run.codec.start());
      return run.says(introduction(value)).map((event) => event.type === 'ready' && event.account);
    };

    expect(account({ tokenSource: 'claude.ai', apiKeySource: 'none', email: 'a@b.c', subscriptionType: 'max' })).toEqual(['a@b.c, max']);
    expect(account({ tokenSource: 'none', apiKeySource: 'none', apiProvider: 'bedrock' })).toEqual(['bedrock']);
  });

  test('no key and no token: stops, and says so', () => {
    const run = start();
    run.take(run.codec.start());

    const effects = run.codec.line(JSON.stringify(introduction({ tokenSource: 'none', apiKeySource: 'none', apiProvider: 'firstParty' })));

    expect(effects).toMatchObject([{ type: 'stop', error: { code: 'ENGINE_NOT_LOGGED_IN' } }]);
  });
});

describe('claude stream', () => {
  test('each delta is passed on as it comes, and the final form adds nothing that was said', () => {
    const run = prompted();

    for (const line of linesOf('answer', 'claude')) run.take(run.codec.line(line));

    const deltas = run.events.flatMap((event) => (event.type === 'item.delta' ? [event.text] : []));
    expect(deltas.slice(0, 2)).toEqual(['Hello from t', 'he fake mode']);
    expect(run.events.filter((event) => event.type === 'item.completed')).toEqual([
      { type: 'item.completed', itemId: expect.any(String), status: 'completed' },
    ]);
    expect(run.events.filter((event) => event.type === 'bound')).toHaveLength(1);
  });

  test('words that differ from what was streamed replace it', () => {
    const run = prompted();
    const stream = (event: object) => run.says({ type: 'stream_event', api_message_id: 'm', parent_tool_use_id: null, event });

    stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } });

    expect(run.says({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: 'Hello' }] } })).toEqual([
      { type: 'item.completed', itemId: 'm:0', status: 'completed', patch: { text: 'Hello' } },
    ]);
  });

  test('a message without an id on its events belongs to the newest of its agent', () => {
    const run = prompted();
    const stream = (event: object) => run.says({ type: 'stream_event', event });

    stream({ type: 'message_start', message: { id: 'm7' } });

    expect(stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } })).toMatchObject([
      { type: 'item.started', itemId: 'm7:0' },
      { type: 'item.delta', itemId: 'm7:0', text: 'x' },
    ]);
  });

  test('blocks that were not streamed take the next places of their message', () => {
    const run = prompted();

    run.says({ type: 'assistant', message: { id: 'm', content: [{ type: 'thinking', thinking: 'hm' }] } });
    run.says({
      type: 'assistant',
      message: {
        id: 'm',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    });

    expect(run.events.flatMap((event) => (event.type === 'item.started' ? [event.itemId] : []))).toEqual(['m:0', 'm:1', 'm:2']);
  });

  test('usage is the account of the conversation, and the context that of the newest request', () => {
    const run = prompted();

    for (const line of linesOf('two-turns', 'claude')) run.take(run.codec.line(line));

    const told = run.events.flatMap((event) => (event.type === 'usage.updated' && event.isOfProcess === true ? [event.usage] : []));
    expect(told.map(({ inputTokens, outputTokens, costUsd }) => [inputTokens, outputTokens, costUsd])).toEqual([
      [100, 20, undefined],
      [100, 20, 0.0008],
      [200, 40, undefined],
      [200, 40, 0.0016],
      [300, 60, undefined],
      [300, 60, 0.002_400_000_000_000_000_2],
    ]);
    expect(told[3]).toEqual({
      inputTokens: 200,
      outputTokens: 40,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costUsd: 0.0016,
      contextUsed: 120,
      contextWindow: 1_000_000,
    });
  });

  test('each request tells what was used while the turn runs, a subagent’s with the next, and no account takes any of it back', () => {
    const run = prompted();
    const told = (frame: object): unknown[] => run.says(frame).flatMap((event) => (event.type === 'usage.updated' ? [event.usage] : []));
    const begins = (id: string, usage: object): object => ({
      type: 'stream_event',
      event: { type: 'message_start', message: { id, usage } },
    });
    const ends = (usage: object): object => ({ type: 'stream_event', event: { type: 'message_delta', usage } });

    run.says(begins('m1', { input_tokens: 10, cache_creation_input_tokens: 500, output_tokens: 1 }));
    expect(told(ends({ output_tokens: 40 }))).toEqual([
      { inputTokens: 10, outputTokens: 40, cacheReadTokens: 0, cacheWriteTokens: 500, contextUsed: 550 },
    ]);
    run.says({
      type: 'assistant',
      parent_tool_use_id: 'call',
      message: { id: 's1', content: [], usage: { input_tokens: 7, output_tokens: 1 } },
    });
    run.says({
      type: 'assistant',
      parent_tool_use_id: 'call',
      message: { id: 's1', content: [], usage: { input_tokens: 7, output_tokens: 1 } },
    });
    run.says(begins('m2', { input_tokens: 3, cache_read_input_tokens: 500, output_tokens: 1 }));
    expect(told(ends({ output_tokens: 20 }))).toEqual([
      { inputTokens: 20, outputTokens: 61, cacheReadTokens: 500, cacheWriteTokens: 500, contextUsed: 523 },
    ]);
    expect(told(result({ modelUsage: { m: { inputTokens: 15, outputTokens: 90, cacheReadInputTokens: 500 } } }))).toMatchObject([
      { inputTokens: 20, outputTokens: 90, cacheReadTokens: 500, cacheWriteTokens: 500 },
    ]);
  });

  test('a turn has one end, whatever comes after it', () => {
    const run = prompted();

    run.says(result());
    run.says(result());
    run.take(run.codec.exit({ code: 0, signal: null, stderr: '' }));

    expect(run.events.filter((event) => event.type === 'turn.completed')).toEqual([{ type: 'turn.completed', outcome: 'completed' }]);
  });
});

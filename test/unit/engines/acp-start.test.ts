import { describe, expect, test } from 'vitest';
import { acpEngine } from '#companion/engines/acp.ts';
import type { LaunchOptions } from '#companion/engines/engine.ts';
import { defaultSettings } from '#protocol/events.ts';
import { greet, MODES, ready, running, said, SESSION, spec, update } from './acp-stage.ts';
import { promptOf, startSession, type CodecSession } from './codec-stage.ts';

describe('starting an ACP agent', () => {
  test('MCP goes by HTTP with the token in a header, over stdin', () => {
    expect(ready().lastOf('session/new')?.params).toEqual({
      cwd: '/project',
      mcpServers: [
        { type: 'http', name: 'lab', url: 'http://127.0.0.1:1/mcp', headers: [{ name: 'Authorization', value: 'Bearer token' }] },
      ],
    });
  });

  test('an agent that knows no HTTP gets our executable', () => {
    const session = startSession(acpEngine(spec));

    greet(session, {});

    expect(session.lastOf('session/new')?.params?.['mcpServers']).toEqual([{ name: 'lab', command: '/pilotfish', args: ['mcp'], env: [] }]);
  });

  test('it is ready with its version and its modes, the dangerous ones marked', () => {
    expect(ready().events).toEqual([
      { type: 'bound', engineSessionId: SESSION },
      {
        type: 'ready',
        defaultMode: 'default',
        version: '1.2.3',
        models: [],
        modes: [
          { modeId: 'default', label: 'Default', description: 'Asks', isDangerous: false },
          { modeId: 'yolo', label: 'YOLO', isDangerous: true },
        ],
      },
    ]);
  });

  test('an agent that wants a sign-in says so at once', () => {
    const session = startSession(acpEngine(spec));
    greet(session);

    session.answers('session/new', { error: { code: -32000, message: 'Authentication required' } });

    expect(session.effects.at(-1)).toMatchObject({ type: 'stop', error: { code: 'ENGINE_NOT_LOGGED_IN' } });
  });

  test('a sign-in that is wanted later ends the turn', () => {
    const session = running();

    const events = session.answers('session/prompt', { error: { code: -32000, message: 'Authentication required' } });

    expect(events).toMatchObject([{ type: 'turn.completed', error: { code: 'ENGINE_NOT_LOGGED_IN' } }]);
  });

  describe('that takes its key from a variable', () => {
    const authMethods = [
      { id: 'browser', name: 'Sign in' },
      { id: 'key', type: 'env_var', vars: [{ name: 'TESTER_KEY' }] },
    ];
    const refusal = { error: { code: -32000, message: 'Authentication required' } };
    const start = (options: Partial<LaunchOptions>): CodecSession => {
      const session = startSession(acpEngine(spec), { cwd: '/project', ...options });
      session.answers('initialize', { result: { protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods } });
      return session;
    };

    test.for([
      { userEnv: { TESTER_KEY: 'k' } },
      { secrets: { TESTER_KEY: 'k' } },
      { secrets: { TESTER_KEY: 'k' }, engineSessionId: SESSION },
    ])('is told to when it asks for a sign-in, and opens or resumes the session after it: %j', (options) => {
      const session = start(options);
      const method = 'engineSessionId' in options ? 'session/load' : 'session/new';

      session.answers(method, refusal);
      session.answers('authenticate', { result: {} });
      const events = session.answers(method, { result: { sessionId: SESSION } });

      expect(session.lastOf('authenticate')?.params).toEqual({ methodId: 'key' });
      expect(events.map(({ type }) => type)).toEqual(['bound', 'ready']);
    });

    test('is told once: what it refuses then is not logged in', () => {
      const session = start({ userEnv: { TESTER_KEY: 'wrong' } });

      session.answers('session/new', refusal);
      session.answers('authenticate', { result: {} });
      session.answers('session/new', refusal);

      expect(session.sent.filter(({ method }) => method === 'authenticate')).toHaveLength(1);
      expect(session.effects.at(-1)).toMatchObject({ type: 'stop', error: { code: 'ENGINE_NOT_LOGGED_IN' } });
    });

    test('is never told without that variable, nor to open a browser', () => {
      const session = start({});

      session.answers('session/new', refusal);

      expect(session.lastOf('authenticate')).toBeUndefined();
      expect(session.effects.at(-1)).toMatchObject({ type: 'stop', error: { code: 'ENGINE_NOT_LOGGED_IN' } });
    });
  });

  test('one that ends before it is ready says why', () => {
    const session = startSession(acpEngine(spec));

    const effects = session.codec.exit({ code: 41, signal: null, stderr: 'Please set an auth method first.' });

    expect(effects).toMatchObject([{ type: 'stop', error: { code: 'ENGINE_NOT_LOGGED_IN' } }]);
  });

  test('a resumed conversation is not shown a second time', () => {
    const session = startSession(acpEngine(spec), { engineSessionId: SESSION });
    greet(session);

    const replayed = [
      ...session.says(update('user_message_chunk', { content: { type: 'text', text: 'hello' } })),
      ...session.says(said('Hi.')),
      ...session.says(update('tool_call', { toolCallId: 'old', title: 'x', kind: 'read' })),
    ];
    session.answers('session/load', { result: { modes: MODES } });

    expect(replayed).toEqual([]);
    expect(session.events[0]).toEqual({ type: 'bound', engineSessionId: SESSION });
  });

  test('resuming is tried before loading, and when both fail it begins anew and says so', () => {
    const session = startSession(acpEngine(spec), { engineSessionId: 'old' });
    greet(session, { loadSession: true, sessionCapabilities: { resume: {} } });

    session.answers('session/resume', { error: { code: -32601, message: 'no such method' } });
    session.answers('session/load', { error: { code: -32603, message: 'Internal error', data: { details: 'No previous sessions.' } } });
    session.answers('session/new', { result: { sessionId: 'new' } });

    expect(session.events[0]).toMatchObject({
      type: 'notice',
      level: 'warning',
      text: expect.stringContaining('No previous sessions.') as string,
    });
    expect(session.events).toContainEqual({ type: 'bound', engineSessionId: 'new' });
  });

  test('mode and model are set before it is ready, by whichever way the agent has', () => {
    const session = startSession(acpEngine(spec), { settings: { ...defaultSettings, mode: 'plan', model: 'm2', effort: 'high' } });
    greet(session);
    const option = (id: string, category: string, currentValue: string, values: string[]): object => ({
      id,
      category,
      currentValue,
      options: values.map((value) => ({ value, name: value })),
    });
    const configOptions = [
      option('o1', 'mode', 'build', ['build', 'plan']),
      option('o2', 'model', 'm1', ['m1', 'm2']),
      option('o3', 'thought_level', 'low', ['low', 'high']),
    ];
    session.answers('session/new', { result: { sessionId: SESSION, configOptions } });
    const early = session.events.length;

    const set = session.sent.filter(({ method }) => method === 'session/set_config_option');
    for (const { id } of set) session.says({ id, result: {} });

    expect(early).toBe(0);
    expect(set.map(({ params }) => params)).toEqual([
      { sessionId: SESSION, configId: 'o2', value: 'm2' },
      { sessionId: SESSION, configId: 'o1', value: 'plan' },
      { sessionId: SESSION, configId: 'o3', value: 'high' },
    ]);
    expect(session.events.at(-1)).toMatchObject({
      type: 'ready',
      models: [{ modelId: 'm1', efforts: ['low', 'high'] }, { modelId: 'm2' }],
    });
  });

  test('a setting the agent refuses is told and holds nothing up', () => {
    const session = ready();

    session.take(session.codec.configure({ ...defaultSettings, mode: 'yolo' }));
    const events = session.answers('session/set_mode', { error: { code: -32603, message: 'untrusted folder' } });

    expect(events).toMatchObject([{ type: 'notice', level: 'warning' }]);
  });

  test('the system prompt stands before the first words of a new conversation only', () => {
    const settings = { ...defaultSettings, systemPrompt: 'Be brief.' };
    const session = ready({}, { settings });

    session.take(session.codec.prompt(promptOf('one')));
    const first = session.lastOf('session/prompt')?.params?.['prompt'];
    session.answers('session/prompt', { result: { stopReason: 'end_turn' } });
    session.take(session.codec.prompt(promptOf('two')));

    expect(first).toEqual([
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'one' },
    ]);
    expect(session.lastOf('session/prompt')?.params?.['prompt']).toEqual([{ type: 'text', text: 'two' }]);
  });
});

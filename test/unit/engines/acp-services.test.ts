import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '#protocol/errors.ts';
import { ready, running, SESSION, update } from './acp-stage.ts';
import { promptOf, type CodecSession } from './codec-stage.ts';

const serviceCalls = (session: CodecSession) => session.effects.flatMap((effect) => (effect.type === 'service' ? [effect] : []));

/** The newest service is done. */
const done = (session: CodecSession, result: unknown) =>
  session.take(session.codec.reply(serviceCalls(session).at(-1)?.callId ?? '', { result }));

const refused = (session: CodecSession, code: ErrorCode, message: string) =>
  session.take(session.codec.reply(serviceCalls(session).at(-1)?.callId ?? '', { error: { code, message, remedy: '' } }));

const read = (path: string) => ({ id: 1, method: 'fs/read_text_file', params: { sessionId: SESSION, path } });

/** A command whose terminal is named `term`. */
const opened = (session: CodecSession): void => {
  session.says({ id: 1, method: 'terminal/create', params: { sessionId: SESSION, command: 'npm test' } });
  done(session, { terminalId: 'term' });
};

const ofTerminal = (id: number, method: string) => ({ id, method, params: { sessionId: SESSION, terminalId: 'term' } });

describe('files of ACP agents', () => {
  test('inside the project are services done for the agent', () => {
    const session = running();

    session.says(read('/project/src/a.ts'));
    done(session, { content: 'x' });

    expect(serviceCalls(session)).toMatchObject([{ method: 'fs/read_text_file', params: { path: '/project/src/a.ts' } }]);
    expect(session.sent.at(-1)).toMatchObject({ id: 1, result: { content: 'x' } });
  });

  test.for(['/etc/passwd', '/project/../secret', '/projects/x', '/project/a/../../b'])(
    '%s is outside, is never done, and is told once',
    (path) => {
      const session = running();

      session.says({ id: 1, method: 'fs/write_text_file', params: { sessionId: SESSION, path, content: '' } });
      session.says({ id: 2, method: 'terminal/create', params: { sessionId: SESSION, command: 'ls', cwd: path } });

      expect(serviceCalls(session)).toEqual([]);
      expect(session.sent.slice(-2)).toMatchObject([
        { id: 1, error: { code: -32602 } },
        { id: 2, error: { code: -32602 } },
      ]);
      expect(session.events.filter(({ type }) => type === 'notice')).toEqual([
        {
          type: 'notice',
          level: 'warning',
          text: `The agent wanted ${path}, which is outside the project: refused.`,
          saying: { code: 'outside', values: { place: path } },
        },
      ]);
    },
  );

  test.for<[ErrorCode, number, RegExp]>([
    ['FILE_NOT_FOUND', -32_002, /^Resource not found: \/project\/a$/],
    ['INPUT_INVALID', -32_602, /^why$/],
    ['INPUT_TOO_LARGE', -32_602, /^why$/],
    ['WORKSPACE_OUTSIDE_ROOTS', -32_602, /^why$/],
    ['ENGINE_UNSUPPORTED', -32_601, /^why$/],
    ['INTERNAL', -32_603, /^why$/],
  ])('%s is %d for the agent', ([code, number, message]) => {
    const session = running();
    session.says(read('/project/a'));

    const events = refused(session, code, 'why');

    expect(session.sent.at(-1)).toMatchObject({ id: 1, error: { code: number, message: expect.stringMatching(message) as string } });
    expect(events.map(({ type }) => type)).toEqual(code === 'WORKSPACE_OUTSIDE_ROOTS' ? ['notice'] : []);
  });

  test('are not for an agent that does its own work', () => {
    const session = running({ usesServices: false });

    session.says(read('/project/a'));

    expect(session.sent[0]?.params).toMatchObject({
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    expect(session.sent.at(-1)).toMatchObject({ id: 1, error: { code: -32601 } });
    expect(serviceCalls(session)).toEqual([]);
  });
});

describe('terminals of ACP agents', () => {
  test('the call that shows one has its output and its exit code, asked for or not', () => {
    const session = running();
    opened(session);
    const content = [{ type: 'terminal', terminalId: 'term' }];
    session.says(update('tool_call', { toolCallId: 'c', title: 'npm test', kind: 'execute', content }));

    session.says(ofTerminal(2, 'terminal/wait_for_exit'));
    done(session, { exitCode: 1, signal: null });
    const events = done(session, { output: 'failed\n', truncated: false, exitStatus: { exitCode: 1, signal: null } });

    expect(serviceCalls(session).map(({ method }) => method)).toEqual(['terminal/create', 'terminal/wait_for_exit', 'terminal/output']);
    expect(events).toEqual([{ type: 'item.updated', itemId: 'c', patch: { text: 'failed\n', exitCode: 1 } }]);
    // The agent gets what it asked for, and nothing of what it did not.
    expect(session.sent.slice(-1)).toMatchObject([{ id: 2, result: { exitCode: 1 } }]);
  });

  test.for(['stopped', 'failed'])('end with a turn that is %s', (how) => {
    const session = running();
    opened(session);

    if (how === 'stopped') session.take(session.codec.interrupt());
    else session.answers('session/prompt', { error: { code: -32_603, message: 'no' } });

    expect(serviceCalls(session).at(-1)).toMatchObject({ method: 'terminal/kill', params: { terminalId: 'term' } });
    expect(done(session, null)).toEqual([]);
  });

  test('that start while their turn is stopped end at once', () => {
    const session = running();
    session.says({ id: 1, method: 'terminal/create', params: { sessionId: SESSION, command: 'npm test' } });
    session.take(session.codec.interrupt());

    done(session, { terminalId: 'late' });

    expect(serviceCalls(session).at(-1)).toMatchObject({ method: 'terminal/kill', params: { terminalId: 'late' } });
  });

  test('go on after a turn that came to its end, and are left alone once released', () => {
    const session = running();
    opened(session);
    session.answers('session/prompt', { result: { stopReason: 'end_turn' } });
    expect(serviceCalls(session).at(-1)?.method).toBe('terminal/create');

    session.take(session.codec.prompt(promptOf('next')));
    session.says(ofTerminal(3, 'terminal/release'));
    done(session, null);
    session.take(session.codec.interrupt());

    expect(serviceCalls(session).at(-1)?.method).toBe('terminal/release');
  });

  test('have answers that come late or twice go nowhere', () => {
    const session = ready();

    expect(session.codec.reply('service-1', { result: {} })).toEqual([]);
    expect(session.codec.reply('1', { error: { code: 'INTERNAL', message: 'x', remedy: '' } })).toEqual([]);
  });
});

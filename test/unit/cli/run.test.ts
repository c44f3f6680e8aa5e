import path from 'node:path';
import { describe, expect } from 'vitest';
import { CompanionError, type ErrorCode } from '#protocol/errors.ts';
import { ItemId, ProjectId, RequestId, TurnId } from '#protocol/ids.ts';
import { engine, sessionId, summary, test, type Stage } from './stage.ts';

const item = (turnId: string, id: string) => ({ turnId: TurnId.parse(turnId), itemId: ItemId.parse(id) });

const start = (stage: Stage, turnId: string): void =>
  stage.emit({ type: 'turn.started', turnId: TurnId.parse(turnId), prompt: { text: '', attachments: [] } });

const end = (stage: Stage, turnId: string, outcome: 'completed' | 'cancelled' | 'interrupted' = 'completed'): void =>
  stage.emit({ type: 'turn.completed', turnId: TurnId.parse(turnId), outcome, durationMs: 1 });

const message = (stage: Stage, turnId: string, id: string, deltas: readonly string[], final?: string): void => {
  stage.emit({ type: 'item.started', ...item(turnId, id), item: { kind: 'message', role: 'assistant', text: '' } });
  for (const text of deltas) stage.emit({ type: 'item.delta', ...item(turnId, id), text });
  stage.emit({
    type: 'item.completed',
    ...item(turnId, id),
    status: 'completed',
    ...(final === undefined ? {} : { patch: { text: final } }),
  });
};

const askPermission = (stage: Stage, turnId: string): void =>
  stage.emit({
    type: 'request.opened',
    turnId: TurnId.parse(turnId),
    requestId: RequestId.parse('r1'),
    request: {
      kind: 'permission',
      title: 'Run a command',
      detail: 'rm -rf \u001b[8mbuild',
      options: [
        { optionId: 'yes', label: 'Allow', kind: 'allow_once' },
        { optionId: 'no', label: 'Deny', kind: 'reject' },
      ],
    },
  });

const askColour = (stage: Stage, turnId: string): void =>
  stage.emit({
    type: 'request.opened',
    turnId: TurnId.parse(turnId),
    requestId: RequestId.parse('r1'),
    request: {
      kind: 'question',
      title: 'Which colour?',
      options: [
        { optionId: 'answer', label: 'Answer', kind: 'allow_once' },
        { optionId: 'reject', label: 'Do not answer', kind: 'reject' },
      ],
      questions: [{ question: 'Which colour?', options: [{ label: 'red' }], isMultiple: false, isOpen: false }],
    },
  });

const fail = (stage: Stage, turnId: string, code: ErrorCode): void =>
  stage.emit({
    type: 'turn.completed',
    turnId: TurnId.parse(turnId),
    outcome: 'failed',
    error: new CompanionError(code).toBody(),
    durationMs: 1,
  });

const resolve = (stage: Stage): void =>
  stage.emit({ type: 'request.resolved', requestId: RequestId.parse('r1'), outcome: 'allowed', by: 'panel' });

describe('run', () => {
  test('prints the answer as it comes on stdout and what the agent does on stderr', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      message(stage, turnId, 'm1', ['Hel', 'lo \u001b[31m', 'you']);
      stage.emit({
        type: 'item.started',
        ...item(turnId, 'b'),
        item: { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'Bash', text: '' },
      });
      stage.emit({ type: 'item.updated', ...item(turnId, 'b'), patch: { title: 'ls' } });
      stage.emit({ type: 'item.completed', ...item(turnId, 'b'), status: 'failed' });
      message(stage, turnId, 'm2', [], 'Done.');
      end(stage, turnId);
    };

    expect(await stage.run('run', '--', 'do', 'it')).toBe(0);

    expect(stage.calls).toContainEqual(['startTurn', sessionId, 'do it']);
    expect(stage.calls).toContainEqual(['create', 'p1', { engineName: 'claude' }]);
    expect(stage.out).toBe('Hello you\n\nDone.\n');
    expect(stage.err).toBe(`Session ${sessionId}\n· Bash ls\n· Bash failed\n`);
  });

  test('begins a line for what the agent does, also where both streams are one', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      message(stage, turnId, 'm1', ['I look.']);
      stage.emit({
        type: 'item.started',
        ...item(turnId, 'b'),
        item: { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'ls', text: '' },
      });
      message(stage, turnId, 'm2', ['Done.\n']);
      end(stage, turnId);
    };

    await stage.run('run', '--session', sessionId, '--', 'x');

    expect(stage.both).toBe('I look.\n· Bash ls\n\nDone.\n');
  });

  const settings = {
    flags: [
      '--max-turns',
      '3',
      '--max-cost',
      '0.5',
      '--max-minutes',
      '1.5',
      '--max-silence',
      '2',
      '--system-prompt',
      'Be brief.',
      '--allow-tool',
      'Read',
      '--allow-tool',
      'Bash(git:*)',
    ],
    meant: {
      maxTurns: 3,
      maxCostUsd: 0.5,
      maxTurnMs: 90_000,
      maxSilenceMs: 120_000,
      systemPrompt: 'Be brief.',
      allowedTools: ['Read', 'Bash(git:*)'],
    },
  };

  test('sets limits, instructions and tools of a new session', async ({ stage }) => {
    stage.onAct = (turnId) => (start(stage, turnId), end(stage, turnId));

    expect(await stage.run('run', ...settings.flags, '--', 'x')).toBe(0);

    expect(stage.calls).toContainEqual(['create', 'p1', { engineName: 'claude', ...settings.meant }]);
  });

  test('limits this prompt alone, in US dollars or in tokens', async ({ stage }) => {
    stage.onAct = (turnId) => (start(stage, turnId), end(stage, turnId));

    await stage.run('run', '--session', sessionId, '--budget', '0.50', '--', 'x');
    await stage.run('run', '--session', sessionId, '--budget', '20,000 tokens', '--', 'y');

    expect(stage.calls.filter(([name]) => name === 'budget' || name === 'update')).toEqual([
      ['budget', { costUsd: 0.5 }],
      ['budget', { tokens: 20_000 }],
    ]);
  });

  test('and of one that it goes on with, before the prompt', async ({ stage }) => {
    stage.onAct = (turnId) => (start(stage, turnId), end(stage, turnId));

    await stage.run('run', '--session', sessionId, ...settings.flags, '--', 'x');
    await stage.run('run', '--session', sessionId, '--max-turns', '0', '--', 'y');

    expect(stage.calls.filter(([name]) => name === 'update' || name === 'startTurn')).toEqual([
      ['update', sessionId, settings.meant],
      ['startTurn', sessionId, 'x'],
      ['update', sessionId, { maxTurns: null }],
      ['startTurn', sessionId, 'y'],
    ]);
  });

  test.for([
    ['--max-turns', 'many'],
    ['--max-turns', ''],
    ['--max-cost', '2,50'],
    ['--max-cost', '-1'],
    ['--max-minutes', '10 h'],
    ['--max-silence', ''],
    ['--max-tokens', 'many'],
    ['--budget', 'much'],
    ['--budget', '0'],
    ['--budget', '1.5tokens'],
    ['--allow-tool', 'Read Edit'],
  ])('refuses %s %j before anything is begun', async ([flag = '', value = ''], { stage }) => {
    expect(await stage.run('run', `${flag}=${value}`, '--', 'x')).toBe(2);

    expect(stage.err).toContain(flag);
    expect(stage.calls.map(([name]) => name)).not.toContain('create');
  });

  test('prints a final text that differs from the streamed one', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      message(stage, turnId, 'm1', ['Helo'], 'Hello');
      end(stage, turnId);
    };

    await stage.run('run', '--', 'x');

    expect(stage.out).toBe('Helo\nHello\n');
  });

  test('leaves earlier turns and nested agents out', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, 'earlier');
      message(stage, 'earlier', 'm0', ['old']);
      end(stage, 'earlier');
      start(stage, turnId);
      stage.emit({
        type: 'item.started',
        ...item(turnId, 'sub'),
        parentItemId: ItemId.parse('task'),
        item: { kind: 'message', role: 'assistant', text: 'inner' },
      });
      message(stage, turnId, 'm1', ['new']);
      end(stage, turnId);
    };

    await stage.run('run', '--session', sessionId, '--', 'x');

    expect(stage.out).toBe('new\n');
    expect(stage.calls.some(([name]) => name === 'create')).toBe(false);
  });

  test('waits for no input any more when it is told to end', async ({ stage }) => {
    stage.stdin.write('half a prompt');
    const code = stage.run('run');

    stage.interrupt.abort();

    expect(await code).toBe(130);
    expect(stage.calls).toEqual([]);
    expect(stage.err).toBe('');
  });

  test('takes the prompt from a pipe', async ({ stage }) => {
    stage.stdin.end('from a pipe\n');
    stage.onAct = (turnId) => {
      start(stage, turnId);
      end(stage, turnId);
    };

    expect(await stage.run('run')).toBe(0);
    expect(stage.calls).toContainEqual(['startTurn', sessionId, 'from a pipe']);
  });

  test('has the agent and model of its project, unless that agent cannot answer', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      end(stage, turnId);
    };
    stage.engines.push(engine('goose', 'ready'));
    stage.sessions = [summary({ projectId: ProjectId.parse('p1'), engineName: 'goose', model: 'large' })];

    await stage.run('run', '--', 'x');
    await stage.run('run', '--model', 'small', '--', 'x');
    stage.sessions = [summary({ projectId: ProjectId.parse('p1'), engineName: 'codex', model: 'large' })];
    await stage.run('run', '--', 'x');

    expect(stage.calls.filter(([call]) => call === 'create')).toEqual([
      ['create', 'p1', { engineName: 'goose', model: 'large' }],
      ['create', 'p1', { engineName: 'goose', model: 'small' }],
      ['create', 'p1', { engineName: 'claude' }],
    ]);
  });

  test('has an agent tell its modes before it is begun with one', async ({ stage }) => {
    stage.engines = [engine('goose', 'unchecked'), engine('claude', 'ready')];
    stage.onAct = (turnId) => (start(stage, turnId), end(stage, turnId));

    for (const name of ['goose', 'claude']) await stage.run('run', '--engine', name, '--mode', 'plan', '--', 'x');
    await stage.run('run', '--engine', 'goose', '--', 'x');

    expect(stage.calls.filter(([what]) => what === 'refresh' || what === 'create').map(([what, name]) => [what, name])).toEqual([
      ['refresh', 'goose'],
      ['create', 'p1'],
      ['create', 'p1'],
      ['create', 'p1'],
    ]);
  });

  test('chooses agent, project, model and mode', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      end(stage, turnId);
    };

    await stage.run('run', '--engine', 'codex', '--project', '/srv/site', '--model', 'm', '--mode', 'plan', '--', 'x');

    expect(stage.calls).toContainEqual(['save', { name: 'site', rootPath: path.resolve('/srv/site') }]);
    expect(stage.calls).toContainEqual(['create', 'p1', { engineName: 'codex', model: 'm', mode: 'plan' }]);
  });

  test('fails with the cause and the remedy', async ({ stage }) => {
    const error = new CompanionError('ENGINE_API_ERROR').toBody();
    stage.onAct = (turnId) => (start(stage, turnId), fail(stage, turnId, 'ENGINE_API_ERROR'));

    expect(await stage.run('run', '--', 'x')).toBe(1);
    expect(stage.err).toContain(`${error.message}\n${error.remedy}`);
  });

  test.for([
    ['ENGINE_NOT_LOGGED_IN', 3],
    ['ENGINE_TURN_TOO_LONG', 4],
    ['ENGINE_BUDGET_REACHED', 4],
    ['PROMPT_BUDGET_REACHED', 4],
    ['ENGINE_OVERLOADED', 1],
  ] as const)('exits after %s with %d', async ([code, exitCode], { stage }) => {
    stage.onAct = (turnId) => (start(stage, turnId), fail(stage, turnId, code));

    expect(await stage.run('run', '--json', '--', 'x')).toBe(exitCode);
  });

  test.for([
    ['SESSION_NOT_FOUND', 2],
    ['WORKSPACE_NOT_FOUND', 2],
    ['STORE_FAILED', 1],
  ] as const)('exits after %s with %d where no turn could begin, and with 1 where one has', async ([code, exitCode], { stage }) => {
    stage.onAct = () => {
      throw new CompanionError(code);
    };
    expect(await stage.run('run', '--session', sessionId, '--', 'x')).toBe(exitCode);

    stage.onAct = (turnId) => (start(stage, turnId), fail(stage, turnId, code));
    expect(await stage.run('run', '--session', sessionId, '--', 'x')).toBe(1);
  });

  test('exits with 5 when the turn was interrupted', async ({ stage }) => {
    stage.onAct = (turnId) => (start(stage, turnId), end(stage, turnId, 'interrupted'));

    expect(await stage.run('run', '--', 'x')).toBe(5);
    expect(stage.err).toContain('send again');
  });

  test('says what to do when no agent is ready, or no prompt is there', async ({ stage }) => {
    stage.engines = [];
    expect(await stage.run('run', '--', 'x')).toBe(3);
    expect(stage.err).toContain('pilotfish engine check');

    stage.isInteractive = true;
    expect(await stage.run('run')).toBe(2);
  });

  test('prints events as JSON lines, safe for a terminal too', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      message(stage, turnId, 'm1', ['a\u009b\u001b[31mb']);
      end(stage, turnId);
    };

    expect(await stage.run('run', '--json', '--', 'x')).toBe(0);

    const lines = stage.out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      'turn.started',
      'item.started',
      'item.delta',
      'item.completed',
      'turn.completed',
    ]);
    expect(JSON.parse(lines[2] ?? '').text).toBe('a\u009b\u001b[31mb');
    expect(stage.out).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  test('asks the person at the terminal, without a way for the text to deceive', async ({ stage }) => {
    stage.isInteractive = true;
    stage.onAct = (turnId) => {
      start(stage, turnId);
      askPermission(stage, turnId);
      stage.onAnswer = () => end(stage, turnId);
    };
    const running = stage.run('run', '--', 'x');
    stage.stdin.write('9\na\n');

    expect(await running).toBe(0);
    expect(stage.calls).toContainEqual(['answer', 'r1', { optionId: 'yes' }]);
    expect(stage.err).toContain('? Run a command');
    expect(stage.err).toContain('rm -rf ⟨U+001B⟩[8mbuild');
  });

  test.for([
    [[], 'no', 'nobody is at the terminal'],
    [['--on-ask', 'deny'], 'no', 'Deny'],
    [['--on-ask', 'allow'], 'yes', 'Allow'],
  ] as const)('answers by %j where nobody can be asked', async ([flags, optionId, said], { stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      askPermission(stage, turnId);
      stage.onAnswer = () => end(stage, turnId);
    };

    expect(await stage.run('run', ...flags, '--', 'x')).toBe(0);

    expect(stage.calls).toContainEqual(['answer', 'r1', { optionId }]);
    expect(stage.err).toContain('? Run a command');
    expect(stage.err).toContain(said);
  });

  test('refuses a question that wants words, whatever may be allowed', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      askColour(stage, turnId);
      stage.onAnswer = () => end(stage, turnId);
    };

    expect(await stage.run('run', '--on-ask', 'allow', '--json', '--', 'x')).toBe(0);

    expect(stage.calls).toContainEqual(['answer', 'r1', { optionId: 'reject' }]);
  });

  test('refuses --on-ask with another word before anything is begun', async ({ stage }) => {
    expect(await stage.run('run', '--on-ask', 'maybe', '--', 'x')).toBe(2);

    expect(stage.err).toContain('deny, allow, wait');
    expect(stage.calls).toEqual([]);
  });

  test('waits for an answer from elsewhere where it is told to', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      askPermission(stage, turnId);
      resolve(stage);
      end(stage, turnId);
    };

    expect(await stage.run('run', '--on-ask', 'wait', '--', 'x')).toBe(0);
    expect(stage.err).toContain('Answer it in the side panel');
    expect(stage.calls.some(([name]) => name === 'answer')).toBe(false);
  });

  test('stops asking when it was answered in the panel', async ({ stage }) => {
    stage.isInteractive = true;
    stage.onAct = (turnId) => {
      start(stage, turnId);
      askPermission(stage, turnId);
      setImmediate(() => {
        resolve(stage);
        end(stage, turnId);
      });
    };

    expect(await stage.run('run', '--', 'x')).toBe(0);
    expect(stage.calls.some(([name]) => name === 'answer')).toBe(false);
  });

  test('ctrl+c stops the turn and waits for its end', async ({ stage }) => {
    stage.onAct = (turnId) => {
      start(stage, turnId);
      setImmediate(() => {
        stage.interrupt.abort();
        end(stage, turnId, 'cancelled');
      });
    };

    expect(await stage.run('run', '--', 'x')).toBe(130);
    expect(stage.calls.some(([name]) => name === 'cancel')).toBe(true);
    expect(stage.err).toContain('Stopped.');
  });
});

test('what is attached is sent before the prompt, and goes along with it', async ({ stage }) => {
  stage.onAct = (turnId) => {
    start(stage, turnId);
    end(stage, turnId);
  };

  expect(await stage.run('run', '--engine', 'claude', '--attach', 'a.png', '--attach', 'b.zip', '--', 'look')).toBe(0);

  const sent = stage.calls.filter(([name]) => name === 'upload' || name === 'startTurn');
  expect(sent).toEqual([
    ['upload', 'a.png', 'b.zip'],
    ['startTurn', sessionId, 'look', 'upload of a.png', 'upload of b.zip'],
  ]);
});

import path from 'node:path';
import { describe, expect } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import { ItemId, RequestId, TurnId } from '#protocol/ids.ts';
import { sessionId, test, type World } from './world.ts';

const item = (turnId: string, id: string) => ({ turnId: TurnId.parse(turnId), itemId: ItemId.parse(id) });

const start = (world: World, turnId: string): void =>
  world.emit({ type: 'turn.started', turnId: TurnId.parse(turnId), prompt: { text: '', attachments: [] } });

const end = (world: World, turnId: string, outcome: 'completed' | 'cancelled' = 'completed'): void =>
  world.emit({ type: 'turn.completed', turnId: TurnId.parse(turnId), outcome, durationMs: 1 });

const message = (world: World, turnId: string, id: string, deltas: readonly string[], final?: string): void => {
  world.emit({ type: 'item.started', ...item(turnId, id), item: { kind: 'message', role: 'assistant', text: '' } });
  for (const text of deltas) world.emit({ type: 'item.delta', ...item(turnId, id), text });
  world.emit({
    type: 'item.completed',
    ...item(turnId, id),
    status: 'completed',
    ...(final === undefined ? {} : { patch: { text: final } }),
  });
};

const askPermission = (world: World, turnId: string): void =>
  world.emit({
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

const resolve = (world: World): void =>
  world.emit({ type: 'request.resolved', requestId: RequestId.parse('r1'), outcome: 'allowed', by: 'panel' });

describe('run', () => {
  test('prints the answer as it comes on stdout and what the agent does on stderr', async ({ world }) => {
    world.onAct = (turnId) => {
      start(world, turnId);
      message(world, turnId, 'm1', ['Hel', 'lo \u001b[31m', 'you']);
      world.emit({
        type: 'item.started',
        ...item(turnId, 'b'),
        item: { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'Bash', text: '' },
      });
      world.emit({ type: 'item.updated', ...item(turnId, 'b'), patch: { title: 'ls' } });
      world.emit({ type: 'item.completed', ...item(turnId, 'b'), status: 'failed' });
      message(world, turnId, 'm2', [], 'Done.');
      end(world, turnId);
    };

    expect(await world.run('run', '--', 'do', 'it')).toBe(0);

    expect(world.calls).toContainEqual(['act', sessionId, 'do it']);
    expect(world.calls).toContainEqual(['create', 'p1', { engineName: 'claude' }]);
    expect(world.out).toBe('Hello you\n\nDone.\n');
    expect(world.err).toBe('· Bash ls\n· Bash failed\n');
  });

  const settings = {
    flags: ['--max-turns', '3', '--max-cost', '0.5', '--system-prompt', 'Be brief.', '--allow-tool', 'Read', '--allow-tool', 'Bash(git:*)'],
    meant: { maxTurns: 3, maxCostUsd: 0.5, systemPrompt: 'Be brief.', allowedTools: ['Read', 'Bash(git:*)'] },
  };

  test('sets limits, instructions and tools of a new session', async ({ world }) => {
    world.onAct = (turnId) => (start(world, turnId), end(world, turnId));

    expect(await world.run('run', ...settings.flags, '--', 'x')).toBe(0);

    expect(world.calls).toContainEqual(['create', 'p1', { engineName: 'claude', ...settings.meant }]);
  });

  test('and of one that it goes on with, before the prompt', async ({ world }) => {
    world.onAct = (turnId) => (start(world, turnId), end(world, turnId));

    await world.run('run', '--session', sessionId, ...settings.flags, '--', 'x');
    await world.run('run', '--session', sessionId, '--max-turns', '0', '--', 'y');

    expect(world.calls.filter(([name]) => name === 'update' || name === 'act')).toEqual([
      ['update', sessionId, settings.meant],
      ['act', sessionId, 'x'],
      ['update', sessionId, { maxTurns: null }],
      ['act', sessionId, 'y'],
    ]);
  });

  test.for([
    ['--max-turns', 'many'],
    ['--max-turns', ''],
    ['--max-cost', '2,50'],
    ['--max-cost', '-1'],
    ['--allow-tool', 'Read Edit'],
  ])('refuses %s %j before anything is begun', async ([flag = '', value = ''], { world }) => {
    expect(await world.run('run', `${flag}=${value}`, '--', 'x')).toBe(2);

    expect(world.err).toContain(flag);
    expect(world.calls.map(([name]) => name)).not.toContain('create');
  });

  test('prints a final text that differs from the streamed one', async ({ world }) => {
    world.onAct = (turnId) => {
      start(world, turnId);
      message(world, turnId, 'm1', ['Helo'], 'Hello');
      end(world, turnId);
    };

    await world.run('run', '--', 'x');

    expect(world.out).toBe('Helo\nHello\n');
  });

  test('leaves earlier turns and nested agents out', async ({ world }) => {
    world.onAct = (turnId) => {
      start(world, 'earlier');
      message(world, 'earlier', 'm0', ['old']);
      end(world, 'earlier');
      start(world, turnId);
      world.emit({
        type: 'item.started',
        ...item(turnId, 'sub'),
        parentItemId: ItemId.parse('task'),
        item: { kind: 'message', role: 'assistant', text: 'inner' },
      });
      message(world, turnId, 'm1', ['new']);
      end(world, turnId);
    };

    await world.run('run', '--session', sessionId, '--', 'x');

    expect(world.out).toBe('new\n');
    expect(world.calls.some(([name]) => name === 'create')).toBe(false);
  });

  test('takes the prompt from a pipe', async ({ world }) => {
    world.stdin.end('from a pipe\n');
    world.onAct = (turnId) => {
      start(world, turnId);
      end(world, turnId);
    };

    expect(await world.run('run')).toBe(0);
    expect(world.calls).toContainEqual(['act', sessionId, 'from a pipe']);
  });

  test('chooses agent, project, model and mode', async ({ world }) => {
    world.onAct = (turnId) => {
      start(world, turnId);
      end(world, turnId);
    };

    await world.run('run', '--engine', 'codex', '--project', '/srv/site', '--model', 'm', '--mode', 'plan', '--', 'x');

    expect(world.calls).toContainEqual(['save', { name: 'site', rootPath: path.resolve('/srv/site') }]);
    expect(world.calls).toContainEqual(['create', 'p1', { engineName: 'codex', model: 'm', permissionMode: 'plan' }]);
  });

  test('fails with the cause and the remedy', async ({ world }) => {
    const error = new CompanionError('ENGINE_NOT_LOGGED_IN').toBody();
    world.onAct = (turnId) => {
      start(world, turnId);
      world.emit({ type: 'turn.completed', turnId: TurnId.parse(turnId), outcome: 'failed', error, durationMs: 1 });
    };

    expect(await world.run('run', '--', 'x')).toBe(1);
    expect(world.err).toContain(`${error.message}\n${error.remedy}`);
  });

  test('says what to do when no agent is ready, or no prompt is there', async ({ world }) => {
    world.engines = [];
    expect(await world.run('run', '--', 'x')).toBe(1);
    expect(world.err).toContain('pilotfish engine check');

    world.isInteractive = true;
    expect(await world.run('run')).toBe(2);
  });

  test('prints events as JSON lines, safe for a terminal too', async ({ world }) => {
    world.onAct = (turnId) => {
      start(world, turnId);
      message(world, turnId, 'm1', ['a\u009b\u001b[31mb']);
      end(world, turnId);
    };

    expect(await world.run('run', '--json', '--', 'x')).toBe(0);

    const lines = world.out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      'turn.started',
      'item.started',
      'item.delta',
      'item.completed',
      'turn.completed',
    ]);
    expect(JSON.parse(lines[2] ?? '').text).toBe('a\u009b\u001b[31mb');
    expect(world.out).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  test('asks the person at the terminal, without a way for the text to deceive', async ({ world }) => {
    world.isInteractive = true;
    world.onAct = (turnId) => {
      start(world, turnId);
      askPermission(world, turnId);
      world.onAnswer = () => end(world, turnId);
    };
    const running = world.run('run', '--', 'x');
    world.stdin.write('9\n1\n');

    expect(await running).toBe(0);
    expect(world.calls).toContainEqual(['answer', 'r1', { optionId: 'yes' }]);
    expect(world.err).toContain('? Run a command');
    expect(world.err).toContain('rm -rf build');
  });

  test('waits for an answer from elsewhere where nobody can be asked', async ({ world }) => {
    world.onAct = (turnId) => {
      start(world, turnId);
      askPermission(world, turnId);
      resolve(world);
      end(world, turnId);
    };

    expect(await world.run('run', '--', 'x')).toBe(0);
    expect(world.err).toContain('Answer it in the side panel');
    expect(world.calls.some(([name]) => name === 'answer')).toBe(false);
  });

  test('stops asking when it was answered in the panel', async ({ world }) => {
    world.isInteractive = true;
    world.onAct = (turnId) => {
      start(world, turnId);
      askPermission(world, turnId);
      setImmediate(() => {
        resolve(world);
        end(world, turnId);
      });
    };

    expect(await world.run('run', '--', 'x')).toBe(0);
    expect(world.calls.some(([name]) => name === 'answer')).toBe(false);
  });

  test('ctrl+c stops the turn and waits for its end', async ({ world }) => {
    world.onAct = (turnId) => {
      start(world, turnId);
      setImmediate(() => {
        world.interrupt.abort();
        end(world, turnId, 'cancelled');
      });
    };

    expect(await world.run('run', '--', 'x')).toBe(1);
    expect(world.calls.some(([name]) => name === 'cancel')).toBe(true);
    expect(world.err).toContain('Stopped.');
  });
});

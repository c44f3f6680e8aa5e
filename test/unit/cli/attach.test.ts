/** Following a session from a terminal or a script. */
import { describe, expect } from 'vitest';
import type { EventBody } from '#protocol/events.ts';
import { ItemId, RequestId, TurnId } from '#protocol/ids.ts';
import { project, emptyView, type SessionView } from '#protocol/view.ts';
import { sessionId, summary, test, type Stage } from './stage.ts';

const turnId = TurnId.parse('t1');
const message = (id: string, role: 'user' | 'assistant', text: string): EventBody => ({
  type: 'item.started',
  turnId,
  itemId: ItemId.parse(id),
  item: { kind: 'message', role, text },
});
const begun: EventBody[] = [
  { type: 'turn.started', turnId, prompt: { text: 'What is it?', attachments: [] } },
  { type: 'run.changed', state: 'ready' },
  message('u', 'user', 'What is it?'),
  message('a', 'assistant', 'It is '),
];

/** The session as the daemon has it when it is attached to. */
const stand = (stage: Stage, bodies: readonly EventBody[]): void => {
  const view = bodies.reduce<SessionView>((seen, body) => {
    return project(seen, { ...body, sessionId, seq: seen.seq + 1, at: 0 });
  }, emptyView(sessionId));
  stage.sessions = [summary({ name: 'Mine' })];
  stage.view = view;
  stage.items = [...view.items];
  stage.skipEvents(view.seq);
};

const attachTo = async (stage: Stage, ...args: string[]): Promise<{ ended: Promise<number> }> => {
  const ended = stage.run('attach', 'Mine', ...args);
  await expect.poll(() => stage.isWatched()).toBe(true);
  return { ended };
};

describe('attach', () => {
  test('without a terminal streams what is said, from the running turn on, until the session is idle', async ({ stage }) => {
    stand(stage, begun);
    const { ended } = await attachTo(stage, '--wait');

    stage.emit({ type: 'item.delta', turnId, itemId: ItemId.parse('a'), text: 'a page.' });
    stage.emit({
      type: 'request.opened',
      turnId,
      requestId: RequestId.parse('r1'),
      request: { kind: 'permission', title: 'Run a command', options: [] },
    });
    stage.emit({ type: 'request.resolved', requestId: RequestId.parse('r1'), outcome: 'answered', by: 'panel' });
    stage.emit({ type: 'turn.completed', turnId, outcome: 'completed', durationMs: 5 });

    expect(await ended).toBe(0);
    expect(stage.out).toBe('It is a page.\n');
    expect(stage.err).toContain('> What is it?');
    expect(stage.err).toContain(`? Run a command\n  Answer with \`pilotfish approve ${sessionId}\``);
  });

  test('ends with the code of a turn that failed', async ({ stage }) => {
    stand(stage, begun);
    const { ended } = await attachTo(stage, '--wait');

    stage.emit({
      type: 'item.started',
      turnId,
      itemId: ItemId.parse('why'),
      item: { kind: 'notice', level: 'error', text: 'Log in first.', endsTurn: true },
    });
    stage.emit({
      type: 'turn.completed',
      turnId,
      outcome: 'failed',
      durationMs: 5,
      error: { code: 'ENGINE_NOT_LOGGED_IN', message: 'Log in first.', remedy: 'Do it.' },
    });

    expect(await ended).toBe(3);
    expect(stage.err.split('Log in first.')).toHaveLength(2);
  });

  test('of a session that is idle ends at once with --wait, and otherwise when it is left', async ({ stage }) => {
    stand(stage, [...begun, { type: 'turn.completed', turnId, outcome: 'cancelled', durationMs: 5 }]);

    expect(await stage.run('attach', 'Mine', '--wait')).toBe(130);

    const { ended } = await attachTo(stage, '--json');
    stage.out = '';
    stage.emit({ type: 'session.seen' });
    stage.interrupt.abort();
    expect(await ended).toBe(0);
    expect(JSON.parse(stage.out)).toMatchObject({ type: 'session.seen', sessionId });
    expect(stage.calls).not.toContainEqual(expect.arrayContaining(['cancel']));
  });

  test('with a terminal opens the terminal UI there, unless the stream is wanted', async ({ stage }) => {
    stand(stage, []);
    const opened: string[] = [];
    stage.openTerminalUi = async (id) => {
      opened.push(id);
      return 0;
    };

    expect(await stage.run('attach', 'Mine')).toBe(0);
    expect(await stage.run('attach', 'Mine', '--wait')).toBe(0);

    expect(opened).toEqual([sessionId]);
  });

  test('names no session that is not there', async ({ stage }) => {
    expect(await stage.run('attach', 'nosuch')).toBe(2);
    expect(stage.err).toContain('nosuch');
  });

  test('names the address that was meant', async ({ stage }) => {
    expect(await stage.run('attach', 'shh://host')).toBe(2);
    expect(stage.err).toContain('Did you mean ssh://?');
    expect(await stage.run('attach', 'https://host')).toBe(2);
    expect(stage.err).toContain('write ssh://host');
  });
});

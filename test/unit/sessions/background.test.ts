import { describe, expect } from 'vitest';
import { ItemId, type SessionId } from '#protocol/ids.ts';
import { backgroundTasks, isUnasked, type SessionView } from '#protocol/view.ts';
import { codeOf, isIdle, said, test, type World } from './world.ts';

const taskOf = (view: SessionView): ItemId => {
  const [task] = backgroundTasks(view);
  if (task === undefined) throw new Error('No task runs.');
  return task.itemId;
};
const stop = async (world: World, sessionId: SessionId, itemId: ItemId): Promise<unknown> =>
  world.sessions.dispatch({ type: 'task.stop', sessionId, itemId });
const hasTask = (view: SessionView): boolean => isIdle(view) && backgroundTasks(view).length === 1;

describe('a background task', () => {
  test('goes on after its turn, and the list says so', async ({ world }) => {
    const sessionId = await world.create();

    await world.turn(sessionId, 'background done');
    const view = world.sessions.view(sessionId);

    expect(view.turns.map(({ status }) => status)).toEqual(['completed']);
    expect(view.items.map(({ status, body }) => [body.kind, status])).toEqual([
      ['message', 'completed'],
      ['tool', 'running'],
      ['message', 'completed'],
    ]);
    expect(world.sessions.list()).toMatchObject([{ status: 'idle', backgroundTasks: 1 }]);
  });

  test('is stopped by its own order, and the turn the agent then begins has no words of the user', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'background all quiet now');

    await stop(world, sessionId, taskOf(world.sessions.view(sessionId)));
    const view = await world.until(sessionId, (seen) => seen.turns.length === 2 && isIdle(seen));

    expect(view.items.find(({ body }) => body.kind === 'tool')).toMatchObject({ status: 'cancelled' });
    const [, unasked] = view.turns;
    expect(unasked).toMatchObject({ status: 'completed', prompt: { text: '', displayText: 'Background task was stopped: a server' } });
    expect(unasked !== undefined && isUnasked(unasked)).toBe(true);
    expect(view.items.filter(({ turnId }) => turnId === unasked?.turnId).map(({ body }) => body)).toMatchObject([
      { kind: 'notice', level: 'info', text: 'Background task was stopped: a server' },
      { kind: 'message', role: 'assistant', text: 'all quiet now' },
    ]);
    expect(world.sessions.list()).toMatchObject([{ backgroundTasks: 0 }]);
  });

  test('what it has written is read while it runs, once for all who ask, and no longer when it has ended', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'background done');
    const view = world.sessions.view(sessionId);
    const itemId = taskOf(view);

    const [one, other] = await Promise.all([world.sessions.readTask(sessionId, itemId), world.sessions.readTask(sessionId, itemId)]);
    const turnId = view.turns[0]?.turnId;

    expect(one).toMatchObject({ text: expect.stringMatching(/^read as /) });
    expect(other).toEqual(one);
    expect(world.trace().filter((line) => line === 'in read-task')).toHaveLength(1);
    // Somebody's looking is no part of the conversation.
    expect(turnId === undefined ? '' : world.store.rawLines.read(sessionId, turnId).join()).not.toContain('read as');
    expect(world.sessions.view(sessionId).seq).toBe(view.seq);

    await world.sessions.dispatch({ type: 'session.delete', sessionId });
    await expect(world.sessions.readTask(sessionId, itemId)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('one that is not there cannot be read', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'say done');

    await expect(world.sessions.readTask(sessionId, ItemId.parse('other'))).rejects.toMatchObject({ code: 'TASK_NOT_RUNNING' });
  });

  test('a prompt during the agent’s own turn waits for its end', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'background wait');
    await stop(world, sessionId, taskOf(world.sessions.view(sessionId)));
    await world.until(sessionId, (view) => view.status === 'running' && view.turns.length === 2);

    await world.send(sessionId, 'say after');
    const queued = world.sessions.view(sessionId).turns.map(({ status }) => status);
    await world.sessions.dispatch({ type: 'turn.cancel', sessionId, turnId: world.sessions.view(sessionId).turns[1]?.turnId as never });
    const view = await world.until(sessionId, (seen) => seen.turns.length === 3 && isIdle(seen));

    expect(queued).toEqual(['completed', 'running', 'queued']);
    expect(view.turns.map(({ status }) => status)).toEqual(['completed', 'cancelled', 'completed']);
    expect(said(view).at(-1)).toBe('after');
  });

  test('runs beside later turns, which do not wait for it', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'background done');

    await world.turn(sessionId, 'say meanwhile');

    const view = world.sessions.view(sessionId);
    expect(said(view)).toEqual(['it runs', 'meanwhile']);
    expect(view.items.find(({ itemId }) => itemId === taskOf(view))?.turnId).toBe(view.turns[0]?.turnId);
  });

  test('what is not one, or has ended, cannot be stopped', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'background done');
    const view = world.sessions.view(sessionId);
    const task = taskOf(view);
    const message = view.items.at(-1)?.itemId as ItemId;

    expect(await codeOf(stop(world, sessionId, message))).toBe('TASK_NOT_RUNNING');
    await stop(world, sessionId, task);
    await world.until(sessionId, (seen) => seen.turns.length === 2 && isIdle(seen));
    expect(await codeOf(stop(world, sessionId, task))).toBe('TASK_NOT_RUNNING');
  });

  test('may ask between turns, and the end of a turn does not withdraw it', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'background-ask');
    await world.until(sessionId, (view) => view.requests.length === 1 && view.turns[0]?.status === 'completed');

    await world.send(sessionId, 'say meanwhile');
    await world.until(sessionId, (view) => view.turns.at(-1)?.status === 'completed' && view.turns.length === 2);
    expect(world.sessions.view(sessionId)).toMatchObject({ status: 'waiting', requests: [{ turnId: null }] });
    await world.answer(sessionId, 'yes');
    const view = await world.until(sessionId, (seen) => backgroundTasks(seen).length === 0);

    expect(view.items.find(({ body }) => body.kind === 'tool')).toMatchObject({ status: 'completed' });
  });

  test('keeps its process from being put to sleep', async ({ world }) => {
    world.store.settings.change({ warm: { maxProcesses: 1, idleStopMs: 60_000 } });
    const busy = await world.create();
    await world.turn(busy, 'background done');

    await world.turn(await world.create(), 'say other');

    expect(backgroundTasks(world.sessions.view(busy))).toHaveLength(1);
    expect(world.sessions.view(busy).run.state).toBe('ready');
  });

  test('fails with a process that dies', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'background done');

    await world.turn(sessionId, 'crash');
    const view = await world.until(sessionId, (seen) => seen.run.state === 'stopped' && isIdle(seen));

    expect(view.items.find(({ body }) => body.kind === 'tool')).toMatchObject({ status: 'failed' });
    expect(view.turns.at(-1)).toMatchObject({ status: 'failed', error: { code: 'ENGINE_CRASHED' } });
  });

  test('is cancelled when the daemon ends', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'background done');

    await world.restart();
    const view = world.sessions.view(sessionId);

    expect(view.items.find(({ body }) => body.kind === 'tool')).toMatchObject({ status: 'cancelled' });
    expect(view.turns.map(({ status }) => status)).toEqual(['completed']);
  });

  test('of a daemon that died is settled, although no turn ran (R17)', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'background done');
    await world.until(sessionId, hasTask);
    const dead = { sessions: world.sessions, store: world.store };

    await world.restart({ isCrash: true });

    expect(backgroundTasks(world.sessions.view(sessionId))).toEqual([]);
    await dead.sessions.close();
    dead.store.close();
  });
});

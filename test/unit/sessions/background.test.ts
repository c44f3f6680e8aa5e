import { describe, expect } from 'vitest';
import { ItemId, type SessionId } from '#protocol/ids.ts';
import { backgroundTasks, isUnasked, type SessionView } from '#protocol/view.ts';
import { codeOf, isIdle, said, test, type Stage } from './stage.ts';

const taskOf = (view: SessionView): ItemId => {
  const [task] = backgroundTasks(view);
  if (task === undefined) throw new Error('No task runs.');
  return task.itemId;
};
const stop = async (stage: Stage, sessionId: SessionId, itemId: ItemId): Promise<unknown> =>
  stage.sessions.dispatch({ type: 'task.stop', sessionId, itemId });
const hasTask = (view: SessionView): boolean => isIdle(view) && backgroundTasks(view).length === 1;

describe('a background task', () => {
  test('goes on after its turn, and the list says so', async ({ stage }) => {
    const sessionId = await stage.create();

    await stage.turn(sessionId, 'background done');
    const view = stage.sessions.view(sessionId);

    expect(view.turns.map(({ status }) => status)).toEqual(['completed']);
    expect(view.items.map(({ status, body }) => [body.kind, status])).toEqual([
      ['message', 'completed'],
      ['tool', 'running'],
      ['message', 'completed'],
    ]);
    expect(stage.sessions.list()).toMatchObject([{ status: 'idle', backgroundTasks: 1 }]);
  });

  test('is stopped by its own order, and the turn the agent then begins has no words of the user', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'background all quiet now');

    await stop(stage, sessionId, taskOf(stage.sessions.view(sessionId)));
    const view = await stage.until(sessionId, (seen) => seen.turns.length === 2 && isIdle(seen));

    expect(view.items.find(({ body }) => body.kind === 'tool')).toMatchObject({ status: 'cancelled' });
    const [, unasked] = view.turns;
    expect(unasked).toMatchObject({ status: 'completed', prompt: { text: '', displayText: 'Background task was stopped: a server' } });
    expect(unasked !== undefined && isUnasked(unasked)).toBe(true);
    expect(view.items.filter(({ turnId }) => turnId === unasked?.turnId).map(({ body }) => body)).toMatchObject([
      { kind: 'notice', level: 'info', text: 'Background task was stopped: a server' },
      { kind: 'message', role: 'assistant', text: 'all quiet now' },
    ]);
    expect(stage.sessions.list()).toMatchObject([{ backgroundTasks: 0 }]);
  });

  test('what it has written is read while it runs, once for all who ask, and no longer when it has ended', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'background done');
    const view = stage.sessions.view(sessionId);
    const itemId = taskOf(view);

    const [one, other] = await Promise.all([stage.sessions.readTask(sessionId, itemId), stage.sessions.readTask(sessionId, itemId)]);
    const turnId = view.turns[0]?.turnId;

    expect(one).toMatchObject({ text: expect.stringMatching(/^read as /) });
    expect(other).toEqual(one);
    expect(stage.trace().filter((line) => line === 'in read-task')).toHaveLength(1);
    // Somebody's looking is no part of the conversation.
    expect(turnId === undefined ? '' : stage.store.rawLines.read(sessionId, turnId).join()).not.toContain('read as');
    expect(stage.sessions.view(sessionId).seq).toBe(view.seq);

    await stage.sessions.dispatch({ type: 'session.delete', sessionId });
    await expect(stage.sessions.readTask(sessionId, itemId)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('one that is not there cannot be read', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say done');

    await expect(stage.sessions.readTask(sessionId, ItemId.parse('other'))).rejects.toMatchObject({ code: 'TASK_NOT_RUNNING' });
  });

  test('a prompt during the agent’s own turn waits for its end', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'background wait');
    await stop(stage, sessionId, taskOf(stage.sessions.view(sessionId)));
    await stage.until(sessionId, (view) => view.status === 'running' && view.turns.length === 2);

    await stage.send(sessionId, 'say after');
    const queued = stage.sessions.view(sessionId).turns.map(({ status }) => status);
    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId, turnId: stage.sessions.view(sessionId).turns[1]?.turnId as never });
    const view = await stage.until(sessionId, (seen) => seen.turns.length === 3 && isIdle(seen));

    expect(queued).toEqual(['completed', 'running', 'queued']);
    expect(view.turns.map(({ status }) => status)).toEqual(['completed', 'cancelled', 'completed']);
    expect(said(view).at(-1)).toBe('after');
  });

  test('runs beside later turns, which do not wait for it', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'background done');

    await stage.turn(sessionId, 'say meanwhile');

    const view = stage.sessions.view(sessionId);
    expect(said(view)).toEqual(['it runs', 'meanwhile']);
    expect(view.items.find(({ itemId }) => itemId === taskOf(view))?.turnId).toBe(view.turns[0]?.turnId);
  });

  test('what is not one, or has ended, cannot be stopped', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'background done');
    const view = stage.sessions.view(sessionId);
    const task = taskOf(view);
    const message = view.items.at(-1)?.itemId as ItemId;

    expect(await codeOf(stop(stage, sessionId, message))).toBe('TASK_NOT_RUNNING');
    await stop(stage, sessionId, task);
    await stage.until(sessionId, (seen) => seen.turns.length === 2 && isIdle(seen));
    expect(await codeOf(stop(stage, sessionId, task))).toBe('TASK_NOT_RUNNING');
  });

  test('may ask between turns, and the end of a turn does not withdraw it', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'background-ask');
    await stage.until(sessionId, (view) => view.requests.length === 1 && view.turns[0]?.status === 'completed');

    await stage.send(sessionId, 'say meanwhile');
    await stage.until(sessionId, (view) => view.turns.at(-1)?.status === 'completed' && view.turns.length === 2);
    expect(stage.sessions.view(sessionId)).toMatchObject({ status: 'waiting', requests: [{ turnId: null }] });
    await stage.answer(sessionId, 'yes');
    const view = await stage.until(sessionId, (seen) => backgroundTasks(seen).length === 0);

    expect(view.items.find(({ body }) => body.kind === 'tool')).toMatchObject({ status: 'completed' });
  });

  test('keeps its process from being put to sleep', async ({ stage }) => {
    stage.store.settings.change({ warm: { maxProcesses: 1, idleStopMs: 60_000 } });
    const busy = await stage.create();
    await stage.turn(busy, 'background done');

    await stage.turn(await stage.create(), 'say other');

    expect(backgroundTasks(stage.sessions.view(busy))).toHaveLength(1);
    expect(stage.sessions.view(busy).run.state).toBe('ready');
  });

  test('fails with a process that dies', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'background done');

    await stage.turn(sessionId, 'crash');
    const view = await stage.until(sessionId, (seen) => seen.run.state === 'stopped' && isIdle(seen));

    expect(view.items.find(({ body }) => body.kind === 'tool')).toMatchObject({ status: 'failed' });
    expect(view.turns.at(-1)).toMatchObject({ status: 'failed', error: { code: 'ENGINE_CRASHED' } });
  });

  test('is cancelled when the daemon ends', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'background done');

    await stage.restart();
    const view = stage.sessions.view(sessionId);

    expect(view.items.find(({ body }) => body.kind === 'tool')).toMatchObject({ status: 'cancelled' });
    expect(view.turns.map(({ status }) => status)).toEqual(['completed']);
  });

  test('of a daemon that died is closed, although no turn ran', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'background done');
    await stage.until(sessionId, hasTask);
    const dead = { sessions: stage.sessions, store: stage.store };

    await stage.restart({ isCrash: true });

    expect(backgroundTasks(stage.sessions.view(sessionId))).toEqual([]);
    await dead.sessions.close();
    dead.store.close();
  });
});

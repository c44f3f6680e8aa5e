import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { codeOf, isIdle, said, test } from './stage.ts';

describe('a turn', () => {
  test('streams its answer into the log and ends once', async ({ stage }) => {
    const sessionId = await stage.create();

    const view = await stage.turn(sessionId, 'say hello there');

    expect(said(view)).toEqual(['hello there']);
    expect(view.turns.map((turn) => turn.status)).toEqual(['completed']);
    expect(stage.events(sessionId).filter((event) => event.type === 'turn.completed')).toHaveLength(1);
    expect(stage.events(sessionId).map((event) => event.seq)).toEqual(stage.events(sessionId).map((_, index) => index + 1));
  });

  test('keeps the process warm for the next turn', async ({ stage }) => {
    const sessionId = await stage.create();

    await stage.turn(sessionId, 'say one');
    await stage.turn(sessionId, 'say two');

    expect(stage.trace().filter((line) => line.startsWith('start'))).toHaveLength(1);
  });

  test('is started once by the same turn id sent twice', async ({ stage }) => {
    const sessionId = await stage.create();

    const first = await stage.send(sessionId, 'say once', { turnId: 'mine' });
    const second = await stage.send(sessionId, 'say once', { turnId: 'mine' });
    const view = await stage.until(sessionId, isIdle);
    await stage.send(sessionId, 'say once', { turnId: 'mine' });

    expect([first, second]).toEqual(['mine', 'mine']);
    expect(said(view)).toEqual(['once']);
    expect(stage.sessions.view(sessionId).turns).toHaveLength(1);
  });

  test('is not started again by its id after it was cancelled while it waited, after a reset, or by the next daemon', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'slow', { turnId: 'first' });
    await stage.until(sessionId, (view) => said(view).length > 0);
    await stage.send(sessionId, 'say twice', { turnId: 'waiting' });
    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId });
    await stage.until(sessionId, isIdle);

    await stage.send(sessionId, 'say twice', { turnId: 'waiting' });
    await stage.sessions.dispatch({ type: 'session.reset', sessionId });
    await stage.send(sessionId, 'slow', { turnId: 'first' });
    await stage.restart();
    await stage.send(sessionId, 'slow', { turnId: 'first' });
    await stage.send(sessionId, 'say twice', { turnId: 'waiting' });

    expect(stage.sessions.view(sessionId).turns).toEqual([]);
    expect(stage.trace().filter((line) => line.startsWith('prompt'))).toEqual(['prompt slow']);
  });

  test('waits its turn behind the running one, in order', async ({ stage }) => {
    const sessionId = await stage.create();

    await stage.send(sessionId, 'ask');
    await stage.send(sessionId, 'say second');
    await stage.send(sessionId, 'say third');
    const waiting = await stage.until(sessionId, (view) => view.requests.length === 1);
    await stage.answer(sessionId, 'yes');
    const view = await stage.until(sessionId, isIdle);

    expect(waiting.turns.map((turn) => turn.status)).toEqual(['running', 'queued', 'queued']);
    expect(said(view)).toEqual(['you said yes', 'second', 'third']);
  });

  test('takes a steering message where the engine can, and queues it where it cannot', async ({ stage }) => {
    const steerable = await stage.create('steerable');
    const plain = await stage.create();
    for (const sessionId of [steerable, plain]) {
      await stage.send(sessionId, 'slow');
      await stage.until(sessionId, (view) => said(view).length > 0);
      for (const turnId of ['left', 'left']) await stage.send(sessionId, 'look left', { delivery: 'steer', turnId });
    }

    const steered = await stage.until(steerable, (view) => said(view).includes('steered: look left'));

    expect(said(steered)).toEqual(['working', 'steered: look left']);
    expect(steered.turns).toHaveLength(1);
    expect(stage.sessions.view(plain).turns.map((turn) => turn.status)).toEqual(['running', 'queued']);
  });

  test('is resumed with the engine’s own id after the daemon was restarted', async ({ stage }) => {
    const sessionId = await stage.create();
    const before = await stage.turn(sessionId, 'say one');

    await stage.restart();
    const after = await stage.turn(sessionId, 'say two');

    expect(said(after)).toEqual(['one', 'two']);
    expect(after.engineSessionId).toBe(before.engineSessionId);
    expect(stage.trace().at(-3)).toBe(`start --resume ${before.engineSessionId}`);
  });

  test('serves the files an agent asks us for, inside its project only', async ({ stage }) => {
    const sessionId = await stage.create();
    const read = (file: string): string =>
      `service ${JSON.stringify({ callId: 'c', method: 'fs/read_text_file', params: { path: file } })}`;
    await stage.turn(sessionId, 'say warm');
    writeFileSync(path.join(stage.paths.defaultWorkspace, 'note.txt'), 'a note');

    await stage.turn(sessionId, read(path.join(stage.paths.defaultWorkspace, 'note.txt')));
    const view = await stage.turn(sessionId, read(stage.paths.settingsFile.replace('settings.json', 'pilotfish.db')));

    expect(JSON.parse(said(view)[1] ?? '')).toEqual({ result: { content: 'a note' } });
    expect(JSON.parse(said(view)[2] ?? '')).toMatchObject({ error: { code: 'WORKSPACE_OUTSIDE_ROOTS' } });
  });

  test('fails with a typed error when the engine is not there', async ({ stage }) => {
    const sessionId = await stage.create('missing');

    const view = await stage.turn(sessionId, 'say hello');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_NOT_FOUND' } });
    expect(await codeOf(stage.create('nobody'))).toBe('ENGINE_UNKNOWN');
  });
});

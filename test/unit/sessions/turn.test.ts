import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { codeOf, isIdle, said, test } from './world.ts';

describe('a turn', () => {
  test('streams its answer into the log and ends once', async ({ world }) => {
    const sessionId = await world.create();

    const view = await world.turn(sessionId, 'say hello there');

    expect(said(view)).toEqual(['hello there']);
    expect(view.turns.map((turn) => turn.status)).toEqual(['completed']);
    expect(world.events(sessionId).filter((event) => event.type === 'turn.completed')).toHaveLength(1);
    expect(world.events(sessionId).map((event) => event.seq)).toEqual(world.events(sessionId).map((_, index) => index + 1));
  });

  test('keeps the process warm for the next turn', async ({ world }) => {
    const sessionId = await world.create();

    await world.turn(sessionId, 'say one');
    await world.turn(sessionId, 'say two');

    expect(world.trace().filter((line) => line.startsWith('start'))).toHaveLength(1);
  });

  test('is started once by the same turn id sent twice', async ({ world }) => {
    const sessionId = await world.create();

    const first = await world.send(sessionId, 'say once', { turnId: 'mine' });
    const second = await world.send(sessionId, 'say once', { turnId: 'mine' });
    const view = await world.until(sessionId, isIdle);
    await world.send(sessionId, 'say once', { turnId: 'mine' });

    expect([first, second]).toEqual(['mine', 'mine']);
    expect(said(view)).toEqual(['once']);
    expect(world.sessions.view(sessionId).turns).toHaveLength(1);
  });

  test('waits its turn behind the running one, in order', async ({ world }) => {
    const sessionId = await world.create();

    await world.send(sessionId, 'ask');
    await world.send(sessionId, 'say second');
    await world.send(sessionId, 'say third');
    const waiting = await world.until(sessionId, (view) => view.requests.length === 1);
    await world.answer(sessionId, 'yes');
    const view = await world.until(sessionId, isIdle);

    expect(waiting.turns.map((turn) => turn.status)).toEqual(['running', 'queued', 'queued']);
    expect(said(view)).toEqual(['you said yes', 'second', 'third']);
  });

  test('takes a steering message where the engine can, and queues it where it cannot', async ({ world }) => {
    const steerable = await world.create('steerable');
    const plain = await world.create();
    for (const sessionId of [steerable, plain]) {
      await world.send(sessionId, 'slow');
      await world.until(sessionId, (view) => said(view).length > 0);
      await world.send(sessionId, 'look left', { delivery: 'steer' });
    }

    const steered = await world.until(steerable, (view) => said(view).length > 1);

    expect(said(steered)).toEqual(['working', 'steered: look left']);
    expect(steered.turns).toHaveLength(1);
    expect(world.sessions.view(plain).turns.map((turn) => turn.status)).toEqual(['running', 'queued']);
  });

  test('is resumed with the engine’s own id after the daemon was restarted', async ({ world }) => {
    const sessionId = await world.create();
    const before = await world.turn(sessionId, 'say one');

    await world.restart();
    const after = await world.turn(sessionId, 'say two');

    expect(said(after)).toEqual(['one', 'two']);
    expect(after.engineSessionId).toBe(before.engineSessionId);
    expect(world.trace().at(-3)).toBe(`start --resume ${before.engineSessionId}`);
  });

  test('serves the files an agent asks us for, inside its project only', async ({ world }) => {
    const sessionId = await world.create();
    const read = (file: string): string =>
      `service ${JSON.stringify({ callId: 'c', method: 'fs/read_text_file', params: { path: file } })}`;
    await world.turn(sessionId, 'say warm');
    writeFileSync(path.join(world.paths.defaultWorkspace, 'note.txt'), 'a note');

    await world.turn(sessionId, read(path.join(world.paths.defaultWorkspace, 'note.txt')));
    const view = await world.turn(sessionId, read(world.paths.settingsFile.replace('settings.json', 'pilotfish.db')));

    expect(JSON.parse(said(view)[1] ?? '')).toEqual({ result: { content: 'a note' } });
    expect(JSON.parse(said(view)[2] ?? '')).toMatchObject({ error: { code: 'WORKSPACE_OUTSIDE_ROOTS' } });
  });

  test('fails with a typed error when the engine is not there', async ({ world }) => {
    const sessionId = await world.create('missing');

    const view = await world.turn(sessionId, 'say hello');

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_NOT_FOUND' } });
    expect(await codeOf(world.create('nobody'))).toBe('ENGINE_UNKNOWN');
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { startTimeOf } from '#companion/process/identity.ts';
import { SessionTable } from '#companion/store/event-log.ts';
import { warningText } from '#protocol/warnings.ts';
import { codeOf, isIdle, said, test } from './stage.ts';

describe('a daemon that died', () => {
  test('leaves its turn interrupted, its text kept and its requests withdrawn', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'ask');
    await stage.until(sessionId, (view) => view.requests.length === 1);
    await stage.send(sessionId, 'say later');
    const before = stage.sessions.view(sessionId);
    const dead = { sessions: stage.sessions, store: stage.store };

    await stage.restart({ isCrash: true });
    const view = stage.sessions.view(sessionId);

    expect(view.turns.map((turn) => turn.status)).toEqual(['interrupted', 'queued']);
    expect(view.items.map((item) => item.body)).toEqual(before.items.map((item) => item.body));
    expect(view.items.every((item) => item.status !== 'running')).toBe(true);
    expect(view.requests).toEqual([]);
    expect(view.status).toBe('idle');
    await dead.sessions.close();
    dead.store.close();
  });

  test('has its queued turns run first when the user sends again', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'slow');
    await stage.send(sessionId, 'say waited');
    const dead = { sessions: stage.sessions, store: stage.store };
    await stage.restart({ isCrash: true });

    const view = await stage.turn(sessionId, 'say new');

    expect(said(view).slice(-2)).toEqual(['waited', 'new']);
    await dead.sessions.close();
    dead.store.close();
  });

  test('has its orphans killed, and nobody else', async ({ stage }) => {
    const sleep = (): ReturnType<typeof spawn> =>
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    const [orphan, stranger] = [sleep(), sleep()];
    const sessionId = await stage.create();
    stage.store.processes.add({ pid: orphan.pid ?? 0, startTime: startTimeOf(orphan.pid ?? 0) ?? '', sessionId });
    stage.store.processes.add({ pid: stranger.pid ?? 0, startTime: 'another time', sessionId });

    const gone = once(orphan, 'exit');
    await stage.restart();

    expect(await gone).toEqual([null, 'SIGKILL']);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    expect(stage.store.processes.list()).toEqual([]);
    stranger.kill('SIGKILL');
  });

  test('leaves no files of its runs', async ({ stage }) => {
    const left = path.join(stage.paths.runsDir, 'run_old');
    mkdirSync(left, { recursive: true });
    writeFileSync(path.join(left, 'mcp.json'), '{"token":"secret"}');

    await stage.restart();

    expect(existsSync(left)).toBe(false);
  });
});

describe('closing', () => {
  test('interrupts what runs, ends every process and removes its files', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'slow');
    await stage.until(sessionId, (view) => said(view).length > 0);

    await stage.restart();

    expect(stage.sessions.view(sessionId).turns.map((turn) => turn.status)).toEqual(['interrupted']);
    expect(stage.store.processes.list()).toEqual([]);
    expect(readdirSync(stage.paths.runsDir)).toEqual([]);
    expect(stage.tokens.revoked).toEqual([sessionId]);
  });

  test('reads no log that nobody has read since the start', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say hello');
    await stage.restart();
    const read = vi.spyOn(stage.store.events, 'read');

    await stage.sessions.close();

    expect(read).not.toHaveBeenCalled();
  });

  test('takes no orders any more', async ({ stage }) => {
    const sessionId = await stage.create();
    const { sessions } = stage;
    const closing = sessions.close();

    expect(await codeOf(sessions.dispatch({ type: 'session.update', sessionId, name: 'late' }))).toBe('DAEMON_NOT_RUNNING');
    await closing;
  });

  test('keeps the list as it was', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say hello');
    const before = stage.sessions.list();

    await stage.restart();

    expect(stage.sessions.list()).toEqual(before);
    expect(before[0]).toMatchObject({ status: 'idle', lastOutcome: 'completed', preview: 'hello' });
  });
});

describe('a start after an orderly end', () => {
  test('reads no row of the list before somebody asks for it', async ({ stage }) => {
    const [talked, quiet, gone] = [await stage.create(), await stage.create(), await stage.create()];
    await stage.turn(talked, 'say hello');
    await stage.sessions.dispatch({ type: 'session.delete', sessionId: gone });
    const before = { list: stage.sessions.list(), removed: stage.sessions.removed() };
    const readAll = vi.spyOn(SessionTable.prototype, 'list');
    onTestFinished(() => readAll.mockRestore());

    await stage.restart();
    const ids = stage.sessions.ids();
    const said = stage.sessions.read(talked, 0, 100).length;
    const row = stage.sessions.summary(quiet);

    expect(readAll).not.toHaveBeenCalled();
    expect(ids).toEqual([talked, quiet]);
    expect(said).toBe(stage.sessions.lastSeq(talked));
    expect(row).toEqual(before.list.find(({ id }) => id === quiet));
    expect({ list: stage.sessions.list(), removed: stage.sessions.removed() }).toEqual(before);
    expect((await stage.turn(quiet, 'say more')).status).toBe('idle');
  });

  test('reads the log of a session whose row could not be kept', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.restart();
    vi.spyOn(stage.store.sessions, 'save').mockImplementation(() => {
      throw new Error('the disk is full');
    });
    await stage.turn(sessionId, 'say hello');

    await stage.restart();

    expect(stage.sessions.list()).toMatchObject([{ id: sessionId, preview: 'hello', lastOutcome: 'completed' }]);
  });

  test('reports a row that was damaged, once it is read', async ({ stage }) => {
    const [whole, damaged] = [await stage.create(), await stage.create()];
    vi.spyOn(stage.store.sessions, 'settle').mockImplementation(function settle(this: SessionTable) {
      SessionTable.prototype.settle.call(this, []);
      new DatabaseSync(stage.paths.dbFile).prepare("UPDATE sessions SET epoch = 'another' WHERE session_id = ?").run(damaged);
    });

    await stage.restart();
    const list = stage.sessions.list();

    expect(list.map(({ id }) => id).toSorted()).toEqual([whole, damaged].toSorted());
    expect(stage.store.warnings.map(warningText).join()).toContain(`The entry of session ${damaged}`);
  });
});

describe('the processes', () => {
  test('get an environment of allowed names, a folder of their own and no secret in the log', async ({ stage }) => {
    await stage.store.secrets.set('fake', 'apiKey', 'sk-very-secret-key');
    const sessionId = await stage.create();

    await stage.turn(sessionId, 'echo-env FAKE_ALLOWED');
    await stage.turn(sessionId, 'echo-env FAKE_FORBIDDEN');
    const view = await stage.turn(sessionId, 'echo-env FAKE_SECRET');

    expect(said(view)).toEqual(['FAKE_ALLOWED=let in', 'FAKE_FORBIDDEN=', 'FAKE_SECRET=[secret]']);
    const turnId = view.turns[2]?.turnId;
    expect(turnId === undefined ? '' : stage.store.rawLines.read(sessionId, turnId).join('\n')).not.toContain('sk-very-secret-key');
  });

  test('are started anew when a setting changed that they were started with', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say one');

    await stage.sessions.dispatch({ type: 'session.update', sessionId, settings: { model: 'm1' } });
    await stage.turn(sessionId, 'say two');
    await stage.sessions.dispatch({ type: 'session.update', sessionId, settings: { systemPrompt: 'Be brief.' } });
    await stage.turn(sessionId, 'say three');

    expect(stage.trace().filter((line) => line.startsWith('start'))).toHaveLength(2);
    expect(stage.trace().some((line) => line.startsWith('configure') && line.includes('"m1"'))).toBe(true);
  });

  test('begin a new conversation after a reset', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say one');

    await stage.sessions.dispatch({ type: 'session.reset', sessionId });
    const view = await stage.turn(sessionId, 'say two');

    expect(said(view)).toEqual(['two']);
    expect(stage.trace().filter((line) => line.startsWith('start'))).toEqual(['start ', 'start ']);
  });

  test('end with their session when it is deleted, and what waited is not started', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'slow');
    await stage.send(sessionId, 'say never');
    const { turns } = await stage.until(sessionId, (view) => said(view).length > 0);

    await stage.sessions.dispatch({ type: 'session.delete', sessionId, isForever: true });
    await stage.restart();

    expect(stage.sessions.list()).toEqual([]);
    expect(stage.trace()).not.toContain('prompt say never');
    expect(stage.store.events.read(sessionId, 0, 10)).toEqual([]);
    expect(turns.flatMap(({ turnId }) => stage.store.rawLines.read(sessionId, turnId))).toEqual([]);
    expect(stage.store.processes.list()).toEqual([]);
  });

  test('tell of a mode they changed themselves', async ({ stage }) => {
    const sessionId = await stage.create();

    const view = await stage.turn(sessionId, 'mode plan');

    expect(view.settings.mode).toBe('plan');
    expect(isIdle(view)).toBe(true);
  });
});

describe('a daemon that starts', () => {
  test('lists what rests as it was, and goes on with what somebody asks for in its place', async ({ stage }) => {
    const [first, second, third] = [await stage.create(), await stage.create(), await stage.create()];
    await stage.turn(second, 'say one');
    const before = stage.sessions.list();

    await stage.restart();
    const listed = stage.sessions.list();
    stage.sessions.renew('fake');
    await stage.sessions.dispatch({ type: 'session.delete', sessionId: first });
    const view = await stage.turn(second, 'say two');

    expect(listed).toEqual(before);
    expect(said(view)).toEqual(['one', 'two']);
    expect(stage.sessions.list().map(({ id, preview }) => [id, preview])).toEqual([
      [second, 'two'],
      [third, ''],
    ]);
    expect(stage.sessions.removed().map(({ session }) => session.id)).toEqual([first]);
    await stage.restart();
    expect(stage.sessions.list().map(({ id }) => id)).toEqual([second, third]);
  });
});

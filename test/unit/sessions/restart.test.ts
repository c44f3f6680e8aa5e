import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { startTimeOf } from '#companion/process/ledger.ts';
import { codeOf, isIdle, said, test } from './world.ts';

describe('a daemon that died', () => {
  test('leaves its turn interrupted, its text kept and its requests withdrawn (R17)', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'ask');
    await world.until(sessionId, (view) => view.requests.length === 1);
    await world.send(sessionId, 'say later');
    const before = world.sessions.view(sessionId);
    const dead = { sessions: world.sessions, store: world.store };

    await world.restart({ isCrash: true });
    const view = world.sessions.view(sessionId);

    expect(view.turns.map((turn) => turn.status)).toEqual(['interrupted', 'queued']);
    expect(view.items.map((item) => item.body)).toEqual(before.items.map((item) => item.body));
    expect(view.items.every((item) => item.status !== 'running')).toBe(true);
    expect(view.requests).toEqual([]);
    expect(view.status).toBe('idle');
    await dead.sessions.close();
    dead.store.close();
  });

  test('has its queued turns run first when the user sends again', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'slow');
    await world.send(sessionId, 'say waited');
    const dead = { sessions: world.sessions, store: world.store };
    await world.restart({ isCrash: true });

    const view = await world.turn(sessionId, 'say new');

    expect(said(view).slice(-2)).toEqual(['waited', 'new']);
    await dead.sessions.close();
    dead.store.close();
  });

  test('has its orphans killed, and nobody else', async ({ world }) => {
    const sleep = (): ReturnType<typeof spawn> =>
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    const [orphan, stranger] = [sleep(), sleep()];
    const sessionId = await world.create();
    world.store.processes.add({ pid: orphan.pid ?? 0, startTime: startTimeOf(orphan.pid ?? 0) ?? '', sessionId });
    world.store.processes.add({ pid: stranger.pid ?? 0, startTime: 'another time', sessionId });

    const gone = once(orphan, 'exit');
    await world.restart();

    expect(await gone).toEqual([null, 'SIGKILL']);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    expect(world.store.processes.list()).toEqual([]);
    stranger.kill('SIGKILL');
  });

  test('leaves no files of its runs', async ({ world }) => {
    const left = path.join(world.paths.runsDir, 'run_old');
    mkdirSync(left, { recursive: true });
    writeFileSync(path.join(left, 'mcp.json'), '{"token":"secret"}');

    await world.restart();

    expect(existsSync(left)).toBe(false);
  });
});

describe('closing', () => {
  test('interrupts what runs, ends every process and removes its files', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'slow');
    await world.until(sessionId, (view) => said(view).length > 0);

    await world.restart();

    expect(world.sessions.view(sessionId).turns.map((turn) => turn.status)).toEqual(['interrupted']);
    expect(world.store.processes.list()).toEqual([]);
    expect(readdirSync(world.paths.runsDir)).toEqual([]);
    expect(world.tokens.revoked).toEqual([sessionId]);
  });

  test('takes no orders any more', async ({ world }) => {
    const sessionId = await world.create();
    const { sessions } = world;
    const closing = sessions.close();

    expect(await codeOf(sessions.dispatch({ type: 'session.update', sessionId, name: 'late' }))).toBe('DAEMON_NOT_RUNNING');
    await closing;
  });

  test('keeps the list as it was', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'say hello');
    const before = world.sessions.list();

    await world.restart();

    expect(world.sessions.list()).toEqual(before);
    expect(before[0]).toMatchObject({ status: 'idle', lastOutcome: 'completed', preview: 'hello' });
  });
});

describe('the processes', () => {
  test('get an environment of allowed names, a folder of their own and no secret in the log', async ({ world }) => {
    await world.store.secrets.set('fake', 'apiKey', 'sk-very-secret-key');
    const sessionId = await world.create();

    await world.turn(sessionId, 'echo-env FAKE_ALLOWED');
    await world.turn(sessionId, 'echo-env FAKE_FORBIDDEN');
    const view = await world.turn(sessionId, 'echo-env FAKE_SECRET');

    expect(said(view)).toEqual(['FAKE_ALLOWED=let in', 'FAKE_FORBIDDEN=', 'FAKE_SECRET=[secret]']);
    const turnId = view.turns[2]?.turnId;
    expect(turnId === undefined ? '' : world.store.rawLines.read(sessionId, turnId).join('\n')).not.toContain('sk-very-secret-key');
  });

  test('are started anew when a setting changed that they were started with', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'say one');

    await world.sessions.dispatch({ type: 'session.update', sessionId, settings: { model: 'm1' } });
    await world.turn(sessionId, 'say two');
    await world.sessions.dispatch({ type: 'session.update', sessionId, settings: { systemPrompt: 'Be brief.' } });
    await world.turn(sessionId, 'say three');

    expect(world.trace().filter((line) => line.startsWith('start'))).toHaveLength(2);
    expect(world.trace().some((line) => line.startsWith('configure') && line.includes('"m1"'))).toBe(true);
  });

  test('begin a new conversation after a reset', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'say one');

    await world.sessions.dispatch({ type: 'session.reset', sessionId });
    const view = await world.turn(sessionId, 'say two');

    expect(said(view)).toEqual(['two']);
    expect(world.trace().filter((line) => line.startsWith('start'))).toEqual(['start ', 'start ']);
  });

  test('end with their session when it is deleted, and what waited is not started', async ({ world }) => {
    const sessionId = await world.create();
    await world.send(sessionId, 'slow');
    await world.send(sessionId, 'say never');
    await world.until(sessionId, (view) => said(view).length > 0);

    await world.sessions.dispatch({ type: 'session.delete', sessionId });
    await world.restart();

    expect(world.sessions.list()).toEqual([]);
    expect(world.trace()).not.toContain('prompt say never');
    expect(world.store.events.read(sessionId, 0, 10)).toEqual([]);
    expect(world.store.processes.list()).toEqual([]);
  });

  test('tell of a mode they changed themselves', async ({ world }) => {
    const sessionId = await world.create();

    const view = await world.turn(sessionId, 'mode plan');

    expect(view.settings.mode).toBe('plan');
    expect(isIdle(view)).toBe(true);
  });
});

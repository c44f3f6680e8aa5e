import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { findActiveFiles } from '#companion/trust/trust-files.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import { fakeEngine } from '#test/fixtures/fake-engine-codec.ts';
import { codeOf, isIdle, said, test, type World } from '#test/unit/sessions/world.ts';

const EVIL = JSON.stringify({ mcpServers: { evil: { command: 'touch', args: ['/tmp/evil'] } } });

const write = (world: World, name: string, content: string): void => {
  const file = path.join(world.paths.defaultWorkspace, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
};
const asked = (world: World, sessionId: SessionId): Promise<SessionView> => world.until(sessionId, (view) => view.requests.length > 0);
const starts = (world: World): string[] => world.trace().filter((line) => line.startsWith('start'));

describe('S26: a project with files that act', () => {
  test('starts no process before the user agrees, and is asked about once', async ({ world }) => {
    write(world, '.mcp.json', EVIL);
    const sessionId = await world.create();

    await world.send(sessionId, 'say hello');
    const waiting = await asked(world, sessionId);
    const before = { processes: world.store.processes.list(), trace: world.trace(), tokens: [...world.tokens.issued] };
    await world.answer(sessionId, 'trust');
    const first = await world.until(sessionId, isIdle);
    const other = await world.create('steerable');
    const second = await world.turn(other, 'say again');

    expect(before).toEqual({ processes: [], trace: [], tokens: [] });
    expect(waiting.status).toBe('waiting');
    expect(waiting.requests[0]?.request).toMatchObject({ kind: 'trust', where: world.paths.defaultWorkspace });
    expect(waiting.requests[0]?.request.detail).toContain('.mcp.json\n  mcpServers.evil starts: touch /tmp/evil');
    expect([said(first), said(second)]).toEqual([['hello'], ['again']]);
    expect(world.events(other).filter((event) => event.type === 'request.opened')).toEqual([]);
  });

  test('is not started when the user denies, and says why and what to do', async ({ world }) => {
    write(world, '.claude/settings.json', '{"hooks": {"SessionStart": [{"hooks": [{"command": "evil"}]}]}}');
    const sessionId = await world.create();

    await world.send(sessionId, 'say hello');
    const card = await asked(world, sessionId);
    await world.answer(sessionId, 'deny');
    const view = await world.until(sessionId, isIdle);
    await world.send(sessionId, 'say hello');
    await asked(world, sessionId);

    expect(card.requests[0]?.request.detail).toContain('If you do not trust them, no agent is started here');
    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'WORKSPACE_NOT_TRUSTED' } });
    expect(view.turns[0]?.error?.message).toContain('.claude/settings.json');
    expect(view.run.state).toBe('stopped');
    expect(world.trace()).toEqual([]);
  });

  test('is asked about again when a file changed, over a restart too', async ({ world }) => {
    write(world, '.env', 'OPENAI_BASE_URL=http://a.example\n');
    const first = await world.create();
    await world.send(first, 'say one');
    await asked(world, first);
    await world.answer(first, 'trust');
    await world.until(first, isIdle);

    await world.restart();
    const same = await world.create();
    expect(said(await world.turn(same, 'say two'))).toEqual(['two']);
    write(world, '.env', 'OPENAI_BASE_URL=http://b.example\n');
    const changed = await world.create();
    await world.send(changed, 'say three');
    const waiting = await asked(world, changed);

    expect(waiting.requests[0]?.request.title).toContain('changed');
    expect(waiting.requests[0]?.request.detail).toContain('http://b.example');
    expect(starts(world)).toHaveLength(2);
  });

  test('is asked about again when a script that they run changed, and the card says which', async ({ world }) => {
    write(world, '.mcp.json', JSON.stringify({ mcpServers: { own: { command: 'node', args: ['tools/server.js'] } } }));
    write(world, 'tools/server.js', 'one');
    const first = await world.create();
    await world.send(first, 'say one');
    const before = await asked(world, first);
    await world.answer(first, 'trust');
    await world.until(first, isIdle);

    write(world, 'tools/server.js', 'two');
    const second = await world.create();
    await world.send(second, 'say two');
    const after = await asked(world, second);

    expect(before.requests[0]?.request.detail).toContain("starts: node tools/server.js\n  with the project's own: tools/server.js\n");
    expect(after.requests[0]?.request.detail).toContain("with the project's own: tools/server.js (changed)\n");
    expect(starts(world)).toHaveLength(1);
  });

  test('that changes after the answer, before the start, is shown again', async ({ world }) => {
    write(world, '.mcp.json', EVIL);
    const { all } = world.store.secrets;
    let looks = 0;
    Object.assign(world.store.secrets, {
      // The last that happens before the agent is started.
      all: async (engine: string) => {
        looks += 1;
        if (looks === 1) write(world, '.mcp.json', EVIL.replace('/tmp/evil', '/tmp/worse'));
        return all(engine);
      },
    });
    const sessionId = await world.create();
    await world.send(sessionId, 'say hello');
    await asked(world, sessionId);

    await world.answer(sessionId, 'trust');
    const again = await asked(world, sessionId);
    const before = starts(world);
    await world.answer(sessionId, 'trust');
    const done = await world.until(sessionId, isIdle);

    expect(again.requests[0]?.request.detail).toContain('/tmp/worse');
    expect(before).toEqual([]);
    expect(said(done)).toEqual(['hello']);
  });

  test('that changes under an agent that runs is asked about before the next prompt, and the agent goes on', async ({ world }) => {
    write(world, '.mcp.json', EVIL);
    const sessionId = await world.create();
    await world.send(sessionId, 'say one');
    await asked(world, sessionId);
    await world.answer(sessionId, 'trust');
    await world.until(sessionId, isIdle);
    write(world, '.claude/settings.json', '{"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "evil"}]}]}}');

    await world.send(sessionId, 'say two');
    const again = await asked(world, sessionId);
    const before = said(again);
    await world.answer(sessionId, 'trust');
    const done = await world.until(sessionId, isIdle);

    expect(again.requests[0]?.request.detail).toContain('.claude/settings.json (new)\n');
    expect(before).toEqual(['one']);
    expect(said(done)).toEqual(['one', 'two']);
    expect(starts(world)).toHaveLength(1);
  });

  test('that changes under an agent and is denied ends it', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'say one');
    write(world, '.mcp.json', EVIL);

    await world.send(sessionId, 'say two');
    await asked(world, sessionId);
    await world.answer(sessionId, 'deny');
    const denied = await world.until(sessionId, isIdle);

    expect(denied.turns.at(-1)?.error?.code).toBe('WORKSPACE_NOT_TRUSTED');
    expect(denied.run.state).toBe('stopped');
    expect(said(denied)).toEqual(['one']);
    expect(world.store.processes.list()).toEqual([]);
  });

  test('is asked about again when trust is taken back, with what runs already', async ({ world }) => {
    write(world, '.mcp.json', EVIL);
    const sessionId = await world.create();
    await world.send(sessionId, 'say one');
    await asked(world, sessionId);
    await world.answer(sessionId, 'trust');
    await world.until(sessionId, isIdle);
    const trusted = world.sessions.trusted.list();

    const wasTrusted = world.sessions.trusted.revoke(world.paths.defaultWorkspace);
    await world.send(sessionId, 'say two');
    const again = await asked(world, sessionId);

    expect(trusted).toEqual([{ path: world.paths.defaultWorkspace, trustedAt: expect.any(String), files: ['.mcp.json'] }]);
    expect(wasTrusted).toBe(true);
    expect(world.sessions.trusted.list()).toEqual([]);
    expect(world.sessions.trusted.revoke(world.paths.defaultWorkspace)).toBe(false);
    expect(again.requests[0]?.request.title).toBe('Trust this project?');
    expect(starts(world)).toHaveLength(1);
  });

  test('that changes while the user looks is shown again', async ({ world }) => {
    write(world, '.mcp.json', EVIL);
    const sessionId = await world.create();
    await world.send(sessionId, 'say hello');
    await asked(world, sessionId);

    write(world, '.mcp.json', EVIL.replace('/tmp/evil', '/tmp/worse'));
    await world.answer(sessionId, 'trust');
    const again = await asked(world, sessionId);

    expect(again.requests[0]?.request.detail).toContain('/tmp/worse');
    expect(starts(world)).toEqual([]);
  });

  test('asks every session that waits, and one answer is enough', async ({ world }) => {
    write(world, '.mcp.json', EVIL);
    const [one, two] = [await world.create(), await world.create()];
    await world.send(one, 'say one');
    await world.send(two, 'say two');
    await Promise.all([asked(world, one), asked(world, two)]);

    await world.answer(one, 'trust');
    const views = await Promise.all([world.until(one, isIdle), world.until(two, isIdle)]);

    expect(views.map(said)).toEqual([['one'], ['two']]);
  });

  test('asks no more when the turn is stopped; the next turn asks for itself', async ({ world }) => {
    write(world, '.mcp.json', EVIL);
    const sessionId = await world.create();
    await world.send(sessionId, 'say one', { turnId: 'turn-one' });
    await asked(world, sessionId);
    await world.send(sessionId, 'say two');

    await world.sessions.dispatch({ type: 'turn.cancel', sessionId, turnId: 'turn-one' as never });
    await world.until(sessionId, (view) => view.requests.length === 1 && view.turns.some((turn) => turn.status === 'running'));
    await world.answer(sessionId, 'trust');
    const view = await world.until(sessionId, isIdle);

    expect(view.turns.map((turn) => turn.status)).toEqual(['cancelled', 'completed']);
    expect(said(view)).toEqual(['two']);
  });

  test('lets a session be deleted that waits for the answer', async ({ world }) => {
    write(world, '.mcp.json', EVIL);
    const sessionId = await world.create();
    await world.send(sessionId, 'say hello');
    await asked(world, sessionId);

    await world.sessions.dispatch({ type: 'session.delete', sessionId });
    await world.sessions.close();

    expect(world.trace()).toEqual([]);
  });

  test('is not asked about for an engine without a process: it reads none of them', async ({ world }) => {
    write(world, '.mcp.json', EVIL);
    const [fake] = world.engines;
    if (fake === undefined) throw new Error('the fake engine is there');
    world.engines.push({ ...fake, name: 'loop', type: 'loop', probe: async () => ({ account: '', models: [] }), turn: async () => {} });
    const sessionId = await world.create('loop');

    expect((await world.turn(sessionId, 'hello')).turns[0]?.status).toBe('completed');
  });

  test('harmless files ask nothing', async ({ world }) => {
    write(world, '.claude/settings.json', '{"model": "opus"}');
    write(world, '.env', 'DATABASE_URL=x\n');

    expect(said(await world.turn(await world.create(), 'say hello'))).toEqual(['hello']);
  });
});

describe('the look at the files', () => {
  const look = (world: World) => findActiveFiles(world.paths.defaultWorkspace);

  test('goes up, where agents look too, and into folders', async ({ world }) => {
    mkdirSync(world.paths.defaultWorkspace, { recursive: true });
    writeFileSync(path.join(world.home, '.env'), 'CODEX_HOME=x');
    write(world, '.opencode/plugin/deep/evil.ts', 'evil()');

    const files = await look(world);

    expect(files.map((file) => file.path)).toEqual(['.opencode/plugin/deep/evil.ts', path.join(world.home, '.env')]);
  });

  test('follows a link without showing what lies outside, and notices when that changes', async ({ world }) => {
    const outside = path.join(world.home, 'outside.json');
    writeFileSync(outside, EVIL);
    mkdirSync(world.paths.defaultWorkspace, { recursive: true });
    symlinkSync(outside, path.join(world.paths.defaultWorkspace, '.mcp.json'));
    write(world, '.claude/real.json', '{"apiKeyHelper": "evil"}');
    symlinkSync('real.json', path.join(world.paths.defaultWorkspace, '.claude/settings.json'));

    const before = await look(world);
    writeFileSync(outside, EVIL.replace('evil', 'worse'));
    const after = await look(world);

    expect(before).toMatchObject([
      { path: '.mcp.json', lines: [`a link to ${outside}`] },
      { path: '.claude/settings.json', lines: ['apiKeyHelper: evil'] },
    ]);
    expect(after[0]?.sha256).not.toBe(before[0]?.sha256);
    expect(after[1]?.sha256).toBe(before[1]?.sha256);
  });

  test('refuses what cannot be looked through, without waiting for it', async ({ world }) => {
    mkdirSync(world.paths.defaultWorkspace, { recursive: true });
    const env = path.join(world.paths.defaultWorkspace, '.env');

    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', env]);
    expect(await codeOf(look(world))).toBe('WORKSPACE_NOT_TRUSTED');
    rmSync(env);
    writeFileSync(env, 'x'.repeat(1024 * 1024 + 1));
    expect(await codeOf(look(world))).toBe('WORKSPACE_NOT_TRUSTED');
    rmSync(env);
    symlinkSync('/dev/zero', env);
    expect(await codeOf(look(world))).toBe('WORKSPACE_NOT_TRUSTED');
    rmSync(env);
    for (let index = 0; index <= 200; index += 1) write(world, `.opencode/tool/${index}.ts`, '');
    expect(await codeOf(look(world))).toBe('WORKSPACE_NOT_TRUSTED');
  });

  test('passes over what is not there, is a folder, or leads nowhere', async ({ world }) => {
    mkdirSync(path.join(world.paths.defaultWorkspace, '.env'), { recursive: true });
    write(world, '.claude', 'a file');
    symlinkSync('nowhere', path.join(world.paths.defaultWorkspace, '.mcp.json'));
    symlinkSync('opencode.json', path.join(world.paths.defaultWorkspace, 'opencode.json'));

    expect(await look(world)).toEqual([]);
  });
});

describe('a health check', () => {
  test('runs in empty folders of ours, its question for the version too', async ({ world }) => {
    const noted = path.join(world.home, 'noted');
    const [node = '', script = ''] = fakeEngine().command ?? [];
    const command = ['/bin/sh', '-c', `echo "$PWD:$(ls -A)" >> '${noted}'; exec "$0" "$@"`, node, script];
    const engine = fakeEngine({ name: 'noting', command, env: {} });
    world.engines.push({ ...engine, finding: { ...engine.finding, versionArgs: ['--version'] } });

    const infos = await world.directory.refresh('noting', AbortSignal.timeout(10_000));

    expect(infos.find(({ name }) => name === 'noting')?.status).toBe('ready');
    const folders = readFileSync(noted, 'utf8').trimEnd().split('\n');
    expect(folders).toHaveLength(2);
    // Each ends with what was in it: nothing.
    for (const folder of folders) expect(folder).toMatch(new RegExp(`^${world.paths.runsDir}/[^/]+/empty:$`));
  });
});

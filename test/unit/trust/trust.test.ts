import { engines } from '#companion/engines/index.ts';
import { ProjectRules } from '#companion/trust/project-rules.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { findActiveFiles } from '#companion/trust/trust-files.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import { engineDouble } from '#test/fixtures/engine-double-codec.ts';
import { codeOf, isIdle, said, test, type Stage } from '#test/unit/sessions/stage.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';

const rules = new ProjectRules(engines);

const EVIL = JSON.stringify({ mcpServers: { evil: { command: 'touch', args: ['/tmp/evil'] } } });

const write = (stage: Stage, name: string, content: string): void => {
  const file = path.join(stage.paths.defaultWorkspace, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
};
const asked = (stage: Stage, sessionId: SessionId): Promise<SessionView> => stage.until(sessionId, (view) => view.requests.length > 0);
const starts = (stage: Stage): string[] => stage.trace().filter((line) => line.startsWith('start'));

describe('a project with files that act', () => {
  test('starts no process before the user agrees, and is asked about once', async ({ stage }) => {
    write(stage, '.mcp.json', EVIL);
    const sessionId = await stage.create();

    await stage.send(sessionId, 'say hello');
    const waiting = await asked(stage, sessionId);
    const before = { processes: stage.store.processes.list(), trace: stage.trace(), tokens: [...stage.tokens.issued] };
    await stage.answer(sessionId, 'trust');
    const first = await stage.until(sessionId, isIdle);
    const other = await stage.create('steerable');
    const second = await stage.turn(other, 'say again');

    expect(before).toEqual({ processes: [], trace: [], tokens: [] });
    expect(waiting.status).toBe('waiting');
    expect(waiting.requests[0]?.request).toMatchObject({ kind: 'trust', where: stage.paths.defaultWorkspace });
    expect(waiting.requests[0]?.request.detail).toContain('.mcp.json\n  mcpServers.evil starts: touch /tmp/evil');
    expect([said(first), said(second)]).toEqual([['hello'], ['again']]);
    expect(stage.events(other).filter((event) => event.type === 'request.opened')).toEqual([]);
  });

  test('is not started when the user denies, and says why and what to do', async ({ stage }) => {
    write(stage, '.claude/settings.json', '{"hooks": {"SessionStart": [{"hooks": [{"command": "evil"}]}]}}');
    const sessionId = await stage.create();

    await stage.send(sessionId, 'say hello');
    const card = await asked(stage, sessionId);
    await stage.answer(sessionId, 'deny');
    const view = await stage.until(sessionId, isIdle);
    await stage.send(sessionId, 'say hello');
    await asked(stage, sessionId);

    expect(card.requests[0]?.request.detail).toContain('If you do not trust them, no agent is started here');
    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'WORKSPACE_NOT_TRUSTED' } });
    expect(view.turns[0]?.error?.message).toContain('.claude/settings.json');
    expect(view.run.state).toBe('stopped');
    expect(stage.trace()).toEqual([]);
  });

  test('is asked about again when a file changed, over a restart too', async ({ stage }) => {
    write(stage, '.env', 'OPENAI_BASE_URL=http://a.example\n');
    const first = await stage.create();
    await stage.send(first, 'say one');
    await asked(stage, first);
    await stage.answer(first, 'trust');
    await stage.until(first, isIdle);

    await stage.restart();
    const same = await stage.create();
    expect(said(await stage.turn(same, 'say two'))).toEqual(['two']);
    write(stage, '.env', 'OPENAI_BASE_URL=http://b.example\n');
    const changed = await stage.create();
    await stage.send(changed, 'say three');
    const waiting = await asked(stage, changed);

    expect(waiting.requests[0]?.request.title).toContain('changed');
    expect(waiting.requests[0]?.request.detail).toContain('http://b.example');
    expect(starts(stage)).toHaveLength(2);
  });

  test('is asked for the files of an agent that the person has added, and only once they have', async ({ stage }) => {
    write(stage, '.github/hooks/start.json', '{"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "evil"}]}}');
    write(stage, '.kiro/agents/own.json', '{"hooks": {}}');
    write(stage, '.oddment/settings.toml', 'command = "evil"');
    write(stage, '.env', 'DATABASE=shop');
    write(stage, '.vscode/mcp.json', JSON.stringify({ servers: { own: { command: 'evil' } } }));
    const before = await stage.create();
    expect(said(await stage.turn(before, 'say one'))).toEqual(['one']);

    const { engines } = stage.store.settings.current();
    const added = { name: 'env', command: '/usr/bin/Oddment-cli', args: ['--acp'], dialect: 'acp' as const };
    stage.store.settings.change({ engines: { ...engines, custom: [added] } });
    const sessionId = await stage.create();
    await stage.send(sessionId, 'say two');
    const detail = (await asked(stage, sessionId)).requests[0]?.request.detail;

    for (const name of ['.github/hooks/start.json', '.kiro/agents/own.json', '.oddment/settings.toml', '.vscode/mcp.json'])
      expect(detail).toContain(name);
    expect(detail).toContain('servers.own starts: evil');
  });

  test('is asked about again when a script that they run changed, and the card says which', async ({ stage }) => {
    write(stage, '.mcp.json', JSON.stringify({ mcpServers: { own: { command: 'node', args: ['tools/server.js'] } } }));
    write(stage, 'tools/server.js', 'one');
    const first = await stage.create();
    await stage.send(first, 'say one');
    const before = await asked(stage, first);
    await stage.answer(first, 'trust');
    await stage.until(first, isIdle);

    write(stage, 'tools/server.js', 'two');
    const second = await stage.create();
    await stage.send(second, 'say two');
    const after = await asked(stage, second);

    expect(before.requests[0]?.request.detail).toContain("starts: node tools/server.js\n  with the project's own: tools/server.js\n");
    expect(after.requests[0]?.request.detail).toContain("with the project's own: tools/server.js (changed)\n");
    expect(starts(stage)).toHaveLength(1);
  });

  test('that changes after the answer, before the start, is shown again', async ({ stage }) => {
    write(stage, '.mcp.json', EVIL);
    const all = stage.store.secrets.all.bind(stage.store.secrets);
    let isAnswered = false;
    Object.assign(stage.store.secrets, {
      // The last that happens between the answer and the start of the agent.
      all: async (engine: string) => {
        if (isAnswered) write(stage, '.mcp.json', EVIL.replace('/tmp/evil', '/tmp/worse'));
        return all(engine);
      },
    });
    const sessionId = await stage.create();
    await stage.send(sessionId, 'say hello');
    await asked(stage, sessionId);

    isAnswered = true;
    await stage.answer(sessionId, 'trust');
    const again = await asked(stage, sessionId);
    const before = starts(stage);
    await stage.answer(sessionId, 'trust');
    const done = await stage.until(sessionId, isIdle);

    expect(again.requests[0]?.request.detail).toContain('/tmp/worse');
    expect(before).toEqual([]);
    expect(said(done)).toEqual(['hello']);
  });

  test('that changes under an agent that runs is asked about before the next prompt, and the agent goes on', async ({ stage }) => {
    write(stage, '.mcp.json', EVIL);
    const sessionId = await stage.create();
    await stage.send(sessionId, 'say one');
    await asked(stage, sessionId);
    await stage.answer(sessionId, 'trust');
    await stage.until(sessionId, isIdle);
    write(stage, '.claude/settings.json', '{"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "evil"}]}]}}');

    await stage.send(sessionId, 'say two');
    const again = await asked(stage, sessionId);
    const before = said(again);
    await stage.answer(sessionId, 'trust');
    const done = await stage.until(sessionId, isIdle);

    expect(again.requests[0]?.request.detail).toContain('.claude/settings.json (new)\n');
    expect(before).toEqual(['one']);
    expect(said(done)).toEqual(['one', 'two']);
    expect(starts(stage)).toHaveLength(1);
  });

  test('that changes under an agent and is denied ends it', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say one');
    write(stage, '.mcp.json', EVIL);

    await stage.send(sessionId, 'say two');
    await asked(stage, sessionId);
    await stage.answer(sessionId, 'deny');
    const denied = await stage.until(sessionId, isIdle);

    expect(denied.turns.at(-1)?.error?.code).toBe('WORKSPACE_NOT_TRUSTED');
    expect(denied.run.state).toBe('stopped');
    expect(said(denied)).toEqual(['one']);
    expect(stage.store.processes.list()).toEqual([]);
  });

  test('is asked about again when trust is taken back, with what runs already', async ({ stage }) => {
    write(stage, '.mcp.json', EVIL);
    const sessionId = await stage.create();
    await stage.send(sessionId, 'say one');
    await asked(stage, sessionId);
    await stage.answer(sessionId, 'trust');
    await stage.until(sessionId, isIdle);
    const trusted = stage.sessions.trusted.list();

    const wasTrusted = stage.sessions.trusted.revoke(stage.paths.defaultWorkspace);
    await stage.send(sessionId, 'say two');
    const again = await asked(stage, sessionId);

    expect(trusted).toEqual([{ path: stage.paths.defaultWorkspace, trustedAt: expect.any(String), files: ['.mcp.json'] }]);
    expect(wasTrusted).toBe(true);
    expect(stage.sessions.trusted.list()).toEqual([]);
    expect(stage.sessions.trusted.revoke(stage.paths.defaultWorkspace)).toBe(false);
    expect(again.requests[0]?.request.title).toBe('Trust this project?');
    expect(starts(stage)).toHaveLength(1);
  });

  test('that changes while the user looks is shown again', async ({ stage }) => {
    write(stage, '.mcp.json', EVIL);
    const sessionId = await stage.create();
    await stage.send(sessionId, 'say hello');
    await asked(stage, sessionId);

    write(stage, '.mcp.json', EVIL.replace('/tmp/evil', '/tmp/worse'));
    await stage.answer(sessionId, 'trust');
    const again = await asked(stage, sessionId);

    expect(again.requests[0]?.request.detail).toContain('/tmp/worse');
    expect(starts(stage)).toEqual([]);
  });

  test('asks every session that waits, and one answer is enough', async ({ stage }) => {
    write(stage, '.mcp.json', EVIL);
    const [one, two] = [await stage.create(), await stage.create()];
    await stage.send(one, 'say one');
    await stage.send(two, 'say two');
    await Promise.all([asked(stage, one), asked(stage, two)]);

    await stage.answer(one, 'trust');
    const views = await Promise.all([stage.until(one, isIdle), stage.until(two, isIdle)]);

    expect(views.map(said)).toEqual([['one'], ['two']]);
  });

  test('asks no more when the turn is stopped; the next turn asks for itself', async ({ stage }) => {
    write(stage, '.mcp.json', EVIL);
    const sessionId = await stage.create();
    await stage.send(sessionId, 'say one', { turnId: 'turn-one' });
    await asked(stage, sessionId);
    await stage.send(sessionId, 'say two');

    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId, turnId: 'turn-one' as never });
    await stage.until(sessionId, (view) => view.requests.length === 1 && view.turns.some((turn) => turn.status === 'running'));
    await stage.answer(sessionId, 'trust');
    const view = await stage.until(sessionId, isIdle);

    expect(view.turns.map((turn) => turn.status)).toEqual(['cancelled', 'completed']);
    expect(said(view)).toEqual(['two']);
  });

  test('lets a session be deleted that waits for the answer', async ({ stage }) => {
    write(stage, '.mcp.json', EVIL);
    const sessionId = await stage.create();
    await stage.send(sessionId, 'say hello');
    await asked(stage, sessionId);

    await stage.sessions.dispatch({ type: 'session.delete', sessionId });
    await stage.sessions.close();

    expect(stage.trace()).toEqual([]);
  });

  test('is not asked about for an engine without a process: it reads none of them', async ({ stage }) => {
    write(stage, '.mcp.json', EVIL);
    const [fake] = stage.engines;
    if (fake === undefined) throw new Error('the engine double is there');
    stage.engines.push({ ...fake, name: 'loop', type: 'loop', probe: async () => ({ account: '', models: [] }), turn: async () => {} });
    const sessionId = await stage.create('loop');

    expect((await stage.turn(sessionId, 'hello')).turns[0]?.status).toBe('completed');
  });

  test('harmless files ask nothing', async ({ stage }) => {
    write(stage, '.claude/settings.json', '{"model": "opus"}');
    write(stage, '.env', 'DATABASE_URL=x\n');

    expect(said(await stage.turn(await stage.create(), 'say hello'))).toEqual(['hello']);
  });
});

describe('the look at the files', () => {
  const look = (stage: Stage) => findActiveFiles(stage.paths.defaultWorkspace, rules);

  test('goes up, where agents look too, and into folders', async ({ stage }) => {
    mkdirSync(stage.paths.defaultWorkspace, { recursive: true });
    writeFileSync(path.join(stage.home, '.env'), 'CODEX_HOME=x');
    write(stage, '.opencode/plugin/deep/evil.ts', 'evil()');

    const files = await look(stage);

    expect(files.map((file) => file.path)).toEqual(['.opencode/plugin/deep/evil.ts', path.join(stage.home, '.env')]);
  });

  test('follows a link without showing what lies outside, and notices when that changes', async ({ stage }) => {
    const outside = path.join(stage.home, 'outside.json');
    writeFileSync(outside, EVIL);
    mkdirSync(stage.paths.defaultWorkspace, { recursive: true });
    symlinkSync(outside, path.join(stage.paths.defaultWorkspace, '.mcp.json'));
    mkdirSync(path.join(stage.paths.defaultWorkspace, '.claude'));
    write(stage, 'real.json', '{"apiKeyHelper": "evil"}');
    symlinkSync('../real.json', path.join(stage.paths.defaultWorkspace, '.claude/settings.json'));

    const before = await look(stage);
    writeFileSync(outside, EVIL.replace('evil', 'worse'));
    const after = await look(stage);

    expect(before).toMatchObject([
      { path: '.mcp.json', lines: [[{ text: `a link to ${outside}` }]] },
      { path: '.claude/settings.json', lines: [['apiKeyHelper', ': ', 'evil']] },
    ]);
    expect(after[0]?.sha256).not.toBe(before[0]?.sha256);
    expect(after[1]?.sha256).toBe(before[1]?.sha256);
  });

  test('refuses what cannot be looked through, without waiting for it', async ({ stage }) => {
    mkdirSync(stage.paths.defaultWorkspace, { recursive: true });
    const env = path.join(stage.paths.defaultWorkspace, '.env');

    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', env]);
    expect(await codeOf(look(stage))).toBe('WORKSPACE_NOT_TRUSTED');
    rmSync(env);
    writeFileSync(env, 'x'.repeat(1024 * 1024 + 1));
    expect(await codeOf(look(stage))).toBe('WORKSPACE_NOT_TRUSTED');
    rmSync(env);
    symlinkSync('/dev/zero', env);
    expect(await codeOf(look(stage))).toBe('WORKSPACE_NOT_TRUSTED');
    rmSync(env);
    for (let index = 0; index <= 200; index += 1) write(stage, `.opencode/tool/${index}.ts`, '');
    expect(await codeOf(look(stage))).toBe('WORKSPACE_NOT_TRUSTED');
  });

  test('passes over what is not there, is a folder, or leads nowhere', async ({ stage }) => {
    mkdirSync(path.join(stage.paths.defaultWorkspace, '.env'), { recursive: true });
    write(stage, '.claude', 'a file');
    symlinkSync('nowhere', path.join(stage.paths.defaultWorkspace, '.mcp.json'));
    symlinkSync('opencode.json', path.join(stage.paths.defaultWorkspace, 'opencode.json'));

    expect(await look(stage)).toEqual([]);
  });
});

describe('a health check', () => {
  test('runs in empty folders of ours, its question for the version too', async ({ stage }) => {
    const noted = path.join(stage.home, 'noted');
    const [node = '', script = ''] = engineDouble().command ?? [];
    const command = ['/bin/sh', '-c', `echo "$PWD:$(ls -A)" >> '${noted}'; exec "$0" "$@"`, node, script];
    const engine = engineDouble({ name: 'noting', command, env: {} });
    stage.engines.push({ ...engine, finding: { ...engine.finding, versionArgs: ['--version'] } });

    const infos = await stage.catalogue.refresh('noting', AbortSignal.timeout(HANG_MS));

    expect(infos.find(({ name }) => name === 'noting')?.status).toBe('ready');
    const folders = readFileSync(noted, 'utf8').trimEnd().split('\n');
    expect(folders).toHaveLength(2);
    // Each ends with what was in it: nothing.
    for (const folder of folders) expect(folder).toMatch(new RegExp(`^${stage.paths.runsDir}/[^/]+/empty:$`));
  });
});

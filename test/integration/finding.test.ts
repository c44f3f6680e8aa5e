/** Finding and starting agents by the built companion: what is installed, moved, planted, slow or silent, and what each process may know. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { engines } from '#companion/engines/index.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { cliBinDir } from '#test/fixtures/clis.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { answerOf, startConversation, type Conversation } from '#test/fixtures/conversation.ts';
import type { Home } from '#test/fixtures/home.ts';
import { test } from '#test/fixtures/stage.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const processEngines = engines.filter((engine) => engine.type === 'process');

/** Writes a program; `dir` is of the home. */
const program = (home: Home, dir: string, name: string, body: string): string => {
  const file = path.join(home.dir, dir, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
};

const profile = (home: Home, text: string): void => writeFileSync(path.join(home.dir, '.bash_profile'), text);

const refresh = async (companion: Companion, name: string): Promise<EngineInfo> => {
  const { json } = await companion.api.send('POST', '/api/engines/refresh', { name });
  const found = (json as { engines: EngineInfo[] }).engines.find((info) => info.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

const done = (conversation: Conversation, count: number) =>
  conversation.waitFor(
    ({ turns, status }) => turns.length === count && status === 'idle' && turns.every(({ durationMs }) => durationMs !== null),
  );

/** Claude in a folder of the home, as a package manager links it. */
const link = (home: Home, dir: string): string => {
  mkdirSync(path.join(home.dir, dir), { recursive: true });
  symlinkSync(path.join(cliBinDir('claude'), 'claude'), path.join(home.dir, dir, 'claude'));
  return path.join(home.dir, dir, 'claude');
};

describe('an agent', () => {
  test('installed while the daemon runs is found; moved, it is found again; removed, its command is told', async ({
    companion,
    home,
    model,
  }) => {
    home.installClaude(model.url);
    profile(home, `export PATH="${home.dir}/tools:$PATH"\n`);
    model.script('hello', { parts: [{ text: 'Here I am.' }] });
    await companion.startDaemon();

    const before = await refresh(companion, 'claude');
    link(home, 'tools');
    const installed = await refresh(companion, 'claude');
    // As a version manager does it: everything lies elsewhere, and the profile says where.
    renameSync(path.join(home.dir, 'tools'), path.join(home.dir, 'tools-2'));
    profile(home, `export PATH="${home.dir}/tools-2:$PATH"\n`);
    const conversation = await startConversation(companion);
    await conversation.act('hello');
    const moved = await done(conversation, 1);
    rmSync(path.join(home.dir, 'tools-2'), { recursive: true });
    const other = await startConversation(companion);
    await other.act('hello');
    const removed = await done(other, 1);

    expect(before).toMatchObject({ status: 'not_installed', fix: 'npm install -g @anthropic-ai/claude-code' });
    expect(installed).toMatchObject({ status: 'ready', path: path.join(home.dir, 'tools/claude'), pathSource: 'login shell' });
    expect(answerOf(moved)).toBe('Here I am.');
    expect(removed.turns[0]).toMatchObject({
      status: 'failed',
      error: { code: 'ENGINE_NOT_FOUND', remedy: 'Install it: `npm install -g @anthropic-ai/claude-code`.' },
    });
    conversation.close();
    other.close();
  });

  test('that is planted by a project is not started, wherever PATH has it, and is named', async ({ companion, home }) => {
    const canary = path.join(home.dir, 'canary');
    const planted = program(home, 'project/node_modules/.bin', 'claude', `touch ${canary}; echo 999.0.0`);
    program(home, 'open', 'codex', `touch ${canary}; echo 999.0.0`);
    chmodSync(path.join(home.dir, 'open'), 0o777);
    profile(home, `export PATH=".:node_modules/.bin:${home.dir}/open:$PATH"\n`);
    // As `npx pilotfish` in the project starts it, before anybody said that it is one.
    const env = { PATH: `${path.dirname(planted)}:.:${companion.env['PATH']}`, npm_execpath: '/usr/lib/npm-cli.js' };
    await companion.startDaemon({ env });
    const unknown = await refresh(companion, 'claude');
    const conversation = await startConversation(companion);
    // From now on it is a project: not even the user's own profile puts its programs before those of others.
    profile(home, `export PATH="${path.dirname(planted)}:${home.dir}/open:$PATH"\n`);

    const claude = await refresh(companion, 'claude');
    const codex = await refresh(companion, 'codex');
    await conversation.act('hello');
    const view = await done(conversation, 1);

    expect(existsSync(canary)).toBe(false);
    expect(unknown).toMatchObject({ status: 'not_installed', fix: 'npm install -g @anthropic-ai/claude-code' });
    expect(claude).toMatchObject({ status: 'not_installed', fix: `pilotfish engine set claude path=${planted}` });
    expect(claude.error?.message).toContain('it lies in a project');
    expect(codex.error?.message).toContain('everybody on this machine may write');
    expect(view.turns[0]?.error?.code).toBe('ENGINE_NOT_FOUND');
    conversation.close();
  });

  test('that is too old is told with both versions, and not started', async ({ companion, home }) => {
    const started = path.join(home.dir, 'started');
    program(home, 'tools', 'claude', `[ "$1" = --version ] && { echo "2.0.77 (Claude Code)"; exit; }; touch ${started}`);
    profile(home, `export PATH="${home.dir}/tools:$PATH"\n`);
    await companion.startDaemon();

    const info = await refresh(companion, 'claude');

    expect(info).toMatchObject({ status: 'too_old', version: '2.0.77', error: { code: 'ENGINE_TOO_OLD' } });
    expect(info.error?.message).toMatch(/2\.0\.77 is installed, \d+\.\d+\.\d+ is needed/);
    expect(existsSync(started)).toBe(false);
  });

  test(
    'that hangs, asked for its version or at its start, holds up no other and is ended with all it started',
    { tags: 'whole' },
    async ({ companion, home, model }) => {
      home.installClaude(model.url);
      const stay = `sleep 600 & trap '' TERM; sleep 600; wait`;
      program(home, 'tools', 'codex', stay);
      program(home, 'tools', 'gemini', `[ "$1" = --version ] && { echo 999.0.0; exit; }; ${stay}`);
      profile(home, `export PATH="${home.dir}/tools:${cliBinDir('claude')}:$PATH"\n`);
      await companion.startDaemon();
      const sleeps = (list: { command: string }[]): number => list.filter(({ command }) => command === 'sleep 600').length;

      // The longer limit, that of a start, is waited for in the whole form only.
      const names = isWhole ? ['codex', 'gemini'] : ['codex'];
      let isOver = false;
      const hanging = Promise.all(names.map((name) => refresh(companion, name))).finally(() => {
        isOver = true;
      });
      await home.waitForProcesses((list) => sleeps(list) >= 2 * names.length);
      const claude = await refresh(companion, 'claude');
      const isHeldUp = isOver;
      const infos = await hanging;

      expect(claude.status).toBe('ready');
      expect(isHeldUp).toBe(false);
      for (const info of infos) expect(info).toMatchObject({ status: 'failed', error: { code: 'ENGINE_START_FAILED' } });
      await home.waitForProcesses((list) => sleeps(list) === 0, 5_000 + SLACK_MS);
      expect(readdirSync(companion.paths.runsDir)).toEqual([]);
    },
  );
});

describe('the process of every engine', () => {
  test(
    'knows nothing that is planted around it, neither when asked for its version nor when started',
    { tags: 'whole' },
    async ({ companion, home }) => {
      const names = new Set([
        ...processEngines.flatMap((engine) => [...engine.envAllow, ...(engine.secretNames ?? [])]),
        ...'NODE_OPTIONS_X LD_AUDIT_X CLAUDECODE CODEX_HOME ANTHROPIC_BASE_URL GITHUB_TOKEN NPM_TOKEN DATABASE_URL PILOTFISH_TOKEN PILOTFISH_RUN'.split(
          ' ',
        ),
      ]);
      for (const engine of processEngines) {
        const dump = path.join(home.dir, 'dumps', engine.name);
        mkdirSync(path.dirname(dump), { recursive: true });
        // One program may be of two engines; what it is asked tells neither, so each has its own by its settings.
        program(
          home,
          `tools/${engine.name}`,
          'agent',
          `{ env; echo "ARGS=$*"; echo; } >> ${dump}; [ "$1" = --version ] && echo 999.0.0; exit 3`,
        );
      }
      const byName = Object.fromEntries(processEngines.map(({ name }) => [name, { path: path.join(home.dir, 'tools', name, 'agent') }]));
      companion.writeSettings({ engines: { byName, custom: [] } });
      profile(home, [...names].map((name) => `export ${name}=planted-${name}`).join('\n'));
      await companion.startDaemon({ env: Object.fromEntries([...names].map((name) => [name, `planted-${name}`])) });

      await companion.api.send('POST', '/api/engines/refresh', {});

      for (const engine of processEngines) {
        const dump = readFileSync(path.join(home.dir, 'dumps', engine.name), 'utf8');
        const through = [...dump.matchAll(/^(\w+)=.*planted-/gm)].map(([, name = '']) => name);
        expect([engine.name, through.filter((name) => !engine.envAllow.includes(name))]).toEqual([engine.name, []]);
        const ours = [...dump.matchAll(/^(PILOTFISH\w*)=/gm)].map(([, name]) => name);
        expect(new Set(ours)).toEqual(new Set(['PILOTFISH_RUN']));
        expect(dump.match(/^ARGS=/gm)?.length).toBeGreaterThanOrEqual(2);
      }
    },
  );
});

/** What each real agent runs by itself when it starts in a folder: nothing of it before the user agrees, all of it was shown. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { CliName } from '#test/fixtures/clis.ts';
import { answerNext, isDone, lastTurn, type Conversation } from '#test/fixtures/conversation.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { subjects, test } from './engine-stage.ts';

interface Plant {
  readonly what: string;
  readonly cli: CliName;
  /** It is done in the whole form only. */
  readonly isForWhole?: true;
  /** Makes the project act: it is to make the file `canary`. Gives what the card must show. */
  readonly plant: (root: string, canary: string) => string;
}

const write = (file: string, content: string, mode = 0o644): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content, { mode });
};

const git = (folder: string, ...args: string[]): void => {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { env, stdio: 'pipe' });
};

const repository = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q');
  write(path.join(folder, 'a.txt'), 'x');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'x');
};

const hooks = (command: string): string => JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } });

/** A changed file of the same size, whose content git only knows after the filter has run. */
const filtered = (root: string, canary: string): string => {
  repository(root);
  write(path.join(root, 'clean.sh'), `#!/bin/sh\ntouch ${canary}\ncat\n`, 0o755);
  git(root, 'config', 'filter.x.clean', './clean.sh');
  write(path.join(root, '.gitattributes'), '*.txt filter=x\n');
  write(path.join(root, 'a.txt'), 'y');
  utimesSync(path.join(root, 'a.txt'), 1_000_000, 1_000_000);
  return 'clean = ./clean.sh';
};

const plants: readonly Plant[] = [
  {
    what: 'hooks of the folder that it is a worktree of',
    cli: 'claude',
    plant: (root, canary) => {
      const main = path.join(path.dirname(root), 'main');
      repository(main);
      git(main, 'worktree', 'add', '-q', root);
      write(path.join(main, '.claude/settings.local.json'), hooks(`touch ${canary}`));
      return `starts: touch ${canary}`;
    },
  },
  { what: 'a filter of its git configuration', cli: 'codex', isForWhole: true, plant: filtered },
  { what: 'a filter of its git configuration', cli: 'qwen', isForWhole: true, plant: filtered },
  {
    what: 'hooks',
    cli: 'qwen',
    isForWhole: true,
    plant: (root, canary) => {
      write(path.join(root, '.qwen/settings.json'), hooks(`touch ${canary}`));
      return `starts: touch ${canary}`;
    },
  },
  {
    what: 'an MCP server',
    cli: 'gemini',
    isForWhole: true,
    plant: (root, canary) => {
      write(path.join(root, '.gemini/settings.json'), JSON.stringify({ mcpServers: { x: { command: 'touch', args: [canary] } } }));
      return `starts: touch ${canary}`;
    },
  },
  {
    what: 'plugins in a linked folder',
    cli: 'opencode',
    isForWhole: true,
    plant: (root, canary) => {
      write(
        path.join(root, 'elsewhere/p.js'),
        `import fs from 'node:fs'; fs.writeFileSync('${canary}', ''); export const P = async () => ({});`,
      );
      mkdirSync(path.join(root, '.opencode'));
      symlinkSync('../elsewhere', path.join(root, '.opencode/plugins'));
      return '.opencode/plugins/p.js';
    },
  },
];

const isAsked = (conversation: Conversation) => conversation.waitFor((view) => view.requests.length > 0);

describe('a project', () => {
  test('that gets hooks while claude runs in it is asked about before the next prompt', async ({ setUp, home, companion }) => {
    const subject = subjects.find(({ name }) => name === 'claude');
    if (subject === undefined) throw new Error('claude is a subject');
    const canary = path.join(home.dir, 'canary');
    const { model, converse } = await setUp(subject);
    model.script('hello', { parts: [{ text: 'Hello to you.' }] });
    const conversation = await converse();
    await conversation.act('hello');
    await conversation.waitFor(isDone);

    // It takes them up by itself, without being started anew.
    const settings = path.join(home.dir, 'project/.claude/settings.json');
    const hook = [{ hooks: [{ type: 'command', command: `touch ${canary}` }] }];
    write(settings, JSON.stringify({ hooks: { UserPromptSubmit: hook, SessionEnd: hook } }));
    await conversation.act('hello once more');
    const asked = await isAsked(conversation);
    await answerNext(companion, conversation, 'deny');
    const denied = await conversation.waitFor(isDone);

    expect(asked.requests[0]?.request.detail).toContain(`starts: touch ${canary}`);
    expect(denied.turns[1]?.error?.code).toBe('WORKSPACE_NOT_TRUSTED');
    expect(JSON.stringify(model.requests)).not.toContain('hello once more');
    expect(existsSync(canary)).toBe(false);
  });

  test.for(plants)(
    'with $what starts nothing in $cli before it is trusted',
    async ({ cli, plant, isForWhole }, { setUp, home, companion, skip }) => {
      skip(isForWhole === true && !isWhole, 'no agent is started either way, and this one takes long when it is: npm run test:whole');
      const subject = subjects.find(({ name }) => name === cli);
      if (subject === undefined) throw new Error(`${cli} is no subject`);
      const canary = path.join(home.dir, 'canary');
      const shown = plant(path.join(home.dir, 'project'), canary);
      const { model, converse } = await setUp(subject);
      model.script('hello', { parts: [{ text: 'Hello to you.' }] });

      const first = await converse();
      await first.act('hello');
      const asked = await isAsked(first);
      const before = { calls: model.requests.length, hasCanary: existsSync(canary) };
      await answerNext(companion, first, 'deny');
      const denied = await first.waitFor(isDone);
      const afterDenial = { calls: model.requests.length, hasCanary: existsSync(canary) };
      const second = await converse();
      await second.act('hello');
      await isAsked(second);
      await answerNext(companion, second, 'trust');
      const trusted = await second.waitFor(isDone);

      expect(asked.requests[0]?.request.detail).toContain(shown);
      expect(before).toEqual({ calls: 0, hasCanary: false });
      expect(denied.turns[0]?.error?.code).toBe('WORKSPACE_NOT_TRUSTED');
      expect(afterDenial).toEqual(before);
      expect(lastTurn(trusted)).toMatchObject({ status: 'completed', error: null });
      // So it would have run.
      await until(() => existsSync(canary), { what: 'what the project starts' });
    },
  );
});

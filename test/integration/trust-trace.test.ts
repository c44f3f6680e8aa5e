/** Which files of a project each real agent opens or looks for: each is counted by the look at a project, or known to be harmless. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { engines } from '#companion/engines/index.ts';
import { ProjectRules } from '#companion/trust/project-rules.ts';
import { isDone } from '#test/fixtures/conversation.ts';
import { cliNames, type CliName } from '#test/fixtures/clis.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { subjects, test } from './engine-stage.ts';

const rules = new ProjectRules(engines);

/** Words for a model, names of files, and what no agent obeys. */
const HARMLESS = [
  /^(?:AGENTS|AGENTS\.override|AGENT|CLAUDE|CLAUDE\.local|GEMINI|QWEN|CONTEXT)\.md$/i,
  /^\.(?:gitignore|ignore|rgignore|geminiignore|qwenignore|agentignore|aiignore|aiexclude)$/,
];

/**
 * Git's own files, which git reads for the agents: of them only configurations and hooks start anything, and the look at a project
 * finds these by git's own pointers. The name of a remote may stand in `branches` and `remotes` as well.
 */
const GIT =
  /^\.git(?:$|\/(?:HEAD|index|commondir|gitdir|packed-refs|config\.worktree|sequencer\/todo|(?:branches|info|logs|objects|refs|remotes|worktrees)(?:\/|$)|hooks$))/;

/** Folders of an agent's own notes about the project, which it made itself or not at all. */
const NOTES = ['.git/opencode', 'logs/openai'];

const isKnown = (name: string): boolean =>
  rules.formOf(name) !== null ||
  HARMLESS.some((pattern) => pattern.test(name)) ||
  GIT.test(name) ||
  NOTES.includes(name) ||
  // Files of an agent's own folder count unless its engine says they are harmless.
  rules.ownFolders.some((folder) => name === folder.name || name.startsWith(`${folder.name}/`));

/** Paths below the folder that a process opened to read, or tried to. */
const openedBelow = (root: string, trace: string): string[] => {
  const opened = new Set<string>();
  for (const [, call = '', base = '', named = ''] of trace.matchAll(/\b((?:open|openat)\((?:AT_FDCWD(?:<([^>]*)>)?, )?)"([^"]*)"/g)) {
    if (call === '') continue;
    const file = path.resolve(base === '' ? root : base, named);
    if (file.startsWith(`${root}/`)) opened.add(path.relative(root, file));
  }
  return [...opened].toSorted();
};

describe('the files of a project', () => {
  test.for(cliNames)('that %s opens are all known to the look at a project', async (cli: CliName, { setUp, home, skip }) => {
    skip(process.platform !== 'linux', 'strace is for Linux');
    skip(cli !== 'claude' && !isWhole, 'traced, an agent takes long to start: npm run test:whole');
    const subject = subjects.find(({ name }) => name === cli);
    if (subject === undefined) throw new Error(`${cli} is no subject`);
    const root = path.join(home.dir, 'project');
    execFileSync('git', ['init', '-q', root], { env: { PATH: process.env['PATH'], HOME: home.dir, GIT_CONFIG_NOSYSTEM: '1' } });
    const { model, agent, converse } = await setUp(subject, { isTraced: true });
    model.script('hello', { parts: [{ text: 'Hello to you.' }] });

    const conversation = await converse();
    await conversation.act('hello');
    const view = await conversation.waitFor(isDone);

    const opened = openedBelow(root, agent?.traced() ?? '');
    expect(view.turns[0]?.status).toBe('completed');
    expect(readdirSync(root)).toContain('.git');
    expect(opened.length).toBeGreaterThan(0);
    expect(opened.filter((name) => !isKnown(name))).toEqual([]);
  });
});

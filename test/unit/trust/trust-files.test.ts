import { engines } from '#companion/engines/index.ts';
import { ProjectRules } from '#companion/trust/project-rules.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { type ActiveFile, findActiveFiles, hashesOf } from '#companion/trust/trust-files.ts';
import { inOne } from '#protocol/findings.ts';
import { codeOf } from '#test/unit/sessions/stage.ts';

const rules = new ProjectRules(engines);

interface Stage {
  /** Outside of the project. */
  readonly folder: string;
  readonly root: string;
  write(name: string, content: string): void;
  git(...args: string[]): void;
  look(): Promise<ActiveFile[]>;
}

const test = base.extend<{ stage: Stage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'pilotfish-')));
    const root = path.join(folder, 'project');
    mkdirSync(root);
    await use({
      folder,
      root,
      write: (name, content) => {
        const file = path.resolve(root, name);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, content);
      },
      git: (...args) => {
        const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: root, env, stdio: 'pipe' });
      },
      look: () => findActiveFiles(root, rules),
    });
    rmSync(folder, { recursive: true, force: true });
  },
});

const hook = (command: string): string => JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } });
const server = (command: string, ...args: string[]): string => JSON.stringify({ mcpServers: { x: { command, args } } });
const pathsOf = (files: readonly ActiveFile[]): string[] => Object.keys(hashesOf(files));

describe('what a trusted command runs', () => {
  test.for([
    ['.claude/settings.json', hook('./scripts/x.sh now'), 'scripts/x.sh'],
    ['.claude/settings.json', hook('"$CLAUDE_PROJECT_DIR"/scripts/x.sh'), 'scripts/x.sh'],
    ['.mcp.json', server('node', 'tools/server.js', '--config=tools/c.json'), 'tools/server.js'],
    ['.mcp.json', server('node', '--config=tools/c.json'), 'tools/c.json'],
    ['.mcp.json', server('node', 'tools/server'), 'tools/server.js'],
    ['.mcp.json', server('node', 'tools'), 'tools/index.js'],
    ['.mcp.json', server('python3', '-m', 'tools.serve'), 'tools/serve.py'],
    ['.mcp.json', server('sh', '-c', 'cd tools && node server.js'), 'tools/server.js'],
    ['.mcp.json', '{"mcpServers": {"x": {"command": "node", "args": ["run.js"], "cwd": "tools"}}}', 'tools/run.js'],
    ['.mcp.json', server('make', 'serve'), 'Makefile'],
    ['.codex/config.toml', 'notify = ["python3", "tools/n.py"]', 'tools/n.py'],
    ['.codex/config.toml', '[mcp_servers.x]\ncommand = "node"\nargs = ["./n.js"]', '.codex/n.js'],
    ['.env', 'NODE_OPTIONS=--require=./evil.js', 'evil.js'],
    ['.opencode/plugin/p.ts', 'import "../../src/helper.ts"', 'src/helper.ts'],
  ] as const)('%s %s is bound with %s', async ([name, content, script], { stage }) => {
    stage.write(name, content);
    stage.write(script, 'before');

    const before = hashesOf(await stage.look());
    stage.write(script, 'after');
    const after = hashesOf(await stage.look());

    expect(Object.keys(before)).toContain(script);
    expect(after[name]).toBe(before[name]);
    expect(after[script]).not.toBe(before[script]);
  });

  test('scripts of package.json are bound when a package manager runs them, other changes of it are not', async ({ stage }) => {
    const manifest = (script: string, version: string): string =>
      JSON.stringify({ scripts: { mcp: script }, dependencies: { a: version } });
    stage.write('.mcp.json', server('npm', 'run', 'mcp'));
    stage.write('tools/server.js', '');
    stage.write('package.json', manifest('node tools/server.js', '1'));

    const before = hashesOf(await stage.look());
    stage.write('package.json', manifest('node tools/server.js', '2'));
    const updated = hashesOf(await stage.look());
    stage.write('package.json', manifest('node tools/server.js; evil', '2'));
    const changed = hashesOf(await stage.look());

    expect(Object.keys(before)).toEqual(['.mcp.json', 'package.json', 'tools/server.js']);
    expect(updated).toEqual(before);
    expect(changed['package.json']).not.toBe(before['package.json']);
  });

  test('is found above, up to the repository, and not beyond it', async ({ stage }) => {
    stage.git('init', '-q');
    const inner = path.join(stage.root, 'inner');
    stage.write('inner/.mcp.json', server('../tools/x.sh', '../../outside.sh', '/bin/sh'));
    stage.write('tools/x.sh', '');
    stage.write('../outside.sh', '');

    expect(pathsOf(await findActiveFiles(inner, rules))).toEqual(['.mcp.json', path.join(stage.root, 'tools/x.sh')]);
  });

  test('counts by where it lies when a link leads out of the project', async ({ stage }) => {
    stage.git('init', '-q');
    stage.write('../outside.sh', 'one');
    stage.write('../other.sh', 'one');
    stage.write('.mcp.json', server('./x.sh'));
    symlinkSync('../outside.sh', path.join(stage.root, 'x.sh'));

    const before = hashesOf(await stage.look());
    stage.write('../outside.sh', 'two');
    const same = hashesOf(await stage.look());
    rmSync(path.join(stage.root, 'x.sh'));
    symlinkSync('../other.sh', path.join(stage.root, 'x.sh'));
    const moved = hashesOf(await stage.look());

    expect(same).toEqual(before);
    expect(moved['x.sh']).not.toBe(before['x.sh']);
  });

  test('that is there only later asks again; one that cannot be looked through is refused', async ({ stage }) => {
    stage.write('.mcp.json', server('./x.sh'));
    const before = hashesOf(await stage.look());

    stage.write('x.sh', '');
    const after = hashesOf(await stage.look());
    const names = Array.from({ length: 201 }, (_, index) => `./s${index}.sh`);
    for (const name of names) stage.write(name, '');
    stage.write('.mcp.json', server('sh', ...names));

    expect(Object.keys(before)).toEqual(['.mcp.json']);
    expect(Object.keys(after)).toEqual(['.mcp.json', 'x.sh']);
    expect(await codeOf(stage.look())).toBe('WORKSPACE_NOT_TRUSTED');
  });
});

describe('what git obeys', () => {
  test('is read where a pointer leads, with what it includes', async ({ stage }) => {
    stage.write('.git', 'gitdir: ../elsewhere/git\n');
    stage.write('../elsewhere/git/config', '[core]\n\tfsmonitor = ./watch.sh\n[include]\n\tpath = more\n');
    stage.write('../elsewhere/git/more', '[filter "x"]\n\tclean = ./clean.sh\n');
    stage.write('../elsewhere/git/config.worktree', '[core]\n\tsshCommand = evil\n');
    stage.write('watch.sh', '');

    const files = await stage.look();

    const git = path.join(stage.folder, 'elsewhere/git');
    expect(files.map(({ path: name }) => name).toSorted()).toEqual(
      ['config', 'config.worktree', 'more'].map((name) => path.join(git, name)),
    );
    expect(files.flatMap(({ lines }) => lines.map((line) => inOne(line).text)).join('\n')).toMatch(
      /fsmonitor = \.\/watch\.sh[^]*clean = \.\/clean\.sh/,
    );
    expect(pathsOf(files)).toContain('watch.sh');
  });

  test('is what it includes, too: a changed one asks again', async ({ stage }) => {
    stage.git('init', '-q');
    stage.write('shared.gitconfig', '[diff]\n\texternal = one\n');
    stage.git('config', 'include.path', '../shared.gitconfig');

    const before = hashesOf(await stage.look());
    stage.write('shared.gitconfig', '[diff]\n\texternal = two\n');
    const after = hashesOf(await stage.look());

    expect(Object.keys(before)).toEqual(['.git/config', 'shared.gitconfig']);
    expect(after['shared.gitconfig']).not.toBe(before['shared.gitconfig']);
  });

  test('is the hook of a mere look, wherever hooks are kept; others run with what an agent is asked about', async ({ stage }) => {
    stage.git('init', '-q');
    stage.git('config', 'core.hooksPath', '.husky/_');
    stage.write('.husky/_/pre-commit', 'npm test');
    const usual = await stage.look();

    stage.write('.husky/_/post-index-change', 'evil');
    stage.write('.git/hooks/post-index-change', 'evil');

    expect(usual).toEqual([]);
    expect(pathsOf(await stage.look())).toEqual(['.git/hooks/post-index-change', '.husky/_/post-index-change']);
  });

  test('is nothing in a plain repository, worktree or submodule', async ({ stage }) => {
    stage.git('init', '-q', 'main');
    stage.git('-C', 'main', 'commit', '-q', '--allow-empty', '-m', 'x');
    stage.git('-C', 'main', 'worktree', 'add', '-q', path.join(stage.root, 'tree'));
    stage.git('init', '-q', 'top');
    stage.git('-C', 'top', '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', path.join(stage.root, 'main'), 'sub');

    expect(await findActiveFiles(path.join(stage.root, 'main'), rules)).toEqual([]);
    expect(await findActiveFiles(path.join(stage.root, 'tree'), rules)).toEqual([]);
    expect(await findActiveFiles(path.join(stage.root, 'top/sub'), rules)).toEqual([]);
  });

  test('leads to the settings of the main folder, which claude reads from its worktrees', async ({ stage }) => {
    stage.git('init', '-q', 'main');
    stage.git('-C', 'main', 'commit', '-q', '--allow-empty', '-m', 'x');
    stage.git('-C', 'main', 'worktree', 'add', '-q', path.join(stage.folder, 'tree'));
    stage.write('main/.claude/settings.local.json', hook('evil'));

    const files = await findActiveFiles(path.join(stage.folder, 'tree'), rules);

    expect(files).toMatchObject([
      {
        path: path.join(stage.root, 'main/.claude/settings.local.json'),
        lines: [expect.arrayContaining([{ code: 'starts', values: {}, text: ' starts: ' }, 'evil']), expect.anything()],
      },
    ]);
  });

  test('is read in a folder that is laid out like a repository itself', async ({ stage }) => {
    stage.git('init', '-q', '--bare', '.');
    stage.git('config', 'core.fsmonitor', './evil');

    expect(pathsOf(await stage.look())).toEqual(['config']);
  });

  test('cannot lead round in circles, nor through a pipe', async ({ stage }) => {
    stage.git('init', '-q');
    stage.git('config', 'include.path', 'config');
    expect(pathsOf(await stage.look())).toEqual(['.git/config']);

    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', path.join(stage.root, '.git/pipe')]);
    stage.write('.git/config', '[include]\npath = config\npath = pipe\n');
    expect(await codeOf(stage.look())).toBe('WORKSPACE_NOT_TRUSTED');
  });
});

describe('the folders of plugins', () => {
  test('are looked into where they are links, as agents do', async ({ stage }) => {
    stage.write('elsewhere/deep/q.js', 'evil()');
    stage.write('.opencode/plugin/readme.md', '');
    symlinkSync('../elsewhere/deep', path.join(stage.root, '.opencode/plugins'));
    symlinkSync('../../elsewhere/deep', path.join(stage.root, '.opencode/plugin/linked'));
    symlinkSync('.', path.join(stage.root, '.opencode/plugin/round'));

    expect(pathsOf(await stage.look())).toEqual(expect.arrayContaining(['.opencode/plugin/linked/q.js', '.opencode/plugins/q.js']));
  });

  test('may hold many files that are no plugins', async ({ stage }) => {
    for (let index = 0; index <= 300; index += 1) stage.write(`.claude/skills/a/page-${index}.md`, '');
    stage.write('.claude/skills/a/SKILL.md', '---\nname: a\nhooks:\n  Stop: evil\n---\n');

    expect(pathsOf(await stage.look())).toEqual(['.claude/skills/a/SKILL.md']);
  });
});

describe('the folder of an agent', () => {
  test('counts with every file that is not known to be harmless, each bound to its content', async ({ stage }) => {
    stage.write('.agents/skills/x/SKILL.md', '---\nname: x\nlaunch: evil\n---\n');
    stage.write('.agents/skills/x/scripts/deep/run.sh', 'one');
    stage.write('.qwen/unheard-of', 'x');
    stage.write('.opencode/node_modules/a/index.js', 'x');
    stage.write('.claude/skills/x/words.md', 'Words.');

    const before = hashesOf(await stage.look());
    stage.write('.agents/skills/x/scripts/deep/run.sh', 'two');
    const after = hashesOf(await stage.look());

    const script = '.agents/skills/x/scripts/deep/run.sh';
    expect(Object.keys(before).toSorted()).toEqual(['.agents/skills/x/SKILL.md', script, '.qwen/unheard-of']);
    expect(after[script]).not.toBe(before[script]);
  });

  test('that holds more than can be shown is refused', async ({ stage }) => {
    for (let n = 0; n < 1001; n += 1) stage.write(`.goose/${n}`, '');

    expect(await codeOf(stage.look())).toBe('WORKSPACE_NOT_TRUSTED');
  });
});

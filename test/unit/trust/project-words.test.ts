import { describe, expect, test } from 'vitest';
import { engines } from '#companion/engines/index.ts';
import { ProjectRules } from '#companion/trust/project-rules.ts';
import { packageScripts, recipesOf, wordsIn } from '#companion/trust/project-words.ts';

const rules = new ProjectRules(engines);

describe('the words of settings', () => {
  test.each([
    ['json', '{"a": {"command": "node", "args": ["tools/server.js", "--x=./y.json"]}}', ['node', 'tools/server.js', './y.json']],
    ['json', '{"command": "\\"$CLAUDE_PROJECT_DIR\\"/.claude/hook.sh && ${workspaceFolder}/b.sh"}', ['./.claude/hook.sh', './b.sh']],
    ['json', '{"command": "${CLAUDE_PROJECT_DIR}/hook.sh; cd x"}', ['./hook.sh', 'x']],
    ['json', '{"command": "scripts\\u002fx.sh"}', ['scripts/x.sh']],
    ['json', '{"command": ["my tools/x.js"]} // a', ['my tools/x.js']],
    ['json', '{"broken": "a/b.sh"', ['a/b.sh']],
    ['json', '{"$ref": "{file:./secret}"}', ['./secret']],
    ['lines', 'notify = ["python3", "tools/n.py"]', ['python3', 'tools/n.py']],
    ['lines', 'command = "tools\\u002fn.py"', ['tools/n.py']],
    ['env', 'NODE_OPTIONS=--require=./evil.js', ['./evil.js']],
    ['env', 'PATH=./bin:/usr/bin', ['./bin']],
    ['git', '[filter "x"]\n\tclean = sh scripts/clean.sh %f', ['scripts/clean.sh']],
    ['code', 'import x from "../src/x.js"; run(a.b)', ['../src/x.js']],
  ] as const)('%s %s', (form, content, words) => {
    expect(wordsIn(content, form, rules)).toEqual(expect.arrayContaining([...words]));
  });

  test('of a program only its neighbours', () => {
    expect(wordsIn('import "./a.js"; import "fs"; const b = 1;', 'code', rules)).toEqual(['./a.js']);
  });

  test('nothing nested without end stops the look', () => {
    expect(wordsIn('['.repeat(5000) + '"a/b"' + ']'.repeat(5000), 'json', rules)).toEqual(expect.arrayContaining(['a/b']));
  });

  test('what a runner runs is in another file', () => {
    expect(recipesOf(['make', 'all'])).toContain('Makefile');
    const scripts = { premcp: 'node before.js', mcp: 'npm run build', build: 'node b.js', lint: 'lint' };
    const found = packageScripts(['npm', 'run', 'mcp'], JSON.stringify({ scripts, version: '1' }), rules);
    expect(JSON.parse(found?.text ?? '')).toEqual(Object.entries(scripts).slice(0, 3));
    expect(found?.words).toEqual(expect.arrayContaining(['before.js', 'b.js']));
    expect(packageScripts(['npm', 'install'], JSON.stringify({ scripts }), rules)).toBeNull();
    expect(packageScripts(['node', 'a.js'], '{"scripts": {}}', rules)).toBeNull();
  });
});

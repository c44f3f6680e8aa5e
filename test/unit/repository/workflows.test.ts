import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const FOLDER = path.join(ROOT, '.github/workflows');
const workflows = readdirSync(FOLDER).map((name) => [name, readFileSync(path.join(FOLDER, name), 'utf8')] as const);

describe('the workflows', () => {
  test('start scripts and other workflows that are there', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    const text = workflows.map(([, each]) => each).join('\n');
    const started = [...text.matchAll(/npm run (?<script>[a-z:]+)/gu)].map(({ groups }) => groups?.['script'] ?? '');
    const called = [...text.matchAll(/uses: \.\/(?<file>\S+)/gu)].map(({ groups }) => groups?.['file'] ?? '');

    expect(started).toContain('package');
    expect(started.filter((script) => scripts[script] === undefined)).toEqual([]);
    expect(called).toEqual(['.github/workflows/ci.yml']);
    for (const file of called) expect(existsSync(path.join(ROOT, file))).toBe(true);
  });

  test.for(workflows)('%s names each of the three systems and keeps its secrets in the environment', ([, text]) => {
    for (const system of ['ubuntu-', 'macos-', 'windows-']) expect(text).toContain(system);
    // A secret in a script would be put into its text before the shell reads it.
    const lines = text.split('\n').filter((line) => line.includes('secrets.'));
    expect(lines.filter((line) => !/^\s+[A-Z_]+: \$\{\{ secrets\.[A-Z_]+ \}\}$/u.test(line))).toEqual([]);
  });

  test('a release waits for the tests of every system', () => {
    const release = workflows.find(([name]) => name === 'release.yml')?.[1] ?? '';

    expect(release).toContain('needs: [test, package]');
    expect(release).toContain('uses: ./.github/workflows/ci.yml');
  });
});

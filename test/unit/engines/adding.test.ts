/** docs/adding-an-engine.md, followed to the letter in a copy of the folder of engines. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test as base } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../..');

const test = base.extend<{ copy: string }>({
  // oxlint-disable-next-line no-empty-pattern
  copy: async ({}, use) => {
    const copy = mkdtempSync(path.join(tmpdir(), 'pf-adding-'));
    mkdirSync(path.join(copy, 'companion'));
    cpSync(path.join(ROOT, 'package.json'), path.join(copy, 'package.json'));
    cpSync(path.join(ROOT, 'companion/engines'), path.join(copy, 'companion/engines'), { recursive: true });
    for (const link of ['node_modules', 'companion/protocol', 'companion/lib']) symlinkSync(path.join(ROOT, link), path.join(copy, link));
    await use(copy);
    rmSync(copy, { recursive: true, force: true });
  },
});

/** Runs in Node itself: the copy has a package of its own, by which its imports are found. */
const script = (copy: string): string => `
  import { engines } from ${JSON.stringify(path.join(copy, 'companion/engines/index.ts'))};
  import { ProjectRules } from ${JSON.stringify(path.join(ROOT, 'companion/trust/project-rules.ts'))};
  import { replay } from ${JSON.stringify(path.join(ROOT, 'test/unit/engines/replay.ts'))};
  import { forScenario } from ${JSON.stringify(path.join(ROOT, 'test/record/launch.ts'))};
  const example = engines.find(({ name }) => name === 'example');
  const asRecorded = { ...example, name: 'gemini', codec: (options) => example.codec(forScenario(options, 'gemini', 'answer', null)) };
  const rules = new ProjectRules(engines);
  console.log(JSON.stringify({
    story: replay(asRecorded, 'answer'),
    forms: ['.example/settings.json', '.example/agents/a.md'].map((name) => rules.formOf(name)?.type),
    isVariable: rules.isActiveVariable('EXAMPLE_HOME'),
  }));
`;

test('a file and a line in the list make an engine that is found, trusted with care, and understood', ({ copy }) => {
  const [, file] = /`companion\/engines\/example\.ts`:\n\n```ts\n([\s\S]*?)```/.exec(read('docs/adding-an-engine.md')) ?? [];
  writeFileSync(path.join(copy, 'companion/engines/example.ts'), file ?? '');
  const list = read('companion/engines/index.ts').replace('[claude,', '[example, claude,');
  writeFileSync(path.join(copy, 'companion/engines/index.ts'), `import { example } from './example.ts';\n${list}`);

  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script(copy)], { encoding: 'utf8', cwd: ROOT });

  expect(JSON.parse(output)).toEqual({
    story: read('test/transcripts/answer/expected.jsonl'),
    forms: ['json', 'front matter'],
    isVariable: true,
  });
});

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** A person's sessions from the command line, by the built executable: with an agent that is a real process. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { AttachmentStats } from '#protocol/attachments.ts';
import { SearchAnswer } from '#protocol/search.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';
import { putOnPath } from './acp-stage.ts';

const FILE_BYTES = 12 * 1024 * 1024;

const json = async (companion: Companion, ...args: string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await companion.run([...args, '--json']);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stderr}`);
  return JSON.parse(stdout);
};

/** The files that are kept. */
const readdirOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));

test(
  'a large file goes along with a prompt; what was said is found, and the file is cleared away',
  { tags: 'whole' },
  async ({ home, companion }) => {
    putOnPath(home, []);
    const project = path.join(home.dir, 'shop');
    mkdirSync(project);
    const agent = fileURLToPath(new URL('../fixtures/shell-agent-double.ts', import.meta.url));
    await companion.run(['engine', 'add', 'mine', '--', process.execPath, agent]);
    const file = path.join(home.dir, 'large.bin');
    writeFileSync(file, Buffer.alloc(FILE_BYTES, 'pilotfish '));

    const ran = await companion.run(
      ['run', '--engine', 'mine', '--project', project, '--on-ask', 'deny', '--attach', file, '--', '请修复登录页面'],
      { cwd: home.dir },
    );

    expect(ran.stdout).toContain('The answer was reject.');
    const stats = AttachmentStats.parse(await json(companion, 'attachments'));
    expect(stats).toMatchObject({ totalFiles: 1, totalBytes: FILE_BYTES, projects: [{ projectName: 'shop', fileCount: 1 }] });
    const found = await until(async () => {
      const answer = SearchAnswer.parse(await json(companion, 'search', '登录'));
      return answer.hits.length > 0 ? answer : null;
    });
    expect(found.hits).toMatchObject([{ kind: 'prompt', snippet: { text: '请修复登录页面', marks: [[3, 5]] } }]);
    const [stored] = readdirOf(stats.rootDir);
    expect(readFileSync(path.join(stats.rootDir, stored ?? '')).equals(readFileSync(file))).toBe(true);

    const exported = path.join(home.dir, 'talk.json');
    const [session] = found.hits;
    await companion.run(['export', session?.sessionId ?? '', '--json', '--output', exported]);
    const imported = (await json(companion, 'import', exported, '--project', project)) as { session: { id: string } };
    const [copy, original] = await Promise.all(
      [imported.session.id, session?.sessionId ?? ''].map(async (id) => (await companion.run(['export', id])).stdout.split('\n').slice(3)),
    );
    expect(copy).toEqual(original);
    writeFileSync(exported, readFileSync(exported, 'utf8').replace('"version":1', '"version":"1"'));
    expect(await companion.run(['import', exported])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no session that pilotfish'),
    });

    await json(companion, 'attachments', 'remove', 'shop');
    expect(readdirOf(stats.rootDir)).toEqual([]);
  },
);

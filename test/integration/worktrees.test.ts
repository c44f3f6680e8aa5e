/** Three real agents at once in three worktrees of one repository, from the first prompt to the end of each worktree. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { SessionSummary } from '#protocol/api.ts';
import type { SessionView } from '#protocol/view.ts';
import type { Changes, Worktree } from '#protocol/work.ts';
import { agents } from '#test/fixtures/agents.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { hasGit, initRepository, personGit, writeFiles } from '#test/fixtures/git-repository.ts';
import { until } from '#test/fixtures/until.ts';
import { subjects, test } from './engine-stage.ts';

const claude = subjects.find(({ name }) => name === 'claude');

const send = async <T>(companion: Companion, method: 'GET' | 'POST', url: string, body?: unknown): Promise<T> => {
  const answer = await companion.api.send(method, url, body);
  if (answer.status >= 300) throw new Error(`${url}: ${answer.status} ${answer.text}`);
  return answer.json as T;
};

interface Work {
  readonly name: string;
  readonly sessionId: string;
  readonly worktree: Worktree;
}

test.skipIf(!hasGit || claude === undefined)(
  'three agents work in three worktrees of one repository at once, to the end',
  { tags: 'whole' },
  async ({ share }) => {
    if (claude === undefined) throw new Error('there is no claude');
    const { home, companion, model } = await share(claude);
    const folder = initRepository(home.dir, path.join(home.dir, 'shop'));
    writeFiles(folder, { 'mine.txt': 'not committed\n' });
    const { project } = await send<{ project: { id: string } }>(companion, 'POST', '/agent/projects', { name: 'Shop', rootPath: folder });

    const begin = async (name: string): Promise<Work> => {
      const url = `/api/projects/${project.id}/agent-sessions`;
      const { session } = await send<{ session: SessionSummary }>(companion, 'POST', url, {
        engineName: 'claude',
        mode: 'acceptEdits',
        worktree: name,
      });
      const { worktree } = await send<SessionView>(companion, 'GET', `/api/agent-sessions/${session.id}`);
      if (worktree === null) throw new Error('it has no worktree');
      return { name, sessionId: session.id, worktree };
    };
    const works = [await begin('first'), await begin('second'), await begin('third')];
    const gates = works.map(({ name, worktree }) => {
      const gate = createGate();
      const write = agents.claude.tools.write(path.join(worktree.path, 'work.txt'), `by ${name}\n`);
      model.script(`work of ${name}`, { parts: [{ gate }, write] }, { parts: [{ text: 'Done.' }] });
      return gate;
    });

    for (const { name, sessionId } of works) {
      await send(companion, 'POST', `/api/agent-sessions/${sessionId}/turns`, { text: `work of ${name}`, ifTaken: 'refuse' });
    }
    // Each has asked its model before any of them goes on: they work at the same time.
    await Promise.all(gates.map(({ reached }) => reached));
    for (const gate of gates) gate.open();
    const ended = await Promise.all(
      works.map(({ sessionId, name }) =>
        until(
          async () => {
            const view = await send<SessionView>(companion, 'GET', `/api/agent-sessions/${sessionId}`);
            return view.turns.length > 0 && view.status === 'idle' ? view : null;
          },
          { what: `the end of ${name}` },
        ),
      ),
    );

    expect(ended.map(({ turns }) => turns[0]?.status)).toEqual(['completed', 'completed', 'completed']);
    expect(works.map(({ worktree }) => readFileSync(path.join(worktree.path, 'work.txt'), 'utf8'))).toEqual(
      works.map(({ name }) => `by ${name}\n`),
    );
    expect(existsSync(path.join(folder, 'work.txt'))).toBe(false);
    const changes = await Promise.all(
      works.map(({ sessionId }) => send<Changes>(companion, 'GET', `/api/agent-sessions/${sessionId}/changes`)),
    );
    expect(changes.map(({ files }) => files.map((file) => `${file.path} +${file.additions}`))).toEqual(works.map(() => ['work.txt +1']));

    const [first, second, third] = works.map(({ sessionId }) => sessionId);
    const diff = await companion.run(['diff', first ?? '']);
    const merged = await companion.run(['worktree', 'merge', first ?? '']);
    const refused = await companion.run(['worktree', 'merge', second ?? '']);
    const kept = await companion.run(['worktree', 'keep', second ?? '']);
    const discarded = await companion.run(['worktree', 'discard', third ?? '', '--json']);

    expect(diff.stdout).toContain('+by first');
    expect(diff.stderr).toContain('1 file of your folder');
    expect(merged).toMatchObject({ code: 0, stdout: 'Merged into main. 1 uncommitted file was committed first.\n' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('work.txt');
    expect(kept.stdout).toContain('Kept as the branch pilotfish/second.');
    const { savedAs } = JSON.parse(discarded.stdout) as { savedAs: string };
    const show = (place: string): string => personGit(home.dir, folder, 'show', `${place}:work.txt`);
    expect([show('main'), show('pilotfish/second'), show(savedAs)]).toEqual(['by first\n', 'by second\n', 'by third\n']);
    expect(readFileSync(path.join(folder, 'work.txt'), 'utf8')).toBe('by first\n');
    expect(readFileSync(path.join(folder, 'mine.txt'), 'utf8')).toBe('not committed\n');
    expect(readdirSync(companion.paths.worktreesDir)).toEqual([]);
    expect(personGit(home.dir, folder, 'status', '--porcelain')).toBe('?? mine.txt\n');
  },
);

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { ProjectId } from '#protocol/ids.ts';
import { test, type Stage } from './stage.ts';

/** A project in a real folder, with a file in it, and a file beside it that a link leads to. */
const makeProject = async (stage: Stage): Promise<{ id: string; folder: string }> => {
  const parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'pf-open-')));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = path.join(parent, 'site');
  mkdirSync(path.join(folder, 'src'), { recursive: true });
  writeFileSync(path.join(folder, 'src', 'a.ts'), '');
  writeFileSync(path.join(parent, 'secret'), '');
  symlinkSync(path.join(parent, 'secret'), path.join(folder, 'link'));
  const saved = await stage.fetch('/agent/projects', { method: 'POST', body: { name: 'site', rootPath: folder } });
  return { id: ((await saved.json()) as { project: { id: string } }).project.id, folder };
};

const post = async (stage: Stage, pathname: string, body?: unknown): Promise<unknown> => {
  const response = await stage.fetch(pathname, { method: 'POST', body });
  return { status: response.status, body: await response.json() };
};

describe('what is opened for the person', () => {
  test('is a project, a session’s folder, or a file at its place', async ({ stage }) => {
    const { id, folder } = await makeProject(stage);
    const sessionId = stage.sessions.create({ projectId: ProjectId.parse(id) });

    expect(await post(stage, `/agent/projects/${id}/open`, { target: 'terminal' })).toEqual({ status: 200, body: { success: true } });
    await post(stage, `/agent/sessions/${sessionId}/open`, { target: 'vscode' });
    await post(stage, `/agent/projects/${id}/open-file`, { filePath: 'src/a.ts', line: 3, column: 5 });
    await post(stage, `/agent/projects/${id}/open-file`, { filePath: path.join(folder, 'src/a.ts') });

    const file = path.join(folder, 'src', 'a.ts');
    expect(stage.opened).toEqual([
      ['terminal', folder],
      ['editor', { file: folder }, folder],
      ['editor', { file, line: 3, column: 5 }, folder],
      ['editor', { file, line: undefined, column: undefined }, folder],
    ]);
  });

  test('is never outside the project, and nobody learns what is there', async ({ stage }) => {
    const { id } = await makeProject(stage);

    for (const filePath of ['../secret', '../nothing', '/etc/passwd', 'link', 'src', 'src/none', '.', '--wait', 'a\0b']) {
      const answer = await post(stage, `/agent/projects/${id}/open-file`, { filePath });
      expect(answer, filePath).toMatchObject({ status: 404, body: { code: 'FILE_NOT_FOUND' } });
    }
    expect(await post(stage, '/agent/projects/nowhere/open', { target: 'terminal' })).toMatchObject({ status: 404 });
    expect(await post(stage, `/agent/projects/${id}/open`, { target: 'sh' })).toMatchObject({ status: 400 });
    expect(stage.opened).toEqual([]);
  });

  test('may be a folder that is chosen in the dialog of the system', async ({ stage }) => {
    expect(await post(stage, '/agent/projects/pick-directory')).toEqual({
      status: 200,
      body: { success: true, path: '/home/somebody/chosen' },
    });
  });
});

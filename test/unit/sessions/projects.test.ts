import { existsSync, mkdirSync, realpathSync, renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { ProjectId } from '#protocol/ids.ts';
import type { Project } from '#protocol/api.ts';
import { codeOf, said, test, type Stage } from './stage.ts';

const addProject = (stage: Stage, name: string): Project => {
  const rootPath = path.join(stage.home, name);
  mkdirSync(rootPath, { recursive: true });
  const at = new Date().toISOString();
  const project = { id: ProjectId.parse(`project-${name}`), name, rootPath: realpathSync(rootPath), createdAt: at, updatedAt: at };
  stage.store.projects.save(project);
  return project;
};

describe('a session whose project was forgotten', () => {
  const forgotten = async (stage: Stage) => {
    const { id } = addProject(stage, 'shop');
    const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: id, engine: 'fake' });
    await stage.turn(sessionId, 'say hello');
    await stage.restart();
    stage.store.projects.remove(id);
    return sessionId;
  };

  test('stays readable', async ({ stage }) => {
    const sessionId = await forgotten(stage);

    const [summary] = stage.sessions.list();
    expect(summary).toMatchObject({ id: sessionId, projectId: 'project-shop', preview: 'hello' });
    expect(said(stage.sessions.view(sessionId))).toEqual(['hello']);
    expect(stage.events(sessionId).at(0)).toMatchObject({ type: 'session.created', projectId: 'project-shop' });
  });

  test('says at the next prompt that its project is to be chosen again', async ({ stage }) => {
    const sessionId = await forgotten(stage);

    const view = await stage.turn(sessionId, 'say again');

    expect(view.turns.at(-1)?.error).toMatchObject({ code: 'PROJECT_FORGOTTEN' });
    expect(view.turns.at(-1)?.error?.remedy).toContain('Choose a project for this session again');
    expect(said(view)).toEqual(['hello']);
  });

  test('goes on in the project that it is given', async ({ stage }) => {
    const sessionId = await forgotten(stage);
    const { id } = addProject(stage, 'shop-again');

    await stage.sessions.dispatch({ type: 'session.update', sessionId, projectId: id });
    const view = await stage.turn(sessionId, 'say again');

    expect(said(view)).toEqual(['hello', 'again']);
    expect(stage.sessions.list()[0]?.projectId).toBe(id);
    await stage.restart();
    expect(stage.sessions.list()[0]?.projectId).toBe(id);
  });
});

describe('a session whose folder goes while its agent is warm', () => {
  const begun = async (stage: Stage) => {
    const { id, rootPath } = addProject(stage, 'shop');
    const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: id, engine: 'fake' });
    await stage.turn(sessionId, 'say hello');
    const moved = `${rootPath}-moved`;
    return { id, sessionId, rootPath, moved };
  };
  const starts = (stage: Stage) => stage.trace().filter((line) => line.startsWith('start'));

  test('says so at the next prompt, and goes on with the same agent once it is back', async ({ stage }) => {
    const { sessionId, rootPath, moved } = await begun(stage);

    renameSync(rootPath, moved);
    const gone = await stage.turn(sessionId, 'write prices.txt low');
    renameSync(moved, rootPath);
    const back = await stage.turn(sessionId, 'say again');

    expect(gone.turns.at(-1)?.error).toMatchObject({ code: 'WORKSPACE_NOT_FOUND' });
    expect(existsSync(path.join(rootPath, 'prices.txt'))).toBe(false);
    expect(said(back)).toEqual(['hello', 'again']);
    expect(starts(stage)).toHaveLength(1);
  });

  test('has a new agent in another folder of that name', async ({ stage }) => {
    const { sessionId, rootPath, moved } = await begun(stage);

    renameSync(rootPath, moved);
    mkdirSync(rootPath);
    await stage.turn(sessionId, 'write prices.txt low');

    expect(existsSync(path.join(rootPath, 'prices.txt'))).toBe(true);
    expect(existsSync(path.join(moved, 'prices.txt'))).toBe(false);
    expect(starts(stage)).toHaveLength(2);
  });

  test('is not worked in once its project was forgotten', async ({ stage }) => {
    const { id, sessionId } = await begun(stage);

    stage.store.projects.remove(id);
    const view = await stage.turn(sessionId, 'say again');

    expect(view.turns.at(-1)?.error).toMatchObject({ code: 'PROJECT_FORGOTTEN' });
    expect(said(view)).toEqual(['hello']);
  });
});

test('a session counts what was said in it', async ({ stage }) => {
  const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: null, engine: 'fake' });
  expect(stage.sessions.summary(sessionId).messageCount).toBe(0);

  await stage.turn(sessionId, 'say hello');

  expect(stage.sessions.summary(sessionId).messageCount).toBe(stage.sessions.view(sessionId).items.length);
  expect(stage.sessions.summary(sessionId).messageCount).toBeGreaterThan(1);
});

test('a session is given no project that there is not', async ({ stage }) => {
  const sessionId = await stage.create();

  const moved = stage.sessions.dispatch({ type: 'session.update', sessionId, projectId: ProjectId.parse('nowhere') });

  expect(await codeOf(moved)).toBe('PROJECT_NOT_FOUND');
});

test('a session is given no other project while it works', async ({ stage }) => {
  const sessionId = await stage.create();
  const { id } = addProject(stage, 'shop');
  await stage.send(sessionId, 'slow');

  expect(await codeOf(stage.sessions.dispatch({ type: 'session.update', sessionId, projectId: id }))).toBe('SESSION_BUSY');
});

test('a session that was given another project gets a process in its folder', async ({ stage }) => {
  const sessionId = await stage.create();
  await stage.turn(sessionId, 'say hello');
  const { id } = addProject(stage, 'shop');

  await stage.sessions.dispatch({ type: 'session.update', sessionId, projectId: id });
  await stage.turn(sessionId, 'say again');

  expect(stage.trace().filter((line) => line.startsWith('start'))).toHaveLength(2);
});

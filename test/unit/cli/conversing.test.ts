/** Talking to sessions from scripts: sending without waiting, and answering what waits. */
import { describe, expect } from 'vitest';
import type { RequestBody } from '#protocol/requests.ts';
import { summary, test, type Stage } from './stage.ts';

const permission: RequestBody = {
  kind: 'permission',
  title: 'Run a command',
  detail: 'rm -rf \u001b[8mbuild',
  where: '/home/me/project',
  options: [
    { optionId: 'yes', label: 'Allow', kind: 'allow_once' },
    { optionId: 'always', label: 'Always', kind: 'allow_always' },
    { optionId: 'no', label: 'Deny', kind: 'reject' },
  ],
};

const wait = (stage: Stage, ...requests: RequestBody[]): void => {
  stage.sessions = [summary({ openRequests: requests.length })];
  stage.requests = requests.map((request, index) => ({ requestId: `r${index + 1}`, request }));
};

const answers = ({ calls }: Stage): unknown[] => calls.filter(([name]) => name === 'answer').map(([, ...rest]) => rest);

describe('send', () => {
  test('sends to a session and does not wait', async ({ stage }) => {
    stage.sessions = [summary({ name: 'Mine' })];

    expect(await stage.run('send', 'Mine', '--json', '--', 'go', 'on')).toBe(0);

    expect(stage.calls).toContainEqual(['startTurn', summary({}).id, 'go on']);
    expect(JSON.parse(stage.out)).toEqual({ sessionId: summary({}).id, turnId: expect.any(String) });
  });

  test('wants a prompt and a session that is there', async ({ stage }) => {
    stage.sessions = [summary({})];
    stage.stdin.end('');
    expect(await stage.run('send', summary({}).id)).toBe(2);
    expect(await stage.run('send', 'nosuch', '--', 'x')).toBe(2);
    expect(stage.err).toContain('`pilotfish sessions`');
  });
});

describe('approve', () => {
  test('lists what waits, with everything it would do and its answers', async ({ stage }) => {
    wait(stage, permission);

    expect(await stage.run('approve')).toBe(0);

    for (const part of ['r1', 'Run a command (/home/me/project)', 'rm -rf', 'yes  Allow', 'no  Deny']) expect(stage.out).toContain(part);
    expect(stage.out).not.toContain('\u001b');
    expect(answers(stage)).toEqual([]);
  });

  test.for([
    [[], { optionId: 'yes' }],
    [['--deny'], { optionId: 'no' }],
    [['--deny', '--reason', 'not now'], { optionId: 'no', text: 'not now' }],
    [['--option', 'always'], { optionId: 'always' }],
  ] as const)('answers with what was asked for: %j', async ([flags, answer], { stage }) => {
    wait(stage, permission);

    expect(await stage.run('approve', summary({}).id, ...flags, '--json')).toBe(0);

    expect(answers(stage)).toEqual([['r1', answer]]);
    expect(JSON.parse(stage.out)).toMatchObject({ requestId: 'r1', answer });
  });

  test('guesses nothing: which request, an answer it does not have, a question in words', async ({ stage }) => {
    wait(stage, permission, permission);
    expect(await stage.run('approve', summary({}).id)).toBe(2);
    expect(stage.err).toContain('r1, r2');
    expect(await stage.run('approve', summary({}).id, 'r2', '--option', 'nosuch')).toBe(2);
    expect(stage.err).toContain('yes (Allow)');
    expect(await stage.run('approve', '--deny')).toBe(2);

    const question = { question: 'Which colour?', options: [{ label: 'red' }], isMultiple: false, isOpen: false };
    wait(stage, { ...permission, kind: 'question', questions: [question] });
    expect(await stage.run('approve', summary({}).id)).toBe(2);
    expect(answers(stage)).toEqual([]);
    expect(await stage.run('approve', summary({}).id, '--deny')).toBe(0);

    wait(stage);
    expect(await stage.run('approve', summary({}).id)).toBe(1);
  });
});

describe('projects', () => {
  test('are told with their sessions, those that work, and when one last worked there', async ({ stage }) => {
    const [project] = stage.projects;
    if (project === undefined) throw new Error('the stage has a project');
    stage.projects = [{ ...project, lastActiveAt: '2026-03-04T05:06:07.000Z' }];
    stage.sessions = [
      summary({ projectId: project.id, messageCount: 38 }),
      summary({ projectId: project.id, status: 'running', messageCount: 2 }),
      summary({ projectId: null, messageCount: 5 }),
    ];

    expect(await stage.run('projects')).toBe(0);

    expect(stage.out).toContain('2 sessions · 40 messages · 1 working · last used ');
    stage.out = '';
    await stage.run('projects', '--json');
    expect(JSON.parse(stage.out)).toMatchObject({
      projects: [{ id: project.id, sessionCount: 2, messageCount: 40, lastActiveAt: '2026-03-04T05:06:07.000Z' }],
    });
  });

  test('are listed, added and forgotten', async ({ stage }) => {
    const [project] = stage.projects;
    if (project === undefined) throw new Error('the stage has a project');
    await stage.run('projects', '--json');
    expect(JSON.parse(stage.out)).toEqual({ projects: [{ ...project, sessionCount: 1, messageCount: 0 }] });

    await stage.run('projects', 'add', '/srv/other');
    expect(stage.calls).toContainEqual(['save', { name: 'other', rootPath: '/srv/other' }]);

    expect(await stage.run('projects', 'tools', project.rootPath, 'default,storage')).toBe(0);
    expect(stage.calls).toContainEqual([
      'save',
      { id: project.id, name: project.name, rootPath: project.rootPath, toolSets: ['default', 'storage'] },
    ]);
    expect(await stage.run('projects', 'tools', project.rootPath, 'cookies')).toBe(2);
    expect(stage.err).toContain('cookies is no set of tools; there are default, chrome');
    expect(await stage.run('projects', 'tools', project.rootPath)).toBe(2);

    expect(await stage.run('projects', 'rename', project.rootPath, 'Ours')).toBe(0);
    expect(stage.calls).toContainEqual(['save', { id: project.id, name: 'Ours', rootPath: project.rootPath }]);
    expect(await stage.run('projects', 'move', project.name, '/srv/moved')).toBe(0);
    expect(stage.calls).toContainEqual(['save', { id: project.id, name: project.name, rootPath: '/srv/moved' }]);
    expect(await stage.run('projects', 'rename', project.name)).toBe(2);
    expect(stage.err).toContain('needs a project and a name');

    expect(await stage.run('projects', 'remove', 'nosuch')).toBe(2);
    expect(await stage.run('projects', 'remove', project.rootPath)).toBe(0);
    expect(stage.projects).toEqual([]);
    expect(await stage.run('projects', 'forget')).toBe(2);
  });
});

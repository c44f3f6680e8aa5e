import { describe, expect, onTestFinished } from 'vitest';
import { UNKNOWN_PROCESS } from '#companion/lib/peer.ts';
import { overSocket, startStage, test } from './stage.ts';

const put = (body: unknown) => ({ method: 'PUT', body });

describe('what is set for an agent', () => {
  test('is read by the panel', async ({ stage }) => {
    const one = await stage.fetch('/api/engines/claude/settings');
    const all = await stage.fetch('/api/engines');

    expect(await one.json()).toMatchObject({ settings: { args: [] }, secrets: [{ name: 'ANTHROPIC_API_KEY', isSet: false }] });
    expect(await all.json()).toMatchObject({ engines: [{ engine: { name: 'claude' } }], warning: null });
  });

  test('the panel stores known keys, names an address and switches off', async ({ stage }) => {
    const answers = [
      await stage.fetch('/api/engines/claude/secrets/ANTHROPIC_API_KEY', put({ value: 'sk-1' })),
      await stage.fetch('/api/engines/claude/secrets/ANTHROPIC_API_KEY', put({ value: null })),
      await stage.fetch('/api/engines/claude/settings', put({ isDisabled: true, endpoint: 'http://127.0.0.1:8080/v1' })),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(stage.engineChanges).toHaveLength(3);
    expect(JSON.stringify(stage.logged)).not.toContain('sk-1');
    for (const answer of answers) expect(await answer.text()).not.toContain('sk-1');
  });

  test.for([
    { path: '/tmp/evil' },
    { path: null },
    { args: ['--evil'] },
    { env: { ANTHROPIC_BASE_URL: 'http://evil.example' } },
    { isDisabled: false, args: [] },
  ])('the panel cannot set what starts a program: %j', async (change, { stage }) => {
    const refused = await stage.fetch('/api/engines/claude/settings', put(change));

    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'FORBIDDEN', remedy: 'Run `pilotfish engine set claude` in a terminal.' });
    expect((await overSocket(stage.server.socket, '/api/engines/claude/settings', put(change))).status).toBe(200);
    expect(stage.engineChanges).toEqual([['change', 'claude', change]]);
  });

  test('the panel cannot make up a secret, which would be any variable', async ({ stage }) => {
    const refused = await stage.fetch('/api/engines/claude/secrets/NODE_OPTIONS', put({ value: '--require=/tmp/evil.js' }));

    expect(refused.status).toBe(403);
    expect(stage.engineChanges).toEqual([]);
  });

  test('an agent of the user’s own comes and goes by the private socket', async ({ stage }) => {
    const { socket } = stage.server;
    const body = { name: 'mine', command: 'my-agent', args: ['acp'] };

    expect((await stage.fetch('/api/engines', { method: 'POST', body })).status).toBe(403);
    expect((await stage.fetch('/api/engines/mine', { method: 'DELETE' })).status).toBe(403);
    expect((await overSocket(socket, '/api/engines', { method: 'POST', body })).status).toBe(201);
    expect((await overSocket(socket, '/api/engines/mine', { method: 'DELETE' })).status).toBe(204);
    expect(stage.engineChanges).toEqual([
      ['add', body],
      ['remove', 'mine'],
    ]);
  });

  test('the panel has a login run in a window, by the name of the agent alone; what runs there is told to a terminal, once', async ({
    stage,
  }) => {
    const { socket } = stage.server;
    const post = { method: 'POST' };

    const answers = [
      await stage.fetch('/api/engines/claude/login', post),
      await stage.fetch('/api/engines/nobody/login', post),
      await stage.fetch('/api/engines/claude/login', { ...post, body: { command: '/tmp/evil' } }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400]);
    expect(stage.opened).toEqual([['window', 'errand', expect.stringMatching(/^errand_[a-z2-7]{32}$/)]]);
    const id = String(stage.opened[0]?.[2]);
    expect((await stage.fetch(`/api/errands/${id}`, post)).status).toBe(403);
    const taken = await overSocket(socket, `/api/errands/${id}`, post);
    expect(taken.json).toMatchObject({ type: 'log_in', name: 'claude', command: '/bin/claude', args: ['login'] });
    expect((await overSocket(socket, `/api/errands/${id}`, post)).status).toBe(410);
  });

  test('no agent takes what a window was opened for, and none opens one', async ({ stage: own }) => {
    await own.fetch('/api/engines/claude/login', { method: 'POST' });
    const { stage, stop } = await startStage({ caller: () => ({ ...UNKNOWN_PROCESS, pid: 7, actsFor: 'agent' }) });
    onTestFinished(stop);

    for (const address of ['/api/engines/claude/login', '/api/errands/errand_x']) {
      const refused = await overSocket(stage.server.socket, address, { method: 'POST' });
      expect(refused.json, address).toMatchObject({ code: 'PERSON_ONLY' });
    }
    expect(stage.opened).toEqual([]);
  });

  test.for([
    ['settings', {}, 200],
    ['settings', { endpoint: 'file:///etc/passwd' }, 400],
    ['settings', { endpoint: 'javascript:1' }, 400],
    ['settings', { unknown: 1 }, 400],
    ['secrets/ANTHROPIC_API_KEY', { value: '' }, 400],
    ['secrets/ANTHROPIC_API_KEY', { value: 'a\nb' }, 400],
    ['secrets/ANTHROPIC_API_KEY', {}, 400],
  ] as const)('PUT %s %j is answered %i', async ([where, body, status], { stage }) => {
    expect((await stage.fetch(`/api/engines/claude/${where}`, put(body))).status).toBe(status);
  });
});

import { describe, expect } from 'vitest';
import { overSocket, test } from './stage.ts';

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

import { describe, expect, onTestFinished } from 'vitest';
import * as z from 'zod';
import { UNKNOWN_PROCESS } from '#companion/lib/peer.ts';
import { BrowserId } from '#protocol/ids.ts';
import { comer } from '#test/fixtures/admission.ts';
import { overSocket, startStage, test } from './stage.ts';

const put = (body: unknown) => ({ method: 'PUT', body });

const proposal = { change: { type: 'add', command: '/opt/agent', args: ['--acp'], env: { REGION: 'eu' } }, language: 'en' };
const Taken = z.object({ answerId: z.string() });

describe('what is set for an agent', () => {
  test('is read by the panel', async ({ stage }) => {
    const one = await stage.fetch('/api/engines/claude/settings');
    const all = await stage.fetch('/api/engines');

    expect(await one.json()).toMatchObject({ settings: { args: [] }, secrets: [{ name: 'ANTHROPIC_API_KEY', isSet: false }] });
    expect(await all.json()).toMatchObject({ engines: [{ engine: { name: 'claude' } }], warning: null, told: [] });
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

  test('the panel proposes what starts a program, and a terminal alone is told of it and answers, once', async ({ stage }) => {
    const { socket } = stage.server;
    const ask = { method: 'POST', body: proposal };

    const proposed = stage.fetch('/api/engines/mine/proposals', ask);
    await expect.poll(() => stage.opened).toHaveLength(1);
    const id = String(stage.opened[0]?.[2]);
    expect(stage.engineChanges).toEqual([]);
    const second = await stage.fetch('/api/engines/other/proposals', ask);
    expect([second.status, await second.json()]).toEqual([409, expect.objectContaining({ code: 'PROPOSAL_OPEN' })]);
    expect((await stage.fetch(`/api/errands/${id}`, { method: 'POST' })).status).toBe(403);
    const { answerId } = Taken.parse((await overSocket(socket, `/api/errands/${id}`, { method: 'POST' })).json);
    const yes = { method: 'POST', body: { isAllowed: true } };
    expect((await stage.fetch(`/api/proposals/${answerId}`, yes)).status).toBe(403);
    expect((await stage.fetch(`/api/proposals/${answerId}`)).status).toBe(403);
    // What stands in the window's arguments answers nothing.
    expect((await overSocket(socket, `/api/proposals/${id}`, yes)).status).toBe(410);
    expect(stage.engineChanges).toEqual([]);
    expect((await overSocket(socket, `/api/proposals/${answerId}`, yes)).status).toBe(204);

    expect(await (await proposed).json()).toEqual({ outcome: 'done' });
    expect((await overSocket(socket, `/api/proposals/${answerId}`, yes)).status).toBe(410);
    expect(stage.engineChanges).toEqual([
      ['add', { name: 'mine', command: '/opt/agent', args: ['--acp'] }],
      ['change', 'mine', { env: { REGION: 'eu' } }],
    ]);
    expect(JSON.stringify([stage.logged, stage.audited])).not.toContain('--acp');
  });

  test('a panel that cancels leaves no proposal, and its window is told nothing', async ({ stage }) => {
    const { socket } = stage.server;
    const gone = new AbortController();

    const proposed = stage.fetch('/api/engines/mine/proposals', { method: 'POST', body: proposal, signal: gone.signal });
    await expect.poll(() => stage.opened).toHaveLength(1);
    gone.abort();
    await expect(proposed).rejects.toThrow();

    const address = `/api/errands/${String(stage.opened[0]?.[2])}`;
    await expect.poll(async () => (await overSocket(socket, '/api/proposals/answer_x', { method: 'GET' })).status).toBe(410);
    expect((await overSocket(socket, address, { method: 'POST' })).status).toBe(410);
    expect(stage.engineChanges).toEqual([]);
  });

  test.for([
    { change: { type: 'add', command: './agent', args: [], env: {} }, language: 'en' },
    { change: { type: 'add', command: 'agent', args: ['x'.repeat(10_000)], env: {} }, language: 'en' },
    { change: { type: 'change', env: { ANTHROPIC_API_KEY: 'sk-1' } }, language: 'en' },
    { change: { type: 'remove' }, language: 'en', isAllowed: true },
    { change: { type: 'remove' } },
  ])('no window opens for %j', async (body, { stage }) => {
    expect((await stage.fetch('/api/engines/mine/proposals', { method: 'POST', body })).status).toBe(400);
    expect(stage.opened).toEqual([]);
  });

  test('a panel that the person has not let in proposes nothing', async ({ stage }) => {
    const admissionId = stage.admissions.meet(comer('newcomer')).id;
    const token = stage.tokens.issue({ type: 'panel', browserId: BrowserId.parse('browser_2'), admissionId });

    const refused = await stage.fetch('/api/engines/mine/proposals', { method: 'POST', body: proposal, token });

    expect(await refused.json()).toMatchObject({ code: 'BROWSER_NOT_ALLOWED' });
    expect(stage.opened).toEqual([]);
  });

  test('no agent takes what a window was opened for, and none opens one', async ({ stage: own }) => {
    await own.fetch('/api/engines/claude/login', { method: 'POST' });
    const { stage, stop } = await startStage({ caller: () => ({ ...UNKNOWN_PROCESS, pid: 7, actsFor: 'agent' }) });
    onTestFinished(stop);

    const attempts = [
      ['POST', '/api/engines/claude/login'],
      ['POST', '/api/errands/errand_x'],
      ['POST', '/api/engines/mine/proposals', proposal],
      ['POST', '/api/proposals/answer_x', { isAllowed: true }],
      ['GET', '/api/proposals/answer_x'],
    ] as const;
    for (const [method, address, body] of attempts) {
      const refused = await overSocket(stage.server.socket, address, { method, ...(body === undefined ? {} : { body }) });
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

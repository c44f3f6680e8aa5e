import { describe, expect, test as base } from 'vitest';
import type { RequestBody } from '#protocol/requests.ts';
import { Clients } from '#companion/mcp/clients.ts';
import { Consent } from '#companion/mcp/consent.ts';
import { admission, comer, createAdmissions } from '#test/fixtures/admission.ts';
import { createSessionsDouble } from '#test/unit/server/room-doubles.ts';

const asking = { tool: 'browser_snapshot', args: [], agentItemId: undefined };
const editor = comer('editor', {
  kind: 'client',
  name: 'Editor',
  program: '/opt/editor',
  pid: 77,
  folder: '/home/me/shop',
  origin: 'program',
});

const createStage = () => {
  const { admissions } = createAdmissions();
  const sessions = createSessionsDouble();
  const clients = new Clients(admissions, sessions, new Consent(sessions), (engine) => (engine === 'claude' ? 'Claude Code' : engine));
  /** The questions that are open or were, and how each is answered. */
  const asked: { request: RequestBody; signal: AbortSignal; answer: (optionId: string | null) => void }[] = [];
  sessions.onAsk((request, signal) => {
    const { promise, resolve } = Promise.withResolvers<{ optionId: string } | null>();
    signal.addEventListener('abort', () => resolve(null));
    asked.push({ request, signal, answer: (optionId) => resolve(optionId === null ? null : { optionId }) });
    return promise;
  });
  const open = () => sessions.create({ kind: 'client' });
  const admit = (sessionId = open(), who = editor, signal = new AbortController().signal) =>
    clients.admit({ sessionId, name: 'browser_snapshot', comer: () => who, asking, signal }, () => {});
  return { admissions, sessions, asked, open, admit };
};

const test = base.extend<{ stage: ReturnType<typeof createStage> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => use(createStage()),
});

describe('a program from outside', () => {
  test('is asked for once, with what the system says of it and what it says itself, and never again', async ({ stage }) => {
    const first = stage.admit();
    await expect.poll(() => stage.asked).toHaveLength(1);
    stage.asked[0]?.answer('allow');

    expect(await first).toEqual({ id: 'editor', name: 'Editor' });
    expect(await stage.admit()).toEqual({ id: 'editor', name: 'Editor' });
    expect(stage.asked.map(({ request }) => request)).toMatchObject([{ kind: 'consent', where: '/opt/editor' }]);
    expect(stage.asked[0]?.request.detail?.split('\n').slice(0, 4)).toEqual([
      'Program: /opt/editor',
      'Process: 77',
      'Working folder: /home/me/shop',
      'It calls itself: Editor (its own word, not checked)',
    ]);
  });

  test('is one question in all its sessions, which goes on when the first of them hangs up', async ({ stage }) => {
    const hangUp = new AbortController();
    const first = stage.admit(stage.open(), editor, hangUp.signal);
    const others = [stage.admit(), stage.admit()];
    await expect.poll(() => stage.asked).toHaveLength(1);

    hangUp.abort();
    await expect(first).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    await expect.poll(() => stage.asked).toHaveLength(2);
    stage.asked[1]?.answer('allow');

    expect(await Promise.all(others)).toEqual([
      { id: 'editor', name: 'Editor' },
      { id: 'editor', name: 'Editor' },
    ]);
    expect(stage.asked).toHaveLength(2);
  });

  test('that is turned away is told what to do, and not asked for again', async ({ stage }) => {
    const first = stage.admit();
    await expect.poll(() => stage.asked).toHaveLength(1);
    stage.asked[0]?.answer('reject');

    await expect(first).rejects.toMatchObject({ code: 'CLIENT_NOT_ALLOWED', remedy: expect.stringContaining('pilotfish clients') });
    await expect(stage.admit()).rejects.toMatchObject({ code: 'CLIENT_NOT_ALLOWED' });
    expect(stage.asked).toHaveLength(1);
  });

  test('may be let in by another way, and the question is withdrawn', async ({ stage }) => {
    const call = stage.admit();
    await expect.poll(() => stage.asked).toHaveLength(1);

    stage.admissions.decide('editor', true);

    expect(await call).toEqual({ id: 'editor', name: 'Editor' });
    expect(stage.asked[0]?.signal.aborted).toBe(true);
  });

  test('that hangs up, or whose question is withdrawn, has decided nothing', async ({ stage }) => {
    const call = stage.admit();
    await expect.poll(() => stage.asked).toHaveLength(1);
    stage.asked[0]?.answer(null);

    await expect(call).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    expect(stage.admissions.find('editor')?.state).toBe('waiting');
  });

  test('whose system tells nothing of it is shown as that, and one that an agent has started with a warning', async ({ stage }) => {
    void stage.admit(stage.open(), comer('x', { ...editor, id: 'x', program: null, pid: null, folder: null, origin: 'unknown' }));
    void stage.admit(stage.open(), comer('y', { ...editor, id: 'y', origin: 'agent' }));
    await expect.poll(() => stage.asked).toHaveLength(2);

    expect(stage.asked[0]?.request.detail).toContain('Program: this system does not tell');
    expect(stage.asked[1]?.request.detail).toContain('Careful: an agent of Pilotfish has started it');
    for (const { answer } of stage.asked) answer('allow');
  });
});

describe('an agent of Pilotfish', () => {
  test('is no program from outside: it is known by its engine', async ({ stage }) => {
    expect(await stage.admit(stage.sessions.create({ kind: 'agent' }))).toEqual({ id: 'agent claude', name: 'Claude Code' });
    expect(stage.admissions.list()).toEqual([]);
    expect(admission('a').kind).toBe('browser');
  });
});

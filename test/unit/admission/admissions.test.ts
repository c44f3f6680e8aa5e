import { describe, expect, it } from 'vitest';
import { isAskedInOwnPanel } from '#protocol/admission.ts';
import { toBrowserComer, toClientComer } from '#companion/admission/comer.ts';
import type { Caller } from '#companion/lib/peer.ts';
import { UNKNOWN_PROCESS } from '#companion/lib/peer.ts';
import { admission, comer, createAdmissions } from '#test/fixtures/admission.ts';
import { hidden, hostileNames } from '#test/fixtures/hostile-names.ts';

const OURS = '/opt/pilotfish';
const facts = { ownProgram: OURS, isBrowser: (program: string) => program === '/usr/lib/chromium/chromium' };
const chromium = { pid: 40, program: '/usr/lib/chromium/chromium', folder: '/home/me' };
const host: Caller = { ...UNKNOWN_PROCESS, pid: 41, uid: 1000, program: OURS, folder: '/home/me', parent: chromium, actsFor: 'person' };
const profile = { browserId: 'browser_1', label: 'Chromium ab12' };

describe('who comes over the link', () => {
  it('is an installed browser when one has started our host, and is shown with its own program and process', () => {
    const found = toBrowserComer(profile, host, facts);

    expect(found).toMatchObject({ kind: 'browser', name: 'Chromium ab12', origin: 'browser', ...chromium });
    expect(isAskedInOwnPanel({ ...admission('a'), ...found, state: 'waiting' })).toBe(true);
  });

  it.each([
    ['our host, started by another program', { parent: { ...chromium, program: '/home/me/chromium' } }],
    ['our host, started by a process that has ended', { parent: null }],
    ['another program', { program: '/usr/bin/node' }],
    ['a browser that speaks for itself', chromium],
  ])('is a program when it is %s', (_, other) => {
    const found = toBrowserComer(profile, { ...host, ...other }, facts);

    expect(found.origin).toBe('program');
    expect(found.id).not.toBe(toBrowserComer(profile, host, facts).id);
    expect(isAskedInOwnPanel({ ...admission('a'), ...found, state: 'waiting' })).toBe(false);
  });

  it('is not known where the system does not tell, and is said to be so', () => {
    expect(toBrowserComer(profile, null, facts)).toMatchObject({ origin: 'unknown', program: null, pid: null });
  });

  it('is another one for each profile and each program', () => {
    const ids = [
      toBrowserComer(profile, host, facts),
      toBrowserComer({ ...profile, browserId: 'browser_2' }, host, facts),
      toBrowserComer(profile, { ...host, program: '/usr/bin/node' }, facts),
      toClientComer('browser_1', host, facts),
    ].map(({ id }) => id);

    expect(new Set(ids).size).toBe(4);
    expect(toBrowserComer({ ...profile, label: 'Work' }, { ...host, parent: { ...chromium, pid: 99 } }, facts).id).toBe(ids[0]);
  });
});

describe('an MCP client from outside', () => {
  it('is the program that has started `pilotfish mcp`, by the name it gives itself', () => {
    const editor = { pid: 7, program: '/opt/editor', folder: '/home/me/project' };

    expect(toClientComer('Editor', { ...host, parent: editor }, facts)).toMatchObject({
      kind: 'client',
      name: 'Editor',
      origin: 'program',
      ...editor,
    });
  });

  it('that an agent of Pilotfish has started is never the same as the one that the person has started', () => {
    const [own, agents] = [host, { ...host, actsFor: 'agent' as const }].map((caller) => toClientComer('Editor', caller, facts));

    expect(agents?.origin).toBe('agent');
    expect(agents?.id).not.toBe(own?.id);
  });
});

describe('a name that nobody has checked', () => {
  it.each(hostileNames.map((name) => [name.slice(0, 20), name]))('%j is shown as one short line in which nothing is hidden', (_, name) => {
    const browser = toBrowserComer({ ...profile, label: name }, host, facts);
    const client = toClientComer(name, host, facts);

    for (const comer of [browser, client]) {
      expect(comer.name).not.toMatch(hidden);
      expect(comer.name.length).toBeLessThanOrEqual(200);
      expect(comer.id).toMatch(/^[\da-f]{32}$/);
    }
    expect(client.name === '').toBe(name === '');
  });

  it('makes as many programs as there are names, however alike they look', () => {
    const names = [...hostileNames, 'Claude', 'Сlaude', 'Claude\u200b', 'Claude '];

    expect(new Set(names.map((name) => toClientComer(name, host, facts).id)).size).toBe(names.length);
  });

  it('is kept as it is shown, whoever brings it', () => {
    const { admissions } = createAdmissions();
    const id = 'a'.repeat(32);

    admissions.pair({ fingerprint: id, key: 'k', name: 'Laptop\n\u202ex', host: 'a.example' });

    expect(admissions.find(id)?.name).toBe('Laptop⟨U+000A⟩⟨U+202E⟩x');
  });
});

describe('admissions', () => {
  it('let nobody in before the person does, and keep the answer', () => {
    const { admissions, audited } = createAdmissions();
    expect(admissions.meet(comer('a')).state).toBe('waiting');
    expect(admissions.isAllowed('a')).toBe(false);

    admissions.decide('a', true);

    expect(admissions.isAllowed('a')).toBe(true);
    expect(admissions.meet(comer('a', { pid: 5 }))).toMatchObject({ state: 'allowed', pid: 5 });
    expect(audited).toEqual([expect.objectContaining({ kind: 'grant', by: 'the person', result: 'a let in' })]);
  });

  it('are as they were after a restart', () => {
    const { admissions } = createAdmissions({ a: admission('a'), b: admission('b', { state: 'denied' }) });

    expect(admissions.meet(comer('a')).state).toBe('allowed');
    expect(admissions.meet(comer('b')).state).toBe('denied');
  });

  it('are taken back: who comes again waits again, and whoever watches is told', () => {
    const { admissions, audited } = createAdmissions({ a: admission('a') });
    const told: [string, boolean][] = [];
    admissions.subscribe((...change) => told.push(change));

    admissions.remove('a');

    expect(admissions.meet(comer('a')).state).toBe('waiting');
    expect(told).toEqual([
      ['a', true],
      ['a', false],
    ]);
    expect(audited.map(({ result }) => result)).toEqual(['a forgotten']);
  });

  it('end when who was let in has not come for 90 days, and not before', () => {
    const day = 24 * 3_600_000;
    let now = 0;
    const paired = { name: 'Afar', fingerprint: 'paired', key: 'key', host: 'afar.example' };
    const { admissions, audited } = createAdmissions({}, () => now);
    const states = (): string[] => ['editor', 'browser'].map((id) => admissions.meet(comer(id)).state);
    states();
    for (const id of ['editor', 'browser']) admissions.decide(id, true);
    admissions.pair(paired);
    for (const at of [80, 160]) {
      now = at * day;
      expect(states()).toEqual(['allowed', 'allowed']);
      expect(admissions.findKey('paired')?.key).toBe('key');
    }
    admissions.meet(comer('turned away'));
    admissions.decide('turned away', false);

    now = 251 * day;

    expect(states()).toEqual(['waiting', 'waiting']);
    expect(admissions.findKey('paired')).toBeNull();
    expect(admissions.meet(comer('turned away')).state).toBe('denied');
    expect(audited.filter(({ by }) => by === 'Pilotfish').map(({ result }) => result)).toEqual(
      ['editor', 'browser', 'paired'].map((id) => `${id} not used for 90 days, and forgotten`),
    );
  });

  it('that were given or used by a clock that was wrong end 90 days after it was set right', () => {
    const day = 24 * 3_600_000;
    const ahead = 30_000 * day;
    let stored = { given: admission('given', { since: ahead }), used: admission('used', { usedAt: ahead }) };
    const start = (now: number) => {
      const { admissions, kept } = createAdmissions(stored, () => now);
      return {
        states: () => ['given', 'used'].map((id) => admissions.meet(comer(id)).state),
        end: () => (stored = kept() as typeof stored),
      };
    };

    start(100 * day).end();
    start(150 * day).end();

    expect(start(189 * day).states()).toEqual(['allowed', 'allowed']);
    expect(start(191 * day).states()).toEqual(['waiting', 'waiting']);
  });

  it('that could not be written do not count', () => {
    const { admissions, fail } = createAdmissions();
    admissions.meet(comer('a'));
    fail();

    expect(() => admissions.decide('a', true)).toThrow('No space');
    expect(admissions.isAllowed('a')).toBe(false);
  });

  it('are bounded while they wait, and nothing is decided about who has not come', () => {
    const { admissions } = createAdmissions({ own: admission('own') });
    for (let index = 0; index < 1_000; index += 1) admissions.meet(comer(`flood ${index}`));

    expect(admissions.list()).toHaveLength(51);
    expect(admissions.isAllowed('own')).toBe(true);
    expect(() => admissions.decide('flood 0', true)).toThrow(expect.objectContaining({ code: 'ADMISSION_UNKNOWN' }));
  });
});

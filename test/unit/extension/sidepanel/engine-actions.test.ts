import { describe, expect, test as base } from 'vitest';
import { EngineActions } from '#extension/sidepanel/engine-actions.ts';
import { Store } from '#extension/sidepanel/state.ts';
import { callerOf } from '#extension/shared/wire.ts';
import { CompanionError } from '#protocol/errors.ts';
import { sampleEngine } from '#test/fixtures/samples.ts';
import { admission } from '#test/fixtures/admission.ts';
import { startDaemonDouble, type DaemonDouble } from './daemon-double.ts';

interface Stage {
  readonly double: DaemonDouble;
  readonly store: Store;
  readonly actions: EngineActions;
  readonly checked: string[];
}

const test = base.extend<{ stage: Stage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => {
    await using double = await startDaemonDouble();
    const store = new Store();
    const checked: string[] = [];
    const { port, token } = double;
    const call = callerOf(() => ({ port, token }));
    const actions = new EngineActions({ store, call, check: async (name) => void checked.push(name) });
    await use({ double, store, actions, checked });
  },
});

const bodies = ({ double }: Stage): unknown[] =>
  double.received.filter(({ method }) => method === 'PUT').map(({ url, body }) => [url, body]);

describe('the screen of the agents', () => {
  test('opens with what is set', async ({ stage }) => {
    await stage.actions.openEngineSetups();

    expect(stage.store.state.engineSetups?.engines.map(({ engine }) => engine.name)).toEqual(['claude']);
  });

  test('a key goes to the daemon, nowhere else, and the agent is checked with it', async ({ stage }) => {
    await stage.actions.openEngineSetups();
    stage.double.setups = stage.double.setups.map((setup) => ({
      ...(setup as object),
      secrets: [{ name: 'ANTHROPIC_API_KEY', isSet: true, place: 'keychain' }],
    }));

    await stage.actions.storeSecret('claude', 'ANTHROPIC_API_KEY', 'sk-1');

    expect(bodies(stage)).toEqual([['/api/engines/claude/secrets/ANTHROPIC_API_KEY', { value: 'sk-1' }]]);
    expect(stage.store.state.engineSetups?.engines[0]?.secrets[0]?.isSet).toBe(true);
    expect(JSON.stringify(stage.store.state)).not.toContain('sk-1');
    expect(stage.checked).toEqual(['claude']);
  });

  test('a login is opened by the name of the agent, and is over when a later look finds the agent ready', async ({ stage }) => {
    const seen: boolean[] = [];
    const known = { ...sampleEngine({ name: 'claude', status: 'ready' }), checkedAt: 1 };
    stage.store.set({ engines: [known] });
    const open = new AbortController();
    const isIn = stage.actions.whenReady('claude', open.signal).then((is) => seen.push(is));

    await stage.actions.logIn('claude');
    stage.store.set({ engines: [{ ...known }] });
    stage.store.set({ engines: [{ ...known, status: 'not_logged_in', checkedAt: 2 }] });
    await new Promise(setImmediate);
    const early = [...seen];
    stage.store.set({ engines: [{ ...known, checkedAt: 3 }] });
    await isIn;

    expect([early, seen]).toEqual([[], [true]]);
    expect(stage.double.received.filter(({ method }) => method === 'POST').map(({ url, body }) => [url, body])).toEqual([
      ['/api/engines/claude/login', null],
    ]);
  });

  test('a login without a window is refused with its reason, and one that nobody waits for any more is let go', async ({ stage }) => {
    stage.double.refusals.push({ status: 501, code: 'DESKTOP_FAILED' });
    const open = new AbortController();
    const isIn = stage.actions.whenReady('claude', open.signal);
    open.abort();

    await expect(stage.actions.logIn('claude')).rejects.toMatchObject({ code: 'DESKTOP_FAILED' });
    expect(await isIn).toBe(false);
  });

  test('an agent that is switched off is not checked, and leaves the list', async ({ stage }) => {
    await stage.actions.openEngineSetups();
    stage.double.setups = stage.double.setups.map((setup) => ({ ...(setup as object), isDisabled: true }));
    stage.double.engines = [];

    await stage.actions.changeEngine('claude', { isDisabled: true });

    expect(stage.checked).toEqual([]);
    expect(stage.store.state.engines).toEqual([]);
  });

  test('what is refused is told to the form', async ({ stage }) => {
    stage.double.refusals.push({ status: 400, code: 'INPUT_INVALID' });

    await expect(stage.actions.changeEngine('claude', { endpoint: 'x' })).rejects.toThrow(CompanionError);

    expect(stage.checked).toEqual([]);
    expect(stage.store.state.failure).toBeNull();
  });

  test('shows the trusted projects, and takes one back', async ({ stage }) => {
    const [one, other] = ['/home/me/one', '/home/me/a & b'].map((path) => ({ path, trustedAt: '', files: ['.mcp.json'] }));
    if (one === undefined || other === undefined) throw new Error('there are two');
    stage.double.trusted = [one, other];

    await stage.actions.openEngineSetups();
    const shown = stage.store.state.trustedProjects;
    await stage.actions.revokeTrust(other.path);

    expect(shown).toEqual([one, other]);
    expect(stage.store.state.trustedProjects).toEqual([one]);
    expect(stage.double.trusted).toEqual([one]);
  });

  test('shows who has come from outside, lets one in and takes one back', async ({ stage }) => {
    stage.double.admissions = [admission('b1', { state: 'waiting', origin: 'program' }), admission('c1', { kind: 'client' })];

    await stage.actions.openEngineSetups();
    const shown = stage.store.state.admissions.map(({ id, state }) => `${id} ${state}`);
    await stage.actions.allowAdmission('b1');
    await stage.actions.forgetAdmission('c1');

    expect(shown).toEqual(['b1 waiting', 'c1 allowed']);
    expect(stage.store.state.admissions.map(({ id, state }) => `${id} ${state}`)).toEqual(['b1 allowed']);
  });

  test('that it cannot be opened is said', async ({ stage }) => {
    stage.double.token = 'another';

    await stage.actions.openEngineSetups();

    expect(stage.store.state).toMatchObject({ engineSetups: null, failure: { code: 'UNAUTHORIZED' } });
  });
});

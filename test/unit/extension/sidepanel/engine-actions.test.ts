import { describe, expect, test as base } from 'vitest';
import { createEngineActions, type EngineActions } from '#extension/sidepanel/engine-actions.ts';
import { createApi } from '#extension/sidepanel/api.ts';
import { createStore, type Store } from '#extension/sidepanel/state.ts';
import { CompanionError } from '#protocol/errors.ts';
import { startStandIn, type StandIn } from './stand-in.ts';

interface World {
  readonly standIn: StandIn;
  readonly store: Store;
  readonly actions: EngineActions;
  readonly checked: string[];
}

const test = base.extend<{ world: World }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  world: async ({}, use) => {
    await using standIn = await startStandIn();
    const store = createStore();
    const checked: string[] = [];
    const { port, token } = standIn;
    const api = createApi(() => ({ port, token }));
    const actions = createEngineActions({ store, api, check: async (name) => void checked.push(name) });
    await use({ standIn, store, actions, checked });
  },
});

const bodies = ({ standIn }: World): unknown[] =>
  standIn.received.filter(({ method }) => method === 'PUT').map(({ url, body }) => [url, body]);

describe('the screen of the agents', () => {
  test('opens with what is set, and closes', async ({ world }) => {
    await world.actions.openEngineSetups();
    const { engineSetups } = world.store.state;
    world.actions.closeEngineSetups();

    expect(engineSetups?.engines.map(({ engine }) => engine.name)).toEqual(['claude']);
    expect(world.store.state.engineSetups).toBeNull();
  });

  test('a key goes to the daemon, nowhere else, and the agent is checked with it', async ({ world }) => {
    await world.actions.openEngineSetups();
    world.standIn.setups = world.standIn.setups.map((setup) => ({
      ...(setup as object),
      secrets: [{ name: 'ANTHROPIC_API_KEY', isSet: true, place: 'keychain' }],
    }));

    await world.actions.storeSecret('claude', 'ANTHROPIC_API_KEY', 'sk-1');

    expect(bodies(world)).toEqual([['/api/engines/claude/secrets/ANTHROPIC_API_KEY', { value: 'sk-1' }]]);
    expect(world.store.state.engineSetups?.engines[0]?.secrets[0]?.isSet).toBe(true);
    expect(JSON.stringify(world.store.state)).not.toContain('sk-1');
    expect(world.checked).toEqual(['claude']);
  });

  test('an agent that is switched off is not checked, and leaves the list', async ({ world }) => {
    await world.actions.openEngineSetups();
    world.standIn.setups = world.standIn.setups.map((setup) => ({ ...(setup as object), isDisabled: true }));
    world.standIn.engines = [];

    await world.actions.changeEngine('claude', { isDisabled: true });

    expect(world.checked).toEqual([]);
    expect(world.store.state.engines).toEqual([]);
  });

  test('what is refused is told to the form', async ({ world }) => {
    world.standIn.refusals.push({ status: 400, code: 'INPUT_INVALID' });

    await expect(world.actions.changeEngine('claude', { endpoint: 'x' })).rejects.toThrow(CompanionError);

    expect(world.checked).toEqual([]);
    expect(world.store.state.failure).toBeNull();
  });

  test('shows the trusted projects, and takes one back', async ({ world }) => {
    const [one, other] = ['/home/me/one', '/home/me/a & b'].map((path) => ({ path, trustedAt: '', files: ['.mcp.json'] }));
    if (one === undefined || other === undefined) throw new Error('there are two');
    world.standIn.trusted = [one, other];

    await world.actions.openEngineSetups();
    const shown = world.store.state.trustedProjects;
    await world.actions.revokeTrust(other.path);

    expect(shown).toEqual([one, other]);
    expect(world.store.state.trustedProjects).toEqual([one]);
    expect(world.standIn.trusted).toEqual([one]);
  });

  test('that it cannot be opened is said', async ({ world }) => {
    world.standIn.token = 'another';

    await world.actions.openEngineSetups();

    expect(world.store.state).toMatchObject({ engineSetups: null, failure: { code: 'UNAUTHORIZED' } });
  });
});

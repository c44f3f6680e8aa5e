import { describe, expect, test } from 'vitest';
import type { Route } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import type { Call } from '#extension/shared/wire.ts';
import { walkChain, type Chain, type Hop } from '#extension/options/live-check.ts';
import { sampleEngine } from '#test/fixtures/samples.ts';

const connected: ConnectionState = { state: 'connected', port: 1, token: 't', companionVersion: '0.1.0' };
const hostMissing: ConnectionState = { state: 'host_missing', attempt: 1, error: new CompanionError('DAEMON_START_FAILED').toBody() };
const claude = sampleEngine();
const codex = sampleEngine({ name: 'codex', label: 'Codex' });
const absent = sampleEngine({ name: 'gemini', label: 'Gemini CLI', status: 'not_installed' });

/** Walks with a worker that says each of these in turn, and a daemon that answers so; what is no answer is thrown. */
const walk = async (answers: ReadonlyMap<Route, (body: unknown) => unknown>, ...said: (ConnectionState | Error)[]) => {
  const left = [...said];
  let hops: readonly Hop[] = [];
  let clock = 0;
  const call = (async (route: Route, sent: { body?: unknown }) => {
    clock += 5;
    const answer = answers.get(route)?.(sent.body);
    if (answer === undefined || answer instanceof Error) throw answer ?? new CompanionError('ROUTE_NOT_FOUND');
    return answer;
  }) as unknown as Call;
  const chain: Chain = {
    call,
    askWorker: async () => {
      const state = left.length > 1 ? left.shift() : left[0];
      if (state === undefined || state instanceof Error) throw state ?? new Error('nothing');
      return state;
    },
    onHops: (next) => (hops = next),
    now: () => (clock += 1),
    pause: async () => void (clock += 1_000),
  };
  const isGood = await walkChain(chain);
  return { isGood, states: hops.map(({ id, label, state }) => `${label ?? id} ${state}`), hops };
};

const good = new Map<Route, (body: unknown) => unknown>([
  [routes.listEngines, () => ({ engines: [claude, codex, absent] })],
  [routes.refreshEngines, () => ({ engines: [claude, codex, absent] })],
  [
    routes.checkBrowser,
    () => ({
      hops: [
        { hop: 'link', ms: 3, error: null },
        { hop: 'tool', ms: 8, error: null },
      ],
    }),
  ],
]);

describe('the live check', () => {
  test('goes every hop, those of the agents that are ready too, each with its time', async () => {
    const { isGood, states, hops } = await walk(good, connected);

    expect(isGood).toBe(true);
    expect(states).toEqual(['extension ok', 'host ok', 'daemon ok', 'Claude Code ok', 'Codex ok', 'tool ok']);
    expect(hops.every(({ ms }) => ms !== undefined && ms > 0)).toBe(true);
  });

  test('a worker that does not answer is reloaded, and nothing behind it is looked at', async () => {
    const { isGood, states, hops } = await walk(good, new Error('silent'));

    expect(isGood).toBe(false);
    expect(states).toEqual(['extension failed', 'host waiting', 'daemon waiting', 'tool waiting']);
    expect(hops[0]).toMatchObject({ mend: 'reload', error: { remedy: 'Reload the extension.' } });
  });

  test('a host that the browser does not know is told at once, with what mends it', async () => {
    const { states, hops } = await walk(good, hostMissing);

    expect(states).toEqual(['extension ok', 'host failed', 'daemon waiting', 'tool waiting']);
    expect(hops[1]).toMatchObject({ mend: 'connect', error: { code: 'DAEMON_START_FAILED' } });
  });

  test('a connection that is just being made is awaited, and given up when it does not come', async () => {
    const late = await walk(good, { state: 'starting' }, { state: 'resting' }, connected);
    const never = await walk(good, { state: 'starting' });

    expect(late.isGood).toBe(true);
    expect(never.hops[1]).toMatchObject({ state: 'failed', error: { code: 'DAEMON_NOT_RUNNING' } });
  });

  test('a daemon that does not answer ends it', async () => {
    const { states, hops } = await walk(new Map(), connected);

    expect(states).toEqual(['extension ok', 'host ok', 'daemon failed', 'tool waiting']);
    expect(hops[2]?.mend).toBe('connect');
  });

  test('an agent that was ready and is no more says what mends it, and the others are checked all the same', async () => {
    const loggedOut = {
      ...claude,
      status: 'not_logged_in',
      fix: 'claude /login',
      error: new CompanionError('ENGINE_NOT_LOGGED_IN').toBody(),
    };
    const { isGood, states, hops } = await walk(
      new Map([...good, [routes.refreshEngines, () => ({ engines: [loggedOut, codex] })]]),
      connected,
    );

    expect(isGood).toBe(false);
    expect(states).toEqual(['extension ok', 'host ok', 'daemon ok', 'Claude Code failed', 'Codex ok', 'tool ok']);
    expect(hops[3]).toMatchObject({ fix: 'claude /login', mend: 'agents', error: { code: 'ENGINE_NOT_LOGGED_IN' } });
  });

  test('agents that a new daemon has not looked for are looked for first', async () => {
    const unchecked = { ...claude, status: 'unchecked' };
    const { states } = await walk(new Map([...good, [routes.listEngines, () => ({ engines: [unchecked, absent] })]]), connected);

    expect(states).toEqual(['extension ok', 'host ok', 'daemon ok', 'Claude Code ok', 'Codex ok', 'tool ok']);
  });

  test('without an agent that is ready it is not good', async () => {
    const { isGood, states } = await walk(new Map([...good, [routes.listEngines, () => ({ engines: [absent] })]]), connected);

    expect(isGood).toBe(false);
    expect(states).toEqual(['extension ok', 'host ok', 'daemon ok', 'noAgent failed', 'tool ok']);
  });

  test('a way back that is broken is shown where it broke', async () => {
    const error = new CompanionError('BROWSER_NOT_CONNECTED').toBody();
    const link = await walk(new Map([...good, [routes.checkBrowser, () => ({ hops: [{ hop: 'link', ms: 3, error }] })]]), connected);
    const tool = await walk(
      new Map([
        ...good,
        [
          routes.checkBrowser,
          () => ({
            hops: [
              { hop: 'link', ms: 3, error: null },
              { hop: 'tool', ms: 8, error },
            ],
          }),
        ],
      ]),
      connected,
    );

    expect(link.states).toContain('host failed');
    expect(link.states).toContain('tool waiting');
    expect(tool.hops.at(-1)).toMatchObject({ id: 'tool', state: 'failed', mend: 'reload' });
    expect([link.isGood, tool.isGood]).toEqual([false, false]);
  });
});

import { performance } from 'node:perf_hooks';
import { expect, test as base } from 'vitest';
import WebSocket from 'ws';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { startPlainStage, textOf } from './tool-stage.ts';

/** The figure is 20 of 20. */
const ROUNDS = isWhole ? 20 : 3;

const BACK_MS = 3_000;

interface Target {
  readonly type: string;
  readonly url: string;
  readonly webSocketDebuggerUrl: string;
}

/** A browser that nobody is attached to: a debugger would keep the worker alive. */
const test = base.extend<{ stage: Awaited<ReturnType<typeof startPlainStage>> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  stage: async ({}, use) => {
    const stage = await startPlainStage(1);
    await use(stage);
    await stage.close();
  },
});

const targets = async (address: string): Promise<Target[]> => (await fetch(`${address}/json/list`)).json() as Promise<Target[]>;

/** Sends commands to a target, and lets go of it. */
const command = async (target: Target | undefined, ...methods: string[]): Promise<void> => {
  if (target === undefined) throw new Error('there is no such target');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  for (const [id, method] of methods.entries()) {
    const answered = new Promise((resolve) => socket.once('message', resolve));
    socket.send(JSON.stringify({ id, method, params: {} }));
    await answered;
  }
  socket.close();
};

test('a browser whose worker was stopped is back within three seconds', async ({ stage }) => {
  const address = await stage.debuggingAddress(0);
  const load = new MachineLoad();
  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const agent = stage.agent();
    const before = stage.bridge.browsers()[0]?.connectedAt;
    const page = (await targets(address)).find(({ type }) => type === 'page');
    await command(page, 'ServiceWorker.enable', 'ServiceWorker.stopAllWorkers');
    await until(() => stage.bridge.browsers()[0]?.connectedAt !== before, { what: 'the end of the worker' });

    const calledAt = performance.now();
    const text = textOf(await agent.call('browser_tabs', { action: 'list' }));
    tookMs.push(Math.round(performance.now() - calledAt));

    expect(text).toContain('about:blank');
  }
  if (load.isQuiet) expect(tookMs.filter((ms) => ms > BACK_MS)).toEqual([]);
});

import path from 'node:path';
import { describe, expect } from 'vitest';
import { KnownSecrets } from '#companion/lib/known-secrets.ts';
import { nullLog } from '#companion/lib/log.ts';
import { ProcessRun } from '#companion/runs/process-run.ts';
import { RunTrust } from '#companion/runs/run-trust.ts';
import { defaultSettings } from '#protocol/events.ts';
import { engineDouble } from '#test/fixtures/engine-double-codec.ts';
import { type Stage, test } from '#test/unit/sessions/stage.ts';

/** How a run ends whose folder is as trusted as `isHeld` says. */
const endOf = async (stage: Stage, isHeld: () => Promise<boolean>): Promise<string> => {
  const engine = engineDouble();
  const [command = '', ...leadingArgs] = engine.command ?? [];
  const asker = { ask: async () => null, isWanted: () => true };
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const run = ProcessRun.start({
    engine,
    place: { path: command, isNamed: false, leadingArgs, binDirs: [], loginEnv: {}, env: {} },
    launch: {
      cwd: stage.home,
      settings: defaultSettings,
      engineSessionId: null,
      mcp: null,
      runDir: path.join(stage.paths.runsDir, 'run'),
      secrets: {},
      userEnv: {},
      isProbe: false,
    },
    services: null,
    known: new KnownSecrets(),
    trust: new RunTrust({ check: async () => '/', isHeld }, stage.home, asker),
    log: nullLog,
    listener: { onEvent: () => {}, onLine: () => {}, onEnd: ({ message }) => resolve(message) },
  });
  await run.ready;
  await run.stop();
  return ended;
};

describe('the end of a run', () => {
  test('is left to the agent when its project is what was trusted', async ({ stage }) => {
    expect(await endOf(stage, async () => true)).toContain('ended with exit code 0');
  });

  test('comes without a last word when the project changed: what it wants run then was not agreed to', async ({ stage }) => {
    expect(await endOf(stage, async () => false)).toContain('ended with signal SIGKILL');
  });

  test('does not wait for a folder that does not answer', async ({ stage }) => {
    expect(await endOf(stage, () => new Promise(() => {}))).toContain('ended with signal SIGKILL');
  });
});

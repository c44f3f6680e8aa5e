import { expect, test } from 'vitest';
import { installCommandOf } from '#companion/engines/engine.ts';
import { engines } from '#companion/engines/index.ts';

/** Programs that a fresh system of this kind does not have. */
const ABSENT = {
  win32: /\b(?:curl|bash|brew|sh)\b/u,
  linux: /\b(?:brew|irm|iex|Invoke-WebRequest)\b/u,
  darwin: /\b(?:irm|iex|Invoke-WebRequest)\b/u,
};

test.for(['win32', 'linux', 'darwin'] as const)('what installs an agent can be typed on %s', (platform) => {
  const commands = engines.flatMap((engine) => (engine.type === 'process' ? [installCommandOf(engine.finding, platform)] : []));

  expect(commands.length).toBeGreaterThan(5);
  for (const command of commands) expect(command).not.toMatch(ABSENT[platform]);
});

import { test as base } from 'vitest';
import { type AgentWorld, type ToolWorld, startPlainWorld, startToolWorld } from './tool-world.ts';

/** One browser for all tests of a file. */
export const test = base.extend<{ world: ToolWorld }>({
  world: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
    async ({}, use) => {
      const world = await startToolWorld();
      await use(world);
      await world.close();
    },
    { scope: 'file' },
  ],
});

/** A browser that nobody is attached to. */
export const plainTest = base.extend<{ world: AgentWorld }>({
  world: [
    // oxlint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const world = await startPlainWorld(1);
      await use(world);
      await world.close();
    },
    { scope: 'file' },
  ],
});

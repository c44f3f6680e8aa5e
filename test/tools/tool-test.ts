import { test as base } from 'vitest';
import { type ToolWorld, startToolWorld } from './tool-world.ts';

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

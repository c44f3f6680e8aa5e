import { test as base } from 'vitest';
import { type AgentStage, type ToolStage, startPlainStage, startToolStage } from './tool-stage.ts';

/** One browser for all tests of a file. */
export const test = base.extend<{ stage: ToolStage }>({
  stage: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
    async ({}, use) => {
      const stage = await startToolStage();
      await use(stage);
      await stage.close();
    },
    { scope: 'file' },
  ],
});

/** A browser that nobody is attached to. */
export const plainTest = base.extend<{ stage: AgentStage }>({
  stage: [
    // oxlint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const stage = await startPlainStage(1);
      await use(stage);
      await stage.close();
    },
    { scope: 'file' },
  ],
});

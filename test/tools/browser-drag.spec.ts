import { describe, expect } from 'vitest';
import { openHidden, openShown } from './tool-stage.ts';
import { plainTest as test } from './tool-test.ts';

for (const [how, open] of [
  ['hidden', openHidden],
  ['shown', openShown],
] as const) {
  describe(`browser_drag in a ${how} tab`, () => {
    test("drops on what takes it by the browser's own drag and drop, and says when nothing does", async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_drag', { startTarget: '#card', endTarget: '#goal' })).toContain('Nothing was dropped');
      expect(await agent.text('browser_drag', { startTarget: '#card', endTarget: await agent.ref(/^region "Box"/) })).toMatch(
        /^Dragged\..*status = "dropped"/s,
      );
      expect(JSON.stringify(agent.asked)).toMatch(/Card.*Dropped on/s);
    });

    test('moves what follows a captured pointer', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_drag', { startTarget: '#thumb', endTarget: '#goal' })).toContain('dragged right');
    });

    test('stays in one frame', async ({ stage }) => {
      const agent = await open(stage, 'frames.html');

      const endTarget = await agent.ref(/^button "Press me"/);
      expect(await agent.error('browser_drag', { startTarget: 'h1', endTarget })).toContain('same frame');
    });
  });
}

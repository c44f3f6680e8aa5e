import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_hover in a ${how} tab`,
  ({ open }) => {
    test('shows a menu that only a style shows, so that it can be clicked', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      const receipt = await agent.text('browser_hover', { target: '#products' });

      expect(receipt).toMatch(/appeared: \[e\d+ link "Laptops"\]/);
      expect(receipt).not.toContain('Nothing else changed');
      const target = /\[(e\d+) link "Phones"\]/.exec(receipt)?.[1];
      expect(await agent.text('browser_click', { target })).toContain('HTTP 200');
    });

    test('tells the hint that a script shows, and when nothing comes', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_hover', { target: '#help' })).toContain('Ask us anything');
      expect(await agent.text('browser_hover', { target: '#out' }).catch(String)).toContain('it is not visible');
    });

    test('tells a page in a frame by events of its own', async ({ stage }) => {
      const agent = await open(stage, 'frames.html');

      const receipt = await agent.text('browser_hover', { target: await agent.ref(/^button "Press me"/) });

      expect(receipt).toContain('button "Press me"');
    });

    test('goes to where something that never rests is at that moment', { tags: 'whole' }, async ({ stage }) => {
      const page = `<p id="said">none</p><i style="position: absolute; top: 60px; width: 20px; height: 20px; background: red"></i><script>
          const mark = document.querySelector("i");
          const move = (now) => { mark.style.left = 150 + 140 * Math.sin(now / 400) + "px"; requestAnimationFrame(move); };
          requestAnimationFrame(move);
          mark.onmouseenter = (event) => { said.textContent = "Reached, " + event.isTrusted; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_hover', { target: 'i' })).toContain('Reached, true');
    });
  },
);

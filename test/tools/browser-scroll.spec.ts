import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_scroll in a ${how} tab`,
  ({ open }) => {
    test('says how far it went, how much is left, and when nothing moved', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_scroll', { target: '#below', direction: 'down', amount: 100 })).toMatch(
        /Scrolled 100 px; \d+ px are left\./,
      );
      expect(await agent.text('browser_scroll', { target: '#below', direction: 'bottom' })).toMatch(/Scrolled \d+ px; this is the end\./);
      expect(await agent.text('browser_scroll', { target: '#below', direction: 'down' })).toContain('Nothing moved');
      expect(agent.asked).toEqual([]);
    });

    test('tells of what a list loads at its end', async ({ stage }) => {
      const list = `<div id="rows" style="height: 3000px">Rows</div><script>
        addEventListener('scroll', () => scrollY > 1000 && setTimeout(() => rows.append('More rows'), 200), { once: true });
      </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(list)}`);

      expect(await agent.text('browser_scroll', { direction: 'bottom' })).toMatch(/this was the end\. The page changed in 1 place/);
    });

    test('turns the wheel over what takes it for itself, and scrolls where nothing does', async ({ stage }) => {
      const page = `<style>html, body { margin: 0 } #map { height: 200px }</style><div id="map"></div><p id="said">none</p>
        <div style="height: 3000px"></div><script>
          map.addEventListener("wheel", (event) => { event.preventDefault(); said.textContent = [event.deltaY, event.offsetX, event.offsetY].join(); });
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      await agent.text('browser_take_screenshot', { scale: 'css' });

      const zoomed = await agent.text('browser_scroll', { x: 90, y: 60, direction: 'up' });
      expect(zoomed).toContain('The page took the turn of the wheel for itself');
      expect(zoomed).toContain('\n-100,90,60\n');
      expect(await agent.text('browser_scroll', { x: 90, y: 260, direction: 'down', amount: 50 })).toContain('Scrolled 50 px');
      expect(await agent.text('browser_scroll', { target: '#map', direction: 'down', amount: 20 })).toContain('Scrolled 20 px');
      await agent.text('browser_scroll', { direction: 'top' });
      expect(await agent.text('browser_scroll', { target: '#map', direction: 'up', amount: 30 })).toContain('\n-30,');
    });

    test('brings an element into view, and scrolls the page itself', async ({ stage }) => {
      const agent = await open(stage, 'dense.html');

      expect(await agent.text('browser_scroll', { direction: 'down' })).toMatch(/Scrolled \d+ px; \d+ px are left/);
      expect(await agent.text('browser_scroll', { direction: 'top' })).toContain('this is the end');
      expect(await agent.text('browser_scroll', { target: 'body' })).toContain('It is in view.');
      expect(await agent.error('browser_scroll')).toContain('needs "direction", or "target"');
    });
  },
);

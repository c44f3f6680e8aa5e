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

    test('scrolls on at a place of the picture as often as it is asked', async ({ stage }) => {
      const agent = await open(stage, `says?text=${encodeURIComponent('<div style="height: 4000px">Long</div>')}`);
      await agent.text('browser_take_screenshot', { scale: 'css' });

      const left: number[] = [];
      for (let times = 0; times < 4; times += 1) {
        const said = await agent.text('browser_scroll', { x: 90, y: 60, direction: 'down', amount: 200 });
        left.push(Number(/Scrolled 200 px; (\d+) px are left/.exec(said)?.[1]));
      }

      expect(left.map((px) => (left[0] ?? 0) - px)).toEqual([0, 200, 400, 600]);
    });

    test('tells what is left of a list that grows upwards, and of a page that runs from right to left', async ({ stage }) => {
      const rows = Array.from({ length: 100 }, (_, row) => `<p style="flex: none; margin: 0; height: 20px">Message ${100 - row}</p>`);
      const page = `<html dir="rtl"><body style="margin: 0; width: 5000px">
        <div id="list" style="display: flex; flex-direction: column-reverse; height: 200px; overflow: auto">${rows.join('')}</div>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_scroll', { target: '#list', direction: 'up', amount: 100 })).toContain('1700 px are left');
      expect(await agent.text('browser_scroll', { target: '#list', direction: 'down', amount: 60 })).toContain('40 px are left');
      expect(await agent.text('browser_scroll', { target: '#list', direction: 'top' })).toContain('Scrolled 1760 px; this is the end');
      expect(await agent.text('browser_scroll', { direction: 'left', amount: 100 })).toMatch(/Scrolled 100 px; \d{4} px are left/);
      expect(await agent.text('browser_scroll', { direction: 'right' })).toContain('Scrolled 100 px; this is the end');
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

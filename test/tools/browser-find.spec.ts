import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_find in a ${how} tab`,
  ({ open }) => {
    test('finds text and patterns with refs, headings and neighbours, in frames too', async ({ stage }) => {
      const agent = await open(stage, 'waiting.html?still');

      const found = await agent.text('browser_find', { text: 'buy PEARS' });
      expect(found).toContain('1 line matches.');
      expect(found).toMatch(/## Fruit\n(?:.*\n)*- Pears \[e\d+ button "Buy pears"\]/);
      expect(found).not.toContain('# Waiting');
      expect(await agent.text('browser_find', { regex: '^- (apples|pears) ' })).toContain('2 lines match.');
      expect(await agent.text('browser_find', { text: 'inner' })).toContain('Inner');
    });

    test('finds what a list draws some frames after it was scrolled to it', async ({ stage }) => {
      const page = `<div id="list" style="height: 200px; overflow: auto"><div style="height: 20000px; position: relative"></div></div>
        <script>
          const rows = list.firstElementChild;
          const draw = () => {
            const first = Math.floor(list.scrollTop / 20);
            rows.innerHTML = Array.from({ length: 10 }, (_, at) =>
              '<p style="position: absolute; margin: 0; top: ' + (first + at) * 20 + 'px">Row ' + (first + at) + '</p>').join('');
          };
          const later = (frames) => (frames === 0 ? draw() : requestAnimationFrame(() => later(frames - 1)));
          list.onscroll = () => later(3);
          draw();
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_find', { text: 'Row 444' })).toMatch(
        /^1 line matches\. Its list was scrolled to it\..*\nRow 444\n/s,
      );
    });

    test('finds what a list that grows upwards loads at its upper end', { tags: 'whole' }, async ({ stage }) => {
      const page = `<div id="list" style="display: flex; flex-direction: column-reverse; height: 200px; overflow: auto"></div>
        <script>
          const add = (name) => list.insertAdjacentHTML('beforeend', '<p style="flex: none; height: 30px">' + name + '</p>');
          for (let row = 0; row < 60; row += 1) add('New ' + row);
          list.onscroll = () => {
            if (list.scrollHeight - list.clientHeight + list.scrollTop < 5 && list.childElementCount < 120)
              setTimeout(() => Array.from({ length: 20 }, (_, row) => add('Old ' + (list.childElementCount - 60))), 50);
          };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_find', { text: 'Old 44' })).toMatch(/^1 line matches\. Its list was scrolled to it\./);
    });

    test('finds no secret, and says what is wrong with a pattern', async ({ stage }) => {
      const agent = await open(stage, 'waiting.html?still');

      expect(await agent.text('browser_find', { text: 'planted-9c2e' })).toBe('Nothing on the page matches.');
      expect(await agent.error('browser_find', { regex: '(?=a)b' })).toContain('neither look ahead');
      expect(await agent.error('browser_find', { regex: '(' })).toContain('"regex"');
      expect(await agent.error('browser_find', {})).toContain('Give "text" or "regex"');
    });
  },
);

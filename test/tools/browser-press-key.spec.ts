import { expect } from 'vitest';
import { until } from '#test/fixtures/until.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_press_key in a ${how} tab`,
  ({ open }) => {
    test('presses keys and chords where the focus is, and reads back what they did', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      await agent.text('browser_press_key', { key: 'Control+A', target: '#word' });
      expect(await agent.text('browser_press_key', { key: 'x' })).toContain('value: "x"');
      expect(await agent.text('browser_press_key', { key: 'Shift+y' })).toContain('value: "xY"');
      expect(await agent.text('browser_press_key', { key: 'backspace' })).toContain('value: "x"');
      expect(await agent.text('browser_press_key', { key: 'Control+s' })).toContain('saved (trusted true)');
      expect(await agent.text('browser_press_key', { key: 'Tab' })).toMatch(/focus: \[e\d+ textbox "Next"\]/);
    });

    test('names no target where nothing has the focus: the key is for the page', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_press_key', { key: 'F2' })).toBe('Pressed F2. Nothing else changed on the page.');
    });

    test('holds a key as long as it is told', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      // One that nothing else holds up.
      await until(async () => (await agent.text('browser_press_key', { key: 'j', target: '#word' })).includes('held short'), {
        what: 'a key that is held no longer than it must be',
      });
      expect(await agent.text('browser_press_key', { key: 'j', holdMs: 300 })).toContain('held long');
    });

    test('presses a button that asks, without waiting for the answer', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      const receipt = await agent.text('browser_press_key', { key: 'Enter', target: '#ask' });
      await agent.text('browser_handle_dialog', { accept: true });

      expect(receipt).toMatch(/use browser_handle_dialog.*dialog: confirm: "Sure\?"/s);
      expect(await agent.text('browser_snapshot')).toContain('agreed');
    });

    test("never touches the user's clipboard", async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      const receipt = await agent.text('browser_press_key', { key: 'Control+V', target: '#word' });

      expect(receipt).toContain('clipboard is not touched');
      expect(await agent.text('browser_snapshot')).not.toContain('pasted');
    });

    test('goes no further than the page where a frame is in it that cannot be stopped', async ({ stage }) => {
      const agent = await open(stage, `says?text=${encodeURIComponent('<h1>Page</h1><iframe src="data:text/html,Other"></iframe>')}`);

      expect(await agent.text('browser_press_key', { key: 'Tab' })).toContain('by events of the page only');
    });

    test('presses real keys where a frame of another site is in the page', async ({ stage }) => {
      const agent = await open(stage, 'frames.html');

      expect(await agent.text('browser_press_key', { key: 'Tab' })).not.toContain('by events of the page only');
    });

    test('presses a key in the field of a label, of a component and of what is around it', { tags: 'whole' }, async ({ stage }) => {
      const page = `<label for="name">Name</label><input id="name"><label for="day">Day</label><button id="day">1 May</button><x-field></x-field><div id="box"><input style="display:none"><input aria-label="In a box"></div>
        <script>
          const keys = [];
          addEventListener('keydown', (event) => { keys.push((event.composedPath()[0].ariaLabel ?? event.target.id) + ' ' + event.key); document.title = keys.join(); });
          customElements.define('x-field', class extends HTMLElement {
            constructor() { super(); this.attachShadow({ mode: 'open', delegatesFocus: true }).innerHTML = '<button aria-label="Open">+</button>'; }
          });
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      for (const target of ['text=Name', 'x-field', '#box', 'label=Day'])
        expect(await agent.text('browser_press_key', { key: 'End', target })).toContain('Pressed End.');
      expect(await agent.text('browser_tabs', { action: 'list' })).toContain('name End,Open End,In a box End,day End');
      expect(await agent.text('browser_type', { target: '#box', text: 'x' })).toContain('"In a box" = "x"');
    });

    test('says what a key is where there is none of that name', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.error('browser_press_key', { key: 'Enterr' })).toMatch(/is no key.*Enter, Tab/);
      expect(await agent.error('browser_press_key', { key: 'a', target: '#out' })).toContain('TARGET_NOT_READY');
    });
  },
);

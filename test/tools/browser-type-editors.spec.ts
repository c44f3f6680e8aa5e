import { expect } from 'vitest';
import { bundleEditors } from '#test/fixtures/editors.ts';
import type { Agent, ToolStage } from './tool-stage.ts';
import { type TabKind, describeTabs, test as base } from './tool-test.ts';

const test = base.extend<{ script: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  script: [async ({}, use) => use(await bundleEditors()), { scope: 'file' }],
});

const MANY_SIGNS = '👩\u200d👩\u200d👧 👍🏽 🇩🇪 ❤\ufe0f 日本語 שלום क्\u200dष e\u0301 — “ok”';

const CODE = 'if (x) {\n  y(\n    [1], "#$%&\'(!.-é"\n)}';
const LONG_CODE = Array.from({ length: 80 }, (_, line) => `  line ${line} {(`).join('\n');

const openEditors = async ({
  stage,
  open,
  script,
}: {
  stage: ToolStage;
  open: TabKind['open'];
  script: string;
}): Promise<{ agent: Agent; held: (name: string) => Promise<unknown> }> => {
  const agent = await open(stage, 'editors.html');
  const page = stage.pageAt('editors.html');
  await page.addScriptTag({ content: script });
  await expect.poll(() => page.textContent('#slate')).toContain('Old text');
  return { agent, held: (name) => page.evaluate((which) => (globalThis as unknown as { held(name: string): string }).held(which), name) };
};

describeTabs(
  (how) => `typing into what real pages are made of in a ${how} tab`,
  ({ open }) => {
    for (const name of ['codemirror', 'prosemirror', 'lexical', 'slate']) {
      test(`replaces the text of ${name} in its own state`, { tags: 'whole' }, async ({ stage, script }) => {
        const { agent, held } = await openEditors({ stage, open, script });
        const target = `#${name}`;

        expect(await agent.text('browser_type', { target, text: 'New words' })).toMatch(/^Typed\./);
        expect(await held(name)).toBe('New words');
        expect(await agent.text('browser_type', { target, text: 'One\nTwo' })).toMatch(/^Typed\./);
        expect(await held(name)).toBe('One\nTwo');
        expect(await agent.text('browser_snapshot')).toMatch(/textbox[^\]]*= "One ?Two"\]/);
        // Characters of several code points, joined and marked, and scripts of others.
        expect(await agent.text('browser_type', { target, text: MANY_SIGNS })).toMatch(/^Typed\./);
        expect(await held(name)).toBe(MANY_SIGNS);
      });
    }

    for (const [name, target] of [
      ['codemirror5', '#codemirror5 textarea'],
      ['ace', '#ace textarea'],
    ] as const) {
      test(`writes code into ${name} as it is, and clears it`, { tags: 'whole' }, async ({ stage, script }) => {
        const { agent, held } = await openEditors({ stage, open, script });

        for (const text of [CODE, LONG_CODE]) {
          expect(await agent.text('browser_type', { target, text })).toMatch(/^Typed\. /);
          expect(await held(name)).toBe(text);
        }
        expect(await agent.text('browser_type', { target, text: '' })).toMatch(/^Typed\. /);
        expect(await held(name)).toBe('');
        expect(await agent.text('browser_type', { target, text: `it's #1 (100%) & "so".`, slowly: true })).toMatch(/^Typed/);
        expect(await held(name)).toBe(`it's #1 (100%) & "so".`);
      });
    }

    test('reads and writes an editor that draws its text itself, and catches keys without a field', async ({ stage }) => {
      const agent = await open(stage, 'editors.html');
      expect(await agent.text('browser_snapshot')).toContain('textbox "Context" = "Old text"');

      expect(await agent.text('browser_type', { target: '#catcher', text: CODE })).toMatch(/^Typed\. .*"Context" = "if \(/s);
      expect(await agent.text('browser_evaluate', { function: '() => lines.join("|")' })).toContain(
        JSON.stringify(CODE.replaceAll('\n', '|')),
      );
      expect(await agent.text('browser_click', { target: '#catcher' })).toMatch(/^Clicked/);
      expect(await agent.text('browser_type', { target: '#catcher', text: '' })).toMatch(/^Typed\. /);
      expect(await agent.text('browser_evaluate', { function: '() => lines.length + lines[0]' })).toContain('"1"');
    });

    test('gives a terminal each key once, and marks nothing in it', async ({ stage }) => {
      const page = `<div style="position: relative; width: 400px; height: 100px">
          <textarea id="keys" aria-label="Terminal" aria-multiline="false" style="position: absolute; opacity: 0; width: 9px; height: 18px"></textarea>
          <div aria-hidden="true"><div id="line" style="width: 400px">$ </div></div>
        </div>
        <script>
          globalThis.heard = [];
          keys.onkeydown = (event) => {
            event.preventDefault();
            if (event.key === "Control") return;
            heard.push((event.ctrlKey ? "^" : "") + event.key);
            if (event.key.length === 1) line.textContent += event.key;
          };
          keys.onpaste = (event) => heard.push("paste " + event.clipboardData.getData("text/plain"));
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_type', { target: '#keys', text: 'ls -a', submit: true })).toMatch(
        /^Typed and pressed Enter\..*textbox "Terminal" = "\$ ls -a"/s,
      );
      expect(await agent.text('browser_evaluate', { function: '() => heard.join("")' })).toContain('"ls -aEnter"');
    });

    test('lets an input mask and a controlled field format what is typed', { tags: 'whole' }, async ({ stage, script }) => {
      const { agent, held } = await openEditors({ stage, open, script });

      expect(await agent.text('browser_type', { target: '#phone', text: '5551234567' })).toContain('value: "(555) 123-4567"');
      expect(await agent.text('browser_type', { target: '#controlled', text: 'quiet' })).toMatch(/^Typed\.[^]*value: "QUIET"/);
      expect(await held('controlled')).toBe('QUIET');
    });

    test('says so when nothing was typed, and does not press Enter then', { tags: 'whole' }, async ({ stage, script }) => {
      const { agent } = await openEditors({ stage, open, script });

      const receipt = await agent.text('browser_type', { target: '#stubborn', text: 'New', submit: true });

      expect(receipt).toMatch(/^Nothing was typed: .* Enter was not pressed\./);
      expect(receipt).toContain('value: "Old text"');
    });

    test('chooses exactly the named options of a list for several', async ({ stage }) => {
      const agent = await open(stage, 'editors.html');
      const target = '#toppings';

      expect(await agent.text('browser_type', { target, text: 'Olives, Onions' })).toContain('value: "Olives, Onions"');
      expect(await agent.text('browser_type', { target, text: 'Ham' })).toContain('value: "Ham"');
      expect(await agent.text('browser_type', { target, text: '' })).toContain('value: ""');
    });
  },
);

import { expect } from 'vitest';
import { bundleEditors } from '#test/fixtures/editors.ts';
import type { Agent, ToolStage } from './tool-stage.ts';
import { type TabKind, describeTabs, test as base } from './tool-test.ts';

const test = base.extend<{ script: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  script: [async ({}, use) => use(await bundleEditors()), { scope: 'file' }],
});

const MANY_SIGNS = '👩\u200d👩\u200d👧 👍🏽 🇩🇪 ❤\ufe0f 日本語 שלום क्\u200dष e\u0301 — “ok”';

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

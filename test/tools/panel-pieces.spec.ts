/** Small pieces of the panel, pressed as a person presses them: what copies, what breaks lines, and how a command that failed is told. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { panelTest } from './panel-stage.ts';

const source = `
import { h, render } from 'preact';
import { AnswerActions } from '#extension/sidepanel/views/message-actions.tsx';
import { Markdown } from '#extension/sidepanel/views/markdown.tsx';
import { ToolCard } from '#extension/sidepanel/views/tool-card.tsx';
import { SceneContext } from '#extension/sidepanel/views/scene.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';

const scene = { t: createTranslate('en'), actions: {} };
const inScene = (view) => render(h(SceneContext.Provider, { value: scene }, view), document.body);
window.markdown = (text) => inScene(h(Markdown, { text, isComplete: true }));
window.answer = (text) => inScene(h(AnswerActions, { text }));
window.failed = (text) => {
  const body = { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'npm test', input: { command: 'npm test' }, text, exitCode: 3 };
  inScene(h(ToolCard, { body, entry: { item: { itemId: 'i1', body, status: 'failed', at: 0, endedAt: 1 }, children: [], isWaiting: false, answered: [] } }));
};
`;

const SHEET = path.resolve(import.meta.dirname, '../../extension/sidepanel/sidepanel.css');

/** The look of the panel, without the sheets that it takes in: they are not there. */
const look = (): string => readFileSync(SHEET, 'utf8').replaceAll(/^@import .*$/gm, '');

interface Pieces {
  readonly page: Page;
  show(piece: 'markdown' | 'answer' | 'failed', text: string): Promise<void>;
  copied(): Promise<string>;
}

const test = panelTest(source).extend<{ pieces: Pieces }>({
  pieces: async ({ page }, use) => {
    await page.addStyleTag({ content: look() });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.clock.install();
    await use({
      page,
      show: (piece, text) =>
        page.evaluate(([name, given]) => (globalThis as unknown as Record<string, (text: string) => void>)[name]?.(given), [
          piece,
          text,
        ] as const),
      copied: () => page.evaluate(() => navigator.clipboard.readText()),
    });
  },
});

/** Longer than "Copied" is shown. */
const A_WHILE_MS = 5_000;

describe('a block of code', () => {
  test('is copied as it is, which is told for a while, each time', { tags: 'whole' }, async ({ pieces: { page, show, copied } }) => {
    await show('markdown', 'Run it:\n\n```sh\nnpm test -- "a <b>"\n  # twice\n```\n\n```\nanother\n```\n');
    const [first, second] = [page.locator('.code').nth(0), page.locator('.code').nth(1)];

    for (let press = 0; press < 2; press += 1) {
      await first.getByRole('button', { name: 'Copy', exact: true }).click();
      await first.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await copied()).toBe('npm test -- "a <b>"\n  # twice');
      await page.clock.runFor(A_WHILE_MS);
      await first.getByRole('button', { name: 'Copy', exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Copied' }).count()).toBe(0);
    }
    await second.getByRole('button', { name: 'Copy', exact: true }).press('Enter');
    await second.getByRole('button', { name: 'Copied' }).waitFor();

    expect(await copied()).toBe('another');
    expect(await first.getByRole('button', { name: 'Copied' }).count()).toBe(0);
  });

  test('has its long lines broken by a press, and whole again by another', { tags: 'whole' }, async ({ pieces: { page, show } }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await show('markdown', `\`\`\`\n${'tide '.repeat(60)}\n\`\`\`\n\n\`\`\`\n${'ebb '.repeat(60)}\n\`\`\``);
    const wrap = page.getByRole('button', { name: 'Wrap' }).first();
    const fits = (): Promise<boolean[]> =>
      page.locator('.code pre').evaluateAll((blocks) => blocks.map((block) => block.scrollWidth <= block.clientWidth));

    expect(await fits()).toEqual([false, false]);
    expect(await wrap.getAttribute('aria-pressed')).toBe('false');
    await wrap.click();
    expect(await fits()).toEqual([true, false]);
    expect(await wrap.getAttribute('aria-pressed')).toBe('true');
    await wrap.press('Enter');

    expect(await fits()).toEqual([false, false]);
    expect(await wrap.getAttribute('aria-pressed')).toBe('false');
  });
});

describe('an answer', () => {
  test('is copied as the agent wrote it, which is told for a while', { tags: 'whole' }, async ({ pieces: { page, show, copied } }) => {
    await show('answer', '**High** water\n\n- at noon\n');
    const copy = page.getByRole('button', { name: 'Copy this message' });

    await copy.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await copied()).toBe('**High** water\n\n- at noon\n');
    await page.clock.runFor(A_WHILE_MS);

    await copy.waitFor();
  });
});

describe('a command that failed', () => {
  test(
    'shows its last five lines in their colours and its exit code, and all of it when it is opened',
    { tags: 'whole' },
    async ({ pieces: { page, show } }) => {
      const lines = ['one', 'two', 'three', 'four', '\u001b[31mfive\u001b[0m', 'six', '\u001b[1;32mseven\u001b[0m'];
      await show('failed', `${lines.join('\n')}\n`);
      const output = page.getByLabel('Output', { exact: true });

      expect(await output.innerText()).toBe('three\nfour\nfive\nsix\nseven');
      await page.locator('.outcome').getByText('exit code 3').waitFor();
      await expect.poll(() => output.locator('span').allInnerTexts()).toEqual(['five', 'seven']);
      const colours = await output
        .locator('span')
        .evaluateAll((spans) => spans.map((span) => [span.className, getComputedStyle(span).color]));
      expect(colours.map(([name]) => name)).toEqual(['hue-red', 'hue-green bold']);
      expect(new Set([...colours.map(([, colour]) => colour), await output.evaluate((pre) => getComputedStyle(pre).color)]).size).toBe(3);
      await page.locator('.tool-head').click();

      expect((await output.innerText()).trimEnd()).toBe('one\ntwo\nthree\nfour\nfive\nsix\nseven');
    },
  );
});

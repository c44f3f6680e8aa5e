/** Long conversations in the gallery: what a person has done in one is there when they come back to it. */
import { describe, expect } from 'vitest';
import { defaultSettings, type EventBody } from '#protocol/events.ts';
import { ItemId, TurnId } from '#protocol/ids.ts';
import type { ItemBody } from '#protocol/items.ts';
import { numbered } from '#test/fixtures/random-log.ts';
import { test } from '#test/gallery/gallery-test.ts';

const turnId = TurnId.parse('t0');

const done = (id: string, item: ItemBody): readonly EventBody[] => [
  { type: 'item.started', turnId, itemId: ItemId.parse(id), item },
  { type: 'item.completed', turnId, itemId: ItemId.parse(id), status: 'completed' },
];

/** A turn with these items, after which an agent has said a lot; "FOUND" stands before the one that the search of the gallery finds. */
const log = (...items: readonly (ItemBody | 'FOUND')[]): ReturnType<typeof numbered> =>
  numbered([
    { type: 'session.created', projectId: null, engine: 'claude', name: 'n', kind: 'agent', settings: defaultSettings },
    { type: 'turn.started', turnId, prompt: { text: 'p', attachments: [] } },
    ...items.flatMap((item, index) => (item === 'FOUND' ? [] : done(items[index - 1] === 'FOUND' ? 'turn-1-prompt' : `i${index}`, item))),
    ...Array.from({ length: 120 }, (_, index) => done(`m${index}`, { kind: 'message', role: 'assistant', text: `Tide ${index}.` })).flat(),
  ]);

describe('a long conversation', () => {
  test(
    'keeps what was unfolded, written and told in an entry that was far out of sight',
    { tags: 'whole' },
    async ({ gallery: { page, showLog } }) => {
      await page.setViewportSize({ width: 400, height: 640 });
      const lines = Array.from({ length: 60 }, (_, index) => `+tide ${index}`);
      await showLog(
        log(
          { kind: 'message', role: 'user', text: 'When is it high? '.repeat(80) },
          { kind: 'thought', text: 'The table lies in src.' },
          { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'ls', input: { command: 'ls' }, text: 'tide\n'.repeat(1_000) },
          {
            kind: 'tool',
            tool: 'Edit',
            toolKind: 'edit',
            title: 'Edit src/tides.ts',
            text: '',
            changes: [{ path: 'src/tides.ts', change: 'add', unified: `@@ -0,0 +1,60 @@\n${lines.join('\n')}\n` }],
          },
        ),
      );
      const scroller = page.locator('.conversation');
      const entry = (id: string) => page.locator(`.entry[data-key="${id}"]`);
      const comment = page.getByRole('textbox', { name: 'Comment for the agent' });
      const toTop = async (): Promise<void> => {
        await expect
          .poll(async () => {
            await scroller.evaluate((box) => box.scrollTo(0, 0));
            return entry('i3').count();
          })
          .toBe(1);
      };
      await toTop();
      await entry('i0').getByRole('button', { name: 'Show more' }).click();
      await entry('i1')
        .getByRole('button', { name: /^Thought/ })
        .click();
      await entry('i2').getByRole('button').first().click();
      await entry('i2')
        .getByRole('button', { name: /^Show all/ })
        .click();
      await entry('i3').getByRole('button').first().click();
      await entry('i3').getByRole('button', { name: 'Revert', exact: true }).click();
      await entry('i3').getByRole('button', { name: 'Revert the whole file?' }).click();
      await entry('i3').getByRole('status').filter({ hasText: /\w/ }).waitFor();
      await entry('i3').getByRole('button', { name: 'Comment on line 3', exact: true }).click();
      await comment.fill('not so high');
      const told = await entry('i3').innerText();

      await page.getByRole('button', { name: 'Jump to latest' }).click();
      await page.getByRole('textbox', { name: 'Message' }).focus();
      for (const id of ['i0', 'i3']) await entry(id).waitFor({ state: 'detached' });
      await toTop();

      await entry('i0').getByRole('button', { name: 'Show less' }).waitFor();
      expect(await entry('i1').innerText()).toContain('The table lies in src.');
      expect(
        await entry('i2')
          .getByRole('button', { name: /^Show all/ })
          .count(),
      ).toBe(0);
      expect(await entry('i3').innerText()).toBe(told);
      expect(await comment.inputValue()).toBe('not so high');
    },
  );

  test('shows what was found, however it was folded and however far down in its entry', async ({ gallery: { page, showLog } }) => {
    await page.setViewportSize({ width: 360, height: 640 });
    const words = `${'Ebb and flood.\n\n'.repeat(80)}It is high water.${'\n\nEbb and flood.'.repeat(80)}`;
    const read = (text: string): ItemBody => ({
      kind: 'tool',
      tool: 'Read',
      toolKind: 'read',
      title: 'Read tides',
      input: { file_path: 'tides' },
      text,
    });
    for (const items of [
      ['FOUND', { kind: 'thought', text: words }],
      [read('Ebb'), 'FOUND', read(words), read('Flood')],
      ['FOUND', { kind: 'message', role: 'user', text: words }],
      ['FOUND', { kind: 'message', role: 'assistant', text: words }],
    ] as const) {
      await showLog(log(...items));
      await page.keyboard.press('Control+f');
      await page.getByRole('searchbox', { name: 'Find in this conversation' }).fill('water');
      await page.locator('.entry.found').waitFor();
      await expect.poll(() => page.evaluate(isMarkInSight)).toBe(true);
      await page.keyboard.press('Escape');
    }
  });
});

/** Runs in the page: whether a word that was found is where the person sees it. */
const isMarkInSight = (): boolean => {
  const box = document.querySelector('.conversation')?.getBoundingClientRect() ?? new DOMRect();
  return [...(CSS.highlights.get('found') ?? [])].some((mark) => {
    const range = new Range();
    range.setStart(mark.startContainer, mark.startOffset);
    range.setEnd(mark.endContainer, mark.endOffset);
    const { top, bottom, height } = range.getBoundingClientRect();
    return height > 0 && top >= box.top && bottom <= box.bottom;
  });
};

import { describe, expect, test } from 'vitest';
import { ItemId } from '#protocol/ids.ts';
import type { ViewItem } from '#protocol/view.ts';
import { drawFrame } from '#companion/tui/frame.ts';
import { draftLines } from '#companion/tui/layout.ts';
import { palettes } from '#companion/tui/palettes.ts';
import { changedRows } from '#companion/tui/screen.ts';
import { createBusyUi, say, sessionId, turnId, type Ui } from './stage.ts';

const COUNT = 10_000;

const SIZES = [
  { columns: 60, rows: 16 },
  { columns: 80, rows: 24 },
  { columns: 200, rows: 60 },
];

/** A session of ten thousand messages that remembers which of them were read in order to be drawn. */
const createLongUi = (size: { columns: number; rows: number }): { ui: Ui; read: Set<number> } => {
  const ui = createBusyUi(size);
  const read = new Set<number>();
  const items = Array.from({ length: COUNT }, (_, index): ViewItem => ({
    itemId: ItemId.parse(`m${index}`),
    turnId,
    parentItemId: null,
    status: 'completed',
    at: 0,
    endedAt: 0,
    body: {
      kind: 'message',
      role: index % 2 === 0 ? 'user' : 'assistant',
      get text() {
        read.add(index);
        return `The **message** ${index} has some words, and \`code\`.`;
      },
    },
  }));
  const { session } = ui.state;
  if (session === null) throw new Error('no session is open');
  ui.happen({ type: 'view', view: { ...session, sessionId, items } });
  read.clear();
  return { ui, read };
};

const rowsChanged = (before: readonly string[], after: readonly string[]): number =>
  changedRows(before, after, palettes.terminal).split(';1H').length - 1;

describe('a frame of ten thousand messages', () => {
  test.for(SIZES)('lays out no more messages than it has rows at $columns×$rows', (size) => {
    const { ui, read } = createLongUi(size);

    drawFrame(ui.state);

    expect(read.size).toBeGreaterThan(0);
    expect(read.size).toBeLessThanOrEqual(size.rows);
    for (const key of ['pageup', 'pageup', 'g', 'pagedown', 'G']) {
      ui.press('1', 'tab', key);
      read.clear();
      drawFrame(ui.state);
      expect(read.size, key).toBeLessThanOrEqual(size.rows);
    }
  });

  test.for(SIZES)('is written again only where it has changed at $columns×$rows', (size) => {
    const { ui, read } = createLongUi(size);
    ui.press('i');
    const before = drawFrame(ui.state).lines;
    read.clear();

    ui.press('x');
    const typed = drawFrame(ui.state).lines;

    expect(rowsChanged(before, typed)).toBeGreaterThan(0);
    expect(rowsChanged(before, typed)).toBeLessThanOrEqual(2);
    expect(read.size).toBe(0);
    expect(rowsChanged(typed, drawFrame(ui.state).lines)).toBe(0);
  });

  test('takes a streamed token for the cost of its own message', () => {
    const { ui, read } = createLongUi({ columns: 200, rows: 60 });
    ui.event({ type: 'item.started', turnId, itemId: ItemId.parse('new'), item: { kind: 'message', role: 'assistant', text: 'One' } });
    const before = drawFrame(ui.state).lines;
    read.clear();

    ui.event({ type: 'item.delta', turnId, itemId: ItemId.parse('new'), text: ' more word' });
    const after = drawFrame(ui.state).lines;

    expect(read.size).toBe(0);
    expect(rowsChanged(before, after)).toBe(1);
    expect(after.join('\n')).toContain('One more word');
    say(ui, 'last', 'assistant', 'The end.');
    drawFrame(ui.state);
    expect(read.size).toBe(0);
  });
});

test('a message of ten thousand lines is laid out once for each key', () => {
  const ui = createBusyUi({ columns: 80, rows: 24 });
  const text = Array.from({ length: COUNT }, (_, index) => `line ${index}`).join('\n');
  ui.press('i');
  ui.happen({ type: 'input', input: { type: 'paste', text, isCut: false } });
  drawFrame(ui.state);

  const lines = draftLines(`${text}`, 77);

  expect(lines).toHaveLength(COUNT);
  drawFrame(ui.state);
  expect(draftLines(text, 77)).toBe(lines);
});

import { describe, expect, test } from 'vitest';
import { ItemId, SessionId, TurnId } from '#protocol/ids.ts';
import type { SearchAnswer, SearchHit } from '#protocol/search.ts';
import { drawFrame } from '#companion/tui/frame.ts';
import { pieces, unpaint } from '#companion/tui/paint.ts';
import { createBusyUi, session, sessionId, type Ui } from './stage.ts';

const hit = (id: string, more: Partial<SearchHit> = {}): SearchHit => ({
  sessionId,
  sessionName: 'What is on this page?',
  projectId: null,
  engineName: 'claude',
  turnId: TurnId.parse('t1'),
  itemId: ItemId.parse(id),
  kind: 'answer',
  at: '2026-01-31T12:00:00Z',
  snippet: { text: 'the tide table of Brest', marks: [[4, 8]] },
  ...more,
});

const answer = (more: Partial<SearchAnswer> = {}): SearchAnswer => ({ titles: [], hits: [], next: null, indexing: null, ...more });

const search = (ui: Ui, text: string, found: SearchAnswer): void => {
  ui.press('S');
  ui.type(text);
  ui.happen({ type: 'found', query: text, answer: found });
};

describe('search', () => {
  test('asks for each change of what is typed, and for nothing without words', () => {
    const ui = createBusyUi();
    ui.press('S');
    expect(ui.screen()).toContain('What was ever said or run');

    ui.type('ti');
    ui.press('backspace', 'backspace');

    expect(ui.effects.filter(({ type }) => type === 'search')).toEqual([
      { type: 'search', query: 't' },
      { type: 'search', query: 'ti' },
      { type: 'search', query: 't' },
      { type: 'search', query: '' },
    ]);
  });

  test('shows what an agent wrote without the signs of its markdown, and what a person typed as it is', () => {
    const ui = createBusyUi({ columns: 200, rows: 30 });
    const text = '## Tides: the **high** water at `Brest`, see [table](https://tides.example)';
    const at = (word: string): [number, number] => [text.indexOf(word), text.indexOf(word) + word.length];
    const marks = [at('high'), at('Brest')];
    search(
      ui,
      'high',
      answer({ hits: [hit('i1', { snippet: { text, marks } }), hit('i2', { kind: 'prompt', snippet: { text, marks } })] }),
    );

    expect(ui.screen()).toMatch(/answer .* Tides: the high water at Brest, see table \(https:/u);
    expect(ui.screen()).toMatch(/prompt .* ## Tides: the \*\*high\*\* water at `Brest`, see \[table\]/u);
    ui.press('down');
    const line = drawFrame(ui.state).lines.find((each) => unpaint(each).includes('answer ')) ?? '';
    for (const word of ['high', 'Brest']) expect(pieces(line).some((piece) => piece.type === 'text' && piece.text === word)).toBe(true);
  });

  test.for(['[a]: https://example.com "b"', '```', '- ', '| a | b |', '**', '<b>', '\u{e000}x\u{e001}'])('loses nothing of %s', (text) => {
    const ui = createBusyUi({ columns: 120, rows: 30 });
    search(ui, 'x', answer({ hits: [hit('i1', { snippet: { text: `${text} found`, marks: [[text.length + 1, text.length + 6]] } })] }));

    expect(ui.screen()).toContain('found');
    expect(ui.screen()).not.toMatch(/[\u{e000}\u{e001}]/u);
  });

  test('shows sessions and entries, and says what is still being read in', () => {
    const ui = createBusyUi({ columns: 120, rows: 30 });
    search(
      ui,
      'tide',
      answer({
        titles: [{ session: session('s2', { name: 'Tides' }), marks: [[0, 4]] }],
        hits: [hit('i1')],
        indexing: { done: 3, total: 9 },
      }),
    );

    expect(ui.screen()).toMatch(/› session +Tides/u);
    expect(ui.screen()).toMatch(/answer +What is on this page\? +the tide table of Brest/u);
    expect(ui.screen()).toContain('2 found, the newest first. Older sessions are still being read in: 3 of 9.');
  });

  test('takes no answer to what is not typed any more', () => {
    const ui = createBusyUi();
    search(ui, 'tide', answer());
    expect(ui.screen()).toContain('Nothing was found.');

    ui.happen({ type: 'found', query: 'tid', answer: answer({ hits: [hit('i1')] }) });

    expect(ui.screen()).toContain('Nothing was found.');
  });

  test('goes to the entry that was found, in its session', () => {
    const ui = createBusyUi();
    search(ui, 'tide', answer({ hits: [hit('u1'), hit('i9', { sessionId: SessionId.parse('s2') })] }));

    ui.press('enter');
    expect(ui.state).toMatchObject({ overlay: null, focus: 'main', tab: 'conversation', scroll: { conversation: { key: 'u1', line: 0 } } });

    search(ui, 'tide', answer({ hits: [hit('u1'), hit('i9', { sessionId: SessionId.parse('s2') })] }));
    ui.press('down', 'down', 'enter');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.open', sessionId: 's2' });
    expect(ui.state.scroll.conversation).toEqual({ key: 'i9', line: 0 });
  });

  test('obeys nothing that is in what was found, at any width', () => {
    for (const columns of [40, 80, 200]) {
      const ui = createBusyUi({ columns, rows: 14 });
      const text = '\u001b[2J你好\ufdd0 \u202etide\n\u0007 😀'.repeat(9);
      search(
        ui,
        'tide',
        answer({ hits: [hit('i1', { kind: 'tool', title: text, sessionName: text, snippet: { text, marks: [[2, 9]] } })] }),
      );

      // oxlint-disable-next-line no-control-regex -- none may be left
      expect(ui.screen()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
    }
  });
});

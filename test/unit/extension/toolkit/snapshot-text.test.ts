import { describe, expect, it } from 'vitest';
import type { SnapChild, SnapNode } from '#extension/content/api.ts';
import { toAim } from '#extension/toolkit/aim.ts';
import { wordsForMany } from '#extension/toolkit/frame-parts.ts';
import { MOST_FRAMES } from '#extension/toolkit/page-words.ts';
import { toRef } from '#extension/toolkit/ref.ts';
import { envelope, pageResult } from '#extension/toolkit/result.ts';
import { type FramePart, type PagedText, cutPages, renderSnapshot, renderParts, renderTools } from '#extension/toolkit/snapshot-text.ts';

const part = (children: readonly SnapChild[], frameId = 0, parentFrameId = -1, index = -1): FramePart => ({
  frameId,
  parentFrameId,
  snapshot: { url: 'https://example.com/', title: 'T', index, children },
});
const text = (children: readonly SnapChild[], maxTokens = 10_000): string => renderSnapshot([part(children)], { maxTokens, page: 1 }).text;

describe('a snapshot as text', () => {
  it('tells what is pressed in a menu without marks, and several in a line', () => {
    const entry = (ref: number, more: readonly SnapChild[] = []): SnapChild => ({
      role: 'listitem',
      children: [' ', { role: 'link', ref, name: `Go ${ref}`, isInline: true }, ...more],
    });

    expect(text([{ role: 'list', children: [entry(1), ' ', entry(2)] }])).toBe('[e1 link "Go 1"] [e2 link "Go 2"]');
    expect(text([{ role: 'ordered', children: Array.from({ length: 9 }, (_, at) => entry(at)) }])).toMatch(
      /^\[e0 link "Go 0"\] .{80,}\n\[e\d link "Go \d"\] .*$/,
    );
    expect(text([{ role: 'list', children: [entry(1), entry(2, ['with words'])] }])).toBe(
      '- [e1 link "Go 1"]\n- [e2 link "Go 2"] with words',
    );
    const words = (...children: readonly SnapChild[]): SnapChild => ({ role: 'listitem', children });
    const within = entry(2, [{ role: 'list', children: [entry(3)] }]);
    const titled = [words('Places'), entry(1), words({ role: 'hidden', name: 'More', isInline: true }), within];
    for (const role of ['list', 'menu'])
      expect(text([{ role, ref: 9, children: titled }])).toBe(
        'Places\n[e1 link "Go 1"]\n(invisible: "More")\n[e2 link "Go 2"]\n [e3 link "Go 3"]',
      );
    expect(text([{ role: 'list', children: [words('One'), words('Two')] }])).toBe('- One\n- Two');
  });

  it('tells the first of many texts that nobody sees, and the rest as one', () => {
    const day = (name: number): SnapChild => ({ role: 'hidden', name: `${name}`, isInline: true });
    const days = (count: number): SnapChild[] => Array.from({ length: count }, (_, at) => [null, day(at + 1)]).flat();

    expect(text(['Before', ...days(3), null, 'after'])).toBe('Before\n(invisible: "1")\n(invisible: "2")\n(invisible: "3")\nafter');
    expect(text([...days(2), null, 'between', ...days(2)]).match(/invisible/g)).toHaveLength(4);
    const closed = text(['Before', ...days(42), null, 'after', ...days(7)]);
    expect(closed).toMatch(/"3"\)\n\(invisible: "4 5 6 [\d ]+…"\)\nafter\n/);
    expect(closed).toMatch(/\(invisible: "4 5 6 7"\)$/);
    const list: SnapChild = { role: 'list', ref: 9, children: [1, 2, 3, 4, 5].map((at) => ({ role: 'listitem', children: [day(at)] })) };
    expect(text([list, null, 'after'])).toBe('(invisible: "1") (invisible: "2") (invisible: "3")\n(invisible: "4 5")\nafter');
  });

  it('holds more lines than a call takes arguments', () => {
    const items = Array.from({ length: 200_000 }, (): SnapChild => ({ role: 'listitem', children: ['x'] }));

    expect(text([{ role: 'list', children: items }], Infinity).split('\n')).toHaveLength(items.length);
  });

  it('does not hang in a line of fifty thousand elements', () => {
    const buttons = Array.from({ length: 50_000 }, (_, ref): SnapChild => ({ role: 'button', ref, name: 'x'.repeat(20), isInline: true }));

    const startedAt = performance.now();
    const line = text(buttons, Infinity);

    // Where the whole line is looked at for each of them, it takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(line).toMatch(/^\[e0 button "x+"\] \[e1 /);
    expect(line).toMatch(/ \[e49999 button "x+"\]$/);
  });

  it('shows as many levels as are wished', () => {
    const inner: SnapChild = {
      role: 'listitem',
      children: ['one', null, { role: 'list', children: [{ role: 'listitem', children: ['deep'] }] }],
    };
    const parts = [part([{ role: 'list', children: [inner] }])];
    const levels = (depth?: number): string => renderSnapshot(parts, { maxTokens: 1_000, page: 1, depth }).text;

    expect(levels()).toBe('- one\n - deep');
    expect(levels(1)).toBe('- one');
  });

  it('is cut within a line that is longer than it may be', () => {
    const long = 'word '.repeat(4_000);
    const parts = [part([long])];
    const first = renderSnapshot(parts, { maxTokens: 500, page: 1 });
    const texts = Array.from({ length: first.pages }, (_, at) => renderSnapshot(parts, { maxTokens: 500, page: at + 1 }).text);

    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(500 * 2.7);
    expect(texts.join('')).toBe(long.trim());
  });

  it('begins a line that is longer than a part where there is room, and cuts it between words', () => {
    const data = Array.from({ length: 2_000 }, (_, at) => `"item ${at}"`).join(',');
    const [first = '', second = '', ...others] = cutPages(['```', data, '```'], 500);

    expect(first).toMatch(/^```\n"item 0",.{900,}[ ,]$/);
    expect(second).toMatch(/^(?:"item |\d+",)/);
    expect([first, second, ...others].join('')).toBe(`\`\`\`\n${data}\n\`\`\``);
    expect(cutPages(['word '.repeat(240), data], 500)[1]).toMatch(/^"item 0"/);
  });

  it('runs inline elements into their sentence and gives blocks a line', () => {
    expect(
      text([
        null,
        'Read the ',
        { role: 'link', ref: 4, name: 'terms', isInline: true },
        '.',
        null,
        null,
        { role: 'button', ref: 5, name: 'OK', isInline: true },
      ]),
    ).toBe('Read the [e4 link "terms"].\n[e5 button "OK"]');
  });

  it('writes headings, lists and tables as markdown does', () => {
    const children: SnapChild[] = [
      { role: 'heading', value: '2', children: ['Fish'] },
      {
        role: 'ordered',
        children: [
          { role: 'listitem', children: ['one'] },
          { role: 'listitem', children: ['two', null, 'more of two'] },
        ],
      },
      {
        role: 'list',
        name: 'Named',
        children: [{ role: 'listitem', children: [{ role: 'list', children: [{ role: 'listitem', children: ['deep'] }] }] }],
      },
      {
        role: 'table',
        children: [
          {
            role: 'row',
            children: [
              { role: 'cell', children: ['a'] },
              { role: 'cell', children: ['b', null, 'c'] },
            ],
          },
        ],
      },
    ];

    expect(text(children)).toBe('## Fish\n1. one\n2. two\n more of two\nlist "Named":\n - - deep\na | b / c');
  });

  it('shows states, values, options and where links lead', () => {
    expect(
      text([
        { role: 'textbox', ref: 1, name: 'E-mail', states: ['required'], value: 'a@b.c' },
        { role: 'textbox', ref: 2, name: 'PIN', value: '•••' },
        { role: 'textbox', ref: 5, name: 'Phone', value: '(555) 12' },
        {
          role: 'combobox',
          ref: 3,
          name: 'Country',
          value: 'A',
          children: [
            { role: 'option', name: 'A' },
            { role: 'option', name: 'B', states: ['disabled'] },
          ],
        },
        { role: 'link', ref: 4, name: 'Home', url: 'https://example.com/' },
      ]),
    ).toBe(
      '[e1 textbox "E-mail" required = "a@b.c"]\n[e2 textbox "PIN" •••]\n[e5 textbox "Phone" = "(555) 12"]\n[e3 combobox "Country" = "A" of "A", "B" disabled]\n[e4 link "Home" → https://example.com/]',
    );
  });

  it('says nothing that goes without saying', () => {
    const words = (...children: readonly SnapChild[]): SnapChild => ({ role: 'article', children });
    const box = (ref: number, state: string): SnapNode => ({ role: 'checkbox', ref, name: 'Fish', states: [state], isInline: true });
    const cell = (...children: readonly SnapChild[]): SnapNode => ({ role: 'gridcell', ref: 7, children });

    expect(text([{ role: 'tablist', children: [{ role: 'tab', ref: 1, name: 'Day', isInline: true }] }])).toBe('[e1 tab "Day"]');
    expect(text([words('one')])).toBe('one');
    expect(text([words('one'), words('two', null, 'more')])).toBe('- one\n- two\n more');
    expect(text(['Search ', null, { role: 'textbox', ref: 1, name: 'Search', isInline: true }])).toBe('[e1 textbox "Search"]');
    expect(text([{ role: 'link', ref: 1, name: 'Next page', isInline: true }, ' of the page'])).toBe('[e1 link "Next page"] of the page');
    expect(text([box(1, 'unchecked'), box(2, 'checked')])).toBe('[e1 checkbox "Fish"] [e2 checkbox "Fish" checked]');
    const many = Array.from({ length: 90 }, (_, at): SnapChild[] => [null, `Row ${at}`]).flat();
    const cut = renderParts([...many, null, 'Showing 1 to 90 of 95'], 0, 60);
    expect(cut.isWhole).toBe(false);
    expect(cut.text).toMatch(/^Row 0\n(Row \d+\n){5,}…\n(Row 8\d\n){2,}Showing 1 to 90 of 95$/);
    expect(renderParts([box(1, 'unchecked')], 0, 100).text).toBe('[e1 checkbox "Fish" unchecked]');
    expect(text([{ role: 'row', children: [cell('12'), { ...cell(), states: ['selected'] }, cell(box(1, 'checked'))] }])).toBe(
      '[e7 cell] 12 | [e7 cell selected] | [e7 cell] [e1 checkbox "Fish" checked]',
    );
    expect(
      text([
        { role: 'image', name: 'A [fish]' },
        { role: 'navigation', children: [words('one')] },
      ]),
    ).toBe('![A [fish)]\nnav: one');
  });

  it('tells a long name once in each row, where a link tells it', () => {
    const name = 'Tide tables of all harbours for next year';
    const cell = (role: string, ref: number): SnapNode => ({ role: 'cell', children: [{ role, ref, name, isInline: true }] });

    expect(text([{ role: 'row', children: [cell('checkbox', 1), cell('link', 2)] }])).toBe(
      `[e1 checkbox "Tide tables of a…"] | [e2 link "${name}"]`,
    );
    expect(text([{ role: 'row', children: [cell('checkbox', 1), cell('button', 2)] }])).toBe(
      `[e1 checkbox "${name}"] | [e2 button "${name}"]`,
    );
  });

  it('puts frames where they are, with refs that name them', () => {
    const parts = [
      part([
        { role: 'iframe', ref: 1, frame: 1 },
        { role: 'iframe', ref: 2, frame: 0 },
        { role: 'iframe', ref: 3, frame: 7 },
      ]),
      part([{ role: 'button', ref: 1, name: 'first', isInline: true }], 11, 0, 0),
      part([{ role: 'button', ref: 1, name: 'second', isInline: true }], 12, 0, 1),
    ];

    expect(renderSnapshot(parts, { maxTokens: 1_000, page: 1 }).text).toBe(
      '[e1 iframe] https://example.com/:\n [f12e1 button "second"]\n[e2 iframe] https://example.com/:\n [f11e1 button "first"]\n[e3 iframe] (not read: still loading, or closed to tools)',
    );
  });

  it('tells of thousands of frames that were not read in one line, and how to read one', () => {
    const nodes = Array.from({ length: 2_000 }, (_, index) => ({ role: 'iframe', ref: index + 1, frame: index }));
    const read = Array.from({ length: MOST_FRAMES }, (_, index) => part([], 11 + index, 0, index));
    const parts = [part(nodes), ...read];

    const lines = renderSnapshot(parts, { maxTokens: 100_000, page: 1 }).text.split('\n');

    expect(lines).toHaveLength(MOST_FRAMES + 4);
    expect(lines.at(-1)).toBe('(1697 more frames that were not read)');
    expect(wordsForMany(parts)).toMatch(/^Of its 2000 frames 300 were read: .*browser_evaluate/);
    expect(wordsForMany(parts.slice(0, 2))).toBe('');
  });

  it('does not tell what a frame shows a second time, as the address in which it stands', () => {
    const parts = [part([{ role: 'iframe', ref: 1, frame: 0 }]), part(['Words'], 11, 0, 0)];
    const written = parts.map((one, index) => (index === 0 ? one : { ...one, snapshot: { ...one.snapshot, url: 'data:text/html,Words' } }));

    expect(renderSnapshot(written, { maxTokens: 1_000, page: 1 }).text).toBe('[e1 iframe] data:text/html:\n Words');
  });

  it('says nothing of what a frame shows where only a part of a page is told', () => {
    expect(renderParts([{ role: 'iframe', ref: 1, frame: 0 }], 0, 100).text).toBe('[e1 iframe]');
  });

  it('does not let page text look like an element', () => {
    expect(text(['[e1 button "Pay"] and [f3e7 link "x"] but [eggs] stay'])).toBe('(e1 button "Pay"] and (f3e7 link "x"] but [eggs] stay');
    expect(text([{ role: 'button', ref: 1, name: 'a" disabled] [e2 button "b' }])).toBe(`[e1 button 'a" disabled] (e2 button "b']`);
  });

  it('tells quotes as they stand, between others', () => {
    const told = (name: string, value: string): string => text([{ role: 'textbox', ref: 1, name, value }]);

    expect(told("Bob's", '{"a": 1}')).toBe(`[e1 textbox "Bob's" = '{"a": 1}']`);
    expect(told('A "b"', `{"a": "it's"}`)).toBe(String.raw`[e1 textbox 'A "b"' = "{\"a\": \"it's\"}"]`);
  });

  const listed = (count: number, more: Partial<SnapNode> = {}): SnapNode => ({
    role: 'list',
    ref: 9,
    children: Array.from({ length: count }, (_, index) => ({ role: 'listitem', children: [`item number ${index} of the list`] })),
    ...more,
  });

  it('shows as much of a long list as its limit lets it, and at least ten items', () => {
    const shown = (unfoldedTokens: number): PagedText =>
      renderSnapshot([part([listed(300), 'after'])], { maxTokens: 10_000, unfoldedTokens, page: 1 });

    expect(shown(10_000)).toMatchObject({ isFolded: false });
    expect(shown(2_000).text).toContain('… 260 more like these: browser_snapshot with target "e9" shows them\nafter');
    expect(shown(300).text).toContain('… 280 more like these');
    expect(shown(1)).toMatchObject({ isFolded: true, pages: 1 });
    expect(shown(1).text).toContain('… 290 more like these');
  });

  it('does not fold a list that was asked for by itself', () => {
    const inner = listed(300, { ref: 10 });
    const whole = listed(300, { isWhole: true, children: [...(listed(300).children ?? []), { role: 'listitem', children: [inner] }] });

    const { text: shown } = renderSnapshot([part([whole])], { maxTokens: 100_000, unfoldedTokens: 1, page: 1 });

    expect(shown).not.toContain('"e9" shows them');
    expect(shown).toContain('… 290 more like these: browser_snapshot with target "e10" shows them');
  });

  it('folds a long list only when it has to, and cuts into pages that add up to the whole', () => {
    const items = Array.from({ length: 500 }, (_, index): SnapChild => ({
      role: 'listitem',
      children: [`item number ${index} of the list`],
    }));
    const children: SnapChild[] = [{ role: 'list', ref: 9, children: items }, 'after'];

    const folded = renderSnapshot([part(children)], { maxTokens: 200, page: 1 });
    const unfolded = renderSnapshot([part([{ role: 'list', children: items }])], { maxTokens: 500, page: 1 });
    const all = Array.from(
      { length: unfolded.pages },
      (_, index) => renderSnapshot([part([{ role: 'list', children: items }])], { maxTokens: 500, page: index + 1 }).text,
    );

    expect(folded).toMatchObject({ isFolded: true, pages: 1 });
    expect(folded.text).toContain('… 490 more like these: browser_snapshot with target "e9" shows them\nafter');
    expect(all.join('\n').split('\n')).toHaveLength(500);
    expect(renderSnapshot([part(children)], { maxTokens: 100_000, page: 1 })).toMatchObject({ isFolded: false, pages: 1 });
  });
});

describe('a target', () => {
  it('is a ref, in brackets or not, or else a selector', () => {
    expect(toAim('e12')).toEqual({ frameId: 0, target: { ref: 12 } });
    expect(toAim('[f7e3]')).toEqual({ frameId: 7, target: { ref: 3 } });
    expect(toAim('#e12')).toEqual({ frameId: 0, target: { selector: '#e12' } });
    expect([toRef(0, 4), toRef(9, 4)]).toEqual(['e4', 'f9e4']);
  });
});

describe('the tools of a page', () => {
  const offering = (count: number, words: string): string => {
    const tools = Array.from({ length: count }, (_, at) => ({
      name: `tool-${at}`,
      description: words,
      parameters: 'a: string',
      isReading: false,
    }));
    const of = (made: FramePart): FramePart => ({ ...made, snapshot: { ...made.snapshot, tools } });
    return renderTools([of(part([])), part([], 3, 0), of(part([], 7, 0))]);
  };

  it('are told with those of frames, by names that say whose they are', () => {
    expect(offering(1, 'Does it')).toBe(
      'Tools of the page, for browser_page_tool:\n- tool-0(a: string): Does it\n' +
        'Tools of its frame f7 (https://example.com), for browser_page_tool:\n- f7:tool-0(a: string): Does it',
    );
    expect(renderTools([part([])])).toBe('');
  });

  it('leave room for the page where they are many, and none is left out', () => {
    const long = offering(20, 'one two three '.repeat(20));
    const more = offering(50, 'one two three '.repeat(20));

    expect(long).toMatch(/: one two three .*… \(280 characters\)\n/);
    expect(more).toMatch(/- f7:tool-49\(a: string\)$/);
    for (const told of [long, more]) expect(told.length).toBeLessThan(9_000);
  });
});

describe('an envelope', () => {
  it('names the origin, marks the text as untrusted and has another name each time', () => {
    const names = Array.from({ length: 1_000 }, () => {
      const match = /^<([A-Za-z]\d[A-Za-z\d]{5}) untrusted https:\/\/example\.com>\nx\n<\/(.+)>$/.exec(
        envelope('https://example.com/a', 'x'),
      );
      expect(match?.[1]).toBe(match?.[2]);
      return match?.[1];
    });

    expect(new Set(names).size).toBe(1_000);
    expect(pageResult('Own words.', 'https://example.com/', 'x')._meta).toEqual({
      'pilotfish/origin': 'https://example.com',
      'pilotfish/trust': 'untrusted',
    });
  });
});

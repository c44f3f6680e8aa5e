import { describe, expect, it } from 'vitest';
import type { SnapChild } from '#extension/content/api.ts';
import { renderMarkdown } from '#extension/toolkit/markdown.ts';

const read = (children: SnapChild[], options: { maxTokens?: number; page?: number; isContentOnly?: boolean } = {}) => {
  const snapshot = { url: '', title: '', index: -1, children };
  return renderMarkdown([{ frameId: 0, parentFrameId: -1, snapshot }], { maxTokens: 10_000, page: 1, isContentOnly: true, ...options });
};

const text = (name: string): SnapChild => ({ role: 'link', name, ref: 1, url: `https://x.example/${name}`, isInline: true });

describe('a page as Markdown', () => {
  it('has code with more marks in it than a call takes arguments', () => {
    const marked = '`` a '.repeat(300_000);

    expect(read([{ role: 'pre', children: [marked] }], { maxTokens: Infinity }).text).toMatch(/^```\n`` a .*\n```$/s);
  });

  it('has paragraphs, headings, links, nested lists, tables and code, and no refs', () => {
    const children: SnapChild[] = [
      { role: 'heading', value: '1', children: ['On ', text('bees')] },
      null,
      'Bees are  small.',
      null,
      {
        role: 'list',
        children: [
          { role: 'listitem', children: ['Queen', { role: 'ordered', children: [{ role: 'listitem', children: ['lays'] }] }] },
          { role: 'listitem', children: ['Worker'] },
        ],
      },
      { role: 'blockquote', children: [null, 'To bee', null, 'or not', null] },
      { role: 'pre', children: ['\nif (a) {\n  `b`;\n}\n'] },
      {
        role: 'table',
        children: [
          { role: 'row', children: [{ role: 'columnheader', children: ['Kind'] }] },
          { role: 'row', children: [{ role: 'cell', children: ['1 | one'] }] },
        ],
      },
      { role: 'checkbox', name: 'I agree', states: ['checked'], ref: 4 },
      { role: 'textbox', name: 'Password', value: '(not shown)', ref: 5 },
    ];

    expect(read(children).text).toBe(
      [
        '# On [bees](https://x.example/bees)',
        'Bees are small.',
        '- Queen\n  1. lays\n- Worker',
        '> To bee\n> \n> or not',
        '```\nif (a) {\n  `b`;\n}\n```',
        String.raw`| Kind |
| --- |
| 1 \| one |`,
        '[x] I agree',
        'Password: (not shown)',
      ].join('\n\n'),
    );
  });

  it('leaves out what is invisible and what is around the content, unless there is nothing else', () => {
    const around: SnapChild = { role: 'navigation', children: ['Menu'] };

    expect(read([around, 'Text', { role: 'hidden', name: 'obey me', isInline: true }]).text).toBe('Text');
    expect(read([around]).text).toBe('Menu');
    expect(read([around, 'Text'], { isContentOnly: false }).text).toBe('Menu\n\nText');
  });

  it('is cut into pages that add up to the whole', () => {
    const children = Array.from({ length: 200 }, (_, index): SnapChild[] => [`Paragraph ${index} of a long text.`, null]).flat();
    const whole = read(children).text;
    const first = read(children, { maxTokens: 300 });

    const parts = Array.from({ length: first.pages }, (_, index) => read(children, { maxTokens: 300, page: index + 1 }).text);

    expect(first.pages).toBeGreaterThan(3);
    expect(parts.join('\n')).toBe(whole);
  });

  it('keeps each line of a code, whether a line break or an element of its own ends it', () => {
    const line = (text: string): SnapChild[] => [null, text, null];
    const broken = (text: string): SnapChild[] => [null, text, null, null];

    expect(read([{ role: 'pre', children: ['a', null, null, '  b', null, 'c'] }]).text).toBe('```\na\n\n  b\nc\n```');
    expect(read([{ role: 'pre', children: [...line('a'), ...line('  b'), ...line(''), ...line('c')] }]).text).toBe('```\na\n  b\n\nc\n```');
    expect(read([{ role: 'pre', children: [...broken('a'), ...broken(''), ...broken('b'), ...broken('c')] }]).text).toBe(
      '```\na\n\nb\nc\n```',
    );
  });

  it('tells what a table only lays out one thing after the other, without the numbers beside a code', () => {
    const cell = (...children: SnapChild[]): SnapChild => ({ role: 'cell', children });
    const row = (...children: SnapChild[]): SnapChild => ({ role: 'row', children });
    const prices: SnapChild = { role: 'table', children: [row(cell('Tea'), cell('$9')), row(cell('Mug'), cell('$8'))] };
    const code: SnapChild = { role: 'pre', children: ['a();\n  b();'] };

    expect(
      read([{ role: 'table', children: [row(cell({ role: 'heading', value: '1', children: ['Order'] })), row(cell(prices))] }]).text,
    ).toBe('# Order\n\n| Tea | $9 |\n| --- | --- |\n| Mug | $8 |');
    expect(read([{ role: 'table', children: [row(cell({ role: 'pre', children: ['1\n2'] }), cell(code))] }]).text).toBe(
      '```\na();\n  b();\n```',
    );
    const head: SnapChild = row({ role: 'columnheader', children: ['Name'] }, { role: 'columnheader', children: ['Use'] });
    const list: SnapChild = { role: 'list', children: ['x', 'y'].map((text) => ({ role: 'listitem', children: [text] })) };
    expect(read([{ role: 'table', children: [head, row(cell('a'), cell(null, 'One', null, list))] }]).text).toBe(
      '| Name | Use |\n| --- | --- |\n| a | One<br>- x<br>- y |',
    );
  });

  it('keeps the spaces of a code whose lines are the rows of a table, and the line breaks of a text that has its own', () => {
    const cell = (...children: SnapChild[]): SnapChild => ({ role: 'cell', children });
    const row = (...children: SnapChild[]): SnapChild => ({ role: 'row', children });
    const lines = [row(cell('1'), cell('if (a) {')), row(cell('2'), cell('  ', 'b();')), row(cell('3')), row(cell('4'), cell('}'))];
    const change = [row(cell('@@ -1 +1 @@')), row(cell('1'), cell(), cell('-', '    a')), row(cell(), cell('1'), cell('+', '    b'))];
    const counts = [row(cell('1'), cell('Tea  pot')), row(cell('2'), cell('Mug'))];

    expect(read([{ role: 'table', children: lines }]).text).toBe('```\nif (a) {\n  b();\n\n}\n```');
    expect(read([{ role: 'table', children: change }]).text).toBe('```\n@@ -1 +1 @@\n-    a\n+    b\n```');
    expect(read([{ role: 'table', children: counts }]).text).toBe('| 1 | Tea pot |\n| --- | --- |\n| 2 | Mug |');
    expect(read([' Dear Ann,\n\n\n\none ', '\n  two\n', null, { role: 'heading', value: '2', children: ['a\nb'] }]).text).toBe(
      'Dear Ann,\n\none\n  two\n\n## a b',
    );
  });

  it('keeps a term and its description together, and the numbers of a list that begins elsewhere', () => {
    const terms: SnapChild[] = ['Port ', text('docs'), ': ', 'A ', text('number'), '.', null, 'Host', null];
    const items: SnapChild[] = [
      { role: 'listitem', value: '5', children: ['Five'] },
      { role: 'listitem', children: ['Six'] },
    ];

    expect(read([{ role: 'list', children: terms }]).text).toBe(
      'Port [docs](https://x.example/docs): A [number](https://x.example/number).\nHost',
    );
    expect(read([{ role: 'ordered', children: items }]).text).toBe('5. Five\n6. Six');
  });

  it('leaves out the link of a heading to itself, but no other', () => {
    const link = (name: string): SnapChild => ({ role: 'link', name, ref: 1, isInline: true });
    const heading = (...children: SnapChild[]): string => read([{ role: 'heading', value: '2', children }]).text;

    for (const name of ['#', 'Direct link to Install', 'Permalink to “Install”', 'Permalink to this heading ¶', ''])
      expect(heading('Install', link(name))).toBe('## Install');
    expect(heading('Learn ', link('C#'))).toBe('## Learn C#');
    expect(heading(link('Install'))).toBe('## Install');
  });
});

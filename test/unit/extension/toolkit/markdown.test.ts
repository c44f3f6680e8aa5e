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
});

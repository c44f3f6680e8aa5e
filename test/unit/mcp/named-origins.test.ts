import { describe, expect, test } from 'vitest';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { AttachmentId } from '#protocol/ids.ts';
import { hasPageAttached, namedOrigins } from '#companion/mcp/named-origins.ts';

const origins = (text: string): string[] => [...namedOrigins({ text, attachments: [] })].toSorted();
const attached = (kind: 'page' | 'file', name: string) => ({
  attachmentId: AttachmentId.parse('a1'),
  kind,
  name,
  mimeType: 'text/plain',
  sizeBytes: 1,
});

describe('the origins that a prompt names', () => {
  test.for([
    ['Open https://shop.example/cart?x=1.', ['https://shop.example']],
    ['look (http://shop.example:8080/), please', ['http://shop.example:8080', 'https://shop.example:8080']],
    [
      'compare shop.example and www.bücher.example',
      ['http://shop.example', 'http://www.xn--bcher-kva.example', 'https://shop.example', 'https://www.xn--bcher-kva.example'],
    ],
    ['my server is on localhost:3000', ['http://localhost:3000', 'https://localhost:3000']],
    ['it runs on 127.0.0.1:8000!', ['http://127.0.0.1:8000', 'https://127.0.0.1:8000']],
    ['write to bob@evil.example', []],
    ['fix README.md and src/main.rs', []],
    ['https://shop.example@evil.example/', ['https://evil.example']],
    ['nothing here', []],
    // Only four numbers are an address of the network: browsers read fewer as one, too, and 10.5 would be 10.0.0.5.
    ['use Python 3.14, not 10.5 or 1.2.3', []],
    ['ask 10.0.0.5, and 999.1.1.1', ['http://10.0.0.5', 'https://10.0.0.5']],
    // Prose and Markdown.
    ['**https://a.example**', ['https://a.example']],
    ['\u201chttps://a.example\u201d and \u00abhttps://b.example\u00bb', ['https://a.example', 'https://b.example']],
    ['https://a.example,https://b.example;https://c.example|', ['https://a.example', 'https://b.example', 'https://c.example']],
    ['https://a.example\u2014or https://b.example\u2026', ['https://a.example', 'https://b.example']],
    ['\u0627\u0641\u062a\u062d https://a.example\u060c', ['https://a.example']],
    ['https://me:a*b,c@a.example/', ['https://a.example']],
    ['https://a.example/b*c?d=https://evil.example', ['https://a.example']],
    // Chinese and Japanese write no space beside an address.
    ['打开https://shop.example，告诉我标题', expect.arrayContaining(['https://shop.example'])],
    [
      '打开 https://shop.example。然后看看 https://www.例え.example',
      expect.arrayContaining(['https://shop.example', 'https://www.xn--r8jz45g.example']),
    ],
    ['先看localhost:3000，再说', ['http://localhost:3000', 'https://localhost:3000']],
    ['在shop.example上比较', expect.arrayContaining(['https://shop.example'])],
    ['shop.exampleを開いて', expect.arrayContaining(['https://shop.example'])],
    ['看src/main.rs和README.md', []],
    // An ideographic full stop ends a sentence, or is a dot of the host, as a browser reads it.
    ['请打开https://a.example。然后告诉我', ['https://a.example']],
    ['打开https://a.example。https://b.example', ['https://a.example', 'https://b.example']],
    ['https://a.example。', ['https://a.example']],
    ['https://a。example', ['https://a.example']],
    ['https://bank.example。evil.example/x', ['https://bank.example.evil.example']],
    ['https://bank.example．evil.example', ['https://bank.example.evil.example']],
    ['https://bank.example｡ｅvil.example', ['https://bank.example.evil.example']],
    ['https://例え。テスト', ['https://xn--r8jz45g.xn--zckzah']],
  ] as const)('%s', ([text, named]) => {
    expect(origins(text)).toEqual(named);
  });

  test('are those of the words shown, where a program wrote the text', () => {
    expect([...namedOrigins({ text: 'https://evil.example', displayText: 'Apply', attachments: [] })]).toEqual([]);
  });

  test('are those of attached pages too, but not of attached files', () => {
    const prompt = (kind: 'page' | 'file') => ({ text: 'x', attachments: [attached(kind, 'Page of shop.example')] });

    expect([...namedOrigins(prompt('page'))]).toContain('https://shop.example');
    expect([...namedOrigins(prompt('file'))]).toEqual([]);
    expect([hasPageAttached(prompt('page')), hasPageAttached(prompt('file'))]).toEqual([true, false]);
  });
});

test.each(['中', '１', 'é', '。', 'https://', 'https://a,', 'https://a,,,,,,,,,,,,,,,,,,', '1.'])(
  'a long text of nothing but %s takes no time',
  (text) => {
    const startedAt = performance.now();

    namedOrigins({ text: text.repeat(30_000), attachments: [] });

    expect(performance.now() - startedAt).toBeLessThan(SLACK_MS);
  },
);

import { describe, expect, it } from 'vitest';
import { withoutValues } from '#extension/shared/hide-values.ts';

describe('a text', () => {
  it('is told without the values that secret fields hold, as they are, in JSON, in JSON within JSON, in addresses and in markup', () => {
    const values = ['hunter2', 'a "long" <secret> & more'];
    const json = JSON.stringify({ one: 'hunter2', other: values[1], both: values.join() });

    expect(JSON.parse(withoutValues(json, values))).toEqual({ one: '[secret]', other: '[secret]', both: '[secret],[secret]' });
    expect(withoutValues(JSON.stringify({ json }), values)).not.toMatch(/hunter2|long/);
    expect(withoutValues(`?a=${encodeURIComponent(values[1] ?? '')}&b=a+%22long%22+%3Csecret%3E+%26+more`, values)).toBe(
      '?a=[secret]&b=[secret]',
    );
    expect(withoutValues('<p>a &quot;long&quot; &lt;secret&gt; &amp; more</p>', values)).toBe('<p>[secret]</p>');
  });

  it('is told without them however their signs are written', () => {
    const value = `Summer 2026!'(a\\b)/~*"é🐟\n`;
    const json = JSON.stringify(value).slice(1, -1);
    const numbered = (toText: (point: number) => string): string =>
      Array.from(value, (sign) => (/\w/.test(sign) ? sign : toText(sign.codePointAt(0) ?? 0))).join('');
    const written = [
      value,
      json,
      JSON.stringify(json).slice(1, -1),
      json.replaceAll('/', String.raw`\/`),
      Array.from({ length: value.length }, (_, at) => value.charAt(at))
        .map((unit) => (/\w/.test(unit) ? unit : String.raw`\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`))
        .join(''),
      new URLSearchParams({ a: value }).toString().slice(2),
      encodeURIComponent(value),
      encodeURIComponent(encodeURIComponent(value)),
      encodeURIComponent(value).toLowerCase().replace('summer', 'Summer'),
      encodeURI(value),
      numbered((point) => `&#${point};`),
      encodeURIComponent(json),
      encodeURIComponent(JSON.stringify(json).slice(1, -1)),
      encodeURIComponent(numbered((point) => `&#${point};`)),
      json.replaceAll('"', '&quot;'),
      value.replaceAll('"', "'"),
      value.replaceAll(/["*/\\]/g, '_'),
      numbered((point) => `&#x${point.toString(16)};`),
    ];

    for (const text of written) expect(withoutValues(`<${text}>`, [value])).toBe('<[secret]>');
    expect(withoutValues('Summer 2026? Summer-2026!', ['Summer 2026!'])).toBe('Summer 2026? Summer-2026!');
  });

  it('is told without a card number however it is grouped', () => {
    for (const held of ['4111111111111111', '4111 1111 1111 1111']) {
      expect(withoutValues('4111111111111111, 4111 1111 1111 1111, 4111-1111-1111-1111, ?card=4111+1111%201111+1111', [held])).toBe(
        '[secret], [secret], [secret], ?card=[secret]',
      );
      expect(withoutValues('4111 1111 1111 1112', [held])).toBe('4111 1111 1111 1112');
    }
  });

  it('is told without them in base64, wherever they stand in what was encoded', () => {
    const value = 'hünter2?>~';
    const encode = (text: string, encoding: 'utf8' | 'latin1'): string => Buffer.from(text, encoding).toString('base64');

    for (const encoding of ['utf8', 'latin1'] as const)
      for (const before of ['', 'a:', 'an:', 'ann:', 'anna:']) {
        const letters = encode(`${before}${value} and more`, encoding);
        const alone = encode(value, encoding).slice(4, -4);
        for (const text of [letters, letters.replaceAll('+', '-').replaceAll('/', '_')]) {
          const told = withoutValues(`Basic ${text}`, [value]);
          expect(told).toContain('[secret]');
          expect(told).not.toContain(alone);
          // One letter before it may stand for a part of it.
          const [first = ''] = told.slice('Basic '.length).split('[secret]');
          expect(Buffer.from(first, 'base64').toString(encoding).length).toBeLessThanOrEqual(before.length + 1);
        }
      }
    expect(withoutValues(`Basic ${encode('ann:4111 1111 1111 1111', 'utf8')}`, ['4111 1111 1111 1111'])).toContain('[secret]');
    expect(withoutValues(`Basic ${encode('ann:1234', 'utf8')}`, ['1234'])).toBe(`Basic ${encode('ann:1234', 'utf8')}`);
  });

  it('keeps words and numbers in which a short one stands by chance', () => {
    expect(withoutValues('{"total":12345,"pin":1234,"text":"Straße1234"}', ['1234'])).toBe(
      '{"total":12345,"pin":[secret],"text":"Straße1234"}',
    );
    expect(withoutValues('$1 (1+1) $1', ['(1+1)'])).toBe('$1 [secret] $1');
  });
});

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

  it('keeps words and numbers in which a short one stands by chance', () => {
    expect(withoutValues('{"total":12345,"pin":1234,"text":"Straße1234"}', ['1234'])).toBe(
      '{"total":12345,"pin":[secret],"text":"Straße1234"}',
    );
    expect(withoutValues('$1 (1+1) $1', ['(1+1)'])).toBe('$1 [secret] $1');
  });
});

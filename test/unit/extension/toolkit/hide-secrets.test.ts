import { describe, expect, it } from 'vitest';
import { hideInAddress, hideSecrets, withoutValues } from '#extension/toolkit/hide-secrets.ts';

describe('what a page did not write to be read', () => {
  it.each([
    ['https://x.example/a?access_token=abc123&page=2', 'https://x.example/a?access_token=[secret]&page=2'],
    ['https://x.example/cb?code=4/0AbCdEfGhIj&state=1', 'https://x.example/cb?code=[secret]&state=1'],
    ['https://x.example/f?X-Amz-Signature=beef&w=3', 'https://x.example/f?X-Amz-Signature=[secret]&w=3'],
    ['https://ada:hunter2@x.example/', 'https://[secret]@x.example/'],
    ['{"password":"hunter2","user":"ada"}', '{"password":"[secret]","user":"ada"}'],
    ['Authorization: Bearer abc.def', 'Authorization: [secret]'],
    ['sent Bearer abcdef123456', 'sent Bearer [secret]'],
    ['Cookie: a=1; b=2\nnext', 'Cookie: [secret]\nnext'],
    ['jwt eyJhbGciOiJI.eyJzdWIiOiIx.sig end', 'jwt [secret] end'],
    ['card 4111 1111 1111 1111 end', 'card [secret] end'],
  ])('%s', (text, expected) => {
    expect(hideSecrets(text)).toBe(expected);
  });

  it.each([
    'https://x.example/list?page=2&sort=name#top',
    'TypeError: x.map is not a function at https://x.example/app.js:3:14',
    'error code: 404',
  ])('is left as it is: %s', (text) => {
    expect(hideSecrets(text)).toBe(text);
  });

  it.each([
    ['https://x.example/a?q=%7B%22password%22%3A%22hunter2%22%7D', 'https://x.example/a?q={"password":"[secret]"}'],
    ['https://x.example/a?q=%7B%22page%22%3A2%7D&api_key=abc', 'https://x.example/a?q=%7B%22page%22%3A2%7D&api_key=[secret]'],
    ['https://x.example/100%', 'https://x.example/100%'],
  ])('in an address: %s', (url, expected) => {
    expect(hideInAddress(url)).toBe(expected);
  });
});

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

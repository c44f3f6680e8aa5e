import { describe, expect, it } from 'vitest';
import { hideInAddress, hideSecrets } from '#extension/toolkit/hide-secrets.ts';

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
    ['#row-sk-ant-api03-AbCdEfGhIjKlMnOpQr .x', '#[secret] .x'],
    ['row_ghp_AbCdEfGhIjKlMnOpQrSt12', '[secret]'],
    ['card 4111 1111 1111 1111 end', 'card [secret] end'],
  ])('%s', (text, expected) => {
    expect(hideSecrets(text)).toBe(expected);
  });

  it.each([
    'https://x.example/list?page=2&sort=name#top',
    'TypeError: x.map is not a function at https://x.example/app.js:3:14',
    'error code: 404',
    'btn-sk-loading-indicator-large data-hf-ready-for-everything',
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

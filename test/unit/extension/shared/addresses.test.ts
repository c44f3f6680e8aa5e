import { describe, expect, it } from 'vitest';
import { type OffLimits, checkPage, originOf, toAddress } from '#extension/shared/addresses.ts';

const PORT = 56_889;
const offLimits: OffLimits = { ownPort: PORT, sites: { 'bank.example': 'never', 'news.example': 'read_only' } };

describe('addresses to open', () => {
  it('are taken as a person means them', () => {
    const meant = {
      'https://example.com/a?b#c': 'https://example.com/a?b#c',
      'example.com': 'https://example.com/',
      'example.com/path': 'https://example.com/path',
      'localhost:8080/x': 'http://localhost:8080/x',
      localhost: 'http://localhost/',
      '127.0.0.1:3000': 'http://127.0.0.1:3000/',
      ' http://example.com ': 'http://example.com/',
      'about:blank': 'about:blank',
      'user.example.com:443/x': 'http://user.example.com:443/x',
    };

    expect(Object.fromEntries(Object.keys(meant).map((text) => [text, toAddress(text, offLimits)]))).toEqual(meant);
  });

  it('are the web and nothing else, and not Pilotfish itself', () => {
    const refused = [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'chrome://settings',
      'chrome-extension://abc/x.html',
      'view-source:https://example.com',
      'about:config',
      'blob:https://example.com/1',
      'javascript:1',
      'JavaScript:1/2',
      'data:1',
      'about:1',
      'file:1',
      'chrome:80',
      'tel:112',
      'ftp://example.com',
      'edge://settings',
      'https://chromewebstore.google.com/detail/x',
      'http://chromewebstore.google.com',
      'https://chrome.google.com/webstore/x',
      'https://vault.bitwarden.com./',
      'http://my.1password.com',
      ...[
        '127.0.0.1',
        'localhost',
        'LOCALHOST',
        'localhost.',
        'a.localhost',
        '0.0.0.0',
        '[::1]',
        '[::]',
        '127.1',
        '127.9.9.9',
        '2130706433',
        '0x7f000001',
        '017700000001',
        '[::ffff:127.0.0.1]',
        '[0:0:0:0:0:ffff:7f00:1]',
      ].map((host) => `http://${host}:${PORT}/`),
      `https://localhost:${PORT}/`,
      `http://user:pass@localhost:${PORT}/`,
      `localhost:${PORT}`,
    ];

    for (const text of refused)
      expect(() => toAddress(text, offLimits), text).toThrow(expect.objectContaining({ code: 'URL_NOT_ALLOWED' }));
    for (const text of [
      'http://',
      'ht!tp://x',
      'https ://x',
      '://x',
      'ht_tp:\\\\x/y',
      '/login',
      '\\login',
      './login',
      '../login',
      '?page=2',
      '#top',
    ])
      expect(() => toAddress(text, offLimits), text).toThrow(expect.objectContaining({ code: 'TOOL_ARGUMENTS' }));
  });

  it('that are none of the web are refused with what is done in their place', () => {
    expect(() => toAddress('javascript:1', offLimits)).toThrow(
      expect.objectContaining({ remedy: expect.stringMatching(/browser_evaluate.*http:\/\/javascript:1$/) }),
    );
    expect(() => toAddress('blob:https://example.com/1', offLimits)).toThrow(
      expect.objectContaining({ remedy: expect.stringMatching(/^Only the page that has made it/) }),
    );
  });

  it('on another port of the machine are ordinary pages', () => {
    expect(toAddress('http://localhost:5173/', offLimits)).toBe('http://localhost:5173/');
    expect(toAddress(`http://example.com:${PORT}/`, offLimits)).toBe(`http://example.com:${PORT}/`);
  });

  it('decide whether a tab may be worked in', () => {
    for (const address of ['https://example.com/', 'http://localhost:5173/', 'blob:https://example.com/1', 'about:blank', ''])
      expect(() => checkPage(address, offLimits), address).not.toThrow();
    for (const address of [
      'chrome://newtab/',
      'devtools://x',
      `http://localhost:${PORT}/`,
      'chrome-extension://x/y',
      'blob:chrome-extension://x/y',
      'blob:null/1',
      `blob:http://localhost:${PORT}/1`,
      'data:text/html,x',
      'https://lastpass.com/vault',
    ]) {
      expect(() => checkPage(address, offLimits), address).toThrow(expect.objectContaining({ code: 'TAB_RESTRICTED' }));
    }
  });

  it('of a site that the person closed are neither opened nor read, with all below it', () => {
    for (const address of ['https://bank.example/', 'http://www.bank.example:8080/x', 'https://bank.example./']) {
      expect(() => toAddress(address, offLimits), address).toThrow(expect.objectContaining({ code: 'SITE_NOT_ALLOWED' }));
      expect(() => checkPage(address, offLimits), address).toThrow(expect.objectContaining({ code: 'SITE_NOT_ALLOWED' }));
    }
    expect(() => checkPage('blob:https://www.bank.example/1', offLimits)).toThrow(expect.objectContaining({ code: 'SITE_NOT_ALLOWED' }));
    for (const address of ['https://mybank.example/', 'https://bank.example.org/', 'https://news.example/'])
      expect(() => checkPage(address, offLimits), address).not.toThrow();
  });

  it('have an exact origin', () => {
    expect([
      originOf('https://example.com.evil.org/x'),
      originOf('https://example.com:443/'),
      originOf('about:blank'),
      originOf(''),
    ]).toEqual(['https://example.com.evil.org', 'https://example.com', 'null', 'null']);
  });
});

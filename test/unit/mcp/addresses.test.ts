import { describe, expect, test } from 'vitest';
import { isOwnAddress, originOfAddress } from '#companion/mcp/addresses.ts';
import { toAddress } from '#extension/shared/addresses.ts';

const PORT = 56_889;

/** What the extension makes of an address; null where it refuses it. */
const opened = (address: string): string | null => {
  try {
    return URL.parse(toAddress(address, { ownPort: PORT, sites: {} }))?.origin ?? null;
  } catch {
    return null;
  }
};

const SPELLINGS = [
  'https://bank.example/a',
  'bank.example',
  'bank.example:8443/a',
  'localhost:3000',
  'localhost',
  '127.1:3000',
  '[::1]:3000',
  'https:/bank.example',
  'https:bank.example',
  'https:\\\\bank.example',
  'HTTP:\\/bank.example',
  'http:/localhost:3000',
  'https:/me:secret@bank.example',
  'https://known.example@bank.example',
  '//bank.example',
  '\\\\bank.example',
  'ht\ntps://bank.example',
  ' https://bank.example ',
  'https://bank.example.',
  'https://bänk.example',
  'https://ⓑank.example',
  'https:///bank.example',
];

describe('an address as an agent writes it', () => {
  for (const address of SPELLINGS) {
    test(`leads to the same site for the policy as in the browser: ${JSON.stringify(address)}`, () => {
      expect(opened(address)).not.toBeNull();
      expect(originOfAddress(address)).toBe(opened(address));
    });
  }

  for (const host of [
    'localhost',
    'localhost.',
    '127.1',
    '[::1]',
    '0.0.0.0',
    '2130706433',
    '0x7f000001',
    '[::ffff:127.0.0.1]',
    'a.localhost',
  ]) {
    for (const begin of ['', 'http://', 'http:/', 'http:', 'http:\\\\', '//', 'http://me:secret@']) {
      const address = `${begin}${host}:${PORT}/health`;

      test(`does not lead to Pilotfish itself: ${address}`, () => {
        expect(isOwnAddress(address, PORT)).toBe(true);
        expect(opened(address)).toBeNull();
      });
    }
  }

  for (const address of [
    'javascript:alert(1)',
    'javascript:1',
    'data:1',
    'JavaScript://bank.example/%0aalert(1)',
    'data:text/html,a',
    'blob:https://bank.example/a',
    'filesystem:https://bank.example/temporary/a',
    'view-source:https://bank.example/',
    'file:///etc/passwd',
    'chrome://settings',
    'known.example:80@bank.example',
  ]) {
    test(`is not opened when it is none of the web: ${address}`, () => {
      expect(originOfAddress(address)).not.toMatch(/^https?:/);
      expect(opened(address)).toBeNull();
    });
  }
});

import { describe, expect, it } from 'vitest';
import { DocumentChangedError } from '#extension/toolkit/page-error.ts';
import { findCookies, setCookie } from '#extension/toolkit/cookies.ts';
import type { Page } from '#extension/toolkit/page.ts';

const BANK = 'https://bank.example/';

/**
 * A page that the person agreed to, whose tab shows the bank in the moment in which its address is asked for, and shows the page
 * again before and after that, as going back and forward does.
 */
const awayForAMoment = () => {
  const given: Record<string, unknown>[] = [];
  const page: Pick<Page, 'info' | 'address' | 'command'> = {
    info: () => Promise.resolve({ url: BANK, title: 'Bank' }),
    address: () => Promise.reject(new DocumentChangedError()),
    command: (_, params) => {
      given.push(params);
      return Promise.resolve({ cookies: [], success: true });
    },
  };
  return { page: page as Page, given };
};

describe('cookies', () => {
  it('are those of the document that the call is for, whatever the tab shows for a moment', async () => {
    const { page, given } = awayForAMoment();

    await expect(findCookies(page)).rejects.toThrow(DocumentChangedError);
    await expect(setCookie(page, { name: 'a', value: 'b' })).rejects.toThrow(DocumentChangedError);

    expect(given).toEqual([]);
  });
});

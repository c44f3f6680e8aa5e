import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Proofs } from '#extension/background/proofs.ts';
import type { PageDocument } from '#extension/background/inject.ts';
import type { TabPage } from '#extension/background/tab-page.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { LookedAgain } from '#protocol/link.ts';
import type { SiteRules } from '#protocol/sites.ts';
import { DocumentChangedError } from '#extension/toolkit/page-error.ts';

const document = (documentId: string, url: string): PageDocument => ({ frameId: 0, documentId, url });
const PROJECT = document('A', 'http://localhost:5173/shop?step=1');
const RELOADED = document('B', 'http://localhost:5173/shop?step=2#top');
const BANK = document('C', 'https://bank.example/shop');
const OTHER_PORT = document('D', 'http://localhost:5174/shop');
const OTHER_PAGE = document('E', 'http://localhost:5173/account');

const mark = { ref: 3, selector: '#go', role: 'button', name: 'Go', looks: 'before' };
const picked = { tabId: 7, documentId: PROJECT.documentId, url: PROJECT.url, elements: [mark] };
const never = new AbortController().signal;

type Step = 'look' | 'scroll' | 'picture';

/** A browser with one tab, in which `onStep` may show something else before a page is asked or pictured. */
const openBrowser = () => {
  const browser: { shown: PageDocument; sites: SiteRules; onStep: (step: Step) => void } = { shown: PROJECT, sites: {}, onStep: () => {} };
  vi.stubGlobal('chrome', {
    tabs: { get: () => Promise.resolve({ id: 7, active: true, windowId: 1, status: 'complete' }) },
    windows: { get: () => Promise.resolve({ state: 'normal' }) },
    webNavigation: { getFrame: () => Promise.resolve(browser.shown) },
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const pageOf = (tabId: number): TabPage => {
    let bound: PageDocument | null = null;
    // As in every page of a tab: what is bound is the only document that answers, otherwise whichever is shown.
    const shown = (step: Step): PageDocument => {
      browser.onStep(step);
      if (bound !== null && bound.documentId !== browser.shown.documentId) throw new DocumentChangedError();
      return browser.shown;
    };
    const page = {
      tabId,
      bind: (to: PageDocument) => void (bound = to),
      ask: async (_: string, { scrolls }: { scrolls: boolean }) => {
        const { documentId } = shown(scrolls ? 'scroll' : 'look');
        return { elements: [{ ref: 9, looks: `after in ${documentId}`, box: { x: 0, y: 0, width: 9, height: 9 } }], buildError: null };
      },
      capture: async () => ({ picture: { data: shown('picture').url } }),
    };
    return page as unknown as TabPage;
  };
  const proofs = new Proofs({ pageOf, offLimits: () => ({ ownPort: null, sites: browser.sites }) });
  return { browser, proofs };
};

/** What came of it, however long a page takes. */
const endOf = async (looking: Promise<LookedAgain>): Promise<LookedAgain | string> => {
  const end = looking.catch((error: unknown) => (error instanceof CompanionError ? error.code : String(error)));
  await vi.advanceTimersByTimeAsync(60_000);
  return end;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what was picked, looked at again', () => {
  test('is pictured in the page where it was picked, also when that was loaded anew', async () => {
    const { browser, proofs } = openBrowser();

    expect(await endOf(proofs.lookAgain(picked, never))).toMatchObject({
      outcome: 'updated',
      elements: [{ picture: { dataBase64: PROJECT.url } }],
    });
    browser.shown = RELOADED;
    expect(await endOf(proofs.lookAgain(picked, never))).toMatchObject({
      outcome: 'reloaded',
      elements: [{ picture: { dataBase64: RELOADED.url } }],
    });
  });

  test.for([BANK, OTHER_PORT, OTHER_PAGE])('is not looked for where the tab shows $url', async (elsewhere) => {
    const { browser, proofs } = openBrowser();
    const steps: string[] = [];
    browser.onStep = (step) => void steps.push(step);
    browser.shown = elsewhere;

    expect(await endOf(proofs.lookAgain(picked, never))).toBe('TAB_NOT_FOUND');
    expect(steps).toEqual([]);
  });

  test.for<Step>(['look', 'scroll', 'picture'])('has no picture of a site to which the tab goes before the %s', async (when) => {
    for (const elsewhere of [BANK, OTHER_PORT, OTHER_PAGE]) {
      const { browser, proofs } = openBrowser();
      browser.onStep = (step) => {
        if (step === when) browser.shown = elsewhere;
      };

      expect(await endOf(proofs.lookAgain(picked, never)), elsewhere.url).toBe('TAB_NOT_FOUND');
    }
  });

  test('is looked at again when the page is loaded anew in the middle of it', async () => {
    const { browser, proofs } = openBrowser();
    browser.onStep = (step) => {
      if (step === 'picture') browser.shown = RELOADED;
    };

    expect(await endOf(proofs.lookAgain(picked, never))).toMatchObject({
      outcome: 'reloaded',
      elements: [{ picture: { dataBase64: RELOADED.url } }],
    });
  });

  test('has no picture where the person has closed the site meanwhile', async () => {
    const { browser, proofs } = openBrowser();
    browser.onStep = (step) => {
      if (step === 'look') browser.sites = { localhost: 'never' };
    };

    expect(await endOf(proofs.lookAgain(picked, never))).toBe('SITE_NOT_ALLOWED');
  });
});

test('a picture of what was just picked is of that document, or there is none', async () => {
  const { browser, proofs } = openBrowser();

  expect(await proofs.before(7, PROJECT, mark, never)).toMatchObject({ picture: { dataBase64: PROJECT.url } });
  browser.onStep = (step) => {
    if (step === 'picture') browser.shown = BANK;
  };
  await expect(proofs.before(7, PROJECT, mark, never)).rejects.toThrow(DocumentChangedError);
});

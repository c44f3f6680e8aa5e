import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PageContext } from '#extension/background/page-context.ts';
import { SiteLimits } from '#extension/background/site-limits.ts';
import { SecretValues } from '#extension/background/secret-values.ts';
import type { TabPage } from '#extension/background/tab-page.ts';
import type { CaptureAnswer } from '#extension/shared/messages.ts';

interface Shown {
  readonly documentId: string;
  readonly url: string;
  readonly title: string;
}

const BLOG: Shown = { documentId: 'A', url: 'https://blog.example/', title: 'Blog' };
const BANK: Shown = { documentId: 'B', url: 'https://bank.example/', title: 'Bank' };

/** A browser with one tab and what its storage holds, which may be slow. */
const browserThatShows = (first: Shown, kept: Record<string, unknown> = {}) => {
  const browser = { shown: first, kept, isStorageReady: Promise.resolve() };
  vi.stubGlobal('chrome', {
    storage: {
      local: {
        get: async () => {
          const values = { ...browser.kept };
          await browser.isStorageReady;
          return values;
        },
        set: async (values: Record<string, unknown>) => void Object.assign(browser.kept, values),
      },
    },
    tabs: { get: () => Promise.resolve({ id: 7 }) },
    webNavigation: { getFrame: () => Promise.resolve(browser.shown) },
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return browser;
};

/** What a capture reads: the document shown now, after `between`. */
const pageIn = (browser: { shown: Shown }, between: () => void): TabPage => {
  const page = {
    tabId: 7,
    bind: () => {},
    lookForSecrets: async () => {},
    info: async () => ({ url: browser.shown.url, title: browser.shown.title }),
    frames: async () => {
      between();
      const snapshot = { url: browser.shown.url, title: '', index: -1, children: [`words of ${browser.shown.title}`] };
      return [{ frameId: 0, parentFrameId: -1, snapshot }];
    },
  };
  return page as unknown as TabPage;
};

const noProofs = { before: async () => null } as unknown as ConstructorParameters<typeof PageContext>[0]['proofs'];

const captureIn = (browser: { shown: Shown }, limits: SiteLimits, between = (): void => {}): Promise<CaptureAnswer> => {
  const secrets = new SecretValues();
  secrets.learn(7, ['hunter2-held'], 'https://blog.example');
  const offLimits = () => ({ ownPort: null, sites: limits.rules });
  const contexts = { pageOf: () => pageIn(browser, between), offLimits, proofs: noProofs, secrets };
  return new PageContext(contexts, limits.ready).capture({ kind: 'page', windowId: 1, tabId: 7 });
};

describe('a capture by the person', () => {
  test('names the address and title of what it shows', async () => {
    const browser = browserThatShows(BLOG);

    const answer = await captureIn(browser, new SiteLimits());

    expect(answer).toMatchObject({ state: 'text', url: BLOG.url, title: 'Blog' });
    expect(answer).toMatchObject({ text: expect.stringContaining('words of Blog') });
  });

  test('tells nothing of what a secret field holds, in address, title or content', async () => {
    const browser = browserThatShows({ ...BLOG, url: `${BLOG.url}?pin=hunter2-held`, title: 'Blog of hunter2-held' });

    const answer = await captureIn(browser, new SiteLimits());

    expect(answer).toMatchObject({ state: 'text', url: `${BLOG.url}?pin=[secret]`, title: 'Blog of [secret]' });
    expect(JSON.stringify(answer)).not.toContain('hunter2-held');
  });

  test('is thrown away when the tab went elsewhere meanwhile', async () => {
    const browser = browserThatShows(BLOG);

    const answer = await captureIn(browser, new SiteLimits(), () => (browser.shown = BANK));

    expect(answer).toMatchObject({ state: 'refused', error: { code: 'DOCUMENT_CHANGED' } });
    expect(JSON.stringify(answer)).not.toContain('words of');
  });

  test('shows no closed site in a worker that has just come, however late its storage answers', async () => {
    const browser = browserThatShows(BANK);
    await new SiteLimits().tell({ 'bank.example': 'never' });
    const storage = Promise.withResolvers<void>();
    browser.isStorageReady = storage.promise;

    const answer = captureIn(browser, new SiteLimits());
    await new Promise((resolve) => void setImmediate(resolve));
    storage.resolve();

    expect(await answer).toMatchObject({ state: 'refused', error: { code: 'SITE_NOT_ALLOWED' } });
  });

  test('goes by the rules that the companion told last, also where the older ones are read later', async () => {
    const browser = browserThatShows(BLOG, { siteRules: { 'blog.example': 'never' } });
    const storage = Promise.withResolvers<void>();
    browser.isStorageReady = storage.promise;
    const limits = new SiteLimits();
    await limits.tell({});
    storage.resolve();

    expect(await captureIn(browser, limits)).toMatchObject({ state: 'text' });
  });

  test('takes nothing when the rules cannot be read', async () => {
    const browser = browserThatShows(BANK);
    browser.isStorageReady = Promise.reject(new Error('storage is broken'));

    expect(await captureIn(browser, new SiteLimits())).toMatchObject({ state: 'refused' });
  });
});

import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Proofs } from '#extension/background/proofs.ts';
import { NotSeenError } from '#extension/background/capture.ts';
import type { PageDocument } from '#extension/background/inject.ts';
import type { TabPage } from '#extension/background/tab-page.ts';
import type { Again, Box, LookedAt, Mark } from '#extension/content/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { LookedAgain } from '#protocol/link.ts';
import type { SiteRules } from '#protocol/sites.ts';
import { DocumentChangedError, ErrorPageError } from '#extension/toolkit/page-error.ts';

const document = (documentId: string, url: string): PageDocument => ({ frameId: 0, documentId, url });
const PROJECT = document('A', 'http://localhost:5173/shop?step=1');
const RELOADED = document('B', 'http://localhost:5173/shop?step=2#top');
const BANK = document('C', 'https://bank.example/shop');
const OTHER_PORT = document('D', 'http://localhost:5174/shop');
const OTHER_PAGE = document('E', 'http://localhost:5173/account');
const OTHER_ROUTE = document('F', 'http://localhost:5173/shop?step=1#/account');

const mark = { ref: 3, selector: '#go', role: 'button', name: 'Go', looks: 'before' };
const picked = { tabId: 7, documentId: PROJECT.documentId, url: PROJECT.url, elements: [mark] };
const never = new AbortController().signal;

const BOX: Box = { x: 0, y: 0, width: 9, height: 9 };
const TAB = { id: 7, active: true, windowId: 1, status: 'complete' };
const seen = (looks: string): LookedAt => ({ ref: 9, looks, box: BOX });

type Framed = PageDocument & { readonly parentFrameId: number };

type Step = 'look' | 'scroll' | 'picture';

interface Browser {
  /** Null when it was closed. */
  tab: typeof TAB | null;
  shown: PageDocument;
  sites: SiteRules;
  /** What was picked, in the document that is shown; null where it is not. */
  find: (documentId: string) => LookedAt | null;
  /** The frames in the page. */
  frames: Framed[];
  buildError: string | null;
  /** What a development server says in the console. */
  said: string | null;
  onStep: (step: Step) => void;
  readonly asked: Mark[];
  readonly pictured: Box[];
}

interface Asked {
  readonly marks?: readonly Mark[];
  readonly box?: Box;
  readonly scrolls?: boolean;
}

/** A browser with one tab, in which `onStep` may show something else before a page is asked or pictured. */
const openBrowser = () => {
  const browser: Browser = {
    tab: TAB,
    shown: PROJECT,
    sites: {},
    find: (documentId) => seen(`after in ${documentId}`),
    frames: [],
    buildError: null,
    said: null,
    onStep: () => {},
    asked: [],
    pictured: [],
  };
  vi.stubGlobal('chrome', {
    tabs: { get: () => (browser.tab === null ? Promise.reject(new Error('No tab with id: 7.')) : Promise.resolve(browser.tab)) },
    windows: { get: () => Promise.resolve({ state: 'normal' }) },
    storage: { session: { get: () => Promise.resolve({}) } },
    webNavigation: {
      getFrame: () => Promise.resolve(browser.tab === null ? null : browser.shown),
      getAllFrames: () => Promise.resolve([{ ...browser.shown, parentFrameId: -1 }, ...browser.frames]),
    },
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
      bind: (to: PageDocument) => {
        if (to.frameId === 0) bound = to;
      },
      ask: async (name: string, options: Asked | null, frameId = 0): Promise<Again | Box | number> => {
        const { marks = [], box, scrolls = false } = options ?? {};
        const framed = browser.frames.find((frame) => frame.frameId === frameId);
        // A frame stands a little to the right in what is around it.
        if (name === 'indexInParent') return browser.frames.findIndex((frame) => frame.frameId === frameId);
        if (name === 'fromFrame' && box !== undefined) return { ...box, x: box.x + 100 };
        const { documentId } = framed ?? shown(scrolls ? 'scroll' : 'look');
        browser.asked.push(...marks);
        return { elements: marks.map(() => browser.find(documentId)), buildError: browser.buildError };
      },
      capture: async ({ withoutDebugger, box }: { withoutDebugger: boolean; box: Box }) => {
        expect(withoutDebugger).toBe(true);
        browser.pictured.push(box);
        return { picture: { data: shown('picture').url } };
      },
    };
    return page as unknown as TabPage;
  };
  const buildErrors = { told: async () => browser.said };
  const proofs = new Proofs({ pageOf, offLimits: () => ({ ownPort: null, sites: browser.sites }), buildErrors });
  return { browser, proofs };
};

/** What has come of it after so long, or however long a page takes; null when that is nothing yet. */
const endOf = async (looking: Promise<LookedAgain>, afterMs = 60_000): Promise<LookedAgain | string | null> => {
  const end: { told: LookedAgain | string | null } = { told: null };
  looking.then(
    (looked) => (end.told = looked),
    (error: unknown) => (end.told = error instanceof CompanionError ? error.code : String(error)),
  );
  await vi.advanceTimersByTimeAsync(afterMs);
  return end.told;
};

const later = (ms: number, happens: () => void): void => void setTimeout(happens, ms);

/** The picture of a document, as it is told. */
const pictureOf = ({ url }: PageDocument) => ({ mimeType: 'image/jpeg', dataBase64: url });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what was picked, looked at again', () => {
  test('is waited for while the server starts anew and the tab shows that it cannot be reached', async () => {
    const { browser, proofs } = openBrowser();
    browser.onStep = () => {
      if (browser.shown !== RELOADED) throw new ErrorPageError();
    };
    later(4_000, () => (browser.shown = RELOADED));

    expect(await endOf(proofs.lookAgain(picked, never))).toMatchObject({ outcome: 'reloaded', elements: [{ isThere: true }] });
    browser.shown = PROJECT;
    expect(await endOf(proofs.lookAgain(picked, never))).toBe('TOOL_FAILED');
  });

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

  test.for([BANK, OTHER_PORT, OTHER_PAGE, OTHER_ROUTE])('is not looked for where the tab shows $url', async (elsewhere) => {
    const { browser, proofs } = openBrowser();
    const steps: string[] = [];
    browser.onStep = (step) => void steps.push(step);
    browser.shown = elsewhere;

    expect(await endOf(proofs.lookAgain(picked, never))).toBe('TAB_NOT_FOUND');
    expect(steps).toEqual([]);
  });

  test('is looked for in the same route of a page that keeps it behind the #', async () => {
    const { browser, proofs } = openBrowser();
    const at = (hash: string): string => `http://localhost:5173/app${hash}`;
    for (const [hash, shown, isSame] of [
      ['#/cart?step=1', '#/cart?step=2', true],
      ['', '#/', true],
      ['#!/cart', '#!/cart', true],
      ['#top', '#end', true],
      ['#/cart', '#/account', false],
      ['#!/cart', '#!/', false],
    ] as const) {
      browser.shown = document('A', at(shown));

      const told = await endOf(proofs.lookAgain({ ...picked, url: at(hash) }, never));

      if (isSame) expect(told, shown).toMatchObject({ outcome: 'updated' });
      else expect(told, shown).toBe('TAB_NOT_FOUND');
    }
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

describe('what was picked in a frame', () => {
  const framed = (frameId: number, documentId: string, url: string, parentFrameId = 0): Framed => ({
    ...document(documentId, url),
    frameId,
    parentFrameId,
  });
  const STORY = 'http://localhost:6006/story?id=1';
  const pickedInside = { ...picked, frame: { frameId: 4, documentId: 'G', url: STORY } };

  test('is pictured where its frames stand in the page', async () => {
    const { browser, proofs } = openBrowser();
    browser.frames = [framed(3, 'H', 'http://localhost:6006/'), framed(4, 'G', STORY, 3)];

    expect(await endOf(proofs.lookAgain(pickedInside, never))).toMatchObject({ outcome: 'updated', elements: [{ isThere: true }] });
    expect(browser.pictured).toEqual([{ ...BOX, x: 200 }]);
  });

  test('is found in a page that was loaded anew by the address of the frame, if only one has it', async () => {
    const { browser, proofs } = openBrowser();
    browser.shown = RELOADED;
    browser.frames = [framed(8, 'K', `${STORY}&anew`), framed(9, 'L', 'http://localhost:6006/other')];

    expect(await endOf(proofs.lookAgain(pickedInside, never))).toMatchObject({ outcome: 'reloaded', elements: [{ isThere: true }] });
    browser.frames.push(framed(10, 'M', STORY));
    expect(await endOf(proofs.lookAgain(pickedInside, never))).toEqual({ outcome: 'updated', elements: [{ isThere: false }] });
  });

  test('is told of as gone where its frame is not there after the time that a development server may take', async () => {
    const { proofs } = openBrowser();
    const looking = proofs.lookAgain(pickedInside, never);

    expect(await endOf(looking, 7_900)).toBeNull();
    expect(await endOf(looking, 1_000)).toEqual({ outcome: 'updated', elements: [{ isThere: false }] });
  });

  test('is not looked at in a frame of a site that the person has closed', async () => {
    const { browser, proofs } = openBrowser();
    browser.frames = [framed(4, 'G', 'https://bank.example/shop')];
    browser.sites = { 'bank.example': 'never' };
    const inBank = { ...picked, frame: { frameId: 4, documentId: 'G', url: 'https://bank.example/shop' } };

    expect(await endOf(proofs.lookAgain(inBank, never))).toEqual({ outcome: 'updated', elements: [{ isThere: false }] });
    expect(browser.pictured).toEqual([]);
    expect(browser.asked).toEqual([]);
  });
});

describe('what becomes of what was picked', () => {
  test('is told as soon as a change of it has come to rest', async () => {
    const { browser, proofs } = openBrowser();
    browser.find = () => seen('before');
    later(400, () => (browser.find = () => seen('on its way')));
    later(800, () => (browser.find = () => seen('after')));

    expect(await endOf(proofs.lookAgain(picked, never), 2_000)).toEqual({
      outcome: 'updated',
      elements: [{ isThere: true, picture: pictureOf(PROJECT) }],
    });
  });

  test('is told of a page that was loaded anew once that is complete', async () => {
    const { browser, proofs } = openBrowser();
    later(100, () => (browser.tab = { ...TAB, status: 'loading' }));
    later(300, () => (browser.shown = RELOADED));
    later(3_000, () => (browser.tab = TAB));
    const looking = proofs.lookAgain(picked, never);

    expect(await endOf(looking, 2_900)).toBeNull();
    expect(await endOf(looking, 2_000)).toEqual({ outcome: 'reloaded', elements: [{ isThere: true, picture: pictureOf(RELOADED) }] });
  });

  test('is that nothing has changed only after the time that a development server may take', async () => {
    const { browser, proofs } = openBrowser();
    browser.find = () => seen('before');
    const looking = proofs.lookAgain(picked, never);

    expect(await endOf(looking, 7_900)).toBeNull();
    expect(await endOf(looking, 1_000)).toEqual({ outcome: 'unchanged', elements: [{ isThere: true, picture: pictureOf(PROJECT) }] });
  });

  test('is told where a page goes on changing, as it is then', async () => {
    const { browser, proofs } = openBrowser();
    let step = 0;
    browser.find = () => seen(`step ${(step += 1)}`);

    expect(await endOf(proofs.lookAgain(picked, never))).toMatchObject({ outcome: 'updated', elements: [{ isThere: true }] });
  });

  test('is that it is gone where the page does not find it', async () => {
    const { browser, proofs } = openBrowser();
    browser.find = () => null;

    expect(await endOf(proofs.lookAgain(picked, never), 2_000)).toEqual({ outcome: 'updated', elements: [{ isThere: false }] });
  });

  test('is waited for in a page that was loaded anew, which may draw it late, or why it could not be built', async () => {
    const { browser, proofs } = openBrowser();
    browser.shown = RELOADED;
    browser.find = () => null;
    later(3_000, () => (browser.buildError = 'Unterminated string'));

    expect(await endOf(proofs.lookAgain(picked, never), 4_000)).toMatchObject({ outcome: 'reloaded', buildError: 'Unterminated string' });
    browser.buildError = null;
    later(3_000, () => (browser.find = () => seen('before')));
    expect(await endOf(proofs.lookAgain(picked, never), 4_000)).toMatchObject({ outcome: 'reloaded', elements: [{ isThere: true }] });
    browser.find = () => null;
    expect(await endOf(proofs.lookAgain(picked, never), 9_000)).toEqual({ outcome: 'reloaded', elements: [{ isThere: false }] });
  });

  test('comes with the error of a build as soon as the page shows one', async () => {
    const { browser, proofs } = openBrowser();
    browser.find = () => seen('before');
    later(300, () => (browser.buildError = 'Unexpected token'));

    expect(await endOf(proofs.lookAgain(picked, never), 2_000)).toMatchObject({ outcome: 'unchanged', buildError: 'Unexpected token' });
  });

  test('comes with what the console says of a build where the page shows nothing of it', async () => {
    const { browser, proofs } = openBrowser();
    browser.find = () => seen('before');
    later(300, () => (browser.said = '[webpack-dev-server] ERROR in ./main.js'));

    const told = { outcome: 'unchanged', buildError: '[webpack-dev-server] ERROR in ./main.js' };
    expect(await endOf(proofs.lookAgain(picked, never), 2_000)).toMatchObject(told);
    browser.buildError = 'Unexpected token';
    expect(await endOf(proofs.lookAgain(picked, never), 2_000)).toMatchObject({ buildError: 'Unexpected token' });
  });

  test('is asked for by what was picked, and by its own ref once it was found', async () => {
    const { browser, proofs } = openBrowser();

    await endOf(proofs.lookAgain(picked, never), 2_000);

    const { looks: _looks, ...asked } = mark;
    expect(browser.asked[0]).toEqual(asked);
    expect(browser.asked.at(-1)).toEqual({ ...asked, ref: 9 });
  });

  test('has no picture where the person does not see the tab, or it is not in the view', async () => {
    const hidden = openBrowser();
    hidden.browser.tab = { ...TAB, active: false };
    expect(await endOf(hidden.proofs.lookAgain(picked, never))).toEqual({ outcome: 'updated', elements: [{ isThere: true }] });

    const away = openBrowser();
    away.browser.find = () => ({ ...seen('after'), box: null });
    expect(await endOf(away.proofs.lookAgain(picked, never))).toEqual({ outcome: 'updated', elements: [{ isThere: true }] });
  });

  test('is pictured a moment later where the browser has taken too many pictures, and not at all when that stays', async () => {
    const { browser, proofs } = openBrowser();
    let refusals = 2;
    browser.onStep = (step) => {
      if (step === 'picture' && (refusals -= 1) >= 0) throw new NotSeenError();
    };

    expect(await endOf(proofs.lookAgain(picked, never))).toMatchObject({ elements: [{ isThere: true, picture: pictureOf(PROJECT) }] });
    refusals = 99;
    expect(await endOf(proofs.lookAgain(picked, never))).toEqual({ outcome: 'updated', elements: [{ isThere: true }] });
  });

  test('is not told of a tab that was closed, or when nobody waits for it any more', async () => {
    const { browser, proofs } = openBrowser();
    const stop = new AbortController();
    browser.find = () => seen('before');
    later(300, () => stop.abort(new Error('enough')));
    expect(await endOf(proofs.lookAgain(picked, stop.signal), 1_000)).toBe('Error: enough');

    later(300, () => (browser.tab = null));
    expect(await endOf(proofs.lookAgain(picked, never), 1_000)).toBe('TOOL_FAILED');
  });
});

test('what was just picked and is not there any more has no picture', async () => {
  const { browser, proofs } = openBrowser();
  browser.find = () => null;

  expect(await proofs.before(7, { top: PROJECT }, mark, never)).toBeNull();
});

test('a picture of what was just picked is of that document, or there is none', async () => {
  const { browser, proofs } = openBrowser();

  expect(await proofs.before(7, { top: PROJECT }, mark, never)).toMatchObject({ picture: { dataBase64: PROJECT.url } });
  browser.onStep = (step) => {
    if (step === 'picture') browser.shown = BANK;
  };
  await expect(proofs.before(7, { top: PROJECT }, mark, never)).rejects.toThrow(DocumentChangedError);
});

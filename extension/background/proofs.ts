/** Elements that the person picked for a prompt: as they are then, and as they are once the page has taken what was changed for it. */
import { CompanionError } from '#protocol/errors.ts';
import type { LookAgainParams, LookedAgain, PagePicture } from '#protocol/link.ts';
import type { Again, Box, Mark } from '#extension/content/api.ts';
import { type OffLimits, checkPage } from '#extension/shared/addresses.ts';
import { DocumentChangedError, DocumentGoneError } from '#extension/toolkit/page-error.ts';
import { NotSeenError } from './capture.ts';
import { documentIn } from './documents.ts';
import type { PageDocument } from './inject.ts';
import { pause } from './queue.ts';
import type { TabPage } from './tab-page.ts';
import { isShown } from './tabs.ts';

/** So long a development server may take to bring a change into the page. */
const COMING_MS = 8_000;
/** A page in which nothing of what was picked has changed for so long has taken it. */
const STILL_MS = 500;
const LOOK_MS = 150;
/** A page that goes on changing is taken as it is then. */
const MOVING_MS = 6_000;
/** Chrome takes two pictures a second of what a window shows. */
const PICTURE_MS = 600;
const TRIES = 3;

/** A page as it was seen at one moment. */
interface Seen extends Again {
  readonly shown: PageDocument;
}

interface Options {
  readonly pageOf: (tabId: number, signal: AbortSignal) => TabPage;
  readonly offLimits: () => OffLimits;
}

export class Proofs {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** What was just picked, with a picture of it where the person sees the tab; null when it is not there any more. */
  async before(
    tabId: number,
    shown: PageDocument,
    mark: Mark,
    signal: AbortSignal,
  ): Promise<{ looks: string; picture: PagePicture | null } | null> {
    const page = this.#pageWith(tabId, shown, signal);
    const [looked = null] = (await page.ask('lookAgain', { marks: [mark], scrolls: false })).elements;
    return looked === null ? null : { looks: looked.looks, picture: await this.#picture(page, looked.box, signal) };
  }

  /** Rejects where the tab has gone or shows something else. */
  async lookAgain({ tabId, url, documentId, elements }: LookAgainParams, signal: AbortSignal): Promise<LookedAgain> {
    const look = (): Promise<Seen | null> => this.#look(tabId, url, elements, signal);
    const isUpdated = (seen: Seen): boolean => seen.elements.some((element, index) => element?.looks !== elements[index]?.looks);
    const isSame = ({ shown }: Seen): boolean => shown.documentId === documentId;
    const isOther = (seen: Seen): boolean => !isSame(seen) || seen.buildError !== null || isUpdated(seen);
    for (;;) {
      const seen = await untilTaken(look, isOther, signal);
      // A page that is loaded anew meanwhile is looked at again.
      const pictures = await this.#pictures(tabId, elements, seen, signal).catch(nullWhenGone);
      if (pictures === null) continue;
      return {
        outcome: !isSame(seen) ? 'reloaded' : isUpdated(seen) ? 'updated' : 'unchanged',
        ...(seen.buildError === null ? {} : { buildError: seen.buildError }),
        elements: seen.elements.map((element, index) => {
          const picture = pictures[index];
          return { isThere: element !== null, ...(picture == null ? {} : { picture }) };
        }),
      };
    }
  }

  /** A page of which nothing but this document is asked or pictured: its tab may show anything a moment later. */
  #pageWith(tabId: number, shown: PageDocument, signal: AbortSignal): TabPage {
    checkPage(shown.url, this.#options.offLimits());
    const page = this.#options.pageOf(tabId, signal);
    page.bind(shown);
    return page;
  }

  /** Null while the page is on its way to another document. */
  async #look(tabId: number, url: string, marks: readonly Mark[], signal: AbortSignal): Promise<Seen | null> {
    try {
      const shown = await documentIn(tabId, 0);
      const page = this.#pageWith(tabId, shown, signal);
      if (!isSamePage(shown.url, url)) throw new CompanionError('TAB_NOT_FOUND', 'The tab shows another page now.');
      const { status } = await chrome.tabs.get(tabId);
      if (status === 'loading') return null;
      return { ...(await page.ask('lookAgain', { marks: marks.map(toMark), scrolls: false })), shown };
    } catch (error) {
      return nullWhenGone(error);
    }
  }

  /** One of each element that is there, as far as the person sees the tab. */
  async #pictures(tabId: number, marks: readonly Mark[], { shown, elements }: Seen, signal: AbortSignal): Promise<(PagePicture | null)[]> {
    const page = this.#pageWith(tabId, shown, signal);
    const pictures: (PagePicture | null)[] = [];
    for (const [index, element] of elements.entries()) {
      const mark = marks[index];
      const isToSee = mark !== undefined && element !== null && (await isShown(tabId));
      const again = isToSee ? await page.ask('lookAgain', { marks: [{ ...toMark(mark), ref: element.ref }], scrolls: true }) : null;
      pictures.push(await this.#picture(page, again?.elements[0]?.box ?? null, signal));
    }
    return pictures;
  }

  /** None of a tab that the person does not see: the debugger, which could take one, is for what they let an agent do. */
  async #picture(page: TabPage, box: Box | null, signal: AbortSignal): Promise<PagePicture | null> {
    for (let tries = 0; box !== null && tries < TRIES && (await isShown(page.tabId)); tries += 1) {
      try {
        const what = { type: 'jpeg', target: null, fullPage: false, scale: 'css', withoutDebugger: true, box } as const;
        const { picture } = await page.capture(what);
        return { mimeType: 'image/jpeg', dataBase64: picture.data };
      } catch (error) {
        if (!(error instanceof NotSeenError)) throw error;
        await pause(PICTURE_MS, signal);
      }
    }
    return null;
  }
}

const nullWhenGone = (error: unknown): null => {
  if (error instanceof DocumentGoneError || error instanceof DocumentChangedError) return null;
  throw error;
};

const isSamePage = (one: string, other: string): boolean => {
  const [shown, wanted] = [URL.parse(one), URL.parse(other)];
  if (shown === null || wanted === null) return false;
  return shown.origin === wanted.origin && shown.pathname === wanted.pathname && routeIn(shown) === routeIn(wanted);
};

/** Some pages keep their whole route behind the `#`; any other text there is a place in the page. */
const routeIn = ({ hash }: URL): string => (/^#!?\//.exec(hash) === null ? '' : hash.replace(/^#!?\/|\?.*$/gs, ''));

const toMark = ({ ref, selector, role, name }: Mark): Mark => ({ ref, selector, role, name });

/** Looks until something is different and stays as it is for a while, or nothing has come for long enough. */
const untilTaken = async (look: () => Promise<Seen | null>, isOther: (seen: Seen) => boolean, signal: AbortSignal): Promise<Seen> => {
  const startedAt = Date.now();
  let last: { readonly seen: Seen; readonly sinceMs: number } | null = null;
  for (;;) {
    const seen = await look();
    const now = Date.now() - startedAt;
    if (seen === null) last = null;
    else {
      if (last === null || !isSameSight(last.seen, seen)) last = { seen, sinceMs: now };
      const isStill = now - last.sinceMs >= STILL_MS;
      if ((isStill && (isOther(seen) || now >= COMING_MS)) || now >= COMING_MS + MOVING_MS) return seen;
    }
    if (last === null && now >= COMING_MS + MOVING_MS) throw new DocumentGoneError();
    await pause(LOOK_MS, signal);
  }
};

const isSameSight = (one: Seen, other: Seen): boolean =>
  one.shown.documentId === other.shown.documentId &&
  one.buildError === other.buildError &&
  one.elements.every((element, index) => element?.looks === other.elements[index]?.looks);

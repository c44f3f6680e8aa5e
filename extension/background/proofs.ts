/** Elements that the person picked for a prompt: as they are then, and as they are once the page has taken what was changed for it. */
import { CompanionError } from '#protocol/errors.ts';
import type { LookAgainParams, LookedAgain, PagePicture, PickedFrame } from '#protocol/link.ts';
import type { Again, Box, Mark } from '#extension/content/api.ts';
import { type OffLimits, checkPage } from '#extension/shared/addresses.ts';
import { DocumentChangedError, DocumentGoneError, ErrorPageError } from '#extension/toolkit/page-error.ts';
import type { BuildErrors } from './build-errors.ts';
import { NotSeenError } from './capture.ts';
import { type Frame, allowedAmong, documentIn, framesOf } from './documents.ts';
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

/** Where picked elements are: the page, and the frame in it that holds them, with the frames around that one, from the inside out. */
interface Place {
  readonly top: PageDocument;
  readonly path: readonly Frame[];
}

/** A page as it was seen at one moment. */
interface Seen extends Again {
  readonly top: PageDocument;
  /** Null where the frame that held the elements is not there. */
  readonly path: readonly Frame[] | null;
}

interface Options {
  readonly pageOf: (tabId: number, signal: AbortSignal) => TabPage;
  readonly offLimits: () => OffLimits;
  readonly buildErrors: Pick<BuildErrors, 'told'>;
}

export class Proofs {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** What was just picked, with a picture of it where the person sees the tab; null when it is not there any more. */
  async before(
    tabId: number,
    { top, frame }: { readonly top: PageDocument; readonly frame?: PickedFrame | undefined },
    mark: Mark,
    signal: AbortSignal,
  ): Promise<{ looks: string; picture: PagePicture | null } | null> {
    const path = await this.#pathTo(tabId, frame);
    if (path === null || path[0]?.documentId !== frame?.documentId) return null;
    const page = this.#pageWith(tabId, { top, path }, signal);
    const [looked = null] = (await page.ask('lookAgain', { marks: [mark], scrolls: false }, frame?.frameId)).elements;
    if (looked === null) return null;
    // From now on it is known what the page says of a build.
    await this.#options.buildErrors.told(tabId, [top, ...path]);
    const box = await boxInPage(page, path, { box: looked.box, scrolls: false });
    return { looks: looked.looks, picture: await this.#picture(page, box, signal) };
  }

  /** Rejects where the tab has gone or shows something else. */
  async lookAgain(params: LookAgainParams, signal: AbortSignal): Promise<LookedAgain> {
    const { tabId, elements } = params;
    const look = (): Promise<Seen | null> => this.#look(params, signal);
    const isUpdated = (seen: Seen): boolean => seen.elements.some((element, index) => element?.looks !== elements[index]?.looks);
    const isReloaded = (seen: Seen): boolean => seen.path !== null && holderOf(seen) !== (params.frame ?? params).documentId;
    // A page that was loaded anew may have yet to draw what was picked, or why it could not be built.
    const isTaken = (seen: Seen): boolean => (isReloaded(seen) ? seen.elements.some((element) => element !== null) : isUpdated(seen));
    // A frame that is not there yet may be on its way.
    const isOther = (seen: Seen): boolean => seen.buildError !== null || (seen.path !== null && isTaken(seen));
    for (;;) {
      const seen = await untilTaken(look, isOther, signal);
      // A page that is loaded anew meanwhile is looked at again.
      const pictures = await this.#pictures(tabId, elements, seen, signal).catch(nullWhenGone);
      if (pictures === null) continue;
      return {
        outcome: isReloaded(seen) ? 'reloaded' : isUpdated(seen) ? 'updated' : 'unchanged',
        ...(seen.buildError === null ? {} : { buildError: seen.buildError }),
        elements: seen.elements.map((element, index) => {
          const picture = pictures[index];
          return { isThere: element !== null, ...(picture == null ? {} : { picture }) };
        }),
      };
    }
  }

  /** A page of which nothing but these documents is asked or pictured: its tab may show anything a moment later. */
  #pageWith(tabId: number, { top, path }: Place, signal: AbortSignal): TabPage {
    const page = this.#options.pageOf(tabId, signal);
    for (const shown of [top, ...path]) {
      // A frame without an address of its own is judged by the page around it.
      if (shown === top || !shown.url.startsWith('about:')) checkPage(shown.url, this.#options.offLimits());
      page.bind(shown);
    }
    return page;
  }

  /** Null where the frame is not there, or may not be read. */
  async #pathTo(tabId: number, frame: PickedFrame | undefined): Promise<readonly Frame[] | null> {
    return frame === undefined ? [] : pathAmong(allowedAmong(await framesOf(tabId), this.#options.offLimits()), frame);
  }

  /** Null while the page is on its way to another document. */
  async #look({ tabId, url, frame, elements }: LookAgainParams, signal: AbortSignal): Promise<Seen | null> {
    try {
      const top = await documentIn(tabId, 0);
      const own = this.#pageWith(tabId, { top, path: [] }, signal);
      if (!isSamePage(top.url, url)) throw new CompanionError('TAB_NOT_FOUND', 'The tab shows another page now.');
      const { status } = await chrome.tabs.get(tabId);
      if (status === 'loading') return null;
      const marks = elements.map(toMark);
      // The page itself is asked in any case: a development server may draw its error there.
      const around = await own.ask('lookAgain', { marks: frame === undefined ? marks : [], scrolls: false });
      const path = await this.#pathTo(tabId, frame);
      const said = await this.#options.buildErrors.told(tabId, [top, ...(path ?? [])]);
      const buildError = around.buildError ?? said;
      if (frame === undefined) return { elements: around.elements, buildError, top, path };
      if (path === null) return { elements: marks.map(() => null), buildError, top, path };
      const page = this.#pageWith(tabId, { top, path }, signal);
      const inside = await page.ask('lookAgain', { marks, scrolls: false }, path[0]?.frameId);
      return { elements: inside.elements, buildError: inside.buildError ?? buildError, top, path };
    } catch (error) {
      return nullWhenGone(error);
    }
  }

  /** One of each element that is there, as far as the person sees the tab. */
  async #pictures(tabId: number, marks: readonly Mark[], seen: Seen, signal: AbortSignal): Promise<(PagePicture | null)[]> {
    const { top, path, elements } = seen;
    if (path === null) return [];
    const page = this.#pageWith(tabId, { top, path }, signal);
    const pictures: (PagePicture | null)[] = [];
    for (const [index, element] of elements.entries()) {
      const mark = marks[index];
      const isToSee = mark !== undefined && element !== null && (await isShown(tabId));
      const found = isToSee ? [{ ...toMark(mark), ref: element.ref }] : [];
      const again = isToSee ? await page.ask('lookAgain', { marks: found, scrolls: true }, path[0]?.frameId) : null;
      const box = await boxInPage(page, path, { box: again?.elements[0]?.box ?? null, scrolls: true });
      if (box !== null) await drawn(page);
      pictures.push(await this.#picture(page, box, signal));
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
  // While its server starts anew a page that was loaded just then is the browser's own, which loads it again by itself.
  if (error instanceof DocumentGoneError || error instanceof DocumentChangedError || error instanceof ErrorPageError) return null;
  throw error;
};

/** The document that holds the elements; empty where its frame is not there. */
const holderOf = ({ top, path }: Seen): string => (path === null ? '' : (path[0] ?? top).documentId);

/** Chrome gives the frames of a page that was loaded anew other ids. */
const pathAmong = (frames: readonly Frame[], { frameId, url }: PickedFrame): Frame[] | null => {
  const alike = frames.filter((frame) => frame.frameId !== 0 && isSamePage(frame.url, url));
  const found = alike.find((frame) => frame.frameId === frameId) ?? (alike.length === 1 ? alike[0] : undefined);
  if (found === undefined) return null;
  const path = [found];
  for (let around: Frame | undefined = found; around !== undefined;) {
    const { parentFrameId }: Frame = around;
    around = frames.find((frame) => frame.frameId === parentFrameId && frame.frameId !== 0);
    if (around !== undefined) path.push(around);
  }
  return path;
};

/** Where a box in the view of the innermost frame is in the view of the page; null where it cannot be seen. */
const boxInPage = async (
  page: TabPage,
  path: readonly Frame[],
  { box, scrolls }: { readonly box: Box | null; readonly scrolls: boolean },
): Promise<Box | null> => {
  let seen = box;
  for (const [at, { frameId }] of path.entries()) {
    if (seen === null) return null;
    const index = await page.ask('indexInParent', null, frameId);
    seen = await page.ask('fromFrame', { index, box: seen, scrolls }, path[at + 1]?.frameId);
  }
  return seen;
};

/** What the person sees is copied as it was drawn last: after the second frame the first one, in which it was scrolled, is shown. */
const drawn = async (page: TabPage): Promise<void> => {
  await page.ask('drawnAgain', null);
  await page.ask('drawnAgain', null);
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
  one.top.documentId === other.top.documentId &&
  holderOf(one) === holderOf(other) &&
  one.buildError === other.buildError &&
  one.elements.every((element, index) => element?.looks === other.elements[index]?.looks);

/** Pictures of a page in which nothing stands that nobody may see: no frame of a closed site, and nothing that a secret field holds. */
import { CompanionError } from '#protocol/errors.ts';
import type { PageMethods, PicturePlace, PictureScene } from '#extension/content/api.ts';
import type { OffLimits } from '#extension/shared/addresses.ts';
import { DocumentChangedError, DocumentGoneError } from '#extension/toolkit/page-error.ts';
import type { Picture, Pictured, Taken } from '#extension/toolkit/page.ts';
import { type AskedPage, type Part, type Sight, nullWhenBusy } from './asked-page.ts';
import { capture, captureView, isViewAsDrawn, placeOf } from './capture.ts';
import type { Debuggers } from './debugger.ts';
import { type Frame, framesOf } from './documents.ts';
import { HiddenFrames } from './hidden-frames.ts';
import type { PageDocument } from './inject.ts';
import { drawRefs } from './labels.ts';
import type { NavigationWatch } from './navigation.ts';
import type { Scaling } from './picture.ts';
import { never } from './queue.ts';
import { isInView } from './tabs.ts';

/** What is pictured. */
interface PictureScenery {
  readonly top: PageDocument;
  readonly frames: readonly Frame[];
  readonly hidden: HiddenFrames;
  /** The documents whose secret fields are hidden. */
  readonly asked: Set<string>;
}

type TakePicture<T> = (scenery: PictureScenery) => Promise<{ readonly taken: T; readonly place: PicturePlace | null }>;

/** How often a picture is taken of a page whose secret fields change meanwhile. */
const MAX_PICTURES = 3;

/** What it needs of the worker. */
export interface PicturingTools {
  readonly debuggers: Debuggers;
  /** Whether the last picture of each tab showed the page as it had been before it was asked. */
  readonly plain: Map<number, boolean>;
  offLimits(): OffLimits;
}

export class PagePictures {
  readonly #page: AskedPage;
  readonly #tools: PicturingTools;

  constructor(page: AskedPage, tools: PicturingTools) {
    this.#page = page;
    this.#tools = tools;
  }

  /** A picture of this page, or none. */
  async capture({ tab, url, frames }: Sight, what: Pictured, stillMs?: number): Promise<Taken> {
    let undrawn: Taken['undrawn'] = [];
    const picture = await this.#takeHidden(frames, async (scenery) => {
      const { picture: taken, place } = await this.#takePicture(tab, scenery, what, stillMs);
      undrawn = scenery.hidden.reasons;
      return { taken, place };
    });
    return { picture, url, undrawn };
  }

  /** As a document of PDF. */
  async print(params: Record<string, unknown>): Promise<unknown> {
    const { debuggers } = this.#tools;
    const { frames } = await this.#page.look();
    return this.#takeHidden(frames, async (scenery) => {
      const inner = { isFullPage: true, isOfLastDrawn: false };
      await this.#beginPicture(scenery, inner, inner);
      const taken = await debuggers.with(this.#page.tabId, this.#page.signal, (attached) => attached.send('Page.printToPDF', params));
      return { taken, place: null };
    });
  }

  /**
   * Takes a picture while frames of closed sites and what secret fields hold are not drawn. One that may show another page or tab is thrown
   * away. So is one that may show a field which the page has drawn anew meanwhile, or which has come, and it is taken again.
   */
  async #takeHidden<T>(frames: readonly Frame[], take: TakePicture<T>): Promise<T> {
    let shown = frames;
    for (let times = 1; times <= MAX_PICTURES; times += 1) {
      const taken = await this.#page.watching((watch) => this.#takeOnce(watch, shown, take, times === MAX_PICTURES));
      if (taken !== null) return taken.value;
      shown = await framesOf(this.#page.tabId);
    }
    throw new CompanionError('TOOL_FAILED', 'The page showed its secret fields anew each time, and the picture was thrown away.');
  }

  /** Null when it may show what a secret field holds. With `isLast` no frames are drawn: they come and go too quickly in this page. */
  async #takeOnce<T>(
    watch: NavigationWatch,
    frames: readonly Frame[],
    take: TakePicture<T>,
    isLast: boolean,
  ): Promise<{ readonly value: T } | null> {
    const top = this.#page.topAmong(frames);
    const hidden = new HiddenFrames(this.#page.tabId, () => this.#tools.offLimits());
    const asked = new Set<string>();
    const end = (place: PicturePlace | null): Promise<(Part<'endPicture'> | null)[] | null> =>
      this.#page
        .askAmong(top, frames, 'endPicture', { own: place === null ? {} : { place }, inner: {} }, { ends: never })
        .catch(nullWhenBusy);
    try {
      await hidden.hideClosed(frames);
      if (isLast) await hidden.hide(this.#page.innerAmong(frames), frames, 'restless');
      const { taken, place } = await take({ top, frames, hidden, asked });
      const otherwise = 'The picture was thrown away.';
      // The browser takes what it is asked in this order, so that the frames are those from before anything is shown again.
      const [now, ended] = await Promise.all([framesOf(this.#page.tabId), end(place), this.#page.checkStillThere(watch, otherwise)]);
      if (!hidden.areAllClosedIn(now)) throw new DocumentChangedError(otherwise);
      const isCovered = this.#page.innerAmong(now).every((frame) => asked.has(frame.documentId) || hidden.has(frame, now));
      return isCovered && ended?.some((part) => part?.value === false) !== true ? { value: taken } : null;
    } catch (error) {
      await end(null);
      throw error;
    } finally {
      await hidden.show();
    }
  }

  /** Hides what secret fields hold, in all frames. One that does not answer, or shows what another site's field holds, is hidden whole. */
  async #beginPicture(
    { top, frames, hidden, asked }: PictureScenery,
    own: PageMethods['beginPicture']['options'],
    inner: PageMethods['beginPicture']['options'],
    stillMs?: number,
  ): Promise<PictureScene> {
    const { learned } = this.#page;
    const first = await this.#page.askAmong(top, frames, 'beginPicture', { own, inner }, { stillMs });
    // A frame may show what another one holds, which was not known when it was asked.
    const isAll = first.length === 1 || this.#page.learned === learned;
    const parts = isAll ? first : await this.#page.askAmong(top, frames, 'beginPicture', { own, inner });
    const answered = new Set(parts.flatMap((part) => (part === null ? [] : [part.frameId])));
    for (const { frameId, documentId } of frames) if (answered.has(frameId)) asked.add(documentId);
    const silent = this.#page.innerAmong(frames).filter(({ frameId }) => !answered.has(frameId));
    const telling = await this.#page.tellingOfOthers(frames);
    if (silent.length > 0) await hidden.hide(silent, frames, 'silent');
    if (telling.length > 0) await hidden.hide(telling, frames, 'secret');
    this.#page.bind(top);
    const [scene] = parts;
    if (scene === null || scene === undefined) throw new DocumentGoneError();
    return { ...scene.value, isPlain: first.every((part) => part?.value.isPlain === true) };
  }

  /**
   * Whether the browser may be asked for a picture while the page is asked what is to be hidden. The picture counts only where nothing was,
   * and nothing had changed since the page answered before; otherwise it is thrown away and taken again.
   */
  #mayBePlain({ active }: chrome.tabs.Tab, { hidden, frames }: PictureScenery): boolean {
    const { plain } = this.#tools;
    // A tab that the person sees usually has the frame of the agent that acts in it.
    return !hidden.isAny && (plain.get(this.#page.tabId) ?? (!active && frames.length === 1));
  }

  async #takePicture(
    tab: chrome.tabs.Tab,
    scenery: PictureScenery,
    { type, target, fullPage, region = null, box: wanted = null, hasRefs = false, scale = 'device', withoutDebugger = false }: Pictured,
    stillMs?: number,
  ): Promise<{ picture: Picture; place: PicturePlace }> {
    const { debuggers, plain } = this.#tools;
    const { tabId, signal } = this.#page;
    if (isUndrawn(tab)) throw notDrawn();
    // The debugger is quicker, and Chrome lets extensions picture the visible tab only twice a second.
    const isOfLastDrawn = !scenery.hidden.isAny && (withoutDebugger || !debuggers.isAttached(tabId)) && (await isInView(tab));
    const inner = { isFullPage: fullPage, isOfLastDrawn };
    const part = { ...(region === null ? {} : { region }), ...(wanted === null ? {} : { box: wanted }) };
    const own = { ...inner, ...part, ...(target === null ? {} : { target }), hasRefs };
    const isOfView = target === null && region === null && wanted === null && !fullPage;
    // What a picture takes longest for is the browser's part.
    const isEarly = isOfView && !hasRefs && !isOfLastDrawn && !withoutDebugger && this.#mayBePlain(tab, scenery);
    const early = isEarly ? captureView({ debuggers, tabId, type, signal }).catch(() => null) : null;
    const { size, box = null, refs = [], isPlain } = await this.#beginPicture(scenery, own, inner, stillMs);
    const scaling: Scaling = region === null ? scale : 'zoomed';
    const form = { box, fullPage, scaling, size };
    const counts = isPlain && !scenery.hidden.isAny && isViewAsDrawn(form);
    if (isOfView) plain.set(tabId, counts);
    const isSeen = isOfLastDrawn && !scenery.hidden.isAny && !fullPage && box?.isInView !== false;
    const request = { ...form, isSeen, type, withoutDebugger, debuggers, tabId, signal };
    const picture = (counts ? await early : null) ?? (await capture(request));
    const place = placeOf(form);
    return { picture: hasRefs ? await drawRefs(picture, refs, place) : picture, place };
  }
}

/** A tab that was loaded again after the browser had discarded it, and has not been shown since. */
export const isUndrawn = ({ width }: chrome.tabs.Tab): boolean => width === 0;

export const notDrawn = (): CompanionError =>
  new CompanionError('TOOL_FAILED', 'The browser had discarded this tab to save memory, and does not draw it again before it is shown.', {
    remedy: 'Show it with browser_tabs select, then retry; browser_snapshot reads it as it is.',
  });

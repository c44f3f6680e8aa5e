/** A page as it is asked: in each frame the one document that the call is about, and never another one that has come in its place. */
import * as z from 'zod';
import type { PageMethod, PageMethods } from '#extension/content/api.ts';
import { type OffLimits, checkPage, isAllowedPage, originOf } from '#extension/shared/addresses.ts';
import { MOST_FRAMES } from '#extension/toolkit/page-words.ts';
import {
  DocumentChangedError,
  DocumentGoneError,
  ErrorPageError,
  goneWhenChanged,
  NothingYetError,
} from '#extension/toolkit/page-error.ts';
import { noteReading, orSilent, orStuck, StuckError, whileAlive, whileShown } from './alive.ts';
import type { Debuggers } from './debugger.ts';
import {
  type Frame,
  allowedAmong,
  documentAmong,
  documentIn,
  framesOf,
  isAddressless,
  isWritten,
  originAmong,
  pathToSite,
} from './documents.ts';
import {
  type Envelope,
  type FrameAnswer,
  type Glance,
  PageBusyError,
  type PageDocument,
  askDocument,
  cancelInDocument,
  glanceAt,
} from './inject.ts';
import { type Expected, NavigationWatch } from './navigation.ts';
import { madeIn } from './made-pages.ts';
import { orAborted, within } from './queue.ts';
import type { RefBases } from './ref-bases.ts';
import { type SecretValues, tellsOf } from './secret-values.ts';
import type { TabEvents } from './tab-events.ts';
import { existing } from './tabs.ts';

/** What it needs of the worker to ask. */
export interface AskingTools {
  readonly debuggers: Debuggers;
  readonly events: TabEvents;
  readonly refBases: RefBases;
  readonly secrets: SecretValues;
  /** The page's own document that answered last in each tab. */
  readonly lastShown: Map<number, PageDocument>;
  /** The document of each tab for whose rest a call has waited to the limit: none waits for that again. */
  readonly awaited: Map<number, string>;
  offLimits(): OffLimits;
}

/** A tab and its frames as they were at one time. */
export interface Sight {
  readonly tab: chrome.tabs.Tab;
  readonly url: string;
  readonly title: string;
  readonly frames: readonly Frame[];
}

/** What one frame answered. */
export interface Part<N extends PageMethod> {
  readonly frameId: number;
  readonly parentFrameId: number;
  readonly value: PageMethods[N]['result'];
}

/** Calls that only look, and may take longer on a large page. */
const READING = new Set<PageMethod>(['snapshot', 'changeCount']);

/** Calls after which it is known what the secret fields of a document hold. */
const ASKING_ALL = new Set<PageMethod>(['snapshot', 'lookForSecrets']);

/** How long a page is asked what its secret fields hold: one that hangs is told of without. */
const LOOK_MS = 500;
/** How often what a frame of the page's own site holds is asked for, where it seems to hang. */
const MOST_LOOKS = 3;
/** Not longer in all than a call has: on a busy machine each look may take that long. */
const OWN_LOOKS_MS = 6_000;

/** A page that hangs does not tell the debugger either. */
const NOTHING_MS = 500;

const Told = z.object({ result: z.looseObject({ value: z.unknown() }) });

/** What may be asked of a page that nobody has looked at yet: it tells nothing but its state and address. */
type WaitingMethod = 'activity' | 'drawnAgain' | 'back' | 'forward';

/** How a document is asked. */
interface Asking<N extends PageMethod> {
  /** What the page's own document answers, where it was asked before. */
  readonly early?: Promise<PageMethods[N]['result']> | null;
  /** It answers only when nothing has gone on in it for so long. */
  readonly stillMs?: number | undefined;
  /** It is waited for what becomes of the page, also when its content was replaced. */
  readonly isWaiting?: boolean;
  /** What gives the question up; without it, the end of the call. */
  readonly ends?: AbortSignal | undefined;
  /** The answer is for ourselves, and told to nobody. */
  readonly isForUs?: boolean;
  /** Without its answer nothing may be told of the page. */
  readonly isNeeded?: boolean;
}

export class AskedPage {
  readonly tabId: number;
  readonly signal: AbortSignal;
  readonly #tools: AskingTools;
  readonly #bound = new Map<number, PageDocument>();
  /** What was seen when it woke, until something is asked of the page or waited for. */
  sight: Sight | null = null;
  /** Whether anything has moved in the page since the last action began; null when the page was not asked. */
  hasMoved: boolean | null = null;
  /** Whether the page has put another document in the place of its own since then: by `document.open()`, or by an address that is a script. */
  isReplaced = false;

  /** Everything it does ends when `signal` is aborted. */
  constructor(tabId: number, signal: AbortSignal, tools: AskingTools) {
    this.tabId = tabId;
    this.signal = signal;
    this.#tools = tools;
  }

  /** From now on only this document is asked in its frame; when it has gone, the call ends with DOCUMENT_CHANGED. */
  bind({ frameId, documentId, url, mark }: PageDocument): void {
    this.#bound.set(frameId, { frameId, documentId, url, mark });
  }

  /** Binds it to the document that the tab showed last; null where none is known, or it may not be looked at. */
  bindLast(): PageDocument | null {
    const last = this.#tools.lastShown.get(this.tabId);
    if (last === undefined || !isAllowedPage(last.url, this.#tools.offLimits())) return null;
    this.bind(last);
    return last;
  }

  /** The document that is asked in a frame, as far as one was asked already. */
  bound(frameId: number): PageDocument | undefined {
    return this.#bound.get(frameId);
  }

  /** Those of all frames that were asked. */
  get allBound(): readonly PageDocument[] {
    return [...this.#bound.values()];
  }

  /** The tab and its frames as they are now. */
  async look(): Promise<Sight> {
    const [tab, frames] = await Promise.all([existing(this.tabId), framesOf(this.tabId)]);
    return { ...titleOf(tab, frames[0]?.url), tab, frames };
  }

  /** Its address and title, as it was last seen or is now. */
  async info(frameId = 0): Promise<{ url: string; title: string }> {
    const frames = frameId === 0 ? [] : (this.sight?.frames ?? (await framesOf(this.tabId)));
    const { url, title } = this.sight ?? (await this.#infoNow());
    return { url: frameId === 0 ? url : await this.originIn(frames, documentAmong(frames, frameId)), title };
  }

  /**
   * Whose a document is, for what is to be done in it. Any frame may go to a `data:` address by itself: what stands in one is of the page around
   * it only where that names this very address.
   */
  async originIn(frames: readonly Frame[], document: PageDocument): Promise<string> {
    const path = pathToSite(frames, document);
    for (const [index, frame] of path.entries()) {
      const around = path[index + 1];
      if (around !== undefined && isWritten(frame.url) && !(await this.#isNamedIn(around, frame))) return 'null';
    }
    return originAmong(frames, document);
  }

  async #isNamedIn(around: PageDocument, frame: PageDocument): Promise<boolean> {
    const index = await this.askDocument(frame, 'indexInParent', null);
    return this.askDocument(around, 'namesFrame', { index, address: frame.url });
  }

  async #infoNow(): Promise<{ url: string; title: string }> {
    const [tab, frame] = await Promise.all([existing(this.tabId), frameOf(this.tabId)]);
    return titleOf(tab, frame?.url);
  }

  /** The address of the page, which is the one that the call is about. */
  async address(): Promise<string> {
    const { documentId, url } = await documentIn(this.tabId, 0);
    const bound = this.#bound.get(0);
    if (bound !== undefined && bound.documentId !== documentId) throw new DocumentChangedError();
    return url;
  }

  /** Does what may lead the page elsewhere, or must know whether something does. */
  async watching<T>(work: (watch: NavigationWatch) => Promise<T>, expected?: Expected): Promise<T> {
    this.sight = null;
    const watch = new NavigationWatch(this.#tools.events, this.tabId, expected);
    try {
      return await work(watch);
    } finally {
      watch.stop();
    }
  }

  /** The document of a frame, the same for the whole call. */
  async document(frameId: number): Promise<PageDocument> {
    const known = this.#bound.get(frameId);
    if (known !== undefined) return known;
    const found = await documentIn(this.tabId, frameId);
    checkDocument(found, this.#tools.offLimits());
    this.bind(found);
    return found;
  }

  /** Asks the document of a frame that the call is bound to. */
  async askBound<N extends PageMethod>(name: N, options: PageMethods[N]['options'], frameId: number): Promise<PageMethods[N]['result']> {
    return this.askDocument(await this.document(frameId), name, options);
  }

  /** Asks the page that is shown now; for waiting only, which is done in whatever page comes. */
  async askShown<N extends WaitingMethod>(
    name: N,
    options: PageMethods[N]['options'],
    shown?: PageDocument,
  ): Promise<PageMethods[N]['result']> {
    const asked = shown ?? (await documentIn(this.tabId, 0));
    return this.askDocument(asked, name, options, { isWaiting: true }).catch(goneWhenChanged);
  }

  /** The page's own document, which it is from now on for the whole call, and the frames in it that may be read. */
  async readable(): Promise<{ top: PageDocument; inner: readonly Frame[]; frames: readonly Frame[] }> {
    const frames = await framesOf(this.tabId);
    const top = this.topAmong(frames);
    this.bind(top);
    return { top, inner: this.askedAmong(top, frames), frames };
  }

  /** The page's own document, which is the same for the whole call once it was asked. */
  topAmong(frames: readonly Frame[]): PageDocument {
    const top = this.#bound.get(0) ?? documentAmong(frames, 0);
    checkDocument(top, this.#tools.offLimits());
    return top;
  }

  /** The frames in it that may be read. */
  innerAmong(frames: readonly Frame[]): Frame[] {
    return allowedAmong(frames, this.#tools.offLimits()).filter(({ frameId }) => frameId !== 0);
  }

  /** Those of them that are asked, all of the page's own site among them: our script in each of thousands would leave the page no time. */
  askedAmong(top: PageDocument, frames: readonly Frame[]): readonly Frame[] {
    const inner = this.innerAmong(frames);
    if (inner.length <= MOST_FRAMES) return inner;
    const own = this.#ownAmong(top, inner);
    if (own.length > MOST_FRAMES) return [];
    const others = inner.filter((frame) => !own.includes(frame)).slice(0, MOST_FRAMES - own.length);
    return inner.filter((frame) => own.includes(frame) || others.includes(frame));
  }

  /** Whether more frames of its own site are in the page than are asked: what they hold, and the page may tell, nobody knows. */
  hasTooMany(top: PageDocument, frames: readonly Frame[]): boolean {
    return frames.length > MOST_FRAMES && this.#ownAmong(top, this.innerAmong(frames)).length > MOST_FRAMES;
  }

  /** Asks the page itself, so that what is wrong with it is told, and then the frames in it that are asked; null for one that has gone. */
  async askAmong<N extends PageMethod>(
    top: PageDocument,
    frames: readonly Frame[],
    name: N,
    options: { readonly own: PageMethods[N]['options']; readonly inner: PageMethods[N]['options'] },
    { ends, stillMs, early = null }: Asking<N> = {},
  ): Promise<(Part<N> | null)[]> {
    const inner = this.askedAmong(top, frames);
    const parts = await Promise.all([
      (early ?? this.askDocument(top, name, options.own, { ends, stillMs })).then((value) => ({ frameId: 0, parentFrameId: -1, value })),
      ...inner.map((frame) =>
        this.askDocument(frame, name, options.inner, { ends }).then(
          (value) => ({ frameId: frame.frameId, parentFrameId: frame.parentFrameId, value }),
          () => null,
        ),
      ),
    ]);
    // What the last of them holds was not known yet when the first one answered.
    return name === 'snapshot' && parts.length > 1 ? this.#tools.secrets.without(parts) : parts;
  }

  /** Asks one document; what is known of the page before counts no more. */
  async askDocument<N extends PageMethod>(
    asked: PageDocument,
    name: N,
    options: PageMethods[N]['options'],
    { stillMs, isWaiting = false, ends = this.signal, isForUs = false, isNeeded = false }: Asking<N> = {},
  ): Promise<PageMethods[N]['result']> {
    const { events, refBases, debuggers, secrets: known } = this.#tools;
    const { tabId } = this;
    this.sight = null;
    const refBase = await refBases.of(tabId);
    const besides = known.ofOrigin(originOf(asked.url));
    const envelope: Envelope = {
      askId: crypto.randomUUID(),
      refBase,
      ...(stillMs === undefined ? {} : { stillMs }),
      ...(besides.length === 0 ? {} : { besides }),
    };
    await debuggers.whileNoDialog(tabId, this.#orNothing(asked, orStuck(tabId, asked, isNeeded)));
    ends.throwIfAborted();
    const bound = this.#bound.get(asked.frameId);
    const isBound = !isWaiting && bound?.documentId === asked.documentId;
    const ask = (): Promise<FrameAnswer<N>> =>
      askDocument(tabId, { ...asked, mark: isBound ? bound.mark : undefined }, name, options, envelope);
    const askedAt = performance.now();
    // A page is read without a frame that hangs; without the page itself there is nothing to read.
    const answer = READING.has(name) && asked.frameId !== 0 ? orSilent(tabId, asked, ask) : ask();
    const abort = (): void => void cancelInDocument(tabId, asked, envelope.askId);
    ends.addEventListener('abort', abort);
    try {
      const { value, refTop, mark, hasMoved, secrets, origin } = await debuggers.whileNoDialog(
        tabId,
        whileShown(events, tabId, this.#whileAlive(asked, READING.has(name), answer)),
      );
      if (isBound && bound.mark === undefined) this.bind({ ...bound, mark });
      if (bound?.mark !== undefined && bound.documentId === asked.documentId && bound.mark !== mark) this.isReplaced = true;
      if (asked.frameId === 0) this.#tools.lastShown.set(tabId, { ...asked, mark });
      this.hasMoved = hasMoved || this.hasMoved === true;
      known.learn(tabId, secrets, origin);
      if (ASKING_ALL.has(name)) known.hear(asked.documentId);
      if (name === 'snapshot') noteReading(asked.documentId, performance.now() - askedAt);
      await refBases.raise(tabId, refTop);
      // Tools search through it, and what they find tells of it.
      return name === 'snapshot' && !isForUs ? known.without(value) : value;
    } finally {
      ends.removeEventListener('abort', abort);
    }
  }

  /** Null when the document has gone. */
  activity(shown?: PageDocument, watched: PageMethods['activity']['options'] = null): Promise<PageMethods['activity']['result'] | null> {
    return this.askShown('activity', watched, shown).catch(nullWhenGone);
  }

  /** What a document tells of itself at once, whichever document it is. */
  glance(shown: PageDocument): Promise<Glance> {
    const { events, debuggers } = this.#tools;
    const answer = this.#whileAlive(shown, false, glanceAt(this.tabId, shown));
    return orAborted(debuggers.whileNoDialog(this.tabId, whileShown(events, this.tabId, answer)), this.signal);
  }

  /** The result of `work`; rejects when the document stops running scripts, with what is known of why. */
  #whileAlive<T>(asked: PageDocument, isReading: boolean, work: Promise<T>): Promise<T> {
    return this.#orNothing(asked, whileAlive(this.tabId, asked, isReading, work));
  }

  #orNothing<T>(asked: PageDocument, work: Promise<T>): Promise<T> {
    return work.catch(async (error: unknown) => {
      throw error instanceof StuckError && asked.frameId === 0 && (await this.#hasNothing()) ? new NothingYetError() : error;
    });
  }

  /** Whether nothing of the page has come, which only the debugger is told of. */
  async #hasNothing(): Promise<boolean> {
    const { debuggers } = this.#tools;
    if (!debuggers.isAttached(this.tabId)) return false;
    const asked = { expression: 'document.documentElement === null', returnByValue: true };
    const told = debuggers.with(this.tabId, AbortSignal.timeout(NOTHING_MS), ({ send }) => send('Runtime.evaluate', asked));
    return told.then(
      (answer) => Told.safeParse(answer).data?.result.value === true,
      () => false,
    );
  }

  /** Another number than before: a document has told meanwhile what a field holds, which no other one was told when it was asked. */
  get learned(): number {
    return this.#tools.secrets.learned;
  }

  /** What came from elsewhere than a page's own words is told without what the fields of all its frames hold. Resolves with what is wrong where the tab shows no page. */
  async lookForSecrets(): Promise<ErrorPageError | null> {
    let wrong: ErrorPageError | null = null;
    const look = async (): Promise<void> => {
      const { top, frames } = await this.readable();
      await this.askAmong(top, frames, 'lookForSecrets', { own: null, inner: null });
    };
    const noted = (error: unknown): boolean => {
      if (error instanceof ErrorPageError) wrong = error;
      return false;
    };
    await within(look().then(isDone, noted), LOOK_MS);
    return wrong;
  }

  /** The same, for what asks the page's own document anyway and is told there what it holds. */
  async lookForOtherSecrets(): Promise<void> {
    if ((await framesOf(this.tabId)).length > 1) await this.lookForSecrets();
  }

  /**
   * Before a search in one of several frames: from what is found there nothing is to be told of what another one holds. One of the page's own
   * site is waited for, however long the page is busy: a search without its answer would be told of what it holds. What the frames of the page's
   * own site held is `known` then, `knownBefore` where one hangs that has told it once, and else `unknown`.
   */
  async lookBeside(): Promise<'known' | 'knownBefore' | 'unknown'> {
    if ((await framesOf(this.tabId)).length < 2) return 'known';
    const { top, frames: now } = await this.readable();
    if (this.hasTooMany(top, now)) return 'unknown';
    const asked = this.askedAmong(top, now);
    const own = this.#ownAmong(top, asked);
    const others = asked
      .filter((frame) => !own.includes(frame))
      .map((frame) => this.askDocument(frame, 'lookForSecrets', null).catch(() => null));
    const inPage = this.askDocument(top, 'lookForSecrets', null).catch(() => null);
    const looks = Promise.all(own.map((frame) => this.#lookInOwn(top, frame)));
    const looked = Promise.all([looks, inPage, within(Promise.all(others).then(isDone, isNotDone), LOOK_MS)]);
    const [heard] = await orAborted(looked, this.signal);
    if (heard.every(Boolean)) return 'known';
    return own.every(({ documentId }, index) => heard[index] === true || this.#tools.secrets.hasHeard(documentId))
      ? 'knownBefore'
      : 'unknown';
  }

  /**
   * Before a page is told of without the frames that did not answer. False where one of its own site hangs that has never told what it holds:
   * the page may tell it, and nobody would know.
   */
  async mayTellWithout(top: PageDocument, frames: readonly Frame[]): Promise<boolean> {
    if (this.hasTooMany(top, frames)) return false;
    const unheard = this.#ownAmong(top, this.askedAmong(top, frames)).filter(({ documentId }) => !this.#tools.secrets.hasHeard(documentId));
    const looks = Promise.all(unheard.map((frame) => this.#lookInOwn(top, frame)));
    return (await orAborted(looks, this.signal)).every(Boolean);
  }

  /** Those of these frames that are of the page's own site. */
  #ownAmong(top: PageDocument, inner: readonly Frame[]): readonly Frame[] {
    return inner.filter(({ url }) => url.startsWith('about:') || originOf(url) === originOf(top.url));
  }

  /** A frame that the page's own scripts hold up is asked again as long as the page itself answers; false where it hangs by itself. */
  async #lookInOwn(top: PageDocument, frame: Frame): Promise<boolean> {
    const giveUpAt = performance.now() + OWN_LOOKS_MS;
    for (let looks = 1; ; looks += 1) {
      try {
        await this.askDocument(frame, 'lookForSecrets', null, { isNeeded: looks > 1 });
        return true;
      } catch (error) {
        // It has gone, or takes no script.
        if (!(error instanceof StuckError)) return true;
        if (looks === MOST_LOOKS || performance.now() > giveUpAt) return false;
        await this.askDocument(top, 'lookForSecrets', null).catch(() => null);
      }
    }
  }

  /** The frames that show what a document of another origin holds: they are not told of it, so that they cannot hide it themselves. */
  async tellingOfOthers(frames: readonly Frame[]): Promise<readonly Frame[]> {
    const told = this.askedAmong(this.topAmong(frames), frames).map(async (frame) => {
      const secrets = this.#tools.secrets.ofOthers(this.tabId, originOf(frame.url));
      if (secrets.length === 0) return [];
      const shown = await this.askDocument(frame, 'snapshot', { urls: false }, { isForUs: true }).catch(() => null);
      return tellsOf(shown, secrets) ? [frame] : [];
    });
    return (await Promise.all(told)).flat();
  }

  /** How often each of its documents has changed. */
  async changeCounts(): Promise<{ frame: PageDocument; count: number }[]> {
    const top = await this.document(0);
    const counts = [top, ...this.askedAmong(top, await framesOf(this.tabId))].map(async (frame) => {
      const count = this.askDocument(frame, 'changeCount', {});
      return { frame, count: await (frame === top ? count : count.catch(() => null)) };
    });
    return (await orAborted(Promise.all(counts), this.signal)).flatMap(({ frame, count }) => (count === null ? [] : [{ frame, count }]));
  }

  /** A frame that goes away is a change, too. */
  async changeIn(frame: PageDocument, since: number): Promise<void> {
    const change = orAborted(this.askDocument(frame, 'changeCount', { since }), this.signal);
    await (frame.frameId === 0 ? change : change.catch(() => null));
  }

  /** The page must be the same one still. */
  async checkStillThere(watch: NavigationWatch, otherwise: string): Promise<void> {
    const { documentId } = await documentIn(this.tabId, 0);
    const hasMoved = watch.phase === 'committed' || watch.phase === 'ready';
    if (hasMoved || documentId !== this.#bound.get(0)?.documentId) throw new DocumentChangedError(otherwise);
  }
}

const isDone = (): boolean => true;
const isNotDone = (): boolean => false;

export const frameOf = async (tabId: number): Promise<Pick<PageDocument, 'documentId' | 'url'> | undefined> =>
  (await chrome.webNavigation.getFrame({ tabId, frameId: 0 })) ?? (await madeIn(tabId, 0));

/** The tab's own address lags behind: for a moment after a load it is still the old one. */
export const titleOf = (
  { url = '', title = '', pendingUrl = '' }: chrome.tabs.Tab,
  shown: string | undefined,
): { url: string; title: string } => ({ url: shown || url || pendingUrl, title });

export const nullWhenGone = (error: unknown): null => {
  if (error instanceof DocumentGoneError) return null;
  throw error;
};

/** The page is not what it was, or something goes on in it. */
export const nullWhenBusy = (error: unknown): null => {
  if (error instanceof PageBusyError || error instanceof DocumentChangedError) return null;
  return nullWhenGone(error);
};

/** A frame without an address of its own is judged by the page around it. */
const checkDocument = ({ frameId, url }: PageDocument, offLimits: OffLimits): void => {
  if (frameId === 0 || !isAddressless(url)) checkPage(url, offLimits);
};

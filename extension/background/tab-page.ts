/** A tab as the tools see it. */
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { HeldGrant } from '#protocol/link.ts';
import type { Activity, PageMethod, PageMethods, PicturePlace, PictureScene, Point, SelectedText } from '#extension/content/api.ts';
import { type OffLimits, checkPage, isAllowedPage, isClosedSite, originOf } from '#extension/shared/addresses.ts';
import { wordsIn } from '#extension/shared/target-steps.ts';
import { DialogOpenError, DocumentChangedError, DocumentGoneError, PageError, goneWhenChanged } from '#extension/toolkit/page-error.ts';
import type {
  Acted,
  Aim,
  ConsoleEntry,
  Dialog,
  Emulation,
  Evaluated,
  Input,
  Loaded,
  Page,
  PageCommand,
  PickedPlace,
  Picture,
  Pictured,
  RequestEntry,
  ResponseBody,
  Route,
  RouteWay,
  TabSize,
} from '#extension/toolkit/page.ts';
import { whenRefused } from '#extension/toolkit/real-input.ts';
import type { FramePart } from '#extension/toolkit/snapshot-text.ts';
import type { Acting } from './acting.ts';
import { reacts, whileAlive, whileShown } from './alive.ts';
import { capture, placeOf } from './capture.ts';
import { HiddenFrames } from './hidden-frames.ts';
import type { Debuggers, FileDialog } from './debugger.ts';
import { type Frame, allowedAmong, documentAmong, documentIn, framesOf } from './documents.ts';
import { evaluate } from './evaluate.ts';
import { keepFileField } from './file-field.ts';
import {
  type Envelope,
  type Glance,
  PageBusyError,
  type PageDocument,
  askDocument,
  cancelInDocument,
  glanceAt,
  prepareDocument,
} from './inject.ts';
import { Keyboard } from './keyboard.ts';
import { drawRefs } from './labels.ts';
import { looksForTrust } from './listeners.ts';
import { Mouse } from './mouse.ts';
import { type Expected, NavigationWatch } from './navigation.ts';
import type { NetworkBodies } from './network-bodies.ts';
import type { NetworkLog } from './network-log.ts';
import type { News } from './news.ts';
import { readPageLog } from './page-log.ts';
import { Pending } from './pending.ts';
import type { Scaling } from './picture.ts';
import { pickIn } from './pick-in.ts';
import { orAborted, pause, within } from './queue.ts';
import type { RefBases } from './ref-bases.ts';
import type { Requests } from './requests.ts';
import { routesIn, toEmulated } from './routes.ts';
import { checkWay } from './ruled-sites.ts';
import type { SecretValues } from './secret-values.ts';
import { type PageState, STILL_MS, type WatchedPage, restForReading, restLoaded, settle } from './settle.ts';
import type { Landing, TabEvents } from './tab-events.ts';
import { type SeenTab, existing, isInView } from './tabs.ts';

/** What every page needs of the worker. */
export interface PageTools {
  readonly debuggers: Debuggers;
  readonly events: TabEvents;
  readonly requests: Requests;
  readonly network: NetworkLog;
  readonly bodies: NetworkBodies;
  readonly news: News;
  readonly refBases: RefBases;
  readonly acting: Acting;
  readonly secrets: SecretValues;
  offLimits(): OffLimits;
}

/** What a page does to the tabs of the session it belongs to. */
export interface PageOwner {
  /** Null for a page that is only looked at. */
  readonly sessionId: SessionId | null;
  /** The permission of the call; null where it was allowed for itself. */
  readonly grant: HeldGrant | null;
  /** Whether the tab is the person's, who has not handed it over. */
  isPersons(): Promise<boolean>;
  /** Ends the routes of all tabs that are allowed no more. */
  endRoutes(): Promise<void>;
  /** The page has asked for files, which have not begun yet. */
  expectDownload(): void;
  /** Runs a load, of this address if any, that may arrive only where the call may. */
  within<T>(load: () => Promise<T>, address?: string): Promise<T>;
  /** Runs what makes the page ask for something, which is sent on only where the call may go. */
  withinRequest<T>(work: () => Promise<T>): Promise<T>;
  /** Runs what may lead elsewhere, but not to a site on which a rule of the person stands. */
  keepOff<T>(work: () => Promise<T>, goBack: (url: string) => Promise<unknown>): Promise<T>;
  openBeside(url: string): Promise<number>;
  /** Throws where the person wants to be asked each time a site is opened, and was not asked for this. */
  checkReload(url: string): void;
  /** A tab that a page of the session opened is the session's. */
  adopt(tabId: number): Promise<void>;
}

/** A tab and its frames as they were at one time. */
interface Sight {
  readonly tab: chrome.tabs.Tab;
  readonly url: string;
  readonly title: string;
  readonly frames: readonly Frame[];
}

/** What a picture is taken of. */
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

/** What one frame answered. */
interface Part<N extends PageMethod> {
  readonly frameId: number;
  readonly parentFrameId: number;
  readonly value: PageMethods[N]['result'];
}

const toParts = (parts: readonly (Part<'snapshot'> | null)[]): FramePart[] =>
  parts.flatMap((part) => (part === null ? [] : [{ frameId: part.frameId, parentFrameId: part.parentFrameId, snapshot: part.value }]));

/** A page may ask its server before it opens a file dialog. */
const FILE_DIALOG_MS = 3_000;

const LOADING_LIMIT_MS = 5_000;
/** How long an element is waited for that is not there. */
const COMING_MS = 5_000;
/** In a page in which nothing has moved for this long nothing is coming, once it was looked at for a moment. */
const NOTHING_COMES_MS = 3_000;
const GLANCE_MS = 500;
/** Between two looks at an element that is not ready. */
const MOMENT_MS = 25;
/** A page that has not changed for this long does not become ready by itself. */
const UNMOVED_MS = 1_000;

/** Calls that only look, and may take longer on a large page. */
const READING = new Set<PageMethod>(['snapshot', 'changeCount']);

/** Calls that come after an action, which may have removed its target. */
const AFTERWARDS = new Set<PageMethod>(['receipt', 'holdsFocus', 'endKeys']);

/** How long a page is asked what its secret fields hold: one that hangs is told of without. */
const LOOK_MS = 500;

/** Changes come in bursts, and one look serves for all of a burst. */
const BURST_MS = 50;

/** What may be asked of a page that nobody has looked at yet: it tells nothing but its state and address. */
type WaitingMethod = 'activity' | 'drawnAgain' | 'back' | 'forward';

/** How a document is asked. */
interface Asking {
  /** It answers only when nothing has gone on in it for so long. */
  readonly stillMs?: number | undefined;
  /** It is waited for what becomes of the page, also when its content was replaced. */
  readonly isWaiting?: boolean;
  /** What gives the question up; without it, the end of the call. */
  readonly ends?: AbortSignal | undefined;
}

/** For what has to be done also when the call was given up. */
const never = new AbortController().signal;

export class TabPage implements Page {
  readonly tabId: number;
  readonly #signal: AbortSignal;
  readonly #tools: PageTools;
  readonly #owner: PageOwner;
  readonly #bound = new Map<number, PageDocument>();
  /** The id of the dialog that the person is asked about; empty when none was open. */
  #dialog: string | undefined;
  /** What was seen when it woke, until something is asked of the page or waited for. */
  #sight: Sight | null = null;
  /** Whether anything has moved in the page since the last action began; null when the page was not asked. */
  #hasMoved: boolean | null = null;

  /** Everything it does ends when `signal` is aborted. */
  constructor(tabId: number, signal: AbortSignal, tools: PageTools, owner: PageOwner) {
    this.tabId = tabId;
    this.#signal = signal;
    this.#tools = tools;
    this.#owner = owner;
  }

  async wake(known?: SeenTab): Promise<Sight> {
    return (this.#sight = await this.#watching(async (watch) => {
      const [tab, frames] = await Promise.all([known?.tab ?? existing(this.tabId), known?.frames ?? framesOf(this.tabId)]);
      // Chrome tells nothing of the frames of a page that extensions may not touch.
      if (frames.length === 0) checkPage(tab.url ?? '', this.#tools.offLimits());
      // The debugger cannot be attached to it before.
      if (tab.discarded) await this.#load(() => chrome.tabs.reload(this.tabId));
      // A tab that was just made has no document for a moment.
      else if (frames.length === 0 && tab.status === 'loading') await watch.next(LOADING_LIMIT_MS, this.#signal);
      else return { ...titleOf(tab, frames[0]?.url), tab, frames };
      return this.#look();
    }));
  }

  async info(): Promise<{ url: string; title: string }> {
    if (this.#sight !== null) return this.#sight;
    const [tab, frame] = await Promise.all([existing(this.tabId), frameOf(this.tabId)]);
    return titleOf(tab, frame?.url);
  }

  async address(): Promise<string> {
    const { documentId, url } = await documentIn(this.tabId, 0);
    const bound = this.#bound.get(0);
    if (bound !== undefined && bound.documentId !== documentId) throw new DocumentChangedError();
    return url;
  }

  /** From now on only this document is asked in its frame; when it has gone, the call ends with DOCUMENT_CHANGED. */
  bind({ frameId, documentId, url, mark }: PageDocument): void {
    this.#bound.set(frameId, { frameId, documentId, url, mark });
  }

  /** From now on only this dialog is answered. */
  bindDialog(id: string): void {
    this.#dialog = id;
  }

  /** The dialog that the person is asked about, for a call that answers one. */
  get describedDialog(): string | undefined {
    return this.#dialog;
  }

  /** By what the document is known that is asked in a frame, as far as it was asked already. */
  markIn(frameId: number): string | undefined {
    return this.#bound.get(frameId)?.mark;
  }

  /** Asks the document that the frame showed when it was first asked. */
  async ask<N extends PageMethod>(name: N, options: PageMethods[N]['options'], frameId = 0): Promise<PageMethods[N]['result']> {
    if (name === 'callPageTool') await this.#lookForSecrets();
    return orAborted(this.#askForTarget(name, options, frameId), this.#signal);
  }

  seek(text: string): Promise<boolean> {
    return this.#tools.debuggers.whileSeen(this.tabId, () => orAborted(this.#askBound('seek', { text }, 0), this.#signal));
  }

  async read(what: { aim: Aim | null; urls: boolean }): Promise<FramePart[]> {
    const sight = this.#sight;
    const isStill = sight !== null && what.aim === null && this.#isQuiet();
    const parts = !isStill ? null : await orAborted(this.#snapshotStill(sight, what.urls), this.#signal);
    if (parts !== null) return parts;
    await this.rest();
    return this.frames(what);
  }

  async frames({ aim, urls }: { aim: Aim | null; urls: boolean }): Promise<FramePart[]> {
    if (aim === null) return orAborted(this.#snapshotFrames(urls), this.#signal);
    const snapshot = await this.ask('snapshot', { target: aim.target, urls }, aim.frameId);
    const others = await this.#snapshotFrames(urls);
    return [{ frameId: aim.frameId, parentFrameId: -1, snapshot }, ...others.filter((part) => part.frameId !== aim.frameId)];
  }

  async pick({ words, limitMs }: { words?: string; limitMs?: number } = {}): Promise<PickedPlace | null> {
    const { top, inner } = await this.#readable();
    const ask = (
      document: PageDocument,
      options: PageMethods['pick']['options'],
      over: AbortSignal,
    ): Promise<PageMethods['pick']['result']> =>
      this.#askDocument(document, 'pick', options, { ends: AbortSignal.any([this.#signal, over]) });
    return orAborted(pickIn({ tabId: this.tabId, documents: [top, ...inner], words, limitMs }, ask), this.#signal);
  }

  /** What the person has selected, in whatever frame. */
  async selections(): Promise<SelectedText[]> {
    const { top, frames } = await this.#readable();
    const parts = await orAborted(this.#askAmong(top, frames, 'selection', { own: null, inner: null }), this.#signal);
    return parts.flatMap((part) => (part?.value == null ? [] : [part.value]));
  }

  act<T>(action: () => Promise<T>, { isText = false }: { readonly isText?: boolean } = {}): Promise<Acted<T>> {
    return this.#keepOff(() => this.#act(action, isText));
  }

  #keepOff<T>(work: () => Promise<T>): Promise<T> {
    return this.#owner.keepOff(work, (url) => this.#load(() => chrome.tabs.update(this.tabId, { url }), url));
  }

  #act<T>(action: () => Promise<T>, isText: boolean): Promise<Acted<T>> {
    const { requests, debuggers } = this.#tools;
    requests.follow(this.tabId);
    debuggers.takeDialogs(this.tabId);
    debuggers.takeFileDialog(this.tabId);
    return this.#watching(async (watch) => {
      // A call that no permission binds to a document is about the one that is shown. Where there is none, the action says so.
      if (this.#bound.size === 0 && this.openDialog() === null) await this.#document(0).catch(() => null);
      const pending = new Pending(this.tabId, [...this.#bound.values()]);
      // Behind a dialog nothing runs in the page. Nothing waits for it: what is asked of the page next comes after it.
      const begun = this.openDialog() === null ? pending.begin() : null;
      const startedAt = Date.now();
      this.#hasMoved = null;
      try {
        const value = await action().catch(nullWhenGone).catch(nullWhenDialog);
        await begun;
        const settled = await settle(this.#watched(watch, pending), startedAt, isText).catch(nullWhenDialog);
        if (settled?.isDownloading === true) this.#owner.expectDownload();
        const loaded = watch.phase === 'none' || settled === null ? null : await this.#arrive(watch, settled.isReady);
        if (watch.landing !== null) void prepareDocument(this.tabId, watch.landing.documentId);
        for (const opened of watch.opened) await this.#owner.adopt(opened.tabId);
        const asksForFiles = loaded === null && (await this.#keepFileDialog(debuggers.takeFileDialog(this.tabId)));
        const mutations = loaded === null ? (settled?.mutations ?? 0) : 0;
        const dialogs = debuggers.takeDialogs(this.tabId);
        return { value, loaded, mutations, newTabs: watch.opened, dialogs, asksForFiles, asks: pending.asks };
      } finally {
        this.#tools.news.erred(this.tabId, pending.errors);
        void pending.end();
      }
    });
  }

  async rest(): Promise<void> {
    await this.#watching((watch) => restForReading(this.#watched(watch)));
  }

  async moment(): Promise<boolean> {
    return (await this.#stillFor()) < UNMOVED_MS;
  }

  /** How long nothing has moved in the page, a moment from now; 0 while something does, or a request is under way. */
  async #stillFor(): Promise<number> {
    await pause(MOMENT_MS, this.#signal);
    const state = await this.#activity();
    if (state === null) throw new DocumentGoneError();
    return state.animations > 0 || this.#tools.requests.underWay(this.tabId, 0) > 0 ? 0 : state.quietMs;
  }

  async until(isMet: (shown: Page) => Promise<boolean>, limitMs: number): Promise<boolean> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limitMs);
    const signal = AbortSignal.any([this.#signal, limit.signal]);
    try {
      return await this.#watching(async (watch) => {
        while (!(await this.#tryOnce(watch, signal, isMet, limitMs))) signal.throwIfAborted();
        return true;
      });
    } catch (error) {
      this.#signal.throwIfAborted();
      if (limit.signal.aborted) return false;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  openDialog(): Dialog | null {
    return this.#tools.debuggers.openDialog(this.tabId);
  }

  describeDialog(): Dialog | null {
    const dialog = this.openDialog();
    this.bindDialog(dialog?.id ?? '');
    return dialog;
  }

  /** Nothing runs in a page behind its dialog, so that it is looked at from outside whose dialog it is. */
  async answerDialog(accepts: boolean, text: string | undefined): Promise<void> {
    const dialog = this.openDialog();
    const bound = this.#bound.get(0);
    const shown = await frameOf(this.tabId);
    if (bound !== undefined && bound.documentId !== shown?.documentId) throw new DocumentChangedError('Its dialog was not answered.');
    if (this.#dialog !== undefined && this.#dialog !== (dialog?.id ?? ''))
      throw new DocumentChangedError('It shows another dialog by now, which was not answered.');
    if (dialog !== null) await this.#tools.debuggers.answer(this.tabId, dialog, accepts, text);
  }

  async open(url: string): Promise<Loaded> {
    await this.#makeRoom();
    return this.#owner.within(() => this.#loadSeen(() => chrome.tabs.update(this.tabId, { url }), url), url);
  }

  back(): Promise<Loaded> {
    return this.#keepOff(() => this.#loadSeen(() => this.#travel('back')));
  }

  forward(): Promise<Loaded> {
    return this.#keepOff(() => this.#loadSeen(() => this.#travel('forward')));
  }

  async reload(): Promise<Loaded> {
    this.#owner.checkReload((await this.info()).url);
    return this.#keepOff(() => this.#loadSeen(() => chrome.tabs.reload(this.tabId)));
  }

  async openBeside(url: string): Promise<number> {
    checkWay(this.#tools.offLimits().sites, (await this.info()).url, url);
    return this.#owner.openBeside(url);
  }

  catchFileDialog(press: () => Promise<void>): Promise<boolean> {
    const { debuggers } = this.#tools;
    return debuggers.with(this.tabId, this.#signal, async () => {
      debuggers.takeFileDialog(this.tabId);
      await press();
      return this.#keepFileDialog(await orAborted(debuggers.nextFileDialog(this.tabId, FILE_DIALOG_MS), this.#signal));
    });
  }

  async withInput<T>(task: (input: Input) => Promise<T>, frameId = 0): Promise<T> {
    const page = await this.#document(frameId);
    return this.#tools.debuggers.with(this.tabId, this.#signal, async (attached) => {
      await attached.catchFileDialogs();
      const mouse = new Mouse(attached, this.tabId, page);
      const keyboard = new Keyboard(attached, this.tabId, page);
      const alone = (type: () => Promise<void>): Promise<void> => keyboard.whileFramesStand(type);
      const inWay = (move: () => Promise<void>): Promise<void> => this.#tools.acting.without(this.tabId, this.#signal, move);
      return task({
        press: (point, options) => inWay(() => mouse.press(point, options)),
        move: (point) => inWay(() => mouse.move(point)),
        drag: (from, to) => inWay(() => mouse.drag(from, to)),
        replaceText: (text, how) => alone(() => keyboard.replace(text, how)),
        pressKey: (chord, holdMs, isHeld) => alone(() => keyboard.press(chord, holdMs, isHeld, this.#signal)),
        pressEnter: (isHeld) => alone(() => keyboard.enter(isHeld)),
      });
    });
  }

  async activate(): Promise<void> {
    const activate = this.#tools.debuggers.with(this.tabId, this.#signal, async (attached) => {
      await Promise.all([attached.catchFileDialogs(), attached.send('Runtime.evaluate', { expression: '0', userGesture: true })]);
    });
    const goOn = whenRefused(() => Promise.resolve());
    // Without it the page takes the press for one of its own scripts. That a page is being left is told by the press itself.
    await activate.catch((error: unknown) => (error instanceof CompanionError ? goOn(error) : undefined));
  }

  looksForTrust(point: Point): Promise<boolean> {
    // What shows that an agent acts takes no pointer where it has just pressed.
    return this.#tools.debuggers.with(this.tabId, this.#signal, (attached) => looksForTrust(attached, point));
  }

  async console(forgets: boolean): Promise<ConsoleEntry[]> {
    const { debuggers } = this.#tools;
    return this.#watching(async (watch) => {
      await this.#document(0);
      const log = await debuggers.whileNoDialog(this.tabId, readPageLog(debuggers, { tabId: this.tabId, forgets, signal: this.#signal }));
      await Promise.all([this.#checkStillThere(watch, 'What it had said was thrown away.'), this.#lookForSecrets()]);
      return this.#tools.secrets.without(log);
    });
  }

  async requests(): Promise<{ readonly since: number; readonly entries: readonly RequestEntry[] }> {
    return this.#tools.secrets.without(await this.#requestsAsTheyAre());
  }

  async #requestsAsTheyAre(): Promise<{ readonly since: number; readonly entries: readonly RequestEntry[] }> {
    const { documentId, url } = await documentIn(this.tabId, 0);
    const bound = this.#bound.get(0);
    if (bound !== undefined && bound.documentId !== documentId) throw new DocumentChangedError();
    await this.#lookForSecrets();
    const { since, entries } = this.#tools.network.of(this.tabId, { sessionId: this.#owner.sessionId, site: originOf(url) });
    const isClosed = (address: string): boolean => isClosedSite(address, this.#tools.offLimits());
    return { since, entries: entries.filter((entry) => !isClosed(entry.url) && !isClosed(entry.initiator ?? '')) };
  }

  newestRequest(): number {
    return this.#tools.network.newest(this.tabId);
  }

  withoutSecrets(text: string): string {
    return this.#tools.secrets.without(text);
  }

  async responseBody(index: number): Promise<ResponseBody | 'coming' | null> {
    const entry = (await this.#requestsAsTheyAre()).entries.find((candidate) => candidate.index === index);
    const body = entry === undefined ? null : await this.#tools.bodies.of(this.tabId, entry, this.#signal);
    return this.#tools.secrets.without(body);
  }

  emulate(emulation: Emulation): Promise<TabSize> {
    const { debuggers } = this.#tools;
    return debuggers.whileSeen(this.tabId, async () => {
      const site = (await this.#owner.isPersons()) ? originOf((await this.info()).url) : null;
      const size = await debuggers.emulate(this.tabId, emulation, { by: this.#owner.sessionId, site, signal: this.#signal });
      // What is read next is what the page made of its new size. One that cannot be asked has it all the same.
      if (emulation.size !== undefined) await orAborted(this.#askShown('drawnAgain', null), this.#signal).catch(() => null);
      return size;
    });
  }

  emulated(): Promise<Emulation> {
    return this.#tools.debuggers.emulated(this.tabId);
  }

  async routes(): Promise<readonly Route[]> {
    const { routes } = await this.emulated();
    return routesIn(routes);
  }

  async addRoute(pattern: string, way: RouteWay): Promise<{ origin: string }> {
    // Nothing of it is about an element, but it is for the document that was agreed to.
    await this.#askBound('isThere', { selector: '*' }, 0);
    const origin = originOf((await this.#document(0)).url);
    const { grant } = this.#owner;
    await this.setRoutes([...(await this.routes()).filter((route) => route.pattern !== pattern), { pattern, way, origin, grant }]);
    // The permission may have been taken back in between.
    await this.#owner.endRoutes();
    if (!(await this.routes()).some((route) => route.pattern === pattern))
      throw new CompanionError('CONSENT_DENIED', 'The permission for it has just ended.');
    return { origin };
  }

  async setRoutes(routes: readonly Route[]): Promise<void> {
    await this.emulate({ routes: toEmulated(routes) });
  }

  async command(name: PageCommand, params: Record<string, unknown>): Promise<unknown> {
    return this.#watching(async (watch) => {
      // It must still be there, and be there at the end: the debugger knows tabs, and no documents.
      await this.#askBound('isThere', { selector: '*' }, 0);
      const answer = await this.#tools.debuggers.with(this.tabId, this.#signal, (attached) => attached.send(name, params));
      await this.#checkStillThere(watch, 'What was taken of it was thrown away.');
      return answer;
    });
  }

  request(code: string): Promise<Evaluated> {
    return this.#owner.withinRequest(() => this.evaluate(code, null, false));
  }

  async evaluate(code: string, aim: Aim | null, hidesSecrets: boolean): Promise<Evaluated> {
    const key = crypto.randomUUID();
    const hold = this.ask('hold', aim === null ? { key } : { key, target: aim.target }, aim?.frameId ?? 0);
    const [held] = await Promise.all([hold, this.#lookForSecrets()]);
    const secrets = hidesSecrets ? [...held, ...this.#tools.secrets.of(this.tabId)] : [];
    return evaluate(this.#tools.debuggers, { tabId: this.tabId, signal: this.#signal, code, key, hasElement: aim !== null, secrets });
  }

  async picture(what: Pictured): Promise<{ picture: Picture; url: string }> {
    const sight = this.#sight;
    const taken = sight === null || !this.#isQuiet() ? null : await this.#captureIn(sight, what, STILL_MS).catch(nullWhenBusy);
    if (taken !== null) return taken;
    await this.rest();
    return this.capture(what);
  }

  /** The same, of the page as it is now. */
  async capture(what: Pictured): Promise<{ picture: Picture; url: string }> {
    return this.#captureIn(await this.#look(), what);
  }

  async print(params: Record<string, unknown>): Promise<unknown> {
    const { debuggers } = this.#tools;
    const { frames } = await this.#look();
    return this.#takeHidden(frames, async (scenery) => {
      const inner = { isFullPage: true, isOfLastDrawn: false };
      await this.#beginPicture(scenery, inner, inner);
      const taken = await debuggers.with(this.tabId, this.#signal, (attached) => attached.send('Page.printToPDF', params));
      return { taken, place: null };
    });
  }

  /** A picture of this page, or none. */
  async #captureIn({ tab, url, frames }: Sight, what: Pictured, stillMs?: number): Promise<{ picture: Picture; url: string }> {
    const picture = await this.#takeHidden(frames, async (scenery) => {
      const { picture: taken, place } = await this.#takePicture(tab, scenery, what, stillMs);
      return { taken, place };
    });
    return { picture, url };
  }

  /**
   * Takes a picture while frames of closed sites and what secret fields hold are not drawn. One that may show another page or tab is thrown
   * away. So is one that may show a field which the page has drawn anew meanwhile, or which has come, and it is taken again.
   */
  async #takeHidden<T>(frames: readonly Frame[], take: TakePicture<T>): Promise<T> {
    let shown = frames;
    for (let times = 1; times <= MAX_PICTURES; times += 1) {
      const taken = await this.#watching((watch) => this.#takeOnce(watch, shown, take, times === MAX_PICTURES));
      if (taken !== null) return taken.value;
      shown = await framesOf(this.tabId);
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
    const top = this.#topAmong(frames);
    const hidden = new HiddenFrames(this.tabId, () => this.#tools.offLimits());
    const asked = new Set<string>();
    const end = (place: PicturePlace | null): Promise<(Part<'endPicture'> | null)[] | null> =>
      this.#askAmong(top, frames, 'endPicture', { own: place === null ? {} : { place }, inner: {} }, { ends: never }).catch(nullWhenBusy);
    try {
      await hidden.hideClosed(frames);
      if (isLast) await hidden.hide(this.#innerAmong(frames), frames);
      const { taken, place } = await take({ top, frames, hidden, asked });
      const now = await framesOf(this.tabId);
      const otherwise = 'The picture was thrown away.';
      const [ended] = await Promise.all([end(place), this.#checkStillThere(watch, otherwise)]);
      if (!hidden.areAllClosedIn(now)) throw new DocumentChangedError(otherwise);
      const isCovered = this.#innerAmong(now).every((frame) => asked.has(frame.documentId) || hidden.has(frame, now));
      return isCovered && ended?.some((part) => part?.value === false) !== true ? { value: taken } : null;
    } catch (error) {
      await end(null);
      throw error;
    } finally {
      await hidden.show();
    }
  }

  /** Hides what secret fields hold, in all frames. One that does not answer may be drawn all the same, so it is hidden whole. */
  async #beginPicture(
    { top, frames, hidden, asked }: PictureScenery,
    own: PageMethods['beginPicture']['options'],
    inner: PageMethods['beginPicture']['options'],
    stillMs?: number,
  ): Promise<PictureScene> {
    const parts = await this.#askAmong(top, frames, 'beginPicture', { own, inner }, { stillMs });
    const answered = new Set(parts.flatMap((part) => (part === null ? [] : [part.frameId])));
    for (const { frameId, documentId } of frames) if (answered.has(frameId)) asked.add(documentId);
    const silent = this.#innerAmong(frames).filter(({ frameId }) => !answered.has(frameId));
    if (silent.length > 0) await hidden.hide(silent, frames);
    this.bind(top);
    const [scene] = parts;
    if (scene === null || scene === undefined) throw new DocumentGoneError();
    return scene.value;
  }

  async #takePicture(
    tab: chrome.tabs.Tab,
    scenery: PictureScenery,
    { type, target, fullPage, region = null, box: wanted = null, hasRefs = false, scale = 'device', withoutDebugger = false }: Pictured,
    stillMs?: number,
  ): Promise<{ picture: Picture; place: PicturePlace }> {
    const { debuggers } = this.#tools;
    // The debugger is quicker, and Chrome lets extensions picture the visible tab only twice a second.
    const isOfLastDrawn = !scenery.hidden.isAny && (withoutDebugger || !debuggers.isAttached(this.tabId)) && (await isInView(tab));
    const inner = { isFullPage: fullPage, isOfLastDrawn };
    const part = { ...(region === null ? {} : { region }), ...(wanted === null ? {} : { box: wanted }) };
    const own = { ...inner, ...part, ...(target === null ? {} : { target }), hasRefs };
    const { size, box = null, refs = [] } = await this.#beginPicture(scenery, own, inner, stillMs);
    const scaling: Scaling = region === null ? scale : 'zoomed';
    const isSeen = isOfLastDrawn && !scenery.hidden.isAny && !fullPage && box?.isInView !== false;
    const how = { isSeen, type, box, fullPage, scaling, withoutDebugger, size };
    const picture = await capture({ ...how, debuggers, tabId: this.tabId, signal: this.#signal });
    const place = placeOf({ box, fullPage, scaling, size });
    return { picture: hasRefs ? await drawRefs(picture, refs, place) : picture, place };
  }

  async #look(): Promise<Sight> {
    const [tab, frames] = await Promise.all([existing(this.tabId), framesOf(this.tabId)]);
    return { ...titleOf(tab, frames[0]?.url), tab, frames };
  }

  /** The page remembers the field for which it opened a file dialog; false when there is none. */
  async #keepFileDialog(opened: FileDialog | null): Promise<boolean> {
    if (opened?.backendNodeId === undefined) return false;
    const { backendNodeId, frameId } = opened;
    return this.#tools.debuggers.with(this.tabId, this.#signal, (attached) =>
      keepFileField(attached, { tabId: this.tabId, frameId, backendNodeId }),
    );
  }

  /** Looks once; when it is not met yet, resolves with false after the next change. */
  async #tryOnce(watch: NavigationWatch, signal: AbortSignal, isMet: (shown: Page) => Promise<boolean>, limitMs: number): Promise<boolean> {
    const round = new AbortController();
    const startedAt = Date.now();
    try {
      const ends = AbortSignal.any([signal, round.signal]);
      const shown = new TabPage(this.tabId, ends, this.#tools, this.#owner);
      // It begins before the look, so that what happens meanwhile is not missed.
      const navigation = watch.next(limitMs, ends);
      navigation.catch(() => null);
      const counts = await shown.#changeCounts();
      if (await isMet(shown)) return true;
      const lookedMs = Date.now() - startedAt;
      await Promise.race([navigation, ...counts.map(({ frame, count }) => shown.#changeIn(frame, count))]);
      await pause(Math.max(BURST_MS, lookedMs), signal);
    } catch (error) {
      if (!(error instanceof DocumentGoneError || error instanceof DocumentChangedError)) throw error;
      await pause(BURST_MS, signal);
    } finally {
      round.abort();
    }
    return false;
  }

  async #changeCounts(): Promise<{ frame: PageDocument; count: number }[]> {
    const top = await this.#document(0);
    const documents = allowedAmong(await framesOf(this.tabId), this.#tools.offLimits());
    const inner = documents.filter(({ frameId }) => frameId !== 0);
    const counts = [top, ...inner].map(async (frame) => {
      const count = this.#askDocument(frame, 'changeCount', {});
      return { frame, count: await (frame === top ? count : count.catch(() => null)) };
    });
    return (await orAborted(Promise.all(counts), this.#signal)).flatMap(({ frame, count }) => (count === null ? [] : [{ frame, count }]));
  }

  /** A frame that goes away is a change, too. */
  async #changeIn(frame: PageDocument, since: number): Promise<void> {
    const change = orAborted(this.#askDocument(frame, 'changeCount', { since }), this.#signal);
    await (frame.frameId === 0 ? change : change.catch(() => null));
  }

  /** The page must be the same one still. */
  async #checkStillThere(watch: NavigationWatch, otherwise: string): Promise<void> {
    const { documentId } = await documentIn(this.tabId, 0);
    const hasMoved = watch.phase === 'committed' || watch.phase === 'ready';
    if (hasMoved || documentId !== this.#bound.get(0)?.documentId) throw new DocumentChangedError(otherwise);
  }

  /** An element that is not there may be coming, or stand in a row that is drawn when it is scrolled to. */
  async #askForTarget<N extends PageMethod>(
    name: N,
    options: PageMethods[N]['options'],
    frameId: number,
  ): Promise<PageMethods[N]['result']> {
    const ask = (): Promise<PageMethods[N]['result']> => this.#askBound(name, options, frameId);
    const selector = AFTERWARDS.has(name) ? null : selectorIn(options);
    if (selector === null) return ask();
    return ask().catch(async (error: unknown) => {
      if (!(error instanceof CompanionError) || error.code !== 'TARGET_NOT_FOUND' || !(await this.#comes(selector, frameId))) throw error;
      return ask();
    });
  }

  async #comes(selector: string, frameId: number): Promise<boolean> {
    const isThere = (): Promise<boolean> => this.#askBound('isThere', { selector }, frameId);
    // It was found, then, and means several.
    if (await isThere()) return false;
    const text = wordsIn(selector);
    if (text !== null && frameId === 0 && (await this.seek(text))) return true;
    const startedAt = Date.now();
    for (;;) {
      const stillMs = await this.#stillFor();
      if (await isThere()) return true;
      const waitedMs = Date.now() - startedAt;
      if (waitedMs > COMING_MS || (waitedMs > GLANCE_MS && stillMs > NOTHING_COMES_MS)) return false;
    }
  }

  async #askBound<N extends PageMethod>(name: N, options: PageMethods[N]['options'], frameId: number): Promise<PageMethods[N]['result']> {
    return this.#askDocument(await this.#document(frameId), name, options);
  }

  /** The document of a frame, the same for the whole call. */
  async #document(frameId: number): Promise<PageDocument> {
    const known = this.#bound.get(frameId);
    if (known !== undefined) return known;
    const found = await documentIn(this.tabId, frameId);
    checkDocument(found, this.#tools.offLimits());
    this.bind(found);
    return found;
  }

  /** Asks the page that is shown now; for waiting only, which is done in whatever page comes. */
  async #askShown<N extends WaitingMethod>(
    name: N,
    options: PageMethods[N]['options'],
    shown?: PageDocument,
  ): Promise<PageMethods[N]['result']> {
    const asked = shown ?? (await documentIn(this.tabId, 0));
    return this.#askDocument(asked, name, options, { isWaiting: true }).catch(goneWhenChanged);
  }

  async #askDocument<N extends PageMethod>(
    asked: PageDocument,
    name: N,
    options: PageMethods[N]['options'],
    { stillMs, isWaiting = false, ends = this.#signal }: Asking = {},
  ): Promise<PageMethods[N]['result']> {
    const { events, refBases, debuggers, secrets: known } = this.#tools;
    const { tabId } = this;
    this.#sight = null;
    const refBase = await refBases.of(tabId);
    const envelope: Envelope = { askId: crypto.randomUUID(), refBase, ...(stillMs === undefined ? {} : { stillMs }) };
    ends.throwIfAborted();
    const bound = this.#bound.get(asked.frameId);
    const isBound = !isWaiting && bound?.documentId === asked.documentId;
    const answer = askDocument(tabId, { ...asked, mark: isBound ? bound.mark : undefined }, name, options, envelope);
    const abort = (): void => void cancelInDocument(tabId, asked, envelope.askId);
    ends.addEventListener('abort', abort);
    try {
      const { value, refTop, mark, hasMoved, secrets } = await debuggers.whileNoDialog(
        tabId,
        whileShown(events, tabId, whileAlive(tabId, asked, READING.has(name), answer)),
      );
      if (isBound && bound.mark === undefined) this.bind({ ...bound, mark });
      this.#hasMoved = hasMoved || this.#hasMoved === true;
      known.learn(tabId, secrets);
      await refBases.raise(tabId, refTop);
      // Tools search through it, and what they find tells of it.
      return name === 'snapshot' ? known.without(value) : value;
    } finally {
      ends.removeEventListener('abort', abort);
    }
  }

  /** All frames that may be read. One that has gone elsewhere meanwhile is left out; the page itself must still be there. */
  async #snapshotFrames(urls: boolean): Promise<FramePart[]> {
    const { top, frames } = await this.#readable();
    return toParts(await this.#askAmong(top, frames, 'snapshot', { own: { urls }, inner: { urls } }));
  }

  /** Reads a page in which nothing has gone on for a while, with the same question that finds that out; null where something has. */
  #snapshotStill({ frames }: Sight, urls: boolean): Promise<FramePart[] | null> {
    return this.#watching(async (watch) => {
      const top = this.#topAmong(frames);
      const parts = await this.#askAmong(top, frames, 'snapshot', { own: { urls }, inner: { urls } }, { stillMs: STILL_MS }).catch(
        nullWhenBusy,
      );
      if (parts === null || watch.phase !== 'none' || parts.includes(null)) return null;
      this.bind(top);
      return toParts(parts);
    });
  }

  /** Whether no request that the page may need was under way a moment ago. */
  #isQuiet(): boolean {
    const { requests } = this.#tools;
    return requests.underWay(this.tabId, 0) === 0 && Date.now() - requests.lastEnd(this.tabId) >= STILL_MS;
  }

  /** The page's own document, which it is from now on for the whole call, and the frames in it that may be read. */
  async #readable(): Promise<{ top: PageDocument; inner: readonly Frame[]; frames: readonly Frame[] }> {
    const frames = await framesOf(this.tabId);
    const top = this.#topAmong(frames);
    this.bind(top);
    return { top, inner: this.#innerAmong(frames), frames };
  }

  /** What came from elsewhere than a page's own words is told without what the fields of all its frames hold. */
  async #lookForSecrets(): Promise<void> {
    const look = async (): Promise<void> => {
      const { top, frames } = await this.#readable();
      await this.#askAmong(top, frames, 'lookForSecrets', { own: null, inner: null });
    };
    const looked = look().then(
      () => true,
      () => false,
    );
    await within(looked, LOOK_MS);
  }

  #innerAmong(frames: readonly Frame[]): Frame[] {
    return allowedAmong(frames, this.#tools.offLimits()).filter(({ frameId }) => frameId !== 0);
  }

  /** The page's own document, which is the same for the whole call once it was asked. */
  #topAmong(frames: readonly Frame[]): PageDocument {
    const top = this.#bound.get(0) ?? documentAmong(frames, 0);
    checkDocument(top, this.#tools.offLimits());
    return top;
  }

  /** Asks the page itself, so that what is wrong with it is told, and then the frames in it that may be asked; null for one that has gone. */
  #askAmong<N extends PageMethod>(
    top: PageDocument,
    frames: readonly Frame[],
    name: N,
    options: { readonly own: PageMethods[N]['options']; readonly inner: PageMethods[N]['options'] },
    { ends, stillMs }: Asking = {},
  ): Promise<(Part<N> | null)[]> {
    const inner = this.#innerAmong(frames);
    return Promise.all([
      this.#askDocument(top, name, options.own, { ends, stillMs }).then((value) => ({ frameId: 0, parentFrameId: -1, value })),
      ...inner.map((frame) =>
        this.#askDocument(frame, name, options.inner, { ends }).then(
          (value) => ({ frameId: frame.frameId, parentFrameId: frame.parentFrameId, value }),
          () => null,
        ),
      ),
    ]);
  }

  /** Starts loading a page and waits until it can be read; with `url`, only the load of that address counts. */
  async #load(start: () => Promise<unknown>, url?: string): Promise<Loaded> {
    this.#tools.requests.follow(this.tabId);
    const { url: shown = '', pendingUrl = '' } = await existing(this.tabId);
    const expected: Expected | undefined = url === undefined ? undefined : { url, before: [shown, pendingUrl] };
    const load = async (watch: NavigationWatch): Promise<Loaded> => {
      await start();
      return (await this.#untilReady(watch)) ? this.#untilStays(watch) : this.#arrive(watch, false);
    };
    return this.#watching(load, expected);
  }

  /** Waits until the page that was loaded does not lead on to another one. */
  async #untilStays(watch: NavigationWatch): Promise<Loaded> {
    const { landing } = watch;
    let seen: { readonly at: Landing | null; readonly glance: Glance } | null = null;
    const state = async (): Promise<PageState | null> => {
      const at = watch.landing;
      const shown = at === null ? await documentIn(this.tabId, 0) : { frameId: 0, ...at };
      const glanced = await this.#glance(shown).catch(goneWhenChanged).catch(nullWhenGone);
      if (glanced === null) return null;
      seen = { at, glance: glanced };
      // What only matters after an action is not looked for.
      const { loadedMs: quietMs, isLoading } = glanced;
      return { quietMs, isLoading, mutations: 0, animations: 0, pending: 0, downloads: 0, isLeaving: false, isOpening: false };
    };
    const loaded = async (): Promise<Loaded | null> => {
      const { isReady } = await restLoaded({ ...this.#watched(watch), state });
      return seen === null || seen.at !== landing || watch.landing !== landing || watch.phase !== 'ready'
        ? null
        : { url: seen.glance.url, title: seen.glance.title, status: seen.glance.status, isReady };
    };
    // An empty page has no site, and nothing can be asked in it.
    const told = await this.#checked(loaded().catch(nullWhenRestricted));
    // For the next call, which need not be waited for.
    if (told !== null && landing !== null) void prepareDocument(this.tabId, landing.documentId);
    return told ?? this.#arrive(watch, true);
  }

  /** A page that hangs, in a loop or behind one message after the other, lets no other page of its own site come; an empty one it cannot keep out. */
  async #makeRoom(): Promise<void> {
    const shown = await documentIn(this.tabId, 0).catch(() => null);
    if (shown === null || (await reacts(this.tabId, shown))) return;
    const expected: Expected = { url: EMPTY, before: [shown.url] };
    await this.#watching(async (watch) => {
      await chrome.tabs.update(this.tabId, { url: EMPTY });
      await watch.committed(this.#signal);
    }, expected);
  }

  #loadSeen(start: () => Promise<unknown>, url?: string): Promise<Loaded> {
    return this.#tools.debuggers.whileSeen(this.tabId, () => this.#load(start, url));
  }

  async #watching<T>(work: (watch: NavigationWatch) => Promise<T>, expected?: Expected): Promise<T> {
    this.#sight = null;
    const watch = new NavigationWatch(this.#tools.events, this.tabId, expected);
    try {
      return await work(watch);
    } finally {
      watch.stop();
    }
  }

  async #untilReady(watch: NavigationWatch): Promise<boolean> {
    if (watch.phase === 'none') await watch.next(BEGIN_MS, this.#signal);
    if (watch.phase === 'none')
      throw new CompanionError(
        'NAVIGATION_FAILED',
        'The tab stayed where it is: there is nowhere to go, or the page asks the user whether to leave.',
      );
    return this.#arrived(watch);
  }

  async #arrived(watch: NavigationWatch): Promise<boolean> {
    await watch.committed(this.#signal);
    const { landing } = watch;
    // A page from the back/forward cache is ready as soon as it is committed, and no event says so.
    if (landing?.mayBeKept === true && watch.phase === 'committed' && (await this.#isReadable())) return true;
    // The first look costs more than those after it, and the page is still coming.
    if (landing !== null) void glanceAt(this.tabId, landing).catch(() => null);
    return watch.ready(() => this.#streams(), this.#signal);
  }

  #watched(watch: NavigationWatch, pending: Pending | null = null): WatchedPage {
    const { requests } = this.#tools;
    return {
      watch,
      signal: this.#signal,
      requests: (since) => requests.underWay(this.tabId, since),
      lastRequestEnd: () => requests.lastEnd(this.tabId),
      state: () => this.#state(watch, pending),
      calm: () => pending?.over() ?? Promise.resolve(),
      arrived: () => this.#arrived(watch),
    };
  }

  /** What the page does now; null when the document has gone. */
  async #state({ phase, opened }: NavigationWatch, pending: Pending | null): Promise<PageState | null> {
    const stayed = phase === 'none' || phase === 'moved' ? this.#bound.get(0) : undefined;
    const [activity, count] = await Promise.all([this.#activity(stayed), pending?.count(this.#hasMoved ?? true) ?? 0]);
    const isOpening = opened.length === 0 && pending?.hasOpened === true;
    return activity === null ? null : { ...activity, pending: count, isOpening };
  }

  /** The page that an action or a load led to. */
  async #arrive(watch: NavigationWatch, isReady: boolean): Promise<Loaded> {
    const loaded = await this.#checked(this.#loaded(isReady));
    return watch.phase === 'moved' ? { ...loaded, status: 0 } : loaded;
  }

  async #loaded(isReady: boolean): Promise<Loaded> {
    try {
      const { url, title, status } = await this.#glance(await documentIn(this.tabId, 0)).catch(goneWhenChanged);
      return { url, title, status, isReady };
    } catch (error) {
      if (error instanceof DocumentGoneError || (error instanceof CompanionError && error.code === 'TAB_RESTRICTED')) {
        const tab = await existing(this.tabId);
        return { url: tab.url ?? '', title: tab.title ?? '', status: 0, isReady };
      }
      throw error;
    }
  }

  /** The answer of a page to which something led, told only if it may be looked at. */
  async #checked<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => null);
    await this.#checkArrival();
    return answer;
  }

  /** A redirect may lead where nobody may go. */
  async #checkArrival(): Promise<void> {
    const { url } = await this.info();
    if (isAllowedPage(url, this.#tools.offLimits()) || !url.startsWith('http')) return checkPage(url, this.#tools.offLimits());
    await chrome.tabs.update(this.tabId, { url: EMPTY });
    const code = isClosedSite(url, this.#tools.offLimits()) ? 'SITE_NOT_ALLOWED' : 'TAB_RESTRICTED';
    throw new PageError(code, 'It led to a page that is off limits, which was closed.', url);
  }

  /**
   * By the page itself: chrome.tabs.goBack and goForward leave out pages that no hand has touched, which is every page an agent visits.
   * https://chromium.googlesource.com/chromium/src/+/main/docs/history_manipulation_intervention.md
   */
  async #travel(way: 'back' | 'forward'): Promise<void> {
    await this.#askShown(way, null).catch(async (error: unknown) => {
      if (error instanceof DocumentGoneError) return;
      await (way === 'back' ? chrome.tabs.goBack(this.tabId) : chrome.tabs.goForward(this.tabId)).catch(() => {
        throw new CompanionError('NAVIGATION_FAILED', `There is no ${way === 'back' ? 'previous' : 'next'} page in this tab.`);
      });
    });
  }

  #isReadable(): Promise<boolean> {
    return this.#shows(({ isLoading }) => !isLoading);
  }

  /** Whether the page has text, and its server goes on sending. */
  #streams(): Promise<boolean> {
    return this.#shows(({ isComing, hasText }) => isComing && hasText);
  }

  #shows(what: (glance: Glance) => boolean): Promise<boolean> {
    return documentIn(this.tabId, 0)
      .then((shown) => this.#glance(shown))
      .then(what, () => false);
  }

  #glance(shown: PageDocument): Promise<Glance> {
    const { events, debuggers } = this.#tools;
    const answer = whileAlive(this.tabId, shown, false, glanceAt(this.tabId, shown));
    return orAborted(debuggers.whileNoDialog(this.tabId, whileShown(events, this.tabId, answer)), this.#signal);
  }

  /** Null when the document has gone. */
  #activity(shown?: PageDocument): Promise<Activity | null> {
    return this.#askShown('activity', null, shown).catch(nullWhenGone);
  }
}

/** The selector by which a question means its element. */
const selectorIn = (options: PageMethods[PageMethod]['options']): string | null =>
  options !== null && 'target' in options && options.target !== undefined && 'selector' in options.target ? options.target.selector : null;

const frameOf = (tabId: number): Promise<chrome.webNavigation.GetFrameResultDetails | null> =>
  chrome.webNavigation.getFrame({ tabId, frameId: 0 });

/** The tab's own address lags behind: for a moment after a load it is still the old one. */
const titleOf = (
  { url = '', title = '', pendingUrl = '' }: chrome.tabs.Tab,
  shown: string | undefined,
): { url: string; title: string } => ({ url: shown || url || pendingUrl, title });

const nullWhenGone = (error: unknown): null => {
  if (error instanceof DocumentGoneError) return null;
  throw error;
};

const nullWhenRestricted = (error: unknown): null => {
  if (error instanceof CompanionError && error.code === 'TAB_RESTRICTED') return null;
  throw error;
};

/** The page is not what it was, or something goes on in it. */
const nullWhenBusy = (error: unknown): null => {
  if (error instanceof PageBusyError || error instanceof DocumentChangedError) return null;
  return nullWhenGone(error);
};

/** What was asked goes on when the dialog is answered. */
const nullWhenDialog = (error: unknown): null => {
  if (error instanceof DialogOpenError) return null;
  throw error;
};

/** Chrome tells at once that it begins to load. */
const BEGIN_MS = 1_500;
const EMPTY = 'about:blank';

/** A frame without an address of its own is judged by the page around it. */
const checkDocument = ({ frameId, url }: PageDocument, offLimits: OffLimits): void => {
  if (frameId === 0 || !url.startsWith('about:')) checkPage(url, offLimits);
};

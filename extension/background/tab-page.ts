/** A tab as the tools see it. */
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { HeldGrant } from '#protocol/link.ts';
import type { Box, FrameSnapshot, PageMethod, PageMethods, Passed, Point, SelectedText, SoughtText } from '#extension/content/api.ts';
import { checkPage, isAllowedPage, isClosedSite, originOf } from '#extension/shared/addresses.ts';
import { beyondFrame, wordsIn } from '#extension/shared/target-steps.ts';
import {
  DialogOpenError,
  DocumentChangedError,
  DocumentGoneError,
  type ErrorPageError,
  NoPageError,
  NothingYetError,
  PageError,
} from '#extension/toolkit/page-error.ts';
import type {
  Acted,
  Aim,
  ConsoleEntry,
  Dialog,
  Emulation,
  Evaluated,
  FrameLoad,
  Input,
  KeptRequests,
  Loaded,
  Page,
  PageCommand,
  PickedPlace,
  Pictured,
  ResponseBody,
  Route,
  RouteWay,
  TabSize,
  Taken,
} from '#extension/toolkit/page.ts';
import { whenRefused } from '#extension/toolkit/real-input.ts';
import { MOST_FRAMES, wordsForRest } from '#extension/toolkit/page-words.ts';
import { type FramePart, renderNode } from '#extension/toolkit/snapshot-text.ts';
import type { Acting } from './acting.ts';
import { AskedPage, type AskingTools, type Part, type Sight, frameOf, nullWhenBusy, nullWhenGone, titleOf } from './asked-page.ts';
import type { Debugger, FileDialog } from './debugger.ts';
import { type Frame, framesOf } from './documents.ts';
import { evaluate } from './evaluate.ts';
import { keepFileField } from './file-field.ts';
import { PageBusyError, type PageDocument, prepareDocument } from './inject.ts';
import { Keyboard } from './keyboard.ts';
import { looksForTrust } from './listeners.ts';
import { Mouse } from './mouse.ts';
import type { NavigationWatch } from './navigation.ts';
import type { NetworkBodies } from './network-bodies.ts';
import type { NetworkLog } from './network-log.ts';
import type { News } from './news.ts';
import { readPageLog } from './page-log.ts';
import { Pending } from './pending.ts';
import { PageLoads } from './page-loads.ts';
import { PagePictures, isUndrawn, notDrawn, type PicturingTools } from './page-pictures.ts';
import { pickIn } from './pick-in.ts';
import type { Pointing } from './pointing.ts';
import { orAborted, pause, within } from './queue.ts';
import type { Requests } from './requests.ts';
import { routesIn, toEmulated } from './routes.ts';
import { checkWay } from './ruled-sites.ts';
import type { RestlessFrames } from './restless-frames.ts';
import { type Settled, STILL_MS, restForReading, settle } from './settle.ts';
import { type SeenTab, existing, isFirstComing, successorOf } from './tabs.ts';

/** What every page needs of the worker. */
export interface PageTools extends AskingTools, PicturingTools {
  readonly requests: Requests;
  readonly network: NetworkLog;
  readonly bodies: NetworkBodies;
  readonly news: News;
  readonly acting: Acting;
  readonly pointing: Pointing;
  /** The tabs in which a call loads a page now. */
  readonly loading: Set<number>;
  readonly restless: RestlessFrames;
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
  /** The page has asked for so many files, which have not begun yet; for what may be one where it is none. */
  expectDownloads(count: number): void;
  /** Whether a page has begun a download in the tab. */
  hasDownloaded(): boolean;
  /** Runs a load, of this address if any, that may arrive only where the call may. */
  within<T>(load: () => Promise<T>, address?: string): Promise<T>;
  /** Runs what makes the page ask for something, which is sent on only where the call may go. */
  withinRequest<T>(work: () => Promise<T>): Promise<T>;
  /** Runs what may lead elsewhere, but not to a site on which a rule of the person stands. */
  keepOff<T>(work: () => Promise<T>, goBack: (url: string) => Promise<unknown>): Promise<T>;
  openBeside(url: string): Promise<number>;
  /** Throws where the person wants to be asked each time a site is opened, and was not asked for this. */
  checkReload(url: string): void;
  /** A tab that was led elsewhere by an action which began then is not brought to the front by that. */
  keepBehind(tabId: number, since: number): Promise<void>;
  /** A tab that a page of the session opened is the session's. */
  adopt(tabId: number): Promise<void>;
}

/** What is waited for. */
interface Condition {
  readonly isMet: (shown: Page) => Promise<boolean>;
  readonly limitMs: number;
  /** Whether an answer to a request may make it true. */
  readonly hearsAnswers: boolean;
}

/** What a page tells of itself before it is known whether it is still shown. */
export interface EarlyReading {
  readonly documentId: string;
  /** Null where it did not tell, or something goes on in it. */
  readonly snapshot: Promise<FrameSnapshot | null>;
}

/** What the secret fields of a page hold, for code that is to run in it, before it is known whether the page is still shown. */
export interface EarlyHold {
  readonly documentId: string;
  /** Under which the document's own content script holds it. */
  readonly key: string;
  /** Null where it did not tell. */
  readonly held: Promise<readonly string[] | null>;
}

const toParts = (parts: readonly (Part<'snapshot'> | null)[]): FramePart[] =>
  parts.flatMap((part) => (part === null ? [] : [{ frameId: part.frameId, parentFrameId: part.parentFrameId, snapshot: part.value }]));

/** A page may ask its server before it opens a file dialog. */
const FILE_DIALOG_MS = 3_000;

const LOADING_LIMIT_MS = 5_000;
/** How long an element is waited for that is not there. */
const COMING_MS = 5_000;
/** In a page in which nothing has moved for this long nothing is coming, once it was looked at for a moment; sooner, where a frame has it. */
const NOTHING_COMES_MS = 3_000;
const GLANCE_MS = 500;
/** The debugger's answer is not waited for longer where the page leads to another one. */
const KEPT_BACK_MS = 400;
/** Most pages have come by then. */
const COMES_MS = 3_000;
/** Between two looks at an element that is not ready. */
const MOMENT_MS = 25;
/** A page that has not changed for this long does not become ready by itself. */
const UNMOVED_MS = 1_000;

/** Of pages that follow each other without end, so many are tried. */
const MOST_TRIES = 5;

/** Calls that come after an action, which may have removed its target. */
const AFTERWARDS = new Set<PageMethod>(['receipt', 'holdsFocus', 'endKeys']);

const MAX_FRAMES_NAMED = 3;

/** Changes come in bursts, and one look serves for all of a burst. */
const BURST_MS = 50;

export class TabPage implements Page {
  readonly tabId: number;
  readonly #signal: AbortSignal;
  readonly #tools: PageTools;
  readonly #owner: PageOwner;
  readonly #asked: AskedPage;
  readonly #loads: PageLoads;
  readonly #pictures: PagePictures;
  /** The id of the dialog that the person is asked about; empty when none was open. */
  #dialog: string | undefined;
  #isLook = false;
  /** What the action that runs has set off; null between actions. */
  #setOff: { readonly begun: Promise<void>; readonly pending: Pending } | null = null;
  /** The frames that the page had when the call began. */
  #framesBefore: readonly Frame[] = [];
  /** Of the whole page, in a call that is about to read it. */
  early: EarlyReading | null = null;
  /** In a call that is about to run code in it. */
  hold: EarlyHold | null = null;

  /** Everything it does ends when `signal` is aborted. */
  constructor(tabId: number, signal: AbortSignal, tools: PageTools, owner: PageOwner) {
    this.tabId = tabId;
    this.#signal = signal;
    this.#tools = tools;
    this.#owner = owner;
    this.#asked = new AskedPage(tabId, signal, tools);
    this.#loads = new PageLoads(this.#asked, tools);
    this.#pictures = new PagePictures(this.#asked, tools);
  }

  async wake(known?: SeenTab): Promise<Sight> {
    const sight = await this.#asked.watching(async (watch) => {
      const [tab, frames] = await Promise.all([known?.tab ?? existing(this.tabId), known?.frames ?? framesOf(this.tabId)]);
      this.#checkShown({ tab, frames });
      // The debugger cannot be attached to it before.
      if (tab.discarded) await this.#loads.load(() => chrome.tabs.reload(this.tabId));
      // A tab that was just made has no document for a moment.
      else if (frames.length === 0 && tab.status === 'loading') await watch.next(LOADING_LIMIT_MS, this.#signal);
      else return { ...titleOf(tab, frames[0]?.url), tab, frames };
      const there = await this.#asked.look();
      this.#checkShown(there);
      return there;
    });
    this.#framesBefore = sight.frames;
    return (this.#asked.sight = sight);
  }

  /** Chrome tells nothing of the frames of a page that extensions may not touch; of one that shows the source of a page it tells that page's. */
  #checkShown({ tab, frames }: Pick<Sight, 'tab' | 'frames'>): void {
    if (frames.length === 0 || isSource(tab)) checkPage(addressOf(tab), this.#tools.offLimits());
  }

  info(frameId = 0): Promise<{ url: string; title: string }> {
    return this.#asked.info(frameId);
  }

  address(): Promise<string> {
    return this.#asked.address();
  }

  /** Whose a document in it is. */
  originIn(frames: readonly Frame[], document: PageDocument): Promise<string> {
    return this.#asked.originIn(frames, document);
  }

  /** From now on only this document is asked in its frame; when it has gone, the call ends with DOCUMENT_CHANGED. */
  bind(document: PageDocument): void {
    this.#asked.bind(document);
  }

  /** Binds it to the document that the tab showed last, which it may not show any more; null where none is known. */
  bindLast(): PageDocument | null {
    return this.#asked.bindLast();
  }

  /** Begins to read the document that the tab showed last. */
  readEarly(): EarlyReading | null {
    const last = this.#isQuiet() ? this.bindLast() : null;
    if (last === null) return null;
    const snapshot = this.#asked.askDocument(last, 'snapshot', { urls: false }, { stillMs: STILL_MS });
    return { documentId: last.documentId, snapshot: snapshot.catch(() => null) };
  }

  /** Begins to ask the document that the tab showed last what its secret fields hold; it is bound to that already. */
  holdEarly(last: PageDocument): EarlyHold {
    const key = crypto.randomUUID();
    const held = this.#asked.askDocument(last, 'hold', { key });
    return { documentId: last.documentId, key, held: held.catch(() => null) };
  }

  /** From now on only this dialog is answered. */
  bindDialog(id: string): void {
    this.#dialog = id;
  }

  /** The dialog that the person is asked about, for a call that answers one. */
  get describedDialog(): string | undefined {
    return this.#dialog;
  }

  describeAsLook(): void {
    this.#isLook = true;
  }

  /** Whether the call that was described only looks. */
  get isDescribedAsLook(): boolean {
    return this.#isLook;
  }

  /** By what the document is known that is asked in a frame, as far as it was asked already. */
  markIn(frameId: number): string | undefined {
    return this.#asked.bound(frameId)?.mark;
  }

  /** Asks the document that the frame showed when it was first asked. */
  async ask<N extends PageMethod>(name: N, options: PageMethods[N]['options'], frameId = 0): Promise<PageMethods[N]['result']> {
    if (name === 'callPageTool') await this.#asked.lookForSecrets();
    return orAborted(this.#askForTarget(name, options, frameId), this.#signal);
  }

  seek(text: string): Promise<SoughtText> {
    return this.#tools.debuggers.whileSeen(this.tabId, () => orAborted(this.#asked.askBound('seek', { text }, 0), this.#signal));
  }

  async read(what: { aim: Aim | null; urls: boolean }): Promise<FramePart[]> {
    const sight = this.#asked.sight;
    const isStill = sight !== null && what.aim === null && this.#isQuiet();
    const parts = !isStill ? null : await orAborted(this.#snapshotStill(sight, what.urls), this.#signal);
    if (parts !== null) return parts;
    const { isEndless } = await this.#rested();
    return isEndless ? this.#framesOfAny(what) : this.frames(what);
  }

  /** Reads one of the pages that follow each other without end, whichever it is. */
  async #framesOfAny(what: { aim: Aim | null; urls: boolean }): Promise<FramePart[]> {
    for (let tries = MOST_TRIES; tries > 0; tries -= 1) {
      const parts = await new TabPage(this.tabId, this.#signal, this.#tools, this.#owner).frames(what).catch(nullWhenBusy);
      if (parts !== null) return parts;
    }
    throw endless();
  }

  async frames({ aim, urls }: { aim: Aim | null; urls: boolean }): Promise<FramePart[]> {
    if (aim === null) return orAborted(this.#snapshotFrames(urls), this.#signal);
    const { top, frames } = await this.#asked.readable();
    if (this.#asked.hasTooMany(top, frames)) throw tooManyFrames(frames.length);
    const snapshot = await this.ask('snapshot', { target: aim.target, urls }, aim.frameId);
    // What is told of the page itself is the target.
    const others = await this.#snapshotFrames(urls, aim.frameId === 0 ? Promise.resolve(snapshot) : null);
    return [{ frameId: aim.frameId, parentFrameId: -1, snapshot }, ...others.filter((part) => part.frameId !== aim.frameId)];
  }

  async pick({ words, limitMs }: { words?: string; limitMs?: number } = {}): Promise<PickedPlace | null> {
    const documents = async (): Promise<PageDocument[]> => {
      const { top, inner } = await this.#asked.readable();
      return [top, ...inner];
    };
    const ask = (
      document: PageDocument,
      options: PageMethods['pick']['options'],
      over: AbortSignal,
    ): Promise<PageMethods['pick']['result']> =>
      this.#asked.askDocument(document, 'pick', options, { ends: AbortSignal.any([this.#signal, over]) });
    const pick = (): Promise<PickedPlace | null> => pickIn({ tabId: this.tabId, documents, words, limitMs }, ask);
    return orAborted(this.#tools.pointing.during(this.tabId, pick), this.#signal);
  }

  /** A part of the view, which the person draws a box around; null when they cancel. */
  pickBox(): Promise<Box | null> {
    return this.#tools.pointing.during(this.tabId, () => this.ask('pickBox', null));
  }

  async passed(): Promise<(Passed & { readonly frameId: number })[]> {
    const { top, frames } = await this.#asked.readable();
    const options = { own: { isFrame: false }, inner: { isFrame: true } };
    const parts = await orAborted(this.#asked.askAmong(top, frames, 'passed', options), this.#signal);
    const passed = parts.flatMap((part) => part?.value.map((one) => ({ ...one, frameId: part.frameId })) ?? []);
    return this.#tools.secrets.without(passed.toSorted((one, other) => one.atMs - other.atMs));
  }

  /** What the person has selected, in whatever frame; first in the one where they were last: each keeps its own when they go to another. */
  async selections(): Promise<SelectedText[]> {
    const { top, frames } = await this.#asked.readable();
    const told = await orAborted(this.#asked.askAmong(top, frames, 'selection', { own: null, inner: null }), this.#signal);
    const parts = told.flatMap((part) => part ?? []);
    const inUse = (around: Part<'selection'> | undefined): Part<'selection'> | undefined => {
      const index = around?.value.indexInUse ?? -1;
      const inner = parts.find(({ parentFrameId, value }) => index >= 0 && parentFrameId === around?.frameId && value.index === index);
      return inner === undefined ? around : inUse(inner);
    };
    const last = inUse(parts.find(({ frameId }) => frameId === 0));
    return [...(last === undefined ? [] : [last]), ...parts].map(({ value }) => value);
  }

  async act<T>(
    action: () => Promise<T>,
    { isDone = false, isAnswer = false, isCode = false }: NonNullable<Parameters<Page['act']>[1]> = {},
  ): Promise<Acted<T>> {
    // The page would hear of it when the dialog is answered, and nobody knows what it does then.
    if (!isAnswer) this.#refuseBehindDialog();
    const act = (): Promise<Acted<T>> => this.#act(action, isDone, isCode);
    return this.#keepOff(() => this.#tools.restless.whileActing(this.tabId, act));
  }

  #keepOff<T>(work: () => Promise<T>): Promise<T> {
    return this.#owner.keepOff(work, (url) => this.#loads.load(() => chrome.tabs.update(this.tabId, { url }), url));
  }

  #act<T>(action: () => Promise<T>, isDone: boolean, isCode: boolean): Promise<Acted<T>> {
    const { requests, debuggers } = this.#tools;
    requests.follow(this.tabId);
    debuggers.beginDialogs(this.tabId);
    debuggers.takeFileDialog(this.tabId);
    return this.#asked.watching(async (watch) => {
      // A call that no permission binds to a document is about the one that is shown. Where there is none, the action says so.
      if (this.#asked.allBound.length === 0 && this.openDialog() === null) await this.#asked.document(0).catch(() => null);
      const pending = new Pending(this.tabId, this.#asked.allBound, this.#asked.innerAmong(this.#framesBefore));
      // Behind a dialog nothing runs in the page. Nothing waits for it: what is asked of the page next comes after it.
      const begun = this.openDialog() === null ? pending.begin(isCode) : null;
      this.#setOff = begun === null ? null : { begun, pending };
      const startedAt = performance.now();
      this.#asked.hasMoved = null;
      this.#asked.isReplaced = false;
      let value: T | null = null;
      try {
        value = await action().catch(nullWhenGone).catch(nullWhenDialog);
        await begun;
        const settled = await settle(this.#loads.watched(watch, pending), startedAt, isDone).catch(nullWhenDialog);
        const unfulfilled = settled?.unfulfilled ?? null;
        const downloads = settled?.downloads ?? 0;
        if (downloads > 0 || unfulfilled !== null) this.#owner.expectDownloads(downloads);
        const leadsTo = settled?.isUnanswered === true ? watch.url : null;
        const hasArrived = watch.phase !== 'none' && settled !== null && leadsTo === null;
        const loaded = hasArrived ? await this.#loads.arrive(watch, settled.isReady) : null;
        if (watch.landing !== null) void prepareDocument(this.tabId, watch.landing.documentId);
        for (const opened of watch.opened) await this.#owner.adopt(opened.tabId);
        const ledTabs = this.#tabsLed(watch);
        for (const led of ledTabs) await this.#owner.keepBehind(led.tabId, startedAt);
        const asksForFiles = loaded === null && (await this.#keepFileDialog(debuggers.takeFileDialog(this.tabId)));
        const mutations = loaded === null || loaded.status === 0 ? (settled?.mutations ?? 0) : 0;
        // What has changed is told, without what the fields of other frames hold.
        const isUntold = mutations > 0 && this.openDialog() === null && (await this.#asked.lookBeside()) === 'unknown';
        const dialogs = this.#tools.secrets.without(debuggers.takeDialogs(this.tabId));
        const looksOther = settled?.looksOther === true;
        const { isReplaced } = this.#asked;
        return {
          value,
          loaded,
          leadsTo,
          unfulfilled,
          mutations,
          isReplaced,
          isUntold,
          looksOther,
          newTabs: watch.opened,
          ledTabs,
          frames: this.#framesLoaded(watch),
          changedFrames: pending.changed.size,
          dialogs,
          asksForFiles,
          asks: pending.asks,
        };
      } catch (error) {
        if ((await this.#isThere()) || successorOf(this.tabId) !== this.tabId) throw error;
        if (value === null)
          throw new CompanionError('TAB_NOT_FOUND', `Tab ${this.tabId} was closed meanwhile: what was begun may have happened.`);
        const newTabs = watch.opened;
        return { value, isClosed: true, loaded: null, newTabs, dialogs: [], asksForFiles: false, asks: pending.asks };
      } finally {
        this.#setOff = null;
        this.#tools.news.erred(this.tabId, pending.errors);
        void pending.end();
      }
    });
  }

  /** What another call loads there is that call's. */
  #tabsLed({ led }: NavigationWatch): { tabId: number; url: string }[] {
    return [...led].flatMap(([tabId, url]) => (this.#tools.loading.has(tabId) ? [] : [{ tabId, url }]));
  }

  #isThere(): Promise<boolean> {
    return existing(this.tabId).then(
      () => true,
      () => false,
    );
  }

  /** The first page of a frame is a part of the page around it, one that may not be read is not told of, and what comes by itself is none of the action's. */
  #framesLoaded({ frames }: NavigationWatch): FrameLoad[] {
    const known = [...frames]
      .filter(
        ([frameId]) => this.#framesBefore.some((frame) => frame.frameId === frameId) && !this.#tools.restless.has(this.tabId, frameId),
      )
      .map(([, load]) => load);
    return known.filter(({ url }) => url.startsWith('about:') || isAllowedPage(url, this.#tools.offLimits()));
  }

  async calm(limitMs: number): Promise<void> {
    await this.#setOff?.begun;
    await Promise.race([this.#setOff?.pending.over(), pause(limitMs, this.#signal)]);
  }

  async beginPart(horizonMs?: number): Promise<void> {
    await this.#setOff?.begun;
    await this.#setOff?.pending.beginPart(horizonMs);
  }

  async overAfter<T>(part: () => Promise<T>, horizonMs: number, limitMs: number): Promise<{ value: T; isOver: boolean }> {
    await this.beginPart(horizonMs);
    const pending = this.#setOff?.pending;
    const value = await part();
    const giveUpAt = performance.now() + limitMs;
    let isOver = false;
    // What comes to its end may begin more, and is drawn in a task of its own.
    while (pending !== undefined && !isOver && performance.now() < giveUpAt) {
      await this.calm(giveUpAt - performance.now());
      isOver = (await pending.count(false)) === 0 && (await this.#stillFor()) >= MOMENT_MS;
    }
    return { value, isOver };
  }

  async rest(): Promise<void> {
    await this.#rested();
  }

  #rested(): Promise<Settled> {
    return this.#asked.watching((watch) => restForReading(this.#loads.watched(watch)));
  }

  async moment(): Promise<boolean> {
    return (await this.#stillFor()) < UNMOVED_MS;
  }

  /** How long nothing has moved in the page, a moment from now; 0 while something does, or a request is under way. */
  async #stillFor(): Promise<number> {
    await pause(MOMENT_MS, this.#signal);
    const state = await this.#asked.activity();
    if (state === null) throw new DocumentGoneError();
    return state.animations > 0 || this.#tools.requests.underWay(this.tabId, null) > 0 ? 0 : state.quietMs;
  }

  async until(isMet: (shown: Page) => Promise<boolean>, limitMs: number, { hearsAnswers } = { hearsAnswers: false }): Promise<boolean> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limitMs);
    const signal = AbortSignal.any([this.#signal, limit.signal]);
    try {
      return await this.#asked.watching(async (watch) => {
        while (!(await this.#tryOnce(watch, signal, { isMet, limitMs, hearsAnswers }))) signal.throwIfAborted();
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

  #refuseBehindDialog(): void {
    const dialog = this.openDialog();
    if (dialog !== null) throw new DialogOpenError(dialog);
  }

  describeDialog(): Dialog | null {
    const dialog = this.openDialog();
    this.bindDialog(dialog?.id ?? '');
    return this.#tools.secrets.without(dialog);
  }

  /** Nothing runs in a page behind its dialog, so that it is looked at from outside whose dialog it is. */
  async answerDialog(accepts: boolean, text: string | undefined): Promise<void> {
    const dialog = this.openDialog();
    const bound = this.#asked.bound(0);
    const shown = await frameOf(this.tabId);
    if (bound !== undefined && bound.documentId !== shown?.documentId) throw new DocumentChangedError('Its dialog was not answered.');
    if (this.#dialog !== undefined && this.#dialog !== (dialog?.id ?? ''))
      throw new DocumentChangedError('It shows another dialog by now, which was not answered.');
    if (dialog !== null) await this.#tools.debuggers.answer(this.tabId, dialog, accepts, text);
  }

  async open(url: string): Promise<Loaded> {
    // The tab may have been made by the call that opens its first page.
    this.#tools.network.acts(this.tabId);
    const room = this.#loads.makeRoom();
    room.catch(() => null);
    const load = async (): Promise<Loaded> => {
      const tab = await room;
      return this.#loads.leaveFor(url, tab);
    };
    return this.#owner.within(load, url).finally(() => this.#tools.debuggers.stay(this.tabId));
  }

  async back(): Promise<Loaded> {
    this.#refuseBehindDialog();
    return this.#keepOff(() => this.#loads.loadSeen(() => this.#loads.travel('back')));
  }

  async forward(): Promise<Loaded> {
    this.#refuseBehindDialog();
    return this.#keepOff(() => this.#loads.loadSeen(() => this.#loads.travel('forward')));
  }

  async reload(): Promise<Loaded> {
    this.#owner.checkReload((await this.info()).url);
    return this.#keepOff(() => this.#loads.loadSeen(() => chrome.tabs.reload(this.tabId)));
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
    const page = await this.#asked.document(frameId);
    await this.#tools.pointing.over(this.tabId, this.#signal);
    return this.#tools.debuggers.with(this.tabId, this.#signal, async (given) => {
      const attached: Debugger = { ...given, send: (...sent) => given.send(...sent).catch(goneWhenLeft) };
      // Nothing was pressed or typed by then.
      await this.#unlessLeaving(attached.send('Runtime.evaluate', { expression: '0' })).catch(changedWhenGone);
      await attached.catchFileDialogs();
      const mouse = new Mouse(attached, this.tabId, page);
      const keyboard = new Keyboard(attached, this.tabId, page);
      const alone = (type: () => Promise<void>): Promise<void> => keyboard.whileFramesStand(type);
      const inWay = async (move: () => Promise<void>): Promise<void> => {
        // The pointer waits for a frame, and there none comes.
        if (isUndrawn(await existing(this.tabId))) throw notDrawn();
        await this.#tools.acting.without(this.tabId, this.#signal, move);
      };
      return task({
        press: (point, options) => inWay(() => mouse.press(point, options)),
        move: (point, moving) => inWay(() => mouse.move(point, moving)),
        drag: (from, way, pauses) => inWay(() => mouse.drag(from, way, pauses)),
        replaceText: (text, how) => alone(() => keyboard.replace(text, how)),
        pressKey: (chord, holdMs, isHeld) => alone(() => keyboard.press(chord, holdMs, isHeld, this.#signal)),
        pressEnter: (isHeld) => alone(() => keyboard.enter(isHeld)),
      });
    });
  }

  async placeInFrame(point: Point, frameId: number): Promise<Point> {
    const place = await this.ask('placeInView', { point });
    const frames = await framesOf(this.tabId);
    const parentOf = (id: number): number => frames.find((frame) => frame.frameId === id)?.parentFrameId ?? 0;
    const path: number[] = [];
    for (let at = frameId; at > 0; at = parentOf(at)) path.unshift(at);
    let inFrame: Point | null = place;
    for (const at of path) {
      if (inFrame === null) break;
      const index = await this.ask('indexInParent', null, at);
      inFrame = await this.ask('intoFrame', { index, point: inFrame }, parentOf(at));
    }
    if (inFrame !== null) return inFrame;
    throw new CompanionError('TOOL_ARGUMENTS', 'The place of "x" and "y" is not in the frame of the target.');
  }

  async activate(): Promise<void> {
    const activate = this.#tools.debuggers.with(this.tabId, this.#signal, async (attached) => {
      const given = attached.send('Runtime.evaluate', { expression: '0', userGesture: true });
      await Promise.all([attached.catchFileDialogs(), this.#unlessLeaving(given)]);
    });
    const goOn = whenRefused(() => Promise.resolve());
    // Without it the page takes the press for one of its own scripts. That a page is being left is told by the press itself.
    await activate.catch((error: unknown) => (error instanceof CompanionError ? goOn(error) : undefined));
  }

  looksForTrust(point: Point): Promise<boolean> {
    // What shows that an agent acts takes no pointer where it has just pressed.
    return this.#tools.debuggers.with(this.tabId, this.#signal, (attached) => this.#unlessLeaving(looksForTrust(attached, point)));
  }

  /** What the debugger asks of a page that leads to another one is kept back by Chrome until that one has come, however long its server takes. */
  async #unlessLeaving<T>(answer: Promise<T>, limitMs = KEPT_BACK_MS, fault = takesNoInput): Promise<T> {
    const answered = answer.then(
      () => true,
      () => true,
    );
    while (!(await within(answered, limitMs))) if ((await existing(this.tabId)).pendingUrl !== undefined) throw fault();
    return answer;
  }

  /** Code, and what else the debugger does for an agent, is not given to a page that is being left: Chrome would keep it, and do it at whatever time. */
  async #whileStands<T>(work: () => Promise<T>): Promise<T> {
    const { events, debuggers } = this.#tools;
    if (!events.isLeaving(this.tabId)) return work();
    await debuggers.with(this.tabId, this.#signal, async ({ send }) => {
      await this.#unlessLeaving(
        send('Runtime.evaluate', { expression: '0' }).catch(() => null),
        COMES_MS,
        keptBack,
      );
    });
    return work();
  }

  async console(forgets: boolean): Promise<ConsoleEntry[]> {
    const { debuggers } = this.#tools;
    return this.#asked.watching(async (watch) => {
      await this.#asked.document(0);
      const isRead = await this.#isReadInFrames();
      const read = (): Promise<ConsoleEntry[]> => readPageLog(debuggers, { tabId: this.tabId, forgets, signal: this.#signal, isRead });
      const log = await debuggers.whileNoDialog(this.tabId, this.#whileStands(read));
      await Promise.all([this.#asked.checkStillThere(watch, 'What it had said was thrown away.'), this.#asked.lookForSecrets()]);
      return this.#tools.secrets.without(log);
    });
  }

  /** Which frames may be read, by their address, of which the debugger knows no more; null where there are none. */
  async #isReadInFrames(): Promise<((url: string) => boolean) | null> {
    const frames = await framesOf(this.tabId);
    const allowed = new Set<Frame>(this.#asked.innerAmong(frames));
    const isRead = (url: string): boolean => {
      const shown = frames.filter((frame) => frame.frameId !== 0 && frame.url === url);
      return shown.length > 0 && shown.every((frame) => allowed.has(frame));
    };
    return allowed.size === 0 ? null : isRead;
  }

  /** What is told of it from now on is told without what its fields hold. */
  lookForSecrets(): Promise<ErrorPageError | null> {
    return this.#asked.lookForSecrets();
  }

  async requests(): Promise<KeptRequests> {
    return this.#tools.secrets.without(await this.#requestsAsTheyAre());
  }

  async #requestsAsTheyAre(): Promise<KeptRequests> {
    const url = await this.#asked.address();
    await this.#asked.lookForSecrets();
    const kept = this.#tools.network.of(this.tabId, { sessionId: this.#owner.sessionId, site: originOf(url) });
    const isClosed = (address: string): boolean => isClosedSite(address, this.#tools.offLimits());
    return { ...kept, entries: kept.entries.filter((entry) => !isClosed(entry.url) && !isClosed(entry.initiator ?? '')) };
  }

  get wantsHand(): boolean {
    return this.#owner.hasDownloaded();
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
      const how = { by: this.#owner.sessionId, site, signal: this.#signal };
      const wanted = await zoomed(this.tabId, emulation);
      const size = await this.#whileStands(() => debuggers.emulate(this.tabId, wanted, how));
      // What is read next is what the page made of its new size. One that cannot be asked has it all the same.
      if (emulation.size !== undefined) await orAborted(this.#asked.askShown('drawnAgain', null), this.#signal).catch(() => null);
      return size;
    });
  }

  emulated(): Promise<Emulation> {
    return this.#tools.debuggers.emulated(this.tabId, this.#owner.sessionId);
  }

  emulatedByOthers(): Promise<Emulation> {
    return this.#tools.debuggers.emulatedByOthers(this.tabId, this.#owner.sessionId);
  }

  async routes(): Promise<readonly Route[]> {
    const { routes } = await this.emulated();
    return routesIn(routes);
  }

  async addRoute(pattern: string, way: RouteWay): Promise<{ origin: string }> {
    // Nothing of it is about an element, but it is for the document that was agreed to.
    await this.#asked.askBound('isThere', { selector: '*' }, 0);
    const origin = originOf((await this.#asked.document(0)).url);
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
    return this.#asked.watching(async (watch) => {
      // It must still be there, and be there at the end: the debugger knows tabs, and no documents.
      await this.#asked.askBound('isThere', { selector: '*' }, 0);
      const answer = await this.#tools.debuggers.with(this.tabId, this.#signal, (attached) =>
        attached.send(name, params).catch(asArguments),
      );
      await this.#asked.checkStillThere(watch, 'What was taken of it was thrown away.');
      return answer;
    });
  }

  request(code: string): Promise<Evaluated> {
    return this.#owner.withinRequest(() => this.evaluate(code, null, false));
  }

  async evaluate(code: string, aim: Aim | null, hidesSecrets: boolean): Promise<Evaluated> {
    const { debuggers, secrets: known } = this.#tools;
    const { tabId } = this;
    const frameId = aim?.frameId ?? 0;
    const [{ key, held }] = await Promise.all([this.#holdFor(aim), this.#asked.lookForOtherSecrets()]);
    const secrets = hidesSecrets ? [...held, ...known.of(tabId)] : [];
    const { documentId } = await this.#asked.document(frameId);
    const watch = this.#setOff?.pending.watchIn(documentId) ?? null;
    const evaluation = { tabId, documentId, signal: this.#signal, code, key, hasElement: aim !== null, secrets, watch };
    return this.#whileStands(() => evaluate(debuggers, evaluation));
  }

  /** What the secret fields hold before code runs, and the key under which the code's element or document is found. */
  async #holdFor(aim: Aim | null): Promise<{ readonly key: string; readonly held: readonly string[] }> {
    const { hold } = this;
    this.hold = null;
    const isSame = hold !== null && aim === null && this.#asked.bound(0)?.documentId === hold.documentId;
    // The page is watched before the code runs.
    const [early] = isSame ? await Promise.all([hold.held, this.#setOff?.begun]) : [null];
    if (isSame && early !== null) {
      this.#asked.hasMoved ??= false;
      return { key: hold.key, held: early };
    }
    const key = crypto.randomUUID();
    return { key, held: await this.ask('hold', aim === null ? { key } : { key, target: aim.target }, aim?.frameId ?? 0) };
  }

  async picture(what: Pictured): Promise<Taken> {
    const { sight } = this.#asked;
    const taken = sight === null || !this.#isQuiet() ? null : await this.#pictures.capture(sight, what, STILL_MS).catch(nullWhenBusy);
    if (taken !== null) return taken;
    await this.rest();
    return this.capture(what);
  }

  /** The same, of the page as it is now. */
  async capture(what: Pictured): Promise<Taken> {
    return this.#pictures.capture(await this.#asked.look(), what);
  }

  print(params: Record<string, unknown>): Promise<unknown> {
    return this.#pictures.print(params);
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
  async #tryOnce(watch: NavigationWatch, signal: AbortSignal, { isMet, limitMs, hearsAnswers }: Condition): Promise<boolean> {
    const round = new AbortController();
    const startedAt = Date.now();
    try {
      const ends = AbortSignal.any([signal, round.signal]);
      const shown = new TabPage(this.tabId, ends, this.#tools, this.#owner);
      // It begins before the look, so that what happens meanwhile is not missed.
      const navigation = watch.next(limitMs, ends);
      navigation.catch(() => null);
      const arrival = watch.frameArrived();
      const answer = hearsAnswers ? [this.#tools.network.nextAnswer(this.tabId, ends)] : [];
      const counts = await shown.#asked.changeCounts();
      if (await isMet(shown)) return true;
      const lookedMs = Date.now() - startedAt;
      await Promise.race([navigation, arrival, ...answer, ...counts.map(({ frame, count }) => shown.#asked.changeIn(frame, count))]);
      await pause(Math.max(BURST_MS, lookedMs), signal);
    } catch (error) {
      const maySoonBeThere = [DocumentGoneError, DocumentChangedError, NothingYetError].some((kind) => error instanceof kind);
      if (!maySoonBeThere && !(error instanceof NoPageError && (await isFirstComing(this.tabId)))) throw error;
      await pause(BURST_MS, signal);
    } finally {
      round.abort();
    }
    return false;
  }

  /** An element that is not there may be coming, or stand in a row that is drawn when it is scrolled to. */
  async #askForTarget<N extends PageMethod>(
    name: N,
    options: PageMethods[N]['options'],
    frameId: number,
  ): Promise<PageMethods[N]['result']> {
    const ask = (): Promise<PageMethods[N]['result']> => this.#asked.askBound(name, options, frameId);
    const selector = AFTERWARDS.has(name) ? null : selectorIn(options);
    if (selector === null) return ask();
    if ((await this.#asked.lookBeside()) !== 'known') throw unheardFrames((await framesOf(this.tabId)).length);
    const inside = beyondFrame(selector);
    const meant = inside === null ? '' : await this.#inFrames(inside);
    if (meant !== '') throw onlyInFrames(selector, meant);
    return ask().catch(async (error: unknown) => {
      if (!(error instanceof CompanionError) || error.code !== 'TARGET_NOT_FOUND') throw error;
      const isAbsent = error.message.includes('Nothing matches');
      const inFrames = isAbsent ? this.#inFrames(selector) : Promise.resolve('');
      inFrames.catch(() => null);
      const { isThere, share } = await this.#comes(selector, frameId, inFrames);
      if (isThere) return ask();
      const named = (await inFrames) || (isAbsent ? await this.#inFrames(selector) : '');
      throw named === '' ? partly(error, share) : onlyInFrames(selector, named);
    });
  }

  /** What a selector means in the frames of the page, with refs: what is done in a frame is asked for by its site, so it must be named. */
  async #inFrames(selector: string): Promise<string> {
    const { inner } = await this.#asked.readable();
    const found = inner.map((frame) =>
      this.#asked.askDocument(frame, 'describe', { target: { selector } }).then(
        (node) => [renderNode(node, frame.frameId)],
        () => [],
      ),
    );
    return (await Promise.all(found)).flat().slice(0, MAX_FRAMES_NAMED).join(', ');
  }

  /** Waits for as long as an element may come, and looks through lists for its words; `share` is how much of those was looked at. */
  async #comes(selector: string, frameId: number, inFrames: Promise<string>): Promise<{ isThere: boolean; share: number }> {
    const isThere = (): Promise<boolean> => this.#asked.askBound('isThere', { selector }, frameId);
    // It was found, then, and means several.
    if (await isThere()) return { isThere: false, share: 1 };
    const text = wordsIn(selector);
    const { isFound, share } = text !== null && frameId === 0 ? await this.seek(text) : { isFound: false, share: 1 };
    if (isFound) return { isThere: true, share };
    const startedAt = Date.now();
    for (;;) {
      const stillMs = await this.#stillFor();
      if (await isThere()) return { isThere: true, share };
      const waitedMs = Date.now() - startedAt;
      const comesMs = stillMs > UNMOVED_MS && (await inFrames) !== '' ? UNMOVED_MS : NOTHING_COMES_MS;
      if (waitedMs > COMING_MS || (waitedMs > GLANCE_MS && stillMs > comesMs)) return { isThere: false, share };
    }
  }

  /** All frames that may be read. One that has gone elsewhere meanwhile is left out; the page itself must still be there. */
  async #snapshotFrames(urls: boolean, early: Promise<FrameSnapshot> | null = null): Promise<FramePart[]> {
    const { top, frames } = await this.#asked.readable();
    if (this.#asked.hasTooMany(top, frames)) throw tooManyFrames(frames.length);
    const parts = await this.#asked.askAmong(top, frames, 'snapshot', { own: { urls }, inner: { urls } }, { early });
    if (!(await this.#asked.mayTellWithout(top, frames))) throw unreadFrameHangs();
    return toParts(this.#tools.secrets.without(parts));
  }

  /** Reads a page in which nothing has gone on for a while, with the same question that finds that out; null where something has. */
  #snapshotStill({ frames }: Sight, urls: boolean): Promise<FramePart[] | null> {
    return this.#asked.watching(async (watch) => {
      const top = this.#asked.topAmong(frames);
      if (this.#asked.hasTooMany(top, frames)) throw tooManyFrames(frames.length);
      const asking = { stillMs: STILL_MS, early: urls ? null : this.#earlyOf(top) };
      const parts = await this.#asked.askAmong(top, frames, 'snapshot', { own: { urls }, inner: { urls } }, asking).catch(nullWhenBusy);
      if (parts === null || watch.phase !== 'none' || parts.includes(null)) return null;
      this.bind(top);
      return toParts(parts);
    });
  }

  /** What was asked of this very document already. */
  #earlyOf({ documentId }: PageDocument): Promise<FrameSnapshot> | null {
    if (this.early?.documentId !== documentId) return null;
    return this.early.snapshot.then((snapshot) => {
      if (snapshot === null) throw new PageBusyError();
      return snapshot;
    });
  }

  /** Whether no request that the page may need was under way a moment ago. */
  #isQuiet(): boolean {
    const { requests } = this.#tools;
    return requests.underWay(this.tabId, null) === 0 && performance.now() - requests.lastEnd(this.tabId) >= STILL_MS;
  }
}

/** It answers nothing. */
const isSource = (tab: chrome.tabs.Tab): boolean => addressOf(tab).startsWith('view-source:');

/** Of a tab that has shown nothing yet, what is to come. */
const addressOf = ({ url = '', pendingUrl = '' }: chrome.tabs.Tab): string => url || pendingUrl;

/** The selector by which a question means its element. */
const selectorIn = (options: PageMethods[PageMethod]['options']): string | null =>
  options !== null && 'target' in options && options.target !== undefined && 'selector' in options.target ? options.target.selector : null;

/** A size is in pixels of the page, and the browser takes one in pixels of a page that the person has not zoomed. */
const zoomed = async (tabId: number, emulation: Emulation): Promise<Emulation> => {
  const { size } = emulation;
  if (size === undefined || size === null) return emulation;
  const zoom = await chrome.tabs.getZoom(tabId);
  return { ...emulation, size: { ...size, width: Math.round(size.width * zoom), height: Math.round(size.height * zoom) } };
};

const onlyInFrames = (selector: string, named: string): PageError =>
  new PageError(
    'TARGET_NOT_FOUND',
    `The selector "${selector}" matches only in frames of the page; use the ref of what is meant there.`,
    named,
  );

/** A list that was too long to be looked through whole may have it. */
const partly = (error: CompanionError, share: number): CompanionError => {
  if (share >= 1) return error;
  return new PageError(error.code, `${error.detail}${wordsForRest(share)}`, error instanceof PageError ? error.fromPage : '', {
    remedy: error.remedy,
  });
};

/** By JSON-RPC's number for it; Chrome gives its answer as the text of the error. */
const asArguments = (error: unknown): never => {
  const words = error instanceof Error ? /"code":-32602,"message":"([^"]*)/.exec(error.message)?.[1] : undefined;
  throw words === undefined ? error : new CompanionError('TOOL_ARGUMENTS', `The browser does not take them: ${words}.`, { cause: error });
};

/** What was asked goes on when the dialog is answered. */
const nullWhenDialog = (error: unknown): null => {
  if (error instanceof DialogOpenError) return null;
  throw error;
};

/** What Chrome says to what it was asked of a page that was left meanwhile. */
const goneWhenLeft = (error: unknown): never => {
  throw error instanceof Error && error.message.includes('navigated or closed') ? new DocumentGoneError() : error;
};

const changedWhenGone = (error: unknown): never => {
  throw error instanceof DocumentGoneError ? new DocumentChangedError() : error;
};

const tooManyFrames = (count: number): CompanionError =>
  new CompanionError(
    'TOOL_FAILED',
    `The page has ${count - 1} frames, too many to find out what their secret fields hold, which its text may tell.`,
    { remedy: 'Look at it with browser_take_screenshot and click by "x" and "y", or read it with browser_evaluate.' },
  );

/** A frame hangs, or there are too many of them to be asked. */
const unheardFrames = (count: number): CompanionError =>
  count > MOST_FRAMES + 1
    ? tooManyFrames(count)
    : new CompanionError('TOOL_TIMEOUT', 'A frame of the page hangs, and a search beside it could tell what its secret fields hold.', {
        remedy: 'Take the ref of what is meant from browser_snapshot, or load the page again with browser_reload.',
      });

const unreadFrameHangs = (): CompanionError =>
  new CompanionError(
    'TOOL_TIMEOUT',
    'A frame of the page hangs, and the page may tell what its secret fields hold, of which nobody knows.',
    {
      remedy: 'Load the page again with browser_reload.',
    },
  );

const takesNoInput = (): CompanionError =>
  new CompanionError('TARGET_NOT_READY', 'The page leads to another one, and takes no real input until that has come.');

const endless = (): CompanionError =>
  new CompanionError('TOOL_TIMEOUT', 'The page loads itself or another one again and again, before it can be read.', {
    remedy: 'Open another address with browser_navigate; browser_network_requests tells what it loads.',
  });

const keptBack = (): CompanionError =>
  new CompanionError('TOOL_TIMEOUT', 'The page leads to another one whose server has not answered, and until then takes no code.', {
    remedy:
      'Wait for that page with browser_wait_for, or open another one with browser_navigate; browser_snapshot and browser_click still work in this one.',
  });

/** What a tool is given to work with, made for each call from what the worker keeps. */
import type { BrowserName, HandedFile, TabTarget } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { HeldGrant, SavedFile, UpFrame } from '#protocol/link.ts';
import { ruleOf } from '#protocol/sites.ts';
import { type OffLimits, isAllowedPage, originOf, toAddress } from '#extension/shared/addresses.ts';
import { base64ToBytes } from '#extension/shared/base64.ts';
import { SentOnError } from '#extension/toolkit/page-error.ts';
import type { ProfileData, ToolContext } from '#extension/toolkit/tool.ts';
import { ActPictures } from './act-pictures.ts';
import { Acting } from './acting.ts';
import { Barrier } from './barrier.ts';
import { BuildErrors } from './build-errors.ts';
import { Crossing } from './crossing.ts';
import { Debuggers } from './debugger.ts';
import { Downloads } from './downloads.ts';
import { type PageDocument, prepareDocument } from './inject.ts';
import { NetworkBodies } from './network-bodies.ts';
import { News } from './news.ts';
import { NetworkLog } from './network-log.ts';
import { OpenedTabs } from './opened-tabs.ts';
import { toProfileData } from './profile-data.ts';
import { Pointing } from './pointing.ts';
import { Proofs } from './proofs.ts';
import { never, orAborted, pause } from './queue.ts';
import { type Allowance, Recordings } from './recordings.ts';
import { RefBases } from './ref-bases.ts';
import { Requests } from './requests.ts';
import { RestlessFrames } from './restless-frames.ts';
import { SavedFiles } from './saved-files.ts';
import { SecretValues } from './secret-values.ts';
import { SessionTabs } from './session-tabs.ts';
import { hearMadePages } from './made-pages.ts';
import { hearSignIns } from './sign-ins.ts';
import { Snapshots } from './snapshots.ts';
import type { LoadFailure, TabEvents } from './tab-events.ts';
import { type EarlyHold, type EarlyReading, type PageOwner, type PageTools, TabPage } from './tab-page.ts';
import { type ChosenTab, TabActions, TabChoice, isInView, noteSuccessor } from './tabs.ts';
import { Traces } from './traces.ts';

interface Options {
  readonly events: TabEvents;
  readonly offLimits: () => OffLimits;
  /** The profile in words. */
  readonly browser: () => string;
  readonly send: (frame: UpFrame) => void;
  /** The person has stopped the session in a page. */
  readonly onStop: (sessionId: SessionId) => void;
}

interface ContextCall {
  readonly sessionId: SessionId;
  readonly otherBrowsers: readonly BrowserName[];
  readonly files: readonly HandedFile[];
  readonly target: TabTarget | null;
  /** Where a navigation may arrive; null for anywhere. */
  readonly arrivals: readonly string[] | null;
  /** The permission by which the call was allowed; null where it was allowed for itself. */
  readonly grant: HeldGrant | null;
  readonly early?: EarlyReading | null;
  readonly hold?: EarlyHold | null;
}

export class ToolContexts {
  readonly sessionTabs = new SessionTabs();
  readonly news = new News();
  readonly debuggers = new Debuggers((tabId, refusal) => this.news.refused(tabId, refusal));
  readonly choice = new TabChoice(this.sessionTabs);
  readonly downloads: Downloads;
  /** Files on their way to a companion that is on another machine. */
  readonly crossing: Crossing;
  readonly acting: Acting;
  readonly secrets = new SecretValues();
  readonly actPictures: ActPictures;
  readonly proofs: Proofs;
  readonly #barrier = new Barrier();
  readonly profile = toProfileData(() => this.offLimits());
  readonly #saved = new SavedFiles();
  readonly #snapshots = new Snapshots();
  readonly #recordings = new Recordings((tabId, signal) => this.pageOf(tabId, signal));
  readonly #traces = new Traces(this.debuggers);
  /** The ids of the permissions that hold, as the companion told them last; null before that. */
  #grants: ReadonlySet<string> | null = null;
  readonly #openedTabs: OpenedTabs;
  readonly #options: Options;
  readonly #pageTools: PageTools;

  constructor(options: Options) {
    const { events, offLimits, onStop } = options;
    const requests = new Requests();
    const network = new NetworkLog(this.news);
    hearMadePages();
    hearSignIns((tabId, origin, waits) => this.news.wantsSignIn(tabId, origin, waits));
    const refBases = new RefBases();
    this.#options = options;
    this.crossing = new Crossing(options.send);
    const bodies = new NetworkBodies(this.debuggers);
    const { news, debuggers, secrets, sessionTabs, crossing } = this;
    const look = (sessionId: SessionId): Promise<void> => this.#lookForSecrets(sessionId);
    this.downloads = new Downloads({ sessionTabs, crossing, secrets, send: options.send, look });
    const lastShown = new Map<number, PageDocument>();
    const awaited = new Map<number, string>();
    const plain = new Map<number, boolean>();
    const loading = new Set<number>();
    this.actPictures = new ActPictures({ pageOf: (tabId, signal) => this.pageOf(tabId, signal), offLimits });
    const buildErrors = new BuildErrors(events);
    this.proofs = new Proofs({ pageOf: (tabId, signal) => this.pageOf(tabId, signal), offLimits, buildErrors });
    this.acting = new Acting({ events, pageOf: (tabId) => this.pageOf(tabId), onStop });
    this.#pageTools = {
      events,
      requests,
      network,
      bodies,
      news,
      refBases,
      offLimits,
      debuggers,
      secrets,
      lastShown,
      awaited,
      plain,
      loading,
      acting: this.acting,
      pointing: new Pointing(),
      restless: new RestlessFrames(events),
    };
    this.#openedTabs = new OpenedTabs({ events, sessionTabs: this.sessionTabs, network, news });
    events.onArrived((tabId, { documentId, url }) => {
      requests.arrived(tabId);
      void this.#noteIn(tabId, documentId, url);
      void this.debuggers.arrived(tabId, originOf(url)).then((hadPretended) => (hadPretended ? this.news.left(tabId) : undefined));
    });
    events.onReplaced((tabId, by) => {
      noteSuccessor(tabId, by);
      void this.sessionTabs.replace(tabId, by);
    });
    events.onClosed((tabId) => {
      requests.forget(tabId);
      network.forget(tabId);
      this.#forgetRecords(tabId);
      this.#snapshots.forget(tabId);
      secrets.forget(tabId);
      this.downloads.forgetTab(tabId);
      lastShown.delete(tabId);
      awaited.delete(tabId);
      plain.delete(tabId);
      void refBases.forget(tabId);
      void this.debuggers.release(tabId);
      void this.debuggers.allow(tabId);
      void this.sessionTabs.sessionOf(tabId).then((sessionId) => {
        this.news.closed(tabId, sessionId);
        return this.sessionTabs.replace(tabId, null);
      });
    });
  }

  /** What no tool may reach. */
  offLimits(): OffLimits {
    return this.#options.offLimits();
  }

  /** Why the page that a tab was to show could not be loaded, where that is known. */
  failureIn(tabId: number): LoadFailure | null {
    return this.#options.events.failureIn(tabId);
  }

  /** A page that is only looked at. */
  pageOf(tabId: number, signal: AbortSignal = new AbortController().signal): TabPage {
    return new TabPage(tabId, signal, this.#pageTools, noSession);
  }

  /** Finds out what the page holds in which the session works now. */
  async #lookForSecrets(sessionId: SessionId): Promise<void> {
    const { currentTab } = await this.sessionTabs.find(sessionId);
    if (currentTab !== null) await this.pageOf(currentTab).lookForSecrets();
  }

  /** What secret fields held of a document that goes. */
  hearSecrets({ tab, frameId, origin = '' }: chrome.runtime.MessageSender, secrets: readonly string[]): void {
    if (tab?.id === undefined) return;
    if (frameId === 0) this.secrets.learnLast(tab.id, secrets, origin);
    else this.secrets.learn(tab.id, secrets, origin);
  }

  /** What a call works with; in its page it asks only the document it was allowed for. */
  contextFor(call: ContextCall, tabId: number | null, signal: AbortSignal): ToolContext {
    const { sessionId, otherBrowsers, files, target, grant } = call;
    const allowance = { origin: target?.origin ?? '', grant };
    const pageOf = (id: number): TabPage => this.#pageFor(call, id, signal);
    const page = tabId === null ? null : pageOf(tabId);
    if (target !== null && target.documentId !== '') page?.bind(target);
    if (target?.dialog !== undefined) page?.bindDialog(target.dialog);
    if (page !== null) [page.early, page.hold] = [call.early ?? null, call.hold ?? null];
    return {
      sessionId,
      signal,
      files,
      otherBrowsers,
      profile: { ...this.profile, save: (file, signalOfCall) => this.#save(call, file, signalOfCall) },
      // Agents look among them by name.
      downloads: async () => this.secrets.without(await this.downloads.of(sessionId)),
      recorder: this.#recordings.of(sessionId, tabId ?? chrome.tabs.TAB_ID_NONE, allowance),
      tracer: this.#traces.of({ sessionId, tabId: tabId ?? chrome.tabs.TAB_ID_NONE, allowance, signal }),
      lastSnapshot: this.#snapshots.of(sessionId, tabId),
      tabs: new TabActions({
        sessionId,
        sessionTabs: this.sessionTabs,
        choice: this.choice,
        toPage: pageOf,
        debuggers: this.debuggers,
        news: this.news,
        allowedTab: target,
        offLimits: () => this.offLimits(),
        browser: this.#options.browser(),
        withoutSecrets: (rows) => this.secrets.without(rows),
      }),
      get page() {
        if (page === null) throw new Error('a tool of scope "browser" has no page');
        return page;
      },
    };
  }

  /** Whether a call only reads a tab that the person sees anyway. */
  async onlyReadsSeen({ tab, owner }: ChosenTab, isReading: boolean): Promise<boolean> {
    return isReading && owner !== 'person' && (await isInView(tab));
  }

  /** Runs a call while its tab behaves as one that is seen; what only reads the person's tab leaves that as it is. */
  whileSeen<T>({ tabId, owner }: ChosenTab, isReading: boolean, task: () => Promise<T>): Promise<T> {
    return isReading && owner === 'person' ? this.debuggers.whileOnlyRead(tabId, task) : this.debuggers.whileSeen(tabId, task);
  }

  /** The session has ended; nobody works in its tabs any more. */
  async endSession(sessionId: SessionId, closesTabs: boolean): Promise<void> {
    this.acting.rests(sessionId);
    const { ownTabs, handedTabs } = await this.sessionTabs.find(sessionId);
    this.#pageTools.network.endSession(sessionId);
    for (const tabId of [...ownTabs, ...handedTabs]) {
      this.#forgetRecords(tabId);
      await this.debuggers.release(tabId);
    }
    await this.debuggers.endSession(sessionId);
    this.#recordings.endSession(sessionId);
    this.#traces.endSession(sessionId);
    this.news.endSession(sessionId);
    await this.downloads.forget(sessionId);
    await this.#saved.forget(sessionId);
    await this.sessionTabs.end(sessionId, closesTabs);
  }

  /** What goes on by another permission than these ends. */
  async holdGrants(ids: readonly string[]): Promise<void> {
    this.#grants = new Set(ids);
    await this.endRefused();
  }

  /** Whether a permission has not ended since the companion sent the call. */
  holds(grant: HeldGrant | null): boolean {
    return grant === null || this.#grants?.has(grant.id) !== false;
  }

  /** Ends what goes on between calls and is allowed no more: by a permission that has ended, or on a site that the person has closed or keeps as it is. */
  async endRefused(): Promise<void> {
    const { sites } = this.offLimits();
    const isOver = ({ origin, grant }: Allowance): boolean => {
      const rule = ruleOf(sites, URL.parse(origin));
      return rule === 'never' || rule === 'read_only' || (grant !== null && this.#grants?.has(grant.id) === false);
    };
    this.#recordings.endWhere(isOver);
    this.#traces.endWhere(isOver);
    for (const tabId of await this.debuggers.endRoutes(isOver)) this.news.withdrawn(tabId);
  }

  /** The person hands a tab to a session; that they had closed the debugger's bar there is over. */
  async handTab(sessionId: SessionId, tabId: number): Promise<void> {
    await this.debuggers.allow(tabId);
    await this.sessionTabs.hand(sessionId, tabId);
  }

  /** The person takes a tab back; calls in it are asked for again. */
  async releaseTab(sessionId: SessionId, tabId: number): Promise<void> {
    this.acting.release(tabId);
    await this.downloads.released();
    await this.sessionTabs.release(sessionId, tabId);
    this.#pageTools.network.forget(tabId);
    this.#forgetRecords(tabId);
    await this.debuggers.release(tabId);
  }

  /** A call is about to do something in the tab. */
  acts(tabId: number): void {
    this.#pageTools.network.acts(tabId);
  }

  /** A call has done something in the tab. */
  acted(tabId: number): void {
    this.#recordings.afterCall(tabId);
  }

  /** What calls of the session have put on this machine's disk. */
  async savedFiles(sessionId: SessionId): Promise<SavedFile[]> {
    return [...(await this.downloads.wholeOf(sessionId)), ...(await this.#saved.of(sessionId))].toSorted(
      (one, other) => one.savedAt - other.savedAt,
    );
  }

  /** Saves a file among the person's downloads, and gives it to a companion elsewhere; returns where the agent finds it. */
  async #save({ sessionId, target }: ContextCall, file: Parameters<ProfileData['save']>[0], signal: AbortSignal): Promise<string> {
    const saved = await this.profile.save(file, signal);
    const bytes = base64ToBytes(file.dataBase64);
    if (!this.crossing.isWanted) {
      await this.#saved.note(sessionId, { path: saved, name: file.name, origin: target?.origin ?? '' }, bytes);
      return saved;
    }
    const { path, problem } = await orAborted(this.crossing.offer(sessionId, file.name, new Blob([bytes])), signal);
    return path ?? `${saved} on the machine of the browser alone. ${problem ?? ''}`.trim();
  }

  /** In its tabs a session knows what secret fields held before its next call, also when the person loaded the page: our script in there notes it. */
  async #noteIn(tabId: number, documentId: string, url: string): Promise<void> {
    // A page that a call opens is not held up by it; the person types at once into one that they open.
    if (this.#pageTools.loading.has(tabId)) await pause(NOTE_AFTER_MS, never);
    const isOfSession = (await this.sessionTabs.sessionOf(tabId)) !== null;
    if (isOfSession && isAllowedPage(url, this.offLimits())) await prepareDocument(tabId, documentId);
  }

  #forgetRecords(tabId: number): void {
    this.#recordings.forget(tabId);
    this.#traces.forget(tabId);
  }

  #pageFor({ sessionId, arrivals, grant }: ContextCall, tabId: number, signal: AbortSignal): TabPage {
    const { network } = this.#pageTools;
    network.follow(tabId, sessionId);
    return new TabPage(tabId, signal, this.#pageTools, {
      sessionId,
      grant,
      isPersons: async () => (await this.sessionTabs.ownerOf(sessionId, tabId)) === 'person',
      endRoutes: () => this.endRefused(),
      expectDownloads: (count) => this.downloads.expect(tabId, count),
      hasDownloaded: () => this.downloads.hasBegunIn(tabId),
      withinRequest: (work) => this.#barrier.aroundRequest(tabId, arrivals, work),
      within: (load, address) => this.#barrier.around(tabId, arrivals, load, address),
      keepOff: (work, goBack) => this.#barrier.keepOff(tabId, this.offLimits().sites, { work, goBack }),
      checkReload: (url) => {
        const isAsked = ruleOf(this.offLimits().sites, URL.parse(url)) === 'ask';
        if (isAsked && arrivals?.includes(originOf(url)) !== true) throw new SentOnError(url);
      },
      openBeside: (url) => this.choice.openBeside(sessionId, toAddress(url, this.offLimits())),
      keepBehind: (led, since) => this.#openedTabs.keepBehind(led, tabId, since).catch(() => {}),
      adopt: (opened) => {
        network.follow(opened, sessionId);
        network.acts(opened);
        this.news.tells(opened);
        return this.#openedTabs.adopt(sessionId, opened);
      },
    });
  }
}

/** By then a small page is there, and the call that has opened it is over. */
const NOTE_AFTER_MS = 150;

const refuse = (): Promise<never> => Promise.reject(new Error('this page is only looked at'));
const noSession: PageOwner = {
  sessionId: null,
  grant: null,
  isPersons: refuse,
  endRoutes: refuse,
  expectDownloads: () => {},
  hasDownloaded: () => false,
  within: refuse,
  withinRequest: refuse,
  keepOff: refuse,
  openBeside: refuse,
  checkReload: () => {},
  keepBehind: refuse,
  adopt: refuse,
};

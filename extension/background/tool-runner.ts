/** Runs tool calls: arguments, tab, queue, deadline, journal, and errors as results a model can act on. The same door for every tool. */
import {
  ERROR_META,
  noSubject,
  SENT_ON_META,
  type BrowserName,
  type CallSubject,
  type HandedFile,
  type TabTarget,
  type ToolResult,
} from '#protocol/browser.ts';
import { CompanionError, fromErrorBody, stoppedByUser } from '#protocol/errors.ts';
import type { CallId, SessionId } from '#protocol/ids.ts';
import type { CallAccount, HeldGrant, LinkMethods } from '#protocol/link.ts';
import { tools } from '#extension/tools/index.ts';
import {
  DocumentChangedError,
  DocumentGoneError,
  ErrorPageError,
  NoPageError,
  NothingYetError,
  PageError,
  renderDialogs,
  SentOnError,
  toPageError,
} from '#extension/toolkit/page-error.ts';
import { toAim } from '#extension/toolkit/aim.ts';
import { envelope, textResult, withSurprise } from '#extension/toolkit/result.ts';
import type { Tool } from '#extension/toolkit/tool.ts';
import { ruleOf } from '#protocol/sites.ts';
import { checkPage, originOf, toAddress } from '#extension/shared/addresses.ts';
import type { Actor } from './acting.ts';
import type { CallJournal } from './call-journal.ts';
import type { CallDownloads } from './downloads.ts';
import { documentAmong, holdsPage } from './documents.ts';
import { checkPermissions } from './profile-data.ts';
import { toFailure } from './navigation.ts';
import { KeyedQueue, orAborted, withinLimit } from './queue.ts';
import type { LinkHandlers } from './rpc-server.ts';
import type { EarlyHold, EarlyReading, TabPage } from './tab-page.ts';
import { type ChosenTab, type SeenTab, existing, isFirstComing, notAllowed, successorOf } from './tabs.ts';
import type { ToolContexts } from './tool-contexts.ts';

/** Until a stopped call has let go of its page; the caller hears of it within 200 ms. */
const LET_GO_MS = 120;
const TAKEN_BACK = 'The user has taken back the permission for it while it ran.';
const LOOK = 'It was stopped on the way: what it had done by then stays.';
/** How long a page may take to tell what a call would act on. */
const DESCRIBE_MS = 20_000;

/** A call as it runs. */
interface RunnerCall {
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly callId: CallId;
  readonly sessionId: SessionId;
  /** Whose call it is. */
  readonly actor: string;
  readonly otherBrowsers: readonly BrowserName[];
  readonly files: readonly HandedFile[];
  /** What the companion's policy decided about. */
  readonly target: TabTarget | null;
  /** Where a navigation may arrive; null for anywhere. */
  readonly arrivals: readonly string[] | null;
  /** The permission by which it was allowed; null where it was allowed for itself. */
  readonly grant: HeldGrant | null;
  readonly signal: AbortSignal;
  /** Its tab, where that was chosen just now. */
  readonly chosen?: ChosenTab | null;
  /** What its page tells before it is known whether it is still shown. */
  readonly early?: EarlyReading | null;
  readonly hold?: EarlyHold | null;
}

/** What was found out already of a call that is about to run. */
type Foreseen = Pick<RunnerCall, 'chosen' | 'hold'>;

/** A call that is only described. */
interface DescribedCall {
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly chosen: ChosenTab;
  /** The tab as it was a moment ago. */
  readonly known: SeenTab | undefined;
  readonly early: EarlyDescription | null;
  readonly signal: AbortSignal;
}

/** What a call would do in the document that its tab showed last. */
interface EarlyDescription {
  readonly page: TabPage;
  readonly documentId: string;
  readonly lines: Promise<CallSubject['lines']>;
  readonly hold: EarlyHold | null;
}

type CallMeta = LinkMethods['tools/call']['params']['_meta'];
type DescribeParams = LinkMethods['pilotfish/describe_call']['params'];

interface Running {
  readonly call: Omit<RunnerCall, 'signal'>;
  readonly result: Promise<ToolResult>;
  readonly abort: AbortController;
}

export class ToolRunner {
  readonly #contexts: ToolContexts;
  readonly #journal: CallJournal;
  readonly #queue = new KeyedQueue();
  /** Calls that run now: one that is sent again is the same call. */
  readonly #running = new Map<CallId, Running>();
  /** Calls that run if they would act where they are allowed to, as long as that is found out. */
  readonly #deciding = new Map<CallId, Promise<unknown>>();

  constructor(contexts: ToolContexts, journal: CallJournal) {
    this.#contexts = contexts;
    this.#journal = journal;
  }

  /** What the companion may ask. */
  readonly handlers: LinkHandlers = {
    'tools/call': (params, signal) => this.#call(params, signal),
    'pilotfish/describe_call': (params, signal) => this.#decide(params, signal),
    'pilotfish/mark_call': (params, signal) => this.#mark(params, signal),
    'pilotfish/call_outcome': async ({ callId }) => {
      // One that runs ends, and with that it is known.
      await this.#deciding.get(callId);
      const known = (await this.#running.get(callId)?.result) ?? (await this.#journal.find(callId));
      return typeof known === 'string' ? { state: known } : { state: 'ended', result: known };
    },
    'pilotfish/decide_downloads': (params) => Promise.resolve(this.#contexts.downloads.decide(params)),
    'pilotfish/saved_files': async ({ sessionId }) => ({ files: await this.#contexts.savedFiles(sessionId) }),
    'pilotfish/look_again': (params, signal) => this.#contexts.proofs.lookAgain(params, signal),
    'pilotfish/read_file': async (params) => this.#contexts.crossing.read(params),
    'pilotfish/file_taken': async (params) => this.#contexts.crossing.taken(params),
  };

  /** Never rejects: what went wrong is the result. */
  #call(
    { name, arguments: args, _meta }: LinkMethods['tools/call']['params'],
    signal: AbortSignal,
    foreseen: Foreseen = {},
  ): Promise<ToolResult> {
    const tool = toolNamed(name);
    if (tool === undefined) return Promise.resolve(toErrorResult(new CompanionError('TOOL_UNKNOWN', `"${name}".`)));
    const running = this.#running.get(_meta.callId) ?? this.#begin({ ...toCall(_meta, tool, args), ...foreseen });
    signal.addEventListener('abort', () => running.abort.abort(signal.reason));
    return running.result;
  }

  async #decide(params: DescribeParams, signal: AbortSignal): Promise<CallAccount> {
    const decided = this.#describeOrRun(params, signal);
    const callId = params.allowed?._meta.callId;
    if (callId === undefined) return decided;
    this.#deciding.set(
      callId,
      decided.catch(() => null),
    );
    try {
      return await decided;
    } finally {
      this.#deciding.delete(callId);
    }
  }

  /** One that is allowed where it would act runs, once: also when it is sent again after it ran, and its page is another one. */
  async #describeOrRun({ allowed, ...described }: DescribeParams, signal: AbortSignal): Promise<CallAccount> {
    const run = async (meta: CallMeta, foreseen?: Foreseen): Promise<ToolResult> =>
      this.#call({ name: described.tool, arguments: described.args, _meta: meta }, signal, foreseen);
    if (allowed !== undefined && (await this.#isKnown(allowed._meta.callId))) return { ...noSubject, result: await run(allowed._meta) };
    const { subject, ...foreseen } = await this.#describe(described, signal).catch((error: unknown) => {
      throw this.#toldError(error);
    });
    const { target } = subject;
    if (allowed !== undefined && target !== null && isOn(target, allowed.origin)) {
      const result = await run({ ...allowed._meta, target }, foreseen);
      return { ...this.#told(subject), result };
    }
    // A call that only reads is asked about nowhere.
    const isAsked = toolNamed(described.tool)?.toolClass !== 'read';
    if (isAsked && target !== null && target.documentId !== '') {
      const wrong = await this.#contexts.pageOf(target.tabId, signal).lookForSecrets();
      // The call would fail after the person has said yes.
      if (wrong !== null) throw this.#toldError(await this.#explained(wrong, target.tabId));
    }
    return this.#told(subject);
  }

  #toldError(error: unknown): CompanionError {
    const known = toPageError(error);
    return fromErrorBody(this.#contexts.secrets.without({ ...known.toBody(), remedy: known.remedy + pageWords(known) }));
  }

  /** What the page says, on the card or as what the audit calls an element, stays in the history. What the agent says is told as it is. */
  #told({ target, lines, ...rest }: CallSubject): CallSubject {
    const { secrets } = this.#contexts;
    return {
      ...rest,
      target: target && { ...target, url: secrets.withoutInAddress(target.url), title: secrets.without(target.title) },
      lines: lines.map((line) => (line.element === undefined ? line : secrets.without(line))),
    };
  }

  async #isKnown(callId: CallId): Promise<boolean> {
    return this.#running.has(callId) || (await this.#journal.find(callId)) !== 'new';
  }

  async #describe(
    { sessionId, tool: name, args }: Omit<DescribeParams, 'allowed'>,
    signal: AbortSignal,
  ): Promise<{ subject: CallSubject } & Foreseen> {
    const tool = toolNamed(name);
    if (tool === undefined) throw new CompanionError('TOOL_UNKNOWN', `"${name}".`);
    checkArguments(tool, args);
    const { tabId: asked } = tool.placeOf(args);
    if (tool.scope === 'tab' && asked === undefined) return { subject: noSubject };
    // It asks no page.
    if (tool.scope === 'browser' && asked === undefined) {
      const lines = await tool.describe(args, this.#contexts.pageOf(chrome.tabs.TAB_ID_NONE), this.#contexts.profile);
      return { subject: { ...noSubject, lines } };
    }
    return withinLimit(`The look before ${name}`, DESCRIBE_MS, signal, async (limited) => {
      const early = await this.#describeEarly({ tool, args, sessionId, signal: limited });
      const chosen = await this.#contexts.choice.choose(sessionId, asked, tool.scope);
      if (chosen === null) return { subject: noSubject, chosen };
      this.#contexts.debuggers.leaveMessages(chosen.tabId, chosen.owner === 'person');
      const describe = (known?: SeenTab): Promise<CallSubject> =>
        orAborted(this.#describeIn({ tool, args, chosen, known, early: known === undefined ? null : early, signal: limited }), limited);
      // Nothing was done yet, so a page that has just moved on may be asked again.
      return describe(chosen).then(
        (subject) => ({ subject, chosen, hold: early?.hold ?? null }),
        async (error: unknown) => {
          if (error instanceof DocumentGoneError || error instanceof DocumentChangedError) return { subject: await describe() };
          throw await this.#explained(error, chosen.tabId);
        },
      );
    });
  }

  /** The person who decides about a call sees in the page what it is about. */
  async #mark(
    { sessionId, tool: name, args }: LinkMethods['pilotfish/mark_call']['params'],
    signal: AbortSignal,
  ): Promise<Record<string, never>> {
    const tool = toolNamed(name);
    const { tabId: asked, frameId, target } = tool?.placeOf(args) ?? nowhere;
    const chosen = target === null ? null : await this.#contexts.choice.choose(sessionId, asked, 'page');
    if (target === null || chosen === null) return {};
    const key = crypto.randomUUID();
    const page = this.#contexts.pageOf(chosen.tabId);
    try {
      await page.ask('mark', { key, target: toAim(target).target }, frameId);
      await new Promise((resolve) => (signal.aborted ? resolve(null) : signal.addEventListener('abort', resolve)));
    } finally {
      // A page that has gone took its mark along.
      await page.ask('mark', { key }, frameId).catch(() => null);
    }
    return {};
  }

  /** A tool that works with the tab, not with what it shows, need not reach the page. */
  async #describeIn({ tool, args, chosen, known, early, signal }: DescribedCall): Promise<CallSubject> {
    const { tabId, owner } = chosen;
    const page = this.#contexts.pageOf(tabId, signal);
    if (tool.scope !== 'page') {
      const { url, title } = await page.info();
      return { target: { tabId, frameId: 0, documentId: '', url, title, origin: originOf(url), owner }, lines: [] };
    }
    const target = { ...(await this.#documentFor(page, tool.placeOf(args).frameId, known)), owner };
    const isSame = early !== null && early.documentId === target.documentId;
    const asked = isSame ? early.page : page;
    if (!isSame) page.bind(target);
    const lines = await (isSame ? early.lines : tool.describe(args, page, this.#contexts.profile));
    const mark = asked.markIn(target.frameId);
    const dialog = asked.describedDialog;
    const onlyLooks = asked.isDescribedAsLook ? { onlyLooks: true } : {};
    return {
      target: { ...target, ...(mark === undefined ? {} : { mark }), ...(dialog === undefined ? {} : { dialog }) },
      lines,
      ...onlyLooks,
    };
  }

  /** Begins with the document that the session's tab showed last, while it is found out whether it still shows it. */
  async #describeEarly({
    tool,
    args,
    sessionId,
    signal,
  }: Pick<RunnerCall, 'tool' | 'args' | 'sessionId' | 'signal'>): Promise<EarlyDescription | null> {
    const { tabId, frameId } = tool.placeOf(args);
    const page = tool.scope === 'page' && frameId === 0 ? await this.#lastPage(sessionId, tabId, signal) : null;
    const last = page?.bindLast() ?? null;
    if (page === null || last === null) return null;
    const lines = tool.describe(args, page, this.#contexts.profile);
    // Of another page than the one that is shown nobody hears.
    lines.catch(() => null);
    // Where another call is at work, what it holds is not touched.
    const hold = tool.runsCode(args) && this.#queue.isFree(`tab ${page.tabId}`) ? page.holdEarly(last) : null;
    return { page, documentId: last.documentId, lines, hold };
  }

  /** The person has stopped the session: what it does here ends now, whatever the daemon makes of it. */
  stop(sessionId: SessionId): void {
    for (const { call, abort } of this.#running.values()) if (call.sessionId === sessionId) abort.abort(stoppedByUser());
  }

  /** The person has taken permissions back, or made rules for sites: what these let no more ends now. */
  endRefused(): void {
    for (const { call, abort } of this.#running.values()) {
      const refusal = this.#refusalOf(call);
      if (refusal !== null) abort.abort(refusal);
    }
  }

  /** A permission whose time is over lasts to the end of the call. */
  #refusalOf({ tool, grant, target }: Omit<RunnerCall, 'signal'>): CompanionError | null {
    const hasEnded = grant !== null && grant.expiresAt !== null && grant.expiresAt <= Date.now();
    if (!hasEnded && !this.#contexts.holds(grant)) return new CompanionError('CONSENT_DENIED', `${TAKEN_BACK} ${LOOK}`);
    const rule = target === null ? null : ruleOf(this.#contexts.offLimits().sites, URL.parse(target.origin));
    const isChange = tool.toolClass === 'write' || tool.toolClass === 'sensitive';
    return isChange && (rule === 'never' || rule === 'read_only') ? new CompanionError('SITE_NOT_ALLOWED', LOOK) : null;
  }

  #begin(call: Omit<RunnerCall, 'signal'>): Running {
    const abort = new AbortController();
    const result = this.#once({ ...call, signal: abort.signal }).finally(() => this.#running.delete(call.callId));
    const running = { call, result, abort };
    this.#running.set(call.callId, running);
    return running;
  }

  async #once(call: RunnerCall): Promise<ToolResult> {
    const isJournalled = !call.tool.isReading(call.args);
    if (isJournalled) {
      const known = await this.#journal.find(call.callId);
      if (known === 'begun') return toErrorResult(new CompanionError('WORKER_RESTARTED'));
      if (known !== 'new') return known;
    }
    const result = this.#contexts.secrets.without(await this.#run(call).catch(toErrorResult));
    // Not waited for: should the worker die now, the call counts as begun, and is not repeated either.
    if (isJournalled) void this.#journal.finish(call.callId, result);
    return result;
  }

  async #run(call: RunnerCall): Promise<ToolResult> {
    checkArguments(call.tool, call.args);
    await checkPermissions(call.tool.permissions);
    const early = await this.#readEarly(call);
    const chosen = call.chosen ?? (await this.#chooseTab(call));
    const key = chosen === null ? `session ${call.sessionId}` : `tab ${chosen.tabId}`;
    const { name, timeoutMs } = call.tool;
    // A tab may become another one while its calls wait for each other.
    const known = this.#queue.isFree(key) && chosen !== null ? chosen : undefined;
    return this.#queue.run(key, call.signal, () =>
      withinLimit(name, timeoutMs, call.signal, (signal) => this.#runOn({ ...call, signal, early }, chosen, known)),
    );
  }

  /** Begins to read the page that the session's tab showed last, while it is found out whether it still shows it. */
  async #readEarly({ tool, args, sessionId, signal }: RunnerCall): Promise<EarlyReading | null> {
    const page = tool.readsWhole(args) ? await this.#lastPage(sessionId, tool.placeOf(args).tabId, signal) : null;
    if (page === null || !this.#queue.isFree(`tab ${page.tabId}`)) return null;
    // In a tab that nobody sees and that is not made to believe so, much would still have to happen.
    return this.#contexts.debuggers.isAttached(page.tabId) ? page.readEarly() : null;
  }

  /** The page in the tab of a call; null where the tab is not the session's. */
  async #lastPage(sessionId: SessionId, asked: number | undefined, signal: AbortSignal): Promise<TabPage | null> {
    const { sessionTabs } = this.#contexts;
    const tabId = asked ?? (await sessionTabs.find(sessionId)).currentTab;
    const isOwn = tabId !== null && (await sessionTabs.ownerOf(sessionId, tabId)) === 'session';
    if (isOwn) this.#contexts.debuggers.leaveMessages(tabId, false);
    return isOwn ? this.#contexts.pageOf(tabId, signal) : null;
  }

  async #chooseTab({ tool, sessionId, args, target }: RunnerCall): Promise<ChosenTab | null> {
    if (tool.scope === 'browser') return null;
    const { choice } = this.#contexts;
    const { tabId, address } = tool.placeOf(args);
    const there = await choice.choose(sessionId, target?.tabId ?? tabId, tool.scope);
    // An address that is refused opens no tab.
    if (there === null && address !== undefined) toAddress(address, this.#contexts.offLimits());
    const chosen = there ?? (await choice.open(sessionId));
    const isPersons = tool.toolClass !== 'read' && chosen.owner === 'person';
    if (isPersons && target?.tabId !== chosen.tabId) throw notAllowed(chosen.tabId);
    return chosen;
  }

  async #runOn(call: RunnerCall, chosen: ChosenTab | null, known: SeenTab | undefined): Promise<ToolResult> {
    const { tool, args, signal } = call;
    const tabId = chosen?.tabId ?? null;
    const context = this.#contexts.contextFor(call, tabId, signal);
    if (tool.scope === 'page') checkAllowed(call);
    // It may have waited for other calls in its tab.
    if (!this.#contexts.holds(call.grant)) throw new CompanionError('CONSENT_DENIED', 'The permission for it has just ended.');
    if (chosen !== null) this.#contexts.secrets.begin(chosen.tabId, originOf(chosen.tab.url ?? ''));
    if (tool.scope === 'tab' && chosen?.owner === 'person') await this.#checkSite(call.target);
    const waking = tool.scope === 'page' ? context.page.wake(known) : null;
    const isReading = tool.isReading(args);
    if (chosen !== null) this.#contexts.debuggers.leaveMessages(chosen.tabId, isReading && chosen.owner === 'person');
    const [isSeenAnyway] = await Promise.all([
      chosen === null || this.#contexts.onlyReadsSeen(chosen, isReading),
      waking,
      isReading ? null : this.#journal.begin(call.callId),
    ]);
    signal.throwIfAborted();
    if (tabId !== null && !isReading) this.#contexts.acts(tabId);
    const downloads = this.#contexts.downloads.during(call.sessionId, tabId, !isReading && chosen?.owner === 'person');
    const run = (): Promise<ToolResult> => tool.run(args, context);
    const act = chosen !== null && acts(call) ? () => this.#act(call, chosen.tabId, run, known?.tab) : run;
    const work = chosen === null || isSeenAnyway ? act() : this.#contexts.whileSeen(chosen, isReading, act);
    try {
      const result = await withDownloads(downloads, orAborted(work, signal), isReading, signal);
      if (tabId !== null && !isReading) this.#contexts.acted(tabId);
      const news = this.#contexts.news.take(call.sessionId, tabId);
      return withTexts(result, [tabId === null ? null : await this.#earlierDialogs(tabId), news]);
    } catch (error) {
      if (signal.aborted) downloads.drop();
      if (signal.aborted) await Promise.race([work.catch(() => null), new Promise((resolve) => setTimeout(resolve, LET_GO_MS))]);
      // What fails for that reason tells of it in its own words.
      if (tabId !== null && !signal.aborted && (toPageError(error).code === 'TOOL_FAILED' || successorOf(tabId) !== tabId))
        await existing(tabId);
      if (error instanceof DocumentChangedError && tabId !== null && !(await holdsPage(tabId))) throw new NoPageError();
      throw tabId === null ? error : await this.#explained(error, tabId);
    } finally {
      downloads.stop();
    }
  }

  /** What the page has shown beside what the call did, such as a message while no call was there; null where it was nothing. */
  async #earlierDialogs(tabId: number): Promise<string | null> {
    const dialogs = this.#contexts.secrets.without(this.#contexts.debuggers.takeEarlierDialogs(tabId));
    if (dialogs.length === 0) return null;
    const { url = '' } = await existing(tabId);
    return `Besides, the page has shown:\n${envelope(url, renderDialogs(dialogs).join('\n'))}`;
  }

  /** With the page in which it was found, or why there is none. */
  async #explained(error: unknown, tabId: number): Promise<unknown> {
    const failure = error instanceof ErrorPageError ? this.#contexts.failureIn(tabId) : null;
    const isComing = error instanceof NoPageError && (await isFirstComing(tabId));
    const known = isComing ? new NothingYetError(false) : failure === null ? error : toFailure(failure);
    if (known instanceof PageError) known.url = (await existing(tabId)).url ?? '';
    return known;
  }

  /** What is done with a tab of the person's is done with the site that it showed when they were asked. */
  async #checkSite(target: TabTarget | null): Promise<void> {
    if (target !== null && originOf((await this.#contexts.pageOf(target.tabId).info()).url) !== target.origin)
      throw new DocumentChangedError();
  }

  /** The page shows that somebody acts in it, and what it looked like before and after is kept, where the person wants that. */
  #act(call: RunnerCall, tabId: number, run: () => Promise<ToolResult>, known: chrome.tabs.Tab | undefined): Promise<ToolResult> {
    const { acting, actPictures } = this.#contexts;
    const work = (): Promise<ToolResult> => actPictures.during({ callId: call.callId, sessionId: call.sessionId, tabId }, run);
    return acting.during(tabId, toActor(call), work, known);
  }

  /** The document that a call would act in. A ref may lead into a frame of another origin: then that is what a consent is about. */
  async #documentFor(page: TabPage, frameId: number, known: SeenTab | undefined): Promise<Omit<TabTarget, 'owner'>> {
    const { url, title, frames } = await page.wake(known);
    checkPage(url, this.#contexts.offLimits());
    const found = documentAmong(frames, frameId);
    const origin = await page.originIn(frames, found);
    if (frameId !== 0 && origin === 'null') throw nobodys();
    if (frameId !== 0) checkPage(origin, this.#contexts.offLimits());
    return { ...found, tabId: page.tabId, url, title, origin };
  }
}

const nowhere = { tabId: undefined, address: undefined, frameId: 0, target: null };

const nobodys = (): CompanionError =>
  new CompanionError(
    'TAB_RESTRICTED',
    'The frame belongs to no site that the user could be asked about: what it shows was put there by an unknown one.',
    {
      remedy: 'It can be read, and nothing be done in it: ask the user with browser_ask_human.',
    },
  );

const toCall = (meta: CallMeta, tool: Tool, args: Record<string, unknown>): Omit<RunnerCall, 'signal'> => {
  const { target = null, arrivals = null, grant = null, files = [], actor = 'Pilotfish' } = meta;
  return { ...meta, tool, args, target, arrivals, grant, files, actor };
};

/** The result of a call, with what happened beside it. */
const withTexts = (result: ToolResult, texts: readonly (string | null)[]): ToolResult => {
  const told = texts.filter((text) => text !== null);
  return told.length === 0 ? result : { ...result, content: [...result.content, ...told.map((text) => ({ type: 'text' as const, text }))] };
};

/** The result of a call, with what became of downloads. A navigation that became one has failed, and that is no fault. */
const withDownloads = async (
  downloads: CallDownloads,
  work: Promise<ToolResult>,
  isReading: boolean,
  signal: AbortSignal,
): Promise<ToolResult> => {
  try {
    const result = await work;
    if (!isReading) await downloads.ended(signal);
    const told = downloads.told();
    return told === null ? result : withSurprise(withTexts(result, [told.text]), told.isWhole ? null : 'a download was not kept');
  } catch (error) {
    // A page that cannot be read because there is none is not about to become a file.
    if (isReading) throw error;
    if (!(error instanceof CompanionError) || error.code !== 'NAVIGATION_FAILED' || error instanceof SentOnError) throw error;
    // What another call has begun is told with the next one that succeeds.
    if (!(await downloads.begins(signal))) throw error;
    await downloads.ended(signal);
    const told = downloads.told();
    if (told === null) throw error;
    return withSurprise({ ...textResult(told.text), ...(told.isKept ? {} : { isError: true }) }, 'the address was that of a file');
  }
};

const toolNamed = (name: string): Tool | undefined => tools.find((candidate) => candidate.name === name);

/** Whether it does something in a page that a person may be looking at. */
const acts = ({ tool, args }: RunnerCall): boolean =>
  tool.scope === 'page' && (tool.toolClass === 'write' || tool.toolClass === 'sensitive') && !tool.isReading(args);

/** Whether it is a document of this origin in a tab of the session's own. One without an address of the web has the origin of another document. */
const isOn = ({ owner, origin, url }: TabTarget, allowed: string): boolean =>
  owner === 'session' && origin === allowed && originOf(url) === allowed;

const toActor = ({ sessionId, actor }: RunnerCall): Actor => ({ sessionId, name: actor });

/** What changes a page needs the companion's word for one document. */
const checkAllowed = ({ tool, target }: RunnerCall): void => {
  if (tool.toolClass === 'read' || target !== null) return;
  throw new CompanionError('CONSENT_DENIED', `${tool.name} was not allowed for a page.`);
};

const checkArguments = (tool: Tool, args: Record<string, unknown>): void => {
  const fault = tool.check(args);
  if (fault !== null) throw new CompanionError('TOOL_ARGUMENTS', `${tool.name}: ${fault}`);
};

/** What the page itself said about an error, as such. */
const pageWords = (error: CompanionError): string =>
  error instanceof PageError && error.fromPage !== '' ? `\n${envelope(error.url, error.fromPage)}` : '';

const toErrorResult = (error: unknown): ToolResult => {
  const known = toPageError(error);
  return {
    content: [{ type: 'text', text: `${known.code}: ${known.message} ${known.remedy}${pageWords(known)}` }],
    isError: true,
    _meta: { [ERROR_META]: known.toBody(), ...(known instanceof SentOnError ? { [SENT_ON_META]: known.to } : {}) },
  };
};

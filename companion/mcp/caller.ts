/**
 * One tool call on behalf of a session: reads what it is about, asks whether it may run, then runs it. Every way into the
 * browser leads through here.
 */
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  noSubject,
  type CallSubject,
  type ToolClass,
  type Grant,
  type GrantClient,
  type HandedFile,
  type ToolInfo,
  type ToolResult,
} from '#protocol/browser.ts';
import { insteadOf } from '#protocol/addresses.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { CompanionError, stoppedByUser, toErrorBody, type ErrorCode } from '#protocol/errors.ts';
import { CallId, type BrowserId, type SessionId } from '#protocol/ids.ts';
import type { CallAccount, HeldGrant, SavedFile } from '#protocol/link.ts';
import type { Admissions } from '#companion/admission/admissions.ts';
import type { Comer } from '#companion/admission/comer.ts';
import type { Bridge } from '#companion/browser/bridge.ts';
import { readCall, type CallReading } from '#companion/browser/read-call.ts';
import type { Progress } from '#companion/browser/routing.ts';
import { Afterwards } from '#companion/lib/afterwards.ts';
import type { Log } from '#companion/lib/log.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { Stop } from '#companion/lib/stop.ts';
import { type CallFacts, decideCall, type Decision, isWebOrigin, type Need } from '#companion/policy/policy.ts';
import { refuseBySite } from '#companion/policy/sites.ts';
import type { Said } from '#protocol/said.ts';
import type { SiteRules } from '#protocol/sites.ts';
import type { SessionView } from '#protocol/view.ts';
import type { AskingCall } from '#companion/sessions/asking-call.ts';
import type { Elsewhere } from '#companion/sessions/session.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import { toErrorResult } from '#companion/toolsets/error-result.ts';
import { unknownTool } from '#companion/toolsets/nearest-tool.ts';
import { askForSites, wishedOrigins } from './ask-sites.ts';
import { argumentFault, sizeFault } from './call-arguments.ts';
import { makeBatch } from './batch.ts';
import { CallTrail, type AuditTrail } from './call-trail.ts';
import { Clients } from './clients.ts';
import { elementOf, elementsOf, toBrowserCard, toCallCard, type CardFile } from './consent-card.ts';
import { Consent, ruleOfYes, type Yes } from './consent.ts';
import { DownloadQuestions } from './download-questions.ts';
import { isOwnAddress, originOfAddress, urlOfAddress } from './addresses.ts';
import { humanInClient, inClient, type Elicit } from './elicit.ts';
import { askHuman, withAnswer } from './human.ts';
import { meantArguments } from './meant-arguments.ts';
import { Travel } from './travel.ts';

export interface CallOptions {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  /** The agent's own id of the call, where it sends one along. */
  readonly agentItemId?: string | undefined;
  /** The call that this one is a part of. */
  readonly partOf?: AskingCall;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Says which program calls, in the session of an MCP client; an agent's is not asked. */
  readonly comer: () => Comer | Promise<Comer>;
  /** Puts a question to the person in the MCP client; absent where it cannot. */
  readonly elicit?: Elicit | undefined;
  /** Whether a daemon had it that has ended since. */
  readonly wasCut?: boolean | undefined;
  /** Of a part of such a call: what stood before it was done, and the browser knows that. */
  readonly isAfterDone?: boolean;
}

export interface CallerDeps {
  readonly bridge: Pick<
    Bridge,
    | 'tool'
    | 'tools'
    | 'isBuilt'
    | 'describe'
    | 'mark'
    | 'call'
    | 'callOn'
    | 'recall'
    | 'foreignBrowser'
    | 'allowBrowser'
    | 'handTab'
    | 'onDownloads'
    | 'savedFiles'
  >;
  readonly sessions: Pick<Sessions, 'ask' | 'recordCall' | 'recordEndedCall' | 'subscribe' | 'view'>;
  readonly grants: { list(): Grant[]; add(grant: Grant): void };
  readonly admissions: Pick<Admissions, 'meet' | 'find' | 'decide' | 'subscribe'>;
  /** What the person said about whole sites. */
  readonly sites: { rules(): SiteRules };
  /** Reads what a call hands to a page. */
  readonly files: {
    read(asked: {
      view: SessionView;
      folder: string | null;
      given: readonly string[];
      saved: () => Promise<readonly SavedFile[]>;
    }): Promise<readonly (CardFile & { file: HandedFile })[]>;
  };
  /** The daemon's own loopback port, which no tool opens. */
  readonly port: () => number;
  /** Whether another daemon has taken the place of this one, which was suspended. */
  readonly isReplaced?: () => boolean;
  /** What a person calls an agent; without it the agent's id. */
  readonly labelOf?: (engine: string) => string;
  readonly log: Log;
  readonly audit?: AuditTrail;
  readonly now?: () => number;
}

/** While the person decides, the page may change, and then they are asked again; this is how often. */
const MAX_QUESTIONS = 3;

/** A permission does not hold for ever: one that is used is asked for again in time, and one that is not used ends. */
const SESSION_MS = 24 * 3_600_000;
const ALWAYS_MS = 90 * 24 * 3_600_000;

/** So long an agent may take to cancel its calls when it is stopped; one that waits for their answers still ends in time. */
const AGENT_HEARS_MS = 400;

/** So soon nobody has looked at the page. */
const MARK_AFTER_MS = 250;

const asking: Progress = { progress: 0, message: 'Waiting for the user.' };
const waiting: Progress = { progress: 0, message: 'Waiting for the user to allow this.' };

/** A call on its way. */
interface Call extends CallOptions {
  /** What the log has of it, for questions about it. */
  readonly asking: AskingCall;
}

/** A call about which it is decided. */
interface CallMatter {
  readonly tool: ToolInfo;
  readonly reading: CallReading;
  readonly call: Call;
  readonly client: GrantClient;
  readonly browserId: BrowserId | undefined;
  readonly trail: CallTrail;
  readonly files: readonly CardFile[];
}

/** A site where a call is allowed. */
interface Place {
  readonly origin: string;
  readonly rule: Said;
  readonly grant: Grant;
}

/** What a call was allowed for, and its result where it is done. */
interface Allowed {
  readonly subject: CallSubject;
  readonly rule: Said;
  readonly grant: Grant | null;
  readonly result?: ToolResult;
}

export class ToolCaller {
  readonly #deps: CallerDeps;
  readonly #now: () => number;
  readonly #consent: Consent;
  readonly #clients: Clients;
  readonly #travel: Travel;
  readonly #downloads: DownloadQuestions;
  readonly #afterwards = new Afterwards();

  constructor(deps: CallerDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.#consent = new Consent(deps.sessions);
    this.#clients = new Clients(deps.admissions, deps.sessions, this.#consent, deps.labelOf);
    this.#travel = new Travel(deps, this.#consent, this.#now);
    this.#downloads = new DownloadQuestions(this.#consent, deps);
    deps.bridge.onDownloads((held) => void this.#downloads.held(held));
  }

  /** Keeps what is not kept yet of calls that have ended. */
  settle(): void {
    this.#afterwards.flush();
  }

  /** Never rejects: a failure is a result, in words that help a model. */
  async call(given: CallOptions): Promise<ToolResult> {
    const { sessions, bridge } = this.#deps;
    const { sessionId, name, callId } = given;
    const tool = bridge.tool(name);
    const oversize = tool === undefined ? null : sizeFault(name, given.args);
    const { args, notes } =
      oversize !== null || tool === undefined
        ? { args: {}, notes: [] }
        : bridge.isBuilt(name)
          ? meantArguments(tool, given.args)
          : { args: given.args, notes: [] };
    const reading = tool === undefined ? null : readCall(tool, args);
    const trail = new CallTrail(this.#deps, this.#afterwards, { sessionId, callId, name, args, reading });
    // Stopping a turn stops what it does in the browser, without waiting for the agent to cancel it.
    using stop = new Stop(given.signal);
    let unsubscribe = (): void => {};
    let isStopped = false;
    this.#downloads.callBegins(sessionId);
    try {
      unsubscribe = sessions.subscribe(sessionId, (event) => {
        if (event.type !== 'turn.cancelling') return;
        isStopped = true;
        stop.abort();
      });
      // An agent may make its next call before it has heard that it is to stop.
      isStopped ||= sessions.view(sessionId).status === 'stopping';
      // Of a program from outside it is known once it was let in.
      const agent = this.#clients.agentOf(sessionId);
      if (agent !== null) trail.madeBy(agent);
      const fault = tool === undefined ? this.#unknown(name) : (oversize ?? argumentFault(tool, bridge.isBuilt(name), args));
      trail.begun(fault === null);
      if (fault !== null) throw fault;
      if (isStopped) throw stoppedByUser();
      if (tool === undefined || reading === null) throw this.#unknown(name);
      const asking = given.partOf ?? { tool: name, args: [given.args, args], agentItemId: given.agentItemId };
      const result = withNotes(await this.#make(tool, reading, { ...given, args, asking, signal: stop.signal }, trail), notes);
      trail.ended(result);
      return result;
    } catch (thrown) {
      const isCut = stop.signal.aborted && !(thrown instanceof CompanionError);
      const error = toErrorBody(isStopped ? stoppedByUser() : isCut ? new CompanionError('CALL_CANCELLED') : thrown);
      const answer = toErrorResult(error);
      trail.failed(error, answer);
      if (isStopped && given.partOf === undefined) await this.#untilAgentHears(given);
      return answer;
    } finally {
      unsubscribe();
    }
  }

  /**
   * An agent that is stopped cancels its calls, too. Some take an answer to a call that they have just cancelled for a fault of the connection, and
   * give up all tools of it. A program from outside is not stopped, and waits for the answer.
   */
  async #untilAgentHears({ sessionId, signal }: CallOptions): Promise<void> {
    if (this.#clients.agentOf(sessionId) !== null) await delay(AGENT_HEARS_MS, undefined, { signal }).catch(() => {});
  }

  /** Runs a call, or those that stand for it. */
  async #make(tool: ToolInfo, reading: CallReading, call: Call, trail: CallTrail): Promise<ToolResult> {
    if (reading.calls === null) return this.#run(tool, reading, call, trail);
    trail.madeBy(await this.#clients.admit(call, () => call.onProgress(waiting)));
    trail.allowed(inAudit('rule_parts'));
    let isAfterDone = false;
    return makeBatch(reading.calls, {
      batch: call.name,
      make: async (name, args, index) => {
        const part = { ...call, callId: partId(call.callId, index), name, args, partOf: call.asking, isAfterDone };
        const result = await this.call(part);
        isAfterDone ||= call.wasCut === true && result.isError !== true && this.#classOf(name, args) !== 'read';
        return result;
      },
      onlyLooks: (name, args) => {
        const other = this.#deps.bridge.tool(name);
        return other !== undefined && readCall(other, args).onlyLooks;
      },
      faultOf: (name, args) => {
        const fault = this.#faultOf(name, args);
        return fault === null ? null : toErrorResult(toErrorBody(fault));
      },
    });
  }

  #classOf(name: string, args: Record<string, unknown>): ToolClass | undefined {
    const tool = this.#deps.bridge.tool(name);
    return tool === undefined ? undefined : readCall(tool, args).toolClass;
  }

  /** What is wrong with a call before anything of it begins. */
  #faultOf(name: string, args: Record<string, unknown>): CompanionError | null {
    const { bridge } = this.#deps;
    const tool = bridge.tool(name);
    if (tool === undefined) return this.#unknown(name);
    const isBuilt = bridge.isBuilt(name);
    return sizeFault(name, args) ?? argumentFault(tool, isBuilt, isBuilt ? meantArguments(tool, args).args : args);
  }

  #unknown(name: string): CompanionError {
    return unknownTool(
      name,
      this.#deps.bridge.tools().map((tool) => tool.name),
    );
  }

  async #run(tool: ToolInfo, reading: CallReading, call: Call, trail: CallTrail): Promise<ToolResult> {
    const { bridge, port } = this.#deps;
    const { sessionId, callId, name, args, signal, onProgress } = call;
    const client = await this.#clients.admit(call, () => onProgress(waiting));
    trail.madeBy(client);
    // It was decided about before, and is done or not.
    if (call.wasCut === true && reading.toolClass !== 'read') return this.#recall(call);
    const { address } = reading;
    trail.headedFor(originOf(reading, noSubject));
    this.#checkSites(reading, address === null ? [] : [originOfAddress(address)]);
    if (address !== null && isOwnAddress(address, port())) throw new CompanionError('URL_NOT_ALLOWED', `${address} is Pilotfish itself.`);
    const files = reading.files.length === 0 ? [] : await this.#readFiles(reading.files, call);
    const browserId = await this.#allowBrowser(reading, call);
    const journey = { ...call, elsewhere: await this.#elsewhere(call) };
    const trip = await this.#travel.allow(address, journey);
    const answer = (await this.#askForSites(reading, call, client)) ?? (await this.#askHuman(reading, call, browserId));
    const about = { tool, reading, call, client, browserId, trail, files };
    // What goes elsewhere, or takes more than a permission, is decided before the browser may begin.
    const place = address === null && answer === null && files.length === 0 ? this.#likelyPlace(about) : null;
    const { subject, rule, grant, result: done } = await this.#allow(about, place);
    const { target } = subject;
    if (done === undefined) trail.allowed(trip.rule ?? rule);
    let attempts = 0;
    return this.#travel.carry(journey, trip, async (arrivals) => {
      attempts += 1;
      if (attempts === 1 && done !== undefined) return done;
      // A browser runs an id once.
      const attempt = attempts === 1 ? callId : CallId.parse(randomId('call'));
      const limits = {
        ...(target === null ? {} : { target }),
        ...(arrivals === null ? {} : { arrivals }),
        ...(grant === null ? {} : { grant: heldOf(grant) }),
      };
      const handed = files.length === 0 ? {} : { files: files.map(({ file }) => file) };
      const input = { sessionId, callId: attempt, name, args, browserId, actor: client.name, ...limits, ...handed };
      this.#checkPlace(reading);
      return withAnswer(answer, await bridge.call(input, { signal, onProgress }));
    });
  }

  /** What lay in the connections of a daemon that was suspended has been asked of the next one meanwhile, which has told what became of it. */
  #checkPlace({ onlyLooks }: CallReading): void {
    if (!onlyLooks && this.#deps.isReplaced?.() === true) throw notBegun();
  }

  /** What became of a call that was decided about before. A browser that has done what stood before it knows also that it has not begun. */
  async #recall(call: Call): Promise<ToolResult> {
    const known = await this.#deps.bridge.recall(call, call).catch((error: unknown) => {
      if (error instanceof CompanionError && error.code === 'BROWSER_NOT_CONNECTED') throw unknownWithoutBrowser(error);
      throw error;
    });
    if (known === 'new' && call.isAfterDone === true) throw notBegun();
    return known === null || known === 'new' ? unknownWhetherDone() : known;
  }

  async #readFiles(given: readonly string[], { sessionId, comer, signal }: CallOptions): ReturnType<CallerDeps['files']['read']> {
    const view = this.#deps.sessions.view(sessionId);
    const saved = (): Promise<readonly SavedFile[]> => this.#deps.bridge.savedFiles(sessionId, signal);
    return this.#deps.files.read({ view, folder: view.kind === 'client' ? (await comer()).folder : null, given, saved });
  }

  /** What became of a wish for several sites; null for a call without one. */
  async #askForSites({ wish }: CallReading, call: Call, client: GrantClient): Promise<string | null> {
    if (wish === null) return null;
    const { sessionId, name, signal } = call;
    const refusal = refuseBySite(this.#deps.sites.rules(), 'write', wishedOrigins(wish));
    if (refusal !== null) throw new CompanionError('SITE_NOT_ALLOWED', inAudit('rule_alone', { rule: refusal }));
    call.onProgress(waiting);
    const { grants } = this.#deps;
    return askForSites(
      { consent: this.#consent, grants },
      { sessionId, tool: name, wish, client, call: call.asking, signal, now: this.#now },
    );
  }

  /** What the person answered; null for a call that asks them nothing. */
  async #askHuman(reading: CallReading, call: Call, browserId: BrowserId | undefined): Promise<string | null> {
    const { question } = reading;
    if (question === null) return null;
    const { bridge, sessions } = this.#deps;
    const { sessionId, name, args, signal, onProgress } = call;
    const { target } = await bridge.describe({ sessionId, name, args, browserId }, { signal, onProgress }).catch(noSubjectUnlessClosed);
    // The call would be refused after the answer.
    if (target !== null) this.#checkSites(reading, [target.origin, target.url]);
    onProgress(asking);
    const elsewhere = await this.#elsewhere(call, humanInClient);
    return askHuman(sessions, { sessionId, question, where: target?.origin ?? null, call: call.asking, signal, elsewhere });
  }

  /** The browser that the call goes to. Another profile than the session's is asked for before anything is sent to it. */
  async #allowBrowser(reading: CallReading, call: Call): Promise<BrowserId | undefined> {
    const { bridge } = this.#deps;
    const { sessionId, name, signal } = call;
    const foreign = bridge.foreignBrowser(sessionId, reading.browserId);
    if (foreign === null) return reading.browserId;
    call.onProgress(waiting);
    const yes = await this.#consent.ask({
      sessionId,
      tool: name,
      kind: `browser ${foreign.browserId}`,
      request: toBrowserCard(name, reading, bridge.isBuilt(name), foreign),
      call: call.asking,
      isSettled: () => Promise.resolve(bridge.foreignBrowser(sessionId, foreign.browserId) === null),
      signal,
    });
    if (yes === 'session') bridge.allowBrowser(sessionId, foreign);
    return foreign.browserId;
  }

  /** An agent of Pilotfish has its person here; the client of somebody else may have them before it. */
  async #elsewhere(
    { sessionId, elicit, comer }: CallOptions,
    toElsewhere: (elicit: Elicit) => Elsewhere = inClient,
  ): Promise<Elsewhere | undefined> {
    if (elicit === undefined || this.#deps.sessions.view(sessionId).kind !== 'client') return undefined;
    // What an agent has started, and what cannot be told from that, would answer for the person.
    if ((await comer()).origin !== 'program') return undefined;
    return toElsewhere(elicit);
  }

  /**
   * Where the session was last, if this call is allowed on that site already; null where it is to be looked first. Mostly the page is still there,
   * and then the look and the call are one question to the browser.
   */
  #likelyPlace(about: CallMatter): Place | null {
    const { toolClass } = about.reading;
    const origin = this.#travel.lastOrigin(about.call.sessionId);
    if (origin === null || toolClass === 'read' || toolClass === 'navigate') return null;
    if (refuseBySite(this.#deps.sites.rules(), toolClass, [origin]) !== null) return null;
    const decided = this.#decide(about, { origin, isPersonsTab: false, toolClass });
    return decided.decision === 'allow' && decided.grant !== null ? { origin, rule: decided.rule, grant: decided.grant } : null;
  }

  /** Makes the call if it would act there; otherwise only tells what it would do. It is decided, and that is kept, before the browser hears of it. */
  async #callOn({ origin, rule, grant }: Place, { reading, call, client, browserId, trail }: CallMatter): Promise<CallAccount> {
    const { sessionId, callId, name, args, signal, onProgress } = call;
    trail.headedFor(origin);
    trail.allowed(rule);
    const input = { sessionId, callId, name, args, browserId, actor: client.name, grant: heldOf(grant) };
    this.#checkPlace(reading);
    const described = await this.#deps.bridge.callOn(origin, input, { signal, onProgress });
    if (described.result !== undefined) return described;
    trail.undecided();
    this.#checkTarget(reading, described);
    return described;
  }

  /**
   * Resolves with the document that the call was allowed for, and the permission that lasts; throws when it was not allowed. Where it is allowed in
   * `place`, and would act there, it is done then: there is a result.
   */
  async #allow(about: CallMatter, place: Place | null): Promise<Allowed> {
    const { reading, call } = about;
    for (let question = 0; ; question += 1) {
      const subject: CallAccount = await (place !== null && question === 0 ? this.#callOn(place, about) : this.#describe(about));
      about.trail.headedFor(originOf(reading, subject) ?? place?.origin ?? null, elementOf(subject));
      const { result } = subject;
      if (place !== null && result !== undefined) return { subject, rule: place.rule, grant: place.grant, result };
      const decided = this.#decide(about, factsOf(reading, subject));
      if (decided.decision === 'allow') return { subject, rule: decided.rule, grant: decided.grant };
      if (decided.decision === 'deny') {
        const denied = inAudit('rule_for_tool', { tool: call.name, rule: decided.rule });
        throw new CompanionError(codeOfDenial(reading, originOf(reading, subject)), denied, remedyInPlace(reading));
      }
      if (question === MAX_QUESTIONS) throw new CompanionError('CONSENT_DENIED', 'The page changed each time while the user was asked.');
      const { yes, grant: given } = await this.#askForCall(about, subject, decided.needs);
      const after = await this.#describe(about);
      // What was allowed once is what the person has read.
      const isAsRead = yes !== 'once' || isSameNamed(elementsOf(after), elementsOf(subject));
      if (isSamePlace(after, subject) && isAsRead && yes !== 'settled') return { subject: after, rule: ruleOfYes(yes), grant: given };
    }
  }

  /** Resolves with how they said yes, and the permission that this made. */
  async #askForCall(about: CallMatter, subject: CallSubject, needs: readonly Need[]): Promise<{ yes: Yes; grant: Grant | null }> {
    const { reading, call, client, browserId, files } = about;
    const { sessionId, name, signal } = call;
    const origin = originOf(reading, subject);
    call.onProgress(waiting);
    using _mark = this.#mark(about);
    const yes = await this.#consent.ask({
      sessionId,
      tool: name,
      kind: JSON.stringify([origin, needs, reading.toolClass, reading.toolClass === 'sensitive' && name]),
      request: toCallCard(name, reading, subject, { origin, needs, client, isBuilt: this.#deps.bridge.isBuilt(name), files }),
      call: call.asking,
      elsewhere: await this.#elsewhere(call),
      isSettled: async () => this.#decide(about, factsOf(reading, await this.#describe(about))).decision === 'allow',
      signal,
    });
    if (yes !== 'session' && yes !== 'always') return { yes, grant: null };
    if (needs.includes('tab') && subject.target !== null) this.#deps.bridge.handTab(sessionId, browserId, subject.target.tabId);
    const isForOrigin = needs.includes('origin') && origin !== null;
    return { yes, grant: isForOrigin ? this.#remember(about, origin, yes === 'session' ? sessionId : null) : null };
  }

  /** Shows in the page what a card is about, for as long as it waits. What is answered at once is not worth it. */
  #mark({ call, browserId }: CallMatter): Disposable {
    const { sessionId, name, args, signal } = call;
    const over = new AbortController();
    const input = { sessionId, name, args, browserId };
    const timer = setTimeout(() => void this.#deps.bridge.mark(input, AbortSignal.any([signal, over.signal])), MARK_AFTER_MS);
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        over.abort();
      },
    };
  }

  /**
   * Looking, and navigating in a tab of the session, are decided without a question to the browser, because they must stay fast,
   * unless sites are closed to agents.
   */
  async #describe({ reading, call, browserId, trail }: CallMatter): Promise<CallSubject> {
    const { toolClass, hasTab } = reading;
    const { sessionId, name, args, signal, onProgress } = call;
    const isFast = toolClass === 'read' || (toolClass === 'navigate' && !hasTab);
    if (isFast && !Object.values(this.#deps.sites.rules()).includes('never')) return noSubject;
    const subject = await this.#deps.bridge.describe({ sessionId, name, args, browserId }, { signal, onProgress });
    trail.headedFor(originOf(reading, subject), elementOf(subject));
    this.#checkTarget(reading, subject);
    return isFast ? noSubject : subject;
  }

  #checkTarget(reading: CallReading, { target }: CallSubject): void {
    // Where a tab may go from a closed site is decided by the address.
    if (target !== null && reading.toolClass !== 'navigate') this.#checkSites(reading, [target.origin, target.url]);
  }

  /** The person's word about a site goes before every permission. */
  #checkSites({ toolClass }: CallReading, places: readonly (string | null)[]): void {
    if (places.length === 0) return;
    const refusal = refuseBySite(
      this.#deps.sites.rules(),
      toolClass,
      places.filter((place) => place !== null),
    );
    if (refusal !== null) throw new CompanionError('SITE_NOT_ALLOWED', inAudit('rule_alone', { rule: refusal }));
  }

  #decide({ tool, call, client, files }: CallMatter, facts: Facts): Decision {
    const { grants } = this.#deps;
    return decideCall({
      // A tool that the build does not know may be another one tomorrow, so no permission covers it.
      tool: this.#deps.bridge.isBuilt(tool.name) ? tool.name : null,
      ...facts,
      sessionId: call.sessionId,
      clientId: client.id,
      // What came of one site goes to another by a yes to that alone.
      mayHandKeys: files.some(({ mayHoldKeys, savedFrom }) => mayHoldKeys || savedFrom !== undefined),
      // Most calls only look, and need none.
      get grants() {
        return grants.list();
      },
      now: this.#now(),
    });
  }

  #remember({ tool, reading, client }: CallMatter, origin: string, sessionId: SessionId | null): Grant {
    const { toolClass } = reading;
    const createdAt = this.#now();
    const grant: Grant = {
      id: randomId('grant'),
      origin,
      toolClass,
      tool: toolClass === 'sensitive' ? tool.name : null,
      sessionId,
      client,
      createdAt,
      expiresAt: createdAt + (sessionId === null ? ALWAYS_MS : SESSION_MS),
    };
    this.#deps.grants.add(grant);
    return grant;
  }
}

/** The question needs no page, but on one that is closed to agents it is not asked. */
const noSubjectUnlessClosed = (error: unknown): CallSubject => {
  if (error instanceof CompanionError && error.code === 'SITE_NOT_ALLOWED') throw error;
  return noSubject;
};

/** A daemon that comes after this one finds by it what became of a part. */
const partId = (callId: CallId, index: number): CallId => CallId.parse(`call_${hash('sha256', `${callId} ${index}`)}`);

/** What the model is told about its own call. */
const withNotes = (result: ToolResult, notes: readonly string[]): ToolResult =>
  notes.length === 0 ? result : { ...result, content: [...result.content, { type: 'text', text: notes.join(' ') }] };

/** Nobody was asked where there is nothing to ask about. */
const codeOfDenial = ({ toolClass }: CallReading, origin: string | null): ErrorCode => {
  if (toolClass === 'navigate') return 'URL_NOT_ALLOWED';
  return origin === null || isWebOrigin(origin) ? 'CONSENT_DENIED' : 'TAB_RESTRICTED';
};

const remedyInPlace = ({ address }: CallReading): { remedy?: string } => {
  const url = address === null ? null : urlOfAddress(address);
  const remedy = url === null ? null : insteadOf(url);
  return remedy === null ? {} : { remedy };
};

/** No browser that is there has it, so nobody can tell the model whether it was done. */
const unknownWhetherDone = (): never => {
  throw new CompanionError('DAEMON_NOT_RUNNING', 'It went away during the call, and whether that was done is not known.', {
    remedy: 'Look at the page first, then call again: the daemon has been started by itself.',
  });
};

/** Nobody is there who could tell, but the browser may have done it before it went. */
const unknownWithoutBrowser = ({ code, remedy }: CompanionError): CompanionError =>
  new CompanionError(code, 'Pilotfish went away during the call, and whether that was done is not known.', {
    remedy: `${remedy} Then look at the page before you call again.`,
  });

const notBegun = (): CompanionError =>
  new CompanionError('DAEMON_NOT_RUNNING', 'It went away before this call began: nothing of it happened.', {
    remedy: 'Make this one and the others after it, if they still fit: the daemon has been started by itself.',
  });

/** Whether a call would act in the same tab, on a page of the same origin, and answer the same dialog. */
const isSamePlace = ({ target: one }: CallSubject, { target: other }: CallSubject): boolean =>
  one?.tabId === other?.tabId && one?.origin === other?.origin && one?.dialog === other?.dialog;

const isSameNamed = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, index) => name === others[index]);

const heldOf = ({ id, expiresAt }: Grant): HeldGrant => ({ id, expiresAt });

type Facts = Pick<CallFacts, 'origin' | 'isPersonsTab' | 'toolClass'>;

const factsOf = (reading: CallReading, subject: CallSubject): Facts => ({
  toolClass: subject.onlyLooks === true && reading.toolClass === 'write' ? 'read' : reading.toolClass,
  origin: originOf(reading, subject),
  isPersonsTab: subject.target?.owner === 'person',
});

/** The origin where a call acts: of its address for a navigation that has one, otherwise of the page it is on. */
const originOf = ({ toolClass, address }: CallReading, { target }: CallSubject): string | null => {
  if (toolClass === 'navigate') return address === null ? null : originOfAddress(address);
  return target?.origin ?? null;
};

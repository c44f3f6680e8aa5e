/** One tool call on behalf of a session: what is it about, may it, then do it. Every way into the browser leads through here. */
import { TOOL_CLASS_META, type CallSubject, type Grant, type ToolInfo, type ToolResult } from '#protocol/browser.ts';
import { CompanionError, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { BrowserId, CallId, SessionId } from '#protocol/ids.ts';
import type { Bridge } from '#companion/browser/bridge.ts';
import { readCall, type CallReading } from '#companion/browser/read-call.ts';
import type { Progress } from '#companion/browser/routing.ts';
import type { Log } from '#companion/lib/log.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { decideCall, type Decision, type Need } from '#companion/policy/policy.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import { argumentFault } from './call-arguments.ts';
import { CallTrail, type AuditTrail } from './call-trail.ts';
import { toBrowserCard, toCallCard } from './consent-card.ts';
import { Consent, type Yes } from './consent.ts';
import { isOwnAddress, originOfAddress } from './own-address.ts';
import { Travel } from './travel.ts';

export interface CallOptions {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface CallerDeps {
  readonly bridge: Pick<Bridge, 'tool' | 'isBuilt' | 'describe' | 'call' | 'foreignBrowser' | 'allowBrowser' | 'handTab'>;
  readonly sessions: Pick<Sessions, 'ask' | 'recordCall' | 'subscribe' | 'view'>;
  readonly grants: { list(): Grant[]; add(grant: Grant): void };
  /** The daemon's own loopback port: no tool opens it. */
  readonly port: () => number;
  readonly log: Log;
  readonly audit?: AuditTrail;
  readonly now?: () => number;
}

/** While the person thinks, the page may go elsewhere; then the question is another one. */
const MAX_QUESTIONS = 3;

/** A yes does not hold for ever: what is used is asked for again in time, and what is not used any more ends. */
const SESSION_MS = 24 * 3_600_000;
const ALWAYS_MS = 90 * 24 * 3_600_000;

const waiting: Progress = { progress: 0, message: 'Waiting for the user to allow this.' };

/** A call that is decided about. */
interface CallMatter {
  readonly tool: ToolInfo;
  readonly reading: CallReading;
  readonly call: CallOptions;
  readonly browserId: BrowserId | undefined;
}

/** A call that needs no page to be decided. */
const noSubject: CallSubject = { target: null, lines: [] };

export class ToolCaller {
  readonly #deps: CallerDeps;
  readonly #now: () => number;
  readonly #consent: Consent;
  readonly #travel: Travel;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.#consent = new Consent(deps.sessions);
    this.#travel = new Travel(deps.sessions, this.#consent);
  }

  /** Never rejects: what went wrong is the result, in words a model can act on. */
  async call(given: CallOptions): Promise<ToolResult> {
    const { sessions, bridge, log } = this.#deps;
    const { sessionId, name, args, callId } = given;
    // Stopping a turn stops what it does in the browser, without waiting for the agent to cancel it.
    const stop = new AbortController();
    const signal = AbortSignal.any([given.signal, stop.signal]);
    const startedAt = this.#now();
    let record: { finish(result: ToolResult | ErrorBody): void } | null = null;
    let unsubscribe = (): void => {};
    let trail: CallTrail | null = null;
    try {
      unsubscribe = sessions.subscribe(sessionId, (event) => {
        if (event.type === 'turn.cancelling') stop.abort();
      });
      const tool = bridge.tool(name);
      const reading = tool === undefined ? null : readCall(tool, args);
      const fault = tool === undefined ? unknownTool(name) : argumentFault(tool, bridge.isBuilt(name), args);
      trail = new CallTrail(this.#deps.audit, { sessionId, name, args, reading });
      // Wrong arguments are of no use to anybody later, and may be of any size.
      record = sessions.recordCall(sessionId, {
        name,
        args: fault === null ? args : {},
        title: reading?.title ?? name.slice(0, MAX_NAME_CHARS),
      });
      if (fault !== null) throw fault;
      if (tool === undefined || reading === null) throw unknownTool(name);
      const result = await this.#run(tool, reading, { ...given, signal }, trail);
      const ms = this.#now() - startedAt;
      afterAnswer(() => {
        record?.finish(result);
        trail?.ended(result.isError === true);
        log.info('tool.called', { sessionId, callId, name, isError: result.isError === true, ms });
      });
      return result;
    } catch (thrown) {
      const error = toErrorBody(signal.aborted && !(thrown instanceof CompanionError) ? new CompanionError('CALL_CANCELLED') : thrown);
      record?.finish(error);
      trail?.failed(error);
      log.warn('tool.failed', { sessionId, callId, name, code: error.code, error: error.message, ms: this.#now() - startedAt });
      return toErrorResult(error);
    } finally {
      unsubscribe();
    }
  }

  async #run(tool: ToolInfo, reading: CallReading, call: CallOptions, trail: CallTrail): Promise<ToolResult> {
    const { bridge, log, port } = this.#deps;
    const { sessionId, callId, name, args, signal, onProgress } = call;
    const { address } = reading;
    if (address !== null && isOwnAddress(address, port())) throw new CompanionError('URL_NOT_ALLOWED', `${address} is Pilotfish itself.`);
    const browserId = await this.#allowBrowser(reading, call);
    const trip = await this.#travel.allow(address, call);
    const { subject, rule } = await this.#allow({ tool, reading, call, browserId });
    const { target } = subject;
    trail.allowed(originOf(reading, subject), trip.rule ?? rule);
    log.info('tool.allowed', { sessionId, callId, name, origin: target?.origin ?? null, rule });
    return this.#travel.carry(sessionId, trip, () =>
      bridge.call({ sessionId, callId, name, args, browserId, ...(target === null ? {} : { target }) }, { signal, onProgress }),
    );
  }

  /** The browser the call goes to; another profile than the session's is asked for before anything is said to it. */
  async #allowBrowser(reading: CallReading, call: CallOptions): Promise<BrowserId | undefined> {
    const { bridge } = this.#deps;
    const { sessionId, name, signal } = call;
    const foreign = bridge.foreignBrowser(sessionId, reading.browserId);
    if (foreign === null) return reading.browserId;
    call.onProgress(waiting);
    const yes = await this.#consent.ask({
      sessionId,
      tool: name,
      kind: `browser ${foreign.browserId}`,
      request: toBrowserCard(name, reading, foreign),
      isSettled: () => Promise.resolve(bridge.foreignBrowser(sessionId, foreign.browserId) === null),
      signal,
    });
    if (yes === 'session') bridge.allowBrowser(sessionId, foreign);
    return foreign.browserId;
  }

  /** Resolves with what the call was allowed for; throws when it was not. */
  async #allow(about: CallMatter): Promise<{ subject: CallSubject; rule: string }> {
    const { reading, call } = about;
    for (let question = 0; ; question += 1) {
      const subject = await this.#describe(about);
      const { decision, rule, needs } = this.#decide(about, subject);
      if (decision === 'allow') return { subject, rule };
      if (decision === 'deny')
        throw new CompanionError(reading.toolClass === 'navigate' ? 'URL_NOT_ALLOWED' : 'CONSENT_DENIED', `${call.name}: ${rule}.`);
      if (question === MAX_QUESTIONS) throw new CompanionError('CONSENT_DENIED', 'The page changed each time while the user was asked.');
      const yes = await this.#askForCall(about, subject, needs);
      const after = await this.#describe(about);
      const isSame = originOf(reading, after) === originOf(reading, subject) && after.target?.tabId === subject.target?.tabId;
      if (isSame && yes !== 'settled') return { subject: after, rule: `the user allowed it (${yes})` };
    }
  }

  async #askForCall(about: CallMatter, subject: CallSubject, needs: readonly Need[]): Promise<Yes> {
    const { tool, reading, call, browserId } = about;
    const { sessionId, name, signal } = call;
    const origin = originOf(reading, subject);
    call.onProgress(waiting);
    const yes = await this.#consent.ask({
      sessionId,
      tool: name,
      kind: JSON.stringify([origin, needs, reading.toolClass, reading.toolClass === 'sensitive' && name]),
      request: toCallCard(name, reading, subject, { origin, needs, isBuilt: this.#deps.bridge.isBuilt(name) }),
      isSettled: async () => this.#decide(about, await this.#describe(about)).decision === 'allow',
      signal,
    });
    if (yes === 'session' || yes === 'always') {
      if (needs.includes('origin') && origin !== null) this.#remember(tool, origin, yes === 'session' ? sessionId : null);
      if (needs.includes('tab') && subject.target !== null) this.#deps.bridge.handTab(sessionId, browserId, subject.target.tabId);
    }
    return yes;
  }

  /** Looking, and navigating in a tab of the session's, are decided without a question to the browser: they must stay fast. */
  #describe({ reading, call, browserId }: CallMatter): Promise<CallSubject> {
    const { toolClass, hasTab } = reading;
    const { sessionId, name, args, signal, onProgress } = call;
    if (toolClass === 'read' || (toolClass === 'navigate' && !hasTab)) return Promise.resolve(noSubject);
    return this.#deps.bridge.describe({ sessionId, name, args, browserId }, { signal, onProgress });
  }

  #decide({ tool, reading, call }: CallMatter, subject: CallSubject): Decision {
    return decideCall({
      toolClass: reading.toolClass,
      // A tool that the build does not know may be another one tomorrow: no yes covers it.
      tool: this.#deps.bridge.isBuilt(tool.name) ? tool.name : null,
      origin: originOf(reading, subject),
      sessionId: call.sessionId,
      isPersonsTab: subject.target?.owner === 'person',
      grants: this.#deps.grants.list(),
      now: this.#now(),
    });
  }

  #remember(tool: ToolInfo, origin: string, sessionId: SessionId | null): void {
    const toolClass = tool._meta[TOOL_CLASS_META];
    const createdAt = this.#now();
    this.#deps.grants.add({
      id: randomId('grant'),
      origin,
      toolClass,
      tool: toolClass === 'sensitive' ? tool.name : null,
      sessionId,
      createdAt,
      expiresAt: createdAt + (sessionId === null ? ALWAYS_MS : SESSION_MS),
    });
  }
}

const MAX_NAME_CHARS = 100;

const unknownTool = (name: string): CompanionError => new CompanionError('TOOL_UNKNOWN', `"${name.slice(0, MAX_NAME_CHARS)}".`);

/** The caller need not wait for the disk; it also hears of nothing else before this has run. */
const afterAnswer = (work: () => void): void => void setImmediate(work);

/** An error as a tool result: the model reads it, so it says what to do. */
const toErrorResult = ({ code, message, remedy }: ErrorBody): ToolResult => ({
  content: [{ type: 'text', text: `${code}: ${message} ${remedy}` }],
  isError: true,
});

/** Where a call acts: a navigation at its address, if it has one, everything else at the page it is on. */
const originOf = ({ toolClass, address }: CallReading, { target }: CallSubject): string | null => {
  if (toolClass === 'navigate') return address === null ? null : originOfAddress(address);
  return target?.origin ?? null;
};

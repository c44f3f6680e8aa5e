/** One tool call on behalf of a session: what is it about, may it, then do it. Every way into the browser leads through here. */
import type { CallSubject, Grant, ToolInfo, ToolResult } from '#protocol/browser.ts';
import { CompanionError, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { CallId, SessionId } from '#protocol/ids.ts';
import type { Bridge } from '#companion/browser/bridge.ts';
import { readCall, type CallReading } from '#companion/browser/read-call.ts';
import type { Progress } from '#companion/browser/routing.ts';
import type { Log } from '#companion/lib/log.ts';
import { decideCall, type Decision } from '#companion/policy/policy.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import { argumentFault } from './call-arguments.ts';
import { CallTrail, type AuditTrail } from './call-trail.ts';
import { Consent } from './consent.ts';
import { isOwnAddress, originOfAddress } from './own-address.ts';

export interface CallOptions {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface CallerDeps {
  readonly bridge: Pick<Bridge, 'tool' | 'isBuilt' | 'describe' | 'call'>;
  readonly sessions: Pick<Sessions, 'ask' | 'recordCall' | 'subscribe'>;
  readonly grants: { list(): Grant[]; add(grant: Grant): void };
  /** The daemon's own loopback port: no tool opens it. */
  readonly port: () => number;
  readonly log: Log;
  readonly audit?: AuditTrail;
  readonly now?: () => number;
}

/** While the person thinks, the page may go elsewhere; then the question is another one. */
const MAX_QUESTIONS = 3;

/** A call that needs no page to be decided. */
const noSubject: CallSubject = { target: null, lines: [] };

export class ToolCaller {
  readonly #deps: CallerDeps;
  readonly #now: () => number;
  readonly #consent: Consent;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.#consent = new Consent({ sessions: deps.sessions, grants: deps.grants, now: this.#now });
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

  async #run(
    tool: ToolInfo,
    reading: CallReading,
    { sessionId, callId, name, args, signal, onProgress }: CallOptions,
    trail: CallTrail,
  ): Promise<ToolResult> {
    const { bridge, log, port } = this.#deps;
    const { address, browserId } = reading;
    if (address !== null && isOwnAddress(address, port())) throw new CompanionError('URL_NOT_ALLOWED', `${address} is Pilotfish itself.`);
    const { subject, rule } = await this.#allow(tool, reading, { sessionId, callId, name, args, signal, onProgress });
    const { target } = subject;
    trail.allowed(originOf(reading, subject), rule);
    log.info('tool.allowed', { sessionId, callId, name, origin: target?.origin ?? null, rule });
    return bridge.call(
      { sessionId, callId, name, args, browserId, ...(target === null ? {} : { target: { tabId: target.tabId, origin: target.origin } }) },
      { signal, onProgress },
    );
  }

  /** Resolves with what the call was allowed for; throws when it was not. */
  async #allow(tool: ToolInfo, reading: CallReading, call: CallOptions): Promise<{ subject: CallSubject; rule: string }> {
    const { sessionId, name, args, signal, onProgress } = call;
    const { toolClass, browserId } = reading;
    const isKnown = this.#deps.bridge.isBuilt(name);
    // Looking and navigating are decided without a question to the browser: they must stay fast.
    const describe = (): Promise<CallSubject> =>
      toolClass === 'write' || toolClass === 'sensitive'
        ? this.#deps.bridge.describe({ sessionId, name, args, browserId }, { signal, onProgress })
        : Promise.resolve(noSubject);
    for (let question = 0; ; question += 1) {
      const subject = await describe();
      const origin = originOf(reading, subject);
      const decide = (): Decision =>
        decideCall({
          toolClass,
          ...(isKnown ? { tool: name } : {}),
          origin,
          sessionId,
          grants: this.#deps.grants.list(),
          now: this.#now(),
        });
      const { decision, rule } = decide();
      if (decision === 'allow') return { subject, rule };
      if (decision === 'deny')
        throw new CompanionError(toolClass === 'navigate' ? 'URL_NOT_ALLOWED' : 'CONSENT_DENIED', `${tool.name}: ${rule}.`);
      if (question === MAX_QUESTIONS) throw new CompanionError('CONSENT_DENIED', 'The page changed each time while the user was asked.');
      onProgress({ progress: 0, message: 'Waiting for the user to allow this.' });
      const answer = await this.#consent.ask({ sessionId, tool: name, isKnown, reading, subject, origin, decide, signal });
      const after = await describe();
      if (originOf(reading, after) === origin) return { subject: after, rule: answer };
    }
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

/** Where a call acts: a navigation at its address, everything else at the page it is on. */
const originOf = ({ toolClass, address }: CallReading, { target }: CallSubject): string | null =>
  toolClass === 'navigate' && address !== null ? originOfAddress(address) : (target?.origin ?? null);

/** What is kept of one tool call: in its session's log, in the audit and in the daemon's log. */
import { hash } from 'node:crypto';
import type { AuditRecord } from '#protocol/audit.ts';
import { ORIGIN_META, type GrantClient, type ToolResult } from '#protocol/browser.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { CallId, SessionId } from '#protocol/ids.ts';
import type { CallReading } from '#companion/browser/read-call.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';

/** Where entries go; absent when nothing is kept. */
export interface AuditTrail {
  add(record: AuditRecord): void;
}

export interface TrailDeps {
  readonly sessions: Pick<Sessions, 'recordCall'>;
  readonly log: Log;
  readonly audit?: AuditTrail;
}

interface TrailedCall {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  /** Null for a tool that is not known. */
  readonly reading: CallReading | null;
}

const MAX_NAME_CHARS = 100;

/** Each step is kept in order, and before the call goes on; for a call that only looks it is kept while the browser works. */
export class CallTrail {
  readonly #deps: TrailDeps;
  readonly #call: TrailedCall;
  readonly #startedAt = performance.now();
  #record: ReturnType<TrailDeps['sessions']['recordCall']> | null = null;
  #isAllowed = false;
  /** Of the audit's entries; who it is shows when the call has been admitted. */
  #by = 'the client of the session';
  #origin: string | null = null;

  constructor(deps: TrailDeps, call: TrailedCall) {
    this.#deps = deps;
    this.#call = call;
  }

  /** Wrong arguments are not kept: they are of no use to anybody later, and may be of any size. */
  begun(hasRightArguments: boolean): void {
    const { sessionId, name, args, reading } = this.#call;
    const title = reading?.title ?? name.slice(0, MAX_NAME_CHARS);
    this.#keep(() => {
      this.#record = this.#deps.sessions.recordCall(sessionId, { name, args: hasRightArguments ? args : {}, title });
    });
  }

  /** Whose call it is. */
  madeBy({ id, name }: GrantClient): void {
    this.#by = id.startsWith('agent ') ? `the agent ${name}` : `the program from outside "${name}", ${id}`;
  }

  /** Where it would act. */
  headedFor(origin: string | null): void {
    this.#origin = origin;
  }

  allowed(rule: string): void {
    const { sessionId, callId, name } = this.#call;
    const origin = this.#origin;
    this.#isAllowed = true;
    this.#keep(() => {
      this.#audit('decision', `allowed: ${rule}`, origin);
      this.#deps.log.info('tool.allowed', { sessionId, callId, name, origin, rule });
    });
  }

  /** The caller need not wait for the disk, but it gets no result before this is kept. */
  ended(result: ToolResult): void {
    const { sessionId, callId, name } = this.#call;
    const isError = result.isError === true;
    const ms = this.#ms();
    // The browser knows best which page it was.
    const told = result._meta?.[ORIGIN_META];
    const origin = typeof told === 'string' ? told : this.#origin;
    this.#keepLater(() => {
      this.#record?.finish(result);
      this.#audit('outcome', isError ? 'the tool failed' : 'done', origin);
      this.#deps.log.info('tool.called', { sessionId, callId, name, isError, ms });
    });
  }

  /** A fault before the call was allowed counts as a refusal. */
  failed(error: ErrorBody): void {
    const { sessionId, callId, name } = this.#call;
    const { code, message } = error;
    const wasAllowed = this.#isAllowed;
    const origin = this.#origin;
    const ms = this.#ms();
    this.#keep(() => {
      this.#record?.finish(error);
      if (wasAllowed) this.#audit('outcome', `${code}: ${message}`, origin);
      else this.#audit('decision', `denied: ${code}: ${message}`, origin);
      this.#deps.log.warn('tool.failed', { sessionId, callId, name, code, error: message, ms });
    });
  }

  #keep(work: () => void): void {
    if (this.#call.reading?.onlyLooks === false) work();
    else this.#keepLater(work);
  }

  /** Immediates run in their order, and after what was sent to the browser in this turn of the loop. */
  #keepLater(work: () => void): void {
    setImmediate(() => {
      try {
        work();
      } catch (error) {
        const { sessionId, callId, name } = this.#call;
        this.#deps.log.error('tool.record_failed', { sessionId, callId, name, error });
      }
    });
  }

  #audit(kind: AuditRecord['kind'], result: string, origin: string | null): void {
    const { sessionId, name, args, reading } = this.#call;
    this.#deps.audit?.add({
      by: this.#by,
      what: name,
      sessionId,
      origin,
      ...(reading === null ? {} : { toolClass: reading.toolClass }),
      argsHash: hash('sha256', JSON.stringify(args)),
      kind,
      result,
    });
  }

  #ms(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

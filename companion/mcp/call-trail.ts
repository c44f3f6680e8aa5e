/** What is kept of one tool call: in its session's log, in the audit and in the daemon's log. */
import { hash } from 'node:crypto';
import type { AuditRecord } from '#protocol/audit.ts';
import { faultInAudit, inAudit } from '#protocol/audit-lines.ts';
import { ERROR_META, ORIGIN_META, type GrantClient, type ToolResult } from '#protocol/browser.ts';
import { ErrorBody } from '#protocol/errors.ts';
import type { CallId, SessionId } from '#protocol/ids.ts';
import type { Said } from '#protocol/said.ts';
import type { CallReading } from '#companion/browser/read-call.ts';
import type { Afterwards } from '#companion/lib/afterwards.ts';
import type { Log } from '#companion/lib/log.ts';
import type { CallEnd, CallRecord, ClientCall } from '#companion/sessions/client-calls.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';

/** Where entries go; absent when nothing is kept. Those of one call that are told together are kept together. */
export interface AuditTrail {
  add(...records: readonly AuditRecord[]): void;
}

export interface TrailDeps {
  readonly sessions: Pick<Sessions, 'recordCall' | 'recordEndedCall'>;
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

/** What was decided about a call, or how it ended. */
interface Step {
  readonly entry: Pick<AuditRecord, 'kind' | 'result' | 'by' | 'origin' | 'element' | 'durationMs' | 'answerBytes'>;
  readonly log: (to: Log) => void;
}

const MAX_NAME_CHARS = 100;

/** A call that only looks is mostly over by then, and is kept at one go; one that lasts longer is shown while it runs. */
const SHOW_AFTER_MS = 50;

/**
 * Each step is kept in order, and before the call goes on. A call that only looks waits for no disk, and neither does the next one: what is known
 * of it is kept a moment after it has ended, or while the browser still works.
 */
export class CallTrail {
  readonly #deps: TrailDeps;
  /** What all calls have yet to keep. */
  readonly #afterwards: Afterwards;
  readonly #call: TrailedCall;
  readonly #startedAt = performance.now();
  readonly #steps: Step[] = [];
  /** What the session shows of it; null before it has begun. */
  #shown: ClientCall | null = null;
  #record: CallRecord | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** By the same clock; null before it was. */
  #allowedAt: number | null = null;
  /** Of the audit's entries; who it is shows when the call has been admitted. */
  #by = inAudit('who_session_client');
  #origin: string | null = null;
  #element = '';

  constructor(deps: TrailDeps, afterwards: Afterwards, call: TrailedCall) {
    this.#deps = deps;
    this.#afterwards = afterwards;
    this.#call = call;
  }

  /** Wrong arguments are not kept: they are of no use to anybody later, and may be of any size. */
  begun(hasRightArguments: boolean): void {
    const { name, args, reading } = this.#call;
    this.#shown = { name, args: hasRightArguments ? args : {}, title: reading?.title ?? name.slice(0, MAX_NAME_CHARS) };
    this.#goesOn();
  }

  /** Whose call it is. */
  madeBy({ id, name }: GrantClient): void {
    this.#by = id.startsWith('agent ') ? inAudit('who_agent', { name }) : inAudit('who_program', { name, id });
  }

  /** Where it would act, and on what, as the page names it. */
  headedFor(origin: string | null, element = ''): void {
    this.#origin = origin;
    this.#element = element;
  }

  allowed(rule: Said): void {
    const { sessionId, callId, name } = this.#call;
    const origin = this.#origin;
    this.#allowedAt = performance.now();
    this.#note({ kind: 'decision', result: inAudit('allowed_by', { rule }), origin }, (log) =>
      log.info('tool.allowed', { sessionId, callId, name, origin, rule: rule.text }),
    );
    this.#goesOn();
  }

  /** It would act elsewhere than it was allowed: it is decided anew. */
  undecided(): void {
    this.#allowedAt = null;
  }

  /** The caller does not wait for the disk. */
  ended(result: ToolResult): void {
    const { sessionId, callId, name } = this.#call;
    const isError = result.isError === true;
    const ms = this.#ms();
    // The browser knows best which page it was.
    const told = result._meta?.[ORIGIN_META];
    const origin = typeof told === 'string' ? told : this.#origin;
    const answerBytes = sizeOf(result);
    this.#note({ kind: 'outcome', result: outcomeOf(result), origin, ...this.#took(), answerBytes }, (log) =>
      log.info('tool.called', { sessionId, callId, name, isError, ms, answerBytes }),
    );
    this.#keepLater({ result, durationMs: ms });
  }

  /** A fault before the call was allowed counts as a refusal. `answer` is what the agent is told of it. */
  failed(error: ErrorBody, answer: ToolResult): void {
    const { sessionId, callId, name } = this.#call;
    const { code, message } = error;
    const ms = this.#ms();
    const origin = this.#origin;
    const answerBytes = sizeOf(answer);
    const entry =
      this.#allowedAt === null
        ? ({ kind: 'decision', result: faultInAudit('denied_for', error), origin, durationMs: ms, answerBytes } as const)
        : ({ kind: 'outcome', result: faultInAudit('came_fault', error), origin, ...this.#took(), answerBytes } as const);
    this.#note(entry, (log) => log.warn('tool.failed', { sessionId, callId, name, code, error: message, ms, answerBytes }));
    const end = { result: error, durationMs: ms };
    if (this.#onlyLooks) this.#keepLater(end);
    // It may have failed because nothing can be kept.
    else this.#keepInTurn(end);
  }

  get #onlyLooks(): boolean {
    return this.#call.reading?.onlyLooks !== false;
  }

  #goesOn(): void {
    if (this.#onlyLooks) this.#timer ??= setTimeout(() => this.#keepInTurn(null), SHOW_AFTER_MS);
    else {
      this.#afterwards.flush();
      this.#keep(null);
    }
  }

  /** Immediates run in their order, and after what was sent in this turn of the loop. */
  #keepLater(end: CallEnd): void {
    clearTimeout(this.#timer);
    if (this.#onlyLooks) this.#afterwards.add(() => this.#keepSafely(end));
    else setImmediate(() => this.#keepInTurn(end));
  }

  /** After what earlier calls have yet to keep. */
  #keepInTurn(end: CallEnd | null): void {
    this.#afterwards.flush();
    this.#keepSafely(end);
  }

  #keepSafely(end: CallEnd | null): void {
    this.#timer = undefined;
    try {
      this.#keep(end);
    } catch (error) {
      const { sessionId, callId, name } = this.#call;
      this.#deps.log.error('tool.record_failed', { sessionId, callId, name, error });
    }
  }

  /** Keeps what is not kept yet; with `end` it is all there is. */
  #keep(end: CallEnd | null): void {
    const steps = this.#steps.splice(0);
    if (steps.length > 0) this.#deps.audit?.add(...this.#toRecords(steps));
    for (const { log } of steps) log(this.#deps.log);
    this.#show(end);
  }

  #show(end: CallEnd | null): void {
    const { sessions } = this.#deps;
    const { sessionId } = this.#call;
    if (this.#shown === null) return;
    if (this.#record === null && end !== null) sessions.recordEndedCall(sessionId, this.#shown, end);
    else if (this.#record === null) this.#record = sessions.recordCall(sessionId, this.#shown);
    else if (end !== null) this.#record.finish(end.result);
  }

  #note(entry: Omit<Step['entry'], 'by' | 'element'>, log: Step['log']): void {
    const element = this.#element === '' ? {} : { element: this.#element };
    this.#steps.push({ entry: { ...entry, by: this.#by, ...element }, log });
  }

  /** How long an allowed call took. */
  #took(): { durationMs?: number } {
    return this.#allowedAt === null ? {} : { durationMs: Math.round(performance.now() - this.#allowedAt) };
  }

  #toRecords(steps: readonly Step[]): AuditRecord[] {
    const { sessionId, callId, name, args, reading } = this.#call;
    const toolClass = reading === null ? {} : { toolClass: reading.toolClass };
    const argsHash = hash('sha256', JSON.stringify(args));
    return steps.map(({ entry }) => ({ what: name, sessionId, callId, ...toolClass, argsHash, ...entry }));
  }

  #ms(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

const ToldError = ErrorBody.pick({ code: true, message: true });

/** How a call came out; a tool that failed mostly says why. */
const outcomeOf = ({ isError, _meta }: ToolResult): Said => {
  if (isError !== true) return inAudit('came_done');
  const told = ToldError.safeParse(_meta?.[ERROR_META]);
  return told.success ? faultInAudit('came_fault', told.data) : inAudit('came_failed');
};

const sizeOf = ({ content }: ToolResult): number => content.reduce((bytes, part) => bytes + sizeOfPart(part), 0);

const sizeOfPart = (part: ToolResult['content'][number]): number => {
  const { text, data } = part;
  // A picture, and a sound: in base64 each letter is a byte.
  if (typeof data === 'string') return data.length;
  return Buffer.byteLength(typeof text === 'string' ? text : JSON.stringify(part));
};

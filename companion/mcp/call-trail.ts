/** What the audit holds of one tool call: how it was decided, then how it ended. */
import { hash } from 'node:crypto';
import type { AuditRecord } from '#protocol/audit.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { CallReading } from '#companion/browser/read-call.ts';

/** Where entries go; absent where nothing is kept. */
export interface AuditTrail {
  add(record: AuditRecord): void;
}

export class CallTrail {
  readonly #audit: AuditTrail | undefined;
  readonly #base: Omit<AuditRecord, 'kind' | 'result'>;
  #isAllowed = false;

  constructor(
    audit: AuditTrail | undefined,
    call: {
      readonly sessionId: SessionId;
      readonly name: string;
      readonly args: Record<string, unknown>;
      readonly reading: CallReading | null;
    },
  ) {
    this.#audit = audit;
    const { sessionId, name, args, reading } = call;
    const toolClass = reading === null ? {} : { toolClass: reading.toolClass };
    const argsHash = audit === undefined ? '' : hash('sha256', JSON.stringify(args));
    this.#base = { by: 'the agent of the session', what: name, sessionId, ...toolClass, argsHash };
  }

  allowed(origin: string | null, rule: string): void {
    this.#isAllowed = true;
    this.#audit?.add({ ...this.#base, kind: 'decision', origin, result: `allowed: ${rule}` });
  }

  ended(isError: boolean): void {
    this.#audit?.add({ ...this.#base, kind: 'outcome', result: isError ? 'the tool failed' : 'done' });
  }

  /** Before it was allowed, a fault is a no. */
  failed({ code, message }: { readonly code: string; readonly message: string }): void {
    const result = `${code}: ${message}`;
    this.#audit?.add(
      this.#isAllowed ? { ...this.#base, kind: 'outcome', result } : { ...this.#base, kind: 'decision', result: `denied: ${result}` },
    );
  }
}

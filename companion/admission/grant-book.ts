/** What the person has allowed for longer than one call, and who is told when it ends. */
import type { AuditRecord } from '#protocol/audit.ts';
import type { Grant } from '#protocol/browser.ts';
import type { Log } from '#companion/lib/log.ts';

export interface GrantBookOptions {
  readonly table: { list(): Grant[]; add(grant: Grant): void; remove(id: string): void };
  readonly audit: { add(record: AuditRecord): void };
  readonly log: Log;
  readonly now: () => number;
}

/** Timers hold no longer than 24 days; one that comes too early is set again. */
const MAX_TIMER_MS = 24 * 3_600_000;

/**
 * A permission ends by the system's clock, which goes on while no daemon runs and while the machine sleeps, and by the time that has passed since,
 * so that a clock that is set back makes none of them longer.
 */
export class GrantBook {
  readonly #options: GrantBookOptions;
  readonly #listeners = new Set<() => void>();
  /** When each one ends by `performance.now()`. */
  readonly #ends = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GrantBookOptions) {
    this.#options = options;
    for (const grant of options.table.list()) this.#begin(grant);
    this.#clearAway();
  }

  /** All that hold now. */
  list(): Grant[] {
    return this.#options.table.list().filter((grant) => this.#leftMs(grant) > 0);
  }

  /** The ids of those that hold now. */
  holding(): string[] {
    return this.list().map(({ id }) => id);
  }

  /** A permission that lasts is recorded in the audit with what it is for. */
  add(grant: Grant): void {
    const { id, origin, toolClass, tool, sessionId, client } = grant;
    this.#options.table.add(grant);
    this.#begin(grant);
    this.#options.audit.add({
      kind: 'grant',
      by: 'the person',
      what: tool === null ? toolClass : `${toolClass} (${tool})`,
      origin,
      result: `${id}, for ${client.name}, ${sessionId === null ? 'always' : `in session ${sessionId}`}`,
    });
    this.#changed();
  }

  remove(id: string): void {
    this.#options.table.remove(id);
    this.#ends.delete(id);
    this.#changed();
  }

  /** Told whenever another set of them holds: one was added, taken back, or its time is over. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** One of an earlier daemon lasts no longer from now on than it was given for, whatever the clock says by now. */
  #begin({ id, createdAt, expiresAt }: Grant): void {
    if (expiresAt !== null) this.#ends.set(id, performance.now() + expiresAt - Math.max(createdAt, this.#options.now()));
  }

  #leftMs({ id, expiresAt }: Grant): number {
    if (expiresAt === null) return Infinity;
    return Math.min(expiresAt - this.#options.now(), (this.#ends.get(id) ?? 0) - performance.now());
  }

  #changed(): void {
    this.#clearAway();
    for (const listener of this.#listeners) listener();
  }

  /** One whose time is over is not kept: with another clock it might seem to hold again. */
  #clearAway(): void {
    const kept = this.#options.table.list().map((grant) => ({ id: grant.id, leftMs: this.#leftMs(grant) }));
    for (const { id } of kept.filter(({ leftMs }) => leftMs <= 0)) this.#forget(id);
    clearTimeout(this.#timer);
    const nextMs = Math.min(...kept.flatMap(({ leftMs }) => (leftMs > 0 ? [leftMs] : [])));
    if (nextMs === Infinity) return;
    this.#timer = setTimeout(() => this.#changed(), Math.min(Math.ceil(nextMs), MAX_TIMER_MS));
    this.#timer.unref();
  }

  /** Where the disk takes no changes it stays in the table, and does not hold. */
  #forget(id: string): void {
    try {
      this.#options.table.remove(id);
      this.#ends.delete(id);
    } catch (error) {
      this.#options.log.warn('grant.not_removed', { id, error: String(error) });
    }
  }
}

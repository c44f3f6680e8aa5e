/** What the person has allowed for longer than one call, and who is told when it ends. */
import type { AuditRecord } from '#protocol/audit.ts';
import type { Grant } from '#protocol/browser.ts';

export interface GrantBookOptions {
  readonly table: { list(): Grant[]; add(grant: Grant): void; remove(id: string): void };
  readonly audit: { add(record: AuditRecord): void };
  readonly now: () => number;
}

/** Timers hold no longer than 24 days; one that comes too early is set again. */
const MAX_TIMER_MS = 24 * 3_600_000;

export class GrantBook {
  readonly #options: GrantBookOptions;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GrantBookOptions) {
    this.#options = options;
    this.#awaitNextEnd();
  }

  /** All that are kept, also those whose time is over. */
  list(): Grant[] {
    return this.#options.table.list();
  }

  /** The ids of those that hold now. */
  holding(): string[] {
    const now = this.#options.now();
    return this.list().flatMap(({ id, expiresAt }) => (expiresAt === null || now < expiresAt ? [id] : []));
  }

  /** A permission that lasts is recorded in the audit with what it is for. */
  add(grant: Grant): void {
    const { id, origin, toolClass, tool, sessionId, client } = grant;
    this.#options.table.add(grant);
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

  #changed(): void {
    this.#awaitNextEnd();
    for (const listener of this.#listeners) listener();
  }

  #awaitNextEnd(): void {
    const now = this.#options.now();
    const ends = this.list().flatMap(({ expiresAt }) => (expiresAt === null || expiresAt <= now ? [] : [expiresAt]));
    clearTimeout(this.#timer);
    if (ends.length === 0) return;
    this.#timer = setTimeout(() => this.#changed(), Math.min(Math.min(...ends) - now, MAX_TIMER_MS));
    this.#timer.unref();
  }
}

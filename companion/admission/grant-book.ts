/** What the person has allowed for longer than one call, and who is told when it ends. */
import type { AuditRecord } from '#protocol/audit.ts';
import { classInAudit, inAudit } from '#protocol/audit-lines.ts';
import type { Grant, KeptGrant } from '#protocol/browser.ts';
import type { Log } from '#companion/lib/log.ts';

export interface GrantBookOptions {
  readonly table: { list(): KeptGrant[]; add(grant: KeptGrant): void; remove(id: string): void };
  readonly audit: { add(record: AuditRecord): void };
  readonly log: Log;
  readonly now: () => number;
  /** How long the machine has been up, its sleep included: nobody sets that. */
  readonly upMs: () => number;
}

/** What is left of each permission is written down so often, for a daemon that comes after a crash. */
const NOTED_MS = 60_000;

/**
 * A permission ends by the system's clock, which goes on while the machine is off, and by the time that it has been up, so that a clock that is
 * set back makes none of them longer, also where that happens while no daemon runs. Only what passes while the machine is off is known by the clock alone.
 */
export class GrantBook {
  readonly #options: GrantBookOptions;
  readonly #listeners = new Set<() => void>();
  /** When each one ends, as time that the machine has been up. */
  readonly #ends = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GrantBookOptions) {
    this.#options = options;
    for (const grant of options.table.list()) this.#begin(grant);
    this.#clearAway();
    this.#note();
  }

  /** All that hold now. */
  list(): Grant[] {
    const held = this.#options.table.list().filter((grant) => this.#leftMs(grant) > 0);
    return held.map(withoutNote);
  }

  /** The ids of those that hold now. */
  holding(): string[] {
    return this.list().map(({ id }) => id);
  }

  /** A permission that lasts is recorded in the audit with what it is for. */
  add(grant: Grant): void {
    const { id, origin, toolClass, tool, sessionId, client } = grant;
    this.#begin(grant);
    this.#options.table.add(this.#noted(grant));
    this.#options.audit.add({
      kind: 'grant',
      by: inAudit('who_person'),
      what: classInAudit(toolClass, tool),
      origin,
      result:
        sessionId === null
          ? inAudit('granted_always', { id, client: client.name })
          : inAudit('granted_session', { id, client: client.name, session: sessionId }),
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
    this.#note();
  }

  /** One of an earlier daemon lasts no longer than was left of it then, nor than it was given for, whatever the clock says by now. */
  #begin({ id, createdAt, expiresAt, noted }: KeptGrant): void {
    if (expiresAt === null) return;
    const leftMs = expiresAt - Math.max(createdAt, this.#options.now());
    this.#ends.set(id, this.#options.upMs() + (noted === undefined ? leftMs : Math.min(leftMs, noted.leftMs - this.#passedMs(noted))));
  }

  /** At least so much time has passed since; a machine that was started anew since has been up for a part of it. */
  #passedMs({ at, upMs }: NonNullable<KeptGrant['noted']>): number {
    const nowUpMs = this.#options.upMs();
    return Math.max(this.#options.now() - at, nowUpMs < upMs ? nowUpMs : nowUpMs - upMs);
  }

  #leftMs({ id, expiresAt }: Grant): number {
    if (expiresAt === null) return Infinity;
    return Math.min(expiresAt - this.#options.now(), (this.#ends.get(id) ?? 0) - this.#options.upMs());
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
    this.#timer = nextMs > NOTED_MS ? setTimeout(() => this.#look(), NOTED_MS) : setTimeout(() => this.#changed(), Math.ceil(nextMs));
    this.#timer.unref();
  }

  #look(): void {
    this.#clearAway();
    this.#note();
  }

  /** Writes down what is left of each now. */
  #note(): void {
    try {
      for (const grant of this.#options.table.list()) if (this.#ends.has(grant.id)) this.#options.table.add(this.#noted(grant));
    } catch (error) {
      this.#options.log.warn('grant.not_noted', { error: String(error) });
    }
  }

  #noted(grant: KeptGrant): KeptGrant {
    if (grant.expiresAt === null) return grant;
    return { ...grant, noted: { leftMs: this.#leftMs(grant), at: this.#options.now(), upMs: this.#options.upMs() } };
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

const withoutNote = (kept: KeptGrant): Grant => {
  const { noted: _, ...grant } = kept;
  return grant;
};

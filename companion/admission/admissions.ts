/** The browsers and programs from outside that the person has let in, turned away, or not decided about yet. */
import type { Admission } from '#protocol/admission.ts';
import type { AuditRecord } from '#protocol/audit.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { foreignName } from '#protocol/foreign-name.ts';
import type { Said } from '#protocol/said.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Comer } from './comer.ts';

export interface AdmissionsOptions {
  /** What was decided, across restarts. */
  readonly settings: {
    current(): { readonly admissions: Readonly<Record<string, Admission>> };
    change(change: { admissions: Record<string, Admission> }): unknown;
  };
  readonly audit: { add(record: AuditRecord): void };
  readonly log: Log;
  readonly now: () => number;
}

/** Who comes without end fills neither memory nor the person's list. */
const MAX_WAITING = 50;

/** Who was let in and has not come for so long waits for the person again. */
const IDLE_MS = 90 * 24 * 3_600_000;

/** That somebody came is written down so often. */
const NOTED_MS = 24 * 3_600_000;

const ORIGINS = {
  browser: 'came_by_browser',
  program: 'came_by_program',
  agent: 'came_by_agent',
  unknown: 'came_unknown',
  paired: 'came_paired',
} as const;

export class Admissions {
  readonly #options: AdmissionsOptions;
  /** In the order in which they came. */
  readonly #waiting = new Map<string, Admission>();
  readonly #decided: Map<string, Admission>;
  readonly #listeners = new Set<(id: string, wasAllowed: boolean) => void>();

  constructor(options: AdmissionsOptions) {
    this.#options = options;
    this.#decided = new Map(Object.entries(options.settings.current().admissions));
    this.#correctTimes();
  }

  /** Somebody has come; how they stand. A new one waits for the person. */
  meet(comer: Comer): Admission {
    const known = this.#current(comer.id);
    if (known !== null) return { ...known, pid: comer.pid, folder: comer.folder };
    const admission: Admission = { ...comer, state: 'waiting', since: this.#options.now() };
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
    this.#waiting.set(admission.id, admission);
    this.#options.log.info('admission.waiting', { ...admission });
    this.#changed(admission.id, false);
    return admission;
  }

  /** A person has paired a browser that is elsewhere, at both ends; `fingerprint` names its key. */
  pair({ fingerprint, key, name, host }: { fingerprint: string; key: string; name: string; host: string }): Admission {
    const about = {
      id: fingerprint,
      kind: 'browser',
      name: foreignName(name),
      program: null,
      pid: null,
      folder: null,
      origin: 'paired',
    } as const;
    const admission: Admission = { ...about, state: 'allowed', since: this.#options.now(), key, host };
    this.#keep(new Map([...this.#decided, [fingerprint, admission]]));
    this.#record({ ...admission, state: 'waiting' }, inAudit('admission_paired', { id: fingerprint, host }));
    return admission;
  }

  /** The paired browser whose key has this fingerprint, unless it was turned away. */
  findKey(fingerprint: string): { readonly admission: Admission; readonly key: string } | null {
    const admission = this.#current(fingerprint);
    return admission?.state === 'allowed' && admission.origin === 'paired' && admission.key !== undefined
      ? { admission, key: admission.key }
      : null;
  }

  /** Whether a paired browser comes to this place. */
  takesHost(host: string): boolean {
    return [...this.#decided.values()].some((admission) => admission.state === 'allowed' && admission.host === host);
  }

  find(id: string): Admission | null {
    return this.#decided.get(id) ?? this.#waiting.get(id) ?? null;
  }

  isAllowed(id: string): boolean {
    return this.#decided.get(id)?.state === 'allowed';
  }

  /** Those who wait come first. */
  list(): Admission[] {
    return [...this.#waiting.values(), ...this.#decided.values()];
  }

  /** The person has decided. */
  decide(id: string, isAllowed: boolean): Admission {
    const found = this.#need(id);
    const decided: Admission = { ...found, state: isAllowed ? 'allowed' : 'denied', since: this.#options.now() };
    this.#keep(new Map([...this.#decided, [id, decided]]));
    this.#waiting.delete(id);
    this.#record({ ...decided, state: found.state }, inAudit(isAllowed ? 'admission_let_in' : 'admission_turned_away', { id }));
    return decided;
  }

  /** Forgets what was decided: a browser or program that comes again waits again. */
  remove(id: string): void {
    const found = this.#need(id);
    this.#keep(new Map([...this.#decided].filter(([key]) => key !== id)));
    this.#waiting.delete(id);
    this.#record(found, inAudit('admission_forgotten', { id }));
  }

  /** Told the id of each that came, or was decided about or forgotten, and whether it was let in before; returns what ends this. */
  subscribe(listener: (id: string, wasAllowed: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What a person should know. */
  get warnings(): Warning[] {
    return [...this.#waiting.values()]
      .filter(({ kind }) => kind === 'browser')
      .map(({ id, name, program, pid, origin }) => {
        const who = warn('comer', { name, program: program ?? warn('program_not_told'), pid: pid ?? warn('not_known') });
        return origin === 'browser'
          ? { what: warn('browser_waits', { who }), remedy: warn('allow_browser', { id }) }
          : { what: warn('stranger_waits', { who }), remedy: warn('allow_stranger', { id }) };
      });
  }

  /** How somebody who comes now stands. */
  #current(id: string): Admission | null {
    const found = this.find(id);
    if (found?.state !== 'allowed') return found;
    const idleMs = this.#options.now() - Math.max(found.since, found.usedAt ?? 0);
    if (idleMs > IDLE_MS) {
      this.#keep(new Map([...this.#decided].filter(([key]) => key !== id)));
      this.#record(found, inAudit('admission_unused', { id }), inAudit('who_pilotfish'));
      return null;
    }
    if (idleMs > NOTED_MS) this.#keep(new Map([...this.#decided, [id, { ...found, usedAt: this.#options.now() }]]));
    return this.find(id);
  }

  /** A time to come was told by a clock that has been set back since: from now on it counts as now, or the ninety days would be longer. */
  #correctTimes(): void {
    const now = this.#options.now();
    const late = [...this.#decided].filter(([, { since, usedAt = 0 }]) => Math.max(since, usedAt) > now);
    if (late.length === 0) return;
    for (const [id, admission] of late) this.#decided.set(id, { ...admission, since: Math.min(admission.since, now), usedAt: now });
    try {
      this.#keep(new Map(this.#decided));
    } catch (error) {
      this.#options.log.warn('admission.not_kept', { error: String(error) });
    }
  }

  #need(id: string): Admission {
    const found = this.find(id);
    if (found === null) throw new CompanionError('ADMISSION_UNKNOWN', `"${id.slice(0, 100)}".`);
    return found;
  }

  /** What could not be written does not count. */
  #keep(decided: ReadonlyMap<string, Admission>): void {
    this.#options.settings.change({ admissions: Object.fromEntries(decided) });
    this.#decided.clear();
    for (const [id, admission] of decided) this.#decided.set(id, admission);
  }

  #record({ id, kind, name, program, pid, origin, state }: Admission, result: Said, by = inAudit('who_person')): void {
    const what = inAudit(kind === 'browser' ? 'about_browser' : 'about_client', {
      name,
      program: program ?? inAudit('program_not_known'),
      pid: pid ?? inAudit('pid_not_known'),
      origin: inAudit(ORIGINS[origin]),
    });
    this.#options.audit.add({ kind: 'grant', by, what, origin: null, result });
    this.#changed(id, state === 'allowed');
  }

  #changed(id: string, wasAllowed: boolean): void {
    for (const listener of this.#listeners) listener(id, wasAllowed);
  }
}

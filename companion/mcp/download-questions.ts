/**
 * Downloads that agents began. The browser holds them, the person is asked once for those that came together, and each is kept
 * or dropped.
 */
import type { SessionId } from '#protocol/ids.ts';
import type { HeldDownload } from '#protocol/link.ts';
import { classInAudit, faultInAudit, inAudit } from '#protocol/audit-lines.ts';
import { cardText } from '#protocol/card-lines.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { asLines, type Said } from '#protocol/said.ts';
import type { RequestBody } from '#protocol/requests.ts';
import type { DownloadsHeld } from '#companion/browser/bridge.ts';
import type { Log } from '#companion/lib/log.ts';
import type { AuditTrail } from './call-trail.ts';
import { line } from './card-line.ts';
import { type Consent, toOptions } from './consent.ts';

/** The class of the question. No tool has it, so no permission for a tool covers it. */
const CLASS = 'download';

const MAX_SHOWN = 10;

/** How long a permission holds for the next attempt, when it came after the browser had dropped the download. */
const LATE_YES_MS = 10 * 60_000;

const ALLOWED = inAudit('allowed_by', { rule: inAudit('rule_user_allowed') });
const DENIED = inAudit('denied_by', { rule: inAudit('rule_user_denied') });

/** A download that waits for its answer. A browser whose connection was lost tells of it again when it is back, and is answered there. */
interface Waiting {
  readonly download: HeldDownload;
  by: DownloadsHeld;
}

export class DownloadQuestions {
  readonly #consent: Consent;
  readonly #log: Log;
  readonly #audit: AuditTrail | undefined;
  /** Those that are asked for, and then those that came while that question was open. */
  readonly #waiting = new Map<SessionId, Waiting[]>();
  /** Until when each permission holds, on the clock of `performance.now()`, which nobody sets. */
  readonly #lateYes = new Map<string, number>();
  /** Sites whose downloads the person refused: further ones are refused until the agent does something. */
  readonly #refused = new Map<SessionId, Set<string>>();

  constructor(consent: Consent, { log, audit }: { log: Log; audit?: AuditTrail }) {
    this.#consent = consent;
    this.#log = log;
    this.#audit = audit;
  }

  /** The agent has done something: downloads that begin from now on are asked for. */
  callBegins(sessionId: SessionId): void {
    this.#refused.delete(sessionId);
  }

  /** Resolves when they are decided, together with those that came meanwhile; never rejects. */
  async held(held: DownloadsHeld): Promise<void> {
    const { sessionId } = held;
    const open = this.#waiting.get(sessionId);
    const queue = open ?? [];
    for (const download of held.downloads) {
      const known = queue.find((waiting) => isSame(waiting, held, download));
      if (known === undefined) queue.push({ download, by: held });
      else known.by = held;
    }
    if (open !== undefined) return;
    this.#waiting.set(sessionId, queue);
    while (queue.length > 0) {
      const asked = [...queue];
      await this.#decideAll(sessionId, asked);
      queue.splice(0, asked.length);
    }
    this.#waiting.delete(sessionId);
  }

  async #decideAll(sessionId: SessionId, waiting: readonly Waiting[]): Promise<void> {
    const downloads = waiting.map(({ download }) => download);
    const allowed = new Set(downloads.filter((download) => this.#useLateYes(sessionId, download)));
    const refused = this.#refused.get(sessionId) ?? new Set();
    const asked = downloads.filter((download) => !allowed.has(download) && !refused.has(download.origin));
    const refusal = asked.length === 0 ? DENIED : await this.#ask(sessionId, asked);
    if (refusal === null) for (const download of asked) allowed.add(download);
    for (const download of downloads)
      this.#record(sessionId, download, allowed.has(download) ? ALLOWED : asked.includes(download) ? (refusal ?? DENIED) : DENIED);
    await this.#tell(waiting, allowed);
  }

  /** Null where the person allowed it; otherwise what the audit says of that they did not. */
  async #ask(sessionId: SessionId, asked: readonly HeldDownload[]): Promise<Said | null> {
    const request = toCard(asked);
    const question = { sessionId, tool: CLASS, kind: CLASS, request, isSettled: () => Promise.resolve(false) };
    return this.#consent.ask({ ...question, signal: new AbortController().signal }).then(
      () => null,
      (error: unknown) => {
        this.#refused.set(sessionId, new Set([...(this.#refused.get(sessionId) ?? []), ...asked.map(({ origin }) => origin)]));
        const isAnswer = error instanceof CompanionError && error.code === 'CONSENT_DENIED';
        return isAnswer ? DENIED : faultInAudit('denied_for', toErrorBody(error));
      },
    );
  }

  async #tell(waiting: readonly Waiting[], allowed: ReadonlySet<HeldDownload>): Promise<void> {
    const told = [...Map.groupBy(waiting, ({ by }) => by)].map(async ([by, those]) => {
      const failed = await this.#tellOne(by, those, allowed);
      // It has come back meanwhile.
      const elsewhere = failed.filter((one) => one.by !== by);
      if (elsewhere.length > 0) await this.#tell(elsewhere, allowed);
    });
    await Promise.all(told);
  }

  /** Resolves with those of which the browser could not be told. */
  async #tellOne(
    { sessionId, decide }: DownloadsHeld,
    waiting: readonly Waiting[],
    allowed: ReadonlySet<HeldDownload>,
  ): Promise<readonly Waiting[]> {
    const downloads = waiting.map(({ download }) => download);
    const kept = downloads.filter((download) => allowed.has(download));
    const dropped = downloads.filter((download) => !allowed.has(download));
    try {
      if (dropped.length > 0) await decide(toIds(dropped), false);
      if (kept.length > 0) this.#noteLate(sessionId, kept, new Set(await decide(toIds(kept), true)));
      return [];
    } catch (error) {
      // The browser has gone, or does not know the answer; it keeps no download without one, and may tell of it again.
      this.#log.warn('download.not_told', { sessionId, error: String(error) });
      this.#noteLate(sessionId, kept, new Set());
      return waiting;
    }
  }

  /** The person has allowed these. What the browser did not take, it had dropped before, or has not heard of yet. */
  #noteLate(sessionId: SessionId, kept: readonly HeldDownload[], taken: ReadonlySet<number>): void {
    const until = performance.now() + LATE_YES_MS;
    for (const download of kept) {
      if (taken.has(download.downloadId)) this.#lateYes.delete(keyOf(sessionId, download));
      else this.#lateYes.set(keyOf(sessionId, download), until);
    }
  }

  #useLateYes(sessionId: SessionId, download: HeldDownload): boolean {
    const key = keyOf(sessionId, download);
    const until = this.#lateYes.get(key) ?? 0;
    this.#lateYes.delete(key);
    return performance.now() < until;
  }

  #record(sessionId: SessionId, { origin, name }: HeldDownload, result: Said): void {
    const by = inAudit('who_session_agent');
    this.#audit?.add({ kind: 'decision', by, what: classInAudit(CLASS), sessionId, origin, element: name, toolClass: CLASS, result });
  }
}

const isSame = ({ download, by }: Waiting, held: DownloadsHeld, { downloadId, url }: HeldDownload): boolean =>
  by.browserId === held.browserId && download.downloadId === downloadId && download.url === url;

const toIds = (downloads: readonly HeldDownload[]): number[] => downloads.map(({ downloadId }) => downloadId);

/** The same file again, from whatever address its site gives it this time. */
const keyOf = (sessionId: SessionId, { origin, name }: HeldDownload): string => JSON.stringify([sessionId, origin, name]);

/** One download with all that is known of it; of many, how many there are and what the first ones are. */
const toCard = (asked: readonly HeldDownload[]): RequestBody => {
  const [first] = asked;
  const origins = [...new Set(asked.map(({ origin }) => origin))];
  const where = origins.length === 1 ? (origins[0] ?? '') : `${origins.length} sites`;
  const lines = asked.length === 1 && first !== undefined ? aboutOne(first) : aboutMany(asked);
  return {
    kind: 'consent',
    title: asked.length === 1 ? `Download from ${where}` : `${asked.length} downloads from ${where}`,
    saying: { code: toCode(asked.length, origins.length), values: { count: `${asked.length}`, site: where, sites: `${origins.length}` } },
    ...asLines(lines),
    where,
    options: toOptions({}),
  };
};

const toCode = (downloads: number, sites: number): string => (sites > 1 ? 'downloads_of_sites' : downloads > 1 ? 'downloads' : 'download');

const aboutOne = ({ name, sizeBytes, mimeType, url }: HeldDownload): Said[] => [
  line('line_file_named', name),
  line('line_size', sizeText(sizeBytes)),
  line('line_kind', mimeType),
  line('line_address', url),
];

const aboutMany = (asked: readonly HeldDownload[]): Said[] => [
  ...asked
    .slice(0, MAX_SHOWN)
    .map(({ name, sizeBytes, url }) =>
      line('line_file', cardText('file_from', { name, size: sizeText(sizeBytes), url: url.slice(0, 200) })),
    ),
  ...(asked.length > MAX_SHOWN ? [line('line_and', cardText('and_more', { count: asked.length - MAX_SHOWN }))] : []),
];

const sizeText = (bytes: number): Said => (bytes < 0 ? cardText('size_unknown') : cardText('size', { bytes }));

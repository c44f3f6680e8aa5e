/** Search over all sessions: their names, and what was said and run in them. */
import type { Log } from '#companion/lib/log.ts';
import type { SessionRow } from '#companion/store/event-log.ts';
import type { SearchChange, SearchScope } from '#companion/store/search-index.ts';
import { readWanted, type Wanted } from '#companion/store/search-words.ts';
import { fits, marksIn, snippetOf } from '#companion/store/snippet.ts';
import type { Store } from '#companion/store/store.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { type ItemId, SessionId } from '#protocol/ids.ts';
import type { SearchAnswer, SearchHit, SearchQuery, TitleHit } from '#protocol/search.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';
import { isSettled, searchChanges } from './search-changes.ts';

const MAX_TITLES = 20;
/** Events that are read in at a time, and how long the work of others goes first. */
const PAGE = 1000;
const PAUSE_MS = 20;
/** How long what a start has to do goes before the comparison of the index with the logs. */
const COMPARE_AFTER_MS = 500;

interface Surroundings {
  readonly store: Pick<Store, 'events' | 'search' | 'known'>;
  readonly log: Log;
  readonly list: () => SessionSummary[];
}

/** A log as it was found when the daemon began. */
type FoundLog = Pick<SessionRow, 'sessionId' | 'lastSeq' | 'createdAt'>;

/** A session whose log is ahead of the index. */
interface Backlog {
  readonly sessionId: SessionId;
  /** Folded from what was read so far; what is in the index already is left out. */
  view: SessionView;
}

export class Search {
  readonly #around: Surroundings;
  /** Logs that the index was not compared with yet: of ten thousand this takes as long as a tenth of a start, and nobody waits for it. */
  #uncompared: readonly FoundLog[] | null = null;
  readonly #backlog: Backlog[] = [];
  #total = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Reads in what the index does not have of these logs, in the background and the newest first. */
  catchUp(logs: readonly FoundLog[]): void {
    this.#uncompared = logs;
    this.#timer = setTimeout(() => this.#compare(), COMPARE_AFTER_MS).unref();
  }

  /** Takes in what has just been appended to a log. */
  note(sessionId: SessionId, changes: readonly SearchChange[], view: SessionView): void {
    this.#compare();
    const isBehind = this.#backlog.some((behind) => behind.sessionId === sessionId);
    const doneSeq = !isBehind && isSettled(view) ? view.seq : null;
    if (changes.length > 0 || doneSeq !== null) this.#around.store.search.note({ sessionId, changes, doneSeq });
  }

  /** Takes in what stands in a log after that event, in the background. */
  readIn(sessionId: SessionId, afterSeq: number): void {
    this.#compare();
    if (this.#backlog.some((behind) => behind.sessionId === sessionId)) return;
    const isResting = this.#backlog.length === 0;
    if (isResting) this.#total = 0;
    this.#total += 1;
    this.#backlog.push({ sessionId, view: { ...emptyView(sessionId), seq: afterSeq } });
    if (isResting) this.#goOn();
  }

  /** Removes what is known of a session, for ever, at most so many entries; says whether there are more. */
  remove(sessionId: SessionId, count: number): boolean {
    this.#compare();
    const at = this.#backlog.findIndex((behind) => behind.sessionId === sessionId);
    if (at >= 0) this.#backlog.splice(at, 1);
    return this.#around.store.search.remove(sessionId, count);
  }

  /** The one of these sessions that has an entry for this item. Those that are not read in whole are looked through first. */
  whereSaid(itemId: ItemId, sessionIds: readonly SessionId[]): SessionId | undefined {
    this.#compare();
    const wanted = new Set(sessionIds);
    for (const behind of this.#backlog.filter(({ sessionId }) => wanted.has(sessionId)))
      while (this.#backlog.includes(behind)) this.#readPage(behind, PAGE);
    return this.#around.store.search.whereSaid(itemId, sessionIds);
  }

  find(query: SearchQuery): SearchAnswer {
    this.#compare();
    const wanted = readWanted(query.q);
    const sessions = this.#around.list().filter((session) => isAskedFor(session, query));
    const byId = new Map(sessions.map((session) => [session.id, session]));
    const { found, next } = this.#around.store.search.find(wanted, toScope(query, new Set(byId.keys())));
    const hits = found.flatMap((entry): SearchHit[] => {
      const session = byId.get(entry.sessionId);
      if (session === undefined) return [];
      const { redactor } = this.#around.store.known;
      const { sessionId, turnId, itemId, kind } = entry;
      return [
        {
          sessionId,
          sessionName: session.name,
          projectId: session.projectId,
          engineName: session.engineName,
          ...(session.isArchived === true ? { isArchived: true } : {}),
          turnId,
          itemId,
          kind,
          ...(entry.title === null ? {} : { title: redactor.text(entry.title) }),
          at: new Date(entry.at).toISOString(),
          // What became known as a secret after it was said is blotted out too.
          snippet: snippetOf(redactor.text(entry.text === '' ? (entry.title ?? '') : entry.text), wanted),
        },
      ];
    });
    const isFirstPage = query.cursor === undefined && query.kind === undefined;
    return {
      titles: isFirstPage ? titlesOf(sessions, wanted) : [],
      hits,
      next: next === null ? null : String(next),
      indexing: this.#progress(query.sessionId),
    };
  }

  /** How far reading in has come. For who looks in one session that one alone counts, and it comes next. */
  #progress(sessionId: SessionId | undefined): SearchAnswer['indexing'] {
    if (this.#backlog.length === 0) return null;
    if (sessionId !== undefined) {
      const wanted = this.#backlog.find((behind) => behind.sessionId === sessionId);
      if (wanted === undefined) return null;
      this.#done(wanted);
      this.#backlog.unshift(wanted);
    }
    return { done: this.#total - this.#backlog.length, total: this.#total };
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Comes before anything else is asked of the index or told to it, which would else be taken for a part of what it had. */
  #compare(): void {
    const logs = this.#uncompared;
    if (logs === null) return;
    this.#uncompared = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const { search } = this.#around.store;
    const states = search.states();
    const behind = new Map<SessionId, { readonly seq: number; readonly createdAt: number }>();
    for (const { sessionId, lastSeq, createdAt } of logs) {
      const known = states.get(sessionId) ?? 0;
      states.delete(sessionId);
      // The history was put back to an earlier state.
      if (known > lastSeq) search.remove(sessionId);
      const seq = known > lastSeq ? 0 : known;
      if (seq !== lastSeq) behind.set(sessionId, { seq, createdAt });
    }
    for (const [sessionId, { seq }] of [...behind].toSorted(([, one], [, other]) => other.createdAt - one.createdAt)) {
      this.#backlog.push({ sessionId, view: { ...emptyView(sessionId), seq } });
    }
    // What is left belongs to no session any more.
    for (const sessionId of states.keys()) search.remove(SessionId.parse(sessionId));
    this.#total = this.#backlog.length;
    this.#goOn();
  }

  #goOn(): void {
    if (this.#backlog.length === 0 || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#readSome();
      this.#goOn();
    }, PAUSE_MS).unref();
  }

  /** A part of a long log, or many short ones. */
  #readSome(): void {
    for (let left = PAGE; left > 0;) {
      const [behind] = this.#backlog;
      if (behind === undefined) break;
      left -= Math.max(1, this.#readPage(behind, left));
    }
    this.#around.store.search.flush();
  }

  /** Takes in the next events of a log; says how many. */
  #readPage(behind: Backlog, limit: number): number {
    const { store, log } = this.#around;
    try {
      const events = store.events.read(behind.sessionId, behind.view.seq, limit);
      const changes: SearchChange[] = [];
      let doneSeq: number | null = null;
      for (const event of events) {
        const after = project(behind.view, event);
        changes.push(...searchChanges(behind.view, event, after));
        behind.view = event.type === 'turn.completed' ? withoutOld(after) : after;
        if (isSettled(behind.view)) doneSeq = event.seq;
      }
      store.search.note({ sessionId: behind.sessionId, changes, doneSeq });
      if (events.length < limit) this.#done(behind);
      return events.length;
    } catch (error) {
      // A log that cannot be read keeps no other one waiting.
      log.error('search.not_read', { sessionId: behind.sessionId, error });
      this.#done(behind);
      return 0;
    }
  }

  #done(behind: Backlog): void {
    const at = this.#backlog.indexOf(behind);
    if (at >= 0) this.#backlog.splice(at, 1);
  }
}

/** What is over is in the index, and folding is quick without it. */
const withoutOld = (view: SessionView): SessionView => ({
  ...view,
  turns: view.turns.filter(({ status }) => status === 'queued' || status === 'running' || status === 'cancelling'),
  items: view.items.filter(({ status }) => status === 'running'),
  gone: [],
});

const isAskedFor = (session: SessionSummary, { projectId, engineName, sessionId }: SearchQuery): boolean =>
  (projectId === undefined || session.projectId === projectId) &&
  (engineName === undefined || session.engineName === engineName) &&
  (sessionId === undefined || session.id === sessionId);

const toScope = (query: SearchQuery, sessionIds: ReadonlySet<SessionId>): SearchScope => ({
  sessionIds,
  kind: query.kind ?? null,
  since: query.since === undefined ? 0 : Date.parse(query.since),
  until: query.until === undefined ? Infinity : Date.parse(query.until),
  limit: query.limit,
  cursor: query.cursor === undefined ? null : Number(query.cursor),
});

const titlesOf = (sessions: readonly SessionSummary[], wanted: Wanted): TitleHit[] => {
  const titles: TitleHit[] = [];
  if (wanted.words.length === 0) return titles;
  for (const session of sessions) {
    if (titles.length === MAX_TITLES) break;
    if (session.name !== '' && fits(session.name, wanted)) titles.push({ session, marks: marksIn(session.name, wanted) });
  }
  return titles;
};

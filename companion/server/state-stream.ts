/** What changes outside one session's log, each time as the whole new list. */
import type { ServerResponse } from 'node:http';
import type { StateEvent } from '#protocol/api.ts';
import { toldAs, type Warning } from '#protocol/warnings.ts';
import type { ServerDeps } from './deps.ts';
import { heartbeat, toSse, type SseReader, type SseServer } from './sse.ts';

type Watched = Pick<ServerDeps, 'sessions' | 'projects' | 'engines' | 'bridge' | 'admissions' | 'onLogLine'>;

export class StateStream {
  readonly #watched: Watched;
  readonly #sse: SseServer;
  readonly #warnings: () => readonly Warning[];
  readonly #readers = new Set<SseReader>();
  /** The warnings that were told last. */
  #told = '';
  #unsubscribe: (() => void)[] = [];

  constructor(watched: Watched, sse: SseServer, warnings: () => readonly Warning[]) {
    this.#watched = watched;
    this.#sse = sse;
    this.#warnings = warnings;
  }

  open(response: ServerResponse): void {
    const reader = this.#sse.open(response, { heartbeat });
    if (this.#readers.size === 0) this.#subscribe();
    void this.#watched.engines.look();
    this.#readers.add(reader);
    reader.onClosed(() => this.#remove(reader));
    const { sessions, projects, engines, bridge, admissions } = this.#watched;
    const now: StateEvent[] = [
      { type: 'sessions', sessions: sessions.list() },
      { type: 'projects', projects: projects.list() },
      { type: 'engines', engines: engines.list() },
      { type: 'browsers', browsers: bridge.browsers() },
      { type: 'admissions', admissions: admissions.list() },
      { type: 'warnings', ...toldAs(this.#warnings()) },
    ];
    reader.begin(Buffer.concat(now.map(encode)));
  }

  /** Whether a front end is there that tells the person. */
  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  publish(event: StateEvent): void {
    if (this.#readers.size === 0) return;
    const bytes = encode(event);
    for (const reader of this.#readers) {
      reader.write(bytes);
      // A reader that comes back gets all lists again.
      if (reader.isFull()) reader.close();
    }
  }

  /** Tells the warnings when they are others than before. */
  lookAtWarnings(): void {
    if (this.#readers.size === 0) return;
    const warnings = this.#warnings();
    const now = JSON.stringify(warnings);
    if (now === this.#told) return;
    this.#told = now;
    this.publish({ type: 'warnings', ...toldAs(warnings) });
  }

  /** Each list with the warnings, most of which come of what is listed. */
  #publishList(event: StateEvent): void {
    this.publish(event);
    this.lookAtWarnings();
  }

  #subscribe(): void {
    const { sessions, projects, engines, bridge, admissions, onLogLine } = this.#watched;
    this.#told = JSON.stringify(this.#warnings());
    this.#unsubscribe = [
      sessions.subscribeList((rows) => this.#publishList({ type: 'sessions', sessions: rows })),
      sessions.subscribeNotices((notice) =>
        this.publish(notice.type === 'notification' ? { type: notice.type, notification: notice.notification } : notice),
      ),
      projects.subscribe((rows) => this.publish({ type: 'projects', projects: rows })),
      engines.subscribe((rows) => this.#publishList({ type: 'engines', engines: rows })),
      bridge.subscribe(() => this.#publishList({ type: 'browsers', browsers: bridge.browsers() })),
      admissions.subscribe(() => this.#publishList({ type: 'admissions', admissions: admissions.list() })),
      onLogLine((line) => this.publish({ type: 'log', line })),
    ];
  }

  #remove(reader: SseReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    for (const stop of this.#unsubscribe) stop();
    this.#unsubscribe = [];
  }
}

const encode = (event: StateEvent): Buffer => toSse({ data: event });

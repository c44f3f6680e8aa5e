/** `GET /api/events`: what changes outside one session's log, each time as the whole new list. */
import type { ServerResponse } from 'node:http';
import type { StateEvent } from '#protocol/api.ts';
import type { ServerDeps } from './deps.ts';
import { toSse, type SseReader, type SseServer } from './sse.ts';

export interface StateStream {
  open(response: ServerResponse): void;
  publish(event: StateEvent): void;
}

export const createStateStream = (
  { sessions, projects, engines, bridge, onLogLine }: Pick<ServerDeps, 'sessions' | 'projects' | 'engines' | 'bridge' | 'onLogLine'>,
  sse: SseServer,
): StateStream => {
  const readers = new Set<SseReader>();
  let unsubscribe: (() => void)[] = [];

  const publish = (event: StateEvent): void => {
    if (readers.size === 0) return;
    const bytes = encode(event);
    for (const reader of readers) {
      reader.write(bytes);
      // It gets all lists again when it comes back.
      if (reader.isFull()) reader.close();
    }
  };
  const subscribe = (): void => {
    unsubscribe = [
      sessions.subscribeList((rows) => publish({ type: 'sessions', sessions: rows })),
      projects.subscribe((rows) => publish({ type: 'projects', projects: rows })),
      engines.subscribe((rows) => publish({ type: 'engines', engines: rows })),
      bridge.subscribe(() => publish({ type: 'browsers', browsers: bridge.browsers() })),
      onLogLine((line) => publish({ type: 'log', line })),
    ];
  };
  return {
    publish,
    open: (response) => {
      const reader = sse.open(response, { heartbeat });
      if (readers.size === 0) subscribe();
      readers.add(reader);
      reader.onClosed(() => {
        readers.delete(reader);
        if (readers.size > 0) return;
        for (const stop of unsubscribe) stop();
        unsubscribe = [];
      });
      const now: StateEvent[] = [
        { type: 'sessions', sessions: sessions.list() },
        { type: 'projects', projects: projects.list() },
        { type: 'engines', engines: engines.list() },
        { type: 'browsers', browsers: bridge.browsers() },
      ];
      reader.write(Buffer.concat(now.map(encode)));
    },
  };
};

const encode = (event: StateEvent): Buffer => toSse({ data: event });

const heartbeat = (): Buffer => toSse({ name: 'heartbeat', data: { type: 'heartbeat', at: Date.now() } satisfies StateEvent });

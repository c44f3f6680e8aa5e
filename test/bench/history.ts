/** A large history on a daemon that has just been started: the newest part of a long session, the list of many, and a reader that was cut off. */
import { setTimeout as wait } from 'node:timers/promises';
import { nullLog } from '#companion/lib/log.ts';
import { Store } from '#companion/store/store.ts';
import { type EventBody, defaultSettings } from '#protocol/events.ts';
import { SessionId } from '#protocol/ids.ts';
import { createCompanion, type Companion } from '#test/fixtures/companion.ts';
import { writeHistory } from '#test/fixtures/history.ts';
import { createHome } from '#test/fixtures/home.ts';
import { sampleSession } from '#test/fixtures/samples.ts';
import type { Row } from './bench.ts';
import { figures, timed } from './stats.ts';

const MESSAGES = 100_000;
const SESSIONS = 10_000;
const RESTARTS = 40;
const RETURNS = 200;
const LISTS = 30;
/** How far from its end a reader was when it was cut off. */
const MISSED = 100;

export const benchHistory = async (report: (line: string) => void): Promise<Row[]> => {
  report(`a session of ${MESSAGES.toLocaleString('en')} messages among ${SESSIONS.toLocaleString('en')} sessions`);
  const home = createHome();
  const companion = createCompanion(home);
  writeHistory(companion, MESSAGES / 2);
  writeSessions(companion);
  try {
    // The first daemon folds what no daemon has seen, and takes it into the index of the search.
    await companion.startDaemon();
    const isIndexed = async (): Promise<boolean> => {
      const { json } = await companion.api.send('GET', '/agent/search?q=nothing');
      return (json as { indexing: unknown }).indexing === null;
    };
    while (!(await isIndexed())) await wait(500);
    const page = '/api/agent-sessions/s-long/page?limit=100';
    const { epoch, seq } = (await companion.api.send('GET', page)).json as { epoch: string; seq: number };
    const [pages, again, reconnects]: number[][] = [[], [], []];
    for (let round = 0; round < RESTARTS; round += 1) {
      await companion.stopDaemon();
      reconnects?.push(await timed(() => reconnect(companion, `${epoch}-${seq - MISSED}`)));
      pages?.push(await timed(() => companion.api.send('GET', page)));
      again?.push(await timed(() => companion.api.send('GET', page)));
    }
    const returns: number[] = [];
    for (let round = 0; round < RETURNS; round += 1) returns.push(await timed(() => readOn(companion, `${epoch}-${seq - MISSED}`)));
    const lists: number[] = [];
    for (let round = 0; round < LISTS; round += 1) lists.push(await timed(() => companion.api.send('GET', '/api/agent-sessions')));
    return [
      row('newest part of 100,000 messages, a daemon that has not read them yet', pages ?? [], 20),
      row('the same once more', again ?? [], 20),
      row('list of 10,000 sessions', lists, 30),
      row('a reader that was cut off, from its return to the first event that it had missed, p95', returns, 300, 'p95'),
      row('the same from the start of a daemon, p95', reconnects ?? [], 300, 'p95'),
    ];
  } finally {
    await companion.stopDaemon();
    await home.remove();
  }
};

/** Starts a daemon, and reads on where a reader was. */
const reconnect = async (companion: Companion, cursor: string): Promise<void> => {
  // There is nobody but the reader: the answer to another question would be a part of its time.
  companion.start(['daemon']);
  // Until it listens, there is nobody to ask.
  while (!(await readOn(companion, cursor).catch(() => false))) await wait(2);
};

/** Asks for what follows a place in the long session, and is cut off again at the first event of it. */
const readOn = async ({ api }: Companion, cursor: string): Promise<boolean> => {
  const end = new AbortController();
  try {
    for await (const { event } of api.events('/api/agent-sessions/s-long/events', end.signal, { 'last-event-id': cursor })) {
      if (event === 'message') return true;
    }
    return false;
  } finally {
    end.abort();
  }
};

/** Sessions in which nothing was said yet, as rows of the list. */
const writeSessions = ({ paths }: Companion): void => {
  const store = new Store(paths, nullLog);
  for (let index = 1; index <= SESSIONS; index += 1) {
    const sessionId = SessionId.parse(`s-${index}`);
    const name = `Session ${index}`;
    const summary = sampleSession({ id: sessionId, projectId: null, name, preview: `What was said last in session ${index}` });
    const created: EventBody = {
      type: 'session.created',
      projectId: null,
      engine: 'claude',
      name,
      kind: 'agent',
      settings: defaultSettings,
    };
    store.events.append([{ ...created, sessionId, seq: 1, at: index }], 'normal');
    store.sessions.save({ sessionId, projectId: null, epoch: 'e', createdAt: index, summary, summarySeq: 1 });
  }
  store.close();
};

const row = (what: string, samples: readonly number[], limitMs: number, at: 'p50' | 'p95' = 'p50'): Row => {
  const ours = figures(samples)[at];
  return { area: 'history', what, ours: `${ours.toFixed(1)} ms`, reference: `the limit: ${limitMs} ms`, ratio: ours / limitMs, goal: 1 };
};

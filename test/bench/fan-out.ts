/** How many events a second reach 1, 100 and 1,000 readers of one session, against a bare server that writes the same bytes. */
import { spawn } from 'node:child_process';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate as nextTick } from 'node:timers/promises';
import { LogStream } from '#companion/server/log-stream.ts';
import { SseServer, toSse } from '#companion/server/sse.ts';
import type { SessionListener } from '#companion/sessions/session-log.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { ItemId, SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView } from '#protocol/view.ts';
import type { Row } from './bench.ts';
import { interleave, type Figures } from './stats.ts';

const sessionId = SessionId.parse('s-fan-out');
const READERS = [1, 100, 1_000];
/** So many reach all readers together in a round. */
const DELIVERIES = 200_000;
/** An agent that answers quickly has about so many in one read. */
const AT_ONCE = 16;
const ROUNDS = 5;

/** Connects so many readers in a process of its own, says when all are connected, and when each has had all events. */
const CLIENT = `
const http = require('node:http');
const [port, readers, events] = process.argv.slice(1).map(Number);
let connected = 0, left = readers * events;
for (let index = 0; index < readers; index += 1) http.get({ port, host: '127.0.0.1', agent: false }, (response) => {
  if ((connected += 1) === readers) console.log('connected');
  let last = 0;
  response.on('data', (chunk) => {
    for (const byte of chunk) { if (byte === 10 && last === 10 && (left -= 1) === 0) console.log('done'); last = byte; }
  });
});`;

export const benchFanOut = async (report: (line: string) => void): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const readers of READERS) {
    report(`events to ${readers} readers`);
    const events = Math.floor(DELIVERIES / readers / AT_ONCE) * AT_ONCE;
    const times = await interleave({ ours: () => timeOurs(readers, events), bare: () => timeBare(readers, events) }, ROUNDS);
    const perSecond = ({ p50 }: Figures): string => `${Math.round((readers * events * 1000) / p50).toLocaleString('en')} events/s`;
    rows.push({
      area: 'fan-out',
      what: `events of a session to ${readers.toLocaleString('en')} ${readers === 1 ? 'reader' : 'readers'}`,
      ours: perSecond(times.ours),
      reference: `bare node:http: ${perSecond(times.bare)}`,
      ratio: times.ours.p50 / times.bare.p50,
      goal: 1.25,
    });
  }
  return rows;
};

const eventAt = (seq: number): SessionEvent => ({
  type: 'item.delta',
  turnId: TurnId.parse('t1'),
  itemId: ItemId.parse('i1'),
  text: 'A line of about two hundred and twenty characters. '.repeat(4),
  sessionId,
  seq,
  at: seq,
});

/** The stream of the daemon, without its doors and its store. */
const timeOurs = (readers: number, events: number): Promise<number> => {
  const listeners = new Set<SessionListener>();
  const written: SessionEvent[] = [];
  const view = emptyView(sessionId);
  const sse = new SseServer(() => {});
  const stream = new LogStream(
    {
      epoch: () => 'e',
      lastSeq: () => written.length,
      read: (_, after, limit) => written.slice(after, after + limit),
      subscribe: (_, listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      subscribeList: () => () => {},
    },
    sse,
  );
  const send = (batch: readonly SessionEvent[]): void => {
    written.push(...batch);
    for (const event of batch) for (const listener of listeners) listener(event, view);
  };
  return time({ readers, events, serve: (_, response) => stream.open(() => response, sessionId, null), send });
};

/** Each batch is serialised once and written to each response. */
const timeBare = (readers: number, events: number): Promise<number> => {
  const responses: ServerResponse[] = [];
  const serve: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    responses.push(response);
  };
  const send = (batch: readonly SessionEvent[]): void => {
    const bytes = Buffer.concat(batch.map((event) => toSse({ id: `e-${event.seq}`, data: event })));
    for (const response of responses) response.write(bytes);
  };
  return time({ readers, events, serve, send });
};

const time = async ({
  readers,
  events,
  serve,
  send,
}: {
  readonly readers: number;
  readonly events: number;
  readonly serve: RequestListener;
  readonly send: (batch: readonly SessionEvent[]) => void;
}): Promise<number> => {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = spawn(process.execPath, ['-e', CLIENT, String(port), String(readers), String(events)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(client.stdout)[Symbol.asyncIterator]();
  try {
    await lines.next();
    const startedAt = performance.now();
    for (let first = 1; first <= events; first += AT_ONCE) {
      send(Array.from({ length: AT_ONCE }, (_, index) => eventAt(first + index)));
      await nextTick();
    }
    const { done } = await lines.next();
    if (done === true) throw new Error('the readers ended before they had all events');
    return performance.now() - startedAt;
  } finally {
    client.kill();
    server.closeAllConnections();
    server.close();
  }
};
